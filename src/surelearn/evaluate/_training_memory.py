"""What a model remembers of its training rows, and whether a hold-out shares any.

Learners of this library keep hashes of the rows they were fitted to. They may stand inside other
models: at the end of a pipeline, behind a search, in an ensemble. What any of them remembers can
show that a row was seen; only a learner that is the whole model can show that none was.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import Any, NamedTuple, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import SKETCH_SIZE, Hashes
from surelearn._stored import stored_name
from surelearn._typing import Mask
from surelearn.base import validation
from surelearn.base.cell_bits import Rounding, round_fractions, to_single
from surelearn.base.chunks import in_chunks
from surelearn.base.seal import is_intact, replaces_methods
from surelearn.base.tables.table import read_table
from surelearn.certificate import Evidence, assumed, checked
from surelearn.evaluate._row_by_row import is_ours, parts_of

_ANSWERS = ("predict", "predict_proba", "decision_function")


class TrainingMemory(NamedTuple):
    """What a model remembers of its training rows, compared with the rows of a hold-out."""

    shared: int
    complete: bool  # whether finding none proves that there is none
    evidence: str


class _Learner(NamedTuple):
    """A learner that remembers, where it stands in a model, and how rows come to it."""

    learner: Any
    transform: Callable[[Any], Any] | None
    inside: bool  # whether other parts of the model were trained, too
    foreign: str = ""  # what else was given its rows, and may know others


class _Found(NamedTuple):
    """Which rows a learner knows: as they are, or in single or half precision."""

    known: Mask
    alike: Mask  # if rounded so far that different rows are alike as the learner saw them, too
    merged: bool  # whether there are different rows that are alike
    rounded: Mask  # which rows may themselves be rounded ones of a finer table


def training_memory(model: Any, X: Any) -> TrainingMemory:
    """Compare the hold-out's rows with those the model was trained on, as far as it remembers.

    A model that keeps sums of its rows only, and one of a table with categories, whose rows may
    coincide by chance, remembers none.
    """
    learners = list(_learners(model))
    if len(learners) == 1 and not learners[0].inside:
        return _of_learner(learners[0], X)
    known = [found for found in (_look_inside(one, X) for one in learners) if found is not None]
    if not known:
        return TrainingMemory(
            0, complete=False, evidence="the model does not remember its training rows"
        )
    shared = int(np.any(known, axis=0).sum())
    evidence = (
        f"{shared} of them are among the rows remembered by {len(known)} learners inside; the "
        "model itself does not remember its training rows"
    )
    return TrainingMemory(shared, complete=False, evidence=evidence)


def compare_with_training(model: Any, X: Any, *, allow_duplicates: bool) -> Evidence:
    """Say what speaks for rows that the model has not seen; refuse a hold-out that shares some."""
    memory = training_memory(model, X)
    if memory.shared and not allow_duplicates:
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        raise ValueError(
            f"{memory.shared} of {n_rows} hold-out rows also stand in the training data "
            "of this model. Split again; or, if rows of a table of categories coincide by "
            "chance, pass allow_duplicates=True"
        )
    proved = memory.complete and not memory.shared
    return checked(memory.evidence) if proved else assumed(memory.evidence)


def _of_learner(one: _Learner, X: Any) -> TrainingMemory:
    """Compare with the rows of the one learner that a model, or a pipeline, is."""
    found, kept = _find(one, X), one.learner.training_rows_
    shared = int(found.known.sum())
    if one.transform is not None:
        # Rounding may hide a row that was seen, and a transform may make different rows equal.
        n_alike = int(found.alike.sum())
        evidence = f"{n_alike} rows coincide after the transforms of the pipeline"
        return TrainingMemory(0 if found.merged else n_alike, complete=False, evidence=evidence)
    evidence = f"{shared} of them are among the {len(kept)} training rows remembered"
    complete, doubt = len(kept) < SKETCH_SIZE, ""
    if not is_intact(one.learner):
        doubt = "but the model was changed after it was fitted"
    elif stored_name(type(one.learner)) is None or one.foreign:
        doubt = f"what else {one.foreign or type(one.learner).__name__} learns from is not known"
    elif not is_ours(one.learner):
        doubt = f"what the functions given to {type(one.learner).__name__} know is not known"
    elif found.alike.sum() > shared:
        doubt = f"{int(found.alike.sum()) - shared} others are in single or half precision"
    elif found.rounded.any():
        doubt = (
            f"{int(found.rounded.sum())} are in single precision, in which a row learnt in double "
            "would not be recognised"
        )
    elif getattr(one.learner, "n_training_rows_", 0) > 2 * SKETCH_SIZE:
        complete = False  # an older version lost rows where others had many copies
    said = f"{evidence}; {doubt}" if doubt else evidence
    return TrainingMemory(shared, complete=complete and not doubt, evidence=said)


def _look_inside(one: _Learner, X: Any) -> Mask | None:
    """Return which rows a learner inside a model knows; None if it reads other columns."""
    try:
        found = _find(one, X)
    except (AttributeError, TypeError, ValueError):
        return None
    return found.known


def _find(one: _Learner, X: Any) -> _Found:
    """Look for rows among those that a learner remembers, as they are and rounded."""
    seen = one.transform or _same
    hashes = in_chunks(lambda chunk: _hashes(one.learner, seen(chunk)), X)
    precise, whole = hashes[:, 0], hashes[:, 3].astype(bool)
    kept = one.learner.training_rows_
    n_rows = len(precise) if one.transform is not None else len(np.unique(precise))
    known = alike = fingerprints.recognised(kept, precise)
    merged = False
    for coarse in (hashes[:, 1], hashes[:, 2]):
        found = fingerprints.recognised(kept, coarse)
        mixed = len(np.unique(coarse)) < n_rows
        merged, alike = merged or (mixed and bool(found.any())), alike | found
        known = known if mixed else known | found
    return _Found(known, alike, merged, (precise == hashes[:, 1]) & ~whole)


def _learners(
    model: Any,
    transform: Callable[[Any], Any] | None = None,
    *,
    inside: bool = False,
    around: tuple[Any, ...] = (),
) -> Iterator[_Learner]:
    """Yield the learners in a model that remember the rows they were fitted to."""
    deeper = (*around, model)
    # A subclass, or one whose method was replaced, may answer by anything else.
    plain = None if replaces_methods(model) else cast("type[Any]", type(model))
    if plain is Pipeline:
        if len(model) > 1:
            first, before = model[:-1], transform or _same
            transform = partial(_after, first.transform, before)
        yield from _learners(model[-1], transform, inside=inside, around=deeper)
    elif plain is FrozenEstimator:
        yield from _learners(model.estimator, transform, inside=inside, around=deeper)
    elif _remembers(model):
        others = list(_foreign_inside(model, deeper))
        yield _Learner(model, transform, inside, type(others[0]).__name__ if others else "")
        for inner in (*others, *_asked_by_methods(vars(model))):
            if not any(inner is outer for outer in deeper):  # a method may be its own
                yield from _learners(inner, transform, inside=True, around=deeper)
    elif not any(model is outer for outer in around):
        for inner, columns in _models_inside(model):
            chosen = transform
            if columns is not None:
                chosen = partial(_after, partial(_columns, columns), transform or _same)
            yield from _learners(inner, chosen, inside=True, around=deeper)


def _foreign_inside(model: Any, around: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the members of an ensemble, and theirs, that are not learners of this library."""
    for inner, _ in _models_inside(model):
        if any(inner is outer for outer in around):
            continue
        if stored_name(type(inner)) is None:
            yield inner
        else:
            yield from _foreign_inside(inner, (*around, inner))


def _remembers(model: Any) -> bool:
    """Return whether a model itself, not one to which it passes on, keeps its training rows."""
    own = "training_rows_" in getattr(model, "__dict__", {}) or hasattr(
        type(model), "training_rows_"
    )
    return own and getattr(model, "training_rows_", None) is not None


def _models_inside(model: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the models that a model was fitted to hold, each with the columns it sees, if told.

    A fitted estimator holds them in attributes that end in an underscore, and copies of them only;
    what has no such attribute may answer by a model that was given to it.
    """
    held = vars(model) if hasattr(model, "__dict__") else {}
    if (features := held.get("estimators_features_")) is not None:
        yield from zip(held["estimators_"], features, strict=True)
        return
    learnt = list(_models_in([v for name, v in held.items() if name.endswith("_")]))
    for inner in learnt or _models_in(list(held.values())):
        yield inner, None


def _models_in(value: Any) -> Iterator[Any]:
    """Yield the models in lists, tuples, mappings and arrays of objects."""
    if (parts := parts_of(value)) is not None:
        for part in parts:
            yield from _models_in(part)
    elif not isinstance(value, type) and (
        isinstance(value, BaseEstimator) or any(hasattr(value, name) for name in _ANSWERS)
    ):
        yield value


def _asked_by_methods(value: Any) -> Iterator[Any]:
    """Yield the objects whose methods a value is, or holds in a list: no `fit` made them anew."""
    for part in parts_of(value) or ():
        yield from _asked_by_methods(part)
    if isinstance(value, MethodType):
        yield value.__self__


def _same(X: Any) -> Any:
    return X


def _after(last: Callable[[Any], Any], first: Callable[[Any], Any], X: Any) -> Any:
    return last(first(X))


def _columns(columns: Any, X: Any) -> Any:
    return _safe_indexing(X, columns, axis=1)


def _hashes(learner: Any, X: Any) -> Hashes:
    """Return hashes of each row as the learner reads it: in double, single and half precision.

    The fourth column is 1 for a row of whole numbers.
    """
    if hasattr(learner, "categories_"):
        cells = cast("Any", X).toarray() if sparse.issparse(X) else X
        table, hashes_of = read_table(learner, cells), fingerprints.table_hashes
    else:
        table, hashes_of = validation.check_rows(learner, X), _hashes_of_rows
    coarse = (_rounded(table, to_single), _rounded(table, partial(round_fractions, np.float16)))
    return np.stack([*(hashes_of(each) for each in (table, *coarse)), _whole(table)], axis=1)


def _hashes_of_rows(table: Any) -> Hashes:
    return fingerprints.row_hashes(rows.of(table))


def _rounded(table: Any, rounding: Rounding) -> Any:
    """Return the rows as they would be had their numbers been stored like that."""
    if not sparse.issparse(table):
        return rounding(table).astype(np.float64)
    rounded = cast("Any", table).copy()
    rounded.data = rounding(rounded.data).astype(np.float64)
    return rounded


def _whole(table: Any) -> Hashes:
    """Return 1 for each row of whole numbers, 0 for others."""
    if not sparse.issparse(table):
        return (~(table % 1.0).any(axis=1)).astype(np.uint64)
    thin = cast("Any", table)
    return np.full(thin.shape[0], not (thin.data % 1.0).any(), dtype=np.uint64)
