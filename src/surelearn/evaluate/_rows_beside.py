"""What claims beside a certificate count: truths, answers, scores and widths, row by row."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices, Vector
from surelearn.base.chunks import in_chunks
from surelearn.base.labels import in_words, label_named
from surelearn.claims import Predictions
from surelearn.claims.predictions import POSITIVE, as_labels, differ

_third_told_apart: ContextVar[bool] = ContextVar("_third_told_apart", default=True)


@contextmanager
def third_labels_mistaken() -> Generator[None]:
    """Count rows of a third label as alarms, as certificates did before: to make such ones again.

    Examples
    --------
    >>> with third_labels_mistaken():
    ...     print(_third(np.array(["a", "c"]), ["a", "b"]))
    None
    >>> _third(np.array(["a", "c"]), ["a", "b"])
    array([False,  True])
    """
    token = _third_told_apart.set(False)
    try:
        yield
    finally:
        _third_told_apart.reset(token)


class Compared(Protocol):
    """What claims need to know beside the model."""

    @property
    def positive(self) -> Any:
        """Of two labels the positive one, if its own words do not say so."""
        ...

    @property
    def baseline(self) -> Any:
        """Another model, or None."""
        ...


def record_rows(
    wanted: Compared,
    model: Any,
    X: Any,
    y: NDArray[Any],
    answers: NDArray[Any],
    *,
    labels: Sequence[Any] | None,
) -> tuple[Predictions, bool]:
    """Return labels and answers as claims take them, and whether the model gives scores."""
    other = None if wanted.baseline is None else np.asarray(in_chunks(wanted.baseline.predict, X))
    columns = [column for column in (y, answers, other) if column is not None]
    if labels is None:
        # Whole numbers stay as they are: doubles would round large ones, some of their errors to 0.
        numbers = [c if c.dtype.kind in "iuf" else c.astype(np.float64) for c in columns]
        rows = Predictions(numbers[0], numbers[1], "regression", baseline=_last(numbers))
        if not gives_widths(model):
            return rows, False
        return replace(rows, columns={"width": widths_of(model, X, rows.n)}), False
    if any(column.dtype.kind == "O" for column in columns):
        labels, *words = in_words(list(labels), *(column.tolist() for column in columns))
        columns = [as_labels(column) for column in words]
    rows = Predictions(columns[0], columns[1], "multiclass", baseline=_last(columns))
    if len(labels) != 2:
        return rows, False
    positive = _positive(labels, wanted.positive)
    score = None if positive is None else scores_of(model, X, positive)
    finite = score is not None and bool(np.isfinite(score).all())
    given = score if finite else None
    third = None if positive is None else _third(columns[0], labels)
    found = replace(rows, task="binary", positive=positive, score=given, third=third)
    return found, score is not None


def _third(truth: NDArray[Any], labels: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Return which rows are of neither of two labels; None if none is."""
    neither = np.logical_and.reduce([differ(truth, np.full(1, label)) for label in labels])
    return neither if _third_told_apart.get() and neither.any() else None


def _last(columns: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    """Return what the other model answered, if there is one."""
    return columns[2] if len(columns) == 3 else None


def _positive(labels: Sequence[Any], named: Any) -> Any:
    """Return the positive one of two labels: as it was named, or as its own words say."""
    if named is None:
        own = [label for label in labels if str(label).lower() in POSITIVE]
        return own[0] if len(own) == 1 else None
    found = label_named(labels, named)
    if found is None:
        told = " and ".join(map(str, labels))
        raise ValueError(f"positive={named!r} is no label here: there are {told}")
    return found


def scores_of(model: Any, X: Any, positive: Any) -> Vector | None:
    """Return how much the model holds each row to be positive, if it says so of two classes."""
    known = [str(label) for label in np.asarray(getattr(model, "classes_", ())).tolist()]
    if len(known) != 2 or str(positive) not in known:
        return None
    place = known.index(str(positive))
    if callable(getattr(model, "predict_proba", None)):
        return np.asarray(in_chunks(model.predict_proba, X), dtype=np.float64)[:, place]
    if callable(getattr(model, "decision_function", None)):
        found = np.asarray(in_chunks(model.decision_function, X), dtype=np.float64)
        return None if found.ndim != 1 else found if place == 1 else -found
    return None


def widths_of(model: Any, X: Any, n_rows: int) -> Vector:
    """Return how wide a model says its errors are, row by row, or refuse what says nothing."""
    widths = np.asarray(in_chunks(model.predict_width, X))
    if widths.shape != (n_rows,) or widths.dtype.kind not in "biuf":
        raise ValueError(
            f"{type(model).__name__}.predict_width must give one number for each row: it gives "
            f"an array of shape {widths.shape} and type {widths.dtype} for {n_rows:,} rows"
        )
    return widths.astype(np.float64)


def gives_widths(model: Any) -> bool:
    """Return whether a model says how wide its errors are, row by row.

    Examples
    --------
    >>> from surelearn.learners.ensembles.locally_scaled_regressor import LocallyScaledRegressor
    >>> gives_widths(LocallyScaledRegressor())
    True
    """
    return callable(getattr(model, "predict_width", None))


def rows_taken(rows: Predictions, places: Indices) -> Predictions:
    """Return some of the rows."""
    score, baseline, third = rows.score, rows.baseline, rows.third
    return replace(
        rows,
        truth=rows.truth[places],
        prediction=rows.prediction[places],
        score=None if score is None else score[places],
        baseline=None if baseline is None else baseline[places],
        columns={role: column[places] for role, column in rows.columns.items()},
        third=None if third is None else third[places],
    )
