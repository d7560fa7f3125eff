"""How a model's answers depend on one feature: partial dependence and accumulated local effects.

    PD_j(v)  = mean_i f(v, x_{i,−j})
    ALE_j(v) = Σ_{bins up to v} mean over the bin's rows of f(upper, x_{i,−j}) − f(lower, x_{i,−j})

Friedman (2001); Apley and Zhu (2020), "Visualizing the effects of predictor variables in black box
supervised learning models". Both describe the model, not the world, and certify nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.chunks import some_rows
from surelearn.base.labels import answered


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PartialDependence(Shown, drawn_by="dependence.plot_partial_dependence"):
    """The mean answer of a model as one feature is set to a value in all rows.

    Where features depend on each other such rows may be ones that never occur; then
    `accumulated_effects` says more.

    Attributes
    ----------
    feature
        The feature, by its name, or x0, x1, ...
    grid
        The values it is set to.
    individual
        The answer for each row, a line each, at each value.
    values
        The feature's values in the rows.
    response
        What is averaged, in words.

    Examples
    --------
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])
    >>> model = LinearRegression().fit(X, X @ [2.0, 1.0])
    >>> partial_dependence(model, X, 0).mean.round(6).tolist()
    [1.25, 3.25, 5.25, 7.25]
    """

    feature: str
    grid: NDArray[Any]
    individual: Matrix
    values: NDArray[Any]
    response: str

    @property
    def mean(self) -> Vector:
        """The mean over the rows."""
        return np.asarray(self.individual.mean(axis=0), dtype=np.float64)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AccumulatedEffects(Shown, drawn_by="dependence.plot_accumulated_effects"):
    """What small changes of one feature add up to; its mean over the rows is 0.

    Attributes
    ----------
    feature
        The feature, by its name, or x0, x1, ...
    edges
        The ends of the bins, quantiles of the feature.
    effects
        The accumulated effect at each edge.
    counts
        The number of rows of each bin.
    response
        What is explained, in words.

    Examples
    --------
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 3.0], [3.0, 1.0]])
    >>> model = LinearRegression().fit(X, X @ [2.0, 1.0])
    >>> found = accumulated_effects(model, X, 0, n_bins=3)
    >>> (np.diff(found.effects) / np.diff(found.edges)).round(6).tolist()
    [2.0, 2.0, 2.0]
    """

    feature: str
    edges: Vector
    effects: Vector
    counts: Indices
    response: str


def partial_dependence(
    model: Any,
    X: Any,
    feature: int | str,
    *,
    label: Any = None,
    grid_size: int = 50,
    max_rows: int = 1000,
    random_state: Any = 0,
) -> PartialDependence:
    """Return a model's mean answer with one feature set to each value of a grid.

    Parameters
    ----------
    model
        A fitted regressor or classifier, scikit-learn's too.
    X
        Rows that are typical, an array or a data frame.
    feature
        The column, by place or by name.
    label
        Of a classifier, the class whose probability (or score) is explained; None means the last.
    grid_size
        The largest number of values: all if there are no more, else quantiles. Categories are all
        taken.
    max_rows, random_state
        At most so many rows are used, drawn by this seed.
    """
    rows, place, name = _enter(model, X, feature, max_rows, random_state)
    values = _column(rows, place, name)
    grid = _grid(values, _arguments.count("grid_size", grid_size, at_least=2))
    if not len(grid):
        raise ValueError(f"feature {name!r} has no value in these rows: there is none to set it to")
    respond, words = _response(model, label)
    n = int(rows.shape[0])
    answers = [respond(_replaced(rows, place, name, np.repeat(v, n))) for v in grid]
    individual = np.stack(answers, axis=1)
    return PartialDependence(
        feature=name, grid=grid, individual=individual, values=values, response=words
    )


def accumulated_effects(
    model: Any, X: Any, feature: int | str, *, label: Any = None, n_bins: int = 30
) -> AccumulatedEffects:
    """Return what small changes of a numeric feature add up to, from bin to bin.

    Rows are moved only to the ends of their own bin, so no row is asked about that is far from
    those that occur.

    Parameters
    ----------
    model
        A fitted regressor or classifier, scikit-learn's too.
    X
        Rows that are typical, an array or a data frame.
    feature
        The column, by place or by name.
    label
        Of a classifier, the class whose probability (or score) is explained; None means the last.
    n_bins
        The largest number of bins, each with about as many rows.
    """
    rows, place, name = _enter(model, X, feature, None, 0)
    values = _numbers(_column(rows, place, name), name)
    n_bins = _arguments.count("n_bins", n_bins, at_least=1)
    shares = np.linspace(0.0, 1.0, n_bins + 1)
    edges = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    if len(edges) < 2:
        raise ValueError(f"feature {name!r} has one value only: there is no change to follow")
    bins = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(edges) - 2)
    respond, words = _response(model, label)
    above, below = (respond(_replaced(rows, place, name, edges[bins + shift])) for shift in (1, 0))
    counts = np.bincount(bins, minlength=len(edges) - 1)
    sums = np.bincount(bins, weights=above - below, minlength=len(edges) - 1)
    effects = np.append(0.0, np.cumsum(sums / np.maximum(counts, 1)))
    centre = float(counts @ (effects[1:] + effects[:-1]) / 2.0 / counts.sum())
    return AccumulatedEffects(
        feature=name, edges=edges, effects=effects - centre, counts=counts, response=words
    )


def _enter(
    model: Any, X: Any, feature: int | str, max_rows: int | None, random_state: Any
) -> tuple[Any, int, str]:
    """Return rows, and the place and the name of the feature."""
    check_is_fitted(model)
    if sparse.issparse(X):
        raise ValueError("X is sparse, and whole columns of it are set: give X.toarray()")
    X = sound(X)
    X = X if hasattr(X, "columns") else _arguments.table("X", X)
    if X.ndim != 2 if isinstance(X, np.ndarray) else False:
        raise ValueError(f"X has shape {X.shape}; give rows and columns")
    names = _names(X)
    if isinstance(feature, str) and feature not in names:
        raise ValueError(f"feature={feature!r} is none of the columns {_arguments.short(names)}")
    if isinstance(feature, str):
        place = names.index(feature)
    else:
        place = _arguments.count("feature", feature, at_most=len(names) - 1)
    n = int(X.shape[0])
    if n == 0:
        raise ValueError("X has no rows: there is nothing to average over")
    if max_rows is not None and n > _arguments.count("max_rows", max_rows, at_least=1):
        drawn = check_random_state(random_state).choice(n, size=int(max_rows), replace=False)
        X = some_rows(X, np.sort(drawn))
    return X, place, names[place]


def _names(X: Any) -> list[str]:
    """Return the names of the columns; those of an Arrow table are not its `columns`."""
    if isinstance(X, np.ndarray):
        return [f"x{place}" for place in range(X.shape[1])]
    return [str(name) for name in getattr(X, "column_names", X.columns)]


def _column(X: Any, place: int, name: str) -> NDArray[Any]:
    if isinstance(X, np.ndarray):
        return X[:, place]
    if not hasattr(X, "iloc"):
        return np.asarray(X[name])
    column = X.iloc[:, place]  # columns of pandas may be named by numbers: no text finds them
    return np.asarray(column, dtype=object if _holds_categories(column) else None)


def _holds_categories(column: Any) -> bool:
    """Return whether a column of pandas is one of categories, which may be numbers."""
    return hasattr(column, "cat")


def _replaced(X: Any, place: int, name: str, values: NDArray[Any]) -> Any:
    """Return the table with other values in one column."""
    if isinstance(X, np.ndarray):
        whole = X.astype(np.result_type(X, values)) if X.dtype.kind in "biuf" else X.copy()
        whole[:, place] = values
        return whole
    if hasattr(X, "set_column"):  # Arrow
        return X.set_column(place, name, [values])
    if hasattr(X, "with_columns"):  # polars
        return X.with_columns(**{name: values})
    whole, column = X.copy(), X.iloc[:, place]
    if _holds_categories(column):  # the model knows them as such
        values = type(column)(values, index=column.index).astype(column.dtype)
    whole.isetitem(place, values)
    return whole


def _grid(values: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the values to set: all if they are few or no numbers, else quantiles."""
    if values.dtype.kind not in "biuf":
        return np.array(sorted(set(filter(_is_there, values.tolist()))))
    there = np.unique(values[~np.isnan(values.astype(np.float64))])
    if len(there) <= size:
        return there
    return np.unique(np.quantile(there, np.linspace(0.0, 1.0, size)))


def _is_there(cell: Any) -> bool:
    """Return whether a cell is not missing: NaN differs from itself, and pandas' NA cannot tell."""
    same: Any = None if cell is None else cell == cell  # noqa: PLR0124
    return isinstance(same, bool | np.bool_) and bool(same)


def _numbers(values: NDArray[Any], name: str) -> Vector:
    if values.dtype.kind not in "biuf" or np.isnan(values.astype(np.float64)).any():
        raise ValueError(
            f"feature {name!r} has gaps or is no number, so its values have no order to follow; "
            "partial_dependence takes any feature"
        )
    return values.astype(np.float64)


def _response(model: Any, label: Any) -> tuple[Callable[[Any], Vector], str]:
    """Return what is asked of the model, and in words."""
    if not is_classifier(model):
        return partial(_prediction, model), "prediction"
    classes = model.classes_.tolist()
    wanted = classes[-1] if label is None else label
    if wanted not in classes:
        raise ValueError(f"label={label!r} is none of the classes {_arguments.short(classes)}")
    place = classes.index(wanted)
    if hasattr(model, "predict_proba"):
        return partial(_probability, model, place), f"probability of {wanted}"
    if hasattr(model, "decision_function"):
        return partial(_score, model, place), f"score of {wanted}"
    return partial(_share, model, wanted), f"share of {wanted}"


def _prediction(model: Any, X: Any) -> Vector:
    found = np.asarray(model.predict(X), dtype=np.float64)
    if found.shape != (X.shape[0],):
        raise ValueError(
            f"{type(model).__name__} predicts an array of shape {found.shape} for {X.shape[0]} "
            "rows; give a model that predicts one number for each"
        )
    return found


def _probability(model: Any, place: int, X: Any) -> Vector:
    return np.asarray(model.predict_proba(X), dtype=np.float64)[:, place]


def _score(model: Any, place: int, X: Any) -> Vector:
    """Return the score of one class; two classes share one, whose sign tells them apart."""
    found = np.asarray(model.decision_function(X), dtype=np.float64)
    if found.ndim == 1:
        return found if place == 1 else -found
    return found[:, place]


def _share(model: Any, wanted: Any, X: Any) -> Vector:
    return np.asarray(answered(model.predict(X)) == wanted, dtype=np.float64)
