"""Mixtures on parts: starts from a sample, gaps, weights, and what is refused."""

import numpy as np
import pytest

from scale.conftest import written
from surelearn import BernoulliMixture, GaussianMixture
from surelearn.base.row_sample import RowSample
from surelearn.learners.mixtures import _parted_mixture


def two_clusters(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X[: n // 2] += 5.0
    return X


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
def test_gaps_and_weights_count_as_in_memory(shape, tmp_path):
    X = two_clusters()
    X[::7, 0] = np.nan
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    weights[32:48] = 0.0
    options = {"n_components": 2, "covariance_type": shape, "random_state": 0, "n_init": 2}
    parts = written(tmp_path, X, weights=weights)
    found = GaussianMixture(**options).fit(parts)
    whole = GaussianMixture(**options).fit(X, sample_weight=weights)
    assert np.allclose(found.means_, whole.means_, rtol=1e-9)
    assert np.allclose(found.covariances_, whole.covariances_, rtol=1e-8)
    assert found.n_iter_ == whole.n_iter_
    assert (np.diff(found.log_likelihoods_) >= 0.0).all()
    assert np.allclose(found.log_likelihoods_, whole.log_likelihoods_, rtol=1e-12)
    more = found.partial_fit(parts[0].read().X)  # it goes on from the sums of all parts
    assert more.record_.totals.sum() == pytest.approx(weights.sum() + 16.0)


def test_clusters_of_a_sample_are_a_start(tmp_path, monkeypatch):
    X = np.vstack([two_clusters(3000), two_clusters(3000, seed=1)])
    parts = written(tmp_path, X, size=500)
    whole = GaussianMixture(n_components=2, random_state=0).fit(X)
    monkeypatch.setattr(_parted_mixture, "_SAMPLE", 1)
    found = GaussianMixture(n_components=2, random_state=0).fit(parts)
    order, other = found.means_[:, 0].argsort(), whole.means_[:, 0].argsort()
    assert np.allclose(found.means_[order], whole.means_[other], atol=1e-3)


def test_a_sample_has_all_rows_if_they_are_few_and_few_if_they_are_many():
    X = np.repeat(np.arange(100.0), 40)[:, np.newaxis]
    blocks = [RowSample.of(some, np.ones(len(some)), 500) for some in np.split(X, 8)]
    total = sum(blocks[1:], blocks[0])
    assert len(total.X) == 500
    assert (np.diff(total.X[:, 0]) >= 0.0).all()  # in order
    assert len(np.unique(total.X)) > 90  # copies of a row neither all stay nor all go
    assert abs(total.X.mean() - X.mean()) < 4.0 * X.std() / np.sqrt(500)
    all_rows = RowSample.of(X, np.ones(len(X)), 10_000)
    assert (all_rows.X == X).all()


@pytest.mark.parametrize(
    ("learner", "X", "sentence"),
    [
        (GaussianMixture(n_components=50), np.eye(40)[:, :3], "as many rows"),
        (GaussianMixture(), np.full((40, 2), [1.0, np.nan]), "'x1' has no value"),
        (GaussianMixture(), np.full((40, 2), 1e-200), "vanish"),
        (GaussianMixture(), np.full((40, 2), 1e200), "row group 0 of .*overflow"),
        (GaussianMixture(covariance_type="round"), np.eye(40)[:, :3], "covariance_type='round'"),
        (BernoulliMixture(), np.full((40, 2), 0.5), "row group 0 of .*0 or 1"),
    ],
)
def test_what_rows_are_refused_for_parts_are_refused_for(learner, X, sentence, tmp_path):
    with pytest.raises(ValueError, match=sentence):
        learner.fit(written(tmp_path, X))
    assert not hasattr(learner, "weights_")


def test_weights_that_are_all_zero_are_refused(tmp_path):
    with pytest.raises(ValueError, match="zero everywhere"):
        GaussianMixture().fit(written(tmp_path, np.eye(40)[:, :3], weights=np.zeros(40)))
