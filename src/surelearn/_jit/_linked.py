"""Loops that exist as a part of their callers alone: neither optimised nor made into code before.

Numba optimises every function by itself, makes machine code of it, and does both again for each
caller, whose module holds all that it calls. A chain of five loops is so compiled five times.
"""

import gc
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types import Boolean, NoneType, Number

_PLAIN = (Number, Boolean, NoneType)


class QuietCompiler(Compiler):
    """Compiles without looking for garbage: looks through all that is loaded take a sixth of it."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function and all that it calls; nobody else compiles meanwhile."""
        looks = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if looks:
                gc.enable()


class LinkedCompiler(Compiler):
    """Compiles a function as far as its callers need it: to what they link and optimise."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function to a library that has no machine code."""
        codegen = self.state.targetctx.codegen()
        self.state.library = _LinkedLibrary(codegen, func.__qualname__)
        return super().compile_extra(func)


class BorrowingCompiler(LinkedCompiler):
    """Compiles a function that counts no references, so it must not hand an array on."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function, and refuse one whose result holds an array."""
        compiled = super().compile_extra(func)
        result = compiled.signature.return_type
        if not all(isinstance(part, _PLAIN) for part in getattr(result, "types", (result,))):
            raise TypeError(f"{func.__qualname__} returns {result}: only an inner loop may")
        return compiled


class _LinkedLibrary(JITCodeLibrary):
    """A library that others link; nothing in it has an address."""

    @property
    def codegen(self) -> Any:
        """What made the library; it hands no Python objects over."""
        return _NoEnvironment(self._codegen)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave that to callers too, but for what the optimiser must know of numbers' places."""
        made_by: Any = getattr(self, "_codegen")  # noqa: B009 - private, as Numba uses it itself
        layout: str = getattr(made_by, "_data_layout")  # noqa: B009
        ll_module.data_layout = layout

    def _optimize_final_module(self) -> None:
        """Leave that to callers, who have more to look at."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the module itself: nobody else needs it, so it need not be copied."""
        if self._shared_module is None:
            self._ensure_finalized()
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = self._final_module
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of no function."""
        del name
        return 0


class _NoEnvironment:
    """A code generator that hands no Python objects over: compiled loops need none."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """Ignore objects for which there is no place yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)
