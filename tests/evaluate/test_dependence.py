"""Partial dependence and accumulated local effects of models that are known."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.inspection import partial_dependence as peer_dependence
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

from surelearn import (
    AdaBoostClassifier,
    CARTRegressor,
    accumulated_effects,
    partial_dependence,
)


class Known(RegressorMixin, BaseEstimator):
    """The function x0² + 3 x1 + x0 x2."""

    def fit(self, X, y=None):  # noqa: ARG002
        """Learn nothing."""
        self.fitted_ = True
        return self

    def predict(self, X):
        """Return the function."""
        X = np.asarray(X, dtype=float)
        return X[:, 0] ** 2 + 3.0 * X[:, 1] + X[:, 0] * X[:, 2]


def rows(n=400, seed=0):
    """Return rows whose third column is nearly the first."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = X[:, 0] + 0.01 * rng.normal(size=n)
    return X


def test_partial_dependence_is_the_mean_with_the_feature_set():
    X = rows()
    found = partial_dependence(Known().fit(X), X, 0, grid_size=20)
    expected = found.grid**2 + 3.0 * X[:, 1].mean() + found.grid * X[:, 2].mean()
    assert found.mean == pytest.approx(expected, rel=1e-12)
    assert found.individual.shape == (400, len(found.grid))


def test_accumulated_effects_stay_where_the_rows_are():
    X = rows(5000)
    found = accumulated_effects(Known().fit(X), X, 0, n_bins=100)
    # Along the rows the slope in x0 is 2 x0 + x2, nearly 3 x0, whatever x1 is.
    middle = (found.edges > -1.5) & (found.edges < 1.5)
    expected = 1.5 * found.edges**2 - 1.5 * np.mean(X[:, 0] ** 2)
    assert found.effects[middle] == pytest.approx(expected[middle], abs=0.1)
    assert found.counts.sum() == 5000
    mean = found.counts @ (found.effects[1:] + found.effects[:-1]) / 2 / 5000
    assert mean == pytest.approx(0.0, abs=1e-12)


def test_scikit_learns_partial_dependence_is_the_same():
    X = rows(100)
    model = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, Known().fit(X).predict(X))
    found = partial_dependence(model, X, 1, grid_size=100)
    peer = peer_dependence(model, X, [1], grid_resolution=200, percentiles=(0, 1), method="brute")
    assert found.mean == pytest.approx(peer["average"][0], rel=1e-12)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_and_categories(make):
    rng = np.random.default_rng(0)
    colour, size = rng.choice(["blue", "green", "red"], 200), rng.normal(size=200)
    y = (colour == "red") ^ (rng.random(200) < 0.1)
    frame = make({"colour": colour.tolist(), "size": size})
    model = AdaBoostClassifier(n_estimators=5).fit(frame, y)
    found = partial_dependence(model, frame, "colour")
    assert found.grid.tolist() == ["blue", "green", "red"]
    assert found.mean.argmax() == 2
    assert found.response == "probability of True"
    effects = accumulated_effects(model, frame, "size", label=False)
    assert np.abs(effects.effects).max() < 0.2
    with pytest.raises(ValueError, match="no order to follow"):
        accumulated_effects(model, frame, "colour")


def test_columns_of_pandas_may_be_named_by_numbers():
    """They ended in a KeyError: columns were looked up by their names as text."""
    X = rows(60)
    frame, model = pd.DataFrame(X, columns=[2, 0, "size"]), Known().fit(X)
    for place, name in enumerate(["2", "0", "size"]):
        for ask in (partial_dependence, accumulated_effects):
            expected = ask(model, X, place)
            for feature in (place, name):
                found = ask(model, frame, feature)
                assert found.feature == name
                for field in ("mean", "effects"):
                    same = getattr(found, field, 0.0) == getattr(expected, field, 0.0)
                    assert np.all(same)


class Scores(ClassifierMixin, BaseEstimator):
    """A classifier of which only scores are known."""

    def fit(self, X, y):  # noqa: ARG002
        """Learn the labels."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        """Return the first column."""
        return X[:, 0]

    def predict(self, X):
        """Return labels."""
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_scores_of_the_first_of_two_classes_have_the_other_sign():
    X = rows(50)
    model = Scores().fit(X, X[:, 0] > 0)
    first, last = (partial_dependence(model, X, 0, label=c).mean for c in (False, True))
    assert (first == -last).all()


def test_what_makes_no_sense_is_refused_with_a_sentence():
    X = rows(50)
    model = Known().fit(X)
    with pytest.raises(ValueError, match="none of the columns"):
        partial_dependence(model, X, "size")
    with pytest.raises(ValueError, match="feature"):
        partial_dependence(model, X, 3)
    with pytest.raises(ValueError, match="one value only"):
        accumulated_effects(model, np.ones((20, 3)), 0)
    with pytest.raises(ValueError, match="none of the classes"):
        partial_dependence(Scores().fit(X, X[:, 0] > 0), X, 0, label="maybe")
    with pytest.raises(ValueError, match="no rows"):
        partial_dependence(model, X[:0], 0)
    with pytest.raises(ValueError, match="X is sparse"):
        partial_dependence(model, sparse.csr_array(X), 0)
    with pytest.raises(ValueError, match="one number for each"):
        partial_dependence(LinearRegression().fit(X, X[:, :2]), X, 0)


def test_the_rows_are_left_alone():
    X = rows(50)
    before = X.copy()
    X.flags.writeable = False
    partial_dependence(Known().fit(X), X, 0)
    accumulated_effects(Known().fit(X), X, 0)
    assert (before == X).all()


class Lister(ClassifierMixin, BaseEstimator):
    """Answers in a list, which some do."""

    def fit(self, X, y):
        self.classes_ = np.unique(y[: len(X)])
        return self

    def predict(self, X):
        return ["yes" if row[0] > 0.0 else "no" for row in X]


def test_answers_in_a_list_are_answers():
    X = np.array([[-1.0], [2.0]])
    found = partial_dependence(Lister().fit(X, ["no", "yes"]), X, 0)
    assert found.mean.tolist() == [0.0, 1.0]


GAPS = {
    "words": ["x", pd.NA, "y", "x"],
    "truth values": pd.Series([True, pd.NA, False, True], dtype="boolean"),
    "numbers as categories": pd.Series([3, 1, None, 1], dtype="category"),
}


@pytest.mark.parametrize("kind", GAPS)
def test_columns_of_pandas_with_gaps_are_set_to_what_is_in_them(kind):
    frame = pd.DataFrame({"a": np.arange(4.0), "b": GAPS[kind]})
    model = CARTRegressor().fit(frame, np.array([1.0, 2.0, 3.0, 1.0]))
    found = partial_dependence(model, frame, "b")
    assert set(found.grid) == set(frame["b"].dropna())
    with pytest.raises(ValueError, match="has gaps or is no number"):
        accumulated_effects(model, frame, "b")


def test_numbers_that_are_categories_are_all_taken():
    marks = np.arange(8.0)
    frame = pd.DataFrame({"a": marks, "b": pd.Series(marks, dtype="category")})
    model = CARTRegressor().fit(frame, marks % 2)
    assert len(partial_dependence(model, frame, "b", grid_size=3).grid) == len(marks)


@pytest.mark.parametrize("cells", [[np.nan] * 4, pd.Series([None] * 4, dtype="string")])
def test_a_feature_without_any_value_is_refused_in_a_sentence(cells):
    frame = pd.DataFrame({"a": np.arange(4.0), "b": cells})
    model = CARTRegressor().fit(frame, np.arange(4.0))
    with pytest.raises(ValueError, match="'b' has no value in these rows"):
        partial_dependence(model, frame, "b")
