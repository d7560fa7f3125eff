"""Principal components: the catalogue's spectra, scikit-learn's conventions, and new rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.decomposition import PCA

from surelearn import LowRankApproximation, PrincipalComponents


def world(n=60, d=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 10.0


def test_the_spectrum_of_the_standardised_breast_cancer_table():
    X = load_breast_cancer().data
    model = PrincipalComponents(standardize=True).fit(X)
    shares = [0.442720, 0.189712, 0.093932]
    np.testing.assert_allclose(model.explained_variance_ratio_[:3], shares, atol=1e-6)
    # Standardised with n - 1 the variances sum to 30, like the catalogue's with n.
    expected = [13.281608, 5.691355, 2.817949, 1.980640, 1.648731]
    np.testing.assert_allclose(model.explained_variance_[:5], expected, atol=1e-5)
    assert PrincipalComponents(n_components=0.9, standardize=True).fit(X).n_components_ == 7
    rule = PrincipalComponents(n_components="singular-values", standardize=True)
    assert rule.fit(X).n_components_ == 17


def test_twenty_components_of_the_digits_keep_most_of_the_variance():
    X = load_digits().data
    model = PrincipalComponents(n_components=20).fit(X)
    assert model.explained_variance_ratio_.sum() == pytest.approx(0.8943, abs=5e-5)
    back = model.inverse_transform(model.transform(X))
    error = np.linalg.norm(X - back) / np.linalg.norm(X - X.mean(axis=0))
    assert error == pytest.approx(0.3251, abs=5e-5)
    assert PrincipalComponents(n_components=0.9).fit(X).n_components_ == 21


@pytest.mark.parametrize("shape", [(60, 6), (6, 20), (40, 40)])
@pytest.mark.parametrize("whiten", [False, True])
def test_it_agrees_with_scikit_learn(shape, whiten):
    X = world(*shape)
    k = min(shape) - 2
    model = PrincipalComponents(n_components=k, whiten=whiten).fit(X)
    peer = PCA(n_components=k, whiten=whiten, svd_solver="full").fit(X)
    np.testing.assert_allclose(model.components_, peer.components_, atol=1e-7)
    for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
        np.testing.assert_allclose(getattr(model, name), getattr(peer, name), rtol=1e-8)
    np.testing.assert_allclose(model.transform(X), peer.transform(X), atol=1e-6)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(X)), peer.inverse_transform(peer.transform(X))
    )


def test_a_few_components_of_a_large_table_by_random_projection():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 5)) @ rng.normal(size=(5, 1200)) + 0.01 * rng.normal(size=(600, 1200))
    model = PrincipalComponents(n_components=5).fit(X)
    peer = PCA(n_components=5, svd_solver="full").fit(X)
    np.testing.assert_allclose(model.explained_variance_, peer.explained_variance_, rtol=1e-6)
    np.testing.assert_allclose(model.components_, peer.components_, atol=1e-5)


def test_sparse_rows_and_blocks_find_the_same():
    X = np.where(np.random.default_rng(3).random((90, 8)) < 0.3, world(90, 8), 0.0)
    whole = PrincipalComponents(n_components=3).fit(X)
    thin = PrincipalComponents(n_components=3).fit(sparse.csr_array(X))
    np.testing.assert_allclose(thin.components_, whole.components_, atol=1e-9)
    parts = PrincipalComponents(n_components=3)
    for start in range(0, 90, 25):
        parts.partial_fit(X[start : start + 25])
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-9)
    np.testing.assert_allclose(parts.explained_variance_, whole.explained_variance_, rtol=1e-10)


def test_the_residual_is_the_mean_squared_distance_to_the_reconstructions():
    X = world()
    for k in (1, 3, 6):
        model = PrincipalComponents(n_components=k).fit(X)
        back = model.inverse_transform(model.transform(X))
        assert model.residual_ == pytest.approx(
            np.mean(np.sum((X - back) ** 2, axis=1)), rel=1e-8, abs=1e-9
        )


def test_without_centring_the_first_direction_is_another():
    rng = np.random.default_rng(0)
    X = 5.0 + rng.normal(size=(500, 1)) * [1.0, -1.0] / np.sqrt(2) + 0.1 * rng.normal(size=(500, 2))
    first = PrincipalComponents(n_components=1).fit(X).components_[0]
    np.testing.assert_allclose(first, [np.sqrt(0.5), -np.sqrt(0.5)], atol=0.05)
    uncentred = np.linalg.svd(X)[2][0]
    np.testing.assert_allclose(np.abs(uncentred), [np.sqrt(0.5), np.sqrt(0.5)], atol=0.05)
    assert uncentred[0] * uncentred[1] > 0 > first[0] * first[1]


def test_the_reconstruction_bound_holds_and_fails_outside_its_diameter(repetitions):
    rng = np.random.default_rng(4)
    axes = np.linalg.qr(rng.normal(size=(5, 5)))[0]

    def draw(n, reach):
        return (
            np.clip(rng.normal(size=(n, 5)) * [0.1, 0.08, 0.02, 0.02, 0.02], -reach, reach) @ axes
        )

    fails = 0
    new = draw(20_000, 0.2)
    for _ in range(repetitions // 4):
        model = PrincipalComponents(n_components=2).fit(draw(100, 0.2))
        back = model.inverse_transform(model.transform(new))
        risk = np.mean(np.sum((new - back) ** 2, axis=1))
        fails += risk > model.guarantee(diameter=0.9, delta=0.1).bound
    assert fails <= 0.1 * repetitions / 4
    # A diameter that the law does not keep proves nothing: a rare far row breaks it.
    model = PrincipalComponents(n_components=2).fit(draw(100, 0.2))
    far = np.vstack([new[:50], 100.0 * axes[4:]])
    back = model.inverse_transform(model.transform(far))
    assert np.mean(np.sum((far - back) ** 2, axis=1)) > model.guarantee(diameter=0.9).bound


def test_the_guarantee_wants_choices_made_beforehand():
    X = world()
    for settings in ({"n_components": 0.9}, {"n_components": 2, "standardize": True}):
        with pytest.raises(ValueError, match="fixed before the data"):
            PrincipalComponents(**settings).fit(X).guarantee(diameter=100.0)


@pytest.mark.parametrize("k", [0, 7, -1, 1.5, "all", True])
def test_a_number_of_components_that_cannot_be_had_is_refused(k):
    with pytest.raises(ValueError, match="n_components="):
        PrincipalComponents(n_components=k).fit(world())


def test_constant_columns_are_harmless():
    X = np.column_stack([world(), np.full(60, 3.0)])
    model = PrincipalComponents(standardize=True, whiten=True).fit(X)
    assert np.isfinite(model.transform(X)).all()
    same = PrincipalComponents().fit(np.ones((5, 3)))
    assert np.isfinite(same.transform(np.ones((2, 3)))).all()
    assert same.explained_variance_ratio_.sum() == 0.0


@pytest.mark.parametrize("scores", [np.ones((2, 3)), np.ones(2), [[np.nan, 1.0]], [["a", "b"]]])
def test_what_are_no_coordinates_is_refused(scores):
    X = world()
    for model in (PrincipalComponents(n_components=2), LowRankApproximation(rank=2)):
        with pytest.raises(ValueError, match=r"components|2D array|NaN|convert"):
            model.fit(X).inverse_transform(scores)


def test_the_first_direction_is_that_of_the_largest_quadratic_form():
    """The spectral theorem (S004-40): S = Q diag(λ) Qᵀ, and max vᵀSv over unit vectors is λ₁."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)) * np.geomspace(3.0, 0.2, 6)
    model = PrincipalComponents().fit(X)
    axes, values, scatter = model.components_, model.explained_variance_, np.cov(X.T)
    np.testing.assert_allclose(axes @ axes.T, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(axes.T * values @ axes, scatter, atol=1e-12)
    units = rng.normal(size=(2000, 6))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    forms = np.einsum("ij,jk,ik->i", units, scatter, units)
    assert values[-1] <= forms.min() <= forms.max() <= values[0]
    assert axes[0] @ scatter @ axes[0] == pytest.approx(values[0])


def test_turning_the_rows_turns_the_directions():
    """Rotations add their angles, keep lengths, and leave the variances alone (S004-40)."""

    def turn(angle):
        cosine, sine = np.cos(angle), np.sin(angle)
        return np.array([[cosine, -sine], [sine, cosine]])

    np.testing.assert_allclose(turn(0.3) @ turn(0.5), turn(0.8), atol=1e-15)
    assert np.linalg.det(turn(0.3)) == pytest.approx(1.0)
    X = np.random.default_rng(1).normal(size=(40, 2)) * [3.0, 1.0]
    before, after = (PrincipalComponents().fit(rows) for rows in (X, X @ turn(0.8).T))
    np.testing.assert_allclose(before.explained_variance_, after.explained_variance_)
    turned = before.components_ @ turn(0.8).T
    np.testing.assert_allclose(np.abs((turned * after.components_).sum(axis=1)), 1.0)


def test_a_diameter_that_the_training_rows_refute_is_refused():
    model = PrincipalComponents(n_components=1).fit([[0.0, 0.0], [3.0, 4.0]])
    assert model.guarantee(diameter=5.0).bound > 0.0
    with pytest.raises(ValueError, match="refuted by the training rows: two of them are 5 apart"):
        model.guarantee(diameter=4.9)
