"""Gradient boosting on parts: the trees of all rows in memory, and what is refused."""

import numpy as np
import pytest

from scale.conftest import BITS, NUMBERS, world, written
from surelearn import GradientBoostingClassifier, GradientBoostingRegressor, scale
from surelearn.learners.ensembles._histogram import bin_learning


def same_trees(one, other):
    """Return whether the same questions are asked of the same rows, and values agree."""
    mine, theirs = one.trees_, other.trees_
    exact = all(
        np.array_equal(getattr(mine, name), getattr(theirs, name))
        for name in ("feature", "left", "child", "n_rows")
    )
    return exact and np.allclose(mine.value, theirs.value, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("learner", "target", "columns"),
    [
        (
            GradientBoostingClassifier(n_estimators=2, class_weight="balanced"),
            "class",
            ["a", "word"],
        ),
        (GradientBoostingClassifier(n_estimators=2, max_features=0.7), "above", [*NUMBERS, *BITS]),
        (
            GradientBoostingRegressor(n_estimators=2, interactions=2, monotonic_cst=[1, 0, 0]),
            "y",
            NUMBERS,
        ),
    ],
    ids=["three classes", "two classes", "numbers"],
)
def test_the_trees_are_those_of_all_rows(learner, target, columns, folder, monkeypatch):
    monkeypatch.setattr(bin_learning, "_SAMPLE", 1000)  # cuts come from some of the rows
    learner.set_params(random_state=0)
    found = learner.fit(scale.parts(folder, target=target, columns=columns))
    bins, table = found.bins_, world()
    trees = found.trees_
    y = np.array(table.column(target).to_pylist())
    whole = learner.fit(table.select(columns), y)
    assert np.array_equal(bins.cuts, whole.bins_.cuts)
    assert trees.n_trees > 1
    found = type(learner)()
    found.trees_ = trees
    assert same_trees(found, whole)
    other = learner.set_params(min_samples_leaf=200).fit(table.select(columns), y)
    assert not same_trees(found, other)  # the control


def test_rows_without_weight_are_not_there(tmp_path):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(120, 2)), rng.integers(0, 3, 120).astype(float)
    X[::9, 1] = np.nan
    weights[16:32] = 0.0  # a whole part
    y = X[:, 0] + rng.normal(size=120)
    make = {"n_estimators": 3, "min_samples_leaf": 3, "random_state": 0}
    found = GradientBoostingRegressor(**make).fit(written(tmp_path, X, y, weights))
    whole = GradientBoostingRegressor(**make).fit(X, y, weights)
    assert same_trees(found, whole)
    assert found.n_training_rows_ == whole.n_training_rows_ == 120
    assert np.array_equal(found.training_rows_, whole.training_rows_)


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (GradientBoostingRegressor(early_stopping=True), "early_stopping=False"),
        (GradientBoostingRegressor(subsample=0.5), r"subsample=1\.0"),
        (GradientBoostingRegressor(loss="absolute_error"), "loss='absolute_error' looks at all"),
        (GradientBoostingRegressor(max_bins=1000), "max_bins"),
        (GradientBoostingClassifier(class_weight={0: 0.0}), "one class"),
    ],
)
def test_what_parts_cannot_do_is_refused(learner, sentence, tmp_path):
    X, y = np.arange(80.0)[:, np.newaxis], np.repeat([0, 1], 40)
    with pytest.raises(ValueError, match=sentence):
        learner.fit(written(tmp_path, X, y))
    assert not hasattr(learner, "trees_")
