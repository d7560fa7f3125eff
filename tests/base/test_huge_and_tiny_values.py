"""Learners that square: sizes within reach change nothing, others are refused in a sentence."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surelearn import (
    CondensedNearestNeighbor,
    GaussianMixture,
    GaussianNaiveBayes,
    MatrixCompletion,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    PrincipalComponents,
    SoftImpute,
)

LEARNERS = [
    CondensedNearestNeighbor(),
    GaussianMixture(n_components=2, random_state=0),
    GaussianNaiveBayes(),
    MatrixCompletion(tolerance=1e-3),
    NearestNeighborsClassifier(n_neighbors=1),
    NearestNeighborsRegressor(n_neighbors=2),
    PrincipalComponents(n_components=2),
    SoftImpute(),
]
EVERY = pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)


def rows(n=60, d=3):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 1.0
    return X, (X[:, 0] + 0.3 * rng.normal(size=n) > 1.0).astype(int)


@EVERY
@pytest.mark.parametrize("scale", [1e-150, 1e-170, 1e-300])
def test_rows_whose_squares_vanish_are_refused_and_leave_no_mark(learner, scale):
    X, y = rows()
    model = clone(learner).fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"squares would vanish\. Rescale the"):
        model.fit(X * scale, y)
    assert pickle.dumps(model) == before


@EVERY
@pytest.mark.parametrize("scale", [1e160, 1e300])
def test_rows_whose_squares_overflow_are_refused_and_leave_no_mark(learner, scale):
    X, y = rows()
    model = clone(learner).fit(X, y)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=r"overflow[.;] [Rr]escale the"):
        model.fit(X * scale, y)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    "learner",
    [learner for learner in LEARNERS if "Neighbor" in str(learner) or "Princ" in str(learner)],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_sizes_within_reach_change_nothing(learner, scale):
    X, y = rows()
    plain, scaled = clone(learner).fit(X, y), clone(learner).fit(X * scale, y)
    if hasattr(plain, "predict"):
        np.testing.assert_allclose(scaled.predict(X * scale), plain.predict(X))
    else:
        np.testing.assert_allclose(scaled.components_, plain.components_, atol=1e-12)


@EVERY
def test_zeros_are_not_too_small(learner):
    clone(learner).fit(np.zeros((6, 3)), [0, 1, 0, 1, 0, 1])


def test_one_small_column_and_small_rows_to_be_judged_are_welcome():
    X, y = rows()
    X[:, 2] *= 1e-200
    for learner in LEARNERS:
        model = clone(learner).fit(X, y)
        ask = model.predict if hasattr(model, "predict") else model.transform
        assert np.isfinite(ask(X * 1e-200)).all()


def test_sparse_and_wide_tables_are_looked_at_too():
    X, y = rows()
    with pytest.raises(ValueError, match="vanish"):
        NearestNeighborsClassifier(n_neighbors=1).fit(sparse.csr_array(X * 1e-200), y)
    with pytest.raises(ValueError, match="vanish"):
        PrincipalComponents().fit(X.T * 1e-200)
    with pytest.raises(ValueError, match="overflow"):
        PrincipalComponents().fit(X.T * 1e200)
