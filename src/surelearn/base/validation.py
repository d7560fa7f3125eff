"""Checks at the door: tables, labels and weights of any kind become arrays, or a clear refusal."""

from contextlib import suppress
from decimal import InvalidOperation
from functools import reduce
from numbers import Number
from typing import Any, Literal, TypeAlias, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_non_negative, validate_data

from surelearn import _arguments
from surelearn._jit import rows
from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike, Indices, Mask, Vector
from surelearn.base.labels import comparable, exact, refuse_masked, refuse_signals
from surelearn.base.parted import PartedTable

LARGEST = rows.LARGEST
MOST_WEIGHT = 1e300
"""What the weights of all rows together must stay below, so that sums of drawn rows are finite."""

_TOO_LARGE = (
    "the table holds a whole number that is too large for a float: rescale its column, or make it "
    "text"
)
_READS_NONE = (
    "reads no missing values: fill them in, as TableEncoder does, leave those rows out, or "
    "take a learner that reads them, such as gradient boosting, random forests, CART, C4.5 or "
    "MixedNaiveBayes"
)
_HEAD, _FEW = 1000, 8  # labels looked at first; classes compared one by one

Targets: TypeAlias = Literal["labels", "numbers"]
"""What is predicted: labels of any kind, or finite numbers."""


def check(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    targets: Targets = "labels",
    reset: bool = False,
    finite: bool = True,
) -> tuple[Any, NDArray[Any]]:
    """Check rows and targets by scikit-learn's rules; return both as arrays.

    Without `finite` rows are not looked through: for a learner whose sums will tell, or which calls
    `all_finite` itself.
    """
    X = _entering(X)
    numeric = targets == "numbers"
    X, y = validated(
        estimator,
        X,
        refuse_signals(exact(y)),
        reset=reset,
        accept_sparse="csr",
        dtype=np.float64,
        order="C",
        ensure_all_finite=False,
        y_numeric=numeric,
    )
    if finite:
        X = all_finite(estimator, X)
    if numeric:
        return X, _finite_numbers(y)
    if y.dtype == object:
        distinct(y)  # it says what is wrong with labels of many kinds
    if y.dtype.kind not in "biuUS":  # integers and strings are labels; floats may be measurements
        check_classification_targets(y)
    return X, y


def validated(estimator: Any, *tables: Any, **options: Any) -> Any:
    """Return what scikit-learn makes of rows and targets; numbers too large for it are refused.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> validated(Perceptron(), [[10**400]], reset=True, dtype=np.float64)
    Traceback (most recent call last):
    ValueError: the table holds a whole number that is too large for a float: rescale its column, or
    make it text
    """
    try:
        return validate_data(estimator, *tables, **options)
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None
    except NotImplementedError as error:  # Arrow's own, of unions
        raise ValueError(f"the table has a column that holds no numbers: {error}") from None
    except TypeError as error:
        if "boolean value of NA" not in str(error):
            raise
        raise ValueError("some labels are missing (NA): leave out those rows") from None
    except InvalidOperation:  # by a NaN of Decimal
        raise ValueError("some labels are missing (Decimal's NaN): leave out those rows") from None
    except ValueError as error:
        raise _in_few_words(estimator, error) from None


def _in_few_words(estimator: Any, error: ValueError) -> ValueError:
    """Say what to do about missing values; scikit-learn writes a paragraph, of its own learners."""
    if "HistGradientBoosting" not in str(error):
        return error
    return ValueError(f"Input X contains NaN, and {type(estimator).__name__} {_READS_NONE}")


def checked_numbers(X: Any, **options: Any) -> Any:
    """Return what scikit-learn makes of rows of finite numbers that no learner was fitted to.

    Examples
    --------
    >>> checked_numbers([[1, 2]])
    array([[1., 2.]])
    """
    check_one: Any = check_array
    refuse_parts(X)
    try:
        return check_one(sound(X), dtype=np.float64, **options)
    except OverflowError:
        raise ValueError(_TOO_LARGE) from None


def check_rows(estimator: Any, X: Any) -> Any:
    """Check rows alone, for a learner that knows its features."""
    X = validated(
        estimator,
        _entering(X),
        reset=False,
        accept_sparse="csr",
        dtype=np.float64,
        order="C",
        ensure_all_finite=False,
    )
    return all_finite(estimator, X)


def all_finite(estimator: Any, X: Any, *, short: bool = False) -> Any:
    """Return the rows if every value is finite; scikit-learn says what is wrong with others.

    A small sum of all squares vouches for each value and each row, faster than a look at each. With
    `short` rows are refused whose products may overflow.

    Examples
    --------
    >>> all_finite(None, np.array([[3.0, 4.0]])).shape
    (1, 2)
    """
    values: Any = cast("Any", X).data if sparse.issparse(X) else X
    if rows.sum_of_squares(values.ravel()) <= LARGEST**2:
        return X
    with np.errstate(invalid="ignore"):  # it sums infinities of either sign
        try:
            assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
        except ValueError as error:
            raise _in_few_words(estimator, error) from None
    return short_enough(X) if short else X


def short_enough(X: Any) -> Any:
    """Return the rows unless one is so long that products of rows overflow.

    Examples
    --------
    >>> short_enough(np.array([[3.0, 4.0]])).shape
    (1, 2)
    """
    longest = rows.largest_norm(rows.of(X))
    if not longest <= LARGEST:
        raise ValueError(
            f"the longest row has norm {longest:.3g}, beyond {LARGEST:g}: inner products would "
            "overflow. Rescale the features"
        )
    return X


def bits(X: Any) -> Any:
    """Return the rows if every value is 0 or 1; say how to get there otherwise.

    Examples
    --------
    >>> bits(np.array([[0.0, 1.0]]))
    array([[0., 1.]])
    """
    values: Any = cast("Any", X).data if sparse.issparse(X) else X
    if not ((values == 0.0) | (values == 1.0)).all():
        raise ValueError(
            "this learner reads features that are 0 or 1; turn numbers into bits first, for "
            "example with scikit-learn's Binarizer, KBinsDiscretizer or OneHotEncoder"
        )
    return X


def two_or_more(classes: NDArray[Any], *, may_grow: bool = False) -> NDArray[Any]:
    """Return the classes if there are at least two of them; learners that learn on may get more.

    Examples
    --------
    >>> two_or_more(np.array(["no"]))
    Traceback (most recent call last):
    ValueError: y has one class (['no']): a classifier needs examples of two
    """
    if len(classes) < 2:
        more = ". If more will come, name them all: partial_fit(X, y, classes=[...])"
        raise ValueError(
            f"y has one class ({classes.tolist()}): a classifier needs examples of two"
            f"{more if may_grow else ''}"
        )
    return classes


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted distinct labels; a few that stand at the beginning are found fast.

    Examples
    --------
    >>> distinct(np.array(["yes", "no", "yes"])).tolist()
    ['no', 'yes']
    """
    try:
        head = np.unique(labels[:_HEAD])
        if len(head) <= _FEW and not _strangers(head, labels).any():
            return head
        return np.unique(labels)
    except (TypeError, ValueError, InvalidOperation):  # these by arrays, and by a NaN of Decimal
        raise ValueError(
            "y mixes labels that cannot be sorted, such as numbers and text, or some are missing "
            "(None); make all of one kind, and leave out rows without a label"
        ) from None


def _finite_numbers(y: NDArray[Any]) -> Vector:
    """Return targets as numbers; of None among objects scikit-learn makes NaN, unseen."""
    numbers = _arguments.numbers("y", y)
    assert_all_finite(numbers, input_name="y")
    return numbers


def named_classes(classes: Any) -> NDArray[Any]:
    """Return the classes that are to come, sorted; one may stand alone.

    Examples
    --------
    >>> named_classes("no").tolist(), named_classes([2, 1, 2]).tolist()
    (['no'], [1, 2])
    """
    alone = isinstance(classes, str | bytes | Number)
    return distinct(_arguments.labels("classes", [classes] if alone else classes))


def index_among(classes: NDArray[Any], labels: NDArray[Any], kind: Any = np.int64) -> Indices:
    """Return the position of each label among the sorted classes, as integers of a kind."""
    classes, labels = comparable(classes, labels)
    if len(classes) == 2:  # as most often, and told in fewer looks
        second = labels == classes[1]
        if np.logical_or(second, labels == classes[0]).all():
            return second.astype(kind)
    strangers = _strangers(classes, labels)
    if strangers.any():
        raise ValueError(
            f"label {labels[strangers].tolist()[0]!r} is not among the classes {classes.tolist()} "
            "of the first call; name them all there: partial_fit(X, y, classes=[...])"
        )
    return np.searchsorted(classes, labels).astype(kind, copy=False)


def place_of(classes: NDArray[Any], label: Any) -> int:
    """Return the position of one label among the sorted classes; refuse what is no label.

    Examples
    --------
    >>> place_of(np.array(["no", "yes"]), "yes")
    1
    """
    cell = np.empty((1, 0))
    if not (sparse.issparse(label) or isinstance(label, np.ma.MaskedArray)):
        with suppress(TypeError, ValueError):  # of rows of several lengths
            cell = np.asarray(refuse_signals([label]))
    if cell.shape != (1,):
        told = str(label)
        raise ValueError(f"y={told[:60]}{'...' * (len(told) > 60)} is not the label of one row")
    return int(index_among(classes, cell)[0])


def _strangers(classes: NDArray[Any], labels: NDArray[Any]) -> Mask:
    """Return which labels are none of the sorted classes; a few classes are compared in turn."""
    if len(classes) <= _FEW:
        return ~reduce(np.logical_or, (labels == known for known in classes))
    try:
        nearest = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    except TypeError:  # they cannot be compared, so that none is another
        return np.ones(len(labels), dtype=np.bool_)
    return classes[nearest] != labels


def sample_weights(weights: ArrayLike | None, n: int, *, whole: bool = True) -> Vector:
    """Return one non-negative weight per row, ones if none are given.

    All may be 0 unless these are the `whole` of the rows.

    Examples
    --------
    >>> sample_weights(None, 3)
    array([1., 1., 1.])
    """
    if weights is None:
        return np.ones(n)
    refuse_masked(weights, "sample_weight")
    array = _arguments.numbers("sample_weight", weights)
    if array.shape != (n,):
        raise ValueError(f"sample_weight has shape {array.shape}; give one weight per row: ({n},)")
    if not np.isfinite(array).all():
        raise ValueError("sample_weight contains NaN or infinity; give finite weights")
    if array.size:
        check_non_negative(array, "sample_weight")
    if whole and not array.any():
        raise ValueError("sample_weight is zero everywhere; give at least one row a weight")
    with np.errstate(over="ignore"):
        total = array.sum()
    if not total < MOST_WEIGHT:
        raise ValueError(f"sample_weight sums to {total:g}; divide it by its largest value")
    return array


def heavy_enough(weights: Vector) -> Vector:
    """Return weights by whose sum one may divide; smaller ones have no reciprocal among floats.

    Examples
    --------
    >>> heavy_enough(np.array([0.0, 1e-300]))
    array([0.e+000, 1.e-300])
    """
    total = float(weights.sum())
    if 0.0 < total < 1.0 / MOST_WEIGHT:
        raise ValueError(f"sample_weight sums to {total:g}; divide it by its largest value")
    return weights


def _entering(X: Any) -> Any:
    """Return sound rows; name the columns of a data frame that are not numbers."""
    refuse_parts(X)
    X = sound(X)
    if not (isinstance(X, np.ndarray) or sparse.issparse(X)):
        _refuse_text_columns(X)  # scikit-learn names only a value
    return X


def refuse_parts(X: Any) -> None:
    """Refuse a table in parts where rows are needed.

    Examples
    --------
    >>> refuse_parts([[1.0]])
    """
    if isinstance(X, PartedTable):
        raise TypeError(
            "this learner needs all its rows at once, and these are the parts of a table: read "
            "them into one, or let a learner with partial_fit go through them by "
            "learn_stream(learner, parts)"
        )


def _refuse_text_columns(X: Any) -> None:
    if not nw.dependencies.is_into_dataframe(X):
        return
    schema = nw.from_native(X, eager_only=True).schema
    text = [name for name, kind in schema.items() if not (kind.is_numeric() or kind == nw.Boolean)]
    if text:
        raise ValueError(
            f"columns {text} are not numbers; encode them first (scikit-learn's OneHotEncoder or "
            "OrdinalEncoder), or leave them out"
        )


SMALLEST = 1.0 / LARGEST
"""Squares of smaller numbers, and products of them, may vanish."""

_FIRST = 100  # rows looked at before all others


def refuse_huge(values: NDArray[Any], what: str) -> None:
    """Refuse values whose squares may overflow; a missing one does not count.

    Examples
    --------
    >>> refuse_huge(np.array([3.0, np.nan]), "features")
    >>> refuse_huge(np.array([3.0, -1e150]), "features")
    Traceback (most recent call last):
    ValueError: the largest value is 1e+150, beyond 1e+140: squares would overflow. Rescale the
    features
    """
    largest = _largest(values)
    if largest > LARGEST:
        raise ValueError(
            f"the largest value is {largest:.3g}, beyond {LARGEST:g}: squares would overflow. "
            f"Rescale the {what}"
        )


def refuse_tiny(values: NDArray[Any], what: str) -> None:
    """Refuse values whose squares may all vanish, unless they are all zero.

    Examples
    --------
    >>> refuse_tiny(np.array([0.0, 1e-200, 5.0]), "features")
    >>> refuse_tiny(np.array([0.0, 1e-170]), "features")
    Traceback (most recent call last):
    ValueError: the largest value is 1e-170, below 1e-140: squares would vanish. Rescale the
    features
    """
    if _largest(values[:_FIRST]) >= SMALLEST:  # as nearly always
        return
    largest = _largest(values)
    if 0.0 < largest < SMALLEST:
        raise ValueError(
            f"the largest value is {largest:.3g}, below {SMALLEST:g}: squares would vanish. "
            f"Rescale the {what}"
        )


def refuse_extreme(X: Any) -> None:
    """Refuse rows, dense or sparse, whose squares may overflow, or may all vanish.

    Examples
    --------
    >>> refuse_extreme(np.array([[3.0, 1e-200]]))
    >>> refuse_extreme(np.array([[3.0, 1e150]]))
    Traceback (most recent call last):
    ValueError: the largest value is 1e+150, beyond 1e+140: squares would overflow. Rescale the
    features
    """
    values = cast("Any", X).data if sparse.issparse(X) else np.ravel(X)
    refuse_huge(values, "features")
    refuse_tiny(values, "features")


def _largest(values: NDArray[Any]) -> float:
    """Return the size of the largest value that is there, 0 if there is none."""
    highest = np.fmax.reduce(values, axis=None, initial=0.0)
    lowest = np.fmin.reduce(values, axis=None, initial=0.0)
    return float(max(highest, -lowest))
