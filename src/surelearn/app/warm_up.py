"""Compiling every loop: each learner learns a small table, and small mixed tables are certified."""

import warnings
from collections.abc import Iterator, Sized
from typing import Any

import numpy as np
import pyarrow as pa

from surelearn.app.certify import certify_table
from surelearn.app.registry import find_learners
from surelearn.app.reporting import make_report
from surelearn.app.tables import TableFile
from surelearn.checks import answer, small_table

_N_ROWS = 1500  # so many that nearest neighbours are sought as in large tables


class Steps(Sized):
    """One step for each learner and each table; to go through them is to compile them."""

    def __init__(self) -> None:
        self.learners = find_learners()
        self.tables = _mixed_tables()

    def __len__(self) -> int:
        """Return the number of learners and tables."""
        return len(self.learners) + len(self.tables)

    def __iter__(self) -> Iterator[str]:
        """Yield the name of each learner after it has learnt, then that of each table."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small table need not suit every learner
            for name, learner in self.learners.items():
                _learn(learner())
                yield name
            for name, file in self.tables.items():
                _certify(file)
                yield name


def steps() -> Steps:
    """Return the steps of warming up.

    Examples
    --------
    >>> len(steps()) > 30
    True
    """
    return Steps()


def _learn(learner: Any) -> None:
    X, y = small_table(learner)
    answer(learner.fit(X, y), X)


def _certify(file: TableFile) -> None:
    """Certify a table with all its learners, then with one whose report has a figure of its own."""
    regression = pa.types.is_floating(file.table.column("y").type)
    ways: list[dict[str, Any]] = [{"select": "nested"}]
    if not regression:
        ways += [{"select": "structural-risk"}, {"learners": ("AveragedPerceptron",)}]
    for way in ways:
        make_report(certify_table(file, target="y", **way), file)


def _mixed_tables() -> dict[str, TableFile]:
    """Return tables of numbers, words and missing cells: two classes, three, and numbers.

    A table of few columns, all of numbers, is searched for neighbours in another way.
    """
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, _N_ROWS))
    columns: dict[str, Any] = {
        "x": x,
        "z": pa.array(z, mask=z > 1.5),
        "count": rng.integers(0, 9, _N_ROWS),
        "colour": pa.array(rng.choice(["red", "green", "blue"], _N_ROWS), mask=z > 1.0),
        "size": rng.choice(["small", "large"], _N_ROWS),
    }
    score = x + z + (columns["count"] > 4) + rng.normal(size=_N_ROWS)
    targets: dict[str, Any] = {
        "two classes": np.where(score > 0.5, "yes", "no"),
        "three classes": np.digitize(score, [-0.5, 1.0]),
        "numbers": score,
    }
    tables = {name: pa.table({**columns, "y": y}) for name, y in targets.items()}
    tables["few columns"] = pa.table({"x": x.round(1), "y": targets["two classes"]})
    return {name: TableFile.of_table(table, name) for name, table in tables.items()}
