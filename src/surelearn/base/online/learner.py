"""What online linear learners share: the door for tables and for single rows."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from surelearn._jit import rows
from surelearn._typing import Matrix
from surelearn.base import validation
from surelearn.base.row_reader import RowReader
from surelearn.base.validation import refuse_tiny

_OF_ONE_TRAINING_SET = (
    "compression_set_",
    "n_iter_",
    "n_training_rows_",
    "pass_limit_",
    "records_",
    "stopped_early_",
    "training_errors_",
    "training_rows_",
)

_FAR_MORE = 8  # values per column that make looking through them dearer than a copy of the state
_OUTGROWS = (list, dict)  # state that may hold rows of the old width, whatever it started as


class _NeverMade:
    """Stands for what the first rows will make: who asks before is told to bring them."""

    def __get__(self, learner: Any, kind: Any) -> Any:
        if learner is None:
            return self
        raise NotFittedError(learner._not_learnt % {"name": kind.__name__})  # noqa: SLF001


class _Itself:
    """Stands for the learner as it began, which until then is the learner itself."""

    def __get__(self, learner: Any, kind: Any) -> Any:
        del kind
        return self if learner is None else learner


class OnlineLearner(CallbackSupportMixin, BaseEstimator):
    """The door of an online learner: rows come as tables, sparse matrices, arrays or mappings.

    It knows features, not targets: classifiers and regressors add what they predict.

    Parameters count when learning begins. What learns, predicts or states something afterwards
    reads them from `_begun_as`, a copy made then, so that a later change cannot falsify it.
    """

    n_features_in_: int
    n_rounds_: int
    cumulative_loss_: float
    _read_row: RowReader = cast("Any", _NeverMade())
    _begun_as: Self = cast("Any", _Itself())
    _targets: validation.Targets
    _features: ClassVar[Literal["numbers", "bits"]] = "numbers"
    _late_features: ClassVar[bool] = True
    _admits_all: ClassVar[bool]
    _scores_tell: ClassVar[bool] = False  # whether they show rows not finite, `radius_` long ones
    _not_learnt: ClassVar[str] = "This %(name)s has not learnt yet: call learn or fit first."

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note whether all rows of numbers are admitted, which single rows need not ask."""
        super().__init_subclass__(**kwargs)
        cls._admits_all = cls._admit is OnlineLearner._admit and cls._features == "numbers"

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        """Check rows and targets and return what was seen of the features.

        A copy is asked, so that a bad input leaves this learner as it was.
        """
        copy = cast("Self", clone(self))
        X, targets = validation.check(copy, X, y, targets=self._targets, reset=True, finite=False)
        seen = {name: value for name, value in vars(copy).items() if name.endswith("_in_")}
        return copy._admit(self._looked_through(X)), targets, seen  # noqa: SLF001 - our own copy

    def _check_training_set(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], dict[str, Any]]:
        """Do as `_check_first_rows`; refuse rows that are all so short that their norms vanish."""
        X, targets, seen = self._check_first_rows(X, y)
        refuse_tiny(cast("Any", X).data if sparse.issparse(X) else X, "features")
        return X, targets, seen

    def _check_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, targets = validation.check(self, X, y, targets=self._targets, finite=False)
        return self._admit(self._looked_through(X)), targets

    def _looked_through(self, X: Any) -> Any:
        """Return the rows if all are finite and none too long, or if their scores will tell."""
        return X if self._will_tell(X) else validation.all_finite(self, X, short=True)

    def _will_tell(self, X: Any) -> bool:
        return self._scores_tell and X.size >= _FAR_MORE * X.shape[1]

    def _check_features(self, X: Any) -> Any:
        return self._admit(validation.check_rows(self, X))

    def _admit(self, X: Any) -> Any:
        """Return the rows if this learner can learn from them: one of bits refuses other numbers.

        `X` has passed scikit-learn's checks and is a float matrix, dense or CSR.
        """
        return validation.bits(X) if self._features == "bits" else X

    def _restart(self, seen: dict[str, Any]) -> None:
        """Forget everything learnt and adopt what was seen of the features."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        vars(self).update(seen)
        self._begun_as = cast("Self", clone(self))
        self._read_row = RowReader(self.n_features_in_, seen.get("feature_names_in_"))
        self.n_rounds_, self.cumulative_loss_ = 0, 0.0

    def _forget_training_set(self) -> None:
        """Drop what was known of one training set: the model has moved on."""
        for name in _OF_ONE_TRAINING_SET:
            self.__dict__.pop(name, None)

    def _check_one(self, x: Mapping[str, float] | ArrayLike) -> Matrix:
        """Return one row as a matrix, at a fraction of the cost of `_check_rows`."""
        row = self._read_row(x)
        return row if self._admits_all else self._admit(row)

    def _check_lesson(self, x: Mapping[str, float] | ArrayLike) -> Matrix:
        """Return one row as a matrix if it can be learnt from: as `learn`, refuse a long one."""
        row = self._check_one(x)
        return row if rows.is_short(row) else validation.short_enough(row)

    def _grow(self, n_features: int) -> None:
        """Widen the state for features that come late, and so were 0 in every row until now.

        Such a feature is still in the state it started in. So the arrays of an untrained learner
        of the new width, with this one's in their corner, are those of a learner that had known
        all features from the beginning. A learner for which this is not so sets `_late_features`
        to False; one whose start tells (a threshold that depends on the width, rows remembered)
        need not. Both refuse, and nothing has changed.
        """
        if not self._late_features:
            raise ValueError(self._no_room())
        narrow, wide = (vars(self._untrained(n)) for n in (self.n_features_in_, n_features))
        names = [name for name in wide if name.endswith("_") and name != "n_features_in_"]
        widened = {n: self._widened(vars(self)[n], narrow[n], wide[n]) for n in names}
        vars(self).update(widened, n_features_in_=n_features, _read_row=wide["_read_row"])

    def _widened(self, state: Any, narrow: Any, wide: Any) -> Any:
        """Return the state at its new width, given how it starts at the old and the new width."""
        if not isinstance(state, _OUTGROWS):
            if np.array_equal(narrow, wide):
                return state
            corner = tuple(slice(length) for length in np.shape(narrow))
            fits = np.shape(state) == np.shape(narrow) != np.shape(wide)
            if fits and np.array_equal(wide[corner], narrow):
                wide[corner] = state
                return wide
        raise ValueError(self._no_room())

    def _no_room(self) -> str:
        name = type(self).__name__
        return f"{name} cannot take in features that come late; let its first row show them all"

    @abstractmethod
    def _untrained(self, n_features: int) -> Self:
        """Return a copy that has learnt nothing and knows `n_features` features without names."""

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
