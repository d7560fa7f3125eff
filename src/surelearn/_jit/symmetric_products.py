"""RᵀR of rows that stay in the cache, twice as fast as a general matrix product does it.

A product of tall matrices that is only a few hundred columns wide spends much of its time packing
them. Rows packed once, for the whole product, need no more of that: a tile of the result stays in
the registers while all the rows of a block run through it.
"""

from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils

from surelearn._jit._decorator import instructions_for, jit
from surelearn._typing import Matrix, Vector

_LANES = 8  # doubles in a vector register
_VECTORS = 2  # registers across a tile: two loads serve all its rows
_HEIGHT = 8  # of a tile: 16 sums hide the time that a multiplication and addition takes
_ROWS = 128  # of a block: those of its cells that a tile needs stay in the nearest cache
_WIDEST = 1024  # columns; the result of more leaves the cache, which a general product cares for

PADDING = _VECTORS * _LANES
"""The width of a table must be a multiple of this; columns of zeros cost little."""


def is_fast(width: int) -> bool:
    """Return whether this machine has the registers, and so many columns fit.

    Examples
    --------
    >>> is_fast(10_000)
    False
    """
    return width <= _WIDEST and binding.get_host_cpu_features().get("avx512f", False)


def scratch(width: int) -> Matrix:
    """Return a block of zeros for packed rows of at least that width, on borders of cache lines.

    Examples
    --------
    >>> scratch(20).shape
    (128, 32)
    """
    wide = -(-width // PADDING) * PADDING
    memory = np.zeros(_ROWS * wide + _LANES)
    first = -memory.ctypes.data % (8 * _LANES) // 8
    return memory[first : first + _ROWS * wide].reshape(_ROWS, wide)


@jit
def add_centred_products(
    rows: Matrix,
    rest: Matrix,
    guess: Vector,
    shares: Vector,
    block: Matrix,
    total: Matrix,
) -> None:
    """Add the products of all columns, less a guess of their means, each row times its share.

    The columns of the rest stand beside those of the rows. A block of the centred rows is packed at
    a time. Only the upper triangle of the total, and some entries below it, are kept up.
    """
    size, width = len(block), rows.shape[1]
    for start in range(0, len(rows), size):
        n = min(size, len(rows) - start)
        for k in range(n):
            share, row, beside = shares[start + k], rows[start + k], rest[start + k]
            packed = block[k]
            for j in range(width):
                packed[j] = share * (row[j] - guess[j])
            for j in range(len(beside)):
                packed[width + j] = share * (beside[j] - guess[width + j])
        add_products(block[:n], total)  # the columns beyond the rest are zeros, and stay so


@jit
def add_products(rows: Matrix, total: Matrix) -> None:
    """Add the upper triangle of RᵀR, and some of the entries below it, to the total.

    Both tables stand row after row in memory, and are a multiple of `PADDING` wide.
    """
    for j in range(0, rows.shape[1], PADDING):
        for i in range(0, j + PADDING, _HEIGHT):  # tiles on the diagonal reach below it
            _add_tile(rows, total, i, j)


def _add_tile(rows: Matrix, total: Matrix, i: int, j: int) -> None:
    """Add the products of a few columns from i on with those from j on."""
    upper, right = slice(i, i + _HEIGHT), slice(j, j + PADDING)
    total[upper, right] += rows[:, upper].T @ rows[:, right]


@instructions_for(_add_tile, types.void)
def _add_tile_in_registers(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the loop over rows in vector instructions: the compiler does not find them itself."""
    tables = [
        context.make_array(kind)(context, builder, table)
        for kind, table in zip(signature.args[:2], arguments[:2], strict=True)
    ]
    sums = _sum_over_rows(builder, tables[0], *arguments[2:])
    _add_to_total(builder, tables[1], sums, *arguments[2:])
    return context.get_dummy_value()


_INDEX, _SHORT = ir.IntType(64), ir.IntType(32)
_VECTOR = ir.VectorType(ir.DoubleType(), _LANES)
_ZEROS = _VECTOR([0.0] * _LANES)
_FUSED = ("contract",)  # a product and a sum become one instruction, where there is one
_TILE = [(m, v) for m in range(_HEIGHT) for v in range(_VECTORS)]


def _sum_over_rows(builder: Any, rows: Any, i: Any, j: Any) -> list[Any]:
    """Return the tile of the products of all rows (there is at least one), in registers."""
    n, width = cgutils.unpack_tuple(builder, rows.shape, 2)
    before, loop = builder.block, builder.append_basic_block("row")
    builder.branch(loop)
    builder.position_at_end(loop)
    # Phi nodes keep the sums in registers from one row to the next; memory sees them at the end.
    k, *sums = (builder.phi(kind) for kind in (_INDEX, *(_VECTOR for _ in _TILE)))
    row = builder.gep(rows.data, [builder.mul(k, width)])
    left = [_spread(builder, row, builder.add(i, _INDEX(m))) for m in range(_HEIGHT)]
    right = [builder.load(_vector(builder, row, j, v), align=8) for v in range(_VECTORS)]
    products = [builder.fmul(left[m], right[v], flags=_FUSED) for m, v in _TILE]
    grown = [builder.fadd(*pair, flags=_FUSED) for pair in zip(sums, products, strict=True)]
    then = builder.add(k, _INDEX(1))
    starts, steps = [_INDEX(0), *(_ZEROS for _ in _TILE)], [then, *grown]
    for phi, start, step in zip((k, *sums), starts, steps, strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(step, loop)
    after = builder.append_basic_block("after")
    builder.cbranch(builder.icmp_signed("<", then, n), loop, after)
    builder.position_at_end(after)
    return grown


def _add_to_total(builder: Any, total: Any, sums: list[Any], i: Any, j: Any) -> None:
    width = cgutils.unpack_tuple(builder, total.shape, 2)[1]
    for (m, v), tile in zip(_TILE, sums, strict=True):
        line = builder.gep(total.data, [builder.mul(builder.add(i, _INDEX(m)), width)])
        place = _vector(builder, line, j, v)
        builder.store(builder.fadd(builder.load(place, align=8), tile), place, align=8)


def _vector(builder: Any, line: Any, j: Any, v: int) -> Any:
    """Return the address of vector v of those that start at column j."""
    place = builder.gep(line, [builder.add(j, _INDEX(v * _LANES))])
    return builder.bitcast(place, _VECTOR.as_pointer())


def _spread(builder: Any, line: Any, column: Any) -> Any:
    """Return the number in a column as a vector of its copies."""
    number = builder.load(builder.gep(line, [column]))
    unknown = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(unknown, number, _SHORT(0))
    everywhere = ir.Constant(ir.VectorType(_SHORT, _LANES), [0] * _LANES)
    return builder.shuffle_vector(first, unknown, everywhere)
