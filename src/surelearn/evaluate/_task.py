"""A model, a table and a loss, checked once: what every evaluation by refitting starts from."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d
from typing_extensions import TypeAliasType

from surelearn import _arguments, losses
from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn._wording import interval, nearest
from surelearn.base import fitting, validation
from surelearn.base.chunks import some_rows
from surelearn.base.labels import answered, exact
from surelearn.certificate import Evidence, assumed, by_construction
from surelearn.losses import Absolute, Loss, Square, ZeroOne

LossName = TypeAliasType("LossName", Literal["zero_one", "squared", "absolute"])
PointwiseLoss = TypeAliasType("PointwiseLoss", Callable[[NDArray[Any], NDArray[Any]], ArrayLike])
Scorer: TypeAlias = Callable[..., float]
Scoring = TypeAliasType("Scoring", str | Scorer | Iterable[str] | Mapping[str, Scorer] | None)
"""Metrics of scikit-learn: a name, a scorer, several names, or scorers by name."""

_Result = TypeVar("_Result")


class RowLoss(NamedTuple):
    """What one prediction costs: a loss of this library, or a function of the user's."""

    function: Loss | PointwiseLoss

    @property
    def counts_errors(self) -> bool:
        """Whether a wrong prediction costs 1 and a right one nothing."""
        return type(self.function) is ZeroOne

    @property
    def in_words(self) -> str:
        """The name as it stands in a sentence."""
        match self.function:
            case ZeroOne():
                return "zero-one loss"
            case Square():
                return "squared error"
            case Absolute():
                return "absolute loss"
            case Loss():
                return f"{type(self.function).__name__} loss"
            case _:
                name = getattr(self.function, "__name__", "<unnamed>")
                return "given loss" if "<" in name else f"{name} loss"

    def of(self, y: NDArray[Any], predicted: NDArray[Any]) -> Vector:
        """Return the loss of each row."""
        if predicted.shape != y.shape:
            raise ValueError(
                f"the model's predictions have shape {predicted.shape}; {len(y)} rows need one "
                f"prediction each: {y.shape}"
            )
        losses = _arguments.numbers("what the loss gave", self.function(y, predicted))
        if losses.shape != y.shape or not np.isfinite(losses).all():
            raise ValueError(
                f"the loss gave an array of shape {losses.shape}, or NaN; it must give one finite "
                f"number for each of {len(y)} rows, such as np.abs(y - predicted)"
            )
        return losses


@dataclass(frozen=True, eq=False)
class Task:
    """A model to be fitted again and again on parts of a table, and how its answers are judged."""

    model: Any
    X: Any
    y: NDArray[Any]
    loss: RowLoss
    weights: Vector | None = None

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.y)

    @property
    def classifies(self) -> bool:
        """Whether the answers are labels."""
        return _answers(self.model, self.y) == "labels"

    def part(self, rows: Indices) -> Any:
        """Return some rows of the table, in its own kind."""
        return some_rows(self.X, rows)

    def fit(self, rows: Indices, which: str) -> Any:
        """Return a copy of the model fitted to some rows; a refusal says which they were."""
        fresh = cast("Any", clone(self.model, safe=False))
        weights = {}
        if self.weights is not None:
            weights[_weight_argument(self.model)] = self.weights[rows]
        try:
            return fresh.fit(self.part(rows), self.y[rows], **weights)
        except ValueError as error:
            raise ValueError(f"the model could not be fitted {which}: {error}") from error

    def losses(self, fitted: Any, rows: Indices) -> Vector:
        """Return what a fitted model's answers on some rows cost."""
        return self.loss.of(self.y[rows], answered(fitted.predict(self.part(rows))))


def make_task(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    loss: LossName | PointwiseLoss | None = None,
    sample_weight: ArrayLike | None = None,
) -> Task:
    """Check everything that can be checked before the first fit, or say what is wrong."""
    check_model(model)
    X = sound(X)
    labels = check_labels(X, y)
    weights = (
        None if sample_weight is None else validation.sample_weights(sample_weight, len(labels))
    )
    if weights is not None:
        _weight_argument(model)
    return Task(model, X, labels, find_loss(loss, model, labels), weights)


def check_model(model: Any) -> None:
    """Refuse what cannot be fitted and asked."""
    if isinstance(model, type):
        name = cast("Any", model).__name__
        raise TypeError(f"{name} is a class; pass a model made from it: {name}()")
    lacking = [name for name in ("fit", "predict") if not has_method(model, name)]
    if lacking:
        raise TypeError(
            f"{shown(model)} is not an estimator: it has no method "
            f"{' and no method '.join(lacking)}; pass a scikit-learn estimator or a learner of "
            "this library"
        )


def has_method(model: Any, name: str) -> bool:
    """Return whether a model has a method; one that passes every question on to itself has none."""
    try:
        return callable(getattr(model, name, None))
    except RecursionError:
        return False


def shown(model: Any) -> str:
    """Return a model as it shows itself, or the name of its class if it holds itself."""
    try:
        return repr(model)
    except RecursionError:
        return f"this {type(model).__name__}"


def refuse_no_model(model: Any) -> None:
    """Refuse what cannot be asked."""
    if isinstance(model, type) or not has_method(model, "predict"):
        raise TypeError(f"{shown(model)} has no method predict of its own: pass a fitted model")


def answers_of(model: Any, X: Any) -> NDArray[Any]:
    """Return what a fitted model says of rows; refuse what cannot be asked."""
    refuse_no_model(model)
    return answered(model.predict(X))


def check_labels(X: Any, y: ArrayLike) -> NDArray[Any]:
    """Return one target for each row, none of them missing."""
    labels = cast("NDArray[Any]", column_or_1d(exact(y), warn=False))
    check_consistent_length(X, labels)
    missing = fitting.count_missing(labels)
    if missing:
        raise ValueError(f"y has {missing} missing values; leave those rows out")
    if len(labels) < 2:
        raise ValueError(f"{len(labels)} rows cannot be split; give at least 2")
    return labels


def find_loss(loss: Any, model: Any, y: NDArray[Any]) -> RowLoss:
    """Return the loss of that name, or the one that fits the model's answers."""
    labels = _answers(model, y) == "labels"
    if loss is None:
        loss = "zero_one" if labels else "squared"
    if not isinstance(loss, str | Loss):
        if not callable(loss):
            raise TypeError(f"loss={loss!r} must be a name or a function of labels and predictions")
        return RowLoss(cast("PointwiseLoss", loss))
    found = losses.of(loss)
    if found == ZeroOne() and not labels:
        raise ValueError(
            "the zero-one loss is for classifiers; for a regressor take loss='squared', "
            "loss='absolute' or a function of targets and predictions"
        )
    if found.label_set != "classes" and y.dtype.kind not in "biuf":
        raise ValueError(f"loss={loss!r} needs numbers, and y holds {y.tolist()[0]!r}")
    return RowLoss(found)


def range_of_losses(largest: float, *, bounded: bool) -> Evidence:
    """Return what is known of the range of all losses, not only of those seen.

    Examples
    --------
    >>> range_of_losses(1.0, bounded=True)
    Evidence(status='by-construction', text='an error counts 1')
    """
    if bounded:
        return by_construction("an error counts 1")
    seen = interval(0.0, largest)
    return assumed(f"those seen lie in {seen}; that none can be larger is yours to know")


def find_scorers(scoring: Scoring) -> dict[str, Scorer]:
    """Return scikit-learn's scorers by their names; an unknown name gets the nearest known."""
    if scoring is None:
        return {}
    if isinstance(scoring, str):
        return {scoring: _scorer(scoring)}
    if callable(scoring):
        return {getattr(scoring, "__name__", "score"): scoring}
    if isinstance(scoring, Mapping):
        return {
            name: cast("Scorer", scorer) if callable(scorer) else _scorer(scorer)
            for name, scorer in cast("Mapping[str, Any]", scoring).items()
        }
    if not isinstance(cast("object", scoring), list | tuple | set):
        raise TypeError(f"scoring={scoring!r} must be a metric of scikit-learn, or several")
    return {name: _scorer(name) for name in scoring}


def in_parallel(
    function: Callable[..., _Result], calls: Iterable[tuple[Any, ...]], *, n_jobs: int | None
) -> list[_Result]:
    """Return what the function gives for each tuple of arguments, several at the same time."""
    _arguments.jobs("n_jobs", n_jobs)
    jobs = Parallel(n_jobs=n_jobs)(delayed(function)(*arguments) for arguments in calls)
    return cast("list[_Result]", jobs)


def weighted_mean(values: Vector, weights: Vector | None) -> float:
    """Return the mean of values, each counted by its weight; all of them 0 count alike."""
    if weights is None or not weights.any():
        return float(values.mean())
    return float(values @ weights / weights.sum())


def _scorer(name: str) -> Scorer:
    names = get_scorer_names()
    if not isinstance(cast("object", name), str):
        raise TypeError(f"scoring has {name!r}, where a metric is named or a function stands")
    if name not in names:
        raise ValueError(f"the metric {name!r} is unknown to scikit-learn{nearest(name, names)}")
    return get_scorer(name)


def _answers(model: Any, y: NDArray[Any]) -> Literal["labels", "numbers"]:
    """Return what the model predicts: what it says of itself, or else what its targets are."""
    if hasattr(model, "__sklearn_tags__"):
        if is_classifier(model):
            return "labels"
        if is_regressor(model):
            return "numbers"
    return "numbers" if str(type_of_target(y)).startswith("continuous") else "labels"


def _weight_argument(model: Any) -> str:
    """Return the name under which the fit of a model takes the weights of rows."""
    steps = model.steps if isinstance(model, Pipeline) else []
    learner = steps[-1][1] if steps else model
    parameters = inspect.signature(learner.fit).parameters.values()
    takes = any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in parameters)
    if not takes:
        raise ValueError(
            f"{type(learner).__name__} takes no sample_weight; leave the weights out, or choose a "
            "learner that takes them"
        )
    return f"{steps[-1][0]}__sample_weight" if steps else "sample_weight"
