"""Hart's condensed nearest neighbour: the store, its certificate, what it rests on."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from reference import condensed_nearest_neighbor as reference
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.neighbors.condensed_nearest_neighbor import CondensedNearestNeighbor


def world(rng, n, noise=0.1, d=2):
    X = rng.integers(0, 8, size=(n, d)).astype(float)
    return X, ((X.sum(axis=1) >= 4 * d) ^ (rng.random(n) < noise)).astype(int)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("max_iter", [1, 2, 1000])
def test_it_stores_what_the_plain_version_stores(seed, max_iter):
    rng = np.random.default_rng(seed)
    X, y = world(rng, int(rng.integers(1, 60)))
    model = CondensedNearestNeighbor(max_iter=max_iter).fit(X, y)
    store = reference.learn(X, y, max_passes=max_iter)
    assert model.prototypes_.tolist() == store
    assert set(model.compression_set_.tolist()) == reference.compressed_set(X, y, store)
    queries = rng.integers(0, 8, size=(40, 2)).astype(float)
    expected = reference.predict(X[store], y[store], queries)
    np.testing.assert_array_equal(model.predict(queries), expected)
    thin = CondensedNearestNeighbor(max_iter=max_iter).fit(sparse.csr_array(X), y)
    assert thin.prototypes_.tolist() == store
    np.testing.assert_array_equal(thin.predict(queries), expected)


def test_after_convergence_only_conflicting_copies_are_wrong():
    rng = np.random.default_rng(0)
    X, y = world(rng, 200, noise=0.0)
    model = CondensedNearestNeighbor().fit(X, y)
    assert model.training_errors_ == 0
    assert len(model.prototypes_) < 60
    X, y = world(rng, 200, noise=0.2)
    model = CondensedNearestNeighbor().fit(X, y)
    wrong = np.flatnonzero(model.predict(X) != y)
    assert set(wrong.tolist()) <= set(model.prototypes_.tolist())
    np.testing.assert_array_equal(model.compression_set_, np.sort(model.prototypes_))


def test_dropping_rows_outside_the_compressed_set_leaves_the_rule_as_it_is():
    rng = np.random.default_rng(1)
    for max_iter in (1, 1000):
        for _ in range(6):
            X, y = world(rng, 14)
            model = CondensedNearestNeighbor(max_iter=max_iter).fit(X, y)
            outside = np.setdiff1d(np.arange(14), model.compression_set_)[:6]
            for size in range(len(outside) + 1):
                for dropped in itertools.combinations(outside, size):
                    kept = np.setdiff1d(np.arange(14), dropped)
                    again = CondensedNearestNeighbor(max_iter=max_iter).fit(X[kept], y[kept])
                    np.testing.assert_array_equal(kept[again.prototypes_], model.prototypes_)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_certificate_covers_the_risk(noise):
    rng = np.random.default_rng(3)
    every = np.array(list(itertools.product(range(8), repeat=2)), dtype=float)
    truth, risks, bounds = every.sum(axis=1) >= 8, [], []
    for _ in range(100):
        model = CondensedNearestNeighbor().fit(*world(rng, 40, noise))
        wrong = (model.predict(every) != truth).mean()
        risks.append(noise + (1.0 - 2.0 * noise) * wrong)
        bounds.append(model.certificates(delta=0.2)[0].bound)
    assert not Coverage(np.array(risks), np.array(bounds), 0.2).refuted()


def test_noise_makes_the_certificate_worse_not_false():
    kept = []
    for noise in (0.0, 0.05, 0.3):
        X, signs = Noisy(2, noise).draw(400, seed=0)
        model = CondensedNearestNeighbor().fit(X, signs)
        (certificate,) = model.certificates()
        assert not certificate.violated
        kept.append(certificate.bound)
    assert kept == sorted(kept)


def test_directions_more_classes_and_words():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2)) * 10.0 ** rng.integers(-3, 4, size=(200, 1))
    quarter = np.array(["ne", "nw", "se", "sw"])[2 * (X[:, 1] < 0) + (X[:, 0] < 0)]
    model = CondensedNearestNeighbor(metric="cosine").fit(X, quarter)
    assert model.score(X, quarter) == 1.0
    assert len(model.prototypes_) < 50


def test_other_metrics_and_no_pass_are_refused():
    for settings, sentence in (({"metric": "gower"}, "one of"), ({"max_iter": 0}, "max_iter")):
        with pytest.raises(ValueError, match=sentence):
            CondensedNearestNeighbor(**settings).fit([[0.0], [1.0]], [0, 1])
