"""One pass of an online linear learner, and the models it goes through."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike, Vector
from surelearn.evaluate._following import fresh


@stored("linear-model")
@holds(
    coef=np.ndarray,
    intercept="finite[problems]",
    classes="classes?",
)
@dataclass(frozen=True, eq=False)
class LinearModel:
    """A fixed linear rule; nothing about it changes any more.

    Parameters
    ----------
    coef, intercept
        The weights and the constant term; for a classifier a row per two-class problem.
    classes
        The labels, or None for a regressor.

    Examples
    --------
    >>> model = LinearModel(np.array([[1.0, -1.0]]), np.zeros(1), np.array(["no", "yes"]))
    >>> model.predict([[3.0, 1.0], [0.0, 1.0]]).tolist()
    ['yes', 'no']
    """

    coef: NDArray[np.float64]
    intercept: Vector
    classes: NDArray[Any] | None = None

    def decision_function(self, X: Any) -> Vector:
        """Return the score of each row; with more than two classes, a column per class."""
        rows: Any = _in_rows(X)
        scores = rows @ self.coef.T + self.intercept
        return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the prediction for each row; a score of exactly 0 predicts the first class."""
        scores = self.decision_function(X)
        if self.classes is None:
            return scores
        chosen = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes[chosen]

    def _check_state(self) -> None:
        k = 1 if self.classes is None or len(self.classes) == 2 else len(self.classes)
        wide = self.coef.ndim == 2 or (self.classes is None and self.coef.ndim == 1)
        if not wide or len(self.intercept) != k or (self.coef.ndim == 2 and len(self.coef) != k):
            raise ValueError("its weights are not those of its classes")
        if self.coef.dtype != np.float64 or not np.isfinite(self.coef).all():
            raise ValueError("its weights are not finite numbers")


class Run(NamedTuple):
    """An untrained learner and what it is to learn, by which any model of the run can be made."""

    start: Any
    rows: Any
    targets: NDArray[Any]

    @classmethod
    def of(cls, learner: Any, X: Any, y: ArrayLike) -> "Run":
        """Return the run of a copy of the learner that has learnt nothing."""
        name = type(learner).__name__
        refusal = ValueError(f"{name} is no online linear learner of this library to average")
        if not hasattr(learner, "learn_one"):
            raise refusal
        seen = fresh(learner).partial_fit(X, y)  # checks all rows and learns the classes
        start = seen._before_any_row()  # noqa: SLF001 - a hook of the base
        if start.coef_.shape[-1] != seen.n_features_in_:
            raise refusal  # the weights are of rows kept, not of features
        return cls(start, _in_rows(X), np.asarray(y))

    @property
    def classes(self) -> NDArray[Any] | None:
        """The labels, if the learner is a classifier."""
        return getattr(self.start, "classes_", None)

    def row(self, t: int) -> Vector:
        """Return one row as an array."""
        return self.rows[t] if isinstance(self.rows, np.ndarray) else self.rows[[t]].toarray()[0]

    def model(self, n_learnt: int) -> LinearModel:
        """Return the model after so many rows."""
        player = deepcopy(self.start)
        if n_learnt:
            player.partial_fit(self.rows[:n_learnt], self.targets[:n_learnt])
        return model_of(player)


def model_of(learner: Any) -> LinearModel:
    """Return the linear rule that a learner holds now."""
    classes = getattr(learner, "classes_", None)
    return LinearModel(learner.coef_.copy(), learner.intercept_.copy(), classes)


def _in_rows(X: Any) -> Any:
    """Return rows as CSR or as an array."""
    sure = sound(X)
    return sure if sparse.issparse(sure) else np.asarray(sure, dtype=np.float64)
