"""k-DNF: start with all conjunctions of k literals, cross out those true in a negative row.

    predict 1 iff a term not crossed out is true

Valiant (1984); mistake bound in `surelearn.bounds.mistakes_elimination`. A shorter term is the "or"
of the terms of k literals that contain it, so nothing is lost by terms of exactly k.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_elimination
from surelearn.learners.concepts._term_elimination import TermElimination


class KDNF(TermElimination):
    """Learner of an "or" of "and"s of k literals each, by crossing out terms.

    It errs at most 1 + C(n, k)(2^k - 1) times on rows of n bits. The positive class is the last
    one. A missed positive proves that the labels are not those of such a formula: it is counted in
    `n_false_negatives_`, changes nothing, and the certificates of `fit` are then void and name such
    a row.

    Parameters
    ----------
    n_literals
        The number k of literals of a term, at most; more than 2^20 terms are refused.

    Attributes
    ----------
    formulas_
        For each two-class problem the terms left, as a formula that can be printed.
    terms_, crossed_
        The numbers of the terms left; how often each was true in a row wrongly called positive.
    coef_, intercept_
        The rule as a linear one of the terms true in a row: 1 for each left, and -1/2.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_negatives_
        For each two-class problem the positive rows missed: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a positive row that no term left explains, or -1.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = KDNF(n_literals=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> print(model.formulas_[0])
    (not x0 and x1) or (x0 and not x1)
    >>> model.n_mistakes_, model.guarantee().bound
    (2, 4.0)
    """

    _form = "k-DNF formula"

    @property
    def n_false_negatives_(self) -> Indices:
        """For each two-class problem the positive rows missed."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_elimination.k_dnf(
            n_variables=n_variables, n_literals=self._size(n_variables), n_relevant=n_relevant
        )
