"""Monotone disjunctions: start with all variables, cross out those on in a negative row.

    predict 1 iff a variable not crossed out is on

Valiant (1984); mistake bound in `surelearn.bounds.mistakes_boolean`.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_boolean
from surelearn.learners.concepts._elimination import EliminationLearner


class MonotoneDisjunction(EliminationLearner):
    """Learner of an "or" of variables that errs at most as often as it has variables to cross out.

    Rows are bits; the positive class is the last one. A missed positive proves that the labels are
    not those of a monotone disjunction: it is counted in `n_false_negatives_`, changes nothing,
    and the certificates of `fit` are then void and name such a row.

    Attributes
    ----------
    literals_
        For each two-class problem the variables that are left.
    crossed_
        How often each variable was on in a row that was wrongly called positive.
    coef_, intercept_
        The same rule as a linear one: a variable left has weight 1, the intercept is -1/2.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_negatives_
        For each two-class problem the positive rows missed: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a positive row that no variable left makes positive,
        or -1 if there is none and the labels are those of a monotone disjunction.
    formulas_
        For each two-class problem what is left as a formula, which can be printed.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = MonotoneDisjunction().fit([[1, 0, 0], [0, 1, 0], [0, 1, 1]], [1, 0, 1])
    >>> model.literals_[0].tolist(), model.n_mistakes_
    ([0, 2], 1)
    >>> print(model.certificates()[0].claim)
    With certainty, the number of mistakes is at most 1.
    """

    _form = "disjunction"
    _negations = False

    @property
    def n_false_negatives_(self) -> Indices:
        """For each two-class problem the positive rows missed."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_boolean.monotone_disjunction(n_variables=n_variables, n_relevant=n_relevant)
