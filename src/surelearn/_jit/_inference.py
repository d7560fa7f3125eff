"""What operators make of numbers and of arrays of them, asked once instead of at each place.

Numba tries a dozen rules at each `+` or `[i]` of a loop until one of them knows the operands: a
tenth of all compilation. The answer depends on nothing but their types.
"""

from functools import cache
from typing import Any, Literal

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing.context import Context

_NUMBERS = (types.Number, types.Boolean)


class _RememberingContext(Context):
    """Numba's knowledge of types, shared with it, and what was found out so far."""

    def __init__(self, known: Context) -> None:
        self.__dict__ = known.__dict__  # what Numba learns later is known here, too
        self._found: dict[Any, Any] = {}

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call."""
        if kws or not _is_operator(func) or not all(map(_is_plain, args)):
            return super().resolve_function_type(func, args, kws)
        asked = (func, tuple(args))
        found = self._found.get(asked)
        if found is None:
            found = self._found[asked] = super().resolve_function_type(func, args, kws)
        return found


@cache  # one for all functions: what `overload` compiles is known by the context that asked
def _remembering(known: Context) -> _RememberingContext:
    return _RememberingContext(known)


def _is_operator(func: Any) -> bool:
    """Return whether it is a function of `operator`, or Numba's name for one."""
    return getattr(getattr(func, "typing_key", func), "__module__", None) == "_operator"


def _is_plain(kind: Any) -> bool:
    if type(kind) is types.Array:
        return isinstance(kind.dtype, _NUMBERS)
    return all(isinstance(one, _NUMBERS) for one in getattr(kind, "types", (kind,)))


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
