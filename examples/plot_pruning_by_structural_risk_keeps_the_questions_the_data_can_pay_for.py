"""Pruning by structural risk keeps the questions the data can pay for."""

from pathlib import Path

import numpy as np

from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.plots import style

CELLS, NOISE = 8, 0.1


def draw(rng, n):
    """Return numbers in [0, 1), and labels that alternate over cells, some of them wrong."""
    X = rng.random((n, 1))
    return X, ((X[:, 0] * CELLS).astype(int) % 2 == 1) ^ (rng.random(n) < NOISE)


def risk(model):
    """Return the true risk of a tree on one number."""
    cuts = np.sort([*np.arange(CELLS + 1) / CELLS, *model.tree_.threshold[~model.tree_.is_leaf]])
    middle = (cuts[1:] + cuts[:-1]) / 2
    wrong = model.predict(middle[:, np.newaxis]) != ((middle * CELLS).astype(int) % 2 == 1)
    mistaken = np.diff(cuts)[wrong].sum()
    return mistaken * (1 - NOISE) + (1 - mistaken) * NOISE


def draw_path(ax, rng):
    """Draw training error, true risk and certificate along the path of subtrees."""
    X, y = draw(rng, 1000)
    model = CARTClassifier().fit(X, y)
    subtrees = [model.prune(alpha=alpha) for alpha in model.pruning_path().alphas]
    leaves = [tree.n_leaves_ for tree in subtrees]
    ax.plot(
        leaves,
        [t.training_errors_ / 1000 for t in subtrees],
        color=style.MUTED,
        label="training error",
    )
    ax.plot(leaves, [risk(t) for t in subtrees], color=style.OBSERVED, label="true risk")
    bounds = [t.certificates()[0].bound for t in subtrees]
    ax.plot(leaves, bounds, color=style.GUARANTEED, label="certificate")
    best = model.prune_structural_risk()
    ax.plot(best.n_leaves_, best.certificates()[0].bound, "o", color=style.GUARANTEED, ms=8)
    ax.set(
        xscale="log", xlabel="leaves (1000 rows, subtrees of one tree)", ylabel="error", ylim=(0, 1)
    )
    ax.legend(loc="upper left")


def draw_sizes(ax, rng):
    """Draw the leaves of full and of pruned trees over the number of rows."""
    sizes = np.geomspace(20, 5000, 12).astype(int)
    full = [CARTClassifier().fit(*draw(rng, n)) for n in sizes]
    ax.plot(sizes, [tree.n_leaves_ for tree in full], color=style.MUTED, label="fully grown")
    pruned = [tree.prune_structural_risk().n_leaves_ for tree in full]
    ax.plot(sizes, pruned, color=style.GUARANTEED, label="least certificate")
    ax.axhline(CELLS, color="black", linestyle="--", linewidth=1.0, label="leaves of the truth")
    ax.set(xscale="log", yscale="log", xlabel="training rows", ylabel="leaves")
    ax.legend(loc="upper left")


def figure():
    """Draw what a certificate says of the subtrees, and which of them it chooses."""
    title = "Pruning by structural risk keeps the questions the data can pay for"
    drawing, (left, right) = style.new_figure(title, columns=2)
    rng = np.random.default_rng(0)
    draw_path(left, rng)
    draw_sizes(right, rng)
    return drawing


if __name__ == "__main__":
    name = "pruning_by_structural_risk_keeps_the_questions_the_data_can_pay_for.svg"
    style.save(figure(), Path(__file__).parent.parent / "docs" / "figures" / name)
