"""Compiled primitives shared by two learners or more; only `_decorator` calls the compiler."""

from surelearn._jit._decorator import borrowing, inlined, inner, jit

__all__ = ["borrowing", "inlined", "inner", "jit"]
