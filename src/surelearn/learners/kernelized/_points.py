"""What a kernel machine reads: rows of a table, strings, or kernel values computed beforehand."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from surelearn._jit import fingerprints
from surelearn._jit import rows as jit_rows
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Matrix, Vector
from surelearn.base import validation
from surelearn.base.cell_bits import cell_bits
from surelearn.kernels import Gaussian, Kernel
from surelearn.kernels.norms import is_ours

_SHORT_NAMES = {
    "rbf": "Gaussian(gamma=0.1), or None for a gamma chosen from the rows",
    "gaussian": "Gaussian(gamma=0.1), or None for a gamma chosen from the rows",
    "linear": "Linear()",
    "poly": "Polynomial(degree=3)",
    "polynomial": "Polynomial(degree=3)",
}
_EIGENVALUES = 600  # rows up to which all eigenvalues are looked at
_ROWS_AT_ONCE = 256
_ROUNDING = 1e-6  # of values computed elsewhere, for each unit of the largest one


def refuse_unknown(kernel: Any) -> None:
    """Refuse what is no kernel; say what to write instead."""
    if kernel is None or isinstance(kernel, Kernel) or callable(kernel):
        return
    if isinstance(kernel, str):
        if kernel == "precomputed":
            return
        instead = _SHORT_NAMES.get(kernel.lower(), "a kernel of surelearn.kernels")
        raise ValueError(f"kernel={kernel!r} is no kernel: write kernel={instead}")
    raise ValueError(
        f"kernel={kernel!r} must be a kernel of surelearn.kernels, a function of two tables, "
        "'precomputed', or None for a Gaussian"
    )


def reads_strings(kernel: Any, X: Any) -> bool:
    """Say whether points are strings: the kernel says so, or it does not mind and they are."""
    if kernel is None or (isinstance(kernel, Kernel) and kernel.domain in {"vectors", "bits"}):
        if _are_texts(X) and len(X):
            raise ValueError(
                "this kernel reads rows of numbers, and X holds strings: take a kernel of strings, "
                "such as kernels.Subsequence(order=3)"
            )
        return False
    if isinstance(kernel, Kernel) and kernel.domain == "strings":
        return True
    return not isinstance(kernel, str) and _are_texts(X)


def _are_texts(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and all(isinstance(text, str) for text in X.tolist())
    return isinstance(X, list | tuple) and all(
        isinstance(text, str) for text in cast("list[Any]", X)
    )


def texts(X: Any) -> NDArray[Any]:
    """Return strings as an array of them."""
    if isinstance(X, str) or np.ndim(X) != 1 or not len(X):
        raise ValueError("this kernel reads strings: give a list of them, one for each example")
    found = np.array(X, dtype=object)
    if not all(isinstance(text, str) for text in found.tolist()):
        raise ValueError("this kernel reads strings, and some of X are none")
    return found


def row_hashes(kernel: Any, points: Any) -> Hashes | None:
    """Return a hash of each row or string; None if only kernel values are known."""
    if isinstance(kernel, str):
        return None
    if points.ndim == 1:
        return fingerprints.column_hashes([(0, cell_bits(points))])
    return fingerprints.row_hashes(jit_rows.of(points))


def admit(kernel: Any, X: Any) -> Any:
    """Return rows of numbers that the kernel reads, or refuse them."""
    if type(kernel) is Gaussian:  # one that inherits from it may be another kernel
        return validation.all_finite(None, X, short=True)
    if isinstance(kernel, Kernel):
        X = validation.bits(X) if kernel.domain == "bits" else X
        with np.errstate(over="ignore", invalid="ignore"):
            finite = np.isfinite(diagonal(kernel, X)).all()
        if not finite:
            raise ValueError(f"the values of {kernel!r} overflow; rescale the rows")
    return X


def read_again(model: Any, X: Any) -> Any:
    """Return new points as a fitted model reads them."""
    kernel = model.kernel_
    if reads_strings(kernel, X):
        return texts(X)
    if isinstance(kernel, str):
        return _dense(validation.check_rows(model, X))
    return admit(kernel, validation.check_rows(model, X))


def precomputed(X: Any) -> Matrix:
    """Return a Gram matrix if it is square, symmetric, and has no negative eigenvalue."""
    X = _dense(X)
    if X.shape[0] != X.shape[1]:
        raise ValueError(
            f"kernel='precomputed' needs the kernel values of all pairs of training rows, a square "
            f"matrix, and X has shape {X.shape}"
        )
    refuse_asymmetric(X, "the precomputed kernel matrix is")
    refuse_indefinite(X)
    return X


def refuse_asymmetric(gram: Matrix, told: str) -> None:
    """Refuse values that are others if two rows change places."""
    parts = gen_batches(len(gram), _ROWS_AT_ONCE)
    skew = max(float(np.abs(gram[part] - gram[:, part].T).max()) for part in parts)
    if skew > _ROUNDING * max(-float(gram.min()), float(gram.max())):
        raise ValueError(f"{told} not symmetric, so it is no kernel")


def _dense(X: Any) -> Matrix:
    if sparse.issparse(X):
        raise TypeError("a precomputed kernel matrix must be dense, and this one is sparse")
    return X


def refuse_indefinite(gram: Matrix) -> None:
    """Refuse a Gram matrix with a negative eigenvalue; of a large one only pairs are looked at."""
    scale = float(np.abs(gram).max())
    if float(np.diagonal(gram).min()) < -_ROUNDING * scale:
        raise _indefinite(f"the value of a row with itself is {np.diagonal(gram).min():.3g}")
    if len(gram) <= _EIGENVALUES:
        least = float(np.linalg.eigvalsh(0.5 * (gram + gram.T))[0])
        if least < -_ROUNDING * scale:
            raise _indefinite(f"its Gram matrix has the eigenvalue {least:.3g}")
    elif (least := _least_of_pairs(gram)) < -_ROUNDING * scale:
        raise _indefinite(f"its Gram matrix has an eigenvalue of {least:.3g} or less")


def _least_of_pairs(gram: Matrix) -> float:
    """Return the least eigenvalue of the values of two rows; that of all rows is not above it."""
    diagonal, found = np.diagonal(gram), np.inf
    for part in gen_batches(len(gram), _ROWS_AT_ONCE):
        own = diagonal[part, np.newaxis]
        roots = np.hypot(0.5 * (own - diagonal), gram[part])
        roots[np.arange(len(roots)), np.arange(part.start, part.stop)] = 0.0
        found = min(found, float((0.5 * (own + diagonal) - roots).min()))
    return found


def refuse_curvature(curvature: float, scale: float) -> None:
    """Refuse a kernel by which two rows had a negative squared distance."""
    if curvature < -10.0 * _ROUNDING * scale:
        raise _indefinite(f"two rows have the squared distance {curvature:.3g}")


def _indefinite(found: str) -> ValueError:
    return ValueError(
        f"the kernel is not positive semidefinite on these rows, so it is no inner product: {found}"
    )


def values_of(kernel: Any) -> Callable[[Any, Any], Matrix]:
    """Return the function that gives the values of all pairs of points of two lists.

    What a kernel that is not of this library returns is looked at.
    """
    if is_ours(kernel):
        return kernel

    def call(X: Any, Z: Any) -> Matrix:
        other = X if Z is None else Z
        found, n, m = _floats(kernel, kernel(X, other)), _count(X), _count(other)
        if found.shape != (n, m) or not np.isfinite(found).all():
            raise ValueError(
                f"{named(kernel)} returned shape {found.shape}, or NaN, or infinity; "
                f"it must return a finite number for each of {n} x {m} pairs"
            )
        return found

    return call


def named(kernel: Any) -> str:
    """Return what to call a kernel that is not of this library."""
    return "the kernel" if isinstance(kernel, Kernel) else "the function given as kernel"


def _count(points: Any) -> int:
    """Return how many rows or strings there are; a sparse table has no length."""
    return len(points) if isinstance(points, Sequence) else points.shape[0]


def _floats(kernel: Any, values: Any) -> Matrix:
    """Return what a foreign kernel gave for values, dense or sparse, as numbers."""
    plain: Any = cast("Any", values).toarray() if sparse.issparse(values) else values
    if np.ma.is_masked(plain):
        raise ValueError(f"{named(kernel)} returned masked values; give all of them")
    try:
        found = np.asarray(plain)
        if found.dtype.kind in "biufO":
            return found.astype(np.float64, copy=False)
    except (TypeError, ValueError):  # lists of several lengths, or cells that are no numbers
        pass
    raise ValueError(
        f"{named(kernel)} returned what is no table of numbers; it must return a finite number "
        "for each pair of rows"
    )


def diagonal(kernel: Any, points: Any) -> Vector:
    """Return the value of each point with itself."""
    if is_ours(kernel):
        return np.asarray(kernel.diagonal(points), dtype=np.float64)
    if isinstance(kernel, Kernel):
        found = _floats(kernel, kernel.diagonal(points))
        if found.shape != (_count(points),):
            raise ValueError(
                f"the kernel's diagonal has shape {found.shape}; it must have a value for each of "
                f"{_count(points)} points"
            )
        return found
    call, n = values_of(kernel), points.shape[0]
    parts = [np.diagonal(call(points[part], None)) for part in gen_batches(n, 256)]
    return np.concatenate(parts)


def scaled_gaussian(X: Any, sample_weight: Any = None) -> Gaussian:
    """Return a Gaussian whose gamma is 1 / (features · variance of all entries).

    A row of weight 2 counts as two rows.

    Examples
    --------
    >>> scaled_gaussian(np.array([[0.0, 2.0], [2.0, 0.0]]))
    Gaussian(gamma=0.5)
    """
    n, width = X.shape
    if sample_weight is None and isinstance(X, np.ndarray):
        variance = float(X.var())
    else:
        shares = validation.sample_weights(sample_weight, n)
        variance = _weighted_variance(X, shares / (shares.sum() * width))
    return Gaussian(gamma=1.0 / (width * variance) if variance > 0.0 else 1.0)


def _weighted_variance(X: Any, shares: Vector) -> float:
    """Return the variance of all entries, those of a row of this share each.

    Squares of deviations are summed: of entries far from 0 those of the entries would cancel.
    """
    mean = float((shares @ X).sum())
    if isinstance(X, np.ndarray):
        parts = gen_batches(len(X), _ROWS_AT_ONCE)
        return sum(float((shares[part] @ (X[part] - mean) ** 2).sum()) for part in parts)
    deviations = X.copy()
    deviations.data = (deviations.data - mean) ** 2
    stored = np.diff(X.indptr)
    return float((shares @ deviations).sum() + shares @ (X.shape[1] - stored) * mean**2)


def refuse_unlike(model: Any) -> None:
    """Refuse a fitted machine whose support vectors are not what its kernel reads."""
    kernel, kept, n = model.kernel_, model.support_vectors_, len(model.support_)
    if isinstance(kernel, str):
        return
    if isinstance(kept, np.ndarray) and kept.ndim == 1:
        if len(kept) != n or not reads_strings(kernel, texts(kept) if n else kept):
            raise ValueError("its support vectors are not those of its coefficients")
        return
    table = isinstance(kept, np.ndarray) or sparse.issparse(kept)
    if not table or cast("Any", kept).shape != (n, model.n_features_in_):
        raise ValueError("its support vectors are not those of its coefficients")
    cells = cast("Any", kept).data if sparse.issparse(kept) else kept
    if cells.dtype != np.float64 or (isinstance(kernel, Kernel) and kernel.domain == "strings"):
        raise TypeError("its support vectors are no rows of floats")
    validation.all_finite(model, kept, short=True)
