"""One pass of online ridge against a NumPy loop and batch ridge, and its growth in d."""

import argparse

import numpy as np
from _timing import best_of, machine, report
from scipy import sparse
from sklearn.linear_model import Ridge, SGDClassifier, SGDRegressor

from surelearn.learners.linear.adagrad import AdaGrad
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
from surelearn.learners.linear.online_ridge import OnlineRidge


def dense(n, d, rng):
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def thin(n, d, per_row, rng):
    indices = rng.integers(0, d, size=(n, per_row), dtype=np.int32)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sparse.csr_array((rng.normal(size=n * per_row), indices.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    return X, np.where(X @ rng.normal(size=d) > 0, 1, 0)


def sherman_morrison(X, y):
    """Forecast in NumPy with an explicit inverse, O(d²) a row."""
    inverse, b = np.eye(X.shape[1]), np.zeros(X.shape[1])
    predictions = np.empty(len(y))
    for t, x in enumerate(X):
        side = inverse @ x
        inverse -= np.outer(side, side) / (1.0 + x @ side)
        predictions[t] = x @ (inverse @ b)
        b += y[t] * x
    return predictions


def one_pass(learner, X, y):
    learner.learn(X, y)


def ridge(n, d, rng):
    X, y = dense(n, d, rng)
    exact = np.allclose(OnlineRidge(fit_intercept=False).learn(X, y), sherman_morrison(X, y))
    times = {
        "surelearn OnlineRidge.learn": best_of(lambda: one_pass(OnlineRidge(), X, y)),
        "NumPy loop, explicit inverse": best_of(lambda: sherman_morrison(X, y), repeats=2),
        "scikit-learn Ridge.fit (batch, no trace)": best_of(lambda: Ridge().fit(X, y)),
        "scikit-learn SGDRegressor(max_iter=1)": best_of(
            lambda: SGDRegressor(max_iter=1, tol=None).fit(X, y)
        ),
    }
    report(f"dense, {n} x {d}; same forecasts: {exact}", times, ours="surelearn OnlineRidge.learn")


def gradients(X, y, title):
    ours = "surelearn OnlineGradientDescent"
    times = {
        ours: best_of(lambda: one_pass(OnlineGradientDescent(), X, y)),
        "surelearn AdaGrad": best_of(lambda: one_pass(AdaGrad(), X, y)),
        "scikit-learn SGDClassifier(max_iter=1)": best_of(
            lambda: SGDClassifier(max_iter=1, tol=None).fit(X, y)
        ),
    }
    report(title, times, ours=ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    scale = 10 if parser.parse_args().quick else 1
    rng = np.random.default_rng(0)
    machine("scikit-learn")
    ridge(200_000 // scale, 10, rng)
    ridge(50_000 // scale, 50, rng)
    ridge(5_000 // scale, 200, rng)
    for d in (25, 50, 100, 200, 400):
        X, y = dense(2_000, d, rng)
        seconds = best_of(lambda X=X, y=y: one_pass(OnlineRidge(), X, y), repeats=3)
        print(
            f"   d = {d:>3}: {seconds / 2e-3:8.2f} µs per row, {seconds / 2e-6 / d**2:.3f} ns x d²"
        )
    X, y = dense(10**6 // scale, 20, rng)
    gradients(X, np.where(y > 0, 1, 0), "hinge loss, dense, 10^6 x 20")
    gradients(*thin(200_000 // scale, 50_000, 40, rng), "hinge loss, 200,000 x 50,000, 40 per row")


if __name__ == "__main__":
    main()
