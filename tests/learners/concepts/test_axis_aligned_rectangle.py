"""The tightest box: the plain version, the catalogue, both certificates, and broken worlds."""

import numpy as np
import pytest
from scipy import sparse

from reference.tightest_box import tightest_box
from surelearn.bounds import pac
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.concepts.axis_aligned_rectangle import AxisAlignedRectangle


def world(n, rng, *, d=2, noise=0.0):
    """Return rows of the unit cube; positive in the box [0.2, 0.8]^d but for flipped labels."""
    X = rng.random((n, d))
    inside = ((X >= 0.2) & (X <= 0.8)).all(axis=1)
    return X, np.where(rng.random(n) < noise, ~inside, inside)


def risk(model, noise=0.0):
    """Return the exact risk in the world above."""
    low, high = np.maximum(model.lower_, 0.2), np.minimum(model.upper_, 0.8)
    common = np.prod(np.maximum(0.0, high - low))
    sizes = np.prod(model.upper_ - model.lower_) + 0.6 ** len(low)
    return noise + (1 - 2 * noise) * (sizes - 2 * common)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_it_equals_the_plain_version(d):
    rng = np.random.default_rng(d)
    X, y = rng.integers(-9, 10, size=(50, d)).astype(float), rng.integers(0, 2, 50)
    for form in (X, sparse.csr_array(X)):
        model = AxisAlignedRectangle().fit(form, y)
        lower, upper = tightest_box(X, y)
        np.testing.assert_array_equal(model.lower_, lower)
        np.testing.assert_array_equal(model.upper_, upper)
        np.testing.assert_array_equal(model.predict(form)[y == 1], 1)
        assert model.training_errors_ == np.count_nonzero(model.predict(form) != y)


def test_four_points_on_the_axes_are_shattered():
    X = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
    for code in range(1, 15):
        y = np.array([(code >> i) & 1 for i in range(4)])
        assert (AxisAlignedRectangle().fit(X, y).predict(X) == y).all()


def test_the_catalogue_sample_of_176_rarely_fails_and_errs_as_little():
    rng = np.random.default_rng(0)
    risks = [risk(AxisAlignedRectangle().fit(*world(176, rng))) for _ in range(400)]
    assert max(risks) <= pac.rectangle(n=176, dimension=2, delta=0.05).bound
    assert np.mean(risks) == pytest.approx(0.0223, abs=0.002)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_certificates_cover_the_risk_or_are_void(noise, repetitions):
    rng, risks, bounds = np.random.default_rng(1), [], []
    for _ in range(repetitions):
        model = AxisAlignedRectangle().fit(*world(60, rng, noise=noise))
        box, any_law = model.certificates(delta=0.4)
        risks.append(risk(model, noise))
        bounds.append((box.bound, any_law.bound))
        assert (box.status == "void") == (model.training_errors_ > 0)
        assert any_law.status != "void"
    tight, safe = np.array(bounds).T
    assert not Coverage(np.array(risks), safe, 0.2).refuted()
    if noise == 0.0:
        assert not Coverage(np.array(risks), tight, 0.2).refuted()
        assert tight.mean() < safe.mean()


def test_noise_would_break_the_bound_for_boxes():
    rng = np.random.default_rng(2)
    model = AxisAlignedRectangle().fit(*world(2000, rng, noise=0.1))
    assert risk(model, 0.1) > model.guarantee(n=2000).bound
    assert model.certificates()[0].status == "void"
    assert "negative training rows" in str(model.certificates()[0])


def test_the_two_statements_share_delta():
    model = AxisAlignedRectangle().fit(*world(60, np.random.default_rng(3)))
    assert [c.delta for c in model.certificates(delta=0.1)] == [0.05, 0.05]
