"""Asking for memory before it is needed: rows visited in random order arrive too late otherwise."""

from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from surelearn._jit._decorator import compiled_as
from surelearn._jit.rows import Rows

_LINE = 64  # bytes of a cache line


def ahead(X: Rows, t: int) -> None:
    """Ask for row `t` to be brought near; nothing changes but how soon it can be read."""


@compiled_as(ahead, inline=True)
def _ahead(X: Any, t: Any) -> Any:  # noqa: ARG001
    def sparse_ahead(X: Any, t: int) -> None:
        first, last = X.indptr[t], X.indptr[t + 1]
        for i in range(first, last, _LINE // 8):
            _ask(X.data, i)
        for i in range(first, last, _LINE // 4):
            _ask(X.indices, i)

    def dense_ahead(X: Any, t: int) -> None:
        pass  # rows that stand side by side in memory are fetched by the processor itself

    return sparse_ahead if isinstance(X, types.BaseNamedTuple) else dense_ahead


def entry(table: NDArray[Any], i: int) -> None:
    """Ask for the first numbers of a row of a table to be brought near."""


@compiled_as(entry, inline=True)
def _entry(table: Any, i: Any) -> Any:  # noqa: ARG001
    def compiled(table: Any, i: int) -> None:
        _ask(table, i * table.shape[1])

    return compiled


@cast("Any", intrinsic)
def _ask(_: Any, array: Any, i: Any) -> Any:
    """Write the instruction that asks for the cache line of one entry, to be read."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        held = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(held.data, [arguments[1]])
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        # To read, in all caches, data and not instructions.
        builder.call(fetch, [builder.bitcast(place, byte), flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return cast("Any", types.void)(array, i), code
