"""k-CNF: start with all clauses of k literals, cross out those false in a positive row.

    predict 1 iff every clause not crossed out is true

Valiant (1984); mistake bound in `surelearn.bounds.mistakes_elimination`. A shorter clause is the
"and" of the clauses of k literals that contain it, so nothing is lost by clauses of exactly k.
"""

from surelearn._typing import Indices
from surelearn.bounds import Guarantee, mistakes_elimination
from surelearn.learners.concepts._term_elimination import TermElimination


class KCNF(TermElimination):
    """Learner of an "and" of "or"s of k literals each, by crossing out clauses.

    It errs at most 1 + C(n, k)(2^k - 1) times on rows of n bits. The positive class is the last
    one. A false alarm proves that the labels are not those of such a formula: it is counted in
    `n_false_positives_`, changes nothing, and the certificates of `fit` are then void and name such
    a row. Every "or" of k conjunctions is a k-CNF, so these are learnt as well.

    Parameters
    ----------
    n_literals
        The number k of literals of a clause, at most; more than 2^20 clauses are refused.

    Attributes
    ----------
    formulas_
        For each two-class problem the clauses left, as a formula that can be printed.
    terms_, crossed_
        The numbers of the clauses left; how often each was false in a row wrongly called negative.
    coef_, intercept_
        The rule as a linear one of the clauses false in a row: -1 for each left, and 1/2.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    n_false_positives_
        For each two-class problem the false alarms: none, if the labels are realisable.
    contradictions_
        After `fit`: for each two-class problem a negative row that every clause left allows, or -1.
    compression_set_
        After `fit`: the training rows that ever crossed something out or are wrong.

    Examples
    --------
    >>> model = KCNF(n_literals=2).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> print(model.formulas_[0])
    (x0 or x1) and (not x0 or not x1)
    >>> model.n_mistakes_, model.guarantee().bound
    (2, 4.0)
    """

    _form = "k-CNF formula"
    _part = "clause"
    _dual = True

    @property
    def n_false_positives_(self) -> Indices:
        """For each two-class problem the negative rows called positive."""
        return self.n_unexplained_

    def _theorem(self, n_variables: int, n_relevant: int) -> Guarantee:
        return mistakes_elimination.k_cnf(
            n_variables=n_variables, n_literals=self._size(n_variables), n_relevant=n_relevant
        )
