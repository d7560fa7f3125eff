"""Attributes of fitted ensembles that someone set by hand: those of another model."""

import numpy as np
import pytest

from surelearn import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

KINDS = {
    AdaBoostClassifier: ("stumps_", "classes_", "categories_"),
    GradientBoostingClassifier: ("trees_", "bins_", "baseline_", "classes_", "categories_"),
    GradientBoostingRegressor: ("trees_", "bins_", "categories_"),
    RandomForestClassifier: ("trees_", "classes_", "categories_"),
    RandomForestRegressor: ("trees_", "categories_"),
}
FITS = {  # a large model survives small trees, and two classes have a place among five
    (AdaBoostClassifier, "classes_", False),
    (GradientBoostingClassifier, "trees_", True),
    (GradientBoostingRegressor, "trees_", True),
}
CASES = [
    (kind, name, large)
    for kind, names in KINDS.items()
    for name in names
    for large in (False, True)
    if (kind, name, large) not in FITS
]


def fitted(kind, n_columns, n_classes):
    rng = np.random.default_rng(n_columns)
    X = rng.integers(0, 7, (120, n_columns)).astype(float)
    first = [0] if n_columns == 2 else [1, 4]
    model = kind(n_estimators=20, categorical_features=first)
    return model.fit(X, (X.sum(axis=1) % n_classes).astype(int)), X


@pytest.mark.parametrize(("kind", "name", "large"), CASES)
def test_parts_of_another_model_lead_no_walk_beyond_its_arrays(kind, name, large):
    sizes = ((9, 5), (2, 2)) if large else ((2, 2), (9, 5))
    (model, X), (other, _) = (fitted(kind, *size) for size in sizes)
    setattr(model, name, getattr(other, name))
    with pytest.raises(ValueError, match=r"its .*not|too small|outside 0 to|outputs for|changed"):
        model.predict(X)
