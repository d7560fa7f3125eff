"""Voronoi cells contain the points whose nearest row is theirs."""

import numpy as np
import pytest
from matplotlib.path import Path

from surelearn.learners.neighbors.condensed_nearest_neighbor import CondensedNearestNeighbor
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.plots.voronoi import plot_voronoi


def colour_at(ax, point):
    """Return the number of the class whose cell contains the point."""
    inside = [
        any(Path(path.vertices).contains_point(point) for path in cells.get_paths())
        for cells in ax.collections
    ]
    return int(np.flatnonzero(inside)[0])


@pytest.mark.parametrize("learner", [CondensedNearestNeighbor, NearestNeighborsClassifier])
def test_the_colour_of_a_cell_is_the_prediction_there(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    model = learner()
    if "n_neighbors" in model.get_params():
        model.set_params(n_neighbors=1)
    ax = plot_voronoi(model.fit(np.concatenate([X, X[:3]]), np.concatenate([y, y[:3]])))
    queries = rng.normal(size=(60, 2))
    assert [colour_at(ax, q) for q in queries] == model.predict(queries).tolist()
    assert len(ax.get_legend().get_texts()) == 3


def test_one_row_and_rows_on_a_line_have_cells_too():
    model = NearestNeighborsClassifier(n_neighbors=1)
    assert plot_voronoi(model.fit([[1.0, 2.0]], ["a"])).collections
    assert plot_voronoi(model.fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], [0, 1, 0])).collections


def test_more_neighbours_and_more_features_have_no_cells():
    X, y = np.eye(6), np.arange(6) % 2
    with pytest.raises(ValueError, match="n_neighbors=1"):
        plot_voronoi(NearestNeighborsClassifier(n_neighbors=3).fit(X[:, :2], y))
    with pytest.raises(ValueError, match="two features"):
        plot_voronoi(NearestNeighborsClassifier(n_neighbors=1).fit(X, y))
