"""One row at a time: a mapping or an array becomes a matrix of one row, without a table's costs."""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from operator import itemgetter
from struct import Struct, error
from typing import Any, NamedTuple, Self, cast

import numpy as np
from scipy import sparse

from surelearn._jit.rows import is_finite
from surelearn._jit.sound_matrices import sound
from surelearn._stored import holds, stored
from surelearn._typing import ArrayLike, Matrix

_DOUBLE = np.dtype(np.float64)


class UnknownFeaturesError(ValueError):
    """A row has features that the reader has no place for."""


class _Columns(NamedTuple):
    n_features: int
    names: tuple[Any, ...] | None


@stored("row-reader")
@holds(
    n_features="count",
    names=tuple | None,
)
class RowReader(_Columns):
    """Reads single rows of a known width, by position or, where features have names, by name.

    As a value it is that and no more: what it keeps for speed changes neither copies nor hashes.

    Parameters
    ----------
    n_features
        The number of features of a row.
    names
        The names of the features, in order; without them a mapping is refused.

    Examples
    --------
    >>> read = RowReader(2, ["age", "height"])
    >>> read({"height": 1.8, "age": 40}), read({"age": 40}), read([40, 1.8])
    (array([[40. ,  1.8]]), array([[40.,  0.]]), array([[40. ,  1.8]]))
    """

    def __new__(cls, n_features: int, names: Iterable[Any] | None = None) -> Self:  # noqa: D102
        return super().__new__(cls, n_features, None if names is None else tuple(names))

    def __init__(self, n_features: int, names: Iterable[Any] | None = None) -> None:  # noqa: ARG002
        self.unseen = self._reading()

    def __reduce__(self) -> tuple[Any, ...]:
        """Store what makes it, not what it keeps for speed."""
        return RowReader, tuple(self)

    def __call__(self, x: Mapping[Any, float] | ArrayLike) -> Matrix:
        """Return the row as a matrix of finite numbers, which nobody may write to.

        The same values twice running, first to predict and then to learn, are read once. The
        attribute `unseen` does the same but for looking whether they are finite.
        """
        row = self.unseen(x)
        self.refuse_infinite(row)
        return row

    def refuse_infinite(self, row: Matrix) -> None:
        """Refuse a row with NaN or infinity; say where it has them."""
        if is_finite(row):
            return
        if self.names is None:
            raise ValueError("the row contains NaN or infinity; fill or drop it first")
        raise ValueError(_fault(dict(zip(self.names, row[0].tolist(), strict=True))))

    def _reading(self) -> Callable[[Any], Matrix]:
        """Return the function that reads rows: it has its tools at hand, not to be looked up."""
        n_features, names = self
        pick, shape = _picker(names or ()), (1, n_features)
        write: Any = Struct(f"{n_features}d").pack_into  # half the cost of NumPy's ways
        last: tuple[tuple[Any, ...], Matrix] = (), np.empty((1, 0))

        def unseen(x: Any) -> Matrix:
            nonlocal last
            if type(x) is not dict:
                if type(x) is np.ndarray and x.dtype is _DOUBLE and x.size == n_features:
                    row = x if x.shape == shape else x.reshape(shape) if x.ndim == 1 else None
                    if row is not None and row.flags.c_contiguous:
                        return row  # nothing to look up and nothing to convert
                return self._other(x)
            try:
                values = pick(x) if len(x) == n_features else self._in_order(x)
            except KeyError:
                values = self._in_order(x)
            known, row = last
            try:
                if values != known:
                    row = np.empty(shape)
                    write(row, 0, *values)
                    last = values, row
            except (TypeError, ValueError, OverflowError, error):
                raise ValueError(_fault(x)) from None
            return row

        return unseen

    def _other(self, x: Any) -> Matrix:
        # A pandas Series has names as well, and reading it by position would mix them up.
        if isinstance(x, Mapping) or (hasattr(x, "items") and not isinstance(x, type)):
            x = self._in_order(dict(cast("Any", x).items()))
        return self._array(cast("Any", x))

    def _array(self, x: ArrayLike) -> Matrix:
        row = np.ascontiguousarray(_numbers(sound(x)))
        if row.ndim == 1:
            row = row[np.newaxis]
        if row.shape != (1, self.n_features):
            raise ValueError(
                f"the row has shape {np.shape(x)}; this learner knows {self.n_features} features"
            )
        return row

    def _in_order(self, x: Mapping[Any, float]) -> tuple[Any, ...]:
        """Return the values in the order of the features; one that is missing is 0."""
        if self.names is None:
            raise ValueError(
                "a mapping needs feature names; learn first from a data frame, or pass an array"
            )
        if strangers := set(x).difference(self.names):
            raise UnknownFeaturesError(
                f"unknown features {sorted(strangers, key=str)}; this learner knows "
                f"{list(self.names)}"
            )
        return tuple(x.get(name, 0.0) for name in self.names)

    def _check_state(self) -> None:
        names = self.names
        if self.n_features < 1 or (names is not None and len(set(names)) != self.n_features):
            raise ValueError(f"it does not have {self.n_features} names, each once")


def _numbers(x: Any) -> Any:
    """Return a row of any kind as doubles, or refuse what is no row of numbers."""
    if sparse.issparse(x):
        x = cast("Any", x).toarray()
    try:
        cells = np.asarray(x)
        if cells.dtype.kind in "biufO" and not np.ma.is_masked(x):
            return cells.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError(
        f"the row is {type(x).__name__} {str(x)[:60]!r}; a row is one number per feature, in an "
        "array, a list or a mapping from names, and none of them may be missing"
    )


def _picker(names: tuple[Any, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that picks the values of these names, all present, from a mapping."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda x: tuple(x[name] for name in names)


def _fault(x: Mapping[Any, Any]) -> str:
    """Name the values of a row that are not finite numbers."""

    def is_bad(value: Any) -> bool:
        try:
            return not isfinite(value)
        except (TypeError, ValueError, OverflowError):
            return True

    bad = {name: value for name, value in x.items() if is_bad(value)}
    return f"the row has {bad}, where finite numbers belong; encode, fill or drop them first"
