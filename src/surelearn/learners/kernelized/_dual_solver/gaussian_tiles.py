"""Sums of Gaussian kernel values that are never stored, a tile of them in registers at a time.

A row x is written (x√(2g), −g|x|², 1) on the left and (x√(2g), 1, −g|x|²) on the right, with
g = gamma / ln 2: then one inner product is the exponent, and 2 to its power the kernel's value. To
compute the values anew takes about as long as to read them back from memory.
"""

from functools import cache
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numpy.polynomial import Chebyshev, Polynomial

from surelearn._jit import jit
from surelearn._jit._decorator import instructions_for
from surelearn._typing import Matrix, Vector

HEIGHT = 8  # rows of a tile
ROWS = 64  # rows that stay in the nearest cache while all columns pass by
_PANELS = 16  # sums of single numbers go to double precision after so many panels of columns
_VECTORS = 2
_BYTES = 64  # of a vector register
_LOWEST = {4: -125.0, 8: -1020.0}  # smaller powers of 2 would lose digits
_DEGREE = {4: 6, 8: 11}  # relative errors of 2e-9 and 3e-18, far below those of rounding
_DIGITS = {4: 23, 8: 52}


@cache
def is_fast() -> bool:
    """Return whether this machine has the registers that tiles are made for.

    Examples
    --------
    >>> is_fast() in {True, False}
    True
    """
    features = binding.get_host_cpu_features()
    return bool(features.get("avx512f", False) and features.get("avx512dq", False))


def width(dtype: Any) -> int:
    """Return how many columns a panel has.

    Examples
    --------
    >>> width(np.float32), width(np.float64)
    (32, 16)
    """
    return _VECTORS * _BYTES // np.dtype(dtype).itemsize


@jit
def add_sums(left: Matrix, panels: Any, weights: Matrix, lanes: Matrix, out: Vector) -> None:
    """Add Σ weight·k(row, column) to each row's sum; rows come in a multiple of `ROWS`.

    `lanes` is 0 before and after.
    """
    for start in range(0, len(left), ROWS):
        for p in range(len(panels)):
            for m in range(0, ROWS, HEIGHT):
                _sum_tile(left, start + m, panels, p, weights, lanes, m)
            if (p + 1) % _PANELS == 0 or p + 1 == len(panels):
                for m in range(ROWS):
                    total = 0.0
                    for lane in range(lanes.shape[1]):
                        total += np.float64(lanes[m, lane])
                        lanes[m, lane] = 0.0
                    out[start + m] += total


@jit
def fill_block(left: Matrix, panels: Any, out: Matrix) -> None:
    """Write the values of all rows with all columns; rows come in a multiple of `HEIGHT`."""
    for p in range(len(panels)):
        for i in range(0, len(left), HEIGHT):
            _store_tile(left, i, panels, p, out)


def _sum_tile(
    left: Matrix, i: int, panels: Any, p: int, weights: Matrix, lanes: Matrix, m: int
) -> None:
    """Add the weighted values of a few rows with the columns of one panel, lane by lane."""
    values = _values(left, i, panels, p) * weights[p]
    lanes[m : m + HEIGHT] += values.reshape(HEIGHT, _VECTORS, -1).sum(axis=1)


def _store_tile(left: Matrix, i: int, panels: Any, p: int, out: Matrix) -> None:
    """Write the values of a few rows with the columns of one panel."""
    across = panels.shape[2]
    out[i : i + HEIGHT, p * across : (p + 1) * across] = _values(left, i, panels, p)


def _values(left: Matrix, i: int, panels: Any, p: int) -> Matrix:
    exponents = left[i : i + HEIGHT] @ panels[p]
    return np.exp2(np.clip(exponents, _LOWEST[left.itemsize], 0.0))


@instructions_for(_sum_tile, types.void)
def _sum_in_registers(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the tile in vector instructions: the compiler does not find them itself."""
    tile = _Tile(context, builder, signature, arguments)
    values = tile.values()
    shares, sums = tile.array(4), tile.array(5)
    across = _VECTORS * tile.lanes
    for row in range(HEIGHT):
        line = builder.mul(builder.add(arguments[6], _INDEX(row)), _INDEX(tile.lanes))
        place = tile.vector(sums.data, line)
        total = builder.load(place, align=4)
        for v in range(_VECTORS):
            start = builder.add(builder.mul(arguments[3], _INDEX(across)), tile.at(v))
            share = builder.load(tile.vector(shares.data, start), align=4)
            product = builder.fmul(values[row][v], share, flags=_FUSED)
            total = builder.fadd(total, product, flags=_FUSED)
        builder.store(total, place, align=4)
    return context.get_dummy_value()


@instructions_for(_store_tile, types.void)
def _store_from_registers(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Write the tile in vector instructions, its values to memory."""
    tile = _Tile(context, builder, signature, arguments)
    values, table = tile.values(), tile.array(4)
    length = cgutils.unpack_tuple(builder, table.shape, 2)[1]
    for row in range(HEIGHT):
        line = builder.mul(builder.add(arguments[1], _INDEX(row)), length)
        first = builder.mul(arguments[3], _INDEX(_VECTORS * tile.lanes))
        for v in range(_VECTORS):
            start = builder.add(builder.add(line, first), tile.at(v))
            builder.store(values[row][v], tile.vector(table.data, start), align=4)
    return context.get_dummy_value()


_INDEX, _SHORT = ir.IntType(64), ir.IntType(32)
_FUSED = ("contract",)  # a product and a sum become one instruction, where there is one


class _Tile:
    """The instructions that leave a tile of kernel values in registers, single or double."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        self._context, self._builder = context, builder
        self._kinds, self._arguments = signature.args, arguments
        self._size = signature.args[0].dtype.bitwidth // 8
        self.lanes = _BYTES // self._size
        number = ir.FloatType() if self._size == 4 else ir.DoubleType()
        self._kind = ir.VectorType(number, self.lanes)
        self._whole = ir.VectorType(ir.IntType(8 * self._size), self.lanes)

    def array(self, place: int) -> Any:
        """Return the array among the arguments at a place."""
        return self._context.make_array(self._kinds[place])(
            self._context, self._builder, self._arguments[place]
        )

    def at(self, v: int) -> Any:
        """Return how far vector v of a panel is from its beginning."""
        return _INDEX(v * self.lanes)

    def vector(self, data: Any, start: Any) -> Any:
        """Return the address of the vector that starts at an entry."""
        return self._builder.bitcast(self._builder.gep(data, [start]), self._kind.as_pointer())

    def values(self) -> list[list[Any]]:
        """Return the kernel values, for each row the vectors of its columns."""
        exponents = self._exponents()
        return [
            [self._power(exponents[row * _VECTORS + v]) for v in range(_VECTORS)]
            for row in range(HEIGHT)
        ]

    def _exponents(self) -> list[Any]:
        """Return the inner products of the tile's rows and columns (of one entry at least)."""
        builder, left, panels = self._builder, self.array(0), self.array(2)
        depth = cgutils.unpack_tuple(builder, left.shape, 2)[1]
        across, rows = _VECTORS * self.lanes, range(HEIGHT)
        lines = [builder.mul(builder.add(self._arguments[1], _INDEX(m)), depth) for m in rows]
        panel = builder.mul(builder.mul(self._arguments[3], depth), _INDEX(across))
        before, loop = builder.block, builder.append_basic_block("entry")
        builder.branch(loop)
        builder.position_at_end(loop)
        # Phi nodes keep the sums in registers from one entry to the next.
        k, *sums = (builder.phi(kind) for kind in (_INDEX, *(HEIGHT * _VECTORS * [self._kind])))
        line = builder.add(panel, builder.mul(k, _INDEX(across)))
        right = [
            builder.load(self.vector(panels.data, builder.add(line, self.at(v))), align=4)
            for v in range(_VECTORS)
        ]
        grown: list[Any] = []
        for m in rows:
            one = self._spread(builder.load(builder.gep(left.data, [builder.add(lines[m], k)])))
            for v in range(_VECTORS):
                product = builder.fmul(one, right[v], flags=_FUSED)
                grown.append(builder.fadd(sums[m * _VECTORS + v], product, flags=_FUSED))
        then = builder.add(k, _INDEX(1))
        starts, steps = [_INDEX(0), *(self._all(0.0) for _ in sums)], [then, *grown]
        for phi, start, step in zip((k, *sums), starts, steps, strict=True):
            phi.add_incoming(start, before)
            phi.add_incoming(step, loop)
        after = builder.append_basic_block("after")
        builder.cbranch(builder.icmp_signed("<", then, depth), loop, after)
        builder.position_at_end(after)
        return grown

    def _power(self, exponent: Any) -> Any:
        """Return 2 to the power of a vector: its whole part goes straight to the exponent bits."""
        builder, size = self._builder, self._size
        low, zero = self._all(_LOWEST[size]), self._all(0.0)
        exponent = builder.select(builder.fcmp_ordered(">", exponent, low), exponent, low)
        exponent = builder.select(builder.fcmp_ordered("<", exponent, zero), exponent, zero)
        nearest = builder.call(self._rint(), [exponent])
        rest = builder.fsub(exponent, nearest)
        first, *others = power_series(_DEGREE[size])[::-1]
        value = self._all(first)
        for number in others:
            product = builder.fmul(value, rest, flags=_FUSED)
            value = builder.fadd(product, self._all(number), flags=_FUSED)
        shift = ir.Constant(self._whole, [_DIGITS[size]] * self.lanes)
        whole = builder.shl(builder.fptosi(nearest, self._whole), shift)
        return builder.bitcast(builder.add(builder.bitcast(value, self._whole), whole), self._kind)

    def _rint(self) -> Any:
        name = f"llvm.rint.v{self.lanes}f{8 * self._size}"
        kind = ir.FunctionType(self._kind, [self._kind])
        return cgutils.get_or_insert_function(self._builder.module, kind, name)

    def _all(self, number: float) -> Any:
        return ir.Constant(self._kind, [number] * self.lanes)

    def _spread(self, number: Any) -> Any:
        """Return a number as a vector of its copies."""
        unknown = ir.Constant(self._kind, ir.Undefined)
        first = self._builder.insert_element(unknown, number, _SHORT(0))
        everywhere = ir.Constant(ir.VectorType(_SHORT, self.lanes), [0] * self.lanes)
        return self._builder.shuffle_vector(first, unknown, everywhere)


def power_series(degree: int) -> list[float]:
    """Return the coefficients of a polynomial that is close to 2^r for r from -1/2 to 1/2.

    Examples
    --------
    >>> [round(c, 3) for c in power_series(6)[:3]]
    [1.0, 0.693, 0.24]
    """
    series = Chebyshev.interpolate(np.exp2, degree, [-0.5, 0.5])
    return [float(c) for c in series.convert(kind=Polynomial, domain=[-1, 1]).coef]
