"""Few neighbours memorise, many forget: test error is least in between."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier
from surelearn.plots import style
from surelearn.plots.errors_over_k import plot_errors_over_k


def figure():
    """Draw training and test error over k on the Wisconsin breast cancer table."""
    title = "Few neighbours memorise, many forget: test error is least in between"
    drawing, axes = style.new_figure(title, columns=2)
    X, y = load_breast_cancer(return_X_y=True)
    train, test, labels, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    scaler = StandardScaler().fit(train)
    worlds = {
        "features as measured": (train, test),
        "features standardised": (scaler.transform(train), scaler.transform(test)),
    }
    sizes = np.unique(np.geomspace(1, 283, 36).astype(int) // 2 * 2 + 1)
    for ax, (name, (rows, new)) in zip(axes, worlds.items(), strict=True):
        model = NearestNeighborsClassifier(n_neighbors=1).fit(rows, labels)
        errors = {
            "training": model.errors_over_k(rows, labels, sizes),
            "test": model.errors_over_k(new, truth, sizes),
        }
        plot_errors_over_k(sizes.tolist(), errors, ax=ax)
        ax.set(title=name, ylim=(-0.01, 0.4))
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "few_neighbours_memorise_and_many_forget.svg")
