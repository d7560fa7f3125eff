"""Naive Bayes against scikit-learn: fit and predict, categories and numbers, arrays and frames."""

import argparse

import numpy as np
import pandas as pd
from _timing import best_of, machine, report
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

from surelearn.learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes


def categories(n, d, n_classes, rng):
    y = rng.integers(0, n_classes, n)
    return (rng.integers(0, 6, size=(n, d)) + (y[:, None] > 0) * rng.integers(0, 3, (n, d))), y


def compare(title, ours, peer, X, y):
    """Time fit and predict of both on the same rows, after checking that they agree."""
    mine, theirs = ours.fit(X, y), peer.fit(X, y)
    assert np.mean(mine.predict(X) == theirs.predict(X)) > 0.9999
    names = f"surelearn {type(ours).__name__}", f"scikit-learn {type(peer).__name__}"
    for verb, calls in (
        ("fit", (lambda: ours.fit(X, y), lambda: peer.fit(X, y))),
        ("predict", (lambda: mine.predict(X), lambda: theirs.predict(X))),
        ("predict_proba", (lambda: mine.predict_proba(X), lambda: theirs.predict_proba(X))),
    ):
        times = dict(zip(names, map(best_of, calls), strict=True))
        report(f"{title}: {verb}", times, ours=names[0])


def text_frame(n, rng):
    """Compare on a data frame of text: our door against an encoder and scikit-learn's learner."""
    words = np.array(["red", "green", "blue", "yellow", "black", "white"])
    X = pd.DataFrame({f"c{j}": words[rng.integers(0, 6, n)] for j in range(10)})
    y = rng.integers(0, 2, n)
    ours = "surelearn MixedNaiveBayes"
    times = {
        ours: best_of(lambda: MixedNaiveBayes().fit(X, y), repeats=3),
        "scikit-learn OrdinalEncoder + CategoricalNB": best_of(
            lambda: CategoricalNB().fit(OrdinalEncoder().fit_transform(X), y), repeats=3
        ),
    }
    report(f"text in a data frame, {n} x 10: fit", times, ours=ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    rng = np.random.default_rng(0)
    machine("scikit-learn", "pandas")
    n = 300_000 // scale
    for n_classes in (2, 5):
        X, y = categories(n, 30, n_classes, rng)
        title = f"categories, {n} x 30, {n_classes} classes"
        compare(title, CategoricalNaiveBayes(prior_smoothing=0.0), CategoricalNB(), X, y)
    X, y = rng.normal(size=(n, 30)), rng.integers(0, 2, n)
    X[y == 1] += 0.3
    compare(f"numbers, {n} x 30", GaussianNaiveBayes(prior_smoothing=0.0), GaussianNB(), X, y)
    text_frame(n, rng)
    for size in (n // 8, n // 4, n // 2, n):
        X, y = categories(size, 30, 2, rng)
        seconds = best_of(lambda X=X, y=y: CategoricalNaiveBayes().fit(X, y))
        print(f"   n = {size:>7}: {seconds / size * 1e9:6.1f} ns per row to fit")


if __name__ == "__main__":
    main()
