"""Mistakes of the Winnows, the second-order Perceptron and Passive-Aggressive learning."""

import itertools
import math

import numpy as np
import pytest

from reference import normalized_winnow, passive_aggressive, second_order_perceptron
from reference import weighted_majority as vote
from reference.streams import comparators, hinge, spiteful, streams, within
from surelearn.bounds import mistakes
from surelearn.bounds import mistakes_linear as theory
from surelearn.datasets import adversaries


def divergence(v, prior):
    return float(np.sum(v[v > 0.0] * np.log(v[v > 0.0] / prior[v > 0.0])))


def test_the_worked_example_of_normalised_winnow():
    _, weights = normalized_winnow.learn(np.array([[1.0, -1.0, -1.0]]), np.ones(1), 0.5)
    assert weights == pytest.approx([0.576117, 0.211942, 0.211942], abs=1e-6)


@pytest.mark.parametrize(
    ("n_features", "usual"), [(4, 2.77), (16, 5.55), (64, 8.32), (1024, 13.86)]
)
def test_one_relevant_sign_costs_winnow_a_logarithm(n_features, usual):
    X = np.random.default_rng(0).choice([-1.0, 1.0], (3 * n_features, n_features))
    signs = X[:, 0]
    inputs = {"divergence": math.log(n_features), "margin": 1.0, "radius": 1.0}
    guarantee = theory.normalized_winnow(**inputs, learning_rate=1.0)
    scores, _ = normalized_winnow.learn(X, signs, 1.0)
    assert within(np.sum(signs * scores <= 0.0), guarantee)
    assert guarantee.bound < 2 * math.log(n_features) == pytest.approx(usual, abs=6e-3)
    best = theory.normalized_winnow_separable(**inputs)
    assert best.bound == pytest.approx(math.log2(n_features))
    assert best.bound < guarantee.bound


@pytest.mark.parametrize("bits", [1, 4, 7])
def test_a_full_margin_is_halving_and_is_attained(bits):
    advice, _ = adversaries.majority_fooling_advice(2**bits, beta=0.0)
    X = 1.0 - 2.0 * np.maximum.accumulate(advice)  # once wrong, always wrong
    scores, _ = normalized_winnow.learn(X, np.ones(bits), 50.0)
    guarantee = theory.normalized_winnow_separable(
        divergence=bits * math.log(2), margin=1.0, radius=1.0
    )
    assert np.all(scores <= 1e-12)
    assert guarantee.bound == pytest.approx(bits)
    assert within(bits, guarantee)


def separable_rows(rng, v, margin, n_rows, radius):
    X = rng.uniform(-radius, radius, (n_rows, len(v)))
    X[:, 0] = rng.choice([-radius, radius], n_rows)
    return X[np.abs(X @ v) >= margin]


def test_normalised_winnow_holds_for_every_prior_and_comparator():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n_features, radius = int(rng.integers(2, 12)), float(rng.uniform(0.5, 4.0))
        v = rng.dirichlet(np.append(4.0, np.full(n_features - 1, 0.2)))
        prior = rng.dirichlet(np.ones(n_features))
        X = separable_rows(rng, v, 0.2 * radius, 300, radius)
        signs = np.sign(X @ v)
        margin = np.min(np.abs(X @ v))
        rate = math.atanh(min(margin / radius, 0.999)) / radius
        inputs = {"divergence": divergence(v, prior), "margin": margin, "radius": radius}
        scores, _ = normalized_winnow.learn(X, signs, rate, prior)
        assert within(np.sum(signs * scores <= 0.0), theory.normalized_winnow_separable(**inputs))


def test_normalised_winnow_holds_with_noise_at_any_rate():
    rng = np.random.default_rng(2)
    for rate, flip in itertools.product((0.05, 0.2, 0.5), (0.0, 0.1, 0.4)):
        X = rng.choice([-1.0, 1.0], (200, 8))
        signs = X[:, 0] * np.where(rng.random(200) < flip, -1.0, 1.0)
        scores, _ = normalized_winnow.learn(X, signs, rate)
        wrong = signs * scores <= 0.0
        for margin in (0.3, 0.6, 1.0):
            losses = np.maximum(0.0, margin - signs * X[:, 0])[wrong]
            guarantee = theory.normalized_winnow(
                divergence=math.log(8),
                margin=margin,
                radius=1.0,
                learning_rate=rate,
                margin_loss=losses.sum(),
            )
            assert within(wrong.sum(), guarantee)


def test_a_negated_target_needs_the_balanced_winnow():
    X = np.random.default_rng(3).choice([-1.0, 1.0], (100, 16))
    signs = -X[:, 0]
    scores, _ = normalized_winnow.learn(X, signs, 1.0)
    plain = theory.normalized_winnow_separable(divergence=math.log(16), margin=1.0, radius=1.0)
    assert not within(np.sum(signs * scores <= 0.0), plain)
    scores, _ = normalized_winnow.learn(np.hstack([X, -X]), signs, 50.0)
    balanced = theory.balanced_winnow(n_features=16, margin=1.0, radius=1.0)
    assert balanced.bound == pytest.approx(5.0)
    assert within(np.sum(signs * scores <= 0.0), balanced)


def test_the_balanced_winnow_holds_for_comparators_of_any_sign():
    rng = np.random.default_rng(4)
    for _ in range(40):
        u = rng.normal(size=6) ** 3
        u /= np.abs(u).sum()
        X = separable_rows(rng, u, 0.15, 300, 1.0)
        signs, margin = np.sign(X @ u), np.min(np.abs(X @ u))
        scores, _ = normalized_winnow.learn(np.hstack([X, -X]), signs, math.atanh(margin))
        guarantee = theory.balanced_winnow(n_features=6, margin=margin, radius=1.0)
        assert within(np.sum(signs * scores <= 0.0), guarantee)


def test_winnow_on_signs_is_weighted_majority():
    rng = np.random.default_rng(5)
    X, signs = rng.choice([-1.0, 1.0], (200, 7)), rng.choice([-1.0, 1.0], 200)
    scores, weights = normalized_winnow.learn(X, signs, 0.3)
    beta = math.exp(-0.6)
    predictions, raw = vote.learn(
        (X > 0).astype(int), (signs > 0).astype(int), beta, only_on_mistakes=True
    )
    assert np.array_equal(predictions, (scores >= 0.0).astype(int))
    assert weights == pytest.approx(raw / raw.sum(), abs=1e-12)


def test_the_conjugate_keeps_its_digits_when_the_margin_is_small():
    for ratio in (1e-12, 1e-8, 1e-4):
        guarantee = theory.normalized_winnow_separable(divergence=1.0, margin=ratio, radius=1.0)
        assert guarantee.bound * ratio**2 / 2 == pytest.approx(1.0, rel=1e-7)
    near = theory.normalized_winnow_separable(divergence=1.0, margin=1 - 1e-15, radius=1.0).bound
    assert near == pytest.approx(1 / math.log(2), rel=1e-10)
    assert theory.balanced_winnow(n_features=3, margin=1e-200, radius=1.0).bound == math.inf


def test_the_best_rate_is_the_one_of_the_theory_page():
    inputs = {"divergence": 3.0, "margin": 0.6, "radius": 2.0}
    best = theory.normalized_winnow_separable(**inputs).bound
    rates = np.linspace(0.01, 0.29, 2001)
    grid = [theory.normalized_winnow(**inputs, learning_rate=rate).bound for rate in rates]
    assert min(grid) == pytest.approx(best, rel=1e-5)
    assert best <= min(grid) * (1 + 1e-9)
    assert rates[np.argmin(grid)] == pytest.approx(math.atanh(0.3) / 2, abs=1e-3)


def test_a_rate_without_a_bound_is_refused():
    inputs = {"divergence": 3.0, "margin": 0.6, "radius": 2.0}
    with pytest.raises(ValueError, match="learning_rate"):
        theory.normalized_winnow(**inputs, learning_rate=0.4)
    with pytest.raises(ValueError, match="learning_rate"):
        theory.normalized_winnow(**inputs, learning_rate=1e6)
    with pytest.raises(ValueError, match="margin"):
        theory.normalized_winnow_separable(divergence=3.0, margin=2.1, radius=2.0)


def self_tuned_guarantee(u, X, signs, wrong, radius):
    return theory.self_tuned_winnow(
        n_features=X.shape[1],
        norm=np.abs(u).sum(),
        radius=radius,
        hinge_loss=hinge(u, X, signs)[wrong].sum(),
    )


def test_the_self_tuned_winnow_holds_on_every_stream():
    for seed in range(4):
        for X, given in streams(seed):
            radius = np.abs(X).max()

            def scores_of(X, signs, radius=radius):
                return normalized_winnow.learn_self_tuned(X, signs, radius)

            for signs in (given, spiteful(scores_of, X)):
                wrong = signs * scores_of(X, signs) <= 0.0
                for u in comparators(X, signs, seed):
                    guarantee = self_tuned_guarantee(u, X, signs, wrong, radius)
                    assert within(wrong.sum(), guarantee)


def test_features_larger_than_the_radius_break_the_self_tuned_bound():
    X, signs = adversaries.orthonormal_stream(9, radius=20.0)
    wrong = signs * normalized_winnow.learn_self_tuned(X, signs, 20.0) <= 0.0
    u = np.full(9, 1 / 20)
    assert within(wrong.sum(), self_tuned_guarantee(u, X, signs, wrong, 20.0))
    assert not within(wrong.sum(), self_tuned_guarantee(u, X, signs, wrong, 1.0))


def second_order_guarantees(u, X, signs, updated, leverages, regularization):
    rows = X[updated]
    inputs = {
        "hinge_loss": hinge(u, X, signs)[updated].sum(),
        "norm": np.linalg.norm(u),
        "regularization": regularization,
        "sum_squared_scores": np.sum((rows @ u) ** 2),
    }
    spectrum = np.maximum(0.0, np.linalg.eigvalsh(rows.T @ rows))
    return (
        theory.second_order_perceptron(**inputs, sum_leverages=leverages.sum()),
        theory.second_order_perceptron_log_det(**inputs, eigenvalues=spectrum),
    )


@pytest.mark.parametrize("regularization", [0.01, 1.0, 50.0])
def test_the_second_order_bounds_hold_on_every_stream(regularization):
    def scores_of(X, signs):
        return second_order_perceptron.learn(X, signs, regularization)[0]

    for seed in range(2):
        for X, given in streams(seed, n_rows=24):
            for signs in (given, spiteful(scores_of, X)):
                _, updated, leverages = second_order_perceptron.learn(X, signs, regularization)
                for u in comparators(X, signs, seed):
                    by_leverage, by_spectrum = second_order_guarantees(
                        u, X, signs, updated, leverages, regularization
                    )
                    assert within(len(updated), by_leverage)
                    assert by_leverage.bound <= by_spectrum.bound * (1 + 1e-9)


def test_the_second_order_bound_is_attained_by_orthogonal_rows():
    X, signs = adversaries.orthonormal_stream(50)
    _, updated, leverages = second_order_perceptron.learn(X, signs, 1000.0)
    by_leverage, by_spectrum = second_order_guarantees(
        np.ones(50), X, signs, updated, leverages, 1000.0
    )
    assert len(updated) == 50
    assert by_leverage.bound == pytest.approx(50.0)
    assert by_spectrum.bound == pytest.approx(50.012, abs=1e-3)


def test_a_second_order_learner_that_forgives_ties_breaks_the_bound():
    guarantee = theory.second_order_perceptron(
        hinge_loss=0.0, norm=1.0, regularization=1.0, sum_squared_scores=9.0, sum_leverages=0.0
    )
    assert not within(9, guarantee)


def test_a_short_spectrum_is_stored_as_a_list_and_a_negative_one_refused():
    inputs = {"hinge_loss": 0.0, "norm": 1.0, "regularization": 1.0, "sum_squared_scores": 1.0}
    guarantee = theory.second_order_perceptron_log_det(**inputs, eigenvalues=[0.0, 1.0])
    assert guarantee.bound == pytest.approx(math.sqrt(2 * math.log(2)))
    with pytest.raises(ValueError, match="eigenvalues"):
        theory.second_order_perceptron_log_det(**inputs, eigenvalues=[-1.0])


def passive_aggressive_checks(u, X, y, aggressiveness, insensitivity):
    """Yield what each variant did and what it was allowed to do, for one comparator."""
    squares, norm = np.sum(X**2, axis=1), np.linalg.norm(u)
    radius, reference = math.sqrt(squares.max()), passive_aggressive.loss_of
    own = reference(u, X, y, insensitivity)
    common = {"norm": norm, "aggressiveness": aggressiveness}

    losses, _, _ = passive_aggressive.learn(X, y, 0, insensitivity=insensitivity)
    active = (losses > 0.0) & (squares > 0.0)
    plain = theory.passive_aggressive(
        radius=radius, norm=norm, comparator_loss=np.sum(own[active] ** 2 / squares[active])
    )
    yield np.sum(losses[active] ** 2), plain

    losses, steps, _ = passive_aggressive.learn(X, y, 1, aggressiveness, insensitivity)
    common["comparator_loss"] = own[losses > 0.0].sum()
    yield np.sum(steps * losses), theory.passive_aggressive_1_losses(**common)
    for level in (0.5, 1.0, 2.0):
        guarantee = theory.passive_aggressive_1(radius=radius, loss_level=level, **common)
        yield np.sum(losses >= level), guarantee

    losses, _, _ = passive_aggressive.learn(X, y, 2, aggressiveness, insensitivity)
    common["comparator_loss"] = np.sum(own[losses > 0.0] ** 2)
    guarantee = theory.passive_aggressive_2(radius=radius, **common)
    yield np.sum(losses**2), guarantee
    if insensitivity is None:
        yield np.sum(losses >= 1.0), guarantee


@pytest.mark.parametrize("insensitivity", [None, 0.1])
@pytest.mark.parametrize("aggressiveness", [0.05, 1.0])
def test_passive_aggressive_bounds_hold_on_every_stream(aggressiveness, insensitivity):
    rng = np.random.default_rng(6)
    for X, signs in streams(6):
        y = signs if insensitivity is None else signs + rng.normal(size=len(X))
        for u in comparators(X, y, 6):
            for observed, guarantee in passive_aggressive_checks(
                u, X, y, aggressiveness, insensitivity
            ):
                assert within(observed, guarantee)


def test_passive_aggressive_attains_its_bound_on_orthogonal_rows():
    X, signs = adversaries.orthonormal_stream(12, radius=2.0)
    losses, _, _ = passive_aggressive.learn(X, signs, 0)
    guarantee = theory.passive_aggressive(radius=2.0, norm=math.sqrt(12) / 2)
    assert np.sum(losses**2) == pytest.approx(guarantee.bound)
    assert guarantee.bound == pytest.approx(12.0)


def test_a_start_away_from_zero_breaks_passive_aggressive():
    first_loss = 1.0 - (-20.0)
    guarantee = theory.passive_aggressive(radius=1.0, norm=1.0)
    assert not within(first_loss**2, guarantee)


def test_a_larger_step_than_claimed_breaks_the_bound_of_pa_one():
    X, y = np.array([[1.0], [1.0]] * 20), np.array([1.0, -1.0] * 20)
    losses, steps, _ = passive_aggressive.learn(X, y, 1, 10.0)
    claimed = theory.passive_aggressive_1_losses(norm=0.0, aggressiveness=0.1, comparator_loss=40.0)
    honest = theory.passive_aggressive_1_losses(norm=0.0, aggressiveness=10.0, comparator_loss=40.0)
    assert within(np.sum(steps * losses), honest)
    assert not within(np.sum(steps * losses), claimed)


def test_rows_longer_than_the_radius_break_the_bound_of_pa_two():
    X, y = np.ones((40, 1)), np.array([1.0, -1.0] * 20)
    losses, _, _ = passive_aggressive.learn(X, y, 2, 10.0)
    for radius, holds in ((1.0, True), (0.1, False)):
        guarantee = theory.passive_aggressive_2(
            radius=radius, norm=0.0, aggressiveness=10.0, comparator_loss=40.0
        )
        assert within(np.sum(losses**2), guarantee) == holds


def test_the_loss_free_case_agrees_with_novikoff():
    for guarantee in (
        theory.passive_aggressive(radius=3.0, norm=2.0),
        mistakes.novikoff(radius=3.0, margin=0.5),
    ):
        assert guarantee.bound == pytest.approx(36.0)
