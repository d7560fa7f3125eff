"""What was inferred about the columns of a table, in words, and how to say otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from surelearn.app.problem.feature import Feature
from surelearn.app.problem.target import Target
from surelearn.app.tables import quantities
from surelearn.app.tables.notes import Note

_compute: Any = pc
_ORDERS = {"dmy": "day, month, year", "mdy": "month, day, year", "ymd": "year, month, day"}


def notes_on(
    rows: Any,
    y: Target,
    dropped: int,
    target: str,
    features: Sequence[Feature],
    left_out: Mapping[str, str],
    zeros: Sequence[str] = (),
) -> Iterator[Note]:
    """Yield what was inferred of the target and the columns.

    Parameters
    ----------
    rows, dropped
        The rows with a known target, and how many others there are.
    y, target
        The target, and its name.
    features, left_out
        The features; and the columns that are none, each with the reason.
    zeros
        The columns in which 0 was said to mean that a value is missing.
    """
    other = "classification" if y.task == "regression" else "regression"
    yield Note("task", y.task, y.why, "" if y.why.endswith("text") else f"--task {other}")
    if dropped:
        found = f"{dropped:,} left out; every claim is about rows with a known target"
        yield Note("rows", found, f"the target {target!r} is missing in them")
    for name, reason in left_out.items():
        if name != target:
            why, _, override = reason.partition(": ")
            yield Note(f"column {name!r}", "left out", why, override)
    yield from _on_target(rows.column(target), target, y)
    yield from _on_dates(features)
    for feature in features:
        yield from _on_numbers(rows.column(feature.source), feature)
    numbers = {feature.source for feature in features if feature.zeros}
    for name in dict.fromkeys(feature.source for feature in features):
        if name in zeros and name not in numbers:
            why = "--zeros is about columns of numbers"
            yield Note(f"column {name!r}", "0 does not mean missing", why)


def _on_target(column: Any, name: str, y: Target) -> Iterator[Note]:
    """Yield that a target was read as numbers though its cells are words."""
    if y.task == "regression" and types.is_dictionary(column.type):
        why = f"{column[0].as_py()!r} is read as {y.values[0]:.12g}"
        yield Note(f"column {name!r}", "numbers", why, "--task classification")


def _on_dates(features: Sequence[Feature]) -> Iterator[Note]:
    parts: dict[str, list[str]] = {}
    forms = {feature.source: feature.form for feature in features if feature.part}
    for feature in features:
        if feature.part:
            parts.setdefault(feature.source, []).append(feature.part)
    for name, told in parts.items():
        why = f"it holds dates, read as {_ORDERS[forms[name]]}"
        found = f"read as {', '.join(told)}"
        yield Note(f"column {name!r}", found, why, f"--dates left-out, or --drop {quote(name)}")


def _on_numbers(column: Any, feature: Feature) -> Iterator[Note]:
    about = f"column {feature.name!r}"
    if feature.form and not feature.part and types.is_dictionary(column.type):
        words = column.unique().drop_null().cast(pa.string())
        word, number = quantities.example(words, feature.form)
        why = f"{word!r} is read as {number:.12g}"
        yield Note(about, "numbers", why, f"--categorical {quote(feature.name)}")
    if feature.zeros:
        yield Note(about, "0 means missing", "--zeros says so")
    if types.is_integer(column.type) and feature.kind == "number":
        low, high = _compute.min_max(column).as_py().values()
        if max(-low, high) > 2**53:
            why = "whole numbers beyond 2^53 lose their last digits"
            yield Note(about, "rounded", why, f"--categorical {quote(feature.name)}")
