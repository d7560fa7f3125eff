"""Alternating least squares: complete a matrix by two thin factors, each solved for in turn.

    min ½ Σ_known (x_ij − ⟨a_i, b_j⟩)² + ½ λ (‖A‖² + ‖B‖²),   A of m × k, B of n × k

With B fixed the rows of A are k-dimensional least-squares problems of their own, and the other way
round. So the price never rises. It is not convex: where it ends may depend on the start.
Koren, Bell and Volinsky (2009); Hastie, Mazumder, Lee and Zadeh (2015).
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import Matrix, Vector
from surelearn.base.fitting import at_one_moment, check_iterations, warn
from surelearn.learners.decompositions._completion import Completer, KnownEntries
from surelearn.learners.decompositions._low_rank import LowRank

_NEGLIGIBLE = 1e-9  # a singular value, as a share of the largest, that the price has removed


@holds(
    changes_="float[changes]",
    objectives_="float[changes]",
)
@at_one_moment
class AlternatingLeastSquares(Completer):
    """Complete a matrix by a product of two thin ones, solved for in turn.

    Where other matrices of this rank have the same known entries, a warning says so, and
    `determined_` tells which entries could be different.

    Parameters
    ----------
    rank
        The number k of columns of the factors.
    regularization
        The price λ of the squared factors. With λ > 0 and enough columns the least price is that of
        `SoftImpute` with the same λ; the rank is then what the price has left of k.
    tolerance
        Stop when a sweep moves the completion by less than this share of its norm.
    max_iter
        The most sweeps; a warning says if they were not enough.
    random_state
        Of the factor that the first sweep starts from.

    Attributes
    ----------
    low_rank_
        The completion: left vectors, singular values, right vectors.
    objectives_
        The price after each sweep; it never rises.
    changes_, n_iter_, converged_
        The relative change of each sweep, their number, and whether the last was small enough.
    residual_
        The root mean squared difference to the known entries.
    determined_
        For each entry whether the known ones determine it: no small change of the completion within
        its rank keeps them all and changes this one. Exact for rank one, else up to first order.

    Examples
    --------
    >>> nan = np.nan
    >>> X = [[1.0, nan, nan], [nan, 2, nan], [nan, 6, 9], [nan, nan, 3], [4, 4, nan]]
    >>> AlternatingLeastSquares(rank=1).fit(X).completed().round(6).tolist()[1:3]
    [[2.0, 2.0, 3.0], [6.0, 6.0, 9.0]]
    """

    def __init__(
        self,
        *,
        rank: int = 1,
        regularization: float = 0.0,
        tolerance: float = 1e-10,
        max_iter: int = 5000,
        random_state: int | None = 0,
    ) -> None:
        self.rank = rank
        self.regularization = regularization
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def _complete(self, known: KnownEntries) -> LowRank:
        check_iterations(self)
        _arguments.at_least_one("rank", self.rank)
        _arguments.non_negative("regularization", self.regularization)
        if self.rank > min(known.shape):
            raise ValueError(
                f"rank={self.rank} is more than a matrix of shape {known.shape} can have; choose "
                f"at most {min(known.shape)}"
            )
        scale = float(np.abs(known.values).max()) or 1.0  # squares of huge entries overflow
        table = known.table / scale
        price = self.regularization / scale
        found, changes, prices = self._sweep(table, price)
        found = LowRank(found.left, found.values * scale, found.right)
        known.fill(found)
        self._report(changes, scale**2 * np.array(prices), known)
        return found

    def _sweep(self, table: Any, price: float) -> tuple[LowRank, list[float], list[float]]:
        """Solve for each factor in turn until the completion rests."""
        sides = _Side(table, price), _Side(table.T.tocsr(), price)
        seed = check_random_state(self.random_state)
        columns = np.linalg.qr(seed.standard_normal((table.shape[1], self.rank)))[0]
        found = LowRank.of_product(sides[0].solve(columns), columns)
        changes, prices = list[float](), list[float]()
        while not changes or (changes[-1] > self.tolerance and len(changes) < self.max_iter):
            # Both factors get the root of each singular value, the cheapest way to divide them; if
            # nothing is to pay, the vectors themselves keep small values from being lost.
            share = np.sqrt(found.values) if price > 0.0 else 1.0
            columns = sides[1].solve(found.left * share)
            simpler = LowRank.of_product(sides[0].solve(columns), columns)
            tiny = np.finfo(np.float64).tiny
            changes.append(simpler.distance(found) / max(simpler.norm, tiny))
            prices.append(sides[0].misfit(simpler) + price * float(simpler.values.sum()))
            found = simpler
        if price > 0.0:
            kept = int(np.count_nonzero(found.values > _NEGLIGIBLE * found.values.max()))
            found = LowRank(found.left[:, :kept], found.values[:kept], found.right[:, :kept])
        return found, changes, prices

    def _report(self, changes: list[float], prices: Vector, known: KnownEntries) -> None:
        self.changes_, self.n_iter_, self.objectives_ = np.array(changes), len(changes), prices
        self.converged_ = changes[-1] <= self.tolerance
        self.residual_ = float(np.sqrt(np.mean(known.rest.data**2)))
        if not self.converged_:
            warn(
                f"the completion still moved by {changes[-1]:.1e} of its norm in the last of "
                f"{self.n_iter_} sweeps; raise max_iter or tolerance, or lower rank",
                ConvergenceWarning,
            )


class _Side:
    """The rows of a table of known entries, each a small least-squares problem."""

    def __init__(self, table: Any, price: float) -> None:
        self.table = table
        self.price = price
        make: Any = sparse.csr_array
        ones = np.ones(len(table.data))
        self._known = make((ones, table.indices, table.indptr), shape=table.shape)

    def solve(self, columns: Matrix) -> Matrix:
        """Return for each row the coefficients of the columns that fit its known entries best."""
        k = columns.shape[1]
        outer = (columns[:, :, np.newaxis] * columns[:, np.newaxis, :]).reshape(-1, k * k)
        squares = (self._known @ outer).reshape(-1, k, k)
        aims = (self.table @ columns)[:, :, np.newaxis]
        if self.price > 0.0:
            return np.linalg.solve(squares + self.price * np.eye(k), aims)[:, :, 0]
        return (np.linalg.pinv(squares, hermitian=True, rcond=1e-12) @ aims)[:, :, 0]

    def misfit(self, found: LowRank) -> float:
        """Return half the squared difference to the known entries."""
        known = KnownEntries(self.table)
        known.fill(found)
        return 0.5 * float(known.rest.data @ known.rest.data)
