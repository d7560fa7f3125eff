"""What tells functions and classes apart: names, code, and all that the code refers to.

A function of an installed package is what its code and defaults are. Any other may be one of many
of its name, made by a closure or typed anew in a session, so what it finds by name counts as well.
"""

import dis
import functools
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

from surelearn._locks import without_turns

_NOT_BEHAVIOUR = frozenset(
    {
        "__abstractmethods__",
        "__annotate__",
        "__annotate_func__",
        "__annotations__",
        "__annotations_cache__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__slotnames__",
        "__static_attributes__",
        "__weakref__",
        "_abc_impl",
    }
)
_FOR_READERS = frozenset(  # of a class: what it was declared to be, for type checkers and makers
    {"__dataclass_fields__", "__orig_bases__", "__parameters__", "__type_params__"}
)
_COMPILED = (  # methods of compiled classes, which differ only if the classes do
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)
_HERE = __name__.partition(".")[0]


class Part(NamedTuple):
    """What stands under a name, and whether it may change what the code does."""

    value: Any
    counts: bool


def is_function(value: Any) -> bool:
    """Return whether a value is code with a name: a function, a method, or a compiled one."""
    return isinstance(getattr(value, "__code__", None), CodeType)


def is_told_by_name(function: Any) -> bool:
    """Return whether a package has a function under its name, and no other hides inside it."""
    if not is_installed(function) or isinstance(function, MethodType):
        return False
    hidden = getattr(function, "__closure__", None) or vars(function)
    return not hidden and not any(isinstance(c, CodeType) for c in function.__code__.co_consts)


def parts_of_function(function: Any) -> tuple[Any, ...]:
    """Return all by which a function can differ from another of the same name.

    Examples
    --------
    >>> one, other = (lambda x, shift=shift: x + shift for shift in (1, 2))
    >>> parts_of_function(one) == parts_of_function(other)
    False
    """
    if isinstance(function, MethodType):
        return function.__func__, function.__self__
    function = getattr(function, "py_func", function)  # a compiled one is what was compiled
    return (
        function.__code__,
        getattr(function, "__defaults__", None),
        _in_order(getattr(function, "__kwdefaults__", None)),
        [_content(cell) for cell in getattr(function, "__closure__", None) or ()],
        _in_order(vars(function)) if isinstance(function, FunctionType) else None,
    )


def names_in_module(function: Any, *, namesakes: bool = False) -> dict[str, Part]:
    """Return what a function that no package has finds by name in its module, as it stands now.

    With `namesakes` also what its module has under the name of an attribute, which it does not
    read: `self.threshold` is no variable `threshold`. Earlier fingerprints told it all the same.
    """
    if not isinstance(function, FunctionType) or is_installed(function):
        return {}
    there, read = function.__globals__, set(_variables(function.__code__))
    names = (set(_names(function.__code__)) if namesakes else read) & there.keys()
    return {name: _part(there[name], counts=name in read) for name in sorted(names)}


def parts_of_code(code: CodeType) -> tuple[Any, ...]:
    """Return what code does, and with which names and constants: not where it stands."""
    return (
        code.co_name,
        code.co_code,
        code.co_consts,  # those of nested functions among them
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_exceptiontable,
    )


def parts_of_class(cls: type[Any]) -> dict[str, Part]:
    """Return what a class says in its body.

    Examples
    --------
    >>> class Always:
    ...     answer = 3
    ...     @property
    ...     def twice(self):
    ...         return 2 * self.answer
    >>> sorted(parts_of_class(Always))
    ['answer', 'twice']
    """
    said = {name: v for name, v in vars(cls).items() if name not in _NOT_BEHAVIOUR}
    return {k: _part(_unwrapped(v), counts=k not in _FOR_READERS) for k, v in said.items()}


def is_installed(value: Any) -> bool:
    """Return whether a class or function is one that a package has under its name.

    Examples
    --------
    >>> is_installed(dict), is_installed(Path), is_installed(lambda x: x)
    (True, True, False)
    """
    if isinstance(value, type) and not isinstance(vars(value).get("__module__", ""), str):
        return True  # compiled code
    name, place = getattr(value, "__module__", None), getattr(value, "__qualname__", "<unnamed>")
    if not isinstance(name, str) or not of_package(name) or "<" in place:
        return False
    found: Any = sys.modules.get(name)
    for step in place.split("."):
        found = getattr(found, step, None)
    return found is value or getattr(found, "py_func", None) is value


@functools.cache
def of_package(name: str) -> bool:
    """Return whether a module belongs to Python, to an installed package or to this one."""
    top = name.partition(".")[0]
    if top == _HERE or top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None or top == "__main__":
        return False
    folder = Path(file).parent if Path(file).stem != "__init__" else Path(file).parents[1]
    return any(folder.glob("*.dist-info"))  # what an installer leaves beside a package


def _in_order(names: dict[str, Any] | None) -> dict[str, Any] | None:
    return names and {name: names[name] for name in sorted(names, key=repr)}


def _part(value: Any, *, counts: bool) -> Part:
    compiled = isinstance(value, _COMPILED) or isinstance(getattr(value, "__self__", None), type)
    return Part(value, counts and not compiled and type(value).__module__ != "typing")


def _variables(code: CodeType) -> Iterator[str]:
    """Yield the names that code and the functions inside it look up in their module."""
    for step in dis.get_instructions(code):
        if step.opname.endswith(("_GLOBAL", "_NAME", "_GLOBALS")):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _variables(constant)


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that code and the functions inside it look up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it will be filled when the function around it goes on
        return "<empty>"


def _unwrapped(value: Any) -> Any:
    """Return what an attribute of a class is made of: Python wraps methods and properties."""
    value = without_turns(value)
    match value:
        case staticmethod() | classmethod():
            return (type(value).__name__, cast("Any", value).__func__)
        case property():
            return (value.fget, value.fset, value.fdel)
        case functools.cached_property():
            return cast("Any", value).func
        case ModuleType():
            return value.__name__
        case _:
            return value
