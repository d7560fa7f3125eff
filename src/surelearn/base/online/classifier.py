"""The base of linear learners that take one row at a time.

It counts rounds and mistakes and runs the passes; a learner supplies `_start` (all its state) and
`_learn` (one pass in order), and trusts what it receives.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.callback import with_callbacks
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints, rows
from surelearn._jit.rows import Rows
from surelearn._jit.signs import n_mistakes, plus_or_minus, winner
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.online.mistakes import MistakeRecord

_BLOCK = 2**22  # scores held at once when a whole training set is scored
_NEAR = 2**14  # losses summed at once
_PLUS, _MINUS = np.array([1.0]), np.array([-1.0])  # learners read signs, they never write them
_TELL_CLASSES = (
    "This %(name)s has not learnt yet and does not know its classes: call "
    "learn(X, y, classes=[...]) or fit(X, y) first."
)


class OnlineLinearClassifier(ClassifierMixin, OnlineLearner):
    """A linear classifier that learns from one row at a time, in order.

    With more than two classes it runs one two-class problem per class, that class against the
    rest, and predicts the class of the highest score.

    A learner stores `max_iter` and defines two methods. `_start(n_features, n_problems)` makes all
    its state, at least `coef_` (a row per problem), `intercept_` and `radius_`. `_learn(X, signs,
    problem, scores)` visits the rows once, writes the score of each before learning from it, and
    may change only the state of that problem. A learner that also changes on rows it gets right
    says which in `_updates`; one with another loss than 0-1 gives it in `_losses`.

    If all state is arrays, a score is NaN or infinite wherever its row is, a row with a score of
    NaN is not added to the weights, and `radius_` is the norm of the longest row, the learner may
    set `_scores_tell`: large blocks are then learnt without a look at every value beforehand.

    Examples
    --------
    >>> class Lazy(OnlineLinearClassifier):
    ...     max_iter = 1
    ...     def _start(self, n_features, n_problems):
    ...         self.coef_ = np.zeros((n_problems, n_features))
    ...         self.intercept_, self.radius_ = np.ones(n_problems), 0.0
    ...     def _learn(self, X, signs, problem, scores):
    ...         scores[:] = self.intercept_[problem]
    >>> model = Lazy().partial_fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[0.0]]).tolist(), model.n_mistakes_
    (['yes'], 1)
    """

    _targets = "labels"
    _not_learnt = _TELL_CLASSES
    _counts_mistakes: ClassVar[bool]
    _finds_out: ClassVar[bool]
    max_iter: int
    coef_: Matrix
    intercept_: Vector
    radius_: float

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note whether losses are mistakes, counted anyway, and whether bad rows are found out."""
        super().__init_subclass__(**kwargs)
        cls._counts_mistakes = cls._losses is OnlineLinearClassifier._losses
        cls._finds_out = cls._learn_single is not OnlineLinearClassifier._learn_single

    @abstractmethod
    def _start(self, n_features: int, n_problems: int) -> None:
        """Make the state of an untrained learner."""

    @abstractmethod
    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        """Learn from each row once, in order; write into `scores` what was said before."""

    @with_callbacks
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Pass over the rows in the order given until a pass without mistakes, or `max_iter`.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix.
        y
            Labels of two classes or more.
        """
        _arguments.at_least_one("max_iter", self.max_iter)
        X, labels, seen = self._check_training_set(X, y)
        if self._will_tell(X):  # but after a first pass of many
            validation.all_finite(self, X, short=True)
        self._begin(seen, validation.two_or_more(validation.distinct(labels)))
        self._train(X, validation.index_among(self.classes_, labels))
        return self

    def partial_fit(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Learn from each row once, in order; the same as `learn`, returning the learner.

        Parameters
        ----------
        X, y
            The next rows and their labels.
        classes
            All labels that will ever come; needed in the first call if it does not show them all.
        """
        self.learn(X, y, classes)
        return self

    def learn(self, X: Any, y: ArrayLike, classes: ArrayLike | None = None) -> Vector:
        """Learn from each row once, in order, and return the score given to it beforehand.

        How the rows are cut into calls does not matter. With more than two classes the result has
        a column per class.

        Parameters
        ----------
        X, y
            The next rows and their labels.
        classes
            All labels that will ever come; needed in the first call if it does not show them all.
        """
        before = vars(self).copy()
        if hasattr(self, "classes_"):
            if classes is not None:
                validation.index_among(self.classes_, np.unique(np.asarray(classes)))
            X, labels = self._check_rows(X, y)
            index = validation.index_among(self.classes_, labels, _smallest(self.classes_))
        else:
            X, labels, seen = self._check_first_rows(X, y)
            known = validation.distinct(
                labels if classes is None else np.atleast_1d(np.asarray(classes))
            )
            validation.two_or_more(known)
            index = validation.index_among(known, labels, _smallest(known))
            self._begin(seen, known)
        self._forget_training_set()
        if self._will_tell(X):
            return self._learn_unseen(X, index, before)
        return self._learn_block(rows.of(X), index)

    def learn_one(self, x: Mapping[str, float] | ArrayLike, y: Any) -> Self:
        """Learn from one row, given as an array or as a mapping from feature names to numbers.

        The classes must be known from an earlier call of `learn` or `partial_fit`.
        """
        row = self._read_row.unseen(x) if self._finds_out else self._check_lesson(x)
        try:
            index = self._positions[y]
        except (KeyError, TypeError):  # a stranger; the door says so
            index = int(validation.index_among(self.classes_, np.asarray([y]))[0])
        self._learn_row(row, index)
        if "training_rows_" in self.__dict__:
            self._forget_training_set()
        return self

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        row = self._read_row.unseen(x) if self._admits_all else self._check_one(x)
        index = winner(row, self.coef_, self.intercept_)
        if index < 0:
            self._read_row.refuse_infinite(row)
        return self.classes_[index]

    def decision_function(self, X: Any) -> Vector:
        """Return the score of each row; with more than two classes, a column per class."""
        check_is_fitted(self)
        X = self._check_features(X)
        scores: Matrix = X @ self.coef_.T + self.intercept_
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row; a score of exactly 0 predicts the first class."""
        return self._labels_of(self.decision_function(X))

    def _train(self, X: Any, index: Indices) -> None:
        """Run every two-class problem until a clean pass and keep what certificates need."""
        n_problems, view = len(self.coef_), rows.of(X)
        self.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(view))
        progress = self._init_callback_context(max_subtasks=n_problems * self.max_iter)
        progress.call_on_fit_task_begin(estimator=self)
        self.stopped_early_, self.pass_limit_ = False, self.max_iter
        counts = [self._cycle(view, index, problem, progress) for problem in range(n_problems)]
        self.n_iter_ = max(n_passes for _, n_passes in counts)
        self._record_run(X, index, counts)
        progress.call_on_fit_task_end(estimator=self)

    def _cycle(self, X: Rows, index: Indices, problem: int, progress: Any) -> tuple[Indices, int]:
        """Pass over one problem until it is clean; return each row's updates and the passes."""
        signs, scores = self._signs(index, problem), np.empty(len(index))
        n_updates = np.zeros(len(index), dtype=np.int64)
        for n_passes in range(1, self.max_iter + 1):
            task = progress.subcontext("pass").call_on_fit_task_begin(estimator=self)
            self._learn(X, signs, problem, scores)
            updates = self._updates(signs, scores)
            n_updates += updates
            self._count(problem, signs, scores)
            stop = task.call_on_fit_task_end(estimator=self)
            self.stopped_early_ |= bool(stop)
            if stop or not updates.any():
                return n_updates, n_passes
        return n_updates, self.max_iter

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        """Score the training rows with the final weights and keep the rows that mattered."""
        final = self._final_scores(X)
        norms = np.hypot(np.linalg.norm(self.coef_, axis=1), self.intercept_)
        self.records_ = tuple(
            MistakeRecord.of(
                n_updates,
                self._signs(index, problem) * final[:, problem],
                n_passes=n_passes,
                length=self.radius_ * norms[problem],
            )
            for problem, (n_updates, n_passes) in enumerate(counts)
        )
        wrong = self._predicted_index(final) != index
        if len(counts) == 1:  # in the two-class theorem a score of 0 is an error
            wrong = self._signs(index, 0) * final[:, 0] <= 0.0
        self.training_errors_ = int(np.count_nonzero(wrong))
        for record in self.records_:
            wrong[record.updated] = True
        self.compression_set_ = np.flatnonzero(wrong)
        self.n_training_rows_ = len(index)

    def _final_scores(self, X: Any) -> Matrix:
        if len(self.coef_) == 1:  # a product with a vector is faster than one with a column
            return (X @ self.coef_[0] + self.intercept_)[:, np.newaxis]
        block = max(1, _BLOCK // len(self.coef_))
        parts = [X[part] @ self.coef_.T for part in gen_batches(X.shape[0], block)]
        return np.concatenate(parts) + self.intercept_

    def _begin(self, seen: dict[str, Any], classes: NDArray[Any]) -> None:
        """Forget everything and make the state of an untrained learner for these features."""
        self._restart(seen)
        self.classes_, self.n_mistakes_ = classes, 0
        self._positions = {label: index for index, label in enumerate(classes.tolist())}
        self._start(self.n_features_in_, 1 if len(classes) == 2 else len(classes))

    def _untrained(self, n_features: int) -> Self:
        copy = cast("Self", clone(self._begun_as))
        copy._begin({"n_features_in_": n_features}, self.classes_)  # noqa: SLF001 - our own copy
        return copy

    def _learn_row(self, row: Matrix, index: int) -> None:
        """Do what `_learn_block` does, for one row: its counting in arrays costs ten times more."""
        n_problems = len(self.coef_)
        if n_problems == 1:
            self._learn_side(row, 1.0 if index else -1.0, 0)
        else:
            for problem in range(n_problems):
                self._learn_side(row, 1.0 if index == problem else -1.0, problem)
        self.n_rounds_ += 1

    def _learn_side(self, row: Matrix, sign: float, problem: int) -> None:
        score, loss = self._learn_single(row, sign, problem)
        if sign * score <= 0.0:
            self.n_mistakes_ += 1
        elif score != score:  # noqa: PLR0124 - NaN is what differs from itself
            self._read_row.refuse_infinite(row)
            validation.short_enough(row)
        self.cumulative_loss_ += loss

    def _learn_single(self, row: Matrix, sign: float, problem: int) -> tuple[float, float]:
        """Do what `_learn` and `_losses` do, for one row; a learner may know a faster way.

        That one is given rows by `learn_one` which nobody has looked through: if the row is not
        finite, or too long (`rows.is_short`), it must change nothing and return a score of NaN.
        """
        signs, scores = _PLUS if sign > 0.0 else _MINUS, np.empty(1)
        self._learn(row, signs, problem, scores)
        return scores.item(), float(self._losses(signs, scores).item())

    def _learn_unseen(self, X: Any, index: Indices, before: dict[str, Any]) -> Vector:
        """Learn from rows not looked through; if one is not finite or too long, undo it.

        A look at every value beforehand would take a quarter of the whole time.
        """
        state = vars(self)
        kept = {name: value for name, value in before.items() if state.get(name) is value}
        state.update({n: v.copy() for n, v in kept.items() if isinstance(v, np.ndarray)})
        with np.errstate(all="ignore"):
            scores = self._learn_block(rows.of(X), index)
            vouched = self.radius_ <= validation.LARGEST and np.isfinite(scores.sum())
        if not vouched:
            try:
                validation.all_finite(self, X, short=True)
            except ValueError:
                state.clear()
                state.update(before)
                raise
        return scores

    def _learn_block(self, X: Rows, index: Indices) -> Vector:
        scores = np.empty((len(self.coef_), len(index)))
        for problem, row in enumerate(scores):
            signs = self._signs(index, problem)
            self._learn(X, signs, problem, row)
            self._count(problem, signs, row)
        return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T)

    def _count(self, problem: int, signs: Vector, scores: Vector) -> None:
        """Count rounds, mistakes and losses of one problem."""
        self.n_rounds_ += len(signs) if problem == 0 else 0
        n_wrong = n_mistakes(signs, scores)
        self.n_mistakes_ += n_wrong
        self.cumulative_loss_ += n_wrong if self._counts_mistakes else self._loss(signs, scores)

    def _loss(self, signs: Vector, scores: Vector, /) -> float:
        """Sum the losses, few enough at a time to stay in the cache."""
        parts = gen_batches(len(signs), _NEAR)
        return sum(float(self._losses(signs[part], scores[part]).sum()) for part in parts)

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        """Return the rows that changed the weights: by default the mistakes."""
        return _mistakes(signs, scores)

    def _losses(self, signs: Vector, scores: Vector, /) -> Vector | Mask:
        """Return the loss of each round: by default 1 for a mistake."""
        return _mistakes(signs, scores)

    def _signs(self, index: Indices, problem: int) -> Vector:
        positive = 1 if len(self.classes_) == 2 else problem
        return plus_or_minus(index, positive)

    def _predicted_index(self, scores: Matrix) -> Indices:
        if len(self.classes_) == 2:
            return (np.ravel(scores) > 0.0).astype(np.int64)
        return np.argmax(scores, axis=1)

    def _labels_of(self, scores: Matrix) -> NDArray[Any]:
        return self.classes_[self._predicted_index(scores)]


def _smallest(classes: NDArray[Any]) -> np.dtype[Any]:
    """Return the smallest kind of positions: fresh memory takes longer to get than to fill."""
    return np.min_scalar_type(len(classes))


def _mistakes(signs: Vector, scores: Vector) -> Mask:
    return signs * scores <= 0.0  # a score of 0 counts, or zero weights would never move
