"""The reliability diagram and the coefficient paths: what is drawn, and what is refused."""

import numpy as np
import pytest

from surelearn.evaluate.calibration import calibration_curve
from surelearn.plots import style
from surelearn.plots.calibration import plot_calibration
from surelearn.plots.coefficient_paths import plot_coefficient_paths


def test_refuted_bins_are_drawn_apart_and_empty_ones_not_at_all():
    result = calibration_curve([0.05] * 100 + [0.55] * 10, [1] * 100 + [1, 0] * 5)
    ax = plot_calibration(result)
    labels = ax.get_legend_handles_labels()[1]
    assert labels[-2:] == ["frequency, all bars 95%", "refuted"]
    points = [container[0].get_xdata().tolist() for container in ax.containers[1:]]
    np.testing.assert_allclose(np.concatenate(points), [0.55, 0.05])


def test_without_refuted_bins_no_such_word_appears():
    labels = plot_calibration(calibration_curve([0.5], [1])).get_legend_handles_labels()[1]
    assert "refuted" not in labels


def test_the_longest_paths_are_named_and_the_others_muted():
    lines = np.outer([1.0, 2.0], np.arange(10.0))
    ax = plot_coefficient_paths([0.1, 1.0], lines, xlabel="C")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [f"x{j}" for j in range(4, 10)]
    assert ax.lines[0].get_color() == style.MUTED
    assert ax.get_xlabel() == "C"


def test_a_line_missing_is_refused():
    with pytest.raises(ValueError, match="1 lines for 2 strengths"):
        plot_coefficient_paths([0.1, 1.0], [[1.0, 2.0]])
