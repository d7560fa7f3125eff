"""Monotone conjunctions: start with all variables, cross out those off in a positive row.

    predict 1 iff every variable not crossed out is on

Valiant (1984); mistake bound in `surelearn.bounds.mistakes_elimination`.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_elimination
from surelearn.learners.concepts._elimination import EliminationLearner


class MonotoneConjunction(EliminationLearner):
    """Learner of an "and" of variables that errs at most as often as it has some to cross out.

    Rows are bits; the positive class is the last one. Only a missed positive teaches: what was off
    there cannot be demanded. A false alarm proves that the labels are not those of a monotone
    conjunction: it is counted in `n_false_positives_`, changes nothing, and the certificates of
    `fit` are then void and name such a row.

    Attributes
    ----------
    literals_
        For each two-class problem the variables that are left.
    crossed_
        How often each variable was off in a row that was wrongly called negative.
    coef_, intercept_
        The same rule as a linear one: a variable left has weight 1, the intercept is 1/2 less the
        number of them.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_positives_
        For each two-class problem the false alarms: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a negative row in which all variables left are on,
        or -1 if there is none and the labels are those of a monotone conjunction.
    formulas_
        For each two-class problem what is left as a formula, which can be printed.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = MonotoneConjunction().fit([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [1, 0, 1])
    >>> print(model.formulas_[0])
    x0 and x1
    >>> print(model.certificates()[0].claim)
    With certainty, the number of mistakes is at most 1.
    """

    _form = "conjunction"
    _part = "variable"
    _dual = True
    _negations = False

    @property
    def n_false_positives_(self) -> Indices:
        """For each two-class problem the negative rows called positive."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_elimination.monotone_conjunction(
            n_variables=n_variables, n_relevant=n_relevant
        )
