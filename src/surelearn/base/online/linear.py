"""The base of linear classifiers that take one row at a time: a score is ⟨coef, x⟩ + bias."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from surelearn._jit.linear_scores import score, winner
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base.online.classifier import OnlineClassifier
from surelearn.base.online.mistakes import MistakeRecord
from surelearn.base.online.passes import Visits
from surelearn.base.online.state import Learnt, read_only, side_by_side

_BLOCK = 2**22  # scores held at once when a whole training set is scored


class OnlineLinearClassifier(OnlineClassifier):
    """A linear classifier that learns from one row at a time, in order.

    A learner is as `OnlineClassifier` says. Its states have a `coef`, a weight per feature, a
    `bias`, an array of one number, and `radius`, the norm of the longest row seen, if it does not
    define `_longest`.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class State(NamedTuple):
    ...     coef: Vector
    ...     bias: Vector
    ...     radius: Vector
    >>> class Lazy(OnlineLinearClassifier):
    ...     max_iter = 1
    ...     def _start(self, n_features):
    ...         return State(np.zeros(n_features), np.ones(1), np.zeros(1))
    ...     def _learn(self, X, signs, state, scores):
    ...         scores[:] = state.bias[0]
    >>> model = Lazy().partial_fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[0.0]]).tolist(), model.n_mistakes_
    (['yes'], 1)
    """

    _record_kind = MistakeRecord

    @property
    def coef_(self) -> Matrix:
        """The weights, a row per two-class problem."""
        return read_only(np.array([state.coef for state in self.states_]))

    @property
    def intercept_(self) -> Vector:
        """The constant term of each two-class problem."""
        return read_only(np.array([state.bias[0] for state in self.states_]))

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        try:
            learnt: Learnt = vars(self)["learnt_"]  # a property would take a sixth of the time
        except KeyError:
            raise self._not_begun() from None
        _, read, classes, _, states = learnt
        row = read.unseen(x) if self._admits_all else self._check_one(learnt, x)
        first = states[0]
        if len(states) == 1:
            one = score(row, first.coef, first.bias)
            if one > 0.0:
                return classes[1]  # pyright: ignore[reportOptionalSubscript]
            if one != one:  # noqa: PLR0124 - NaN, as the score of a row that is not finite
                read.refuse_infinite(row)
            return classes[0]  # pyright: ignore[reportOptionalSubscript]
        coef, bias = first.coef.base, first.bias.base
        if coef is None or coef is not states[-1].coef.base or len(coef) != len(states):
            together = side_by_side(states)[0]  # loaded from a file, or grown by a class
            coef, bias = together.coef.base, together.bias.base
        index = winner(row, coef, bias)
        if index < 0:
            read.refuse_infinite(row)
        return classes[index]  # pyright: ignore[reportOptionalSubscript]

    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        return linear_scores(X, states)

    def _final_scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        if len(states) == 1:  # a product with a vector is faster than one with a column
            return (X @ states[0].coef + states[0].bias)[:, np.newaxis]
        parts = gen_batches(X.shape[0], max(1, _BLOCK // len(states)))
        return np.concatenate([linear_scores(X[part], states) for part in parts])

    def _record(self, X: Any, margins: Vector, visits: Visits, state: Any) -> Any:
        del X
        # Summed along an axis, in pairs: the norm of a vector alone is summed otherwise.
        norm = np.hypot(np.linalg.norm(state.coef[np.newaxis], axis=1)[0], state.bias[0])
        length = self._longest(state) * norm
        return MistakeRecord.of(visits.n_updates, margins, n_passes=visits.n_passes, length=length)


def linear_scores(X: Any, states: Sequence[Any]) -> Matrix:
    """Return ⟨coef, x⟩ + bias for each row and each state."""
    coef = np.array([state.coef for state in states])
    return X @ coef.T + np.array([state.bias[0] for state in states])
