"""What online linear learners share: the door for tables and for single rows."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.utils import Tags

from surelearn._typing import Matrix
from surelearn.base import door

_OF_ONE_TRAINING_SET = (
    "compression_set_",
    "n_iter_",
    "n_training_rows_",
    "records_",
    "stopped_early_",
    "training_errors_",
    "training_rows_",
)


class OnlineLearner(CallbackSupportMixin, BaseEstimator):
    """The door of an online learner: rows come as tables, sparse matrices, arrays or mappings.

    It knows features, not targets: classifiers and regressors add what they predict.
    """

    n_features_in_: int
    n_rounds_: int
    cumulative_loss_: float
    _targets: door.Targets
    _features: ClassVar[Literal["numbers", "bits"]] = "numbers"

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        """Check rows and targets and return what was seen of the features.

        A copy is asked, so that a bad input leaves this learner as it was.
        """
        copy = clone(self)
        X, targets = door.check(copy, X, y, targets=self._targets, reset=True)
        return self._admit(X), targets, {k: v for k, v in vars(copy).items() if k.endswith("_in_")}

    def _check_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, targets = door.check(self, X, y, targets=self._targets)
        return self._admit(X), targets

    def _check_features(self, X: Any) -> Any:
        return self._admit(door.check_rows(self, X))

    def _admit(self, X: Any) -> Any:
        """Return the rows if this learner can learn from them: one of bits refuses other numbers.

        `X` has passed scikit-learn's checks and is a float matrix, dense or CSR.
        """
        return door.bits(X) if self._features == "bits" else X

    def _restart(self, seen: dict[str, Any]) -> None:
        """Forget everything learnt and adopt what was seen of the features."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        vars(self).update(seen)
        self.n_rounds_, self.cumulative_loss_ = 0, 0.0

    def _forget_training_set(self) -> None:
        """Drop what was known of one training set: the model has moved on."""
        for name in _OF_ONE_TRAINING_SET:
            self.__dict__.pop(name, None)

    def _check_one(self, x: Mapping[str, float] | ArrayLike) -> Matrix:
        if isinstance(x, Mapping):
            x = self._in_order(x)
        row = np.array(x, dtype=np.float64, ndmin=2)
        if row.shape != (1, self.n_features_in_):
            raise ValueError(
                f"the row has shape {np.shape(x)}; this learner knows "
                f"{self.n_features_in_} features"
            )
        if not np.isfinite(row).all():
            raise ValueError("the row contains NaN or infinity; fill or drop it first")
        return self._admit(row)

    def _in_order(self, x: Mapping[str, float]) -> list[float]:
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            raise ValueError(
                "a mapping needs feature names; learn first from a data frame, or pass an array"
            )
        unknown = sorted(set(x) - set(names))
        if unknown:
            raise ValueError(f"unknown features {unknown}; this learner knows {list(names)}")
        return [x.get(name, 0.0) for name in names]

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
