"""Trees written by hand: intervals closed on the right, sets, and one leaf for every row."""

import copy
import itertools
import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from surelearn import CARTClassifier, Holdout, IntervalTest, SetTest, TreeNode, TreePredictor
from surelearn.base.fingerprint import check_certificate, fingerprint, fingerprint_as
from surelearn.persistence import archive
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

WINDY = TreeNode(SetTest("windy", ([True], [False])), ("stay", "play"))
HUMID = TreeNode(IntervalTest("humidity", (70,)), ("play", "stay"))
OUTLOOK = SetTest("outlook", (["sunny"], ["overcast"], ["rainy"]))
WEATHER = TreePredictor(TreeNode(OUTLOOK, (HUMID, "play", WINDY)))


def test_the_sets_of_the_catalogue_have_three_branches():
    tree = TreePredictor(TreeNode(SetTest(0, (["c"], ["d"], ["a", "b"])), (1, 2, 3)))
    assert tree.predict([["a"], ["b"], ["c"], ["d"]]).tolist() == [3, 3, 1, 2]


def test_intervals_are_closed_on_the_right():
    tree = TreePredictor(TreeNode(IntervalTest(0, (1.0, 2.0)), ("low", "middle", "high")))
    cells = np.array([[-np.inf], [1.0], [np.nextafter(1.0, 2.0)], [2.0], [2.1], [np.inf]])
    assert tree.predict(cells).tolist() == ["low", "low", "middle", "middle", "high", "high"]


def test_the_weather_tree_plays_on_eight_of_twelve_days():
    days = list(itertools.product(["sunny", "overcast", "rainy"], [60, 80], [True, False]))
    names = ["outlook", "humidity", "windy"]
    table = pa.table({name: [day[i] for day in days] for i, name in enumerate(names)})
    played = WEATHER.predict(table)
    assert (played == "play").sum() == 8
    for frame in (table.to_pandas(), pl.from_arrow(table)):
        np.testing.assert_array_equal(WEATHER.predict(frame), played)


def random_tree(rng, depth):
    """Return a binary tree over two numbers, its leaves numbered at random."""
    if depth == 0 or rng.random() < 0.3:
        return int(rng.integers(10))
    test = IntervalTest(int(rng.integers(2)), (float(rng.normal()),))
    return TreeNode(test, (random_tree(rng, depth - 1), random_tree(rng, depth - 1)))


def walk(node, row):
    while isinstance(node, TreeNode):
        node = node.children[int(row[node.test.feature] > node.test.cuts[0])]
    return node


@pytest.mark.parametrize("seed", range(5))
def test_every_row_reaches_one_leaf_and_binary_trees_have_half_their_nodes_as_leaves(seed):
    rng = np.random.default_rng(seed)
    tree = TreePredictor(random_tree(rng, 5))
    X = rng.normal(size=(200, 2))
    assert tree.n_leaves == (tree.n_nodes + 1) / 2
    leaves = tree.apply(X)
    assert set(leaves.tolist()) <= set(range(tree.n_leaves))
    assert tree.predict(X).tolist() == [walk(tree.root, row) for row in X]


def test_a_tree_that_was_learnt_can_be_written_down():
    X = np.random.default_rng(0).normal(size=(300, 1))
    y = np.where(np.abs(X[:, 0]) < 0.5, "in", "out")
    learnt = CARTClassifier().fit(X, y)
    cuts = sorted(learnt.tree_.threshold[~learnt.tree_.is_leaf].tolist())
    tree = TreePredictor(TreeNode(IntervalTest(0, cuts), ("out", "in", "out")))
    np.testing.assert_array_equal(tree.predict(X), learnt.predict(X))


def test_what_has_no_answer_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="'fog', which is in none of the sets"):
        WEATHER.predict(pd.DataFrame({"outlook": ["fog"], "humidity": [1], "windy": [True]}))
    with pytest.raises(ValueError, match="has a missing cell"):
        TreePredictor(TreeNode(IntervalTest(0, (1,)), (0, 1))).predict([[np.nan]])
    with pytest.raises(ValueError, match="no number"):
        TreePredictor(TreeNode(IntervalTest(0, (1,)), (0, 1))).predict([["x"]])
    with pytest.raises(ValueError, match="asks for column 'outlook'"):
        WEATHER.predict([[1, 2]])
    with pytest.raises(ValueError, match="asks for column 3, and X has 1"):
        TreePredictor(TreeNode(IntervalTest(3, (1,)), (0, 1))).predict([[1.0]])
    others = TreePredictor(TreeNode(SetTest(0, (["a"],), others=True), (0, 1)))
    assert others.predict([["a"], ["z"], [None]]).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: IntervalTest(0, ()), "one or more, that increase"),
        (lambda: IntervalTest(0, (2, 1)), "that increase"),
        (lambda: IntervalTest(0, (1, np.inf)), "that increase"),
        (lambda: SetTest(0, (["a"], ["a", "b"])), "share a value"),
        (lambda: SetTest(0, (["a"],)), "two branches"),
        (lambda: SetTest(0, (["a"], [])), "sets with values"),
        (lambda: TreeNode(IntervalTest(0, (1,)), ("a",)), "2 answers, and there are 1 children"),
    ],
)
def test_what_is_no_test_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_it_is_certified_and_stored_like_a_model(tmp_path):
    tree = TreePredictor(TreeNode(IntervalTest(0, (0.0,)), (0, 1)))
    X = np.random.default_rng(1).normal(size=(500, 1))
    certificate = Holdout(X, (X[:, 0] > 0).astype(int)).certify(tree)
    assert certificate.status == "valid"
    assert certificate.observed == 0.0
    save_model(WEATHER, tmp_path / "model", schema={}, metadata={})
    assert load_model(tmp_path / "model").model == WEATHER


ONE = TreePredictor(TreeNode(IntervalTest(0, (1.0,)), (0, 1)))


def test_masked_cells_are_missing_whatever_lies_under_the_mask():
    masked = np.ma.array([[0.0], [5.0]], mask=[[False], [True]])
    words = np.ma.array([["a"], ["a"]], mask=[[False], [True]])
    with pytest.raises(ValueError, match="missing cell"):
        ONE.predict(masked)
    with pytest.raises(ValueError, match="missing cell"):
        TreePredictor(TreeNode(SetTest(0, (["a"], ["b"])), (0, 1))).predict(words)
    others = TreePredictor(TreeNode(SetTest(0, (["a"],), others=True), (0, 1)))
    assert others.predict(words).tolist() == [0, 1]


@pytest.mark.parametrize("kind", [np.complex128, object])
def test_complex_cells_are_no_numbers(kind):
    with pytest.raises(ValueError, match="no number"):
        ONE.predict(np.array([[np.complex128(1j)]], dtype=kind))


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: IntervalTest(feature=True, cuts=(1,)), "name of a column or its place"),
        (lambda: SetTest(None, (["a"], ["b"])), "name of a column or its place"),
        (lambda: SetTest(0, "ab"), "must be sets of values"),
        (lambda: SetTest(0, (["a"], "bc")), "must be sets of values"),
        (lambda: SetTest(0, 5), "must be sets of values"),
        (lambda: SetTest(0, ([["a"]], ["b"])), "texts and numbers"),
        (lambda: SetTest(0, (["a"],), others=1), "True or False"),
        (lambda: TreeNode("age", ("a", "b")), "IntervalTest or a SetTest"),
    ],
)
def test_parts_of_other_types_are_refused(make, reason):
    with pytest.raises(TypeError, match=reason):
        make()


@pytest.mark.parametrize("cuts", [("a",), (1j,), None, (None,)])
def test_cuts_that_are_no_numbers_are_refused(cuts):
    with pytest.raises(ValueError, match="must be numbers"):
        IntervalTest(0, cuts)


def test_a_list_in_a_cell_is_in_none_of_the_sets():
    cells = np.empty((1, 1), dtype=object)
    cells[0, 0] = ["a"]
    with pytest.raises(ValueError, match="in none of the sets"):
        TreePredictor(TreeNode(SetTest(0, (["a"], ["b"])), (0, 1))).predict(cells)


@pytest.mark.parametrize("labels", [("a", 1), (True, 2), ((1, 2), (3, 4))])
def test_labels_of_several_kinds_stay_as_they_are(labels):
    found = TreePredictor(TreeNode(IntervalTest(0, (1.0,)), labels)).predict([[0.0], [2.0]])
    assert found.tolist() == list(labels)
    assert [type(label) for label in found.tolist()] == [type(label) for label in labels]


@pytest.mark.parametrize(("n_levels", "wide"), [(5001, False), (30, True)])
def test_a_tree_without_end_is_refused(n_levels, wide):
    node = 0
    for _ in range(n_levels):
        node = TreeNode(IntervalTest(0, (1.0,)), (node, node if wide else 1))
    with pytest.raises(ValueError, match="the tree has more than"):
        TreePredictor(node)


def chain(n):
    """Return a tree that is as deep as it can be, such as sorted rows may give."""
    node = "end"
    for i in reversed(range(n)):
        node = TreeNode(IntervalTest(0, (float(i),)), (i % 3, node))
    return TreePredictor(node)


@pytest.mark.parametrize("depth", [100, 3000])
def test_a_deep_tree_is_saved_loaded_copied_compared_and_certified(tmp_path, depth):
    tree, X = chain(depth), [[-1.0], [1.5], [1e9]]
    assert (tree.depth, tree.n_leaves) == (depth, depth + 1)
    save_model(tree, tmp_path / "m", schema={}, metadata={})
    loaded = load_model(tmp_path / "m").model
    pickled = pickle.loads(pickle.dumps(tree))  # noqa: S301 - our own
    for twin in (loaded, copy.deepcopy(tree), pickled, chain(depth)):
        assert twin == tree
        assert twin.predict(X).tolist() == [0, 2, "end"]
        assert repr(twin) == repr(tree)
        assert fingerprint(twin) == fingerprint(tree)
    certificate = Holdout(X, [0, 2, "end"]).certify(loaded)
    check_certificate(certificate, tree)
    with pytest.raises(ValueError, match="more than 5,000 tests on a path"):
        chain(5001)


def test_a_tree_is_put_together_as_it_was_and_known_by_its_former_fingerprint():
    assert WEATHER.root == TreeNode(OUTLOOK, (HUMID, "play", WINDY))
    assert repr(WEATHER) == f"TreePredictor(root={WEATHER.root!r})"
    assert TreePredictor(WEATHER.root) == WEATHER
    former = "fc5a90d6bbf1b7aee43508eec93df4f5348422fb"  # as certificates of schema 2 had it
    issued = Holdout([[1.0]], [1]).certify(chain(30))
    older = replace(issued, schema=2, reproduce={**issued.reproduce, "model": former})
    assert fingerprint_as(chain(30), older) == former != fingerprint_as(chain(31), older)


def described(tree, path):
    save_model(tree, path, schema={}, metadata={})
    return archive.unpack(path.read_bytes())[0]


def test_a_file_with_nodes_in_nodes_is_still_read(tmp_path):
    told = described(WEATHER, tmp_path / "m")
    root = nested(WEATHER.root)
    told["model"] = {"$object": "TreePredictor", "version": 1, "state": {"root": root}}
    (tmp_path / "m").write_bytes(archive.pack(told, []))
    assert load_model(tmp_path / "m").model == WEATHER


def nested(node):
    """Describe a node as files had it."""
    if not isinstance(node, TreeNode):
        return node
    test = node.test
    if isinstance(test, IntervalTest):
        state = {"feature": test.feature, "cuts": {"$tuple": list(test.cuts)}}
    else:
        groups = {"$tuple": [{"$tuple": list(group)} for group in test.groups]}
        state = {"feature": test.feature, "groups": groups, "others": test.others}
    asked = {"$object": type(test).__name__, "version": 1, "state": state}
    children = {"$tuple": [nested(child) for child in node.children]}
    return {"$object": "TreeNode", "version": 1, "state": {"test": asked, "children": children}}


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("_tests", lambda nodes: nodes[:-1]),
        ("_tests", lambda nodes: [*nodes, None]),
        ("_tests", lambda nodes: [None, *nodes]),
        ("_tests", lambda nodes: nodes[:1] * 3),
        ("_tests", lambda nodes: ["x", *nodes[1:]]),
        ("_tests", lambda _: []),
        ("_labels", lambda labels: labels[1:]),
        ("_labels", lambda labels: labels * 2),
    ],
)
def test_a_forged_row_of_nodes_is_refused(tmp_path, part, change):
    told = described(WEATHER, tmp_path / "m")
    held = told["model"]["state"]
    held[part] = {"$tuple": change(held[part]["$tuple"])}
    (tmp_path / "m").write_bytes(archive.pack(json.loads(json.dumps(told)), []))
    with pytest.raises(ModelFileError, match="cannot be loaded: its TreePredictor makes no sense"):
        load_model(tmp_path / "m")
