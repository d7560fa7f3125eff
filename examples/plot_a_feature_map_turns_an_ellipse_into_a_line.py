"""A feature map turns an ellipse into a line."""

from pathlib import Path

import numpy as np

from surelearn.kernels import Linear
from surelearn.learners.kernelized.support_vector_classifier import SupportVectorClassifier
from surelearn.plots import style
from surelearn.plots.decision_boundary import plot_decision_boundary


def figure():
    """Draw one machine twice: in the plane of the points, and in that of their squares."""
    title = "A feature map turns an ellipse into a line"
    drawing, (plane, squares) = style.new_figure(title, columns=2)
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, size=(300, 2)) * [2.2, 1.4]
    size = X[:, 0] ** 2 / 2.5 + X[:, 1] ** 2
    X, y = X[np.abs(size - 1.0) > 0.1], np.where(size < 1.0, "inside", "outside")
    y = y[np.abs(size - 1.0) > 0.1]
    curved = SupportVectorClassifier(kernel=Linear().of(np.square), C=1e3).fit(X, y)
    straight = SupportVectorClassifier(kernel=Linear(), C=1e3).fit(X**2, y)
    plot_decision_boundary(curved, X, y, ax=plane)
    plot_decision_boundary(straight, X**2, y, ax=squares)
    plane.set(title="kernel ⟨x², z²⟩ on the points", xlabel="$x_1$", ylabel="$x_2$")
    squares.set(title="linear kernel on their squares", xlabel="$x_1^2$", ylabel="$x_2^2$")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_feature_map_turns_an_ellipse_into_a_line.svg")
