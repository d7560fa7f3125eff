"""Widths of errors: with copies of the regressor, and from errors that are at hand."""

import sys

import numpy as np
from _timing import best_of_each, machine, report

from surelearn import GradientBoostingRegressor, LocallyScaledRegressor

QUICK = "--quick" in sys.argv
N, D = (2_000, 10) if QUICK else (20_000, 20)

rng = np.random.default_rng(0)
X = rng.uniform(size=(N, D))
y = X @ rng.normal(size=D) + (0.2 + 3.0 * X[:, 0]) * rng.normal(size=N)
boosted = GradientBoostingRegressor().fit(X, y)
errors = np.abs(y - boosted.predict(X))

machine("scikit-learn")
contenders = {
    "five copies and widths": lambda: LocallyScaledRegressor(GradientBoostingRegressor()).fit(X, y),
    "widths alone": lambda: LocallyScaledRegressor().fit_widths(boosted, X, errors),
    "the regressor": lambda: GradientBoostingRegressor().fit(X, y),
}
times = best_of_each(contenders, repeats=3)
report(f"widths of boosted trees, {N:,} x {D}", times, ours="widths alone")
