"""Compiled primitives shared by two learners or more; only `_decorator` calls the compiler."""

from surelearn._jit._apart import code_of, compiled_apart
from surelearn._jit._decorator import borrowing, entrance, inlined, inner, jit

__all__ = [
    "borrowing",
    "code_of",
    "compiled_apart",
    "entrance",
    "inlined",
    "inner",
    "jit",
]
