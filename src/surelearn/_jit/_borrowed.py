"""How arrays travel to steps that count no references: as an address and a shape.

Numba hands an array over as seven numbers or more. Such a step asks for no owner, and the strides
of an array without gaps follow from its shape: thirty arrays are ninety numbers, not two hundred.
"""

from functools import cache
from typing import Any, Literal

from llvmlite import ir
from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.imputils import user_function
from numba.extending import models, register_model
from numba.np.numpy_support import as_dtype

from surelearn._jit._lowering import PlainLower, PlainLowering, is_of_numbers


class _Borrowed(types.Array):
    """An array of numbers without gaps that the caller owns; calls alone know this type."""


@register_model(_Borrowed)
class _BorrowedModel(models.ArrayModel):
    """The same description as of any array, but handed over in fewer numbers."""

    def get_argument_type(self) -> Any:
        """Return the types of what is handed over."""
        data, length = (self._model_of(field).get_argument_type() for field in ("data", "nitems"))
        return data, (length,) * self._fe_type.ndim

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return what is handed over of an array."""
        data = self._model_of("data").as_argument(builder, self.get(builder, value, "data"))
        at = self.get_field_position("shape")
        return data, tuple(builder.extract_value(value, [at, k]) for k in range(self._fe_type.ndim))

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return the description that follows from what was handed over."""
        data, lengths = value
        size = lengths[0].type(as_dtype(self._fe_type.dtype).itemsize)
        strides, n_items = _without_gaps(builder, lengths, size)
        made = ir.Constant(self.get_value_type(), None)  # its owner is unknown here
        data = self._model_of("data").from_argument(builder, data)
        for field, known in (("nitems", n_items), ("itemsize", size), ("data", data)):
            made = self.set(builder, made, known, field)
        for field, numbers in (("shape", lengths), ("strides", strides)):
            at = self.get_field_position(field)
            for k, number in enumerate(numbers):
                made = builder.insert_value(made, number, [at, k])
        return made

    def _model_of(self, field: str) -> Any:
        return self.get_model(self.get_field_position(field))


def _without_gaps(builder: Any, lengths: list[Any], size: Any) -> tuple[list[Any], Any]:
    """Return the bytes between neighbours along each axis, and the number of elements."""
    strides, n_items = [size], lengths[-1]
    for length in lengths[-2::-1]:
        strides.insert(0, builder.mul(n_items, size))
        n_items = builder.mul(n_items, length)
    return strides, n_items


@cache
def _as_borrowed(kind: Any) -> Any:
    """Return as what a value of a type travels."""
    if _is_without_gaps(kind):
        return _Borrowed(kind.dtype, kind.ndim, "C", readonly=not kind.mutable)
    if isinstance(kind, types.BaseTuple):
        inside = tuple(_as_borrowed(one) for one in getattr(kind, "types"))  # noqa: B009 - untyped
        return types.BaseTuple.from_types(inside, getattr(kind, "instance_class", None))
    return kind


def _is_without_gaps(kind: Any) -> bool:
    return is_of_numbers(kind) and (kind.layout, kind.aligned) == ("C", True) and kind.ndim > 0


class _BorrowedLower(PlainLower):
    """Writes the instructions of a function that is handed arrays by address and shape."""

    def __init__(self, context: Any, library: Any, fndesc: Any, *told: Any, **more: Any) -> None:
        super().__init__(context, library, fndesc, *told, **more)
        fndesc.argtypes = tuple(_as_borrowed(kind) for kind in fndesc.argtypes)


@register_pass(mutates_CFG=True, analysis_only=False)
class BorrowedLowering(PlainLowering):
    """The pass that writes the instructions of loops that borrow."""

    _name = "borrowed_lowering"

    @property
    def lowering_class(self) -> type[PlainLower]:
        """Return who writes them."""
        return _BorrowedLower

    def run_pass(self, state: Any) -> Literal[True]:
        """Write a function, which others find by the types it has for them."""
        super().run_pass(state)
        made, context = state["cr"], state.targetctx
        context.remove_user_function(made.cfunc)
        call = user_function(made.fndesc, [state.library])
        context._defns[made.cfunc].append(call, tuple(state.args))  # noqa: SLF001 - as Numba does
        return True
