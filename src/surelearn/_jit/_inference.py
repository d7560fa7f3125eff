"""What operators make of numbers and of arrays of them, asked once instead of at each place.

Numba tries a dozen rules at each `+` or `[i]` of a loop until one of them knows the operands: a
tenth of all compilation. The answer depends on nothing but their types. Nor does it take functions
of their own to compare two numbers, or to cut one to a whole number.
"""

import operator
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing.context import Context
from numba.core.typing.templates import make_intrinsic_template, signature
from numba.cpython.builtins import do_minmax

_NUMBERS = (types.Number, types.Boolean)


class _RememberingContext(Context):
    """Numba's knowledge of types, shared with it, and what was found out so far."""

    def __init__(self, known: Context) -> None:
        self.__dict__ = known.__dict__  # what Numba learns later is known here, too
        self._found: dict[Any, Any] = {}
        self._direct: dict[Any, Any] = {}

    def resolve_value_type(self, val: Any) -> Any:
        """Return the type of a constant; of functions of numbers, one that knows numbers first."""
        known = super().resolve_value_type(val)
        if not isinstance(known, types.Function) or known.typing_key not in _DIRECT:
            return known
        if known not in self._direct:
            first = _DIRECT[known.typing_key]
            self._direct[known] = types.Function((first, *known.templates))
        return self._direct[known]

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        if kws or not _is_lasting(func) or not all(map(_is_plain, args)):
            return super().resolve_function_type(func, args, kws)
        asked = (func, _without_constants(func, args))
        if asked not in self._found:
            self._found[asked] = super().resolve_function_type(*asked, kws)
        return self._found[asked]

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """Return the signature by which an element is written."""
        asked = _without_constants(operator.setitem, (target, index, value))
        if not all(map(_is_plain, asked)):
            return super().resolve_setitem(target, index, value)
        if asked not in self._found:
            self._found[asked] = super().resolve_setitem(*asked)
        return self._found[asked]


def _best_of_two(better: Callable[[Any, Any], Any]) -> Any:
    """Return instructions for `max` or `min` of two numbers: those that Numba has for more."""

    def instructions(typing: Any, first: Any, second: Any) -> Any:
        def write(context: Any, builder: Any, asked: Any, numbers: Any) -> Any:
            return do_minmax(context, builder, asked.args, numbers, better)

        return signature(typing.unify_types(first, second), first, second), write

    return instructions


def _whole(_: Any, number: Any) -> Any:
    """Return instructions for `int` of a number: whole numbers stay of their kind."""

    def write(context: Any, builder: Any, asked: Any, numbers: Any) -> Any:
        return context.cast(builder, numbers[0], asked.args[0], asked.return_type)

    return signature(number if isinstance(number, types.Integer) else types.intp, number), write


def _of_numbers(function: Any, n_numbers: int, instructions: Any) -> Any:
    """Return the rule by which a call by so many real numbers becomes instructions."""
    rule: Any = make_intrinsic_template(function, instructions, function.__name__)

    class OfNumbers(rule):
        def generic(self, args: Any, kws: Any) -> Any:
            """Return the signature of a call; None leaves it to Numba's own rules."""
            known = all(isinstance(one, (types.Integer, types.Float)) for one in args)
            fits = known and len(args) == n_numbers and not kws
            return super().generic(args, kws) if fits else None

    return OfNumbers


_DIRECT: Any = {
    max: _of_numbers(max, 2, _best_of_two(operator.gt)),
    min: _of_numbers(min, 2, _best_of_two(operator.lt)),
    int: _of_numbers(int, 1, _whole),
}


@cache  # one for all functions: what `overload` compiles is known by the context that asked
def _remembering(known: Context) -> _RememberingContext:
    return _RememberingContext(known)


_LASTING = (bool, len, range, slice, int, float, max, min, abs)
OF_CONSTANTS = (operator.pow, operator.ipow, slice)
"""Functions whose types or instructions depend on the values of constants."""


def _is_lasting(func: Any) -> bool:
    """Return whether it is a function of `operator` or of Python, or Numba's name for one."""
    plain = getattr(func, "typing_key", func)
    return getattr(plain, "__module__", None) == "_operator" or plain in _LASTING


def _is_plain(kind: Any) -> bool:
    """Return whether it is a type of numbers, or of arrays or slices of them, or tuples of such."""
    if isinstance(kind, types.SliceType):
        return not isinstance(kind, types.Literal)
    if type(kind) is types.Array:
        return isinstance(kind.dtype, _NUMBERS)
    parts: Any = getattr(kind, "types", None)
    return isinstance(kind, _NUMBERS) if parts is None else all(map(_is_plain, parts))


def _without_constants(func: Any, args: Any) -> tuple[Any, ...]:
    """Return types of operands, without their values where these change nothing."""
    of_constants = getattr(func, "typing_key", func) in OF_CONSTANTS
    if of_constants or isinstance(args[0], types.BaseTuple):  # whose parts may differ in type
        return tuple(args)
    return tuple(map(types.unliteral, args))


@register_pass(mutates_CFG=True, analysis_only=False)
class RememberingInference(NopythonTypeInference):
    """The pass that finds the types of all variables."""

    _name = "remembering_inference"

    def run_pass(self, state: Any) -> Literal[True]:
        """Find the types of a function's variables."""
        known = state.typingctx
        state.typingctx = _remembering(known)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = known
