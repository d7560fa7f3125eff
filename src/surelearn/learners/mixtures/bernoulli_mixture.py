"""Mixtures of Bernoullis: classes of rows of bits, in each of which the bits are independent.

    r_ik ∝ w_k Π_j p_kj^x_ij (1 − p_kj)^(1 − x_ij)
    w_k = Σ_i r_ik / n,   p_kj = Σ_i r_ik x_ij / Σ_i r_ik

Also known as latent class analysis: Lazarsfeld and Henry (1968).
"""

from typing import NamedTuple

import numpy as np
from numpy.random import RandomState
from sklearn.utils import gen_batches

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import at_one_moment
from surelearn.learners.mixtures._mixture import Mixture
from surelearn.learners.mixtures._model import CHUNK, Chunk, MixtureModel, refuse_misfits


class Bernoullis(NamedTuple):
    """The parameters: K weights, and for each component the probability of a 1 in each place."""

    weights: Vector
    probabilities: Matrix


class Bits(NamedTuple):
    """Rows of bits, 0 where one is missing, and where they are known; None: everywhere."""

    ones: Matrix
    known: Matrix | None


class BernoulliModel(MixtureModel):
    """A mixture of Bernoullis whose probabilities keep away from 0 and 1.

    Its statistics have a line for each component: its share of the rows, then of the known bits in
    each place, then of the ones.
    """

    def __init__(self, floor: float) -> None:
        self.floor = floor

    def chunks(self, X: Matrix, weights: Vector) -> list[Chunk]:
        """Cut the rows."""
        parts = gen_batches(X.shape[0], CHUNK)
        return [Chunk(rows, _bits(X[rows]), weights[rows]) for rows in parts]

    def log_joint(self, parameters: Bernoullis, chunk: Chunk) -> Matrix:
        """Add the logarithms of the probabilities of the bits that are known."""
        weights, p = parameters
        ones, known = chunk.data
        if_zero = np.log1p(-p)
        zeros = if_zero.sum(axis=1) if known is None else known @ if_zero.T
        with np.errstate(divide="ignore"):  # a component of weight 0 gets no row
            logs = ones @ (np.log(p) - if_zero).T + zeros + np.log(weights)
        return np.ascontiguousarray(logs.T)

    def statistics(
        self,
        parameters: Bernoullis,  # noqa: ARG002 - a missing bit is not filled in, but left out
        chunk: Chunk,
        shares: Matrix,
    ) -> Matrix:
        """Count rows, known bits and ones."""
        ones, known = chunk.data
        totals = shares.sum(axis=1)
        known_bits = np.repeat(totals[:, np.newaxis], ones.shape[1], axis=1)
        if known is not None:
            known_bits = shares @ known
        return np.column_stack([totals, known_bits, shares @ ones])

    def m_step(self, statistics: Matrix) -> Bernoullis:
        """Divide the ones by the bits that are known; where none is, either is as likely."""
        totals, known, ones = np.split(statistics, [1, 1 + statistics.shape[1] // 2], axis=1)
        p = np.divide(ones, known, out=np.full_like(ones, 0.5), where=known > 0.0)
        return Bernoullis(totals[:, 0] / totals.sum(), np.clip(p, self.floor, 1.0 - self.floor))

    def seed(self, centres: Matrix, X: Matrix) -> Bernoullis:  # noqa: ARG002 - nothing to fill in
        """Put the components on the centres."""
        return Bernoullis(np.full(len(centres), 1.0 / len(centres)), centres)


@at_one_moment
@holds(
    probabilities_="finite[components, features]",
    record_="finite[components, sums]",
)
class BernoulliMixture(Mixture):
    """A mixture for rows of 0 and 1: hidden classes, each with its own probability of every bit.

    Parameters
    ----------
    n_components
        The number of hidden classes.
    probability_floor
        No probability of a 1 is smaller, nor that of a 0: a row never seen remains possible.
    n_init
        How many times to begin, each time from k-means with new k-means++ seeds; the run that ends
        at the largest likelihood is kept.
    start
        Weights and probabilities to begin with instead, in the shapes of the attributes.
    tol
        Stop when the log-likelihood L gains no more than tol·max(w, |L|) in an iteration, w the
        mean weight of a row: 1 if no weights are given.
    max_iter
        The largest number of iterations from one start.
    random_state
        Where the seeds of k-means and `sample` get their random numbers.

    Attributes
    ----------
    weights_
        The share of each class.
    probabilities_
        The probability of a 1 in each place, a line for each class.
    log_likelihoods_
        The log-likelihood of the start and after each iteration of the best run; it never falls.
    n_iter_, converged_
        The iterations of the best run, and whether it stopped by itself.
    record_
        The summed statistics of all rows, to which `partial_fit` adds.

    Examples
    --------
    >>> X = [[1, 1, 0], [1, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 1], [0, float("nan"), 1]]
    >>> model = BernoulliMixture(n_components=2, random_state=0).fit(X)
    >>> labels = model.predict(X)
    >>> len(set(labels[:3])), len(set(labels[3:])), bool(labels[0] != labels[5])
    (1, 1, True)
    """

    _features = "bits"

    def __init__(
        self,
        *,
        n_components: int = 1,
        probability_floor: float = 1e-6,
        n_init: int = 1,
        start: tuple[ArrayLike, ArrayLike] | None = None,
        tol: float = 1e-6,
        max_iter: int = 200,
        random_state: int | RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.probability_floor = probability_floor
        self.n_init = n_init
        self.start = start
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _admit(self, X: Matrix) -> Matrix:
        validation.bits(np.nan_to_num(X))
        return X

    def _model(self) -> BernoulliModel:
        if not 0.0 < self.probability_floor < 0.5:
            raise ValueError(
                f"probability_floor={self.probability_floor!r} must lie between 0 and 1/2"
            )
        return BernoulliModel(self.probability_floor)

    def _given(self) -> Bernoullis:
        weights, probabilities = self._start_parts("weights", "probabilities")
        self._check_start(weights, probabilities, "probabilities")
        if not ((probabilities > 0.0) & (probabilities < 1.0)).all():
            raise ValueError("the probabilities of start must lie between 0 and 1, and not on them")
        return Bernoullis(weights, probabilities)

    def _store(self, parameters: Bernoullis) -> None:
        self.weights_, self.probabilities_ = parameters

    def _parameters(self) -> Bernoullis:
        refuse_misfits(self.weights_, self.probabilities_, self.n_features_in_)
        return Bernoullis(self.weights_, self.probabilities_)

    def _n_parameters(self) -> int:
        return len(self.weights_) - 1 + self.probabilities_.size

    def _draw(self, components: Indices, rng: RandomState) -> Matrix:
        chances = self.probabilities_[components]
        return (rng.random_sample(chances.shape) < chances).astype(np.float64)

    def _check_state(self) -> None:
        super()._check_state()
        if not ((self.probabilities_ > 0.0) & (self.probabilities_ < 1.0)).all():
            raise ValueError("its probabilities must lie between 0 and 1, and not on them")
        if self.record_.shape[1] != 1 + 2 * self.n_features_in_:
            raise ValueError("its sums are not those of its features")
        self._model()


def _bits(X: Matrix) -> Bits:
    """Return the bits of some rows."""
    missing = np.isnan(X)
    if not missing.any():
        return Bits(X, None)
    return Bits(np.nan_to_num(X), (~missing).astype(np.float64))
