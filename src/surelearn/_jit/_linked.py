"""Loops that exist as a part of their callers alone: neither optimised nor made into code before.

Numba optimises every function by itself, makes machine code of it, and does both again for each
caller, whose module holds all that it calls. A chain of five loops is so compiled five times. Here
the loop that Python calls links what all its steps need, each once.
"""

import gc
from collections.abc import Iterable, Iterator
from typing import Any

from llvmlite.binding import Linkage
from numba.core import compiler
from numba.core.codegen import JITCodeLibrary
from numba.core.typed_passes import IRLegalization, NopythonRewrites
from numba.core.types import Boolean, NoneType, Number
from numba.core.untyped_passes import InlineClosureLikes

from surelearn._jit._borrowing import BorrowedLowering
from surelearn._jit._lowering import PlainCompiler

_PLAIN = (Number, Boolean, NoneType)


class Flags(compiler.Flags):
    """The flags of a function, compared as often as anything is looked up, and seldom different."""

    _HASH = hash(tuple(sorted(compiler.Flags.options)))  # as Numba has it: of names alone

    def __hash__(self) -> int:
        return self._HASH

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Flags):
            return super().__eq__(other)
        set_here, set_there = self._values, other._values
        return set_here == set_there or all(
            getattr(self, name) == getattr(other, name) for name in set_here | set_there
        )


class QuietCompiler(PlainCompiler):
    """Compiles without looking for garbage: looks through all that is loaded take a sixth of it."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function and all that it calls; nobody else compiles meanwhile."""
        self.state.flags = Flags(self.state.flags)
        codegen = self.state.targetctx.codegen()
        self.state.library = _LinkingLibrary(codegen, func.__qualname__)
        self.state.library.enable_object_caching()  # so that it can be kept on disk
        looks = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if looks:
                gc.enable()


class LinkedCompiler(PlainCompiler):
    """Compiles a function as far as its callers need it: to what they link and optimise."""

    def compile_extra(self, func: Any) -> Any:
        """Compile a function to a library that has no machine code."""
        self.state.flags = Flags(self.state.flags)
        codegen = self.state.targetctx.codegen()
        self.state.library = _LinkedLibrary(codegen, func.__qualname__)
        return super().compile_extra(func)


class _Borrowing(PlainCompiler):
    """Compiles a function that counts no references, so it must not hand an array on."""

    needless = (InlineClosureLikes, NopythonRewrites, IRLegalization)
    lowering = BorrowedLowering

    def compile_extra(self, func: Any) -> Any:
        """Compile a function, and refuse one whose result holds an array."""
        compiled = super().compile_extra(func)
        result = compiled.signature.return_type
        if not all(isinstance(part, _PLAIN) for part in getattr(result, "types", (result,))):
            raise TypeError(f"{func.__qualname__} returns {result}: only an inner loop may")
        return compiled


class BorrowingCompiler(_Borrowing, LinkedCompiler):
    """Compiles a step that borrows what its callers hold."""


class EntranceCompiler(_Borrowing, QuietCompiler):
    """Compiles a loop that Python calls, and that borrows what Python holds."""


class _LinkingLibrary(JITCodeLibrary):
    """The library of a loop that Python calls."""

    def finalize(self) -> None:
        """Link what the loop and its steps need, and make machine code of it."""
        linked = list(_with_needed(self._linking_libraries))
        self._linking_libraries = [one for one in linked if not isinstance(one, _LinkedLibrary)]
        for one in linked:
            if isinstance(one, _LinkedLibrary):
                self._final_module.link_in(one.own_module(), preserve=True)
                self._reload_init.update(one.reload_init)
        self._has_steps = len(self._linking_libraries) < len(linked)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise once: steps that count no references gain nothing by a first, cheap look."""
        if not self._has_steps:
            super()._optimize_final_module()
            return
        made_by: Any = self._codegen
        passes, builder = made_by._module_pass_manager()  # noqa: SLF001 - as Numba uses it itself
        passes.run(self._final_module, builder)


class _LinkedLibrary(JITCodeLibrary):
    """A library that others link; nothing in it has an address."""

    @property
    def codegen(self) -> Any:
        """What made the library; it hands no Python objects over."""
        return _NoEnvironment(self._codegen)

    @property
    def reload_init(self) -> Any:
        """What has to be done when the code is loaded from disk."""
        return self._reload_init

    @property
    def needed(self) -> list[Any]:
        """The libraries of what it calls."""
        return self._linking_libraries

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leave that to callers, but for what the optimiser must know of numbers' places."""
        made_by: Any = getattr(self, "_codegen")  # noqa: B009 - private, as Numba uses it itself
        layout: str = getattr(made_by, "_data_layout")  # noqa: B009
        ll_module.data_layout = layout

    def finalize(self) -> None:
        """Leave it to callers to link, to optimise and to make machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"

    def own_module(self) -> Any:
        """Return the code of the function alone, without what it calls."""
        return self._final_module

    def _get_module_for_linking(self) -> Any:
        """Return the code with all that it calls, for a function that Numba compiles by itself."""
        if self._shared_module is None:
            whole = self._final_module.clone()
            for one in _with_needed(self.needed):
                whole.link_in(_module_of(one), preserve=True)
            self._shared_module = whole
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of no function."""
        del name
        return 0


def _module_of(library: Any) -> Any:
    if isinstance(library, _LinkedLibrary):
        return library.own_module()
    return library._get_module_for_linking()  # noqa: SLF001 - as Numba uses it itself


def _with_needed(libraries: Iterable[Any]) -> Iterator[Any]:
    """Yield libraries and those they need, each once, and none before one that calls it.

    What nobody calls is left out where it is linked.
    """
    seen, waiting = set[Any](), list(libraries)[::-1]
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            yield one
            waiting.extend(one.needed[::-1] if isinstance(one, _LinkedLibrary) else ())


class _NoEnvironment:
    """A code generator that hands no Python objects over: compiled loops need none."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, environment: Any) -> None:
        """Ignore objects for which there is no place yet."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)
