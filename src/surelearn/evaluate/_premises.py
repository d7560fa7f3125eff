"""What a sentence of an audit rests on: how the rows were drawn, as its theorem needs it.

A condition of another theorem would make the sentence false: rows drawn independently say less of
a table than as many drawn without replacement, and clusters that independent rows happen to hit
are not those that independent clusters are.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from surelearn.claims import Claim

_UNUSED = "not used to make or choose"


class Drawn(NamedTuple):
    """How the rows of an audit came about.

    Attributes
    ----------
    n_rows
        The number of rows.
    by_label
        Whether they were drawn by their label.
    answered_only
        Whether rows without an answer were left out.
    counted_as_errors
        Whether rows without an answer count as errors.
    """

    n_rows: int
    by_label: bool = False
    answered_only: bool = False
    counted_as_errors: bool = False


def premise_of(claim: Claim, drawn: Drawn, n_units: int) -> str:
    """Return what a claim rests on, from "If" up to "then".

    Parameters
    ----------
    claim
        The claim.
    drawn
        How the rows came about.
    n_units
        How many rows, or clusters, the claim counts.

    Examples
    --------
    >>> from surelearn import claims
    >>> print(premise_of(claims.WrongInTable(size=1000), Drawn(200), 200))
    If these 200 rows were drawn at random without replacement from the table, and were not used \
to make or choose the model
    """
    cases = "the cases the model will be used on"
    if drawn.answered_only:
        cases += " that get an answer"
    return _BY_DESIGN[claim.design](drawn, cases, n_units)


def _rows(drawn: Drawn, cases: str, n_units: int) -> str:  # noqa: ARG001 - all rows are meant
    within = ", within each label," if drawn.by_label else ""
    if drawn.n_rows == 1:
        return f"If this row is{within} a draw from {cases}, and was {_UNUSED} it"
    return (
        f"If these {drawn.n_rows:,} rows are{within} independent draws from {cases}, and were "
        f"{_UNUSED} it"
    )


def _clusters(drawn: Drawn, cases: str, n_units: int) -> str:
    of = f"with its rows out of {cases}" if drawn.answered_only else "with its rows"
    many = f"these {n_units:,} clusters, each {of}, are independent draws"
    these = f"this cluster, {of}, is a draw" if n_units == 1 else many
    return f"If {these} from those the model will be used on, and {_were(n_units)} {_UNUSED} it"


def _weights(drawn: Drawn, cases: str, n_units: int) -> str:  # noqa: ARG001 - all rows are meant
    if drawn.n_rows == 1:
        alone = f"a draw that stands for as many of {cases} as its weight says"
        return f"If this row is {alone}, and was {_UNUSED} it"
    return (
        f"If these {drawn.n_rows:,} rows are independent draws, each of which stands for as many "
        f"of {cases} as its weight says, and were {_UNUSED} it"
    )


def _strata(drawn: Drawn, cases: str, n_units: int) -> str:  # noqa: ARG001 - all rows are meant
    if drawn.n_rows == 1:
        return f"If this row is, within its stratum, a draw from {cases}, and was {_UNUSED} it"
    return (
        f"If these {drawn.n_rows:,} rows are, within each stratum, independent draws from {cases}, "
        f"and were {_UNUSED} it"
    )


def _period(drawn: Drawn, cases: str, n_units: int) -> str:  # noqa: ARG001 - of the past
    those = " that got an answer" if drawn.answered_only else ""
    if drawn.n_rows == 1:
        all_of_them = f"the only case of the period{those.replace('that got', 'with')}"
        picked = "or picked without regard to how it was answered"
        return f"If this row is {all_of_them}, {picked}, and was {_UNUSED} the model"
    return (
        f"If these {drawn.n_rows:,} rows are all cases of the period{those}, or picked from them "
        f"without regard to how they were answered, and were {_UNUSED} the model"
    )


def _table(drawn: Drawn, cases: str, n_units: int) -> str:  # noqa: ARG001 - the table's rows
    were = _were(drawn.n_rows)
    these = "this row" if drawn.n_rows == 1 else f"these {drawn.n_rows:,} rows"
    return (
        f"If {these} {were} drawn at random without replacement from the table, and {were} "
        f"{_UNUSED} the model"
    )


def _were(n: int) -> str:
    return "was" if n == 1 else "were"


_BY_DESIGN: Mapping[str, Callable[[Drawn, str, int], str]] = {
    "rows": _rows,
    "cluster": _clusters,
    "weight": _weights,
    "stratum": _strata,
    "time": _period,
    "table": _table,
}
