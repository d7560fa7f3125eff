"""The array types of the library, under names that signatures show: what crosses a border."""

import numpy as np
from numpy.typing import ArrayLike as _ArrayLike
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

# An alias with a name is printed by it: `help` would spell out the others over ten lines.
ArrayLike = TypeAliasType("ArrayLike", _ArrayLike)
"""What NumPy makes an array of: numbers, lists of them, arrays, columns of data frames."""

Vector = TypeAliasType("Vector", NDArray[np.float64])
"""A one-dimensional float array."""

Matrix = TypeAliasType("Matrix", NDArray[np.float64])
"""A two-dimensional float array; rows are examples."""

Indices = TypeAliasType("Indices", NDArray[np.int64])
"""Integer positions or counts."""

Mask = TypeAliasType("Mask", NDArray[np.bool_])
"""Truth values."""
