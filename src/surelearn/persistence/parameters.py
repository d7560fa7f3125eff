"""The parameters of a stored learner: a file may lack one, or hold another kind of thing."""

from collections.abc import Mapping
from typing import Any

from surelearn.base.parameters import names_of, strange
from surelearn.persistence.names import StateError


def refuse_strange(cls: type[Any], held: Mapping[str, Any]) -> None:
    """Refuse attributes among which a parameter is missing, or is plainly of a wrong kind."""
    for name in names_of(cls):
        if name not in held and not hasattr(cls, name):  # a default may stay with the class
            raise StateError(f"its {cls.__name__} lacks the parameter {name}")
    for name in strange(cls, held):
        kind = type(held[name]).__name__
        raise StateError(f"{name} of its {cls.__name__} is a {kind}: it cannot be that")
