"""For one relevant variable of n, Winnow errs about log n times, the Perceptron about n times"""

from pathlib import Path

import numpy as np

from surelearn.bounds import mistakes_boolean
from surelearn.plots import style


def winnow_mistakes(X, labels):
    weights, mistakes = np.ones(X.shape[1]), 0
    for row, label in zip(X, labels, strict=True):
        if (weights @ row >= X.shape[1]) != label:
            weights *= (2.0 if label else 0.5) ** row
            mistakes += 1
    return mistakes


def perceptron_mistakes(X, labels):
    rows = np.column_stack([X, np.ones(len(X))])
    weights, mistakes = np.zeros(rows.shape[1]), 0
    for row, sign in zip(rows, 2.0 * labels - 1.0, strict=True):
        if sign * (weights @ row) <= 0.0:
            weights += sign * row
            mistakes += 1
    return mistakes


def figure():
    """Draw the mistakes of both on the same random rows, with their bounds."""
    drawing, (ax,) = style.new_figure(__doc__)
    sizes = 2 ** np.arange(2, 10)
    rng = np.random.default_rng(0)
    learners = {
        "Perceptron": (perceptron_mistakes, mistakes_boolean.perceptron_disjunction, style.MUTED),
        "Winnow": (winnow_mistakes, mistakes_boolean.winnow_classic, style.OBSERVED),
    }
    rows = {int(n): rng.integers(0, 2, (8 * n, n)).astype(float) for n in sizes}
    for name, (learn, bound, colour) in learners.items():
        observed = [learn(X, X[:, 0] == 1.0) for X in rows.values()]
        limits = [bound(n_variables=n, n_relevant=1).bound for n in rows]
        ax.plot(sizes, observed, "o", color=colour, label=f"{name}, mistakes")
        ax.plot(sizes, limits, color=colour, linestyle="--", label=f"{name}, bound")
    ax.set(xscale="log", yscale="log", xlabel="variables", ylabel="mistakes")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "winnow_pays_a_logarithm.svg")
