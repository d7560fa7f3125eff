"""Compiling every loop: each learner learns in every way it can, mixed tables are certified."""

import warnings
from collections.abc import Callable, Iterator, Sized
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.utils import get_tags

from surelearn._jit import _kept_code
from surelearn.app.certify import certify_table
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.report import make_report
from surelearn.checks import answer, small_table
from surelearn.learners.experts._voting import VotingGame
from surelearn.learners.experts.aggregating_algorithm import AggregatingAlgorithm
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.hedge import Hedge

_N_ROWS = 1500  # so many that nearest neighbours are sought as in large tables


class Steps(Sized):
    """One step for each learner and each table; to go through them is to compile them."""

    def __init__(self) -> None:
        self.tables = _mixed_tables()
        self.works: dict[str, Callable[[], None]] = {
            **{name: partial(_learn, kind) for name, kind in find_learners().items()},
            **{name: partial(_weigh, kind) for name, kind in find_experts().items()},
            **{name: partial(_pull, kind) for name, kind in find_bandits().items()},
            **{name: partial(_certify, file) for name, file in self.tables.items()},
        }

    def __len__(self) -> int:
        """Return the number of learners and tables."""
        return len(self.works)

    def __iter__(self) -> Iterator[str]:
        """Yield the name of each learner after it has learnt, then that of each table."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a small table need not suit every learner
            for name, work in self.works.items():
                work()
                yield name


def why_not_kept() -> str | None:
    """Return a sentence if what was compiled is lost at the end of the process, None if not.

    The steps silence warnings, and this one with them.
    """
    return _kept_code.why_not_kept()


def steps() -> Steps:
    """Return the steps of warming up.

    Examples
    --------
    >>> len(steps()) > 50
    True
    """
    return Steps()


def _learn(kind: Any) -> None:
    """Learn from arrays of both precisions and sparse matrices, at once, in blocks, row by row."""
    X, y = small_table(kind())
    tables: list[Any] = [X, X.astype(np.float32)]
    if get_tags(kind()).input_tags.sparse:
        tables.append(sparse.csr_array(X))
    for table in tables:
        answer(kind().fit(table, y), table)
    model = kind()
    if hasattr(model, "partial_fit"):
        answer(model.partial_fit(X, y), X)
    if hasattr(model, "learn_one"):
        model.learn_one(X[0], y[0])
        model.predict_one(X[0])


def _weigh(kind: Any) -> None:
    """Weigh experts, of whom the first is always right, in a table and for one round more."""
    learner = kind(Hedge()) if kind is Doubling else kind()
    advice = np.eye(3)[:2].repeat(10, axis=0)
    outcomes = advice[:, 0].copy()
    played_with_outcomes = issubclass(kind, VotingGame | AggregatingAlgorithm)
    game = (advice, outcomes) if played_with_outcomes else (advice,)
    learner.learn(*game)
    learner.update(*(table[0] for table in game))


def _pull(kind: Any) -> None:
    """Play a table of losses, and one round more."""
    bandit = kind(n_arms=3)
    bandit.play(np.eye(3).repeat(5, axis=0))
    bandit.update(bandit.select(), 0.0)


def _certify(file: TableFile) -> None:
    """Certify a table with all its learners, then with one whose report has a figure of its own."""
    regression = pa.types.is_floating(file.table.column("y").type)
    selections: list[dict[str, Any]] = [{"select": "nested"}]
    if not regression:
        selections += [{"select": "structural-risk"}, {"learners": ("AveragedPerceptron",)}]
    for selection in selections:
        make_report(certify_table(file, target="y", **selection), file)


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
