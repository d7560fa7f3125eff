"""The parameters of gradient boosting, checked and turned into a plan."""

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from surelearn import _arguments
from surelearn._typing import Indices, Mask
from surelearn.learners.ensembles._boosting_run import Plan
from surelearn.learners.ensembles._histogram.binning import MOST_BINS
from surelearn.learners.ensembles._histogram.training import GrowthLimits

_FEWEST = 2  # rows on either side of the validation split
_LEAST_HESSIAN = 1e-3  # of a leaf, in mean weights: sure leaves take no giant steps
_SET_PENALTY = 10.0  # of a set of categories, in mean weights: it was chosen among many
_LARGE = 10_000  # rows of which small leaves lower the loss; of fewer they fit noise
_RARE = 5  # rows of a node below which a category does not choose its side alone


def check(model: Any) -> None:
    """Refuse parameters outside their domains, by name."""
    _arguments.at_least_one("n_estimators", model.n_estimators)
    _arguments.positive("learning_rate", model.learning_rate)
    _arguments.non_negative("l2_regularization", model.l2_regularization)
    _arguments.jobs("n_jobs", model.n_jobs)
    for name in ("max_leaf_nodes", "max_depth", "min_samples_leaf", "interactions"):
        if getattr(model, name) is not None:
            _arguments.at_least_one(name, getattr(model, name))
    for name in ("subsample", "max_features"):
        if not 0.0 < _arguments.real(name, getattr(model, name)) <= 1.0:
            raise _arguments.refuse(name, getattr(model, name), "above 0 and at most 1")
    max_bins(model)
    if _arguments.flag("early_stopping", model.early_stopping):
        _arguments.open_fraction("validation_fraction", model.validation_fraction)
        _arguments.at_least_one("n_iter_no_change", model.n_iter_no_change)
        _arguments.non_negative("tol", model.tol)


def max_bins(model: Any) -> int:
    """Return the largest number of bins of a column."""
    return _arguments.count("max_bins", model.max_bins, at_least=2, at_most=MOST_BINS)


def least_rows(model: Any, n_rows: int) -> int:
    """Return the least number of rows of a leaf."""
    if model.min_samples_leaf is not None:
        return model.min_samples_leaf
    return 5 if n_rows > _LARGE else 20


def growth_limits(model: Any, n_rows: int, mean_weight: float) -> GrowthLimits:
    """Return when trees stop growing; a tree never has more leaves than rows allow."""
    least = least_rows(model, n_rows)
    most = max(1, n_rows // least)
    if model.max_depth is not None:
        most = min(most, 2 ** min(model.max_depth, 60))
    if model.max_leaf_nodes is not None:
        most = min(most, model.max_leaf_nodes)
    return GrowthLimits(
        max_leaves=most,
        max_depth=model.max_depth,
        min_rows=least,
        l2=float(model.l2_regularization),
        min_hessian=_LEAST_HESSIAN * mean_weight,
        most_features=model.interactions,
        set_l2=_SET_PENALTY * mean_weight,
        rare_rows=min(_RARE, least),
    )


def plan(model: Any, done: int, limits: GrowthLimits, signs: Indices, seed: int) -> Plan:
    """Return how the rounds go."""
    return Plan(
        n_rounds=model.n_estimators,
        first_round=done,
        learning_rate=float(model.learning_rate),
        subsample=float(model.subsample),
        max_features=float(model.max_features),
        limits=limits,
        signs=signs,
        patience=model.n_iter_no_change,
        tolerance=float(model.tol),
        seed=seed,
    )


def validation_rows(model: Any, n: int, strata: Any, draws: Any) -> Mask | None:
    """Return which rows are kept for early stopping; None without it."""
    if not model.early_stopping:
        return None
    n_held = round(model.validation_fraction * n)
    if n_held < _FEWEST or n - n_held < _FEWEST:
        raise ValueError(
            f"early_stopping keeps {n_held} of {n} rows for validation, and needs {_FEWEST} on "
            "either side: give more rows, change validation_fraction, or set early_stopping=False"
        )
    held = np.zeros(n, dtype=bool)
    counts = np.zeros(1) if strata is None else np.bincount(strata)
    if strata is not None and counts.min() >= _FEWEST and n_held >= len(counts) <= n - n_held:
        seed = int(draws.randint(2**31 - 1))
        split = StratifiedShuffleSplit(1, test_size=n_held, random_state=seed)
        held[next(split.split(np.zeros(n), strata))[1]] = True
    else:
        held[draws.permutation(n)[:n_held]] = True
    return held
