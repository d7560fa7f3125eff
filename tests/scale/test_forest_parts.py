"""Random forests on parts: to the last bit those of all rows in memory, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest

from scale.conftest import NUMBERS, world, written
from surelearn import (
    GradientBoostingClassifier,
    LogisticRegression,
    RandomForestClassifier,
    RandomForestRegressor,
    scale,
)
from surelearn.base.fingerprint import fingerprint
from surelearn.learners.ensembles import _members, _out_of_bag, _parted_forest
from surelearn.learners.ensembles._forest import bins

SOME = {"n_estimators": 3, "random_state": 5}


@pytest.fixture
def as_if_large(monkeypatch):
    """Let a small table have what large ones have: reference rows, and few that test."""
    monkeypatch.setattr(bins, "SMALL", 300)
    monkeypatch.setattr(bins, "_LEAST_REFERENCES", 100)
    monkeypatch.setattr(_out_of_bag, "MOST_TESTED", 200)


@pytest.mark.usefixtures("as_if_large")
@pytest.mark.parametrize(
    ("learner", "target", "columns"),
    [
        (RandomForestClassifier(**SOME), "class", [*NUMBERS, "word"]),
        (RandomForestClassifier(**SOME, class_weight={0: 0.0, 1: 0.3}), "above", NUMBERS),
        (
            RandomForestClassifier(
                **SOME, class_weight="balanced_subsample", max_samples=0.05, features="tree"
            ),
            "class",
            NUMBERS,
        ),
        (RandomForestClassifier(**SOME, class_weight="balanced", bootstrap=False), "class", ["a"]),
        (RandomForestRegressor(**SOME, max_depth=6), "y", [*NUMBERS, "word"]),
        (RandomForestRegressor(**SOME, splitter="exact", max_samples=100), "y", NUMBERS),
    ],
    ids=["classes", "weights", "subsample", "no bootstrap", "numbers", "exact"],
)
def test_a_forest_is_that_of_all_rows(learner, target, columns, folder):
    parts = scale.parts(folder, target=target, columns=columns)
    found = fingerprint(learner.fit(parts))
    table = world()
    y = np.array(table.column(target).to_pylist())
    assert fingerprint(learner.fit(table.select(columns), y)) == found
    learner.set_params(random_state=6).fit(table.select(columns), y)
    assert fingerprint(learner.set_params(random_state=5)) != found  # the control


def test_weights_and_gaps_and_many_passes(tmp_path, monkeypatch):
    monkeypatch.setattr(_parted_forest, "_AT_ONCE", 2**13)
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(150, 2)), rng.integers(0, 3, 150).astype(float)
    X[::9, 1] = np.nan
    weights[16:32] = 0.0  # a whole part
    y = X[:, 0] + rng.normal(size=150)
    parts = written(tmp_path, X, y, weights)
    whole = pa.table({"x0": X[:, 0], "x1": X[:, 1]})
    for n_trees in (1, 40):
        learner = RandomForestRegressor(n_estimators=n_trees)
        found = fingerprint(learner.fit(parts))
        assert fingerprint(learner.fit(whole, y, weights)) == found
    left_out = np.where(weights == 0.0, 0.0, 1.0)
    found = fingerprint(learner.fit(written(tmp_path, X, y, left_out)))
    assert fingerprint(learner.fit(whole, y, left_out)) == found
    assert learner.weighted_
    labels = np.where(y > 0.0, "yes", "no")
    voters = RandomForestClassifier(n_estimators=40).fit(whole, labels)
    again = RandomForestClassifier(n_estimators=40).fit(written(tmp_path, X, labels))
    assert [each.to_json() for each in again.certificates()] == [
        each.to_json() for each in voters.certificates()
    ]
    importances = again.permutation_importances(whole, labels)
    assert np.array_equal(importances.means, voters.permutation_importances(whole, labels).means)


@pytest.mark.parametrize(
    "learner",
    [
        RandomForestClassifier(**SOME, class_weight="balanced"),
        GradientBoostingClassifier(n_estimators=2, class_weight="balanced"),
        LogisticRegression(tol=1e-9, class_weight="balanced"),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_classes_are_balanced_without_rows_that_weigh_nothing(learner, tmp_path):
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(120, 2)), np.arange(120) % 2, np.ones(120)
    weights[np.flatnonzero(y)[10:50]] = 0.0
    whole, there = pa.table({"x0": X[:, 0], "x1": X[:, 1]}), weights > 0.0
    found = learner.fit(written(tmp_path, X, y, weights)).predict_proba(whole)
    assert found == pytest.approx(learner.fit(whole, y, weights).predict_proba(whole), abs=1e-7)
    alone = learner.fit(written(tmp_path, X[there], y[there])).predict_proba(whole)
    if not isinstance(learner, RandomForestClassifier):  # its bags are drawn for each part
        assert found == pytest.approx(alone, abs=1e-7)


def test_one_class_is_a_forest_of_leaves(tmp_path):
    X = np.arange(40.0)[:, np.newaxis]
    found = RandomForestClassifier(n_estimators=2).fit(written(tmp_path, X, np.ones(40, dtype=int)))
    assert found.trees_.n_leaves.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (RandomForestRegressor(oob_score=True), "oob_score=False"),
        (RandomForestRegressor(criterion="absolute_error"), "splitter='exact'"),
        (RandomForestRegressor(max_features="all"), "max_features"),
        (RandomForestClassifier(class_weight={0: 0.0, 1: 0.0}), "sum to 0"),
        (RandomForestClassifier(max_samples=81), "from 1 to 80"),
        (RandomForestClassifier(voting="loud"), "voting"),
    ],
)
def test_what_parts_cannot_do_is_refused(learner, sentence, tmp_path):
    X, y = np.arange(80.0)[:, np.newaxis], np.repeat([0, 1], 40)
    with pytest.raises(ValueError, match=sentence):
        learner.fit(written(tmp_path, X, y))
    assert not hasattr(learner, "trees_")


def test_bags_too_large_for_a_process_and_warm_starts_are_refused(tmp_path, monkeypatch):
    X, y = np.arange(80.0)[:, np.newaxis], np.repeat([0, 1], 40)
    parts = written(tmp_path, X, y)
    learner = RandomForestClassifier(n_estimators=2, warm_start=True).fit(parts)
    with pytest.raises(ValueError, match="warm_start=False"):
        learner.fit(parts)
    monkeypatch.setattr(_parted_forest, "_MOST_BYTES", 10_000)
    learner = RandomForestClassifier(n_estimators=2)
    with pytest.raises(ValueError, match=r"80 rows.*max_samples=36 or less"):
        learner.fit(parts)
    assert learner.set_params(max_samples=36).fit(parts).trees_.n_trees == 2


def test_bags_of_few_rows_of_many_are_those_that_a_count_of_all_finds():
    bag = _members.draw_bag(3, 2, n_rows=10**6, n_drawn=1000, bootstrap=True)
    rng = _members.generator(3, 2, 0)
    times = np.bincount(rng.integers(10**6, size=1000), minlength=10**6)
    assert np.array_equal(bag.rows, np.flatnonzero(times))
    assert np.array_equal(bag.times, times[times > 0])
    tested = np.array([0, bag.rows[0], bag.rows[5] + 1, bag.rows[-1], 10**6 - 1])
    outside = np.empty(len(tested), dtype=np.bool_)
    _members.mark_outside(bag, 10**6, tested, outside)
    assert np.array_equal(outside, times[tested] == 0)


def test_rows_for_tests_are_drawn_from_those_that_are_no_references():
    references = np.sort(np.random.default_rng(0).choice(50_000, 10_000, replace=False))
    free = np.setdiff1d(np.arange(50_000), references)
    rng = np.random.default_rng([3, 0, 7])
    wanted = np.sort(rng.choice(free, size=20_000, replace=False, shuffle=False))
    assert np.array_equal(_out_of_bag.rows_for_tests(7, 50_000, references), wanted)
    assert np.array_equal(
        _out_of_bag.rows_for_tests(7, 50, references[references < 50]), free[free < 50]
    )


def test_a_checkpoint_keeps_trees(tmp_path, folder):
    parts = scale.parts(folder, target="class", columns=NUMBERS)
    make = {"n_estimators": 4, "max_samples": 100}
    with scale.on(checkpoint=tmp_path):
        found = fingerprint(RandomForestClassifier(**make).fit(parts))
    done = sorted(tmp_path.glob("*.record"))
    assert len(done) == 2 * len(parts) + 4
    done[0].unlink()
    with scale.on(checkpoint=tmp_path):
        assert fingerprint(RandomForestClassifier(**make).fit(parts)) == found
    assert sorted(tmp_path.glob("*.record")) == done  # the one that was missing, and no other
