"""The learning problem in a table: task, features, what to leave out, leaks one can see.

Honesty. A hold-out certificate speaks of a model that knows nothing of the hold-out. So the split
is drawn first (from the number of rows with a known target and the seed), and everything that
shapes the model (types of columns, the task, which columns are left out) is decided on the training
rows alone. Hold-out rows are then read by those decisions, as any new row would be: a word in a
column of numbers is a missing cell. Four things may look at all rows, because they cannot favour a
model: the format of the file; a refusal, which withholds a certificate, so that the probability of
one that is issued and false only falls; warnings, which change nothing; and which rows are copies,
read as if all rows were for training: whatever order the rows have, the same ones are copies, so
that given which they are the split is as random as any. Leaving out rows whose target is missing is
a rule about single rows: the claim is then about rows with a known target.
"""

import difflib
import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types

from surelearn._typing import Indices
from surelearn.app.errors import TableError, TrainingPartError
from surelearn.app.problem import leakage, recorded_answers
from surelearn.app.problem import target as targets
from surelearn.app.problem.cells import is_missing, refuse_infinite
from surelearn.app.problem.column_notes import notes_on
from surelearn.app.problem.copies import Copies, Mode, feature_hashes, rounded_feature_hashes
from surelearn.app.problem.feature import Feature, stored
from surelearn.app.problem.feature_reader import FeatureReader
from surelearn.app.problem.features import Dates
from surelearn.app.problem.leakage import target_in_disguise
from surelearn.app.problem.rows import Part, in_time_order, sample, take
from surelearn.app.problem.split import Split, column_of_split, split, wording_of
from surelearn.app.tables.memory_mapped import forget_pages, take_rows
from surelearn.app.tables.notes import Note
from surelearn.app.tables.read import TableFile
from surelearn.base.chunks import in_chunks

__all__ = ["Problem", "Task", "target_in_disguise", "understand"]

Task: TypeAlias = targets.Task
_compute: Any = pc


@dataclass(frozen=True, eq=False)
class Problem:
    """The learning problem in a table.

    Parameters
    ----------
    task
        "binary", "multiclass" or "regression".
    target
        The column to predict.
    features
        The columns to predict it from, in the order of the table.
    categorical
        Those of them that are text.
    X
        A PyArrow table of the features, a row per known target: 64-bit floats and text
        (dictionary-encoded); null is missing.
    y
        The targets of those rows: text, whole numbers or truth values, or floats.
    dropped_rows
        How many rows were left out because their target is missing.
    left_out
        Each column that is no feature, and why.
    warnings
        Leaks and other dangers, a sentence each; they change nothing.
    notes
        What was inferred, why, and how to say otherwise.
    split
        The split that was fixed before looking; everything above was decided on `split.train`.
    groups, times
        The groups or times of the rows, if `group` or `time` named a column; copies of one row are
        a group if they were kept together.
    copies
        How many rows are copies, and where they stand.
    schema
        What a model file needs to read other tables alike (JSON).
    """

    task: Task
    target: str
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    X: Any
    y: NDArray[Any]
    dropped_rows: int
    left_out: Mapping[str, str]
    warnings: tuple[str, ...]
    notes: tuple[Note, ...]
    split: Split
    groups: NDArray[Any] | None
    times: NDArray[Any] | None
    copies: Copies
    schema: Mapping[str, Any]

    @property
    def n_rows(self) -> int:
        """How many rows have a target."""
        return len(self.y)

    @property
    def n_training(self) -> int:
        """How many of them train."""
        return len(self.split.train)

    @property
    def split_digest(self) -> str:
        """What tells this split from others of the same table."""
        return hashlib.sha256(self.split.holdout.tobytes()).hexdigest()[:16]

    def chances(self, model: Any) -> NDArray[Any]:
        """Return how likely a model holds the second of two classes, for each row held out."""
        return in_chunks(model.predict_proba, self.held_out.X)[:, 1]

    def widths(self, model: Any, rows: Indices | None = None) -> NDArray[Any]:
        """Return how wide a model says its errors are, for each row held out, or for some."""
        X = self.held_out.X if rows is None else take(*self.held_out, rows).X
        return in_chunks(model.predict_width, X)

    @property
    def training_rows(self) -> Indices:
        """The places of the training rows, in the order of time if there is one."""
        return in_time_order(self.split.train, self.times)

    @cached_property
    def training(self) -> Part:
        """The features and targets of the training rows, in that order; taken once."""
        return take(self.X, self.y, self.training_rows)

    @cached_property
    def held_out(self) -> Part:
        """The features and targets of the rows held out; taken once."""
        return take(self.X, self.y, self.split.holdout)

    def sample_training(self, *, most: int) -> Part:
        """Return training rows in the order of the table, at most so many, drawn by the seed."""
        rows = sample(self.split.train, most=most, seed=self.split.seed)
        whole = self.times is None and len(rows) == len(self.split.train)
        return self.training if whole else take(self.X, self.y, rows)

    @property
    def scope(self) -> str:
        """Which new rows a claim about a model of this problem speaks of, in sentences."""
        missing = " Rows whose target is missing are not meant." if self.dropped_rows else ""
        about = self.split.wording
        if self.task == "regression":
            about = wording_of(self.split.kind, of_sizes=True)
        return f"This is {about}.{missing}"


def understand(  # noqa: PLR0913 - an argument for each option of the command
    file: TableFile,
    *,
    target: str,
    task: Literal["classification", "binary", "multiclass", "regression"] | None = None,
    categorical: Sequence[str] = (),
    keep: Sequence[str] = (),
    drop: Sequence[str] = (),
    group: str | None = None,
    time: str | None = None,
    zeros: Sequence[str] = (),
    dates: Dates | None = "features",
    copies: Mode | None = "together",
    rare: bool = True,
    cut: Callable[..., Split] = split,
) -> Problem:
    """Find the learning problem in a table; decide everything on the training rows alone.

    Parameters
    ----------
    file
        What `read_table_file` read.
    target
        The column to predict.
    task
        Says what would be found out otherwise.
    categorical
        Columns of numbers to treat as categories.
    keep
        Columns to use although they look like row numbers or free text, or tell group or time.
    drop
        Columns to leave out.
    group, time
        The column by whose values rows belong together, or follow each other.
    zeros
        Columns of numbers in which 0 means that the value is missing.
    dates
        Whether what dates tell (year, month, weekday, hour, time elapsed) is learnt from
        ("features"), or columns of dates are no features ("left-out"). None: as before dates and
        quantities in words were read, to check certificates of that time.
    copies
        Whether copies of a row stay on one side of the split ("together") or each is a draw
        ("independent"). None: as before copies were looked at, to check certificates of that time.
    rare
        Whether a class of one row is refused: in a sample it may well have one.
    cut
        Draws the split: `functools.partial(split, holdout=0.2, seed=0)`; it is given the number of
        rows, and `groups`, `times` and `copies`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> kinds = ["cat", "bird", "dog", "bird"] * 5
    >>> table = pa.table({"legs": [4, 2, 4, 2] * 5, "kind": kinds})
    >>> problem = understand(TableFile.of_table(table), target="kind", copies="independent")
    >>> problem.task, problem.features, len(problem.split.holdout)
    ('multiclass', ('legs',), 4)
    """
    table = file.table
    _refuse_unread(file, [target, group, time, *categorical, *keep, *zeros])
    roles = _roles(table.column_names, target=target, group=group, time=time)
    _check_names([*categorical, *keep, *drop, *zeros], table.column_names, roles)
    rows = _with_target(table, target)
    dropped = table.num_rows - rows.num_rows
    groups = None if group is None else column_of_split(rows, group, "group")
    times = None if time is None else column_of_split(rows, time, "time")
    excluded = excluded_columns(roles, keep, drop)
    asked: dict[str, Any] = {"categories": categorical, "keep": keep, "zeros": zeros, "mode": dates}
    reader = FeatureReader(file, rows, excluded, **asked)
    alike = reader.copies() if copies == "together" and not (group or time) else None
    meant = recorded_answers.ask(rows.drop_columns([*drop, *filter(None, (group, time))]), target)
    with recorded_answers.asking(meant):
        drawn = cut(rows.num_rows, groups=groups, times=times, copies=alike)
    _refuse_infinite(table, excluded)
    with recorded_answers.asking(meant), _hint_at_copies(drawn, alike):
        y = targets.read_target(
            rows.column(target),
            target,
            task,
            drawn.train,
            file.decimal,
            read_words=dates is not None,
            rare=rare,
        )
        features, left_out = reader.choose(drawn.train)
    X = reader.read(features)
    found = Copies.of(feature_hashes(X), drawn, copies, rounded_feature_hashes(X))
    if drawn.kind == "distinct":
        found = replace(found, not_compared=reader.not_compared(features))
    return Problem(
        task=y.task,
        target=target,
        features=tuple(f.name for f in features),
        categorical=tuple(f.name for f in features if f.kind in {"text", "code"}),
        X=X,
        y=y.values,
        dropped_rows=dropped,
        left_out=left_out,
        warnings=tuple(
            filter(None, (meant, *leakage.warn(table, X, y, drawn, roles, found, features)))
        ),
        notes=tuple(notes_on(rows, y, dropped, target, features, left_out, zeros)),
        split=drawn,
        groups=alike if drawn.kind == "distinct" else groups,
        times=times,
        copies=found,
        schema=_schema(file, target, y.task, features),
    )


@contextmanager
def _hint_at_copies(drawn: Split, alike: Indices | None) -> Generator[None]:
    """Say that a training part may lack something only because copies of rows stay together."""
    try:
        yield
    except TrainingPartError as error:
        if drawn.kind != "distinct" or alike is None:
            raise
        told = f"only {int(alike.max()) + 1:,} of {len(alike):,} rows are distinct, and copies stay"
        raise TableError(f"{error} ({told} together; or say --copies independent)") from None


def _with_target(table: Any, target: str) -> Any:
    """Return the rows whose target is known."""
    known = np.flatnonzero(~is_missing(table.column(target)))
    if len(known) == 0:
        raise TableError(f"the target {target!r} is missing in all {table.num_rows:,} rows")
    return table if len(known) == table.num_rows else take_rows(table, known)


def _roles(names: Sequence[str], **asked: str | None) -> dict[str, str]:
    """Return the columns with a role, each with its role; say which are not there."""
    roles: dict[str, str] = {}
    for role, name in asked.items():
        if name is None:
            continue
        if name not in names:
            raise TableError(unknown_column(name, names, what=f"{role} column"))
        if name in roles:
            raise TableError(f"column {name!r} cannot be the {roles[name]} and the {role} at once")
        roles[name] = role
    return roles


def _refuse_unread(file: TableFile, asked: Iterable[str | None]) -> None:
    """Refuse a column that is there, but of a type that is not read; a note has told of it."""
    for name in asked:
        told = [note for note in file.notes if note.about == f"column {name!r}"]
        if told and name not in file.table.column_names:
            raise TableError(f"{told[-1]}: turn it into numbers, dates or text first")


def unknown_column(name: str, names: Sequence[str], *, what: str) -> str:
    """Return the sentence about a column that is not there, with the nearest name."""
    lower = {there.lower(): there for there in reversed(names)}
    near = difflib.get_close_matches(name.lower(), lower, n=1)
    if near:
        return f"there is no {what} {name!r}; did you mean {lower[near[0]]!r}?"
    return f"there is no {what} {name!r}; the columns are {listed_columns(names)}"


def listed_columns(names: Sequence[str]) -> str:
    """Return the names of columns for a sentence, the first of many."""
    return ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")


def check_target(target: str | None, names: Sequence[str]) -> None:
    """Refuse a table of which nobody said which column to predict, or one that is not there."""
    if target is None:
        raise TableError(
            "say with --target which column the model is to predict; the columns are "
            f"{listed_columns(names)}"
        )
    if target not in names:
        raise TableError(unknown_column(target, names, what="target column"))


def _check_names(asked: Iterable[str], names: Sequence[str], roles: Mapping[str, str]) -> None:
    for name in asked:
        if name not in names:
            raise TableError(unknown_column(name, names, what="column"))
        if roles.get(name) == "target":
            raise TableError(f"{name!r} is the target; it cannot be a feature, nor be left out")


def _reserved(roles: Mapping[str, str], keep: Sequence[str]) -> dict[str, str]:
    """Return why the columns with a role are no features."""
    why = {
        "target": "it is the target",
        "group": "it tells the groups by which the rows are split",
        "time": "it tells the time by which the rows are split",
    }
    return {name: why[role] for name, role in roles.items() if name not in keep}


def excluded_columns(
    roles: Mapping[str, str], keep: Sequence[str] = (), drop: Sequence[str] = ()
) -> dict[str, str]:
    """Return the columns that are no features whatever they hold, each with the reason."""
    return {**_reserved(roles, keep), **dict.fromkeys(drop, "--drop says so")}


def _refuse_infinite(table: Any, excluded: Mapping[str, str]) -> None:
    """Refuse infinite cells by their rows in the file; later on rows are counted otherwise."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if types.is_floating(column.type) and name not in excluded:
            refuse_infinite(column, name)
            forget_pages()


def _schema(
    file: TableFile, target: str, task: Task, features: Sequence[Feature]
) -> dict[str, Any]:
    return {
        "target": target,
        "task": task,
        "features": [stored(f) for f in features],
        "columns": list(file.table.column_names),
        "header": file.header,
        "missing": list(file.missing) or None,
        "decimal": file.decimal,
    }
