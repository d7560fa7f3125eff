"""Low-rank approximation: nothing of that rank is nearer, and the certificate says by how much."""

import numpy as np
import pytest
from scipy import sparse

from surelearn import LowRankApproximation


def test_the_error_is_the_rest_of_the_spectrum():
    A = np.random.default_rng(0).normal(size=(30, 4))
    values = np.linalg.svd(A, compute_uv=False)
    model = LowRankApproximation(rank=2).fit(A)
    rest = A - model.approximation()
    assert np.linalg.norm(rest) == pytest.approx(np.sqrt(values[2] ** 2 + values[3] ** 2))
    assert np.linalg.norm(rest) == pytest.approx(model.frobenius_error_)
    assert np.linalg.norm(rest, 2) == pytest.approx(model.next_singular_value_)


def test_no_other_matrix_of_that_rank_is_nearer():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(8, 6))
    model = LowRankApproximation(rank=2).fit(A)
    frobenius, spectral = model.certificates()
    assert frobenius.direction == spectral.direction == "lower"
    for _ in range(300):
        left = model.left_vectors_ * model.singular_values_ + 0.1 * rng.normal(size=(8, 2))
        other = left @ (model.components_ + 0.1 * rng.normal(size=(2, 6)))
        assert np.linalg.norm(A - other) >= frobenius.bound
        assert np.linalg.norm(A - other, 2) >= spectral.bound
    assert frobenius.observed == pytest.approx(frobenius.bound, rel=1e-9)


def test_a_term_document_table_and_its_inner_products():
    C = np.array([[1.0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1]])
    np.testing.assert_array_equal(C.T @ C, [[3, 2, 2], [2, 3, 2], [2, 2, 3]])
    model = LowRankApproximation(rank=1).fit(C)
    assert model.singular_values_[0] ** 2 == pytest.approx(7.0)  # the eigenvalue 3 + 2 + 2
    np.testing.assert_allclose(model.components_[0], np.full(3, 1 / np.sqrt(3)))


def test_a_large_sparse_matrix_is_decomposed_in_part():
    rng = np.random.default_rng(2)
    big = sparse.random_array((6000, 3000), density=1e-3, rng=rng, format="csr")
    model = LowRankApproximation(rank=3).fit(big)
    assert model.spectrum_ is None
    assert model.certificates() == ()
    rest = np.sum(big.data**2) - np.sum(model.singular_values_**2)
    assert model.frobenius_error_ == pytest.approx(np.sqrt(rest))
    scores = model.transform(big)
    np.testing.assert_allclose(np.linalg.norm(scores, axis=0), model.singular_values_, rtol=1e-8)


def test_a_large_matrix_of_zeros_is_its_own_approximation():
    model = LowRankApproximation(rank=2).fit(sparse.csr_array((6000, 3000)))
    assert (model.frobenius_error_, model.next_singular_value_) == (0.0, 0.0)
    np.testing.assert_array_equal(model.transform(sparse.csr_array((3, 3000))), 0.0)


def test_full_rank_leaves_nothing():
    A = np.random.default_rng(3).normal(size=(5, 3))
    model = LowRankApproximation(rank=3).fit(A)
    np.testing.assert_allclose(model.approximation(), A, atol=1e-12)
    assert model.next_singular_value_ == model.frobenius_error_ == 0.0
    assert {c.status for c in model.certificates()} == {"vacuous"}


@pytest.mark.parametrize("rank", [0, 4, 1.5, -1])
def test_a_rank_that_cannot_be_had_is_refused(rank):
    with pytest.raises(ValueError, match="rank="):
        LowRankApproximation(rank=rank).fit(np.eye(3))


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e200])
def test_matrices_of_any_size_have_their_errors(scale):
    A = np.random.default_rng(4).normal(size=(9, 5))
    model, scaled = (LowRankApproximation(rank=2).fit(matrix) for matrix in (A, A * scale))
    assert scaled.frobenius_error_ / scale == pytest.approx(model.frobenius_error_, rel=1e-12)
    np.testing.assert_allclose(scaled.approximation() / scale, model.approximation(), atol=1e-12)


def test_what_is_stated_is_about_the_rank_that_was_fitted():
    X = np.random.default_rng(0).normal(size=(8, 5))
    model = LowRankApproximation(rank=2).fit(X)
    before = [certificate.bound for certificate in model.certificates()]
    model.rank = 4
    assert [certificate.bound for certificate in model.certificates()] == before
    assert len(model.get_feature_names_out()) == model.transform(X).shape[1] == 2


def test_a_matrix_of_that_rank_is_not_said_to_be_away_from_itself():
    rng = np.random.default_rng(0)
    for shape in ((3, 3), (29, 38), (60, 5)):
        for rank in (1, 2, 3):
            factors = (rng.integers(-9, 10, (side, rank)).astype(float) for side in shape)
            left, right = factors
            model = LowRankApproximation(rank=rank).fit(1e6 * left @ right.T)  # whole numbers
            assert [c.bound for c in model.certificates()] == [0.0, 0.0]
            assert {c.status for c in model.certificates()} == {"vacuous"}


def test_distances_whose_squares_are_beyond_floats_are_stated():
    for scale in (1e200, 1e-200):
        frobenius, spectral = LowRankApproximation(rank=1).fit(scale * np.eye(4)).certificates()
        assert frobenius.bound / scale == pytest.approx(np.sqrt(3.0), rel=1e-9)
        assert frobenius.bound < frobenius.observed
        assert spectral.bound / scale == pytest.approx(1.0, rel=1e-9)
