"""The base of classifiers that take one row at a time.

It owns the states, counts rounds and mistakes and runs the passes; a learner says how a state
starts, how it learns and how it scores, and trusts what it receives.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.callback import with_callbacks
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import rows
from surelearn._jit.linear_scores import n_mistakes
from surelearn._jit.rows import Rows
from surelearn._locks import in_turn, new_turn, turns
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt
from surelearn.base.online.learner import OnlineLearner
from surelearn.base.online.passes import (
    Visits,
    heard_by_callbacks_of,
    learn_problems,
    predicted_index,
    train_classifier,
)
from surelearn.base.online.state import BEYOND_FLOATS, Learnt, copies_of
from surelearn.base.read_only import locked

_NEAR = 2**14  # losses summed at once
_PLUS, _MINUS = np.array([1.0]), np.array([-1.0])  # learners read signs, they never write them
_TELL_CLASSES = (
    "This %(name)s is not fitted yet and does not know its classes: call "
    "learn(X, y, classes=[...]) or fit(X, y) first."
)


@holds(
    n_mistakes_="count",
)
class OnlineClassifier(ClassifierMixin, OnlineLearner):
    """A classifier that learns from one row at a time, in order.

    With more than two classes it runs one two-class problem per class, that class against the
    rest, and predicts the class of the highest score. Each problem has a state of its own.

    A learner stores `max_iter` and defines three methods. `_start(n_features)` returns the state of
    a problem before any row. `_learn(X, signs, state, scores)` visits the rows once, writes the
    score of each before learning from it, and changes the state's arrays in place.
    `_scores(X, states)` scores rows with states that stay as they are, a column for each.

    It may define more. `_updates` says which rows changed the state, if not the mistakes; `_losses`
    gives another loss than 0-1; `_learn_row` learns from a single row faster; `_keep` returns the
    states with rows that they remember; `_record` and `_outcome` say what `fit` leaves behind.

    If a score is NaN or infinite wherever its row is, a row with a score of NaN is not added to the
    weights, and `_longest` is the norm of the longest row, the learner may set `_scores_tell`:
    large chunks are then learnt without a look at every value beforehand.
    """

    _targets = "labels"
    _not_learnt = _TELL_CLASSES
    _counts_mistakes: ClassVar[bool]
    _finds_out: ClassVar[bool]
    _keeps_rows: ClassVar[bool]
    _learns_by_other_weights: ClassVar[bool] = False  # than predict: an average, or votes
    max_iter: int
    n_mistakes_: int

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note which of the optional methods the learner has."""
        super().__init_subclass__(**kwargs)
        cls._counts_mistakes = cls._losses is OnlineClassifier._losses
        cls._finds_out = cls._learn_row is not OnlineClassifier._learn_row
        cls._keeps_rows = cls._keep is not OnlineClassifier._keep

    @abstractmethod
    def _learn(self, X: Rows, signs: Vector, state: Any, scores: Vector, /) -> None:
        """Learn from each row once, in order; write into `scores` what was said before."""

    @abstractmethod
    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        """Return the score of each row by each state, a column for each."""

    def _longest(self, state: Any) -> float:
        """Return the norm of the longest row that the problem has seen."""
        return float(state.radius[0])

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        """Return the rows that changed the state: by default the mistakes."""
        return _mistakes(signs, scores)

    def _losses(self, signs: Vector, scores: Vector, /) -> Vector | Mask:
        """Return the loss of each round: by default 1 for a mistake."""
        return _mistakes(signs, scores)

    def _loss(self, signs: Vector, scores: Vector, /) -> float:
        """Sum the losses, few enough at a time to stay in the cache."""
        parts = gen_batches(len(signs), _NEAR)
        return sum(float(self._losses(signs[part], scores[part]).sum()) for part in parts)

    def _learn_row(self, row: Matrix, sign: float, state: Any) -> tuple[float, float]:
        """Do what `_learn` and `_losses` do, for one row; a learner may know a faster way.

        That one is given rows by `learn_one` which nobody has looked through: if the row is not
        finite, or too long (`rows.is_short`), it must change nothing and return a score of NaN.
        """
        signs, scores = _PLUS if sign > 0.0 else _MINUS, np.empty(1)
        self._learn(row, signs, state, scores)
        return scores.item(), float(self._losses(signs, scores).item())

    def _start_passes(self, X: Any) -> Any:
        """Return the state of a problem that will pass over these rows again and again."""
        return self._start(X.shape[1])

    def _keep(self, X: Rows, visits: Sequence[Visits], states: Sequence[Any]) -> tuple[Any, ...]:
        """Return the states with what they keep of rows that all problems have visited."""
        del X, visits
        return tuple(states)

    def _final_scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        """Return the scores of the training rows after the last pass, a column per problem."""
        return self._scores(X, states)

    def _record(self, X: Any, margins: Vector, visits: Visits, state: Any) -> Any:
        """Return what the certificates of one problem need; `margins` are final signed scores."""
        del X, margins, visits, state

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        """Return the number of training errors and the compression set, None where none is.

        `wrong` are the rows that the final weights get wrong, `used` those that ever changed them.
        """
        del X
        return int(np.count_nonzero(wrong)), np.flatnonzero(wrong | used)

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels, in order."""
        return locked(cast("Any", self._own.classes))

    @property
    def radius_(self) -> float:
        """The largest norm of a row seen."""
        learnt = self._own
        return max(learnt.begun._longest(state) for state in learnt.states)

    @property
    def n_training_rows_(self) -> int:
        """After `fit`: the number of its rows."""
        return self._of_run("n_rows")

    @property
    def pass_limit_(self) -> int:
        """After `fit`: the number of passes that were allowed."""
        return self._of_run("pass_limit")

    @property
    def stopped_early_(self) -> bool:
        """After `fit`: whether a callback ended the run."""
        return self._of_run("stopped_early")

    @property
    def training_errors_(self) -> int:
        """After `fit`: the training rows that the model gets wrong; of two classes, also a tie."""
        return self._of_run("training_errors")

    @property
    def compression_set_(self) -> Indices:
        """After `fit`: the training rows that ever changed the model or are still wrong."""
        return self._of_run("compression_set")

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
        X, labels, fresh = self._check_training_set(X, y)
        if self._will_tell(X):  # but after a first pass of many
            validation.all_finite(self, X, short=True)
        fresh._know(validation.two_or_more(validation.distinct(labels), may_grow=True))
        index = validation.index_among(fresh.classes_, labels)
        heard_by_callbacks_of(self, fresh)._train(X, index)
        return adopt(self, fresh)

    @with_callbacks
    def _train(self, X: Any, index: Indices) -> None:
        """Pass over the rows, as the copy that `fit` adopts."""
        progress = self._init_callback_context(max_subtasks=len(self.states_) * self.max_iter)
        train_classifier(self, X, index, progress)

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

    @in_turn
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
        held = vars(self)  # a fit in another thread replaces it, and with it what is learnt here
        if "learnt_" in held:
            if classes is not None:
                validation.index_among(self.classes_, validation.named_classes(classes))
            X, labels = self._check_rows(X, y)
            learnt = self._learnt_of(X)
            scores, moved = self._moved_on(learnt, X, labels, copies_of(learnt.states))
            held.update(moved)
            return scores
        X, labels, fresh = self._check_first_rows(X, y)
        named = classes is not None
        known = validation.named_classes(classes) if named else validation.distinct(labels)
        fresh._know(validation.two_or_more(known, may_grow=True))
        scores, moved = fresh._moved_on(fresh._own, X, labels, fresh._own.states)
        vars(fresh).update(moved)
        adopt(self, fresh)
        return scores

    def learn_one(self, x: Mapping[str, float] | ArrayLike, y: Any) -> Self:
        """Learn from one row, given as an array or as a mapping from feature names to numbers.

        The classes must be known from an earlier call of `learn` or `partial_fit`.
        """
        with turns.get(id(self)) or new_turn(self):  # a call less than `in_turn`
            held = vars(self)
            try:
                learnt = held["learnt_"]
            except KeyError:
                raise self._not_begun() from None
            begun, read, _, positions, states = learnt
            row = read.unseen(x) if self._finds_out else self._check_lesson(learnt, x)
            try:
                index = positions[y]
            except (KeyError, TypeError):  # a stranger, who is named in the refusal
                index = validation.place_of(learnt.classes, y)
            if self._keeps_rows:
                held.update(learn_problems(self, learnt, row, np.array([index]), states)[1])
                return self
            if len(states) == 1:  # spared the loop, which would take a twentieth of the whole time
                sign = 1.0 if index else -1.0
                score, lost = begun._learn_row(row, sign, states[0])
                n_wrong, loss = 1 if sign * score <= 0.0 else 0, held["cumulative_loss_"] + lost
            else:
                n_wrong, loss, score = _learn_sides(learnt, row, index, held["cumulative_loss_"])
            if score != score:  # noqa: PLR0124 - NaN, and nothing has changed
                self._refuse_changed(learnt)
                read.refuse_infinite(row)
                validation.short_enough(row)
                _refuse_overflow(np.array([score]))
            held["n_rounds_"] += 1
            if n_wrong:
                held["n_mistakes_"] += n_wrong
            held["cumulative_loss_"] = loss
            if held["run_"] is not None:
                held["run_"] = None
            return self

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        learnt = self._own
        scores = learnt.begun._scores(self._check_one(learnt, x), learnt.states)
        return cast("Any", learnt.classes)[predicted_index(scores)[0]]

    def decision_function(self, X: Any) -> Vector:
        """Return the score of each row; with more than two classes, a column per class."""
        scores, _ = self._scores_by_one_state(X)
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row; a score of exactly 0 predicts the first class."""
        scores, learnt = self._scores_by_one_state(X)
        return cast("Any", learnt.classes)[predicted_index(scores)]

    def _scores_by_one_state(self, X: Any) -> tuple[Vector, Learnt]:
        """Return the score of each row, and what gave it: another thread may fit meanwhile."""
        check_is_fitted(self)
        X, learnt = self._check_features(X)
        scores = learnt.begun._scores(X, learnt.states)
        return scores.ravel() if len(learnt.states) == 1 else scores, learnt

    def _begin(self, classes: NDArray[Any] | None, n_problems: int) -> None:
        super()._begin(classes, n_problems)
        vars(self)["n_mistakes_"] = 0

    def _know(self, classes: NDArray[Any]) -> None:
        """Make the states of a fresh copy for these classes."""
        self._begin(classes, 1 if len(classes) == 2 else len(classes))

    def _n_problems(self, learnt: Learnt) -> int:
        classes = learnt.classes
        if classes is None or len(classes) < 2:
            raise ValueError("it has fewer than two classes")
        if learnt.positions != {label: place for place, label in enumerate(classes.tolist())}:
            raise ValueError("the places of its classes are not their order")
        return 1 if len(classes) == 2 else len(classes)

    def _moved_on(
        self, learnt: Learnt, X: Any, labels: NDArray[Any], states: tuple[Any, ...]
    ) -> tuple[Vector, dict[str, Any]]:
        """Return the scores of the rows, and all that changes when these states learn them."""
        classes: Any = learnt.classes
        index = validation.index_among(classes, labels, np.min_scalar_type(len(classes)))
        if not self._will_tell(X):
            scores, moved = learn_problems(self, learnt, rows.of(X), index, states)
            return _refuse_overflow(scores), moved
        # A look at every value beforehand would take a quarter of the whole time.
        with np.errstate(all="ignore"):
            scores, moved = learn_problems(self, learnt, rows.of(X), index, states)
            longest = max(learnt.begun._longest(state) for state in moved["learnt_"].states)
            vouched = longest <= validation.LARGEST and np.isfinite(scores.sum())
        if not vouched:
            validation.all_finite(self, X, short=True)
        return _refuse_overflow(scores), moved

    def _count(self, signs: Vector, scores: Vector) -> tuple[int, float]:
        """Return the mistakes and the losses of some rounds of one problem."""
        n_wrong = n_mistakes(signs, scores)
        return n_wrong, n_wrong if self._counts_mistakes else self._loss(signs, scores)


def _refuse_overflow(scores: Vector) -> Vector:
    """Return the scores of rows that are finite; if one is none, then the weights are not."""
    if np.isnan(scores).any():
        raise ValueError(BEYOND_FLOATS)
    return scores


def _learn_sides(learnt: Learnt, row: Matrix, index: int, loss: float) -> tuple[int, float, float]:
    """Let each class learn from one row; return mistakes, all losses, and NaN if it is refused.

    The losses are added one by one to those before, as `learn` adds them.
    """
    n_wrong, learn_row = 0, learnt.begun._learn_row  # looked up once: there may be many classes
    for k, state in enumerate(learnt.states):
        sign = 1.0 if k == index else -1.0
        score, lost = learn_row(row, sign, state)
        if score != score:  # noqa: PLR0124 - the first state refuses, and so would all others
            return n_wrong, loss, score
        if sign * score <= 0.0:
            n_wrong += 1
        loss += lost
    return n_wrong, loss, 0.0


def _mistakes(signs: Vector, scores: Vector) -> Mask:
    return signs * scores <= 0.0  # a score of 0 counts, or zero weights would never move
