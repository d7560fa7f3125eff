"""Score, margins and rings: the lines are the score's own, and a ring tells how a point lies."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from surelearn import LogisticRegression
from surelearn.plots import style
from surelearn.plots.margin import plot_margin


class Plane:
    """The score is the first feature."""

    classes_ = np.array(["left", "right"])

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0.0).astype(int)]


def ringed(ax):
    """Return the points in rings by the name of the ring."""
    words = {"on the margin", "slack", "misclassified"}
    return {
        found.get_label(): sorted(map(tuple, np.asarray(found.get_offsets()).tolist()))
        for found in ax.collections
        if found.get_label() in words
    }


def noisy(n=80):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")


def test_the_lines_are_where_the_score_is_0_and_1():
    X = np.array([[-2.0, 0.0], [-1.0, 1.0], [-0.5, 0.0], [0.5, 1.0], [2.0, 0.0]])
    ax = plot_margin(Plane(), X, ["left", "left", "left", "left", "right"])
    lines = [found for found in ax.collections if type(found).__name__ == "QuadContourSet"]
    drawn = {level: [] for level in (-1.0, 0.0, 1.0)}
    for found in lines:
        for level, path in zip(found.levels, found.get_paths(), strict=True):
            drawn[level] = path.vertices[:, 0]
    for level, across in drawn.items():
        np.testing.assert_allclose(across, level, atol=1e-9)
    assert ringed(ax) == {
        "on the margin": [(-1.0, 1.0)],
        "slack": [(-0.5, 0.0)],
        "misclassified": [(0.5, 1.0)],
    }


def test_the_support_vectors_of_a_machine_have_rings():
    X, y = noisy()
    model = SVC(C=1.0, gamma=0.5).fit(X, y)
    found = ringed(plot_margin(model, X, y))
    points = sorted(point for points in found.values() for point in points)
    assert points == sorted(map(tuple, model.support_vectors_.tolist()))
    margins = np.where(y == "yes", 1, -1) * model.decision_function(X)
    wrong = X[margins <= 0.0]
    assert found["misclassified"] == sorted(map(tuple, wrong.tolist()))


def test_points_that_a_machine_has_not_learnt_are_ringed_by_their_score():
    X, y = noisy()
    model = SVC(C=1.0, gamma=0.5).fit(X[:60], y[:60])
    found = ringed(plot_margin(model, X[20:], y[20:]))
    margins = np.where(y == "yes", 1, -1)[20:] * model.decision_function(X[20:])
    assert sum(map(len, found.values())) == np.count_nonzero(margins <= 1.01)


def test_a_frame_and_two_of_its_columns_are_drawn_where_one_says():
    X, y = load_iris(return_X_y=True, as_frame=True)
    X, y = X[y > 0], y[y > 0]
    names = ("petal length (cm)", "petal width (cm)")
    here = style.new_figure("given")[1][0]
    ax = plot_margin(LogisticRegression().fit(X, y), X, y, features=names, ax=here)
    assert ax is here
    assert ax.get_xlabel() == "petal length (cm) (other features at their medians)"


def test_a_margin_outside_the_picture_is_not_in_the_legend():
    X = np.array([[-0.5, 0.0], [0.5, 1.0]])
    ax = plot_margin(Plane(), X, ["left", "right"])
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["left", "right", "border", "slack"]


def test_what_has_no_margin_is_refused_with_what_to_do():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="plot_decision_boundary"):
        plot_margin(LogisticRegression().fit(X, y), X, y)
    tree = DecisionTreeClassifier().fit(X, y > 0)
    with pytest.raises(ValueError, match="decision_function"):
        plot_margin(tree, X, y > 0)
    with pytest.raises(ValueError, match="one label each"):
        plot_margin(Plane(), X, ["left"])
