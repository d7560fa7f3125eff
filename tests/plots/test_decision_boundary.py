"""Points with their decision boundary: regions, border and margin are the model's own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from surelearn import GaussianNaiveBayes, Halfspace, NearestNeighborsClassifier, Perceptron
from surelearn.plots import style
from surelearn.plots.decision_boundary import plot_decision_boundary

POINTS = np.array([(1, 1), (2, -1), (-1, 2), (1, -2), (0, -1)], dtype=float)


class Demo:
    """The demo function of the catalogue: 2 x₁ + 3 x₂ + 1."""

    classes_ = np.array([-1, 1])

    def decision_function(self, X):
        return X @ np.array([2.0, 3.0]) + 1.0

    def predict(self, X):
        return np.where(self.decision_function(X) > 0.0, 1, -1)


def borders(ax):
    """Return the lines of each level drawn: the border first, then the margins."""
    sets = [found for found in ax.collections if type(found).__name__ == "QuadContourSet"]
    return [found for found in sets if not found.filled]


def test_the_border_of_the_demo_function_is_its_line():
    scores = Demo().decision_function(POINTS)
    assert scores.tolist() == [6.0, 2.0, 5.0, -3.0, -2.0]
    ax = plot_decision_boundary(Demo(), POINTS, Demo().predict(POINTS))
    border, margins = borders(ax)
    line = np.concatenate([path.vertices for path in border.get_paths()])
    np.testing.assert_allclose(line[:, 1], -(2.0 * line[:, 0] + 1.0) / 3.0, atol=1e-9)
    assert margins.levels.tolist() == [-2.0, 2.0]  # the points nearest to the line


def test_a_consistent_halfspace_is_drawn_with_its_bits():
    bits = [[0, 1], [1, 1], [0, 0], [1, 0]]
    model = Halfspace().fit(bits, [1, 1, 0, 0])
    ax = plot_decision_boundary(model, bits, [1, 1, 0, 0])
    drawn = {tuple(xy) for found in ax.collections for xy in np.asarray(found.get_offsets())}
    assert {(0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (1.0, 0.0)} <= drawn


def test_wrong_points_have_a_black_edge_and_no_margin_is_drawn():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.1, 0.0], [0.9, 0.0]])
    y = [0, 1, 1, 1]
    model = GaussianNaiveBayes().fit(X, [0, 1, 0, 1])
    ax = plot_decision_boundary(model, X, y)
    assert "margin" not in [text.get_text() for text in ax.get_legend().get_texts()]
    edges = [found.get_edgecolors() for found in ax.collections if len(found.get_offsets())]
    black = sum((edge[:, :3] == 0.0).all(axis=1).sum() for edge in edges)
    assert black == 1


def test_two_of_several_features_are_drawn_the_others_at_their_medians():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = NearestNeighborsClassifier().fit(X, y)
    here = style.new_figure("given")[1][0]
    names = ("petal length (cm)", "petal width (cm)")
    ax = plot_decision_boundary(model, X, y, features=names, ax=here)
    assert ax is here
    assert ax.get_xlabel() == "petal length (cm) (other features at their medians)"
    assert len(ax.get_legend().get_texts()) == 3
    words = np.array(["a", "b", "c"])[y]
    tree = DecisionTreeClassifier().fit(X.to_numpy(), words)
    plot_decision_boundary(tree, X.to_numpy(), words, features=(2, 3))


def test_what_has_no_border_is_refused():
    X = np.eye(2)
    with pytest.raises(ValueError, match="fitted classifier"):
        plot_decision_boundary(LinearRegression().fit(X, [0, 1]), X, [0, 1])
    model = Perceptron().fit(X, [0, 1])
    with pytest.raises(ValueError, match="no column"):
        plot_decision_boundary(model, X, [0, 1], features=(0, 2))
    with pytest.raises(ValueError, match="one column twice"):
        plot_decision_boundary(
            model, pd.DataFrame(X, columns=["a", "b"]), [0, 1], features=("a", 0)
        )
    with pytest.raises(ValueError, match="one label each"):
        plot_decision_boundary(model, X, [0])
    with pytest.raises(ValueError, match="two columns or more"):
        plot_decision_boundary(model, X[:, :1], [0, 1])
