"""The instructions of steps that count no references: most variables need no place in memory.

Numba gives each variable that is read in another block than it was written in a place on the stack,
and copies it from there for each use: a tuple of twenty arrays for each of their elements. The
optimiser removes that again. Where no references are counted, a value that is written once is the
variable, and of a tuple that was handed over there are the parts that are asked for.
"""

from collections import Counter
from typing import Any, Literal

from numba.core.compiler_machinery import register_pass
from numba.core.imputils import user_function
from numba.core.ir import Assign

from surelearn._jit._borrowed import Handed, as_borrowed, as_whole
from surelearn._jit._lowering import PlainLower, PlainLowering


class _BorrowingLower(PlainLower):
    """Writes the instructions of a function that is handed arrays by address and shape."""

    _singly_assigned_vars: set[str]
    _blk_local_varmap: dict[str, Any]
    _lends = False

    def __init__(self, context: Any, library: Any, fndesc: Any, *told: Any, **more: Any) -> None:
        super().__init__(context, library, fndesc, *told, **more)
        fndesc.argtypes = tuple(as_borrowed(kind) for kind in fndesc.argtypes)

    def _find_singly_assigned_variable(self) -> None:
        """Find the variables that are written once, before whatever reads them: arguments too."""
        known, blocks = self.func_ir.variable_lifetime, self.func_ir.blocks
        writers: dict[str, int] = {}
        times = Counter[str]()
        for at, block in blocks.items():
            names = [one.target.name for one in block.find_insts(Assign)]
            writers.update(dict.fromkeys(names, at))
            times.update(names)
        once = {name for name, n in times.items() if n == 1}
        before = known.cfg.dominators()
        for at, read in known.usedefs.usemap.items():  # of a block, what others have written
            once -= {n for n in read & once if writers[n] not in before[at] or writers[n] >= at}
        self._singly_assigned_vars, self._blk_local_varmap = once, {}

    def loadvar(self, name: str) -> Any:
        """Return a variable's value."""
        return as_whole(super().loadvar(name))

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Write an expression; a part of a tuple that was handed over is at hand."""
        if expr.op in ("getattr", "static_getitem"):
            handed, kind = self._handed(expr.value), self.typeof(expr.value.name)
            k = _place_asked(kind, expr)
            if handed is not None and k is not None:
                return self.context.cast(self.builder, handed.part(k), kind.types[k], resty)
        return super().lower_expr(resty, expr)

    def _lower_call_normal(self, fnty: Any, expr: Any, signature: Any) -> Any:
        """Write a call; another function that borrows is handed what was handed over."""
        compiler = getattr(getattr(fnty, "dispatcher", None), "_compiler", None)
        called = getattr(compiler, "pipeline_class", None)
        self._lends = getattr(called, "lowering", None) is BorrowedLowering
        try:
            return super()._lower_call_normal(fnty, expr, signature)
        finally:
            self._lends = False

    def _cast_var(self, var: Any, ty: Any) -> Any:
        """Return an argument of a call."""
        handed = self._handed(var) if self._lends else None
        same = handed is not None and self.typeof(var.name) == ty
        return handed if same else super()._cast_var(var, ty)

    def _handed(self, var: Any) -> Handed | None:
        """Return a variable's value if it is a tuple that was handed over."""
        value = self._blk_local_varmap.get(getattr(var, "name", ""))
        return value if isinstance(value, Handed) else None


def _place_asked(kind: Any, expr: Any) -> int | None:
    """Return which part of a tuple is asked for; None if it is none, or several."""
    if expr.op == "static_getitem":
        return expr.index if isinstance(expr.index, int) else None
    names: Any = getattr(kind, "fields", ())
    return names.index(expr.attr) if expr.attr in names else None


@register_pass(mutates_CFG=True, analysis_only=False)
class BorrowedLowering(PlainLowering):
    """The pass that writes the instructions of loops that borrow."""

    _name = "borrowed_lowering"

    @property
    def lowering_class(self) -> type[PlainLower]:
        """Return who writes them."""
        return _BorrowingLower

    def run_pass(self, state: Any) -> Literal[True]:
        """Write a function, which others find by the types it has for them."""
        super().run_pass(state)
        made, context = state["cr"], state.targetctx
        context.remove_user_function(made.cfunc)
        call = user_function(made.fndesc, [state.library])
        context._defns[made.cfunc].append(call, tuple(state.args))  # noqa: SLF001 - as Numba does
        return True
