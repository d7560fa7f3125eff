"""Compiled primitives shared by two learners or more; only `_decorator` calls the compiler."""

from surelearn._jit._decorator import inlined, inner, jit

__all__ = ["inlined", "inner", "jit"]
