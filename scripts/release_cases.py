"""Every learner of tables with its settings, on fixed tables: what two releases must agree on."""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

import surelearn as sl
from release_settings import SETTINGS


class Case(NamedTuple):
    """A learner, the rows it learns, the rows it is then asked about, and how it learns.

    How is "fit", "learn" in chunks that stop in mid-stream, "partial_fit" in chunks, "one" row at a
    time, "weighted" or "pruned".
    """

    name: str
    learner: Any
    X: Any
    y: Any
    how: str = "fit"

    @property
    def asked(self) -> Any:
        """Half of the rows as they are, half with cells of other rows."""
        return asked(self.X)

    @property
    def more(self) -> tuple[Any, Any]:
        """The rows that a learner stopped in mid-stream has not learnt yet."""
        return self.X[40:], self.y[40:]

    def fitted(self) -> Any:
        """Return the learner after it has learnt."""
        return _WAYS[self.how](clone(self.learner), self.X, self.y)


def registry() -> Any:
    """Return the module that finds learners, wherever this release has it."""
    for name in ("app.registry", "registry", "learners.registry", "base.registry"):
        try:
            return importlib.import_module(f"surelearn.{name}")
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError("this release of surelearn has no registry of learners")


def all_cases() -> Iterator[Case]:
    """Yield every learner in every way it can learn, then those with settings of their own."""
    for name, cls in registry().find_learners().items():
        yield from _ways_of(name, cls)
    for name, make in SETTINGS.items():
        yield from _setting(name, make)


def _ways_of(name: str, cls: Any) -> Iterator[Case]:
    needed = {"tree": sl.CARTClassifier()}
    learner = cls(**{key: needed[key] for key in _required(cls)})
    X, y = sl.checks.small_table(learner)
    kinds = three_kinds(len(y))
    yield Case(f"{name} small", learner, X, y)
    yield Case(f"{name} real", learner, *real_table(learner, X))
    yield Case(f"{name} named", learner, named(X), y)
    if get_tags(learner).input_tags.sparse:
        yield Case(f"{name} sparse", learner, sparse.csr_array(X), y)
    if is_classifier(learner):
        yield Case(f"{name} three", learner, X, kinds)
        yield Case(f"{name} numbers", learner, X, np.arange(len(y)) % 2)
    for how in ("learn", "one"):
        if hasattr(learner, "learn"):
            yield Case(f"{name} {how}", learner, X, y, how)
            if is_classifier(learner):
                yield Case(f"{name} three {how}", learner, X, kinds, how)
            else:
                yield Case(f"{name} sparse {how}", learner, sparse.csr_array(X), y, how)
    if hasattr(learner, "partial_fit"):
        yield Case(f"{name} chunks", learner, X, y, "partial_fit")
    if "sample_weight" in inspect.signature(learner.fit).parameters:
        yield Case(f"{name} weighted", learner, X, y, "weighted")


def _required(cls: Any) -> list[str]:
    """Return the arguments that a class must be given."""
    parameters = inspect.signature(cls).parameters.values()
    return [p.name for p in parameters if p.default is p.empty]


def three_kinds(n: int) -> Any:
    """Return labels of three classes."""
    return np.array(["red", "green", "blue"])[np.arange(n) ** 2 % 5 % 3]


def real_table(learner: Any, small: Any) -> tuple[Any, Any]:
    """Return rows of real numbers (bits for a learner of bits) and targets with noise."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 4))
    y = X @ np.array([1.0, -2.0, 0.5, 0.0]) + rng.normal(scale=0.5, size=80)
    if set(np.unique(small)) <= {0.0, 1.0}:
        X = (X > 0.0).astype(np.float64)
    if small.min() >= 0.0:
        X = np.abs(X)
    return X, y / 8.0 if is_regressor(learner) else np.where(y > 0.0, 1, -1)


def named(X: Any) -> Any:
    """Return rows of numbers as a table whose columns have names."""
    return pa.table({f"x{j}": X[:, j] for j in range(X.shape[1])})


def mixed_table(n: int = 60) -> Any:
    """Return numbers, words, codes and missing cells."""
    rng = np.random.default_rng(5)
    size = rng.normal(size=n).round(3)
    colour = rng.choice(["red", "blue", "green"], size=n)
    shape = rng.choice(["round", "square"], size=n)
    return pa.table(
        {
            "size": pa.array([None if i % 9 == 4 else float(v) for i, v in enumerate(size)]),
            "colour": pa.array([None if i % 11 == 5 else str(v) for i, v in enumerate(colour)]),
            "shape": pa.array([str(v) for v in shape]),
            "count": pa.array(rng.integers(0, 6, size=n)),
        }
    )


def asked(X: Any) -> Any:
    """Return the first rows of a table, then rows of cells that come from other rows each."""
    if isinstance(X, pa.Table):
        return X.take(asked(np.arange(X.num_rows)))
    if sparse.issparse(X):
        return sparse.csr_array(asked(X.toarray()))
    if X.ndim == 1:
        return np.concatenate([X[:10], X[::-1][3:13]])
    rolled = [np.roll(X[:, j], 7 * (j + 1)) for j in range(X.shape[1])]
    return np.vstack([X[:12], np.column_stack(rolled)[20:32]])


def _learn(learner: Any, X: Any, y: Any) -> Any:
    """Learn 40 rows in three chunks, the labels told beforehand."""
    told = {} if is_regressor(learner) else {"classes": np.unique(y)}
    for start, stop in ((0, 7), (7, 8), (8, 40)):
        learner.learn(X[start:stop], y[start:stop], **told)
        told = {}
    return learner


def _learn_ones(learner: Any, X: Any, y: Any) -> Any:
    """Learn 40 rows one at a time."""
    for _ in predictions_before(learner, X, y):
        pass
    return learner


def predictions_before(learner: Any, X: Any, y: Any) -> Iterator[Any]:
    """Learn 40 rows one at a time, and yield what was predicted for each before it was learnt."""
    rows = X.toarray() if sparse.issparse(X) else X
    told = {} if is_regressor(learner) else {"classes": np.unique(y)}
    learner.learn(rows[:1], y[:1], **told)
    for x, target in zip(rows[1:40], y[1:40], strict=True):
        yield learner.predict_one(x)
        learner.learn_one(x, target)


def _learn_chunks(learner: Any, X: Any, y: Any) -> Any:
    for start, stop in ((0, 30), (30, 31), (31, 40)):
        learner.partial_fit(X[start:stop], y[start:stop])
    return learner


def _learn_weighted(learner: Any, X: Any, y: Any) -> Any:
    return learner.fit(X, y, sample_weight=1.0 + np.arange(len(y)) % 3)


def _prune(learner: Any, X: Any, y: Any) -> Any:
    return learner.fit(X, y).prune(alpha=0.02)


_WAYS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "fit": lambda learner, X, y: learner.fit(X, y),
    "learn": _learn,
    "one": _learn_ones,
    "partial_fit": _learn_chunks,
    "pruned": _prune,
    "weighted": _learn_weighted,
}


def _setting(name: str, make: Callable[[], Any]) -> Iterator[Case]:
    """Yield a learner with settings on the table that its name asks for."""
    learner, n = make(), 60
    X, y = sl.checks.small_table(learner)
    if "mixed" in name:
        X = mixed_table(n)
    elif "codes" in name:
        X = np.abs(X)
    elif "points" in name:
        X = np.abs(X[:, :1]) % 4
    elif "holes" in name:
        X = np.where(np.arange(X.size).reshape(X.shape) % 7 == 3, np.nan, X)
    elif "bits" in name:
        X = (X > 0.0).astype(np.float64)
    elif "real" in name:
        X, y = real_table(learner, X)
    elif "sparse" in name:
        X = sparse.csr_array(X)
    how = next((way for way in _WAYS if name.endswith(f" {way}")), "fit")
    yield Case(name, learner, X, y, how)
    if is_classifier(learner) and "mixed" in name and how == "fit":
        yield Case(f"{name} three", learner, X, three_kinds(n))
