"""The figure of a cross-validated path shows the errors and marks the choice."""

import numpy as np
import pytest

from surelearn.learners.trees._pruning.cost_complexity import PruningPath
from surelearn.learners.trees._pruning.cross_validated_path import CrossValidatedPath
from surelearn.plots import style
from surelearn.plots.pruning import plot_pruning


@pytest.fixture
def result():
    path = PruningPath(np.array([0.0, 1.0, 9.0]), np.array([5, 2, 1]), np.array([0.0, 3.0, 12.0]))
    return CrossValidatedPath(path, np.array([0.2, 0.22, 0.5]), np.full(3, 0.03))


def test_errors_are_drawn_over_leaves_and_the_choice_is_marked(result):
    ax = plot_pruning(result)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), [5, 2, 1])
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result.errors)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert "best: 5 leaves" in labels
    assert "smallest within one standard error: 2 leaves" in labels


def test_it_draws_where_it_is_told(result):
    _, axes = style.new_figure("A claim", columns=2)
    assert plot_pruning(result, ax=axes[1]) is axes[1]
