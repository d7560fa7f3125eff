"""Tasks handed out to workers: one word says how many there are and which comes next.

Worker 0 publishes a ticket: a number that grows, the number of tasks, the next one. Whoever comes
takes the next task by compare-and-swap, worker 0 too, so it waits for nobody who has not begun.
A compiled loop in threads needs no interpreter for that, and a phase costs less than a microsecond.
Called without the compiler these functions are for one thread.
"""

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from surelearn._jit._decorator import borrowing, instructions_for
from surelearn._typing import Indices

TICKET, DONE, OVER = 0, 8, 16
"""Where the ticket, the number of finished tasks and the end stand: each in a line of the cache."""

CONTROL = 24
"""The length of the array that holds them."""

_NEXT = 16  # bits of the next task, and of the number of tasks
MOST_TASKS = (1 << _NEXT) - 1
"""The largest number of tasks of one ticket."""

_PATIENCE = 200  # looks at a ticket before the processor is offered to others


def _read(array: Indices, i: int) -> int:
    return int(array[i])


def _add(array: Indices, i: int, change: int) -> int:
    array[i] += change
    return int(array[i]) - change


def _swap(array: Indices, i: int, expected: int, new: int) -> bool:
    if array[i] != expected:
        return False
    array[i] = new
    return True


def _give_way() -> None:
    """Let another thread run."""


@instructions_for(_read, types.int64)
def _atomic_read(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.load_atomic(_place(context, builder, signature, arguments), "seq_cst", 8)


@instructions_for(_add, types.int64)
def _atomic_add(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments)
    return builder.atomic_rmw("add", place, arguments[2], "seq_cst")


@instructions_for(_swap, types.boolean)
def _atomic_swap(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    place = _place(context, builder, signature, arguments)
    pair = builder.cmpxchg(place, arguments[2], arguments[3], "seq_cst", "seq_cst")
    return builder.extract_value(pair, 1)


@instructions_for(_give_way, types.void)
def _yield(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
    name = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
    kind = ir.FunctionType(ir.IntType(32), [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
    return context.get_dummy_value()


def _place(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    held = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(held.data, [arguments[1]])


@borrowing
def publish(control: Indices, n_tasks: int) -> None:
    """Offer tasks 0 to n_tasks - 1; those before are all done."""
    control[DONE] = 0
    ticket = _read(control, TICKET)
    _swap(control, TICKET, ticket, ((ticket >> (2 * _NEXT)) + 1) << (2 * _NEXT) | n_tasks << _NEXT)


@borrowing
def take(control: Indices) -> int:
    """Return a task that is now the caller's, or -1 if none is left."""
    while True:
        ticket = _read(control, TICKET)
        task = ticket & MOST_TASKS
        if task >= (ticket >> _NEXT) & MOST_TASKS:
            return -1
        if _swap(control, TICKET, ticket, ticket + 1):
            return task


@borrowing
def finish(control: Indices) -> None:
    """Say that one task is done."""
    _add(control, DONE, 1)


@borrowing
def wait(control: Indices) -> None:
    """Return when all tasks of the ticket are done."""
    looks = 0
    while _read(control, DONE) < (_read(control, TICKET) >> _NEXT) & MOST_TASKS:
        looks += 1
        if looks > _PATIENCE:
            _give_way()


@borrowing
def rest(looks: int) -> int:
    """Count a look at a ticket in vain; after many of them let another thread run."""
    if looks > _PATIENCE:
        _give_way()
    return looks + 1


@borrowing
def end(control: Indices) -> None:
    """Say that no ticket will follow."""
    _add(control, OVER, 1)


@borrowing
def is_over(control: Indices) -> bool:
    """Return whether no ticket will follow."""
    return _read(control, OVER) > 0
