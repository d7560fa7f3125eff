"""The commands that a report shows: the one that does its run again, and those that check it."""

import shlex
from collections.abc import Mapping
from typing import Any

from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.foreign_learners import is_foreign
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


def checking(run: CertifiedRun, name: str) -> str:
    """Return the command that checks a certificate, with the model if that is in a file of ours."""
    if is_foreign(run.name):
        return "surelearn verify certificate.json"
    table = shlex.quote(as_file(name))
    return f"surelearn verify certificate.json --model model.surelearn --data {table}"


def left_open(run: CertifiedRun) -> str:
    """Say what that command does not check."""
    learners = run.options.get("learners", ())
    counts = "whether the counts are those of the model, and " if is_foreign(run.name) else ""
    trained = f"{counts}whether the model was trained on the training part only: "
    if any(map(is_foreign, learners)):
        return f"{trained}do the run again, for --retrain loads no code of other libraries"
    return f"{trained}--retrain trains it again and compares"
