"""The command line that does a run again, as its report shows it."""

import shlex
from collections.abc import Mapping
from typing import Any

from surelearn.app.tables.sources import STANDARD_INPUT

_OF_NO_OPTION = {"in_parts", "tried"}  # what a run notes for verify
_WORDS = {"learners": "learner", "claims": "claim"}


def command_line(verb: str, name: str, options: Mapping[str, Any]) -> str:
    """Return a command line with these options; a list repeats its own.

    Examples
    --------
    >>> command_line("certify", "-t.csv", {"target": "y", "drop": ["a", "b c"], "header": False})
    "surelearn certify ./-t.csv --target y --drop a --drop 'b c' --no-header"
    """
    words = ["surelearn", verb, as_file(name)]
    for option, value in options.items():
        if option in _OF_NO_OPTION:
            continue
        flag = _WORDS.get(option, option).replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            each = value if isinstance(value, list | tuple) else [value]
            words += [word for one in each for word in (f"--{flag}", str(one))]
    return shlex.join(words)


def as_file(name: str) -> str:
    """Return the name of a file so that no command takes it for an option.

    Examples
    --------
    >>> as_file("t.csv"), as_file("-t.csv")
    ('t.csv', './-t.csv')
    """
    return f"./{name}" if name.startswith("-") and name != STANDARD_INPUT else name
