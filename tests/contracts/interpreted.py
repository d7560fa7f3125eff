"""Running compiled functions as plain Python, wherever they are bound."""

import collections
import contextlib
from collections.abc import Iterator

import numpy as np
from numba.core.dispatcher import Dispatcher


@contextlib.contextmanager
def interpreted() -> Iterator[collections.Counter[str]]:
    """Let every compiled function run as its plain self; count which ones ran.

    The call itself is replaced, not the names: an import, a class attribute, a default argument or
    a thread cannot hold on to the compiled form. Like compiled code, plain loops do not warn.
    """
    ran: collections.Counter[str] = collections.Counter()

    def call(self, *arguments):
        ran[f"{self.py_func.__module__}.{self.py_func.__name__}"] += 1
        with np.errstate(all="ignore"):
            return self.py_func(*arguments)

    # The compiled call is inherited from a base written in C; our own hides it for a while.
    assert "__call__" not in vars(Dispatcher)
    Dispatcher.__call__ = call
    try:
        yield ran
    finally:
        del Dispatcher.__call__
