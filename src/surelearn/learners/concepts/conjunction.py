"""Conjunctions: start with all variables and their negations, cross out those refuted.

    predict 1 iff every literal not crossed out is true

Valiant (1984); the bound n + 1 is in `surelearn.bounds.mistakes_elimination`. A row makes exactly n
of the 2n literals false, so the first mistake crosses out n of them.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_elimination
from surelearn.learners.concepts._elimination import EliminationLearner


class Conjunction(EliminationLearner):
    """Learner of an "and" of variables and negated variables that errs at most n + 1 times.

    Rows are n bits; the positive class is the last one. Only a missed positive teaches: what was
    false there cannot be demanded. A false alarm proves that the labels are not those of a
    conjunction: it is counted in `n_false_positives_`, changes nothing, and the certificates of
    `fit` are then void and name such a row.

    Attributes
    ----------
    literals_
        For each two-class problem the literals that are left; n + j is the negation of variable j.
    crossed_
        How often each literal was false in a row that was wrongly called negative.
    coef_, intercept_
        The same rule as a linear one: positive iff ⟨coef, x⟩ + intercept > 0.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_positives_
        For each two-class problem the false alarms: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a negative row in which all literals left are true,
        or -1 if there is none and the labels are those of a conjunction.
    formulas_
        For each two-class problem what is left as a formula, which can be printed.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = Conjunction().fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 0])
    >>> print(model.formulas_[0])
    x0 and not x1
    >>> model.n_mistakes_, model.guarantee().bound
    (1, 3.0)
    """

    _form = "conjunction"
    _dual = True
    _negations = True

    @property
    def n_false_positives_(self) -> Indices:
        """For each two-class problem the negative rows called positive."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_elimination.conjunction(n_variables=n_variables, n_relevant=n_relevant)
