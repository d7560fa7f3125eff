"""The hold-out of a problem, set up with what this use case makes true of it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from surelearn.app.errors import TableError
from surelearn.app.problem.baseline import baseline_of, positive_of
from surelearn.app.problem.copies import Copies
from surelearn.app.problem.ledger_entry import NOT_KEPT, Entry
from surelearn.app.problem.problem import Problem
from surelearn.certificate import Evidence, assumed, by_construction, checked
from surelearn.evaluate._holdout_claims import Groups
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED, ROUNDED
from surelearn.evaluate.holdout import Holdout, Quantile
from surelearn.evaluate.ledger import Standing
from surelearn.evaluate.planning import plan_groups, plan_holdout
from surelearn.losses import ZeroOne

ALPHA = 0.1
"""The fraction of new rows that may have a larger error than the one certified for a regression."""

DECIDED = "types, features and learner were decided on the training rows"
"""What this use case makes true of all that shapes a model."""

_USEFUL = 0.25  # an error rate; if not even this can be certified, there are too few rows
_DRAWN = {
    "random": "drawn from the number of rows and seed {seed} alone",
    "distinct": "whole sets of copies, drawn from their number and seed {seed} alone",
    "group": "whole groups, drawn from their number and seed {seed} alone",
    "time": "the last rows, by their time alone",
}


def set_up_holdout(
    problem: Problem,
    *,
    delta: float,
    looks: int = 1,
    entry: Entry = NOT_KEPT,
    claims: Sequence[str] = (),
    positive: str | None = None,
    make: "type[HoldoutOfProblem] | None" = None,
) -> Holdout:
    """Return the hold-out of a problem, to be asked once; a classifier also class by class.

    Parameters
    ----------
    problem
        The problem.
    delta, looks
        The probability that a certificate is false, and among how many models it is shared out.
    entry
        Where the question stands in the ledger of the table.
    claims, positive
        What to certify beside, all that is expected if nothing; and the positive label.
    make
        What kind of hold-out it is, if not one of rows that are all there.
    """
    regression, rows = problem.task == "regression", problem.split.holdout
    groups = None
    if problem.groups is not None:
        of_copies = problem.split.kind == "distinct"
        groups = Groups(problem.groups[rows], of_copies, counted=make is not None)
    # Groups are drawn with their labels, so the number of classes must not come from the hold-out.
    known = True if groups is None else np.unique(problem.y[problem.split.train])
    return (make or HoldoutOfProblem)(
        problem,
        entry,
        delta=delta,
        mode="once" if looks == 1 else "family",
        n_models=looks,
        loss=Quantile(ALPHA) if regression else ZeroOne(),
        allow_duplicates=True,  # how many rows coincide is known, and said
        groups=groups,
        random_state=problem.split.seed,
        by_class=False if regression else known,
        claims=list(claims) or True,
        positive=positive_of(problem, positive),
        baseline=baseline_of(problem),
    )


class HoldoutOfProblem(Holdout):
    """The rows that a use case set apart before it looked at the table."""

    def __init__(self, problem: Problem, entry: Entry, **rules: Any) -> None:
        self._problem, self._entry = problem, entry
        super().__init__(*problem.held_out, **rules)

    def _made_true(self) -> dict[str, Evidence]:
        return _known(self._problem)

    def _labels(self, model: Any, predicted: Any) -> list[Any]:  # noqa: ARG002 - of training rows
        """Return the classes of the training rows, whatever the model says of itself."""
        return np.unique(self._problem.y[self._problem.split.train]).tolist()

    def _compared_with(self) -> tuple[Any, ...]:
        """Return nothing: it is compared with one constant answer, taken from training rows."""
        return ()

    def _stand(self, model: str) -> tuple[Standing, Evidence | None]:  # noqa: ARG002 - see the entry
        """Return what the ledger of the table says, where the question was entered before."""
        if self._problem.copies.mode is None:  # a certificate from before there was a ledger
            return self._entry.standing, None
        return self._entry.standing, self._entry.evidence(self._rules.n_models)


def refuse_if_too_few(problem: Problem, *, delta: float, share: float) -> None:
    """Say how many rows would certify anything useful, if the hold-out has too few.

    Of distinct rows fewer are left than were asked for; then a bound is loose, not refused.
    """
    rows, regression = problem.split.holdout, problem.task == "regression"
    aim = f"an error rate of at most {_USEFUL:.0%}, even if none of them is wrong"
    # The largest of n errors bounds all but a fraction alpha if (1 - alpha)^n <= delta.
    least = math.ceil(math.log(delta) / math.log1p(-ALPHA))
    if regression:
        aim = f"a limit on {1 - ALPHA:.0%} of the errors"
    elif problem.split.kind == "group":
        least = plan_groups(target=_USEFUL, delta=delta)
    else:
        least = plan_holdout(target=_USEFUL, delta=delta).n
    more_than_shown = problem.n_rows / len(problem.y)  # of a table in parts there is a sample
    unit, n, more = "rows", round(more_than_shown * len(rows)), ""
    if problem.split.kind == "group" and problem.groups is not None:
        unit, n = "groups", round(more_than_shown * len(np.unique(problem.groups[rows])))
    elif problem.split.kind == "distinct" and problem.groups is not None:
        n = round(share * problem.n_rows)
        if regression and n >= least:
            n_distinct = len(np.unique(problem.groups[rows]))
            unit, n = "distinct rows", round(more_than_shown * n_distinct)
            more = "; or, if equal rows coincide by chance, --copies independent"
    if n < least:
        raise TableError(
            f"the hold-out has {n} {unit}, and {least} are needed to certify {aim}: give "
            f"{math.ceil(least / share):,} {unit} or more, or a larger --holdout{more}"
        )


def _known(problem: Problem) -> dict[str, Evidence]:
    """Return what this use case makes true, where a hold-out alone would have to assume it."""
    split, copies = problem.split, problem.copies
    apart = f"{len(split.train):,} rows train, {len(split.holdout):,} others are held out"
    evidence = {
        "unseen": by_construction(apart),
        "blind_split": by_construction(_DRAWN[split.kind].format(seed=split.seed)),
        "untouched": by_construction(DECIDED),
    }
    if problem.task == "regression":
        evidence["alpha"] = by_construction(f"it is {ALPHA:g} for every table")
    if copies.mode is None:  # in the words of the time
        return {**evidence, "untouched": by_construction(f"{DECIDED}; it was asked once")}
    if copies.n_across:
        alike = f"{copies.n_across:,} of them coincide with training rows and are taken as"
        evidence["unseen"] = assumed(f"{apart}; {alike} independent draws")
    elif copies.n_rounded:
        evidence["unseen"] = assumed(f"{apart}; {copies.n_rounded:,} of them {ROUNDED}")
    return {**evidence, "copies": _told_of_copies(copies)}


def _told_of_copies(copies: Copies) -> Evidence:
    if copies.n_across:
        return assumed(f"{copies.n_across:,} held-out rows are equal to training rows")
    if copies.n_rounded:
        return assumed(f"{copies.n_rounded:,} of the held-out rows {ROUNDED}")
    told = f"all {copies.n_rows:,} rows are distinct"
    if copies.n_distinct < copies.n_rows:
        distinct = f"{copies.n_distinct:,} of {copies.n_rows:,} rows are distinct"
        told = f"{distinct}, and no copies stand on both sides"
    return checked(f"{told}{ALSO_ROUNDED}")
