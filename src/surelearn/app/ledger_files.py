"""Files of a ledger: a line of JSON for each look, appended under a lock and never changed."""

import json
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from surelearn.base.row_identity import RowSet
from surelearn.evaluate.ledger import Question

try:
    import fcntl
except ImportError:  # Windows has none; two runs at the same moment are then not told apart
    fcntl = None

VERSION = 1
NAME = "surelearn-ledger.jsonl"
"""The file beside the folder of the results."""

_LARGEST = 2**64


class Look(NamedTuple):
    """A look at the hold-out of a table: one line of a ledger.

    Attributes
    ----------
    rows
        The rows of the table.
    question
        The rules, and the model with its split.
    about
        What a reader wants to know: file, target, learner, looks, delta, date.
    """

    rows: RowSet
    question: Question
    about: Mapping[str, Any]

    def to_line(self) -> dict[str, Any]:
        """Return the look as JSON has it."""
        digest, n, n_single, sketch = self.rows
        return {
            "ledger": VERSION,
            **self.about,
            **self.question._asdict(),
            "table": digest,
            "n_rows": n,
            "n_single": n_single,
            "rows": [f"{row:016x}" for row in sketch],
        }

    @classmethod
    def from_line(cls, content: Any) -> "Look":
        """Return the look in a line, or raise `ValueError`."""
        if not isinstance(content, dict) or content.get("ledger") != VERSION:
            raise ValueError("no line of a ledger")
        kinds = {"file": str, "target": str, "learner": str, "looks": int, "date": str}
        kinds |= {"rules": str, "model": str, "table": str, "n_rows": int, "n_single": int}
        for name, kind in kinds.items():
            if type(content.get(name)) is not kind:
                raise ValueError(f"{name} is {content.get(name)!r}")
        sketch = tuple(int(row, 16) for row in content["rows"])
        if not all(0 <= row < _LARGEST for row in sketch) or not 0 < float(content["delta"]) < 1:
            raise ValueError("numbers out of range")
        rows = RowSet(content["table"], content["n_rows"], content["n_single"], sketch)
        names = ("date", "file", "target", "learner", "looks", "delta", "options")
        about = {name: content[name] for name in names if name in content}
        return cls(rows, Question(content["rules"], content["model"]), about)


class Pages(NamedTuple):
    """What a ledger holds: looks, what was answered to them, and how many lines are damaged."""

    looks: tuple[Look, ...]
    answers: Mapping[tuple[str, str], Mapping[str, Any]]
    n_damaged: int


def state_folder() -> Path:
    """Return where the ledger of this user is kept: as the system has it, or as we are told."""
    told = os.environ.get("SURELEARN_STATE")
    if told:
        return Path(told)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local") / "surelearn"
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support/surelearn"
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "surelearn"


def read_pages(path: Path) -> Pages:
    """Read a ledger; what is no line of one is counted. A file that is not there holds nothing."""
    looks: list[Look] = []
    answers: dict[tuple[str, str], Mapping[str, Any]] = {}
    n_damaged = 0
    if not path.exists():
        return Pages((), {}, 0)
    if not path.is_file():  # to read a pipe is to wait for ever
        raise OSError(f"{path} is no file")
    with path.open("rb") as file:
        for line in file:
            try:
                content = json.loads(line)
                if isinstance(content, dict) and "answer" in content:
                    answers[str(content["table"]), str(content["model"])] = dict(content["answer"])
                else:
                    looks.append(Look.from_line(content))
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                n_damaged += bool(line.strip())
    return Pages(tuple(looks), answers, n_damaged)


def append(path: Path, content: Mapping[str, Any]) -> None:
    """Add a line to a ledger and see to it that it is on the disk."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, default=str)
    with path.open("ab+") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        whole = file.read(1) in {b"", b"\n"}  # a run that was killed may have left half a line
        file.write((b"" if whole else b"\n") + text.encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep other runs out of a ledger, whose folder is made if there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is no file")
    with path.open("ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if fcntl is not None:
                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_UN)
