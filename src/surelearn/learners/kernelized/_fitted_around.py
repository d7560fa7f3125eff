"""What stands around a machine in a search or a pipeline, and whether its rows decided on that.

A theorem that wants the learner fixed beforehand means all of it: the settings, and what was done
to the features before they reached the machine.
"""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, cast

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.kernel_approximation import RBFSampler
from sklearn.model_selection._search import BaseSearchCV  # what all searches have in common
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    PolynomialFeatures,
    RobustScaler,
    StandardScaler,
)

from surelearn.learners.kernelized._fixed_beforehand import Around

_SCALERS = (MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler)
_ROW_BY_ROW = (Binarizer, FunctionTransformer, HashingVectorizer, Normalizer, PolynomialFeatures)
_FREE = frozenset({"n_jobs", "tol", "max_iter", "warm_start", "verbose", "copy_X"})


def fitted_around(model: Any, machine: Any) -> Around | None:
    """Return what the rows decided on around a machine; None if it is not inside the model."""
    if _is(model, machine):
        return Around()
    if isinstance(model, Pipeline):
        found = fitted_around(model[-1], machine)
        return found and _after_steps([step for _, step in model.steps[:-1]], found)
    if isinstance(model, BaseSearchCV):
        found = fitted_around(getattr(model, "best_estimator_", None), machine)
        return found and _after_search(model, found)
    if isinstance(model, FrozenEstimator):
        return fitted_around(model.estimator, machine)
    return None


def _is(model: Any, machine: Any) -> bool:
    """Say whether a model is the machine; methods work on a copy that shares what was learnt."""
    held = vars(model) if hasattr(model, "__dict__") else {}
    return held.get("dual_coef_", model) is machine.dual_coef_


def _after_search(search: Any, found: Around) -> Around:
    """Add what the search chose: whatever it tried more than one value of."""
    tried = cast("list[dict[str, Any]]", search.cv_results_["params"])
    names = {name for setting in tried for name in setting if name.split("__")[-1] not in _FREE}
    chosen = [name for name in names if len({repr(one.get(name)) for one in tried}) > 1]
    if not chosen:
        return found
    text = f"a search chose among {len(tried)} settings by the rows"
    own = {"C", "class_weight", "fit_intercept", "penalize_intercept", "multiclass"}
    of_features = text if any(name.split("__")[-1] not in own for name in chosen) else ""
    with_or_without = text if any(name.endswith("fit_intercept") for name in chosen) else ""
    return found._replace(
        settings=text,
        kernels=of_features or found.kernels,
        intercepts=with_or_without or found.intercepts,
    )


def _after_steps(steps: list[Any], found: Around) -> Around:
    """Add which of the steps learnt from the rows."""
    learnt = [(place, step) for place, step in enumerate(steps, 1) for step in _learnt_in([step])]
    told = [f"step {place} of the pipeline was fitted to the rows" for place, _ in learnt]
    made = [text for text, (_, step) in zip(told, learnt, strict=True) if not _scales(step)]
    return found._replace(
        features=next(iter(told), found.features), columns=next(iter(made), found.columns)
    )


def _scales(step: Any) -> bool:
    """Say whether a step maps each column by an affine function, so that affine rules stay so."""
    return type(step) in _SCALERS and not getattr(step, "clip", False)


def _learnt_in(steps: list[Any]) -> Iterator[Any]:
    """Yield the steps that learnt their numbers from the rows."""
    for step in steps:
        if isinstance(step, Pipeline):
            yield from _learnt_in([inner for _, inner in step.steps])
        elif isinstance(step, ColumnTransformer):
            yield from _learnt_in([inner for _, inner, _ in step.transformers_])
        elif isinstance(step, FeatureUnion):
            yield from _learnt_in([inner for _, inner in step.transformer_list])
        elif not _is_fixed(step) and any(map(_is_learnt, vars(step).items())):
            yield step


def _is_fixed(step: Any) -> bool:
    """Say whether a step is the same whatever the rows are."""
    if isinstance(step, RBFSampler):
        return not isinstance(step.gamma, str)  # "scale": one over the variance of the rows
    return isinstance(step, (str, type(None), FrozenEstimator, *_ROW_BY_ROW))


def _is_learnt(attribute: tuple[str, Any]) -> bool:
    """Say whether a step has learnt more than how many columns there are, and their names."""
    name, value = attribute
    counts = isinstance(value, Integral) or name == "feature_names_in_"
    return name.endswith("_") and not name.startswith("_") and value is not None and not counts
