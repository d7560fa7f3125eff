"""Polynomial kernels: the numbers of the catalogue and explicit features."""

import itertools
import math

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

from surelearn.kernels import Linear, Polynomial

X = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
A, B = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])


def test_the_values_of_the_catalogue():
    assert Polynomial(degree=2, offset=0.0)(A, B).item() == 121.0
    assert Polynomial(degree=2)(A, B).item() == 144.0
    assert ((Linear() + 1.0) ** 2)(A, B).item() == 144.0


def test_its_six_features_in_the_plane():
    root = math.sqrt(2.0)

    def features(p):
        a, b = p.T
        columns = (np.ones(len(p)), root * a, root * b, a**2, root * a * b, b**2)
        return np.stack(columns, axis=1)

    assert Linear().of(features)(X) == pytest.approx(Polynomial(degree=2)(X), rel=1e-14)


def test_without_the_root_of_two_the_features_give_another_kernel():
    def printed(p):
        return np.stack([p[:, 0] ** 2, p[:, 1] ** 2, p[:, 0] * p[:, 1]], axis=1)

    assert Linear().of(printed)(A, B).item() == 97.0
    assert (Linear() ** 2)(A, B).item() == 121.0


def test_forty_ordered_monomials_of_degree_three_in_space():
    rng = np.random.default_rng(0)
    x, z = rng.standard_normal((5, 3)), rng.standard_normal((4, 3))

    def features(p):
        columns = [
            math.sqrt(math.comb(3, k)) * np.prod([p[:, i] for i in word], axis=0) * np.ones(len(p))
            for k in range(4)
            for word in itertools.product(range(3), repeat=k)
        ]
        return np.stack(columns, axis=1)

    assert features(x).shape[1] == 40
    assert Linear().of(features)(x, z) == pytest.approx(Polynomial(degree=3)(x, z), abs=1e-13)


def test_the_corrected_map_of_the_shifted_square_has_its_cross_terms():
    rng = np.random.default_rng(1)
    x, z, c = rng.standard_normal((1, 3)), rng.standard_normal((1, 3)), 2.0

    def corrected(p):
        products = (p[:, :, None] * p[:, None, :]).reshape(len(p), -1)
        return np.concatenate([products, math.sqrt(2 * c) * p, np.full((len(p), 1), c)], axis=1)

    def printed(p):
        return np.concatenate([p**2, math.sqrt(2 * c) * p, np.full((len(p), 1), c)], axis=1)

    value = Polynomial(degree=2, offset=c)(x, z)
    assert Linear().of(corrected)(x, z) == pytest.approx(value, rel=1e-13)
    assert Linear().of(printed)(x, z) != pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 8, 13])
def test_it_agrees_with_scikit_learn_and_is_exact_on_integers(degree):
    expected = polynomial_kernel(X, degree=degree, gamma=1, coef0=2)
    gram = Polynomial(degree=degree, offset=2.0)(X)
    assert gram == pytest.approx(expected, rel=1e-12)
    assert gram.tolist() == [
        [float((int(a @ b) + 2) ** degree) for b in X.astype(int)] for a in X.astype(int)
    ]


@pytest.mark.parametrize("degree", [0, -1, 1.5, math.nan])
def test_a_degree_that_is_no_positive_integer_is_refused(degree):
    with pytest.raises(ValueError, match="degree="):
        Polynomial(degree=degree)
    with pytest.raises(ValueError, match="exponent="):
        Linear() ** degree


def test_a_negative_offset_is_refused():
    with pytest.raises(ValueError, match=r"offset=-0\.5"):
        Polynomial(offset=-0.5)
    with pytest.raises(ValueError, match=r"offset=-0\.5"):
        Linear() + -0.5


def test_the_cosine_of_a_high_degree_does_not_overflow():
    with np.errstate(all="raise", under="ignore"):
        gram = Polynomial(degree=1000).normalised()(100.0 * X)
    assert np.isfinite(gram).all()
    assert (np.diag(gram) == 1.0).all()
