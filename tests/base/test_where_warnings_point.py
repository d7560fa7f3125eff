"""A warning points at the line of the user that called the library."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from surelearn import LinearRegression, LogisticRegression, MatrixCompletion, TableEncoder

X = np.random.default_rng(0).normal(size=(40, 3))
GAPS = np.where(np.random.default_rng(1).random((8, 6)) < 0.5, np.nan, X[:8, :1] * np.arange(1, 7))
ONE_KNOWN = np.array([[1.0, *[np.nan] * 5]])
ENCODER = TableEncoder(drop="first").fit(np.array([["a"], ["b"], ["c"]], dtype=object))


@cache
def completion():
    return MatrixCompletion(rank=2, max_iter=500).fit(X[:, :2] @ X[:6, :2].T)


def collinear():
    return np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1] ** 2])


CALLS = {
    "fit": lambda: LogisticRegression(max_iter=1).fit(X, X[:, 0] + X[:, 1] > 0.1 * X[:, 2] ** 2),
    "deep in fit": lambda: LinearRegression().fit(collinear(), X[:, 0]),
    "in a pipeline": lambda: make_pipeline(LinearRegression()).fit(collinear(), X[:, 0]),
    "completing": lambda: MatrixCompletion(rank=3, max_iter=2).fit(GAPS),
    "transform at one moment": lambda: completion().transform(ONE_KNOWN),
    "encoding": lambda: ENCODER.transform(np.array([["z"]], dtype=object)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_points_at_the_line_of_the_user(name):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        CALLS[name]()
    assert told
    assert {warning.filename for warning in told} == {__file__}
