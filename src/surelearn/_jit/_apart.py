"""Steps of a loop that are compiled apart from it, and called where their code is.

A loop is optimised together with all that it calls, and compiled again if any of that changes in
type. A large step that does a task of its own can be compiled once instead, by itself.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import typeof
from numba.core import cgutils, types

from surelearn._jit._borrowed import as_borrowed
from surelearn._jit._decorator import instructions_for
from surelearn._jit._sources import settings

_Function = TypeVar("_Function", bound=Callable[..., Any])


def code_of(loop: Any, *arguments: Any) -> int:
    """Return where the code of an `entrance` is, compiled for such arguments.

    Whoever calls it there must hand over arguments of the same types: nothing looks at them again.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.learners.trees._binary.entrances import choose
    >>> code_of(choose, np.arange(2), np.zeros(2), 0.0, 0.0) != 0
    True
    """
    if settings.DISABLE_JIT:
        return 0
    kinds = tuple(map(typeof, arguments))
    loop.compile(kinds)
    made = loop.overloads[kinds]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


def compiled_apart(call: _Function) -> _Function:
    """Let loops call the code at an address by `call`, whose first argument it is.

    By itself it calls the `entrance` by name. Neither returns anything.

    Examples
    --------
    >>> def mark(places, k):  # an entrance
    ...     places[k] += 1
    >>> @compiled_apart
    ... def mark_by(code, places, k):
    ...     mark(places, k)
    >>> places = [0, 0, 0]
    >>> mark_by(0, places, 1)
    >>> places
    [0, 1, 0]
    """

    @instructions_for(call, types.none)
    def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = tuple(map(as_borrowed, signature.args[1:]))
        convention = context.call_conv
        kind = convention.get_function_type(types.none, kinds)
        code = builder.inttoptr(arguments[0], kind.as_pointer())
        done, _ = convention.call_function(builder, code, types.none, kinds, arguments[1:])
        with cgutils.if_unlikely(builder, done.is_error):
            convention.return_status_propagate(builder, done)
        return context.get_dummy_value()

    return call
