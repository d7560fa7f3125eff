"""Asking for memory before it is needed: rows visited in random order arrive too late otherwise."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from surelearn._jit._decorator import compiled_as, instructions_for
from surelearn._jit.rows import Rows

_LINE = 64  # bytes of a cache line


def ahead(X: Rows, t: int) -> None:
    """Ask for row `t` to be brought near; nothing changes but how soon it can be read."""


@compiled_as(ahead, inline=True)
def _ahead(X: Any, t: Any) -> Any:  # noqa: ARG001
    def sparse_ahead(X: Any, t: int) -> None:
        first, last = X.indptr[t], X.indptr[t + 1]
        for i in range(first, last, _LINE // 8):
            _near(X.data, i)
        for i in range(first, last, _LINE // 4):
            _near(X.indices, i)

    def dense_ahead(X: Any, t: int) -> None:
        pass  # rows that stand side by side in memory are fetched by the processor itself

    return sparse_ahead if isinstance(X, types.BaseNamedTuple) else dense_ahead


def entry(table: NDArray[Any], i: int) -> None:
    """Ask for the first numbers of a row of a table to be brought near."""


@instructions_for(entry, types.void)
def _entry(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    held = context.make_array(signature.args[0])(context, builder, arguments[0])
    length = builder.extract_value(held.shape, 1)
    return _fetch(context, builder, held.data, builder.mul(arguments[1], length))


def _near(array: NDArray[Any], i: int) -> None:
    """Ask for an entry of an array to be brought near."""


@instructions_for(_near, types.void)
def _near_in_memory(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    held = context.make_array(signature.args[0])(context, builder, arguments[0])
    return _fetch(context, builder, held.data, arguments[1])


def _fetch(context: Any, builder: Any, data: Any, i: Any) -> Any:
    """Write the instruction that asks for the cache line of one entry, to be read."""
    byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
    fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
    place = builder.bitcast(builder.gep(data, [i]), byte)
    builder.call(fetch, [place, flag(0), flag(3), flag(1)])  # in all caches, no instructions
    return context.get_dummy_value()
