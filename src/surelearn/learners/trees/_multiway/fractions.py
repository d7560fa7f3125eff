"""Fractional rows: one whose answer is missing goes to every branch, by the weight of each.

A node holds a slice of a pool: the places of its rows, and the share of each that arrived there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit import borrowing, jit
from surelearn._typing import Indices, Mask, Matrix, Vector

MISSING = -1
"""The code of a missing cell."""

FAINTEST = 1e-6
"""A smaller fraction of a row's weight is not carried on: copies would multiply without end."""


class Codes(NamedTuple):
    """A table of codes: of categories, or the places of numbers among the distinct ones."""

    codes: NDArray[np.int32]
    """A row per feature, a column per row of the table; `MISSING` where a cell is."""
    n_codes: Indices
    is_numeric: Mask


class Pool(NamedTuple):
    """The rows of some nodes: those of node v are at places `begin[v]` to `end[v]`."""

    rows: Indices
    shares: Vector
    begin: Indices
    end: Indices


class Questions(NamedTuple):
    """What some nodes ask.

    A numeric question sends codes up to `cut` to branch 0 and the others to branch 1. A categorical
    one sends code c to branch `routes[start[v] + c]`, nowhere if that is negative.
    """

    feature: Indices
    cut: Indices
    start: Indices
    routes: Indices


@borrowing
def branch_of(table: Codes, row: int, asked: Questions, v: int) -> int:
    """Return the branch of a row at a node; negative if there is none for it."""
    code = int(table.codes[asked.feature[v], row])
    if code < 0:
        return MISSING
    if table.is_numeric[asked.feature[v]]:
        return 0 if code <= asked.cut[v] else 1
    return asked.routes[int(asked.start[v]) + code]


@jit
def weigh(
    table: Codes, pool: Pool, asked: Questions, place: Indices, heft: Vector, size: Indices
) -> None:
    """Weigh and count the rows of each branch of each node.

    The branches of node v are at places `place[v]` and on; the last before `place[v + 1]` is for
    the rows without an answer.
    """
    for v in range(len(pool.begin)):
        for i in range(pool.begin[v], pool.end[v]):
            branch = branch_of(table, pool.rows[i], asked, v)
            slot = place[v] + branch if branch >= 0 else place[v + 1] - 1  # the last: no answer
            heft[slot] += pool.shares[i]
            size[slot] += 1


@jit
def send(
    table: Codes,
    weights: Vector,
    pool: Pool,
    asked: Questions,
    first_child: Indices,
    portion: Vector,
    children: Pool,
) -> None:
    """Send the rows of each node to its children, which are those from `first_child[v]` on.

    `portion` is the part of a row without an answer that each child receives; `children.end`
    advances from `children.begin` as rows arrive.
    """
    for v in range(len(pool.begin)):
        first, after = first_child[v], first_child[v + 1]
        for i in range(pool.begin[v], pool.end[v]):
            row, share = pool.rows[i], pool.shares[i]
            branch = branch_of(table, row, asked, v)
            if branch >= 0:
                _append(children, first + branch, row, share)
                continue
            for child in range(first, after):  # no answer: a part to each child
                if share * portion[child] > FAINTEST * weights[row]:
                    _append(children, child, row, share * portion[child])


@borrowing
def _append(children: Pool, child: int, row: int, share: float) -> None:
    """Add a row to a child."""
    children.rows[children.end[child]] = row
    children.shares[children.end[child]] = share
    children.end[child] += 1


@jit
def count(labels: Indices, pool: Pool, counts: Matrix) -> None:
    """Add up the weight of each class at each node."""
    for v in range(len(pool.begin)):
        for i in range(pool.begin[v], pool.end[v]):
            counts[v, labels[pool.rows[i]]] += pool.shares[i]
