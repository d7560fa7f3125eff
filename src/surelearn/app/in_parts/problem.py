"""The learning problem of a table in parts: decided on a sample, split by the cells of each row.

Everything that shapes the model is decided on the training rows of a sample, as on one machine it
is decided on all training rows. A row is known by its features, judged by all rows of the sample as
if they were for training: whatever order the rows have, the same ones are copies.

Why it does no harm that rows to be held out have a say in what a row is known by. Let K stand for
the columns, with their kinds, that make up what a row is known by; K is a function of the table
without its targets. The hash with its seed is taken for a random function, as a generator of random
numbers is taken for a random source wherever rows are split. Then, given the whole table, K is
fixed, and each distinct K(row) has a coin of its own that falls on "held out" with the probability
asked for: the law of the coins is the same for all tables in which the rows differ. So the coins
are independent of the table, whatever K is and whichever row decided it; given the coins, rows that
were drawn independently still are, those held out of those that train. And K shapes nothing else:
types, features, learner and model are functions of the training rows, which the coins chose. Where
rows agree in K they share a coin, and count as one draw: which rows these are follows from the
table, as it does for copies in a table of one file, and the certificate speaks of distinct rows
then. What K must never depend on is a target, or on which side a row stands. A table that was made
to suit the hash of a known seed is beyond this, as one that was made to suit a generator is.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyarrow import types

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.in_parts.answers import HeldOut, ask_parts
from surelearn.app.in_parts.reading import RowReader, target_reader
from surelearn.app.in_parts.sides import Sides
from surelearn.app.problem.feature import features_of
from surelearn.app.problem.feature_reader import FeatureReader
from surelearn.app.problem.problem import Problem, excluded_columns, understand
from surelearn.app.problem.rows import Part
from surelearn.app.problem.split import Split, wording_of
from surelearn.app.tables.parted_file import PartedFile, missing_words, only

_REFUSED = {
    "time": "rows in the order of time are held out from a moment on, which nobody knows before "
    "all parts are read",
}


@dataclass(frozen=True, eq=False)
class ProblemInParts(Problem):
    """The problem of a table in parts. `X` has the rows of a sample only.

    Before the hold-out is asked, `split` is that of the sample. Afterwards `y`, `groups` and
    `split` have the training rows of the sample, and all rows held out.

    Parameters
    ----------
    file, reader
        The table, and how its blocks are read.
    answered
        What the model answered to all rows held out, once it was asked.
    unsplit
        Columns by which rows are told apart, but which are no features of the model.
    """

    file: PartedFile
    reader: RowReader
    answered: HeldOut | None = None
    unsplit: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """How many rows have a target."""
        return self.file.n_known

    @property
    def n_training(self) -> int:
        """How many rows train; before the hold-out is asked, about how many."""
        held = round(self.reader.sides.holdout * self.n_rows)
        return self.n_rows - (held if self.answered is None else len(self.answered.y))

    @cached_property
    def held_out(self) -> Part:
        """The rows held out: what each is known by, in place of its features."""
        if self.answered is None:
            return super().held_out
        bits = np.ascontiguousarray(self.answered.hashes).view(np.uint16)
        return Part(bits.reshape(-1, 4), self.answered.y)

    def chances(self, model: Any) -> NDArray[Any]:
        """Return how likely the model held the second of two classes."""
        if self.answered is None or self.answered.score is None:
            return super().chances(model)
        return self.answered.score

    def widths(self, model: Any, rows: Indices | None = None) -> NDArray[Any]:
        """Return how wide the model said its errors were, for each row held out, or for some."""
        if self.answered is None or self.answered.width is None:
            return super().widths(model, rows)
        return self.answered.width if rows is None else self.answered.width[rows]

    @property
    def split_digest(self) -> str:
        """What tells this split from others: it follows from the table and from this."""
        told = f"{self.file.sha256} {self.reader.sides}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def asked(self, model: Any) -> "ProblemInParts":
        """Ask a model about all rows held out; return the problem with its answers."""
        parts = only(self.file.parts, sorted(self.reader.columns))
        found = ask_parts(parts, self.reader, model)
        rows = self.split.train
        m, h = len(rows), len(found.y)
        groups = self.groups
        if groups is not None:
            others = np.unique(found.hashes, return_inverse=True)[1]
            groups = np.concatenate([groups[rows], others + groups.max() + 1])
        return replace(
            self,
            X=self.training.X,
            y=np.concatenate([self.y[rows], found.y]),
            groups=groups,
            split=replace(self.split, train=np.arange(m), holdout=np.arange(m, m + h)),
            answered=found,
        )


def pose_in_parts(
    file: PartedFile,
    *,
    target: str,
    holdout: float,
    seed: int,
    copies: Any,
    group: str | None = None,
    time: str | None = None,
    **reading: Any,
) -> ProblemInParts:
    """Find the problem in a table in parts; see `surelearn.app.problem.problem.understand`."""
    if time is not None:
        raise TableError(f"a table in parts is not split by time: {_REFUSED['time']}")
    if copies != "together":
        raise TableError(
            "a table in parts is split by the cells of each row, so that copies stay together: "
            "leave --copies out, or give one file"
        )
    _refuse_infinite(file, {target, group, *reading.get("drop", ())})
    sides = _sides(file, target, Sides((), file.decimal, holdout, seed, group), reading)
    hashes = sides.hashes(file.table)
    whole = file.table.num_rows == file.n_known
    kind = "distinct" if group is None else "group"
    if group is None and whole and len(np.unique(hashes)) == len(hashes):
        kind = "random"  # every row was looked at, and none is a copy

    def cut(n_rows: int, **_: Any) -> Split:
        held = sides.held_out(hashes)
        if held.all() or not held.any():
            raise TableError(
                f"all {n_rows:,} rows that were looked at fall on one side of the split: they are "
                "too few, or copies of one row"
            )
        train, rest = np.flatnonzero(~held), np.flatnonzero(held)
        return Split(train, rest, kind, seed, wording_of(kind))

    found = understand(
        file, target=target, group=group, cut=cut, copies=copies, rare=whole, **reading
    )
    return _in_parts(found, file, sides, hashes)


def _refuse_infinite(file: PartedFile, excluded: Collection[str | None]) -> None:
    """Refuse infinite cells of the sample; where its rows stand in the files nobody knows."""
    for name, column in zip(file.table.column_names, file.table.columns, strict=True):
        if name in excluded or not types.is_floating(column.type):
            continue
        if np.isinf(column.to_numpy()).any():
            raise TableError(
                f"the column {name!r} holds infinity in some rows: leave those rows out, or the "
                f"column with --drop {name}"
            )


def _in_parts(found: Problem, file: PartedFile, sides: Sides, hashes: Hashes) -> ProblemInParts:
    words = missing_words(file.parts, file.missing or None)
    column = file.table.column(found.target)
    reader = RowReader(
        sides, found.schema, target_reader(column, found.target, found.y, file.decimal), words
    )
    own: dict[str, Any] = {name: getattr(found, name) for name in _fields(found)}
    of_copies = found.split.kind != "random"
    own["groups"] = np.unique(hashes, return_inverse=True)[1] if of_copies else None
    own["dropped_rows"] = file.n_rows - file.n_known
    own["copies"] = replace(found.copies, n_rows=file.n_known)
    features = {f.source for f in features_of(found.schema)}
    unsplit = tuple(sorted(sides.columns - features)) if sides.group is None else ()
    return ProblemInParts(**own, file=file, reader=reader, unsplit=unsplit)


def _fields(found: Problem) -> list[str]:
    return [name for name in vars(found) if name in Problem.__dataclass_fields__]


def _sides(file: PartedFile, target: str, plain: Sides, reading: Mapping[str, Any]) -> Sides:
    """Return the split: rows are known by the features that all of them together would have."""
    if plain.group is not None:
        return plain
    excluded = excluded_columns({target: "target"}, (), reading.get("drop", ()))
    reader = FeatureReader(
        file,
        file.table,
        excluded,
        categories=reading.get("categorical", ()),
        keep=reading.get("keep", ()),
        zeros=reading.get("zeros", ()),
        mode=reading.get("dates"),
    )
    features, _ = reader.choose(np.arange(file.table.num_rows))
    return replace(plain, features=tuple(replace(f, categories=()) for f in features))
