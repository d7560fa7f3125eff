"""How often learners err that start with every literal, term or clause and cross out the refuted.

Rows are vectors of n zeros and ones. Disjunctions are in `surelearn.bounds.mistakes_boolean`; these
are the formulas that they reach by negation (De Morgan) and by terms as new variables.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._mistakes import MISTAKES

_VALIANT = "Valiant, Communications of the ACM 27 (1984)"
_LONGEST = 64  # literals of a term: beyond, the number of terms is of no use to anyone


@theorem(realised=("n_relevant",))
def monotone_conjunction(*, n_variables: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out variables that were 0 in a positive row.

    Examples
    --------
    >>> monotone_conjunction(n_variables=10, n_relevant=3).bound
    7.0
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(n - k),
        assumes={
            "realizable": (
                "every label is that of one monotone conjunction of n_relevant variables or more"
            ),
            "algorithm": (
                "the learner predicts the conjunction of all variables not yet crossed out"
            ),
        },
        reference=_VALIANT,
    )


@theorem(realised=("n_relevant",))
def conjunction(*, n_variables: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out literals, negated or not: n_variables + 1 - n_relevant.

    Examples
    --------
    >>> conjunction(n_variables=10).bound
    11.0
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_relevant", n_relevant, at_most=n)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up_integer(n + 1 - k),
        assumes={
            "realizable": "every label is that of one conjunction of n_relevant literals or more",
            "algorithm": "the learner predicts the conjunction of all literals not yet crossed out",
        },
        reference=_VALIANT,
    )


@theorem(realised=("n_relevant",))
def k_dnf(*, n_variables: int, n_literals: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out terms of k literals by 1 + C(n, k)(2^k - 1) - n_relevant.

    Examples
    --------
    >>> k_dnf(n_variables=10, n_literals=2).bound
    136.0
    """
    return Guarantee(
        quantity=MISTAKES,
        bound=_first_and_others(n_variables, n_literals, n_relevant),
        assumes={
            "realizable": (
                "every label is that of one disjunction of n_relevant or more conjunctions of "
                "n_literals literals each"
            ),
            "algorithm": "the learner predicts the disjunction of all terms not yet crossed out",
        },
        reference=_VALIANT,
    )


@theorem(realised=("n_relevant",))
def k_cnf(*, n_variables: int, n_literals: int, n_relevant: int = 0) -> Guarantee:
    """Bound the mistakes of crossing out clauses of k literals as those of terms, in `k_dnf`.

    Examples
    --------
    >>> k_cnf(n_variables=10, n_literals=2).bound
    136.0
    """
    return Guarantee(
        quantity=MISTAKES,
        bound=_first_and_others(n_variables, n_literals, n_relevant),
        assumes={
            "realizable": (
                "every label is that of one conjunction of n_relevant or more clauses of "
                "n_literals literals each"
            ),
            "algorithm": "the learner predicts the conjunction of all clauses not yet crossed out",
        },
        reference=_VALIANT,
    )


def _first_and_others(n_variables: int, n_literals: int, n_relevant: int) -> float:
    """Return 1 for the mistake that crosses out C(n, k) terms, and 1 for each irrelevant one left.

    An integer that no float equals is rounded to the nearest one and that one upwards.
    """
    n = _arguments.count("n_variables", n_variables, at_least=1)
    k = _arguments.count("n_literals", n_literals, at_least=1, at_most=min(n, _LONGEST))
    after_the_first = math.comb(n, k) * (2**k - 1)
    exact = (
        1 + after_the_first - _arguments.count("n_relevant", n_relevant, at_most=after_the_first)
    )
    bound = float(exact)
    return bound if bound >= exact else math.nextafter(bound, math.inf)
