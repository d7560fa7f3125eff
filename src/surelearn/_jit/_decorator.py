"""The compiler's flags, in one place."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit
from numba.extending import overload

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Sums may be reassociated, so that they become vector instructions; NaN and infinity keep their
# meaning, and sums of integers stay exact.
_FLAGS: Any = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "arcp", "contract", "reassoc"},
}


def jit(function: _Function) -> _Function:
    """Compile a loop over arrays and scalars, without the interpreter's lock.

    Compilation happens at the first call and is kept on disk. The plain function remains available
    as `function.py_func`.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn._jit import rows
    >>> float(rows.largest_norm(np.array([[3.0, 4.0], [1.0, 0.0]])))
    5.0
    """
    return cast("_Function", njit(cache=True, **_FLAGS)(function))


def compiled_as(
    plain: Callable[..., Any], *, inline: bool = False
) -> Callable[[_Function], _Function]:
    """Register a chooser of compiled versions of `plain` by the types of its arguments.

    With `inline` they become part of every loop that calls them, whatever their length: a call
    hands over a sparse matrix as twenty numbers, which may take longer than the row it is about.
    """
    options: Any = {**_FLAGS, "forceinline": inline}
    return cast(
        "Callable[[_Function], _Function]", overload(plain, jit_options=options, strict=False)
    )
