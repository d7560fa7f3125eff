"""Whether each row is answered by itself, or by the rows that are asked with it.

A model that standardises, sorts or counts within a table answers a new row otherwise than it
answered the rows of a hold-out, so their losses say nothing of it. A sample of rows is asked one at
a time, and some in another order: a difference refutes, agreement proves nothing.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from surelearn._stored import stored_name
from surelearn._typing import Indices, Mask
from surelearn.base.chunks import rows_at
from surelearn.base.fitting import missing
from surelearn.base.labels import answered
from surelearn.base.seal import replaces_methods
from surelearn.certificate import Evidence, Precondition, assumed, by_construction, violated
from surelearn.certificate._evidence import Status

NAME = "each row is answered by itself"

_ALONE, _TOGETHER = 16, 256  # rows asked one at a time, and in another order
_ROUNDING = 1e-9  # the order of a sum may depend on the number of rows
_SINGLE = 100.0  # units in the last place, for answers in lower precision
_SEED = 0
_RANKS: tuple[Status, ...] = ("violated", "assumed", "checked", "by-construction")


def answered_alone(
    model: Any,
    X: Any,
    predicted: NDArray[Any],
    ask: Callable[[Any], Any] | None = None,
) -> Evidence:
    """Compare the answers to a table with those to some of its rows, asked by themselves.

    Parameters
    ----------
    model, X
        A fitted model and rows.
    predicted
        What it answered when it was asked about all of them.
    ask
        How it was asked, if not for its predictions.
    """
    question: Callable[[Any], Any] = model.predict if ask is None else ask
    if is_ours(model):
        return by_construction("its code reads and scores one row at a time")
    order = np.random.default_rng(_SEED).permutation(len(predicted))
    alone, together = order[:_ALONE], order[:_TOGETHER]
    try:
        few = rows_at(X, together)  # the ways into a whole table are long; one is enough
        single = [answered(question(rows_at(few, np.array([k])))) for k in range(len(alone))]
        again = answered(question(few))
    except Exception as error:  # noqa: BLE001 - a model of others may raise anything
        return violated(f"it cannot answer single rows: {type(error).__name__}: {error}"[:200])
    asked = np.concatenate([alone, together])
    answers = np.concatenate([*(np.atleast_1d(one) for one in single), np.atleast_1d(again)])
    if answers.shape != asked.shape:
        return violated("asked about fewer rows, it does not give one answer for each")
    n_others = int(_differ(model, X, asked, predicted[asked], answers).sum())
    if n_others:
        return violated(
            f"{n_others} of {len(asked)} answers were others when {len(alone)} rows were asked one "
            f"at a time and {len(together)} in another order"
        )
    return assumed(f"the same on {len(alone)} rows asked one by one; a sample proves nothing")


def row_by_row(found: Iterable[Evidence]) -> Precondition:
    """Return the demand, with the worst that is known of several models."""
    return Precondition("row_by_row", NAME, *worst_of(found))


def worst_of(found: Iterable[Evidence]) -> Evidence:
    """Return the evidence that says least.

    Examples
    --------
    >>> worst_of([by_construction("its code"), assumed("a sample")]).status
    'assumed'
    """
    return min(found, key=lambda one: _RANKS.index(one.status), default=assumed())


def not_together(
    model: Any,
    X: Any,
    predicted: NDArray[Any],
    ask: Callable[[Any], Any] | None = None,
) -> Evidence:
    """Return what is known; refuse a model whose answers to these rows depend on each other."""
    found = answered_alone(model, X, predicted, ask)
    if found.status == "violated":
        raise ValueError(
            f"{type(model).__name__} does not answer each row by itself, so these rows say nothing "
            f"of new ones: {found.text}"
        )
    return found


def _differ(model: Any, X: Any, asked: Indices, first: NDArray[Any], second: NDArray[Any]) -> Mask:
    """Return which answers differ by more than rounding explains."""
    if first.dtype.kind in "fc" and second.dtype.kind in "fc":
        units = _SINGLE * max(np.finfo(first.dtype).eps, np.finfo(second.dtype).eps)
        shown = first[np.isfinite(first)]
        scale = float(np.abs(shown).max()) if shown.size else 0.0
        near = np.isclose(first, second, rtol=0.0, atol=max(units, _ROUNDING) * scale)
        return ~(near | (np.isnan(first) & np.isnan(second)))
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    others = np.array([a != b and not (missing(a) and missing(b)) for a, b in pairs])
    places = np.flatnonzero(others)
    if len(places):  # where two classes score alike, rounding may decide
        others[places] = ~_tied(model, rows_at(X, asked[places]))
    return others


def _tied(model: Any, X: Any) -> Mask:
    """Return for which rows the two best classes score alike, as far as the model tells."""
    ask = getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    if ask is None:
        return np.zeros(n_rows, dtype=bool)
    scores = np.asarray(ask(X), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.stack([scores, np.zeros(n_rows)], axis=1)
    best = np.sort(scores, axis=1)[:, -2:]
    return best[:, 1] - best[:, 0] <= _ROUNDING * max(1.0, float(np.abs(scores).max()))


def is_ours(model: Any, around: tuple[Any, ...] = ()) -> bool:
    """Return whether a model is made of code that is known to treat each row by itself.

    A subclass, a method that was replaced, and a function or model of others that it was given may
    do anything. What stands `around` a model was asked about before, and may be in it, too.
    """
    cls, inside = cast("type[Any]", type(model)), (*around, model)
    if replaces_methods(model):
        return False
    if cls is Pipeline:
        return all(is_ours(step, inside) for _, step in model.steps)
    if cls is ColumnTransformer:
        parts = model.transformers_
        return all(isinstance(part, str) or is_ours(part, inside) for _, part, _ in parts)
    return stored_name(cls) is not None and _holds_ours(vars(model).values(), inside)


def _holds_ours(values: Iterable[Any], around: tuple[Any, ...]) -> bool:
    """Return whether no value, nor one in a list or a kernel, is a function or model of others."""
    for value in values:
        if any(value is outer for outer in around):
            continue
        if (parts := parts_of(value)) is not None:
            if not _holds_ours(parts, (*around, value)):
                return False
        elif hasattr(value, "predict"):
            if not is_ours(value, around):
                return False
        elif stored_name(cast("type[Any]", type(value))) is not None:
            held = getattr(value, "__dict__", {})  # a kernel may be given a function, or a kernel
            if replaces_methods(value) or not _holds_ours(held.values(), (*around, value)):
                return False
        elif callable(value):
            return False
    return True


def parts_of(value: Any) -> list[Any] | None:
    """Return what a list, a tuple, a set, a mapping or an array of objects holds; None of others.

    Examples
    --------
    >>> parts_of({"a": 1}), parts_of(np.array([len], dtype=object)), parts_of("ab")
    ([1], [<built-in function len>], None)
    """
    if isinstance(value, Mapping):
        return list(cast("Mapping[Any, Any]", value).values())
    if isinstance(value, np.ndarray):
        cells = cast("NDArray[Any]", value)
        return cells.ravel().tolist() if cells.dtype.hasobject else None
    several = isinstance(value, list | tuple | set | frozenset)
    return list(cast("Iterable[Any]", value)) if several else None
