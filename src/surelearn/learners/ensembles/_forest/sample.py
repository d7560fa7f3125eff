"""The rows that a forest learns from, and what tells them from others."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import fingerprints
from surelearn._typing import Matrix, Vector


class Sample(NamedTuple):
    """A checked training table: rows, classes or numbers, weights."""

    X: Matrix
    targets: NDArray[Any]
    weights: Vector
    n_classes: int


def digest(hashes: fingerprints.Hashes, sample: Sample) -> str:
    """Return what tells a table, its targets and weights from others."""
    bits = np.ascontiguousarray(sample.targets.astype(np.float64)).view(np.uint64)
    weights = np.ascontiguousarray(sample.weights).view(np.uint64)
    return "".join(map(hex_of, (hashes, bits, weights)))


def hex_of(bits: fingerprints.Hashes) -> str:
    """Return a hash of numbers in their order, as text."""
    return f"{int(fingerprints.checksum(bits)):016x}"
