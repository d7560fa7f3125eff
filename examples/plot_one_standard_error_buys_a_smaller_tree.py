"""One standard error buys a smaller tree."""

from pathlib import Path

from sklearn.datasets import make_classification

from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.plots import style
from surelearn.plots.pruning import plot_pruning


def figure():
    """Draw the cross-validated error of the subtrees of a fully grown tree."""
    drawing, (ax,) = style.new_figure("One standard error buys a smaller tree")
    X, y = make_classification(800, 10, n_informative=4, flip_y=0.15, random_state=1)
    plot_pruning(CARTClassifier().fit(X, y).cross_validate_pruning(X, y), ax=ax)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "one_standard_error_buys_a_smaller_tree.svg")
