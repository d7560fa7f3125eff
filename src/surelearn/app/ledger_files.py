"""Files of a ledger: a line of JSON for each look, appended under a lock and never changed."""

import json
import os
import re
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from surelearn.base.row_identity import SKETCH, RowSet
from surelearn.evaluate.ledger import Question

try:
    import fcntl
except ImportError:  # Windows has none; two runs at the same moment are then not told apart
    fcntl = None

VERSION = 1
NAME = "surelearn-ledger.jsonl"
"""The file beside the folder of the results."""

_TEXTS = ("file", "target", "learner", "date", "rules", "model", "table")
_ROW = re.compile("[0-9a-f]{16}")
_COUNTED = re.compile("[0-9a-f]{16} [1-9][0-9]{0,17}")
_LONGEST_LINE = 10**6  # bytes; a look of ours has some 3,000
_LARGEST_FILE = 10**9
_MOST_DAMAGED = 10_000
_PART = 2**16
_STATE = {
    "win32": ("LOCALAPPDATA", "AppData/Local"),
    "darwin": ("", "Library/Application Support"),
}


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
    also
        By what else the rows are recognised.
    """

    rows: RowSet
    question: Question
    about: Mapping[str, Any]
    also: tuple[RowSet, ...] = ()

    def is_at(self, others: Sequence[RowSet]) -> bool:
        """Return whether it was a look at these rows, or at most of them."""
        known = (self.rows, *self.also)
        return any(one.is_mostly(other) for one in known for other in others)

    def to_line(self) -> dict[str, Any]:
        """Return the look as JSON has it."""
        also = {"also": [_told_of(one) for one in self.also]} if self.also else {}
        return {
            "ledger": VERSION,
            **self.about,
            **self.question._asdict(),
            **_told_of(self.rows),
            **also,
        }

    @classmethod
    def from_line(cls, content: Any) -> "Look":
        """Return the look in a line, or raise `ValueError`."""
        if not isinstance(content, dict) or content.get("ledger") != VERSION:
            raise ValueError("no line of a ledger")
        for name in _TEXTS:
            if type(content.get(name)) is not str:
                raise ValueError(f"{name} is no text")
        if type(content.get("delta")) is not float or not 0 < content["delta"] < 1:
            raise ValueError("delta is no probability")
        if not _is_count(content.get("looks")) or content["looks"] == 0:
            raise ValueError("looks is no number of models")
        if type(content.get("also", [])) is not list:
            raise ValueError("also is no list")
        rows = _rows_in(content)
        names = ("date", "file", "target", "learner", "looks", "delta", "options")
        about = {name: content[name] for name in names if name in content}
        also = tuple(map(_rows_also, content["also"])) if "also" in content else ()
        return cls(rows, Question(content["rules"], content["model"]), about, also)


def _told_of(rows: RowSet) -> dict[str, Any]:
    """Return what a line keeps of rows."""
    digest, n, n_single, sketch, n_distinct, counted = rows
    copies = {
        "n_distinct": n_distinct,
        "counted": [f"{row:016x} {count}" for row, count in counted],
    }
    return {
        "table": digest,
        "n_rows": n,
        "n_single": n_single,
        "rows": [f"{row:016x}" for row in sketch],
        **(copies if counted else {}),
    }


def _rows_also(content: Any) -> RowSet:
    if not isinstance(content, dict) or type(content.get("table")) is not str:
        raise ValueError("what rows are recognised by is no table")
    return _rows_in(cast("dict[str, Any]", content))


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63  # a truth value is no count


def _rows_in(content: Mapping[str, Any]) -> RowSet:
    """Return the rows that a line tells of, if they can be those of a table."""
    n, n_single, rows = (content.get(name) for name in ("n_rows", "n_single", "rows"))
    if not (_is_count(n) and _is_count(n_single) and cast("int", n_single) <= cast("int", n)):
        raise ValueError("n_rows or n_single is no number of rows")
    if not isinstance(rows, list) or len(rows) != min(cast("int", n_single), SKETCH):
        raise ValueError("rows is no list of as many as there should be")
    if not all(isinstance(row, str) and _ROW.fullmatch(row) for row in rows):
        raise ValueError("a row is no 64 bits")
    if any(rows[i] >= rows[i + 1] for i in range(len(rows) - 1)):
        raise ValueError("the rows do not increase")
    sketch = tuple(int(row, 16) for row in rows)
    found = RowSet(content["table"], cast("int", n), cast("int", n_single), sketch)
    return _with_copies(found, content) if "counted" in content else found


def _with_copies(found: RowSet, content: Mapping[str, Any]) -> RowSet:
    """Return rows with how often each is there, if that can be so of as many rows."""
    n_distinct, counted = content.get("n_distinct"), content["counted"]
    if not (_is_count(n_distinct) and found.n_single <= cast("int", n_distinct) < found.n):
        raise ValueError("n_distinct is no number of distinct rows")
    if not isinstance(counted, list) or len(counted) != min(cast("int", n_distinct), SKETCH):
        raise ValueError("counted is no list of as many as there should be")
    if not all(isinstance(one, str) and _COUNTED.fullmatch(one) for one in counted):
        raise ValueError("a row is not counted")
    rows = tuple((int(one[:16], 16), int(one[17:])) for one in counted)
    if any(rows[i][0] >= rows[i + 1][0] for i in range(len(rows) - 1)):
        raise ValueError("the rows that are counted do not increase")
    if sum(count for _, count in rows) > found.n:
        raise ValueError("more rows are counted than there are")
    return found._replace(n_distinct=cast("int", n_distinct), counted=rows)


class Pages(NamedTuple):
    """What a ledger holds: looks, what was answered to them, and how many lines are damaged."""

    looks: tuple[Look, ...]
    answers: Mapping[tuple[str, str], Mapping[str, Any]]
    n_damaged: int


def state_folder() -> Path | None:
    """Return where the ledger of this user is kept: as the system has it, or as we are told.

    None if there is no such place: in a container a user may be a number without a home.
    """
    told = os.environ.get("SURELEARN_STATE")
    if told:
        return Path(told)
    named, usual = _STATE.get(sys.platform, ("XDG_STATE_HOME", ".local/state"))
    folder = os.environ.get(named) or os.path.join(os.path.expanduser("~"), usual)  # noqa: PTH111, PTH118 - `Path` raises
    return Path(folder) / "surelearn" if os.path.isabs(folder) else None  # noqa: PTH117


def read_pages(path: Path) -> Pages:
    """Read a ledger; what is no line of one is counted. A file that is not there holds nothing."""
    looks: list[Look] = []
    answers: dict[tuple[str, str], Mapping[str, Any]] = {}
    n_damaged = 0
    if not path.exists():
        return Pages((), {}, 0)
    _refuse_no_file(path)
    if path.stat().st_size > _LARGEST_FILE:
        raise OSError(f"it has more than {_LARGEST_FILE:,} bytes")
    with path.open("rb") as file:
        for line in _lines(file):
            try:
                content = json.loads(line)
                if isinstance(content, dict) and "answer" in content:
                    answers.update([_answer_in(cast("dict[str, Any]", content))])
                else:
                    looks.append(Look.from_line(content))
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
                n_damaged += bool(line.strip())
                if n_damaged > _MOST_DAMAGED:
                    raise OSError(
                        f"it is no ledger: {n_damaged:,} of its lines are none of one"
                    ) from None
    return Pages(tuple(looks), answers, n_damaged)


def _refuse_no_file(path: Path) -> None:
    if not path.is_file():  # to read a pipe is to wait for ever
        raise OSError(f"{path} is no file")


def _lines(file: IO[bytes]) -> Generator[bytes]:
    """Yield the lines of a file; of one that is too long its beginning, which is no JSON."""
    while line := file.readline(_LONGEST_LINE):
        whole = line.endswith(b"\n") or len(line) < _LONGEST_LINE
        yield line if whole else b"too long"
        while not whole and (part := file.readline(_PART)):
            whole = part.endswith(b"\n")


def _answer_in(content: Mapping[str, Any]) -> tuple[tuple[str, str], Mapping[str, Any]]:
    """Return what a line answers, and to which model of which table."""
    answer, key = content["answer"], (content["table"], content["model"])
    words = (*key, answer["status"], answer["claim"]) if isinstance(answer, dict) else (None,)
    if content.get("ledger") != VERSION or not all(isinstance(word, str) for word in words):
        raise ValueError("no answer to a look")
    return key, cast("dict[str, Any]", answer)


def append(path: Path, content: Mapping[str, Any]) -> None:
    """Add a line to a ledger, whole or not at all, and see to it that it is on the disk."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, default=str)
    with path.open("ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        whole = file.read(1) in {b"", b"\n"}  # a run that was killed may have left half a line
        rest = (b"" if whole else b"\n") + text.encode() + b"\n"
        try:
            while rest:  # a disk that is nearly full takes a part
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(size)
            raise


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Keep other runs out of a ledger, whose folder is made if there is none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists():
        _refuse_no_file(path)
    with path.open("ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if fcntl is not None:
                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_UN)
