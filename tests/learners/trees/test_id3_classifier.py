"""ID3: information gain, one branch per category."""

import pickle

import numpy as np
import pandas as pd
import pytest
from tests.reference import id3

from surelearn.learners.trees.id3_classifier import ID3Classifier

# FX-T of the catalogue, which is Weka's weather.nominal.
WORDS = {
    "SOR": ("sunny", "overcast", "rain"),
    "HMC": ("hot", "mild", "cool"),
    "HN": ("high", "normal"),
    "WS": ("weak", "strong"),
}
DAYS = [
    *["SHHW n", "SHHS n", "OHHW y", "RMHW y", "RCNW y", "RCNS n", "OCNS y"],
    *["SMHW n", "SCNW y", "RMNW y", "SMNS y", "OMHS y", "OHNW y", "RMHS n"],
]


@pytest.fixture(scope="module")
def weather():
    rows = [
        [words[letters.index(letter)] for letter, (letters, words) in zip(day, WORDS.items())]  # noqa: B905
        for day in DAYS
    ]
    names = ["outlook", "temperature", "humidity", "wind"]
    play = [{"y": "yes", "n": "no"}[day[-1]] for day in DAYS]
    return pd.DataFrame(rows, columns=names), np.array(play)


def paths(model):
    """Return for each leaf the words on the way to it, and its label."""
    tree, found = model.tree_, {}

    def visit(node, said):
        if tree.feature[node] < 0:
            found[said] = str(model.classes_[tree.value[node].argmax()])
        for child in tree.children(node):
            place = tree.categories_to(node, child - tree.first_child[node])
            words = model.categories_[tree.feature[node]][place]
            visit(child, (*said, *words.tolist()))

    visit(0, ())
    return found


def test_the_weather_tree_comes_out_of_its_fourteen_days(weather):
    model = ID3Classifier().fit(*weather)
    assert paths(model) == {
        ("overcast",): "yes",
        ("rain", "strong"): "no",
        ("rain", "weak"): "yes",
        ("sunny", "high"): "no",
        ("sunny", "normal"): "yes",
    }
    assert (model.n_leaves_, model.n_nodes_, model.depth_) == (5, 8, 2)
    assert model.score(*weather) == 1.0


def test_the_gains_at_the_root_are_those_of_the_catalogue(weather):
    gains = [0.2467498198, 0.0292225657, 0.1518355014, 0.0481270304]
    for place, gain in enumerate(gains):
        X = weather[0].iloc[:, [place]]
        assert ID3Classifier(threshold=gain - 1e-9).fit(X, weather[1]).depth_ == 1
        assert ID3Classifier(threshold=gain + 1e-8).fit(X, weather[1]).depth_ == 0


def test_a_threshold_above_the_best_gain_leaves_the_majority(weather):
    model = ID3Classifier(threshold=0.25).fit(*weather)
    assert model.n_nodes_ == 1
    assert set(model.predict(weather[0])) == {"yes"}


def test_it_equals_the_plain_version_on_random_tables():
    rng = np.random.default_rng(0)
    for _ in range(30):
        n, d = int(rng.integers(5, 60)), int(rng.integers(1, 5))
        X, y = rng.integers(0, rng.integers(2, 5), size=(n, d)), rng.integers(0, 3, size=n)
        threshold = float(rng.choice([0.0, 0.1, 0.3]))
        tree = id3.grow(X.tolist(), y.tolist(), threshold)
        model = ID3Classifier(threshold=threshold).fit(X, y)
        assert model.n_leaves_ == id3.n_leaves(tree)
        new = rng.integers(0, 6, size=(200, d))  # some values were not there in training
        assert model.predict(new).tolist() == [id3.predict(tree, row) for row in new.tolist()]


def test_no_feature_is_asked_twice_on_a_path():
    rng = np.random.default_rng(1)
    model = ID3Classifier().fit(rng.integers(0, 3, size=(300, 4)), rng.integers(0, 2, size=300))
    tree = model.tree_
    for leaf in np.flatnonzero(tree.is_leaf):
        asked, node = [], tree.parent[leaf]
        while node >= 0:
            asked.append(int(tree.feature[node]))
            node = tree.parent[node]
        assert len(asked) == len(set(asked))


def test_exclusive_or_is_learnt_at_threshold_zero_and_not_above():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    assert ID3Classifier().fit(X, y).score(X, y) == 1.0
    assert ID3Classifier(threshold=1e-6).fit(X, y).n_nodes_ == 1


def test_a_tied_leaf_takes_the_smallest_label():
    assert ID3Classifier().fit([["a"]] * 4, ["x", "y", "y", "x"]).predict([["a"]]) == ["x"]


def test_a_category_without_a_branch_gets_the_majority_of_its_node(weather):
    model = ID3Classifier().fit(*weather)
    hail = pd.DataFrame([["hail", "hot", "high", "weak"]], columns=weather[0].columns)
    assert model.predict(hail) == ["yes"]
    np.testing.assert_allclose(model.predict_proba(hail), [[5 / 14, 9 / 14]])
    assert model.apply(hail) == [0]
    foggy = hail.assign(outlook="sunny", humidity="damp")
    np.testing.assert_allclose(model.predict_proba(foggy), [[3 / 5, 2 / 5]])


def test_a_weight_of_two_is_two_rows(weather):
    X, y = weather
    weights = np.arange(14) % 3
    model = ID3Classifier().fit(X, y, sample_weight=weights)
    twice = ID3Classifier().fit(X.loc[X.index.repeat(weights)], np.repeat(y, weights))
    np.testing.assert_array_equal(model.tree_.feature, twice.tree_.feature)
    np.testing.assert_allclose(model.predict_proba(X), twice.predict_proba(X))


def test_an_identifier_wins_by_gain_which_is_why_the_ratio_exists(weather):
    X = weather[0].assign(day=[f"D{i}" for i in range(14)])
    model = ID3Classifier().fit(X, weather[1])
    assert (model.tree_.feature[0], model.n_leaves_) == (4, 14)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outlook": None}, "'outlook' has missing cells"),
        ({"day": [f"D{i}" for i in range(14)]}, "'day' has 14 categories, more than 10"),
    ],
)
def test_bad_tables_are_refused_by_name_and_the_model_stays(weather, change, said):
    X, y = weather
    model = ID3Classifier(most_categories=10).fit(X, y)
    before = pickle.dumps(model)
    bad = X.assign(**{k: [v, *X[k][1:]] if v is None else v for k, v in change.items()})
    with pytest.raises(ValueError, match=said):
        model.fit(bad, y)
    assert pickle.dumps(model) == before


def test_a_missing_cell_is_refused_in_prediction_too(weather):
    model = ID3Classifier().fit(*weather)
    with pytest.raises(ValueError, match="'wind' has missing cells"):
        model.predict(weather[0].assign(wind=None))


def test_numbers_are_refused_where_only_some_columns_are_called_categories(weather):
    X = weather[0].assign(heat=np.arange(14.0))
    with pytest.raises(ValueError, match="'heat' holds numbers, and ID3 splits categories"):
        ID3Classifier(categorical_features=["outlook"]).fit(X, weather[1])
    assert ID3Classifier().fit(X, weather[1]).n_leaves_ == 14


@pytest.mark.parametrize("bad", [{"threshold": -0.1}, {"max_depth": 0}, {"threshold": np.nan}])
def test_bad_parameters_are_refused(weather, bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        ID3Classifier(**bad).fit(*weather)


def test_depth_is_limited(weather):
    assert ID3Classifier(max_depth=1).fit(*weather).depth_ == 1
