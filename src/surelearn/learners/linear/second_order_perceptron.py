"""The second-order Perceptron: the Perceptron in coordinates whitened by its own mistakes.

    A = aI + Σ x·xᵀ,   v = Σ y·x   over the mistakes;   predict the sign of ⟨A⁻¹v, x⟩

Cesa-Bianchi, Conconi and Gentile (2005). Kept are v and a root R with RᵀR = A⁻¹, so that rounding
never makes A⁻¹ indefinite. With q = xᵀA⁻¹x a mistake does R ← R − Rx·(A⁻¹x)ᵀ / (1 + q + √(1 + q)),
which is the formula of Sherman and Morrison, A⁻¹ ← A⁻¹ − A⁻¹x·xᵀA⁻¹ / (1 + q).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows, tables
from surelearn._jit.rows import Rows
from surelearn._stored import stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import OnlineLinearClassifier, compression_certificate
from surelearn.base.online.mistakes import best_multiple, certify_run
from surelearn.bounds import Guarantee
from surelearn.bounds import mistakes_linear as theory
from surelearn.certificate import Certificate, Status

_MOST_FEATURES = 2**14  # two gigabytes for the matrix of one problem
_SMALLEST_START = 1e-20  # with less, xᵀA⁻¹x may overflow for the longest rows the door lets in
_ROWS_AT_ONCE = 1024  # written out, at least
_ROUNDING = float(np.finfo(np.float64).eps)


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


@jit
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
        return theory.second_order_perceptron(
            hinge_loss=hinge_loss,
            norm=norm,
            regularization=self.regularization_,
            sum_squared_scores=sum_squared_scores,
            sum_leverages=self._outward(self.leverages_.max()),
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
        check_is_fitted(self)
        if not hasattr(self, "records_"):
            return ()
        sure = [c for k, record in enumerate(self.records_) for c in self._of_run(k, record)]
        return (*sure, compression_certificate(self, delta=delta))

    def _of_run(self, problem: int, record: SecondOrderRecord) -> list[Certificate]:
        """Return the certificates on the number of mistakes in one two-class problem."""
        known = {
            "hinge_loss": record.hinge_loss,
            "norm": record.norm,
            "regularization": self.regularization_,
            "sum_squared_scores": record.sum_squared_scores,
        }
        start: tuple[Status, str] = ("by-construction", "the code does exactly this")
        found: tuple[Status, str] = ("checked", "a multiple of the final weights, on all rounds")
        read: tuple[Status, str] = ("by-construction", "those of the rows the run erred on")
        return [
            certify_run(
                self,
                problem,
                guarantee,
                observed=record.n_mistakes,
                n_rounds=record.n_rounds,
                statuses=[start, found, read][: len(guarantee.assumes)],
            )
            for guarantee in (
                theory.second_order_perceptron(
                    **known, sum_leverages=self._outward(self.leverages_[problem])
                ),
                theory.second_order_perceptron_log_det(**known, eigenvalues=record.spectrum),
            )
        ]

    def _outward(self, sum_leverages: float) -> float:
        """Add what the rounding of R may hide: the longer the rows in its units, the more."""
        length = self.radius_ / math.sqrt(self.regularization_)
        hidden = _ROUNDING * self.root_.shape[1] * length * min(1.0, length)
        return float(sum_leverages) + self.n_mistakes_ * min(1.0, hidden)

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, Any, dict[str, Any]]:
        if _arguments.positive("a", self.a) < _SMALLEST_START:
            raise ValueError(f"a={self.a!r} must be at least {_SMALLEST_START:g}; rescale the rows")
        X, labels, seen = super()._check_first_rows(X, y)
        if X.shape[1] > _MOST_FEATURES:
            raise ValueError(
                f"X has {X.shape[1]} features and this learner keeps a matrix with a row and a "
                f"column for each: at most {_MOST_FEATURES}; select some, or use Perceptron"
            )
        return X, labels, seen

    def _start(self, n_features: int, n_problems: int) -> None:
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.root_ = np.tile(np.eye(n_features + 1) / math.sqrt(self.a), (n_problems, 1, 1))
        self.totals_ = np.zeros((n_problems, n_features + 1))
        self.leverages_, self.radius_ = np.zeros(n_problems), 0.0
        self.regularization_ = float(self.a)

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        constant = float(self._begun_as.fit_intercept)
        bias = self.intercept_[problem : problem + 1]
        leverages, root = self.leverages_[problem : problem + 1], self.root_[problem]
        image, direction = np.empty(len(root)), np.empty(len(root))
        whitening = Whitening(root, self.totals_[problem], image, direction)
        coef = self.coef_[problem]
        _learn_rows(X, signs, constant, coef, bias, whitening, leverages, scores)
        self.radius_ = max(self.radius_, math.hypot(constant, rows.largest_norm(X)))

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        super()._record_run(X, index, counts)
        final = self._final_scores(X)
        self.records_ = tuple(
            self._summary(X, problem, self._signs(index, problem) * final[:, problem], *count)
            for problem, count in enumerate(counts)
        )

    def _summary(
        self, X: Any, problem: int, margins: Vector, n_updates: Indices, n_passes: int
    ) -> SecondOrderRecord:
        """Find the multiple of the final weights with the best bound on the mistakes."""
        weights, n_rounds = np.append(self.coef_[problem], self.intercept_[problem]), len(margins)
        length = math.hypot(*weights)  # tiny with a huge `a`, and no square of it may vanish
        spread = float(np.linalg.norm(np.sqrt(n_updates) * margins))
        width = math.hypot(math.sqrt(self.regularization_) * length, spread)
        slope = width * math.sqrt(self.leverages_[problem])

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
