"""The compiler's flags, in one place."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit, types
from numba.core.errors import TypingError
from numba.core.types import unliteral
from numba.core.typing.templates import signature
from numba.extending import lower_builtin, overload, type_callable

from surelearn._jit._kept_code import cache_of
from surelearn._jit._linked import (
    BorrowingCompiler,
    EntranceCompiler,
    LinkedCompiler,
    QuietCompiler,
)
from surelearn._jit._sources import enlist

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Sums may be reassociated, so that they become vector instructions; NaN and infinity keep their
# meaning, and sums of integers stay exact. So a loop that adds up floats must write to no array:
# the compiler would ask each time whether arrays overlap, and take near neighbours for that. Then
# it adds one by one, and the last bits of a sum depend on where its arrays happen to lie.
_FLAGS: Any = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"nsz", "arcp", "contract", "reassoc"},
    "no_cfunc_wrapper": True,  # none is handed to C
}
_NO_ENTRANCE: Any = {"no_cpython_wrapper": True}


def jit(function: _Function) -> _Function:
    """Compile a loop over arrays and scalars, without the interpreter's lock.

    Compilation happens at the first call and is kept on disk, if there is a place for it: without
    one, or if what is kept there is damaged, the loop is compiled anew and a warning says so once.
    The plain function remains available as `function.py_func`.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn._jit import rows
    >>> float(rows.largest_norm(np.array([[3.0, 4.0], [1.0, 0.0]])))
    5.0
    """
    return _with_entrance(function, {"pipeline_class": QuietCompiler})


def entrance(function: _Function) -> _Function:
    """Compile a `jit` loop that borrows, as `borrowing` has it, what Python holds.

    To unpack records of many arrays may take as long to compile as the loop. It looks at them only.
    Other loops cannot call it, but where its code is: see `compiled_apart`.

    Examples
    --------
    >>> import numpy as np
    >>> @entrance
    ... def first(pair):
    ...     return pair[0][0] + pair[1][0]
    >>> float(first.py_func((np.ones(2), np.ones(3))))
    2.0
    """
    compiled: Any = _with_entrance(function, {"pipeline_class": EntranceCompiler, "_nrt": False})
    if hasattr(compiled, "enable_caching"):
        _close_to_loops(compiled, function.__name__)
    return cast("_Function", compiled)


def _close_to_loops(compiled: Any, name: str) -> None:
    """Refuse calls by loops: they would work until the loop is found on disk the next time."""

    def refuse(*_: Any) -> None:
        raise TypingError(f"{name} is called by Python alone")

    compiled.get_call_template = refuse


def _with_entrance(function: _Function, options: Any) -> _Function:
    enlist(function)
    compiled: Any = njit(**_FLAGS, **options)(function)
    if hasattr(compiled, "enable_caching"):  # not if the compiler is switched off
        compiled._cache = cache_of(function)  # noqa: SLF001 - what its `enable_caching` does
    return cast("_Function", compiled)


def inlined(function: _Function) -> _Function:
    """Compile a step as a part of each loop that calls it, and by itself only if Python does.

    A compiled function that is called is compiled by itself, and once more inside every caller. A
    loop of many steps compiles several times faster if steps with one caller are a part of it.

    Examples
    --------
    >>> @inlined
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    enlist(function)
    return cast("_Function", njit(inline="always", **_FLAGS)(function))


def inner(function: _Function) -> _Function:
    """Compile a loop that only compiled loops call: it has no entrance from Python.

    Entrances unpack every array of the arguments, which may take longer to compile than the loop.
    It is optimised, made into machine code and kept on disk as a part of its callers only.
    Without the compiler, as in tests, it is an ordinary function.

    Examples
    --------
    >>> @inner
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    Traceback (most recent call last):
    TypeError: double is called by compiled loops alone; double.py_func is its plain self
    """
    return _without_entrance(function, {"pipeline_class": LinkedCompiler})


def borrowing(function: _Function) -> _Function:
    """Compile an `inner` loop that makes no array and returns none: it counts no references.

    To count those of all arrays in a tuple takes longer than a small node of a tree. Its caller
    keeps every array that it reads; the compiler refuses one that makes or returns arrays.

    Examples
    --------
    >>> @borrowing
    ... def first(numbers):
    ...     return numbers[0]
    >>> first.py_func([3, 4])
    3
    """
    return _without_entrance(function, {"pipeline_class": BorrowingCompiler, "_nrt": False})


def _without_entrance(function: _Function, options: Any) -> _Function:
    enlist(function)
    compiled: Any = njit(**_FLAGS, **_NO_ENTRANCE, **options)(function)
    if hasattr(compiled, "enable_caching"):
        _close_entrance(compiled, function.__name__)
    return cast("_Function", compiled)


def _close_entrance(compiled: Any, name: str) -> None:
    """Refuse calls from Python, and let calls by constants share what is compiled for numbers."""
    find = compiled.get_call_template

    def find_for_any(arguments: Any, keywords: Any) -> Any:
        return find([unliteral(kind) for kind in arguments], keywords)

    def refuse(*_: Any, **__: Any) -> None:
        told = f"{name} is called by compiled loops alone; {name}.py_func is its plain self"
        raise TypeError(told)

    def keep(made: Any) -> None:
        compiled.overloads[tuple(made.signature.args)] = made

    compiled.get_call_template = find_for_any
    # What Python calls is never found, so that it asks for it to be compiled, and is refused.
    compiled._compile_for_args = refuse  # noqa: SLF001 - what a call from Python asks
    compiled.add_overload = keep


def compiled_as(
    plain: Callable[..., Any], *, inline: bool = False
) -> Callable[[_Function], _Function]:
    """Register a chooser of compiled versions of `plain` by the types of its arguments.

    With `inline` they become part of every loop that calls them, whatever their length: a call
    hands over a sparse matrix as twenty numbers, which may take longer than the row it is about.
    """
    options: Any = {**_FLAGS, "forceinline": inline}
    enlist(plain)
    return cast(
        "Callable[[_Function], _Function]", overload(plain, jit_options=options, strict=False)
    )


def instructions_for(
    plain: Callable[..., Any], result: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what writes the instructions that stand in a loop in place of a call of `plain`.

    Nothing is compiled for such a call. Whole numbers come as int64, whatever their kind.

    Examples
    --------
    >>> def double(x):
    ...     return 2 * x
    >>> @instructions_for(double, types.int64)
    ... def _(context, builder, signature, arguments):
    ...     return builder.add(arguments[0], arguments[0])
    >>> @inlined
    ... def quadruple(x):
    ...     return double(double(x))
    >>> quadruple(3)
    12
    """
    enlist(plain)

    def handed_over(kind: Any) -> Any:
        return types.int64 if isinstance(kind, types.Integer) else unliteral(kind)

    @cast("Any", type_callable)(plain)
    def _(_: Any) -> Any:
        def typed(*kinds: Any) -> Any:
            return signature(result, *map(handed_over, kinds))

        cast("Any", typed).pysig = inspect.signature(plain)
        return typed

    return cast("Any", lower_builtin)(plain, types.VarArg(types.Any))
