"""What every learner that sees all its rows at once does: fit whole, or not at all."""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from numbers import Real
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from surelearn import _arguments
from surelearn._locks import turn_of
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.base import validation
from surelearn.base.labels import exact
from surelearn.base.parameters import made_plain, refuse_strange
from surelearn.base.seal import is_intact, sealed

_Estimator = TypeVar("_Estimator")
_Class = TypeVar("_Class", bound=type[Any])

_LARGEST_SUM = 1e307  # of targets: a few of them, or differences, can be added to it
_BLOCK = 2**16  # cells looked at one by one
_CHANGES_IT = frozenset(
    {
        *("fit", "partial_fit", "fit_predict", "fit_transform", "fit_widths"),
        *("learn", "learn_one", "solve"),
    }
)


def fresh_copy(estimator: _Estimator) -> _Estimator:
    """Return an unfitted copy to fit in the estimator's place; `adopt` takes over the result."""
    refuse_strange(estimator)
    return made_plain(cast("_Estimator", clone(cast("Any", estimator))))


def adopt(estimator: _Estimator, fresh: _Estimator) -> _Estimator:
    """Replace the fitted state of an estimator by that of its copy, all at once.

    What fails before this call leaves the estimator exactly as it was.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> model = Ridge()
    >>> adopt(model, fresh_copy(model).fit([[0.0], [1.0]], [0.0, 1.0])) is model
    True
    >>> model.n_features_in_
    1
    """
    with turn_of(estimator):  # a round that another thread has begun ends before, and is forgotten
        _replace(estimator, fresh)
    return estimator


def _replace(estimator: Any, fresh: Any) -> None:
    then = as_it_is(estimator)
    kept = {name: value for name, value in vars(then).items() if not name.endswith("_")}
    learnt = {name: value for name, value in vars(fresh).items() if name.endswith("_")}
    then.__dict__ = kept | learnt
    estimator.__dict__ = vars(sealed(then))  # one assignment: nobody ever sees half of it


def as_it_is(estimator: _Estimator) -> _Estimator:
    """Return what an estimator is at this moment; whoever fits it meanwhile does not change that.

    Nothing learnt is copied: `adopt` replaces it and never writes to it.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> model = Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> still = as_it_is(model)
    >>> adopt(model, Ridge().fit([[0.0, 0.0], [1.0, 0.0]], [0.0, 1.0])).n_features_in_
    2
    >>> still.n_features_in_
    1
    """
    still = object.__new__(type(estimator))
    still.__dict__ = vars(estimator).copy()
    return still


def at_one_moment(cls: _Class) -> _Class:
    """Let every public method of a class work on the estimator as it was when it was called.

    Rows are checked against one attribute, compiled loops read others: a `fit` in another thread
    between the two would lead them outside their arrays.

    Examples
    --------
    >>> @at_one_moment
    ... class Learner:
    ...     def predict(self):
    ...         return self
    >>> learner = Learner()
    >>> learner.predict() is learner
    False
    """
    for name, member in list(vars(cls).items()):
        if not name.startswith("_") and name not in _CHANGES_IT:
            if isinstance(member, property) and member.fget is not None:
                setattr(cls, name, property(still(member.fget), doc=member.__doc__))
            elif isinstance(member, FunctionType):
                setattr(cls, name, _telling_of_changes(still(member)))
    return cls


def still(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that is called on the estimator as it is now.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> still(lambda self: self.alpha)(Ridge(alpha=3.0))
    3.0
    """

    @wraps(method)
    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(as_it_is(self), *args, **kwargs)

    return read


def _telling_of_changes(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that says so where it fails because its learner was changed by hand."""

    @wraps(method)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (AttributeError, LookupError, TypeError) as error:
            if isinstance(error, ValueError) or is_intact(self):  # not fitted, or our own fault
                raise
            raise ValueError(
                f"this {type(self).__name__} was changed after it was fitted and cannot answer as "
                f"it is ({error}): fit it again"
            ) from error

    return answer


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called this library, however many of its frames lie between.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn("the rows are few")
    >>> len(told)
    1
    """
    level, frame = 2, inspect.currentframe()
    frame = None if frame is None else frame.f_back
    while frame is not None and _is_inside(str(frame.f_globals.get("__name__", ""))):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _is_inside(module: str) -> bool:
    """Return whether a module is one of this library, or one that calls it for its users."""
    return module.partition(".")[0] in {"sklearn", "surelearn"}


def check_iterations(estimator: Any) -> None:
    """Refuse a `max_iter` or a `tolerance` that mean nothing."""
    _arguments.at_least_one("max_iter", estimator.max_iter)
    if not estimator.tolerance >= 0.0:
        raise ValueError(f"tolerance={estimator.tolerance!r} must be 0 or more")


def learn_classes(estimator: Any, y: ArrayLike, *, n: int) -> Indices:
    """Check the labels, set `classes_`, and return the place of each label among them."""
    labels = _targets(y, n)
    check_classification_targets(labels)
    estimator.classes_ = validation.distinct(labels)
    return validation.index_among(estimator.classes_, labels)


def check_numbers(y: ArrayLike, *, n: int) -> Vector:
    """Return the targets of a regression: one number per row, with a finite sum."""
    targets = _targets(y, n)
    if targets.dtype.kind not in "biuf":
        try:
            targets = targets.astype(np.float64)
        except OverflowError:
            raise ValueError(
                "y holds a whole number that is too large for a float: rescale the targets"
            ) from None
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y holds {targets.tolist()[0]!r}, which is no number; a regressor predicts "
                "numbers, a classifier predicts labels"
            ) from error
    numbers = targets.astype(np.float64)
    largest = float(abs(numbers).max(initial=0.0))
    if largest > _LARGEST_SUM / (n + 1):
        raise ValueError(
            f"the largest target is {largest:.3g}: sums of such targets would overflow. Rescale "
            "the targets"
        )
    return numbers


def row_weights(
    sample_weight: ArrayLike | None,
    *,
    class_weight: Any = None,
    labels: NDArray[Any] | None = None,
    n: int,
) -> Vector:
    """Return the weight of each row: its own times that of its class.

    Balanced classes are counted without rows of weight 0, which are as if not there.

    Examples
    --------
    >>> row_weights(None, class_weight={0: 3.0, 1: 1.0}, labels=np.array([0, 1]), n=2)
    array([3., 1.])
    """
    weights = validation.sample_weights(sample_weight, n)
    if class_weight is None:
        return weights
    _refuse_strange_weights(class_weight)
    with np.errstate(over="ignore"):
        there = np.flatnonzero(weights) if class_weight == "balanced" else None
        weights = weights * compute_sample_weight(class_weight, labels, indices=there)
        total = weights.sum()
    if not 0.0 < total < validation.MOST_WEIGHT:
        raise ValueError(
            f"class_weight={_arguments.short(class_weight)} makes the weights of all rows sum to "
            f"{total:g}; give at least one class with rows a weight, and none a huge one"
        )
    return weights


def class_weights(class_weight: Any, classes: NDArray[Any], n_rows: Indices) -> Vector:
    """Return what multiplies the weights of the rows of each class, given how many there are.

    The rows are those with a weight, as in `row_weights`; a class without any weighs nothing.

    Examples
    --------
    >>> class_weights("balanced", np.array(["no", "yes"]), np.array([30, 10]))
    array([0.66666667, 2.        ])
    """
    if class_weight is None:
        return np.ones(len(classes))
    _refuse_strange_weights(class_weight)
    if isinstance(class_weight, str):
        there = n_rows > 0
        return np.where(there, n_rows.sum() / (there.sum() * np.maximum(n_rows, 1)), 0.0)
    return np.asarray(compute_sample_weight(class_weight, classes), dtype=np.float64)


def _refuse_strange_weights(class_weight: Any) -> None:
    if isinstance(class_weight, dict) and not sparse.issparse(class_weight):
        numbers = list(cast("dict[Any, Any]", class_weight).values())
        known = all(isinstance(each, Real) and 0.0 <= cast("Any", each) < 1e300 for each in numbers)
    else:
        known = isinstance(class_weight, str) and class_weight == "balanced"
    if not known:
        raise ValueError(
            f"class_weight={_arguments.short(class_weight)} must be 'balanced', or a dict with a "
            "finite number, 0 or more, for each class"
        )


def _targets(y: Any, n: int) -> NDArray[Any]:
    """Return the targets as a vector as long as the table."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    targets = cast("NDArray[Any]", column_or_1d(exact(y), warn=True))
    if len(targets) != n:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n, len(targets)]}; give one target per row"
        )
    objects = targets.tolist() if targets.dtype.kind == "O" else []
    kinds = set(map(type, objects))
    empty = not kinds <= {str} and any(missing(value) for value in objects)
    if empty or (targets.dtype.kind == "f" and not np.isfinite(targets).all()):
        raise ValueError(
            "Input y contains NaN or infinity: some targets are missing; leave such rows out"
        )
    if str in kinds and len(kinds) > 1:
        raise ValueError(
            "y mixes text and other things, which cannot be sorted; make all of it text"
        )
    return targets


def missing(value: Any) -> bool:
    """Return whether one cell is empty: None, NaN, NaT or pandas' NA.

    Examples
    --------
    >>> missing(None), missing(float("nan")), missing("")
    (True, True, False)
    """
    if value is None:
        return True
    try:
        unequal = value != value  # noqa: PLR0124 - NaN is what differs from itself
    except ArithmeticError:  # the NaN of decimals that signals
        return True
    return bool(unequal) if isinstance(unequal, (bool, np.bool_)) else True


def count_missing(cells: NDArray[Any]) -> int:
    """Return how many cells of a column are empty; of many rows no list is made.

    Examples
    --------
    >>> count_missing(np.array([1.0, np.nan])), count_missing(np.array(["a", None], dtype=object))
    (1, 1)
    """
    if cells.dtype.kind in "biuUS":
        return 0
    if cells.dtype.kind in "fc":
        return int(np.count_nonzero(np.isnan(cells)))
    blocks = (cells[start : start + _BLOCK] for start in range(0, len(cells), _BLOCK))
    return sum(sum(map(missing, block.tolist())) for block in blocks)
