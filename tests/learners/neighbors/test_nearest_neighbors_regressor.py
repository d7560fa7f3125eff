"""Regression by nearest neighbours: means, ties, weights, choice of k, mixed tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor

from reference import nearest_neighbors as reference
from surelearn.learners.neighbors.nearest_neighbors_regressor import NearestNeighborsRegressor


def nearest(k, **settings):
    return NearestNeighborsRegressor(n_neighbors=k, **settings)


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_mean_of_everyone_up_to_the_kth_distance(seed):
    rng = np.random.default_rng(seed)
    X, queries = rng.integers(0, 4, size=(70, 2)), rng.integers(0, 4, size=(20, 2))
    y = rng.integers(0, 9, 70).astype(float)
    for k in (1, 4):
        found = [reference.voters(reference.distances_to(X, q, "euclidean"), k) for q in queries]
        expected = [y[rows].mean() for rows in found]
        np.testing.assert_array_equal(nearest(k).fit(X, y).predict(queries), expected)


def test_the_mean_of_the_catalogue():
    model = nearest(3, ties="first").fit(np.arange(4.0)[:, None], [0, 0, 1, 1])
    assert model.predict([[1.5]])[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("n_features", [3, 20])
def test_it_agrees_with_scikit_learn_without_ties(weights, metric, n_features):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, n_features)), rng.normal(size=900)
    queries = np.concatenate([rng.normal(size=(30, n_features)), X[:3]])
    peer = KNeighborsRegressor(6, weights=weights, metric=metric).fit(X, y)
    model = nearest(6, weights=weights, metric=metric).fit(X, y)
    np.testing.assert_allclose(model.predict(queries), peer.predict(queries), rtol=1e-10)


def test_cross_validation_takes_the_least_leave_one_out_square_loss():
    rng = np.random.default_rng(1)
    X = rng.random((60, 1))
    y = np.sin(6 * X[:, 0]) + 0.3 * rng.normal(size=60)
    model = nearest("cross-validation").fit(X, y)
    slow = [
        np.mean((cross_val_predict(nearest(int(k)), X, y, cv=LeaveOneOut()) - y) ** 2)
        for k in model.candidates_
    ]
    np.testing.assert_allclose(model.candidate_losses_, slow)
    assert model.n_neighbors_ == model.candidates_[np.argmin(slow)]
    assert 1 < model.n_neighbors_ < 15


def test_mixed_tables_with_gaps_are_read():
    frame = pd.DataFrame({"kind": ["a", "a", "b", None], "size": [1.0, None, 3.0, 4.0]})
    model = nearest(1, metric="gower").fit(frame, [1.0, 2.0, 3.0, 4.0])
    np.testing.assert_array_equal(model.predict(frame), [1.5, 1.5, 3.0, 4.0])


def test_words_are_no_targets():
    with pytest.raises(ValueError, match="not an array of numbers"):
        nearest(1).fit([[0.0], [1.0]], ["a", "b"])
