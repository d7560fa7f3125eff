"""The Gaussian kernel: the numbers of the catalogue, accuracy far from the origin, peers."""

import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from surelearn.kernels import Gaussian, Linear

X = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
A, B = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])


def test_the_gram_matrix_of_the_catalogue():
    gram = Gaussian(gamma=0.1)(X)
    assert gram[0] == pytest.approx([1, 0.6065306597, 0.8187307531, 0.6065306597], abs=5e-11)
    eigenvalues = [0.0777862901, 0.2588758008, 0.7280238798, 2.9353140294]
    assert np.linalg.eigvalsh(gram) == pytest.approx(eigenvalues, abs=5e-11)


def test_its_value_by_differences_and_by_factors():
    direct = Gaussian(gamma=0.1)(A, B).item()
    factors = math.exp(-0.1 * 5) * math.exp(-0.1 * 25) * math.exp(0.2 * 11)
    assert direct == pytest.approx(0.4493289641, abs=5e-11)
    assert direct == pytest.approx(factors, rel=1e-14)


def test_width_and_gamma_name_one_kernel():
    assert Gaussian.from_width(math.sqrt(5.0)).gamma == pytest.approx(0.1, rel=1e-15)


def test_it_is_the_normalised_exponential_of_the_inner_product():
    composed = (0.2 * Linear()).exp().normalised()
    assert composed(X) == pytest.approx(Gaussian(gamma=0.1)(X), rel=1e-14)


def test_sixty_terms_of_its_series_suffice():
    x, z = np.array([[1.3, -0.7]]), np.array([[-2.1, 1.1]])
    inner, width = float((x @ z.T).item()), 0.7
    lengths = math.exp(-float((x**2).sum() + (z**2).sum()) / (2 * width))
    series = lengths * sum(inner**n / (math.factorial(n) * width**n) for n in range(60))
    kernel = Gaussian.from_width(math.sqrt(width))
    assert kernel(x, z).item() == pytest.approx(series, abs=1e-13)


def test_far_from_the_origin_near_points_keep_their_distance():
    near = np.array([[0.0, 0.0], [1e-3, 0.0], [0.0, 2.0]])
    shifted = Gaussian()(near + 2.0**30)
    expected = Gaussian()((near + 2.0**30) - 2.0**30)
    assert shifted == pytest.approx(expected, rel=1e-12)
    assert rbf_kernel(near + 2.0**30, gamma=1.0)[0, 2] != pytest.approx(expected[0, 2], rel=1e-3)


def test_equal_points_have_value_one_on_the_diagonal_and_at_most_one_off_it():
    rng = np.random.default_rng(0)
    points = 1e6 * rng.standard_normal((50, 10))
    twice = np.concatenate([points, points])
    gram = Gaussian(gamma=1e-6)(twice)
    assert (np.diag(gram) == 1.0).all()
    assert gram.max() == 1.0
    assert np.diag(gram, 50) == pytest.approx(np.ones(50), abs=1e-7)


def test_it_agrees_with_scikit_learn():
    rng = np.random.default_rng(1)
    x, z = rng.standard_normal((700, 20)), rng.standard_normal((300, 20))
    kernel = Gaussian(gamma=0.05)
    np.testing.assert_allclose(kernel(x), rbf_kernel(x, gamma=0.05), rtol=1e-12)
    np.testing.assert_allclose(kernel(x, z), rbf_kernel(x, z, gamma=0.05), rtol=1e-12)


def test_distances_that_overflow_are_refused():
    with pytest.raises(ValueError, match="overflow"), np.errstate(over="ignore"):
        Gaussian()([[1e200], [-1e200]])


@pytest.mark.parametrize("gamma", [0.0, -1.0, math.nan, math.inf])
def test_a_gamma_that_is_not_positive_is_refused(gamma):
    with pytest.raises(ValueError, match="gamma="):
        Gaussian(gamma=gamma)
