"""Leaving missing cells out beats filling them in."""

from pathlib import Path

import numpy as np

from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes
from surelearn.plots import style

ROWS, NUMBERS, WORDS, RUNS = 300, 4, 4, 12
SHARES = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])  # of three words, in each class
RARE = 0.3  # the share of the second class


def draw(rng, n, gaps):
    """Return rows of numbers and words, with gaps, and their classes."""
    y = (rng.random(n) < RARE).astype(int)
    numbers = rng.normal(np.where(y, 1.0, 0.0)[:, None], 1.0, size=(n, NUMBERS))
    steps = np.cumsum(SHARES, axis=1)[y][:, None, :]
    words = (rng.random((n, WORDS))[:, :, None] > steps).sum(axis=2)
    X = np.hstack([numbers, words.astype(float)])
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def filled(X, train):
    """Return the rows with the mean number or the most frequent word of the training rows."""
    means = np.nanmean(train[:, :NUMBERS], axis=0)
    codes = train[:, NUMBERS:, None] == np.arange(3)
    usual = np.concatenate([means, codes.sum(axis=0).argmax(axis=1)])
    return np.where(np.isnan(X), usual, X)


def best_rule(X):
    """Return the labels of the Bayes rule, which knows the law of the rows and of the gaps."""
    scores = np.log([1 - RARE, RARE]) * np.ones((len(X), 2))
    for c in (0, 1):
        scores[:, c] -= 0.5 * np.nansum((X[:, :NUMBERS] - c) ** 2, axis=1)
        for column in X[:, NUMBERS:].T:
            known = ~np.isnan(column)
            scores[known, c] += np.log(SHARES[c, column[known].astype(int)])
    return scores.argmax(axis=1)


def errors(rng, gaps):
    """Return the test errors of the rows as they are, of the filled ones and of the best rule."""
    (X, y), (fresh, labels) = draw(rng, ROWS, gaps), draw(rng, 4000, gaps)
    words = list(range(NUMBERS, NUMBERS + WORDS))
    model = MixedNaiveBayes(categorical_features=words)
    left_out = model.fit(X, y).predict(fresh)
    filled_in = model.fit(filled(X, X), y).predict(filled(fresh, X))
    return [np.mean(found != labels) for found in (left_out, filled_in, best_rule(fresh))]


def figure():
    """Draw the test errors over the share of missing cells."""
    drawing, (ax,) = style.new_figure("Leaving missing cells out beats filling them in")
    rng, gaps = np.random.default_rng(0), np.linspace(0.0, 0.8, 9)
    found = np.array([np.mean([errors(rng, gap) for _ in range(RUNS)], axis=0) for gap in gaps])
    ax.plot(gaps, found[:, 1], color=style.BROKEN, label="means and most frequent words put in")
    ax.plot(gaps, found[:, 0], color=style.OBSERVED, label="left out of the product")
    ax.plot(
        gaps, found[:, 2], color="black", linestyle="--", label="Bayes rule, which knows the law"
    )
    ax.set(ylim=(0, None), xlabel="share of missing cells", ylabel="test error")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "leaving_missing_cells_out_beats_filling_them_in.svg")
