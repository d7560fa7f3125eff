"""Gradient boosting on parts: the trees of all rows in memory, and what is refused."""

import numpy as np
import pytest

from scale.conftest import BITS, NUMBERS, world, written
from surelearn import GradientBoostingClassifier, GradientBoostingRegressor, scale
from surelearn.base.fingerprint import fingerprint
from surelearn.learners.ensembles import _part_memory, _parted_round
from surelearn.learners.ensembles._histogram import bin_learning
from surelearn.scale import Part


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


def test_a_class_without_weight_is_not_there(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = rng.integers(0, 3, 200) + (X[:, 0] > 0.0)
    make = {"n_estimators": 2, "min_samples_leaf": 5, "class_weight": {0: 0.0, 1: 2.0}}
    found = GradientBoostingClassifier(**make).fit(written(tmp_path, X, y))
    assert same_trees(found, GradientBoostingClassifier(**make).fit(X, y))


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


def test_what_a_process_remembers_changes_nothing(folder, monkeypatch):
    parts = scale.parts(folder, target="class", columns=["a", "b"])
    memory, read, batches = _part_memory.PartMemory(), [], vars(Part)["_batches"]
    monkeypatch.setattr(_parted_round, "MEMORY", memory)
    monkeypatch.setattr(Part, "_batches", lambda *a: read.append(a) or batches(*a))
    walked, walk = [], _parted_round.add_values

    def count(trees, codes, scores):
        walked.append(trees.n_trees)
        walk(trees, codes, scores)

    monkeypatch.setattr(_parted_round, "add_values", count)
    found = {}
    for most_bytes in (2**27, 60_000, 0):  # enough for all parts, for some, for none
        memory.forget()
        memory.most_bytes = most_bytes
        walked.clear()
        read.clear()
        learner = GradientBoostingClassifier(n_estimators=4, max_leaf_nodes=4, random_state=0)
        found[most_bytes] = fingerprint(learner.fit(parts)), sum(walked), len(read)
    models, walks, reads = zip(*found.values(), strict=True)
    assert len(set(models)) == 1
    assert walks[0] == 3 * 3 * len(parts)  # each tree of three rounds and classes once for a part
    assert reads[0] == 3 * len(parts)  # for columns and targets, for bins, for the first round
    for each in (walks, reads):
        assert each[0] < each[1] < each[2]  # the control


def test_scores_of_another_fit_are_not_taken(tmp_path, monkeypatch):
    """A worker that outlives a fit may still know its scores; here, this process does."""
    memory = _part_memory.MEMORY
    rng = np.random.default_rng(0)
    X = rng.normal(size=(96, 2))
    y = (X[:, 0] + rng.normal(size=96) > 0.0).astype(int)
    make = {"n_estimators": 3, "min_samples_leaf": 5}
    parts = written(tmp_path, X, y)
    for more in ({}, {"learning_rate": 0.5}, {"class_weight": {0: 3.0, 1: 1.0}}):
        memory.forget()
        alone = fingerprint(GradientBoostingClassifier(**make, **more).fit(parts))
        with monkeypatch.context() as patch:
            patch.setattr(memory, "forget", lambda: None)
            with pytest.raises(ZeroDivisionError), scale.on(progress=interrupt_after(60)):
                GradientBoostingClassifier(**make).fit(parts)
        assert vars(memory)["_known"], "nothing is remembered: nothing is tested"
        assert fingerprint(GradientBoostingClassifier(**make, **more).fit(parts)) == alone
        assert not vars(memory)["_known"]


def test_gradients_of_a_smaller_table_are_not_taken(tmp_path, monkeypatch):
    """Rows that are there twice have the same bins and scores, but coarser units."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, size=(96, 2)).astype(float)
    parts = written(tmp_path, X, X[:, 0] + rng.integers(-2, 3, 96))  # sums have no last bits
    twice = scale.Parts([*parts, *parts])
    learner = GradientBoostingRegressor(n_estimators=1, min_samples_leaf=5, random_state=0)
    alone = fingerprint(learner.fit(twice))
    memory = _part_memory.MEMORY
    with monkeypatch.context() as patch:
        patch.setattr(memory, "forget", lambda: None)
        learner.fit(parts)
    assert vars(memory)["_known"], "nothing is remembered: nothing is tested"
    assert fingerprint(learner.fit(twice)) == alone


def interrupt_after(n):
    """Return what ends a fit when so many parts are done, and leaves in memory what is there."""
    left = [n]

    def progress(*_):
        left[0] -= 1
        if left[0] == 0:
            raise ZeroDivisionError

    return progress
