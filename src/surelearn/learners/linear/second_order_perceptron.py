"""The second-order Perceptron: the Perceptron in coordinates whitened by its own mistakes.

    A = aI + Σ x·xᵀ,   v = Σ y·x   over the mistakes;   predict the sign of ⟨A⁻¹v, x⟩

Cesa-Bianchi, Conconi and Gentile (2005). Kept are v and a root R with RᵀR = A⁻¹, so that rounding
never makes A⁻¹ indefinite. With q = xᵀA⁻¹x a mistake does R ← R − Rx·(A⁻¹x)ᵀ / (1 + q + √(1 + q)),
which is the formula of Sherman and Morrison, A⁻¹ ← A⁻¹ − A⁻¹x·xᵀA⁻¹ / (1 + q).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import inner, jit, rows, tables
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import OnlineLinearClassifier
from surelearn.base.online.mistakes import Statement, best_multiple, run_and_risk_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee
from surelearn.bounds import mistakes_linear as theory
from surelearn.certificate import Certificate, by_construction, checked

_MOST_FEATURES = 2**14  # two gigabytes for the matrix of one problem
_SMALLEST_START = 1e-20  # with less, xᵀA⁻¹x may overflow for the longest rows the door lets in
_ROWS_AT_ONCE = 1024  # written out, at least
_ROUNDING = float(np.finfo(np.float64).eps)


@stored("second-order-perceptron-state")
class State(NamedTuple):
    """All that one two-class problem has learnt; in `root` and `total` the constant comes first.

    `leverages` sums xᵀA⁻¹x over the mistakes, A the matrix after the update; `radius` is the norm
    of the longest row.
    """

    coef: Vector
    bias: Vector
    root: Matrix
    total: Vector
    leverages: Vector
    radius: Vector


class Whitening(NamedTuple):
    """The root R and the sum v, and room for Rx and A⁻¹x; the constant term comes first."""

    root: Matrix
    total: Vector
    image: Vector
    direction: Vector


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    constant: float,
    coef: Vector,
    bias: Vector,
    whitening: Whitening,
    leverages: Vector,
    scores: Vector,
) -> None:
    """Score each row, then learn from it; all but the first three arguments change in place."""
    for t in range(rows.count(X)):
        scores[t] = rows.dot(X, t, coef) + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], whitening.total[1:])
            whitening.total[0] += signs[t] * constant
            q = _project(X, t, constant, whitening)
            _whiten(q, coef, bias, whitening)
            leverages[0] += q / (1.0 + q)


@jit
def _project(X: Rows, t: int, constant: float, whitening: Whitening) -> float:
    """Write Rx and A⁻¹x for row `t` and return q = xᵀA⁻¹x."""
    root, _, image, direction = whitening
    q = 0.0
    direction[:] = 0.0
    for i in range(len(root)):
        image[i] = rows.dot(X, t, root[i, 1:]) + constant * root[i, 0]
        q += image[i] * image[i]
        for j in range(len(root)):
            direction[j] += image[i] * root[i, j]
    return q


@inner
def _whiten(q: float, coef: Vector, bias: Vector, whitening: Whitening) -> None:
    """Add the projected row to A and let the weights be A⁻¹v = Rᵀ(Rv), in one sweep over R."""
    root, total, image, direction = whitening
    shrink = 1.0 / (1.0 + q + np.sqrt(1.0 + q))
    coef[:], bias[0] = 0.0, 0.0
    for i in range(len(root)):
        part = 0.0
        for j in range(len(root)):
            root[i, j] -= shrink * image[i] * direction[j]
            part += root[i, j] * total[j]
        bias[0] += part * root[i, 0]
        for j in range(len(coef)):
            coef[j] += part * root[i, j + 1]


@stored("second-order-record")
@holds(
    n_mistakes="count",
    n_rounds="count",
    hinge_loss="number",
    norm="number",
    sum_squared_scores="number",
    spectrum="finite[spectrum]",
)
@dataclass(frozen=True, eq=False)
class SecondOrderRecord:
    """What the run on one problem leaves behind: its mistakes, and a comparator's numbers.

    The comparator is a multiple of the final weights. Its hinge loss is summed over all rounds: on
    the mistakes alone the zero vector would do best and the bound say nothing. The squares of its
    scores are summed over the mistakes, as the theorem has them. `spectrum` holds the eigenvalues
    of Σ x·xᵀ over the mistakes that are not 0, rounded outward.
    """

    n_mistakes: int
    n_rounds: int
    hinge_loss: float
    norm: float
    sum_squared_scores: float
    spectrum: Vector


class SecondOrderPerceptron(OnlineLinearClassifier):
    """The Perceptron with rows whitened by the matrix of the rows it erred on.

    Correlated features and features of very different scale hurt it less than the Perceptron. It
    keeps a matrix with a row and a column per feature, for each two-class problem: for thousands of
    features, not for millions; more than 16,384 are refused.

    Parameters
    ----------
    a
        What the matrix starts with on its diagonal, 1e-20 or more; the larger, the nearer to the
        Perceptron.
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The weights A⁻¹v, a row per two-class problem, and their constant terms.
    root_, totals_
        For each problem the matrix R with RᵀR = A⁻¹ and the vector v; the constant term comes
        first.
    leverages_
        For each problem the sum of xᵀA⁻¹x over the mistakes, A the matrix after the update.
    regularization_
        The value of `a` when learning started.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, each an update, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    radius_
        The largest norm of a row seen, the constant feature included.
    compression_set_
        After `fit`: the training rows that ever changed the weights or are still wrong.

    Examples
    --------
    >>> X = [[-1.0, 100.0], [3.0, 120.0], [-2.0, 110.0], [1.0, 90.0]]
    >>> model = SecondOrderPerceptron().fit(X, ["no", "yes", "no", "yes"])
    >>> model.predict([[2.0, 100.0]]).tolist()
    ['yes']
    >>> [certificate.kind for certificate in model.certificates()]
    ['mistakes', 'mistakes', 'risk']
    """

    _record_kind = SecondOrderRecord

    def __init__(self, *, a: float = 1.0, fit_intercept: bool = True, max_iter: int = 10) -> None:
        self.a = a
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, hinge_loss: float, norm: float, sum_squared_scores: float) -> Guarantee:
        """Bound the mistakes of each two-class problem, given what one comparator achieves.

        Parameters
        ----------
        hinge_loss, sum_squared_scores
            The comparator's hinge losses and squared scores, summed over the mistakes.
        norm
            The comparator's norm, its constant term included.
        """
        check_is_fitted(self)
        most = max(state.leverages[0] for state in self.states_)
        return theory.second_order_perceptron(
            hinge_loss=hinge_loss,
            norm=norm,
            regularization=self.regularization_,
            sum_squared_scores=sum_squared_scores,
            sum_leverages=_outward(most, self.begun_.a, self.states_[0], self.n_mistakes_),
        )

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: the bound by the leverages of the rows erred on, then the one by
        their spectrum, both with the best multiple of the final weights. Then the risk of the model
        by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        return run_and_risk_certificates(self, delta)

    @property
    def root_(self) -> NDArray[np.float64]:
        """For each problem the matrix R with RᵀR = A⁻¹, the constant term first."""
        return np.array([state.root for state in self.states_])

    @property
    def totals_(self) -> Matrix:
        """For each problem the vector v, the constant term first."""
        return np.array([state.total for state in self.states_])

    @property
    def leverages_(self) -> Vector:
        """For each problem the sum of xᵀA⁻¹x over the mistakes, A the matrix after the update."""
        return np.array([state.leverages[0] for state in self.states_])

    @property
    def regularization_(self) -> float:
        """The value of `a` when learning started."""
        check_is_fitted(self)
        return float(self.begun_.a)

    def _statements(self, run: Run, state: State, record: SecondOrderRecord) -> Iterator[Statement]:
        """Yield what holds for the mistakes in one two-class problem."""
        known = {
            "hinge_loss": record.hinge_loss,
            "norm": record.norm,
            "regularization": float(self.a),
            "sum_squared_scores": record.sum_squared_scores,
        }
        n_mistakes = sum(other.n_mistakes for other in run.records or ())
        leverages = _outward(state.leverages[0], self.a, state, n_mistakes)
        evidence = {
            "start": by_construction("the code does exactly this"),
            "loss": checked("a multiple of the final weights, on all rounds"),
        }
        measured = {"measured": by_construction("those of the rows the run erred on")}
        by_leverages = theory.second_order_perceptron(**known, sum_leverages=leverages)
        yield Statement(by_leverages, record.n_mistakes, record.n_rounds, evidence)
        by_spectrum = theory.second_order_perceptron_log_det(**known, eigenvalues=record.spectrum)
        yield Statement(by_spectrum, record.n_mistakes, record.n_rounds, evidence | measured)

    def _check_parameters(self) -> None:
        if _arguments.positive("a", self.a) < _SMALLEST_START:
            raise ValueError(f"a={self.a!r} must be at least {_SMALLEST_START:g}; rescale the rows")

    def _start(self, n_features: int) -> State:
        if n_features > _MOST_FEATURES:
            raise ValueError(
                f"X has {n_features} features and this learner keeps a matrix with a row and a "
                f"column for each: at most {_MOST_FEATURES}; select some, or use Perceptron"
            )
        width = n_features + 1  # the constant term comes first
        root = np.eye(width) / math.sqrt(self.a)
        weights = np.zeros(n_features), np.zeros(1)
        return State(*weights, root, np.zeros(width), np.zeros(1), np.zeros(1))

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        coef, bias, root, total, leverages, radius = state
        constant, space = float(self.fit_intercept), np.empty((2, len(root)))
        whitening = Whitening(root, total, space[0], space[1])
        _learn_rows(X, signs, constant, coef, bias, whitening, leverages, scores)
        radius[0] = max(radius[0], math.hypot(constant, rows.largest_norm(X)))

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> SecondOrderRecord:
        """Find the multiple of the final weights with the best bound on the mistakes."""
        n_updates, n_passes, n_rounds = visits.n_updates, visits.n_passes, len(margins)
        length = math.hypot(
            *state.coef, state.bias[0]
        )  # tiny with a huge `a`: no square may vanish
        spread = float(np.linalg.norm(np.sqrt(n_updates) * margins))
        width = math.hypot(math.sqrt(self.a) * length, spread)
        slope = width * math.sqrt(state.leverages[0])

        def hinge_loss(scale: float, part: slice) -> float:
            mean = float(np.maximum(0.0, 1.0 - scale * margins[part]).mean())
            return mean * n_rounds * n_passes

        def bound(scale: float, part: slice) -> float:
            return hinge_loss(scale, part) + scale * slope

        scale = best_multiple(bound, margins)
        return SecondOrderRecord(
            n_mistakes=int(n_updates.sum()),
            n_rounds=n_rounds * n_passes,
            hinge_loss=hinge_loss(scale, slice(None)),
            norm=scale * length,
            sum_squared_scores=float(n_updates @ (scale * margins) ** 2),  # neither may overflow
            spectrum=self._spectrum(X, n_updates),
        )

    @classmethod
    def _old_state(cls, old: dict[str, Any], problem: int, begun: Any) -> State:
        return super()._old_state(old | {"total_": old["totals_"]}, problem, begun)

    def _spectrum(self, X: Any, n_updates: Indices) -> Vector:
        """Return the eigenvalues of Σ x·xᵀ over the mistakes, outward by the rounding of the SVD.

        From the rows, not from R: there the small ones would drown in `a`.
        """
        used, width = np.flatnonzero(n_updates), X.shape[1] + 1
        factor = np.empty((0, width))
        for part in gen_batches(len(used), max(width, _ROWS_AT_ONCE)):
            block = np.full((part.stop - part.start, width), float(self.fit_intercept))
            block[:, 1:] = tables.dense(X[used[part]])
            block *= np.sqrt(n_updates[used[part], np.newaxis])
            factor = np.linalg.qr(np.vstack([factor, block]), mode="r")
        sizes = np.linalg.svd(factor, compute_uv=False)
        return (sizes + _ROUNDING * (len(used) + width) * sizes.max()) ** 2


def _outward(sum_leverages: float, a: float, state: State, n_mistakes: int) -> float:
    """Add what the rounding of R may hide: the longer the rows in its units, the more."""
    length = state.radius[0] / math.sqrt(a)
    hidden = _ROUNDING * len(state.root) * length * min(1.0, length)
    return float(sum_leverages) + n_mistakes * min(1.0, hidden)
