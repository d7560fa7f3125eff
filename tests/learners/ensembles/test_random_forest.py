import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier as TheirForest

from contracts.interpreted import interpreted
from reference import random_forest as reference
from surelearn import CARTClassifier, RandomForestClassifier, RandomForestRegressor
from surelearn.learners.ensembles import _members
from surelearn.learners.ensembles._forest import bins, forest_growth, walking
from surelearn.learners.ensembles._forest.packed_trees import (
    CHILD,
    COLUMN,
    COLUMN_MASK,
    refuse_wild_trees,
)


def whole_numbers(n=60, d=5, seed=0, *, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(float)
    if missing:
        X[rng.random((n, d)) < 0.15] = np.nan
    return X, rng


def as_nested(trees, X, tree=0):
    """Return a packed tree in the form of the reference, with the rows of each leaf."""
    words, start = trees.words, int(trees.first_node[tree])
    leaves = walking.leaves_of(trees, tree, walking.ready(X, np.zeros(X.shape[1], dtype=int)))

    def node(place):
        word = int(words[place, 1])
        if word >> CHILD == place:
            leaf = int(words[place, 0]) & ((1 << 48) - 1)
            return np.flatnonzero(leaves == leaf).tolist()
        cut = float(words[place : place + 1, 0].view(np.float64)[0])
        first = word >> CHILD
        return (word >> COLUMN) & COLUMN_MASK, cut, node(first), node(first + 1)

    return node(start)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["two classes", "three classes", "numbers"])
def test_a_tree_is_that_of_the_definition(kind, missing):
    # Of two classes nodes of many rows look at four columns at a time, and here then at three.
    large = (160, 9, 7) if kind == "two classes" else (40, 4, 3)
    for seed, (n, d, n_drawn) in enumerate([(40, 4, 2), (40, 4, 2), (40, 4, 2), large]):
        X, rng = whole_numbers(n, d, seed, missing=missing)
        if n > 64:
            X[:, 0] = rng.integers(-30, 30, size=n) / 10  # some values are rare
        noise = np.nan_to_num(X[:, :3]) @ [2, -2, 1] + rng.integers(-2, 3, size=n)
        settings = {"n_estimators": 1, "bootstrap": False, "random_state": seed}
        settings["max_features"] = n_drawn
        if kind == "numbers":
            y = [Fraction(int(v), 4) for v in noise]
            model = RandomForestRegressor(**settings).fit(X, noise / 4)
        else:
            y = (np.digitize(noise, [0] if kind == "two classes" else [-2, 2])).tolist()
            model = RandomForestClassifier(**settings).fit(X, y)
        state = _members.growth_state(seed, 0)[0]
        expected = reference.grow(X, y, [1] * n, n_drawn=n_drawn, state=state)
        assert as_nested(model.trees_, X) == expected


def test_with_all_columns_and_all_rows_every_tree_is_the_single_tree():
    X, rng = whole_numbers(80)
    y = X[:, 0] + X[:, 1] + rng.integers(-1, 2, size=80) > 0
    forest = RandomForestClassifier(5, bootstrap=False, max_features=None).fit(X, y)
    single = CARTClassifier().fit(X, y)
    np.testing.assert_allclose(forest.predict_proba(X), single.predict_proba(X))
    exact = RandomForestClassifier(3, splitter="exact", bootstrap=False, max_features=None)
    np.testing.assert_array_equal(exact.fit(X, y).predict_proba(X), single.predict_proba(X))
    assert (exact.n_leaves_ == single.n_leaves_).all()


@pytest.mark.parametrize("splitter", ["histogram", "exact"])
@pytest.mark.parametrize("features", ["split", "tree"])
def test_it_predicts_as_well_as_scikit_learns(splitter, features):
    X, y = load_breast_cancer(return_X_y=True)
    train = np.random.default_rng(0).random(len(X)) < 0.6
    options = {"splitter": splitter, "features": features, "max_features": 5}
    ours = RandomForestClassifier(60, **options).fit(X[train], y[train]).score(X[~train], y[~train])
    theirs = TheirForest(60, random_state=0).fit(X[train], y[train]).score(X[~train], y[~train])
    assert abs(ours - theirs) < 0.03


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(list("abcdefgh"), n),
            "noise": rng.normal(size=n),
        }
    )
    y = (frame["size"] > 0.0) ^ frame["colour"].isin(["b", "d", "e"])
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    return frame, np.where(y, "yes", "no")


@pytest.mark.parametrize("splitter", ["histogram", "exact"])
def test_categories_and_missing_cells_are_read_as_they_are(splitter):
    frame, y = mixed(600)
    model = RandomForestClassifier(60, splitter=splitter, max_features=2).fit(frame[:400], y[:400])
    assert model.score(frame[400:], y[400:]) > 0.85
    strange = frame[:3].assign(colour="unheard of")
    assert set(model.predict(strange)) <= {"yes", "no"}
    assert model.apply(frame[:5]).shape == (5, 60)


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_the_number_of_threads_changes_nothing(cls):
    X, rng = whole_numbers(300)
    X += rng.normal(size=X.shape)
    y = (X[:, 0] > 0).astype(float)
    one, many = (cls(12, n_jobs=jobs, oob_score=True).fit(X, y) for jobs in (1, 3))
    np.testing.assert_array_equal(one.trees_.words, many.trees_.words)
    np.testing.assert_array_equal(one.predict(X), many.predict(X))
    assert one.oob_score_ == many.oob_score_


def test_added_trees_are_those_of_one_fit():
    X, y = whole_numbers(90)[0], np.arange(90) % 3
    grown = RandomForestClassifier(4, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=9).fit(X, y)
    whole = RandomForestClassifier(9).fit(X, y)
    np.testing.assert_array_equal(grown.trees_.words, whole.trees_.words)
    assert grown.certificates()[0].status == "void"
    with pytest.raises(ValueError, match="the same rows"):
        grown.set_params(n_estimators=12).fit(X[::-1], y)
    with pytest.raises(ValueError, match="less than the 9 trees"):
        grown.set_params(n_estimators=3).fit(X, y)
    with pytest.warns(UserWarning, match="adds no tree"):
        grown.set_params(n_estimators=9).fit(X, y)


def test_sparse_rows_are_dense_ones():
    X, rng = whole_numbers(120)
    y = X[:, 0] > rng.normal(size=120)
    dense, thin = (RandomForestClassifier(9).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    np.testing.assert_array_equal(dense.predict_proba(X), thin.predict_proba(sparse.csr_array(X)))


def test_a_weight_of_zero_is_as_if_the_row_were_not_there():
    X, rng = whole_numbers(80)
    y, weights = X[:, 0] > 0, (rng.random(80) < 0.7).astype(float)
    there = weights > 0
    light = RandomForestClassifier(9).fit(X, y, weights)
    gone = RandomForestClassifier(9).fit(X[there], y[there])
    np.testing.assert_array_equal(light.predict_proba(X), gone.predict_proba(X))


def test_fractions_of_weights_decide_between_equal_rows():
    X = np.zeros((20, 1))
    y = np.tile(["a", "b"], 10)
    for heavy in ("a", "b"):
        weights = np.where(y == heavy, 0.9, 0.3)
        assert RandomForestClassifier(30).fit(X, y, weights).predict([[0.0]]) == [heavy]


def test_limits_of_growth_hold():
    X, rng = whole_numbers(200)
    y = rng.integers(0, 2, 200)
    shallow = RandomForestClassifier(8, max_depth=2).fit(X, y)
    assert (shallow.n_leaves_ <= 4).all()
    wide = RandomForestClassifier(8, bootstrap=False, min_samples_leaf=20).fit(X, y)
    reached = wide.apply(X)
    assert min(np.unique(column, return_counts=True)[1].min() for column in reached.T) >= 20


def test_out_of_bag_votes_come_from_trees_that_have_not_seen_the_row():
    X, rng = whole_numbers(50)
    X += rng.normal(size=X.shape)
    y = rng.integers(0, 2, 50)  # noise: a tree that saw a row is right about it
    model = RandomForestClassifier(200, oob_score=True).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.oob_score_ < 0.75
    np.testing.assert_allclose(model.oob_decision_function_.sum(axis=1), 1.0)
    n_outside = model.out_of_bag_.sizes.mean() / 50
    assert abs(n_outside - (1 - 1 / 50) ** 50) < 0.03


def test_permutation_finds_the_columns_that_matter():
    X, rng = whole_numbers(300, 4)
    X += rng.normal(size=X.shape)
    y = X[:, 1] > 0
    forest = RandomForestClassifier(40).fit(X, y)
    found = forest.permutation_importances(X, y)
    assert found.means.argmax() == 1
    assert found.means[1] > 0.2
    assert np.abs(np.delete(found.means, 1)).max() < 0.05
    with pytest.raises(ValueError, match="not the rows"):
        forest.permutation_importances(X[::-1], y)
    numbers = RandomForestRegressor(40).fit(X, X[:, 2])
    assert numbers.permutation_importances(X, X[:, 2]).means.argmax() == 2


def test_large_tables_take_their_bins_from_rows_that_test_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 3))
    y = X[:, 0] + rng.normal(size=6000) > 0
    model = RandomForestClassifier(5).fit(X, y)
    assert model.n_references_ == 1200
    assert model.out_of_bag_.sizes.max() < 0.45 * 4800
    refuse_wild_trees(model.trees_)
    references = bins.reference_rows(6000, _members.references_of(0))
    other = np.setdiff1d(np.arange(6000), references)
    moved = X.copy()
    moved[other] += 1e-9  # bins stay where they are: no cut knows of these rows
    again = bins.find_bins(moved, np.zeros(3, dtype=int), references, 255, 1)
    first = bins.find_bins(X, np.zeros(3, dtype=int), references, 255, 1)
    np.testing.assert_array_equal(again.upper, first.upper)


def test_small_tables_know_nothing_outside_the_bag():
    X, rng = whole_numbers(100)
    X += rng.normal(size=X.shape)
    y = rng.integers(0, 2, 100)
    bag = _members.draw_bag(0, 0, 100, 100, bootstrap=True)
    other, absent = X.copy(), np.setdiff1d(np.arange(100), bag.rows)
    other[absent] = rng.normal(size=(len(absent), 5)) * 7.0
    first, second = (RandomForestClassifier(1).fit(rows, y) for rows in (X, other))
    np.testing.assert_array_equal(first.trees_.words, second.trees_.words)


def test_codes_of_bins_keep_the_order_of_numbers():
    x = np.random.default_rng(0).normal(size=(5000, 1))
    x[::50] = 0.5  # frequent: it has a bin of its own
    found = bins.find_bins(x, np.array([0]), np.arange(5000), 63, 1)
    codes = found.encode(x, 1)[0]
    assert found.n_bins[0] <= 63
    order = np.argsort(x[:, 0])
    assert (np.diff(codes[order].astype(int)) >= 0).all()
    alone = codes == codes[0]
    assert (x[alone, 0] == 0.5).all()


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"max_features": "all"}, "max_features='all'"),
        ({"max_features": 9}, "from 1 to 5"),
        ({"splitter": "best"}, "'histogram' or 'exact'"),
        ({"criterion": "entropy"}, "splitter='exact'"),
        ({"max_bins": 1}, "max_bins=1"),
        ({"voting": "loud"}, "'soft' or 'hard'"),
        ({"max_samples": 1.5}, "max_samples=1.5"),
        ({"features": "node"}, "'split' or 'tree'"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, told):
    X, y = whole_numbers(60)[0], np.arange(60) % 2
    with pytest.raises(ValueError, match=told):
        RandomForestClassifier(**parameters).fit(X, y)


def test_one_row_one_class_and_equal_rows_are_no_trouble():
    one = RandomForestClassifier(3).fit([[1.0, 2.0]], ["a"])
    assert one.predict([[0.0, 0.0]]).tolist() == ["a"]
    assert one.certificates() == ()
    equal = RandomForestRegressor(50).fit(np.zeros((8, 2)), np.arange(8.0))
    assert abs(equal.predict([[0.0, 0.0]])[0] - 3.5) < 0.7
    assert RandomForestRegressor(2).fit(np.full((4, 1), np.nan), np.ones(4)).predict([[1.0]]) == 1.0


def test_two_fits_in_a_row_warn_nothing():
    X, y = whole_numbers(60)[0], np.arange(60) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RandomForestClassifier(5).fit(X, y)
        model.fit(X, y)


@pytest.mark.parametrize(
    "change",
    [
        lambda trees: {"words": trees.words[:, :1].copy()},
        lambda trees: {"words": trees.words.astype(np.int32)},
        lambda trees: {"first_node": trees.first_node.astype(float)},
        lambda trees: {"leaves": trees.leaves[:, 0].copy()},
        lambda _: {"words": None},
    ],
)
def test_arrays_of_other_shapes_and_types_that_were_set_by_hand_are_refused(change):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    model.trees_ = replace(model.trees_, **change(model.trees_))
    with pytest.raises(ValueError, match=r"of its PackedTrees was changed after it was fitted"):
        model.predict(X)


def test_more_columns_than_the_words_of_nodes_can_name_are_refused(monkeypatch):
    monkeypatch.setattr(forest_growth, "MOST_COLUMNS", 3)
    X, y = np.eye(4), [0, 1, 0, 1]
    RandomForestClassifier(1).fit(X[:, :3], y)
    with pytest.raises(ValueError, match="4 columns are more than the 3 that a forest reads"):
        RandomForestClassifier(1).fit(X, y)


def test_bins_that_leave_a_side_empty_are_passed_over_uncompiled_as_compiled():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, size=(600, 3)).astype(float)
    y = (X[:, 0] + rng.normal(size=600) > 2.5).astype(int)
    model = RandomForestClassifier(n_estimators=1, max_depth=3, random_state=0)
    with interpreted():
        found = clone(model).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(found, model.fit(X, y).predict_proba(X))
