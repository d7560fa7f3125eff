"""A tree can be read: rules, formula, text and graph say what predict does."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import NotFittedError

import surelearn
from reference import weather
from reference.random_trees import random_questions
from surelearn.base.tables.table import read_table
from surelearn.datasets.worlds import Noisy
from surelearn.learners.trees._export.formula import normal_form
from surelearn.learners.trees._export.vocabulary import vocabulary_of
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.learners.trees.id3_classifier import ID3Classifier


@pytest.fixture(scope="module")
def days():
    columns, y = weather.numeric()
    X = pd.DataFrame(columns)
    return X, y, C45Classifier().fit(X, y)


@pytest.fixture(scope="module")
def gaps():
    """A table of numbers and words with missing cells, and a tree of two classes on it."""
    rng = np.random.default_rng(0)
    size, colour = rng.normal(size=200), rng.choice(["blue", "green", "red"], 200).astype(object)
    y = np.where((size > 0) ^ (colour == "red"), "yes", "no")
    size[rng.random(200) < 0.2], colour[rng.random(200) < 0.2] = np.nan, None
    X = pd.DataFrame({"size": size, "colour": colour})
    return X, y, CARTClassifier(max_leaf_nodes=9).fit(X, y)


def test_the_weather_tree_is_the_one_of_the_notes(days):
    _, _, model = days
    assert model.to_text() == (
        "outlook = overcast: yes (4)\n"
        "outlook = rainy\n"
        "|   windy = false: yes (3)\n"
        "|   windy = true: no (2)\n"
        "outlook = sunny\n"
        "|   humidity <= 77.5: yes (2)\n"
        "|   humidity > 77.5: no (3)"
    )


def test_the_formula_of_the_notes_comes_out_of_the_weather_table(days):
    X, y, model = days
    assert set(str(model.snap(X, y).dnf()).split(" or ")) == {
        "(outlook = sunny and humidity <= 70)",
        "outlook = overcast",
        "(outlook = rainy and windy = false)",
    }
    cells = itertools.product(["sunny", "overcast", "rainy"], [60.0, 95.0], ["true", "false"])
    table = pd.DataFrame(cells, columns=["outlook", "humidity", "windy"]).assign(temperature=70.0)
    table = table[list(X.columns)]
    holds = model.dnf().holds(read_table(model, table))
    assert holds.sum() == 8
    np.testing.assert_array_equal(holds, model.predict(table) == "yes")
    np.testing.assert_array_equal(model.dnf(label="no").holds(read_table(model, table)), ~holds)


def test_rules_have_conditions_class_support_and_confidence(days):
    _, _, model = days
    rules = model.rules()
    assert list(rules.columns) == ["conditions", "class", "support", "confidence"]
    assert rules["conditions"].iloc[-1] == "outlook = sunny and humidity > 77.5"
    assert rules["class"].tolist() == ["yes", "yes", "no", "yes", "no"]
    assert rules["support"].tolist() == [4, 3, 2, 2, 3]
    assert rules["confidence"].tolist() == [1.0] * 5


def test_the_rules_of_a_regressor_have_values():
    X = np.arange(4.0)[:, np.newaxis]
    rules = CARTRegressor(max_depth=1).fit(X, [0.0, 2.0, 10.0, 12.0]).rules()
    assert rules["conditions"].tolist() == ["x0 <= 1.5", "x0 > 1.5"]
    assert rules["value"].tolist() == [1.0, 11.0]
    assert rules["support"].tolist() == [2, 2]
    assert rules["impurity"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("backend", "frame"),
    [
        (None, pd.DataFrame),
        ("pandas", pd.DataFrame),
        ("polars", pl.DataFrame),
        ("pyarrow", pa.Table),
    ],
)
def test_rules_come_in_the_data_frame_that_is_asked_for(days, backend, frame):
    _, _, model = days
    assert isinstance(model.rules(backend=backend), frame)


def test_without_pandas_rules_come_in_another_data_frame(days, monkeypatch):
    _, _, model = days
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "pyarrow" or None)
    assert isinstance(model.rules(), pa.Table)


def test_intervals_of_a_feature_are_merged_into_one_condition():
    X = np.arange(30.0)[:, np.newaxis]
    y = ((X[:, 0] > 9) & (X[:, 0] <= 19)).astype(int)
    model = CARTClassifier().fit(X, y)
    assert "9.5 < x0 <= 19.5" in model.rules()["conditions"].tolist()
    assert str(model.dnf()) == "9.5 < x0 <= 19.5"
    assert str(model.dnf(label=0)) == "x0 <= 9.5 or x0 > 19.5"


def test_a_condition_without_which_the_formula_says_the_same_is_dropped():
    """(a and b) or (not a and b and c) or (not a and b and not c) is b."""
    X = np.array(list(itertools.product([0.0, 1.0], repeat=3)))
    model = CARTClassifier().fit(X, X[:, 1])
    forced = CARTClassifier().fit(X[:, [0, 2, 1]], X[:, 1])
    assert str(model.dnf()) == "x1 > 0.5"
    assert str(forced.dnf()) == "x2 > 0.5"
    tree = ID3Classifier(categorical_features="all").fit(X, X[:, 0] * X[:, 1])
    assert str(tree.dnf()) == "x0 = 1 and x1 = 1"


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("multiway", [True, False])
def test_the_formula_is_true_exactly_where_the_tree_says_so(seed, multiway):
    n_categories, grid = [0, 4, 0, 3], [np.array([1.0, 2.0]), None, np.array([5.0]), None]
    rng = np.random.default_rng(seed)
    tree = random_questions(rng, n_categories, grid=grid, multiway=multiway, childless=not multiway)
    rows = np.array(list(itertools.product([1.0, 1.5, 9.0], range(4), [5.0, 6.0], range(3))))
    categories = tuple(None if n == 0 else np.array(list("abcd"[:n])) for n in n_categories)
    model = SimpleNamespace(
        n_features_in_=4,
        categories_=categories,
        classes_=np.array(["no", "yes"]),
        missing_=np.full(4, not multiway),
    )
    if not multiway:  # then a row without an answer has a way too
        gone = np.where(rng.random(rows.shape) < 0.2, np.nan, rows)
        gone[rng.random(len(rows)) < 0.1, 1] = -1.0
        rows = np.vstack([rows, gone])
    expected = _walk(tree, rows)
    for label in (0, 1):
        formula = normal_form(tree, vocabulary_of(model, digits=6), label=label)
        np.testing.assert_array_equal(formula.holds(rows), expected == label)
        assert len(formula) <= tree.n_leaves
        assert _is_irredundant(formula, rows)


def _walk(tree, rows):
    labels = np.empty(len(rows), dtype=int)
    for i, row in enumerate(rows):
        node = 0
        while tree.n_children[node]:
            cell, routes = row[tree.feature[node]], tree.routes_of(node)
            branch = int(cell > tree.threshold[node])
            if np.isnan(cell) or (len(routes) and cell < 0):
                branch = -1
            elif len(routes):
                branch = routes[int(cell)]
            branch = tree.default_child[node] if branch < 0 else branch
            node = tree.children(node)[branch]
        labels[i] = tree.value[node].argmax()
    return labels


def _is_irredundant(formula, rows):
    """Whether every literal that is left says something, on all rows there are."""
    true = formula.holds(rows)
    for term in formula.terms:
        for feature in term:
            wider = [f for f in term if f != feature]
            holds = np.all(
                [np.ones(len(rows), bool), *(term[f].holds(rows[:, f]) for f in wider)], axis=0
            )
            if not (holds & ~true).any():
                return False
    return True


def test_the_formula_tells_where_missing_cells_go(gaps):
    X, _, model = gaps
    formula = model.dnf()
    np.testing.assert_array_equal(formula.holds(read_table(model, X)), model.predict(X) == "yes")
    assert "(or missing)" in str(formula)
    assert "(or missing)" in model.to_text()


def test_nothing_is_said_of_missing_cells_where_none_was_missing():
    X, y = Noisy(2, 0.1).draw(50, seed=0)
    assert "missing" not in CARTClassifier().fit(X, y).to_text()


def test_a_question_for_missing_cells_is_told_in_words():
    X = pd.DataFrame({"size": [1.0, 2.0, np.nan, np.nan], "colour": ["a", "b", "a", "b"]})
    text = CARTClassifier().fit(X, [0, 0, 1, 1]).to_text()
    assert text == "size is known: 0 (2)\nsize is missing: 1 (2)"
    X = pd.DataFrame({"colour": ["a", "b", None, None]})
    text = CARTClassifier().fit(X, [0, 0, 1, 1]).to_text()
    assert sorted(text.split("\n")) == ["colour in {a, b}: 0 (2)", "colour is missing: 1 (2)"]


def test_a_tree_of_one_leaf_is_true_or_false():
    model = CARTClassifier().fit([[1.0], [1.0], [1.0]], ["a", "b", "b"])
    assert str(model.dnf()) == "true"
    assert str(model.dnf(label="a")) == "false"
    assert model.dnf(label="a").holds(np.ones((2, 1))).tolist() == [False, False]
    assert model.to_text() == "b (3, 1 wrong)"
    assert model.rules()["conditions"].tolist() == ["true"]


def test_digits_are_as_many_as_asked_for():
    model = CARTClassifier().fit([[0.123456], [0.123458]], [0, 1])
    assert model.to_text(digits=3).startswith("x0 <= 0.123:")
    assert model.to_text(digits=8).startswith("x0 <= 0.123457:")


DOT = re.compile(
    r"digraph tree \{\n"
    r"(    (node|edge) \[[^\n]*\];\n)*"
    r'(    \d+ \[label="([^"\\]|\\.)*"(, style="")?\];\n)+'
    r'(    \d+ -> \d+ \[label="([^"\\]|\\.)*"\];\n)*'
    r"\}"
)


@pytest.mark.parametrize("name", ["plain", 'a "quoted" name', "back\\slash", "two\nlines"])
def test_the_graph_is_in_graphvizs_language(name):
    X = pd.DataFrame({name: ["x", "y", 'z"'] * 4, "n": np.arange(12.0)})
    model = C45Classifier(confidence=None).fit(X, [0, 1, 2] * 4)
    dot = model.to_dot()
    assert DOT.fullmatch(dot)
    assert dot.count("->") == model.n_nodes_ - 1
    assert len(re.findall(r"^    \d+ \[", dot, re.MULTILINE)) == model.n_nodes_


def test_a_regressor_has_no_formula():
    model = CARTRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="this is a regressor: rules"):
        model.dnf()
    assert model.to_text() == "x0 <= 0.5: 0 (1)\nx0 > 0.5: 1 (1)"


def test_more_than_two_classes_have_no_formula():
    model = CARTClassifier().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    with pytest.raises(ValueError, match="one of two classes"):
        model.dnf()


def test_what_cannot_be_read_is_refused(days):
    _, _, model = days
    with pytest.raises(ValueError, match="label='maybe' must be one of the classes"):
        model.dnf(label="maybe")
    with pytest.raises(ValueError, match="backend='excel'"):
        model.rules(backend="excel")
    with pytest.raises(ValueError, match="digits=0"):
        model.to_text(digits=0)
    with pytest.raises(ValueError, match="not fitted"):
        C45Classifier().to_dot()


@pytest.mark.parametrize("name", ["CARTClassifier", "CARTRegressor", "C45Classifier"])
@pytest.mark.parametrize("method", ["apply", "decision_path", "predict"])
def test_a_tree_that_was_not_grown_says_so(name, method):
    with pytest.raises(NotFittedError):
        getattr(getattr(surelearn, name)(), method)([[1.0]])
