"""How arrays travel to steps that count no references: as an address and a shape.

Numba hands an array over as seven numbers or more. Such a step asks for no owner, and the strides
of an array without gaps follow from its shape: thirty arrays are ninety numbers, not two hundred.
A step makes arrays of those numbers that it asks for, and hands on the others as they came.
"""

from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import NativeValue, models, register_model, unbox
from numba.np.numpy_support import as_dtype

from surelearn._jit._lowering import is_of_numbers


class Array(types.Array):
    """An array of numbers without gaps that the caller owns; calls alone know this type."""


@register_model(Array)
class _ArrayModel(models.ArrayModel):
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


class Tuple(types.Type):
    """A tuple whose arrays are borrowed; calls alone know this type."""

    def __init__(self, kind: Any) -> None:
        super().__init__(f"borrowed {kind.name}")
        self.kind = kind
        self.parts = tuple(as_borrowed(part) for part in kind.types)


class Handed:
    """A tuple as it was handed over, in numbers."""

    def __init__(self, builder: Any, model: Any, numbers: Any) -> None:
        self.numbers = numbers
        self._builder, self._model = builder, model
        self._arrays: dict[int, Any] = {}

    def part(self, k: int) -> Any:
        """Return a part; an array is made once, where the function begins."""
        model = self._model.part(k)
        if not isinstance(model, _ArrayModel):
            return as_whole(model.from_argument(self._builder, self.numbers[k]))
        if k not in self._arrays:
            with self._builder.goto_entry_block():
                self._arrays[k] = model.from_argument(self._builder, self.numbers[k])
        return self._arrays[k]

    def whole(self) -> Any:
        """Return the tuple."""
        made = ir.Constant(self._model.get_value_type(), ir.Undefined)
        for k in range(len(self.numbers)):
            made = self._builder.insert_value(made, self.part(k), k)
        return made


def as_whole(value: Any) -> Any:
    """Return a value as Numba has it."""
    return value.whole() if isinstance(value, Handed) else value


@register_model(Tuple)
class _TupleModel(models.DataModel):
    """A tuple like any other, but handed over part by part, and as it came."""

    def get_value_type(self) -> Any:
        """Return the type of the whole."""
        return self._dmm.lookup(self._fe_type.kind).get_value_type()

    def get_argument_type(self) -> Any:
        """Return the types of what is handed over."""
        return tuple(self.part(k).get_argument_type() for k in self._places())

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Return what is handed over of a tuple."""
        if isinstance(value, Handed):
            return value.numbers
        found = (builder.extract_value(value, k) for k in self._places())
        return tuple(self.part(k).as_argument(builder, one) for k, one in enumerate(found))

    def from_argument(self, builder: Any, value: Any) -> Any:
        """Return a tuple of what was handed over."""
        return Handed(builder, self, value)

    def part(self, k: int) -> Any:
        """Return the model of a part."""
        return self._dmm.lookup(self._fe_type.parts[k])

    def _places(self) -> range:
        return range(len(self._fe_type.parts))


@cache
def as_borrowed(kind: Any) -> Any:
    """Return as what a value of a type travels."""
    if isinstance(kind, types.BaseTuple):
        return Tuple(kind)
    if not is_of_numbers(kind) or (kind.layout, kind.aligned) != ("C", True) or kind.ndim == 0:
        return kind
    return Array(kind.dtype, kind.ndim, "C", readonly=not kind.mutable)


# An entrance from Python only looks at arrays. Numba makes sure that each is one of the right kind,
# and counts a reference to it: for thirty arrays, a tenth of the largest loops. But a loop is found
# by the types of its arguments, and whoever calls it holds them.


@unbox(Tuple)
def _(kind: Any, record: Any, c: Any) -> NativeValue:
    """Write the instructions that look at a tuple, and at what is in it."""
    parts = [
        c.pyapi.to_native_value(part, c.pyapi.tuple_getitem(record, k))
        for k, part in enumerate(kind.parts)
    ]
    model = c.context.data_model_manager[kind]
    numbers = tuple(model.part(k).as_argument(c.builder, one.value) for k, one in enumerate(parts))
    failed = cgutils.false_bit
    for one in parts:
        failed = c.builder.or_(failed, one.is_error)
    return NativeValue(Handed(c.builder, model, numbers), is_error=failed)


@unbox(Array)
def _(kind: Any, array: Any, c: Any) -> NativeValue:
    """Write the instructions that look where the numbers of an array are."""
    seen = c.context.make_array(kind)(c.context, c.builder)
    place = c.builder.bitcast(seen._getpointer(), c.pyapi.voidptr)  # noqa: SLF001 - as Numba does
    failed = c.pyapi.numba_array_adaptor(array, place)
    is_error = cgutils.is_not_scalar_zero(c.builder, failed)
    return NativeValue(seen._getvalue(), is_error=is_error)  # noqa: SLF001
