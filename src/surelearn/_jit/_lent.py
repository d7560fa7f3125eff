"""Records that Python hands to a compiled loop as one address: its entrance unpacks no arrays.

To unpack an array, and to count a reference to it, takes some forty instructions. An entrance with
thirty arrays is a tenth of the largest loops to compile. So Python writes where the arrays of a
record are, and how long, and the entrance reads these numbers.
"""

from array import array
from collections.abc import Iterator
from functools import cache
from struct import Struct
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import NativeValue, typeof_impl, unbox

from surelearn._jit._borrowed import Handed, Tuple

_FLOAT, _AS_WHOLE = Struct("d"), Struct("q")

_Record = TypeVar("_Record", bound=tuple[Any, ...])


class Lent:
    """What a record is besides, once it is lent; no field of a record begins with such a sign.

    Attributes
    ----------
    _kind
        The class of the record.
    _numbers
        The address and the lengths of each array, and all numbers, in the order of the record.
    _address
        Where these stand.
    """

    _kind: type
    _numbers: "array[int]"
    _address: int


def lend(record: _Record) -> _Record:
    """Return the same named tuple, as a loop compiled as an `entrance` takes it.

    It holds the same arrays: what is written to them is seen by whoever holds the record.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Pair(NamedTuple):
    ...     left: np.ndarray
    ...     right: float
    >>> lend(Pair(np.zeros(3), 0.5))
    LentPair(left=array([0., 0., 0.]), right=0.5)
    """
    lent: Any = _lent_class(type(record))(*record)
    found: list[int] = []
    _note(record, found)
    lent._numbers = array("q", found)  # noqa: SLF001 - its own
    lent._address = lent._numbers.buffer_info()[0]  # noqa: SLF001
    return lent


@cache
def _lent_class(kind: type) -> type:
    return type(f"Lent{kind.__name__}", (Lent, kind), {"_kind": kind})


def _note(value: Any, found: list[int]) -> None:
    """Note the numbers that stand for a value."""
    if isinstance(value, np.ndarray):
        about: Any = value.__array_interface__
        has_gaps = about["strides"] is not None or not value.flags.aligned
        if has_gaps or not value.shape or value.dtype.kind not in "biufc":
            raise ValueError("only arrays of numbers without gaps are lent")
        found.append(about["data"][0])
        found.extend(about["shape"])
    elif isinstance(value, tuple):
        for part in value:
            _note(part, found)
    elif isinstance(value, float):
        found.extend(_AS_WHOLE.unpack(_FLOAT.pack(value)))
    elif value is None or isinstance(value, (int, np.integer)):
        found.append(int(value or 0))  # nothing is handed over as a number, too
    else:
        raise TypeError(f"{type(value).__name__} is not lent")


@typeof_impl.register(Lent)
def _(lent: Any, context: Any) -> Any:
    """Return the type of the record: loops do not know that it is lent."""
    return types.BaseTuple.from_types([typeof_impl(part, context) for part in lent], lent._kind)  # noqa: SLF001


@unbox(Tuple)
def _(kind: Any, record: Any, c: Any) -> NativeValue:
    """Write the instructions that read a record that is lent."""
    model = c.context.data_model_manager[kind]
    asked = model.get_argument_type()
    length = _count(asked)
    # A record that is not lent has no address: it is refused, but what it has not is read first.
    nothing = cgutils.alloca_once(c.builder, ir.ArrayType(ir.IntType(64), length), zfill=True)
    found = cgutils.alloca_once_value(c.builder, c.builder.bitcast(nothing, cgutils.voidptr_t))
    address = c.pyapi.object_getattr_string(record, "_address")
    failed = cgutils.is_null(c.builder, address)
    with c.builder.if_then(c.builder.not_(failed)):
        c.builder.store(c.pyapi.long_as_voidptr(address), found)
        c.pyapi.decref(address)
    numbers = c.builder.bitcast(c.builder.load(found), ir.IntType(64).as_pointer())
    places = iter(range(length))
    read = _read(c.builder, numbers, asked, places)
    return NativeValue(Handed(c.builder, model, read), is_error=failed)


def _count(asked: Any) -> int:
    return sum(map(_count, asked)) if isinstance(asked, tuple) else 1


def _read(builder: Any, numbers: Any, asked: Any, places: Iterator[int]) -> Any:
    """Return what is asked for, made of the next numbers."""
    if isinstance(asked, tuple):
        return tuple(_read(builder, numbers, one, places) for one in asked)
    place = ir.Constant(ir.IntType(64), next(places))
    number = builder.load(builder.gep(numbers, [place]))
    if isinstance(asked, ir.PointerType):
        return builder.inttoptr(number, asked)
    if isinstance(asked, ir.DoubleType):
        return builder.bitcast(number, asked)
    return builder.trunc(number, asked) if asked.width < number.type.width else number
