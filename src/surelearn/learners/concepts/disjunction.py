"""Disjunctions: start with all variables and their negations, cross out those refuted.

    predict 1 iff a literal not crossed out is true

Valiant (1984); the bound n + 1 is in `surelearn.bounds.mistakes_boolean`. A row makes exactly n of
the 2n literals true, so the first mistake crosses out n of them.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_boolean
from surelearn.learners.concepts._elimination import EliminationLearner


class Disjunction(EliminationLearner):
    """Learner of an "or" of variables and negated variables that errs at most n + 1 times.

    Rows are n bits; the positive class is the last one. A missed positive proves that the labels
    are not those of a disjunction: it is counted in `n_false_negatives_`, changes nothing, and the
    certificates of `fit` are then void and name such a row.

    Attributes
    ----------
    literals_
        For each two-class problem the literals that are left; n + j is the negation of variable j.
    crossed_
        How often each literal was true in a row that was wrongly called positive.
    coef_, intercept_
        The same rule as a linear one: positive iff ⟨coef, x⟩ + intercept > 0.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_negatives_
        For each two-class problem the positive rows missed: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a positive row that no literal left makes positive,
        or -1 if there is none and the labels are those of a disjunction.
    formulas_
        For each two-class problem what is left as a formula, which can be printed.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = Disjunction().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 1, 1])
    >>> model.literals_[0].tolist(), model.n_mistakes_
    ([0, 3], 1)
    >>> model.guarantee().bound
    3.0
    """

    _form = "disjunction"
    _negations = True

    @property
    def n_false_negatives_(self) -> Indices:
        """For each two-class problem the positive rows missed."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_boolean.disjunction(n_variables=n_variables, n_relevant=n_relevant)
