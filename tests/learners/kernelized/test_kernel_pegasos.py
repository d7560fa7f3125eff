"""Kernel Pegasos against the linear one, its plain self, the optimum and its theorems."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from reference import pegasos as plain
from surelearn.base.online.suboptimality import seed_of_draws
from surelearn.datasets.worlds import Noisy
from surelearn.kernels import Gaussian, Linear, Subsequence
from surelearn.learners.kernelized import kernel_pegasos
from surelearn.learners.kernelized.kernel_pegasos import KernelPegasos
from surelearn.learners.linear.pegasos import Pegasos


def table(n=700, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.4 * rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_with_the_linear_kernel_it_is_pegasos(form):
    X, signs = table(300)
    for average in ("all", "none"):
        model = KernelPegasos(kernel=Linear(), regularization=0.05, average=average)
        linear = Pegasos(regularization=0.05, average=average, fit_intercept=False)
        for part in (slice(0, 7), slice(7, 300)):
            scores = model.learn(form(X[part]), signs[part], classes=[-1, 1])
            expected = linear.learn(X[part], signs[part], classes=[-1, 1])
            np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-10)
        for row, sign in zip(X[:20], signs[:20], strict=True):
            model.learn_one(row, sign)
            linear.learn_one(row, sign)
        np.testing.assert_allclose(
            model.decision_function(form(X)), linear.decision_function(X), rtol=1e-8, atol=1e-9
        )


@pytest.mark.parametrize("kept", [2**25, 0])
def test_fit_is_the_plain_version_on_its_draws(kept, monkeypatch):
    monkeypatch.setattr(kernel_pegasos, "_KEPT_VALUES", kept)
    X, signs = table(300)
    model = KernelPegasos(kernel=Linear(), regularization=0.1, max_iter=3, random_state=4)
    seed = seed_of_draws(model.random_state, lowest=1)
    model.fit(X, signs)
    passes = [np.random.default_rng(np.array([seed, k])) for k in range(3)]
    draws = np.concatenate([rng.integers(300, size=300) for rng in passes])
    points = plain.pegasos(X, signs, 0.1, draws)
    mean = points[:-1].mean(axis=0)
    found = model.coef_[0] @ model.support_vectors_
    np.testing.assert_allclose(found, mean, rtol=1e-8, atol=1e-10)
    assert model.objectives_[0] == pytest.approx(plain.objective(mean, X, signs, 0.1), rel=1e-9)
    wrong = sum(signs[i] * (X[i] @ points[t]) <= 0.0 for t, i in enumerate(draws))
    assert model.n_mistakes_ == wrong


def test_the_optimum_lies_between_the_two_values_and_the_bounds_hold():
    X, signs = table(200)
    penalty = 0.05
    for seed in range(5):
        model = KernelPegasos(
            kernel=Gaussian(), regularization=penalty, max_iter=20, random_state=seed
        )
        model.fit(X, signs)
        mean, sure = model.certificates()
        assert mean.observed <= mean.bound <= sure.bound
        assert (mean.delta, sure.delta) == (None, 0.05)
        assert mean.recompute() == mean.bound
    kernel = model.kernel(X)
    C = 1.0 / (penalty * 200)
    peer = SVC(kernel="precomputed", C=C, tol=1e-8).fit(kernel + 0.0, signs)
    # The peer's b is free, so its optimum is not above ours; with b = 0 its dual is not feasible.
    beta = np.zeros(200)
    beta[peer.support_] = peer.dual_coef_[0]
    free = penalty * (np.abs(beta).sum() - 0.5 * beta @ kernel @ beta)
    assert free <= model.objectives_[0]
    assert model.optima_[0] <= model.objectives_[0] < 1.2 * model.optima_[0]


def test_it_learns_a_circle():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (np.linalg.norm(X, axis=1) < 1.1).astype(int)
    model = KernelPegasos(kernel=Gaussian(gamma=1.0), regularization=1e-3, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.93


def test_strings_are_rows_too():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab" if k % 2 else "bc"), size=8)) for k in range(40)]
    labels = ["ab" if k % 2 else "bc" for k in range(40)]
    kernel = Subsequence(order=2).normalised()
    model = KernelPegasos(kernel=kernel, random_state=0).fit(words, labels)
    assert model.predict(["abababab", "cbcbcbcb"]).tolist() == ["ab", "bc"]
    model.learn_one("aabbaabb", "ab")
    assert model.predict_one("ccccbbbb") == "bc"
    with pytest.raises(ValueError, match="strings"):
        KernelPegasos().fit(words, labels)


def test_a_run_that_ends_early_states_the_bound_for_all_numbers_of_steps():
    X = np.array([[-3.0], [3.0]])
    model = KernelPegasos(kernel=Linear(), regularization=1e-4, max_iter=500, random_state=0)
    model.fit(X, [-1, 1])
    assert model.n_iter_ < 500
    (only,) = model.certificates()
    assert only.validity == "anytime"


def test_nothing_is_stated_where_no_theorem_speaks():
    X, signs = Noisy(3, 0.1).draw(60, seed=0)
    assert KernelPegasos(average="none", random_state=0).fit(X, signs).certificates() == ()
    model = KernelPegasos(random_state=0).fit(X, signs)
    assert model.partial_fit(X[:1], signs[:1]).certificates() == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"regularization": -1.0}, "regularization"),
        ({"average": "suffix"}, "average"),
        ({"kernel": "gaussian"}, "kernel"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_bad_parameters_are_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        KernelPegasos(**wrong).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("passes", [1, 3])
def test_what_is_observed_knows_rows_that_were_never_drawn(passes):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = 0.01 * rng.normal(size=(30, 2)), np.arange(30) % 2
        model = KernelPegasos(regularization=10.0, max_iter=passes, random_state=seed).fit(X, y)
        assert all(c.observed <= c.bound for c in model.certificates())
