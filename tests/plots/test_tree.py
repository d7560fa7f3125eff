"""The figure of a tree says what the tree asks and answers, and nothing in it overlaps."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from reference import weather
from surelearn.datasets.worlds import Noisy
from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.plots import style
from surelearn.plots.tree import plot_tree


@pytest.fixture(scope="module")
def days():
    columns, y = weather.numeric()
    return C45Classifier().fit(pd.DataFrame(columns), y)


def words(ax):
    return [text.get_text() for text in ax.texts]


def overlaps(ax):
    """Return the pairs of texts, boxes included, that cover common ground."""
    FigureCanvasAgg(ax.figure).draw()
    boxes = [text.get_bbox_patch().get_window_extent() for text in ax.texts]
    return [
        (ax.texts[i].get_text(), ax.texts[j].get_text())
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i].overlaps(boxes[j])
    ]


def test_boxes_hold_questions_and_outcomes_and_lines_the_answers(days):
    ax = plot_tree(days)
    assert words(ax)[:3] == ["outlook", "yes\n4 of 4", "windy"]
    assert words(ax)[days.n_nodes_ :] == [
        "overcast", "rainy", "sunny", "false", "true", "≤ 77.5", "> 77.5",
    ]  # fmt: skip
    assert len(ax.lines) == days.n_nodes_ - 1


@pytest.mark.parametrize(
    ("n_leaves", "downwards"),
    [
        *((n_leaves, downwards) for n_leaves in (1, 2, 8, 9) for downwards in (True, False)),
        (31, True),
        pytest.param(31, False, marks=pytest.mark.slow),
    ],
)
def test_nothing_overlaps(n_leaves, downwards):
    X, y = Noisy(5, 0.2).draw(400, seed=0)
    X = pd.DataFrame(X, columns=["a", "size of the thing", "x", "weight (kg)", "temperature"])
    labels = np.where(y > 0, "a rather long label", "no")
    model = CARTClassifier(max_leaf_nodes=max(2, n_leaves)).fit(X, labels)
    model = model.prune(alpha=np.inf) if n_leaves == 1 else model
    assert model.n_leaves_ == n_leaves
    assert overlaps(plot_tree(model, downwards=downwards)) == []


def test_long_lists_of_categories_do_not_overlap():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"town": rng.choice([f"town number {i}" for i in range(40)], 300)})
    model = CARTClassifier(max_leaf_nodes=6).fit(X, rng.integers(0, 3, 300))
    ax = plot_tree(model)
    assert overlaps(ax) == []
    assert any(text.endswith("…") for text in words(ax))


def test_many_leaves_grow_to_the_right():
    X, y = Noisy(3, 0.2).draw(200, seed=0)
    small, large = (CARTClassifier(max_leaf_nodes=n).fit(X, y) for n in (8, 9))
    assert plot_tree(small).texts[0].get_position()[1] < plot_tree(small).texts[1].get_position()[1]
    assert plot_tree(large).texts[0].get_position()[0] < plot_tree(large).texts[1].get_position()[0]


def test_purer_leaves_are_stronger_in_colour():
    X = np.array([[0.0]] * 10 + [[1.0]] * 10)
    y = [0] * 10 + [1] * 6 + [0] * 4
    boxes = [text.get_bbox_patch() for text in plot_tree(CARTClassifier().fit(X, y)).texts[1:3]]
    pure, mixed = (1.0 - np.mean(box.get_facecolor()[:3]) for box in boxes)
    assert pure > mixed > 0.0


def test_a_regressors_leaves_are_coloured_by_value():
    X = np.arange(6.0)[:, np.newaxis]
    ax = plot_tree(CARTRegressor().fit(X, X[:, 0] ** 2))
    colours = {text.get_bbox_patch().get_facecolor() for text in ax.texts[: 2 * 6 - 1]}
    assert len(colours) == 7  # six leaves, and white
    assert "25\n1" in words(ax)


def test_it_draws_where_it_is_told_and_fits(days):
    _, axes = style.new_figure("Two trees", columns=2)
    ax = plot_tree(days, ax=axes[1])
    assert ax is axes[1]
    assert overlaps(ax) == []
    assert not axes[0].texts


def test_a_dollar_is_a_dollar(days):
    columns, y = weather.numeric()
    frame = pd.DataFrame(columns).rename(columns={"outlook": "$out$look"})
    assert "$out$look" in words(plot_tree(C45Classifier().fit(frame, y)))
    plot_tree(days).figure.savefig("/dev/null", format="svg")


def test_an_unfitted_tree_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        plot_tree(CARTClassifier())
