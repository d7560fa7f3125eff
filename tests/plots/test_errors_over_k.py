"""Curves of errors over k are drawn as they are, and their least values marked."""

import numpy as np

from surelearn.plots import style
from surelearn.plots.errors_over_k import plot_errors_over_k


def test_each_curve_is_drawn_as_it_is_and_names_its_least_k():
    curves = {"training": np.array([0.0, 0.1, 0.3]), "test": np.array([0.2, 0.15, 0.3])}
    _, (here,) = style.new_figure("given")
    ax = plot_errors_over_k([1, 5, 99], curves, ax=here)
    assert ax is here
    drawn = {line.get_label(): line for line in ax.lines}
    np.testing.assert_array_equal(
        drawn["training error, least at k = 1"].get_ydata(), curves["training"]
    )
    np.testing.assert_array_equal(drawn["test error, least at k = 5"].get_ydata(), curves["test"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "training error, least at k = 1",
        "test error, least at k = 5",
    ]
