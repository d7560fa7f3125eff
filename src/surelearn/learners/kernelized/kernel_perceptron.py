"""The kernel Perceptron: remember every example it gets wrong, and how often.

    f ← f + y·K(x, ·)   whenever   y·f(x) ≤ 0

The dual form of the Perceptron: f = Σ c_s K(x_s, ·) with whole numbers c_s, and with the linear
kernel Σ c_s x_s are the Perceptron's weights. Aizerman, Braverman and Rozonoer (1964).
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import jit, tables
from surelearn._jit.rows import Rows
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import (
    MistakeRecord,
    OnlineLinearClassifier,
    compression_certificate,
    validation,
)
from surelearn.base.online.mistakes import certify_run, of_all_problems
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate, Status
from surelearn.kernels import Kernel, Linear

_BLOCK = 256  # rows whose kernel values with each other fit a second-level cache
_VALUES_AT_ONCE = 2**22  # kernel values held at once when rows are scored


@jit
def _learn_rows(
    gram: Matrix, signs: Vector, current: Vector, updates: Mask, scores: Vector
) -> None:
    """Score each row, then learn from it; `current` holds the scores of all as they change."""
    for t in range(len(signs)):
        scores[t] = current[t]
        updates[t] = signs[t] * scores[t] <= 0.0  # a tie counts, or f = 0 would never move
        if updates[t]:
            for s in range(len(signs)):
                current[s] += signs[t] * gram[t, s]


class KernelPerceptron(OnlineLinearClassifier):
    """The Perceptron in the space of a kernel; there is no learning rate to tune.

    Parameters
    ----------
    kernel
        Any kernel on tables. Add 1 to it for a constant feature: `Linear() + 1` makes this the
        `Perceptron` with its intercept. `Anova()` and `Agreement()` learn formulas of bits.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    support_vectors_, coef_
        The rows that f remembers, and for each two-class problem how often each was added, with its
        sign. A row that `learn` met twice may stand there twice.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, each an update, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    radius_
        The largest sqrt(K(x, x)) of a row seen.
    norms_
        After `fit`: the norm of f in the kernel's space, for each two-class problem.
    compression_set_
        After `fit`: the training rows that f remembers or gets wrong.

    Examples
    --------
    >>> from surelearn.kernels import Polynomial
    >>> corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> model = KernelPerceptron(kernel=Polynomial(degree=2)).fit(corners, [0, 1, 1, 0])
    >>> model.coef_.tolist(), model.predict(corners).tolist()
    ([[-1.0, 1.0, 1.0, -1.0]], [0, 1, 1, 0])
    """

    def __init__(self, *, kernel: Kernel = Linear(), max_iter: int = 1000) -> None:  # noqa: B008 - frozen
        self.kernel = kernel
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if a unit vector of the kernel's space separates by `margin`.

        With more than two classes, if one does in each two-class problem.
        """
        check_is_fitted(self)
        return of_all_problems(self._novikoff(margin), len(self.coef_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Novikoff's bound with the margin that f achieves in the kernel's
        space (if it separates the training rows), and the bound by the hinge loss of the best
        multiple of f. Then the risk of the model by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        check_is_fitted(self)
        if not hasattr(self, "records_"):
            return ()
        start: tuple[Status, str] = ("by-construction", "the code does exactly this")
        longest: tuple[Status, str] = ("checked", f"the largest norm is {self.radius_:.6g}")
        sure = [
            certify_run(
                self,
                problem,
                guarantee,
                observed=record.total_updates,
                n_rounds=record.n_passes * self.n_training_rows_,
                statuses=[start, longest, ("checked", comparator)],
            )
            for problem, record in enumerate(self.records_)
            for guarantee, comparator in self._of_run(record, float(self.norms_[problem]))
        ]
        return (*sure, compression_certificate(self, delta=delta))

    def _novikoff(self, margin: float) -> Guarantee:
        return mistakes.novikoff(radius=self.radius_, margin=margin)

    def _of_run(self, record: MistakeRecord, norm: float) -> Iterator[tuple[Guarantee, str]]:
        """Yield what holds for the run of one problem, and how its comparator was found."""
        if record.smallest_margin > 0.0:
            margin = record.smallest_margin / norm
            yield self._novikoff(margin), f"f achieves {margin:.6g}"
        any_comparator = mistakes.perceptron(
            radius=self.radius_, norm=record.scale * norm, hinge_loss=record.hinge_loss
        )
        yield any_comparator, "a multiple of f, on all rounds of this run"

    def decision_function(self, X: Any) -> Vector:
        """Return f at each row; with more than two classes, a column per class."""
        check_is_fitted(self)
        scores = self._sum(self._check_features(X), self.support_vectors_, self.coef_)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        row = self._check_one(x)
        return self._labels_of(self._sum(row, self.support_vectors_, self.coef_))[0]

    def _sum(self, X: Any, support: Any, coef: Matrix) -> Matrix:
        """Return Σ c_s K(x_s, x) for each row x, a column for each row of coefficients c."""
        sums, used = np.zeros((X.shape[0], len(coef))), coef.any(axis=0)
        if used.any() and len(sums):
            support, coef = support[used], coef[:, used]
            for part in gen_batches(len(sums), max(1, _VALUES_AT_ONCE // coef.shape[1])):
                sums[part] = self._begun_as.kernel(X[part], support) @ coef.T
        return sums

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        given = cast("object", self.kernel)
        if not isinstance(given, Kernel) or given.domain == "strings":
            raise ValueError(f"kernel={given!r} must be a kernel of surelearn that reads tables")
        return super()._check_first_rows(X, y)

    def _admit(self, X: Any) -> Any:
        """Return the rows if the kernel reads them; a row with itself has the largest value."""
        kernel = self._begun_as.kernel
        X = validation.bits(X) if kernel.domain == "bits" else X
        with np.errstate(over="ignore"):
            finite = np.isfinite(kernel.diagonal(X)).all()
        if not finite:
            raise ValueError(f"the values of {kernel!r} overflow on these rows; rescale them")
        return X

    def _start(self, n_features: int, n_problems: int) -> None:
        self.support_vectors_: Any = np.empty((0, n_features))
        self.coef_, self.intercept_ = np.empty((n_problems, 0)), np.zeros(n_problems)
        self.radius_ = 0.0

    def _train(self, X: Any, index: Indices) -> None:
        self._known: dict[int, Vector] = {}  # the training rows' scores, from pass to pass
        try:
            super()._train(X, index)
        finally:
            del self._known

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        """Visit the rows; what f remembers changes only when all problems have seen them."""
        table, known = tables.of(X, self.n_features_in_), vars(self).get("_known")
        current = known.get(problem) if known is not None else None
        if current is None:
            longest = math.sqrt(self._begun_as.kernel.diagonal(table).max())
            self.radius_ = max(self.radius_, longest)
            current = self._sum(table, self.support_vectors_, self.coef_[[problem]])[:, 0]
        self._visit(table, signs, current, scores, again=known is not None)
        if known is not None:
            known[problem] = current

    def _visit(
        self, X: Any, signs: Vector, current: Vector, scores: Vector, *, again: bool
    ) -> None:
        """Learn from the rows block by block, keeping `current`, their scores, up to date.

        Of rows that have been visited only if they will be visited again.
        """
        n, kernel = len(signs), self._begun_as.kernel
        for part in gen_batches(n, _BLOCK):
            if (signs[part] * current[part] > 0.0).all():
                scores[part] = current[part]
                continue
            updates = np.empty(part.stop - part.start, dtype=np.bool_)
            _learn_rows(kernel(X[part]), signs[part], current[part], updates, scores[part])
            new = part.start + np.flatnonzero(updates)
            for others in (slice(0, part.start if again else 0), slice(part.stop, n)):
                current[others] += self._sum(X[others], X[new], signs[new][np.newaxis])[:, 0]

    def _learn_block(self, X: Rows, index: Indices) -> Vector:
        scores = super()._learn_block(X, index)
        problems = range(len(self.coef_))
        signs = np.array([self._signs(index, problem) for problem in problems])
        wrong = self._updates(signs, scores.reshape(len(index), -1).T)
        self._remember(tables.of(X, self.n_features_in_), signs * wrong)
        return scores

    def _learn_row(self, row: Matrix, index: int) -> None:
        self._learn_block(row, np.array([index]))

    def _remember(self, X: Any, coef: Matrix) -> None:
        """Keep the rows that have a coefficient in any problem."""
        used = np.flatnonzero(coef.any(axis=0))
        if len(used):
            self.support_vectors_ = _stacked(self.support_vectors_, X[used])
            self.coef_ = np.hstack([self.coef_, coef[:, used]])

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        signs = np.array([self._signs(index, problem) for problem in range(len(counts))])
        coef = signs * np.array([n_updates for n_updates, _ in counts])
        self._remember(X, coef)
        super()._record_run(X, index, counts)
        final = self._final_scores(X).T
        self.norms_ = np.sqrt(np.maximum(0.0, (coef * final).sum(axis=1)))
        self.records_ = tuple(  # again, for a comparator measured in the kernel's space
            MistakeRecord.of(
                n_updates,
                signs[problem] * final[problem],
                n_passes=n_passes,
                length=self.radius_ * float(self.norms_[problem]),
            )
            for problem, (n_updates, n_passes) in enumerate(counts)
        )

    def _final_scores(self, X: Any) -> Matrix:  # noqa: ARG002 - they are known from the last pass
        return np.column_stack([self._known[problem] for problem in range(len(self.coef_))])

    def _forget_training_set(self) -> None:
        super()._forget_training_set()
        vars(self).pop("norms_", None)


def _stacked(first: Any, second: Any) -> Any:
    """Return both tables, one above the other: sparse if the first one is, or has no rows."""
    if isinstance(first, np.ndarray) and (len(first) or isinstance(second, np.ndarray)):
        return np.vstack([first, tables.dense(second)])
    return sparse.vstack([sparse.csr_array(first), sparse.csr_array(second)], format="csr")
