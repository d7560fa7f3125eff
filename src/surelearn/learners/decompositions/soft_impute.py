"""Soft-impute: complete a matrix at the least price of misfit and nuclear norm.

    Z = argmin ½ Σ_known (x_ij − z_ij)² + λ Σ s_i(Z)

Fill in, shrink every singular value by λ, fill in again. The problem is convex: every start leads
to the least price, and a duality gap says how near it is. Several completions may have that price:
they agree on the known entries and may differ elsewhere. Mazumder, Hastie and Tibshirani (2010).
"""

from typing import Any

import numpy as np
from scipy.sparse.linalg import svds
from sklearn.exceptions import ConvergenceWarning

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import Vector
from surelearn.base.fitting import at_one_moment, check_iterations, warn
from surelearn.learners.decompositions._completion import Completer, KnownEntries
from surelearn.learners.decompositions._freedom import Freedom, freedom_of_price
from surelearn.learners.decompositions._low_rank import LowRank

_NEAR = 0.01  # a singular value of the misfit so near to the price, as a share of it, may be it
_LOOK_EVERY = 10  # passes from one look at the duality gap, which costs as much as one, to the next


@at_one_moment
@holds(
    objectives_="float[objectives]",
    objective_="number",
    duality_gap_="number",
)
class SoftImpute(Completer):
    """Complete a matrix by the least misfit plus λ times the sum of the singular values.

    Parameters
    ----------
    regularization
        The price λ of the nuclear norm; more of it means lower rank.
    max_rank
        The highest rank allowed; as many as the matrix can have if left out. A lower one makes
        passes cheaper and is said if it binds, since the optimum may then be missed.
    tolerance
        Stop when the duality gap is at most this share of the objective of an empty completion.
    max_iter
        The most passes; a warning says if they were not enough.
    random_state
        Of the vectors that a large matrix is first multiplied with.

    Attributes
    ----------
    low_rank_
        The completion: left vectors, singular values, right vectors.
    objective_, duality_gap_
        The price of the completion, and by how much it may at most be undercut.
    objectives_
        The price before each pass and at the end; it never rises.
    n_iter_, converged_
        The number of passes, and whether the gap is small enough.
    residual_
        The root mean squared difference to the known entries.
    determined_
        For each entry whether all completions of the least price agree on it, as far as could be
        shown; if some may not, a warning says so. Nothing is shown unless `converged_`.

    Examples
    --------
    >>> X = [[4.0, np.nan], [2.0, 1.0]]
    >>> model = SoftImpute(regularization=0.01).fit(X)
    >>> model.converged_, round(model.completed()[0, 1], 1)
    (True, np.float64(2.0))
    """

    _shortest_is_best = True

    def __init__(
        self,
        *,
        regularization: float = 1.0,
        max_rank: int | None = None,
        tolerance: float = 1e-6,
        max_iter: int = 5000,
        random_state: int | None = 0,
    ) -> None:
        self.regularization = regularization
        self.max_rank = max_rank
        self.tolerance = tolerance
        self.max_iter = max_iter
        self.random_state = random_state

    def _complete(self, known: KnownEntries) -> LowRank:
        check_iterations(self)
        price = self.regularization
        if not (price > 0.0 and np.isfinite(price)):
            raise ValueError(f"regularization={price!r} must be a positive number")
        most = self._most(min(known.shape))
        empty = 0.5 * float(known.values @ known.values)
        guess, width, prices, gap = known.start("zeros"), min(2, most), list[float](), np.inf
        known.fill(guess)
        while True:
            prices.append(_price(known, guess, price))
            last = len(prices) > self.max_iter
            if last or len(prices) % _LOOK_EVERY == 1:
                gap = prices[-1] - _dual(known, price)
                if last or gap <= self.tolerance * empty:
                    break
            guess, width = self._shrink(known, width, most)
            known.fill(guess)
        self._report(known, prices, gap, enough=self.tolerance * empty)
        self._warn(binding=len(guess.values) >= most < min(known.shape))
        return guess

    def _find_freedom(self, known: KnownEntries) -> Freedom:
        if not self.converged_:
            nothing = np.zeros((0, 2), dtype=np.int64)
            return Freedom(np.ones((known.shape[0], 1)), np.ones((known.shape[1], 1)), nothing)
        found = known.decompose_rest(
            len(self.low_rank_.values), (1.0 - _NEAR) * self.regularization
        )
        return freedom_of_price(known.table, found.left, found.right)

    def _open(self) -> str:
        return "other completions may have the same price" if self.converged_ else ""

    def _shrink(self, known: KnownEntries, width: int, most: int) -> tuple[LowRank, int]:
        """Return the filled matrix with every singular value less λ; look for as many as matter."""
        while True:
            found = known.decompose(width, self.random_state)
            kept = int(np.count_nonzero(found.values > self.regularization))
            if kept < width or width >= most:
                values = found.values[:kept] - self.regularization
                return LowRank(found.left[:, :kept], values, found.right[:, :kept]), min(
                    max(kept + 1, 2), most
                )
            width = min(2 * width, most)

    def _most(self, side: int) -> int:
        if self.max_rank is None:
            return side
        _arguments.at_least_one("max_rank", self.max_rank)
        return min(self.max_rank, side)

    def _report(
        self, known: KnownEntries, prices: list[float], gap: float, *, enough: float
    ) -> None:
        self.objectives_: Vector = np.array(prices)
        self.n_iter_ = max(1, len(prices) - 1)
        self.objective_, self.duality_gap_ = prices[-1], float(max(0.0, gap))
        self.converged_ = bool(gap <= enough)
        self.residual_ = float(np.sqrt(np.mean(known.rest.data**2)))

    def _warn(self, *, binding: bool) -> None:
        if not self.converged_:
            cause = "max_rank binds" if binding else "the passes were not enough"
            warn(
                f"the completion may be undercut by {self.duality_gap_:.1e} after {self.n_iter_} "
                f"passes: {cause}; raise max_rank, max_iter or tolerance",
                ConvergenceWarning,
            )


def _price(known: KnownEntries, guess: LowRank, price: float) -> float:
    misfit: Any = known.rest.data
    return 0.5 * float(misfit @ misfit) + price * float(guess.values.sum())


def _dual(known: KnownEntries, price: float) -> float:
    """Return a lower bound on the optimum: the dual at the misfit, scaled to spectral norm λ.

    Z has price ≥ ⟨Y, X⟩ − ½‖Y‖² for every Y on the known places of spectral norm at most λ.
    """
    rest = known.rest
    solve: Any = svds
    if min(rest.shape) == 1 or not rest.data.any():
        largest = float(np.linalg.norm(rest.data))
    else:
        start = np.random.default_rng(0).normal(size=min(rest.shape))  # never in a null space
        largest = float(solve(rest, k=1, return_singular_vectors=False, v0=start)[0])
    scale = min(1.0, price / largest) if largest > 0.0 else 1.0
    candidate = scale * (1.0 - 1e-9) * rest.data  # the norm was found up to rounding
    return float(candidate @ known.values) - 0.5 * float(candidate @ candidate)
