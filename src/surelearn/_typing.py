"""The array types of the library: what crosses a function's border."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
"""A one-dimensional float array."""

Matrix: TypeAlias = NDArray[np.float64]
"""A two-dimensional float array; rows are examples."""

Indices: TypeAlias = NDArray[np.int64]
"""Integer positions or counts."""

Mask: TypeAlias = NDArray[np.bool_]
"""Truth values."""
