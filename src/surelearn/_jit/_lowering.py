"""Fewer instructions for the same loop, so that it compiles faster and does the same.

Numba copies an array's description to the stack for each element that is read or written. The
optimiser removes that again. Here an element is an address.
"""

from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler import Compiler, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.ir_utils import get_definition, guard
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.np.arrayobj import fix_integer_index, load_item, store_item

from surelearn._jit._inference import OF_CONSTANTS, RememberingInference


class PlainLower(Lower):
    """Writes the instructions of a function."""

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Write an expression; loops that count by ones are written here."""
        if expr.op == "getiter" and self._counts_by_ones(expr.value):
            return self._counter(resty, expr.value)
        return super().lower_expr(resty, expr)

    def _counts_by_ones(self, loop_var: Any) -> bool:
        call: Any = guard(get_definition, self.func_ir, loop_var)
        return (
            isinstance(self.typeof(loop_var.name), types.RangeType)
            and getattr(call, "op", None) == "call"
            and call.vararg is None
            and len(call.args) < 3
            and self.typeof(call.func.name) is self.context.typing_context.resolve_value_type(range)
        )

    def _counter(self, resty: Any, loop_var: Any) -> Any:
        """Write the beginning of a loop, as Numba does for a step of one."""
        builder, loop = self.builder, self.loadvar(loop_var.name)
        start, stop = (builder.extract_value(loop, k) for k in range(2))
        length, zero = builder.sub(stop, start), start.type(0)
        left = builder.select(builder.icmp_signed(">", length, zero), length, zero)
        fields = {"stop": stop, "step": start.type(1)}
        for name, number in (("iter", start), ("count", left)):
            fields[name] = cgutils.alloca_once(builder, number.type)
            builder.store(number, fields[name])
        return _made(self.context, builder, resty, fields)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Write an operation on two numbers; of constants only powers are written otherwise."""
        operands = (expr.lhs.name, expr.rhs.name)
        kinds = tuple(self.typeof(name) for name in operands)
        if op in OF_CONSTANTS or not all(isinstance(kind, types.Number) for kind in kinds):
            return super().lower_binop(resty, expr, op)
        signature = self.fndesc.calltypes[expr]
        wanted = tuple(types.unliteral(kind) for kind in signature.args)
        numbers = [
            self.context.cast(self.builder, self.loadvar(name), kind, asked)
            for name, kind, asked in zip(operands, kinds, wanted, strict=True)
        ]
        made = _instructions(self.context, op, wanted)(self.builder, numbers)
        return self.context.cast(self.builder, made, signature.return_type, resty)

    def delvar(self, name: str) -> None:
        """Forget a variable: where no references are counted there is nothing to do."""
        if self.context.enable_nrt:
            super().delvar(name)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """Read an element of an array."""
        address = self._address(value, index)
        if address is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        array = self.typeof(value.name)
        read = load_item(self.context, self.builder, array, address)
        return self.context.cast(self.builder, read, array.dtype, resty)

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """Write an element of an array."""
        address = self._address(target_var, index_var)
        if address is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        array, kind = self.typeof(target_var.name), self.typeof(value_var.name)
        value = self.loadvar(value_var.name)
        for wanted in (signature.args[2], array.dtype):
            value, kind = self.context.cast(self.builder, value, kind, wanted), wanted
        return store_item(self.context, self.builder, array, value, address)

    def _address(self, array_var: Any, index_var: Any) -> Any:
        """Return where an element of an array of numbers stands, or None where Numba must say."""
        if self.context.enable_boundscheck:
            return None
        kind, index = self.typeof(array_var.name), self.typeof(index_var.name)
        kinds: Any = getattr(index, "types", (index,))
        if not is_of_numbers(kind) or len(kinds) != kind.ndim:
            return None
        if not all(isinstance(one, types.Integer) for one in kinds):
            return None
        builder, places = self.builder, [self.loadvar(index_var.name)]
        if isinstance(index, types.BaseTuple):
            places = cgutils.unpack_tuple(builder, places[0])
        array = _Fields(self.context, builder, kind, self.loadvar(array_var.name))
        lengths = [array.number("shape", k) for k in range(kind.ndim)]
        fixed = [self._place(*one) for one in zip(kinds, places, lengths, strict=True)]
        if kind.ndim == 1 and kind.layout != "A":
            return builder.gep(array.field("data"), fixed)
        strides = [array.number("strides", k) for k in range(kind.ndim)]
        return cgutils.get_item_pointer2(
            self.context, builder, array.field("data"), lengths, strides, kind.layout, fixed
        )

    def _place(self, kind: Any, place: Any, length: Any) -> Any:
        """Return a place from the beginning; negative ones are counted from the end."""
        if isinstance(kind, types.IntegerLiteral) and kind.literal_value >= 0:
            return self.context.cast(self.builder, place, kind, types.intp)
        return fix_integer_index(self.context, self.builder, kind, place, length)


@cache
def _instructions(context: Any, op: Any, kinds: tuple[Any, ...]) -> Any:
    """Return what writes an operation on numbers of such kinds."""
    function = context.typing_context.resolve_value_type(op)
    signature = function.get_call_type(context.typing_context, kinds, {})
    return context.get_function(function, signature)


class _Fields:
    """What an array's description says."""

    def __init__(self, context: Any, builder: Any, kind: Any, array: Any) -> None:
        self._find = context.data_model_manager[kind].get_field_position
        self._builder, self._array = builder, array

    def field(self, name: str) -> Any:
        return self._builder.extract_value(self._array, self._find(name))

    def number(self, name: str, k: int) -> Any:
        return self._builder.extract_value(self._array, [self._find(name), k])


def _made(context: Any, builder: Any, kind: Any, fields: dict[str, Any]) -> Any:
    """Return a value made of its fields."""
    model = context.data_model_manager[kind]
    made = ir.Constant(model.get_value_type(), ir.Undefined)
    for name, field in fields.items():
        made = builder.insert_value(made, field, model.get_field_position(name))
    return made


def is_of_numbers(kind: Any) -> bool:
    """Return whether a type is that of an array of numbers or truth values."""
    return type(kind) is types.Array and isinstance(kind.dtype, (types.Number, types.Boolean))


@register_pass(mutates_CFG=True, analysis_only=False)
class PlainLowering(NativeLowering):
    """The pass that writes instructions."""

    _name = "plain_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """Return who writes them."""
        return PlainLower


_NumbasPasses: Any = PassManager


class _QuietPasses(_NumbasPasses):
    """Runs passes without telling listeners, who would be told each array of each argument."""

    def _runPass(self, _: int, one: Any, state: Any) -> None:  # noqa: N802 - Numba's name
        """Run one pass."""
        one.analysis = self._analysis
        for step in (one.run_initialization, one.run_pass, one.run_finalizer):
            step(state)


class PlainCompiler(Compiler):
    """Numba's compiler, but for how it finds types and writes instructions."""

    needless: tuple[type, ...] = ()
    """Passes that look for what such functions do not do."""

    lowering: type = PlainLowering
    """The pass that writes instructions."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's passes, with our own for the last but one."""
        numbas: Any = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes: Any = _QuietPasses(numbas.pipeline_name)
        passes.passes = numbas.passes
        passes.add_pass_after(RememberingInference, NopythonTypeInference)
        passes.add_pass_after(self.lowering, NativeLowering)
        left_out = (NopythonTypeInference, NativeLowering, *self.needless)
        passes.passes = [one for one in passes.passes if one[0] not in left_out]
        passes.finalize()
        return [passes]
