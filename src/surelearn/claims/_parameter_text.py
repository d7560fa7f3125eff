"""Parameters of a claim as text, `miss=10, false_alarm=1`: what is written is read as it was."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from surelearn._arguments import short

_PART = re.compile(
    r"""(?P<name>[^=,]*+)(?P<sign>=?+)\s*+
    (?P<value>(?:"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+')\s*+(?=,|\Z)|[^,]*+)""",
    re.VERBOSE | re.DOTALL,
)


def read_parameters(given: str, kinds: Mapping[str, Any], claim: str) -> dict[str, Any]:
    """Return the values of parameters by their names; text may stand in quotes, with its commas.

    Parameters
    ----------
    given
        What stands in the brackets.
    kinds
        The parameters there are, by name, each with its type.
    claim
        What it is given to.

    Examples
    --------
    >>> read_parameters('group="Smith, J."', {"group": str}, "group-error")
    {'group': 'Smith, J.'}
    """
    values: dict[str, Any] = {}
    for part in _PART.finditer(given):
        if not part[0].strip():
            continue
        key = part["name"].strip().replace("-", "_")
        if not part["sign"] or key not in kinds:
            told = ", ".join(kinds) if kinds else "none"
            raise ValueError(f"{claim} has no parameter {short(part[0].strip())}: there are {told}")
        read = _text if kinds[key] is str else _literal
        values[key] = read(part["value"].strip())
    return values


def written(value: Any) -> str:
    """Return a value as it is written; a text in quotes if it would be read as another one.

    Examples
    --------
    >>> written("north"), written("Smith, J."), written(0.1)
    ('north', '"Smith, J."', '0.1')
    """
    text = str(value)
    if not isinstance(value, str) or ("," not in text and _text(text.strip()) == text):
        return text
    return json.dumps(text, ensure_ascii=False)


def _text(text: str) -> str:
    """Return a text without its quotes, if it has some; 1_0 is the group of this name, not 10."""
    found = _literal(text) if text[:1] in {'"', "'"} else text
    return found if isinstance(found, str) else text


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):  # of signs in signs
        return text
