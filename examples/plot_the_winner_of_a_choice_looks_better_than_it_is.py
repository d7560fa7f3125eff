"""The winner of a cross-validation looks better than it is; a nested one is not fooled."""

from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn.evaluate.nested_cross_validation import nested_cross_validate
from surelearn.evaluate.selection import select_by_cross_validation
from surelearn.plots import style


class ByFeature(ClassifierMixin, BaseEstimator):
    """Guess by the sign of one feature."""

    def __init__(self, place=0):
        self.place = place

    def fit(self, _, y):
        """Learn what the labels are called; there is nothing else to learn."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        """Return the guesses."""
        return self.classes_[(X[:, self.place] > 0).astype(int)]


def estimates(n_models, seed):
    """Return both estimates of the error of the best of some guesses on pure noise."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, n_models)), np.arange(60) % 2
    models = [ByFeature(j) for j in range(n_models)]
    plain = select_by_cross_validation(models, X, y, cv=3).estimates.min()
    return plain, nested_cross_validate(models, X, y, cv=3, inner=2).estimate


def figure():
    """Draw both estimates over the number of useless models chosen among."""
    title = "The winner of a cross-validation looks better than it is; a nested one is not fooled"
    drawing, (ax,) = style.new_figure(title)
    sizes = np.array([1, 2, 4, 8, 16])
    table = np.array([[estimates(k, seed) for seed in range(8)] for k in sizes])
    looks = {"least estimate of a plain one": style.BROKEN, "nested": style.OBSERVED}
    for i, (name, colour) in enumerate(looks.items()):
        spread = table[..., i].std(axis=1, ddof=1) / np.sqrt(8)
        ax.errorbar(sizes, table[..., i].mean(axis=1), spread, fmt="-o", color=colour, label=name)
    ax.axhline(0.5, color=style.MUTED, ls="--", label="truth: labels are pure noise")
    ax.set(xscale="log", xlabel="models chosen among", ylabel="estimated error (mean of 8 tables)")
    ax.set_xticks(sizes, [str(k) for k in sizes])
    ax.minorticks_off()
    ax.legend(loc="lower left", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_winner_of_a_choice_looks_better_than_it_is.svg")
