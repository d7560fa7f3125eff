"""Which code runs: records of other code are neither mixed with these nor taken for them."""

import functools
import hashlib
from importlib.metadata import version
from pathlib import Path

_HERE = Path(__file__).parents[1]
OTHER_CODE = (
    "other versions of surelearn, NumPy, SciPy, PyArrow or scikit-learn than the process that "
    "asked it: install the same ones everywhere"
)
"""What is said of a worker whose code is not that of the process that asks it."""

_COUNT_TOO = ("numpy", "pyarrow", "scikit-learn", "scipy")


@functools.cache
def code_version() -> str:
    """Return a hash of this library's source and of the versions of what it computes with.

    Examples
    --------
    >>> len(code_version())
    16
    """
    digest = hashlib.sha256()
    for path in sorted(_HERE.rglob("*.py")):
        digest.update(path.relative_to(_HERE).as_posix().encode())
        digest.update(path.read_bytes())
    for name in _COUNT_TOO:
        digest.update(f"{name} {version(name)}".encode())
    return digest.hexdigest()[:16]
