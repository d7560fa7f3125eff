"""Training on tables of any size: all rows at once, chunk by chunk, or on a sample.

If the training rows are very many, learners are compared on a sample of them. The winner then
learns from all of them, chunk by chunk, if it can; otherwise from the sample. Either way nothing
but training rows is looked at, so what the hold-out says of the model holds as ever.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from surelearn._typing import Indices
from surelearn.app.errors import TableError
from surelearn.app.problem.feature import features_of
from surelearn.app.problem.problem import Problem
from surelearn.app.problem.rows import Part, take
from surelearn.app.tables.notes import Note
from surelearn.evaluate._holdout_claims import one_of_each

MOST_CELLS = 4_000_000
"""Cells of training rows that learners are compared on."""

FEWEST_ROWS = 20_000
"""Rows that learners are compared on in any case."""

_MOST_NUMBERS = 16_000_000  # that these cells may become, if each category is a number of its own
_CHUNK = 2_000_000  # numbers that the rows of a chunk become

_Model = TypeVar("_Model")

_firsts = ContextVar("_firsts", default=False)


def train(model: _Model, problem: Problem) -> _Model:
    """Fit a model to the training rows, or to a sample if they are too many for it; return it."""
    try:
        return _train(model, problem)
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{type(steps_of(model)[-1]).__name__} was chosen and cannot learn from all training "
            f"rows: {error}; name other learners with --learner"
        ) from error


def _train(model: Any, problem: Problem) -> Any:
    if not _is_too_large(problem):
        return model.fit(*problem.training)
    if not learns_in_chunks(model):
        return model.fit(*take(problem.X, problem.y, _sampled_rows(problem)))
    steps = steps_of(model)
    for n_before, step in enumerate(steps):
        _learn_in_chunks(step, steps[:n_before], problem)
    return model


def steps_of(model: Any) -> list[Any]:
    """Return the steps of a pipeline, or the one step that a learner is."""
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]


def learns_in_chunks(model: Any) -> bool:
    """Return whether a model can learn chunk by chunk, and a pipeline in all its steps.

    Examples
    --------
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> learns_in_chunks(RidgeRegression()), learns_in_chunks(CARTClassifier())
    (True, False)
    """
    return all(hasattr(step, "partial_fit") for step in steps_of(model))


def to_compare_on(problem: Problem) -> Problem:
    """Return the problem itself, or one of a sample of its training rows if they are very many.

    The sample is drawn by the seed, and its problem has no hold-out.
    """
    if not _is_too_large(problem):
        return problem
    rows = _sampled_rows(problem)
    X, y = take(problem.X, problem.y, rows)
    return replace(
        problem,
        X=X,
        y=y,
        groups=None if problem.groups is None else problem.groups[rows],
        times=None if problem.times is None else problem.times[rows],
        split=replace(problem.split, train=np.arange(len(rows)), holdout=rows[:0]),
    )


def spread_of_targets(problem: Problem) -> float:
    """Return half the distance of the outer sixths of the training targets; 1 for classes.

    It is the unit of prices and tolerances, so it need not be exact: a target that is the same
    almost everywhere has the standard deviation as its unit, or 1.
    """
    if problem.task != "regression":
        return 1.0
    y = np.asarray(problem.y[problem.training_rows], dtype=np.float64)
    low, high = np.quantile(y, [1.0 / 6.0, 5.0 / 6.0])
    spread = 0.5 * float(high - low) or float(y.std())
    return spread if 0.0 < spread < np.inf else 1.0


def one_of_each_copy(problem: Problem) -> Problem:
    """Return the problem with one training row of all that are copies: such rows are draws.

    It is drawn by the seed, since copies may differ in their targets: the first ones of a table in
    the order of its targets have the least. It stands where the first one of them does.
    """
    if problem.split.kind != "distinct" or problem.groups is None:
        return problem
    rows = problem.split.train
    _, firsts, places = np.unique(problem.groups[rows], return_index=True, return_inverse=True)
    drawn = firsts if _firsts.get() else one_of_each(places, problem.split.seed)
    found = rows[drawn[np.argsort(firsts)]]
    if problem.task != "regression" and len(np.unique(problem.y[found])) < 2:
        raise TableError(
            f"of copies one counts, and of the {len(found):,} distinct training rows all that were "
            f"drawn have the target {problem.y[found[0]]}: no rule can be learnt from them. Say "
            "--select nested; or, if equal rows coincide by chance, --copies independent"
        )
    return replace(problem, split=replace(problem.split, train=found))


@contextmanager
def first_of_each_copy() -> Generator[None]:
    """Take the first of all copies, as runs did before: to make such a one again.

    Examples
    --------
    >>> with first_of_each_copy():
    ...     _firsts.get()
    True
    """
    token = _firsts.set(True)
    try:
        yield
    finally:
        _firsts.reset(token)


def training_notes(problem: Problem, model: Any) -> tuple[Note, ...]:
    """Say on which rows learners were compared and the model was fitted, if not on all.

    No model stands for one that was fitted when it was compared, and has its bound from there.
    """
    which = "training rows"
    if model is None and problem.split.kind == "distinct":
        problem, which = one_of_each_copy(problem), "distinct training rows"
    if not _is_too_large(problem):
        return ()
    n, n_sampled = len(problem.split.train), _sample_size(problem)
    compared = f"compared on {n_sampled:,} of the {n:,} {which}, drawn by the seed"
    why = f"all of them have {n * len(problem.features):,} cells, more than {MOST_CELLS:,}"
    fitted = f"fitted to all {n:,} training rows", "it learns block by block"
    if model is None or not learns_in_chunks(model):
        reason = "they prove its bound" if model is None else "it cannot learn block by block"
        fitted = f"fitted to the same {n_sampled:,} rows", reason
    return Note("learners", compared, why), Note("the chosen one", *fitted)


def _is_too_large(problem: Problem) -> bool:
    return _sample_size(problem) < len(problem.split.train)


def _sample_size(problem: Problem) -> int:
    """Return how many rows to compare learners on, known from the size of the table alone."""
    n_rows, n_features = len(problem.split.train), len(problem.features)
    if n_rows * n_features <= MOST_CELLS:
        return n_rows
    most = min(MOST_CELLS // n_features, _MOST_NUMBERS // _width(problem))
    return min(n_rows, max(most, FEWEST_ROWS))


def _width(problem: Problem) -> int:
    """Return how many numbers a row becomes if each category becomes one."""
    return sum(max(1, len(feature.categories)) for feature in features_of(problem.schema))


def _sampled_rows(problem: Problem) -> Indices:
    """Return the places of the rows of the sample, in the order of all training rows."""
    rows = problem.training_rows
    rng = np.random.default_rng(problem.split.seed)
    return rows[np.sort(rng.choice(len(rows), _sample_size(problem), replace=False))]


def _learn_in_chunks(step: Any, before: list[Any], problem: Problem) -> None:
    """Let one step of a pipeline see all training rows, as the steps before it pass them on."""
    more = {"classes": _classes(problem)} if is_classifier(step) else {}
    for X, y in _chunks(problem):
        for earlier in before:
            X = earlier.transform(X)  # noqa: PLW2901 - what the next step sees
        step.partial_fit(X, y, **more)


def _classes(problem: Problem) -> NDArray[Any]:
    found = [np.unique(problem.y[rows]) for rows in _cut(problem.split.train, _CHUNK)]
    return np.unique(np.concatenate(found))


def _chunks(problem: Problem) -> Iterator[Part]:
    """Yield the training rows chunk by chunk; the first chunk has a value in each column."""
    size = max(1, _CHUNK // _width(problem))
    yield from (
        take(problem.X, problem.y, rows) for rows in _cut(_telling_first(problem, size), size)
    )


def _telling_first(problem: Problem, size: int) -> Indices:
    """Return the places of the training rows; if need be some move to the first chunk.

    A column that is empty there has no kind that learners could find.
    """
    rows = problem.training_rows
    known = (column.is_valid().to_numpy()[rows] for column in problem.X.columns)
    firsts = np.unique([int(np.argmax(there)) for there in known])
    late = firsts[firsts >= size]
    return np.concatenate([rows[late], np.delete(rows, late)]) if len(late) else rows


def _cut(rows: Indices, size: int) -> Iterator[Indices]:
    return (rows[start : start + size] for start in range(0, len(rows), size))
