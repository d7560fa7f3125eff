"""Kernel ridge regression against its plain self, its primal, scikit-learn and its theorem."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import lapack
from sklearn.kernel_ridge import KernelRidge as Peer
from sklearn.model_selection import cross_val_score

from reference import kernel_ridge as plain
from surelearn import KernelRidge, RidgeRegression, leave_one_out
from surelearn.kernels import Anova, Gaussian, Linear, Polynomial, Subsequence
from surelearn.learners.kernelized import _kernel_systems
from surelearn.learners.kernelized._kernel_expansion import refuse_too_many
from surelearn.persistence.model_files import load_model, save_model

FX_A = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]]), np.array([3.0, 1.0, 2.0, 5.0])
ALPHAS = [0.01, 0.3, 5.0]


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_it_equals_the_plain_version(weighted, intercept):
    X, y, weights = table()
    kernel, own = Gaussian(gamma=0.2), weights if weighted else None
    coef, constant = plain.solve(kernel(X), y, 0.3, intercept=intercept, weights=own)
    for form in (X, sparse.csr_array(X), X.astype(np.float32).astype(float)):
        model = KernelRidge(kernel=kernel, alpha=0.3, fit_intercept=intercept).fit(form, y, own)
        np.testing.assert_allclose(model.dual_coef_, coef, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, constant, atol=1e-6)
    model.fit(X, y, own)
    np.testing.assert_allclose(model.dual_coef_, coef, rtol=1e-9, atol=1e-11)
    residuals = y - constant - kernel(X) @ coef
    expected = np.average(residuals**2, weights=own)
    assert model.mean_squared_residual_ == pytest.approx(expected, rel=1e-9)


def test_the_catalogues_numbers():
    X, y = FX_A
    model = KernelRidge(kernel=Gaussian(gamma=0.1), alpha=0.5, fit_intercept=False).fit(X, y)
    expected = [0.922751212, -2.106981186, 0.6125780198, 3.9442118365]
    np.testing.assert_allclose(model.dual_coef_, expected, atol=1e-9)
    assert model.predict([[1.0, 1.0]])[0] == pytest.approx(2.3080573046, abs=1e-9)


def test_it_is_ridge_regression_on_the_features_of_the_kernel():
    X, y = FX_A
    a, b = X.T
    features = np.column_stack([a * a, np.sqrt(2.0) * a * b, b * b])
    primal = RidgeRegression(alpha=0.5, fit_intercept=False).fit(features, y)
    kernel = Polynomial(degree=2, offset=0.0)
    dual = KernelRidge(kernel=kernel, alpha=0.5, fit_intercept=False).fit(X, y)
    assert dual.predict([[1.0, 1.0]])[0] == pytest.approx(1.2579601019, abs=1e-9)
    np.testing.assert_allclose(dual.predict(X), primal.predict(features), rtol=1e-10)


def test_with_the_linear_kernel_it_is_ridge_regression():
    X, y, weights = table()
    primal = RidgeRegression(alpha=2.0).fit(X, y, weights)
    dual = KernelRidge(alpha=2.0).fit(X, y, weights)
    np.testing.assert_allclose(dual.predict(X), primal.predict(X), rtol=1e-9, atol=1e-12)
    assert dual.intercept_ == pytest.approx(primal.intercept_, rel=1e-9)
    assert dual.mean_squared_residual_ == pytest.approx(primal.mean_squared_residual_, rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_without_an_intercept_it_agrees_with_scikit_learn(weighted):
    X, y, weights = table(200)
    own = weights if weighted else None
    peer = Peer(kernel="rbf", gamma=0.2, alpha=0.3).fit(X, y, own)
    ours = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=0.3, fit_intercept=False).fit(X, y, own)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_leave_one_out_is_what_refitting_gives(weighted, intercept):
    X, y, weights = table()
    kernel, own = Gaussian(gamma=0.2), weights if weighted else None
    expected = plain.left_out(kernel(X), y, 0.3, intercept=intercept, weights=own)
    model = KernelRidge(kernel=kernel, alpha=0.3, fit_intercept=intercept)
    found = leave_one_out(model, X, y, sample_weight=own)
    assert found.shortcut == "the kernel matrix"
    np.testing.assert_allclose(found.predictions, expected, rtol=1e-9, atol=1e-11)
    chosen = KernelRidge(kernel=kernel, alpha=ALPHAS, fit_intercept=intercept).fit(X, y, own)
    assert chosen.path_.leave_one_out_errors[1] == pytest.approx(found.estimate, rel=1e-9)
    assert chosen.alpha_ == ALPHAS[int(np.argmin(chosen.path_.leave_one_out_errors))]
    again = KernelRidge(kernel=kernel, alpha=chosen.alpha_, fit_intercept=intercept)
    np.testing.assert_allclose(
        chosen.predict(X), again.fit(X, y, own).predict(X), rtol=1e-8, atol=1e-10
    )


def test_single_precision_is_refined_to_double(monkeypatch):
    X, y, _ = table(300)
    model = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=0.3)
    expected = model.fit(X, y).predict(X)
    monkeypatch.setattr(_kernel_systems, "_MANY", 10)
    monkeypatch.setattr(_kernel_systems, "factored", None)  # so that the other way must be taken
    np.testing.assert_allclose(model.fit(X, y).predict(X), expected, rtol=1e-11, atol=1e-13)
    assert model.suboptimality_ < 1e-20


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9, 13, 16])
def test_half_a_matrix_is_packed_as_lapack_reads_it(monkeypatch, n):
    monkeypatch.setattr(_kernel_systems, "_COLUMNS", 2)
    gram = np.random.default_rng(n).normal(size=(n, n))
    gram = gram + gram.T
    kept = gram.copy()
    packed = _kernel_systems._coarse(gram, 0.5)
    full, _ = lapack.stfttr(n, packed, uplo="L")
    expected = (gram + 0.5 * np.eye(n)).astype(np.float32)
    np.testing.assert_array_equal(np.tril(full), np.tril(expected))
    np.testing.assert_array_equal(gram, kept)


@pytest.mark.filterwarnings("error")
def test_what_single_precision_cannot_hold_is_solved_in_double():
    X, y, _ = table(1_100)
    model = KernelRidge(kernel=Linear(), alpha=1e41, fit_intercept=False).fit(1e20 * X, y)
    small = KernelRidge(kernel=Linear(), alpha=10.0, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.predict(1e20 * X), small.predict(X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("alpha", [1e-9, 1e-3, 10.0])
def test_a_coarse_factor_is_left_where_it_would_not_do(monkeypatch, alpha):
    X, y, _ = table(300)
    X[:100] = X[100:200]  # a singular kernel matrix
    expected = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=alpha).fit(X, y).predict(X)
    monkeypatch.setattr(_kernel_systems, "_MANY", 10)
    found = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=alpha).fit(X, y).predict(X)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_all_rows_as_landmarks_give_the_exact_model_and_few_come_near():
    X, y, weights = table(200)
    kernel = Gaussian(gamma=0.1)
    exact = KernelRidge(kernel=kernel, alpha=0.3).fit(X, y, weights)
    whole = KernelRidge(kernel=kernel, alpha=0.3, landmarks=200).fit(X, y, weights)
    np.testing.assert_allclose(whole.predict(X), exact.predict(X), rtol=1e-9)
    few = KernelRidge(kernel=kernel, alpha=0.3, landmarks=120, random_state=0).fit(X, y, weights)
    assert len(few.dual_coef_) == 120
    assert np.abs(few.predict(X) - exact.predict(X)).max() < 0.05


def test_landmarks_minimise_over_their_span():
    X, y, weights = table(80)
    kernel = Gaussian(gamma=0.1)
    model = KernelRidge(kernel=kernel, alpha=ALPHAS, landmarks=10, random_state=0)
    model.fit(X, y, weights)
    block, gram = kernel(X, X[model.support_]), kernel(X[model.support_])

    def solve(rows, alpha):
        heavy = weights[rows, None]
        left = np.column_stack([block[rows], np.ones(len(rows))])
        penalty = np.zeros((11, 11))
        penalty[:10, :10] = alpha * gram
        return np.linalg.solve(left.T @ (heavy * left) + penalty, left.T @ (heavy[:, 0] * y[rows]))

    everything = np.arange(80)
    found = solve(everything, model.alpha_)
    expected = np.column_stack([block, np.ones(80)]) @ found
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-7)
    for alpha, error in zip(ALPHAS, model.path_.leave_one_out_errors, strict=True):
        left = [solve(np.delete(everything, i), alpha) for i in everything]
        predicted = [np.append(block[i], 1.0) @ left[i] for i in everything]
        assert error == pytest.approx(np.average((y - predicted) ** 2, weights=weights), rel=1e-6)


def test_a_precomputed_matrix_gives_the_same_model_and_can_be_cross_validated():
    X, y, weights = table()
    kernel, new = Gaussian(gamma=0.2), np.random.default_rng(1).normal(size=(5, 4))
    weights[:10] = 0.0
    direct = KernelRidge(kernel=kernel, alpha=0.3).fit(X, y, weights)
    given = KernelRidge(kernel="precomputed", alpha=0.3).fit(kernel(X), y, weights)
    np.testing.assert_allclose(given.predict(kernel(new, X)), direct.predict(new), atol=1e-12)
    without = KernelRidge(kernel=kernel, alpha=0.3).fit(X[10:], y[10:], weights[10:])
    np.testing.assert_allclose(without.predict(new), direct.predict(new), atol=1e-12)
    scores = cross_val_score(KernelRidge(kernel="precomputed", alpha=0.3), kernel(X), y)
    expected = cross_val_score(KernelRidge(kernel=kernel, alpha=0.3), X, y)
    np.testing.assert_allclose(scores, expected, rtol=1e-8)


def test_strings_are_read(tmp_path):
    texts = ["cat", "car", "cart", "dog", "dig", "dodge"]
    kernel = Subsequence(order=2).normalised()
    model = KernelRidge(kernel=kernel, alpha=0.1).fit(texts, [1.0, 1, 1, 0, 0, 0])
    coef, constant = plain.solve(kernel(texts), np.repeat([1.0, 0.0], 3), 0.1, intercept=True)
    expected = kernel(["carts", "dug"], texts) @ coef + constant
    np.testing.assert_allclose(model.predict(["carts", "dug"]), expected, rtol=1e-10)
    save_model(model, tmp_path / "m", schema={}, metadata={})
    loaded = load_model(tmp_path / "m").model
    np.testing.assert_array_equal(loaded.predict(texts), model.predict(texts))


def test_alpha_zero_passes_through_the_targets_of_a_definite_matrix_only():
    X, y, _ = table()
    model = KernelRidge(kernel=Gaussian(gamma=1.0), alpha=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)
    with pytest.raises(ValueError, match="nothing is stable"):
        model.stability_certificate(label_bound=5.0)
    with pytest.raises(ValueError, match="smallest eigenvalue"):
        KernelRidge(alpha=0.0).fit(X, y)
    X[1] = X[0]
    with pytest.raises(ValueError, match="equal rows"):
        KernelRidge(kernel=Gaussian(gamma=1.0), alpha=0.0).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "X", "told"),
    [
        ({"kernel": "precomputed", "alpha": 0.1}, -np.eye(4), "smallest eigenvalue is -1"),
        ({"kernel": "precomputed", "alpha": 5.0}, -np.eye(4), "smallest eigenvalue is -1"),
        ({"kernel": "precomputed", "alpha": [0.1, 5.0]}, -np.eye(4), "smallest eigenvalue"),
        ({"kernel": "precomputed"}, np.ones((4, 3)), "square"),
        ({"kernel": "precomputed"}, np.triu(np.ones((4, 4))), "symmetric"),
        ({"kernel": "rbf"}, FX_A[0], "kernels.Gaussian"),
        ({"alpha": -1.0}, FX_A[0], "0 or more"),
        ({"alpha": [1.0, -1.0]}, FX_A[0], "0 or more"),
        ({"alpha": []}, FX_A[0], "0 or more"),
        ({"alpha": "much"}, FX_A[0], "0 or more"),
        ({"landmarks": 0}, FX_A[0], "landmarks"),
        ({"landmarks": 2, "alpha": 0.0}, FX_A[0], "landmarks"),
        ({"kernel": Subsequence()}, FX_A[0], "reads strings"),
        ({"kernel": Gaussian()}, ["a", "b", "c", "d"], "rows of numbers"),
        ({"kernel": Polynomial(degree=9)}, 1e60 * FX_A[0], "overflow"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(settings, X, told):
    model = KernelRidge().fit(*FX_A)
    before = model.predict(FX_A[0])
    model.set_params(**settings)
    with pytest.raises(ValueError, match=told):
        model.fit(X, FX_A[1])
    model.set_params(kernel=Linear())
    np.testing.assert_array_equal(model.predict(FX_A[0]), before)


def test_too_many_rows_for_memory_are_told_of_landmarks():
    with pytest.raises(ValueError, match="landmarks"):
        refuse_too_many(10**7)


def test_constant_features_give_the_mean():
    y = np.array([1.0, 2.0, 6.0])
    for kernel in (Linear(), Gaussian(), Anova()):
        model = KernelRidge(kernel=kernel).fit(np.ones((3, 2)), y)
        np.testing.assert_allclose(model.predict(np.ones((1, 2))), 3.0)


def test_what_stability_states_and_when_it_is_void():
    X, y, weights = table()
    settings = {"kernel": Gaussian(gamma=0.2), "alpha": 600.0, "fit_intercept": False}
    model = KernelRidge(**settings).fit(X, y)
    stated = model.stability_certificate(label_bound=2.0)
    assert stated.status == "valid"
    assert stated.bound == model.guarantee(label_bound=2.0).bound
    weak = KernelRidge(**settings | {"alpha": 1.0}).fit(X, y)
    assert weak.stability_certificate(label_bound=2.0).status == "vacuous"
    for change, row_weights, key in (
        ({"fit_intercept": True}, None, "minimiser"),
        ({"alpha": [600.0, 700.0]}, None, "fixed_before"),
        ({"landmarks": 5}, None, "minimiser"),
        ({}, weights, "minimiser"),
    ):
        other = KernelRidge(**settings | change).fit(X, y, row_weights)
        void = other.stability_certificate(label_bound=2.0)
        assert void.status == "void"
        assert {p.key for p in void.preconditions if p.status == "violated"} == {key}
        with pytest.raises(ValueError, match="the theorem speaks of a model"):
            other.guarantee(label_bound=2.0)
    assert model.stability_certificate(label_bound=0.1).status == "void"
    assert model.stability_certificate(label_bound=2.0, kernel_radius=0.5).status == "void"
    with pytest.raises(ValueError, match="refuted"):
        model.guarantee(label_bound=0.1)
    with pytest.raises(ValueError, match="kernel_radius"):
        KernelRidge(fit_intercept=False).fit(X, y).stability_certificate(label_bound=2.0)


def test_the_claim_is_rounded_outward():
    X, y, _ = table()
    model = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=600.0, fit_intercept=False).fit(X, y)
    certificate = model.stability_certificate(label_bound=2.0)
    told = float(certificate.claim.split("at most ")[1].split(" ")[0])
    assert told >= certificate.bound


def test_a_model_changed_by_hand_has_no_certificate():
    X, y, _ = table()
    model = KernelRidge(kernel=Gaussian(gamma=0.2), alpha=600.0, fit_intercept=False).fit(X, y)
    model.mean_squared_residual_ = 0.0
    with pytest.raises(ValueError, match="changed after it was fitted"):
        model.stability_certificate(label_bound=2.0)


def test_where_predictions_are_clipped_is_told_in_all_digits():
    model = KernelRidge(kernel=Gaussian(gamma=1.0), fit_intercept=False).fit([[0.0], [1.0]], [0, 1])
    stated = model.stability_certificate(label_bound=1234567.5)
    assert "clipped to [-1234567.5, 1234567.5]," in stated.claim
