"""Mistakes of experts who vote and of the Perceptron: tight sequences, broken assumptions."""

import functools
import itertools
import math

import numpy as np
import pytest

from reference import halving, hedge, perceptron, weighted_majority
from reference.streams import comparators, hinge, spiteful, streams, within
from surelearn.bounds import dimensions, mistakes
from surelearn.datasets import adversaries
from surelearn.datasets.adversaries import Contrarian

FX_B = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1.0, 1.0, -1.0])


def thresholds(n_points):
    return np.array([[int(x >= cut) for x in range(n_points)] for cut in range(n_points + 1)])


def vc_dimension(table):
    n_points = table.shape[1]
    sizes = (
        size
        for size in range(n_points + 1)
        for points in itertools.combinations(range(n_points), size)
        if len({tuple(row) for row in table[:, list(points)]}) == 2**size
    )
    return max(sizes)


def worst_case_of_halving(table, *, eager):
    """Return the mistakes on the worst realisable sequence, over all of them."""

    @functools.cache
    def worst(pool):
        most = 0
        for labels in table.T:
            ones = frozenset(i for i in pool if labels[i])
            zeros = pool - ones
            right, wrong = (ones, zeros) if len(ones) >= len(zeros) else (zeros, ones)
            if wrong:
                most = max(most, 1 + worst(wrong))
            if eager and wrong:
                most = max(most, worst(right))
        return most

    return worst(frozenset(range(len(table))))


@pytest.mark.parametrize(
    ("n_experts", "expected"),
    [(1, 0), (2, 1), (7, 2), (8, 3), (64, 6), (2**49 - 1, 48), (2**70, 70), (2**70 - 1, 69)],
)
def test_halving_counts_bits_exactly(n_experts, expected):
    assert mistakes.halving(n_experts=n_experts).bound == expected


@pytest.mark.parametrize("bits", [1, 3, 6, 9])
def test_halving_is_attained_when_every_vote_is_tied(bits):
    advice, outcomes = adversaries.majority_fooling_advice(2**bits, beta=0.0)
    predictions, pool = halving.learn(advice, outcomes)
    assert np.sum(predictions != outcomes) == bits == mistakes.halving(n_experts=2**bits).bound
    assert pool.sum() == 1


@pytest.mark.parametrize("eager", [True, False])
@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (thresholds(3), 2),
        (thresholds(7), 3),
        (thresholds(8), 3),
        (np.array(list(itertools.product([0, 1], repeat=3))), 3),
    ],
)
def test_halving_has_the_tabulated_worst_cases(table, expected, eager):
    assert worst_case_of_halving(table, eager=eager) == expected
    assert mistakes.halving(n_experts=len(table)).bound >= expected


def test_without_a_perfect_expert_halving_errs_for_ever():
    advice = np.tile([0, 1], (50, 1))
    outcomes = np.arange(50) % 2
    predictions, pool = halving.learn(advice, outcomes)
    assert not pool.any()
    assert not within(np.sum(predictions != outcomes), mistakes.halving(n_experts=2))


@pytest.mark.parametrize(
    ("table", "vc", "optimal"),
    [
        (thresholds(7), 1, 3),
        (np.array(list(itertools.product([0, 1], repeat=3))), 3, 3),
        (np.vstack([np.zeros(4, dtype=int), np.eye(4, dtype=int)]), 1, 1),
        (np.array([[1, 0, 1]]), 0, 0),
    ],
)
def test_the_littlestone_dimension_of_small_classes(table, vc, optimal):
    assert vc_dimension(table) == vc
    assert dimensions.littlestone_dimension(patterns=table) == optimal


def test_a_class_whose_optimal_learner_beats_halving():
    rows = ("0010", "1001", "0011", "0101", "1101", "1000", "1100", "1111")
    table = np.array([[int(bit) for bit in row] for row in rows])
    assert vc_dimension(table) == dimensions.littlestone_dimension(patterns=table) == 2
    assert worst_case_of_halving(table, eager=True) == 3


def test_the_chain_of_dimensions_holds_on_random_classes():
    rng = np.random.default_rng(0)
    for _ in range(60):
        table = np.unique(rng.integers(0, 2, (rng.integers(1, 10), 4)), axis=0)
        lower = mistakes.littlestone_lower(vc_dimension=vc_dimension(table))
        optimal = dimensions.littlestone_dimension(patterns=table)
        assert lower.allows(optimal)
        assert optimal <= worst_case_of_halving(table, eager=True)
        assert (
            worst_case_of_halving(table, eager=True) <= mistakes.halving(n_experts=len(table)).bound
        )


def test_repeated_hypotheses_do_not_count_and_a_wrong_table_is_refused():
    assert dimensions.littlestone_dimension(patterns=[[0, 1], [0, 1]]) == 0
    for table in ([], [[0, 2]], [0, 1]):
        with pytest.raises(ValueError, match="patterns"):
            dimensions.littlestone_dimension(patterns=table)


def test_a_coin_escapes_the_lower_bound_for_deterministic_learners():
    coins, labels = np.random.default_rng(1).integers(0, 2, (2000, 3)), np.array([1, 0, 1])
    mean = np.mean(np.sum(coins != labels, axis=1))
    assert not mistakes.littlestone_lower(vc_dimension=3).allows(mean)


def test_weighted_majority_has_the_exact_constants():
    def constants(beta):
        none = mistakes.weighted_majority(best_mistakes=0, n_experts=2, beta=beta).bound
        one = mistakes.weighted_majority(best_mistakes=1, n_experts=2, beta=beta).bound
        return one - none, none / math.log(2)

    assert constants(1 / math.e) == pytest.approx((2.6323721709, 2.6323721709), abs=2e-10)
    assert constants(0.5) == pytest.approx((2.4094208397, 3.4760594968), abs=2e-10)


@pytest.mark.parametrize(("beta", "expected"), [(0.5, 21.685), (0.33, 20.38)])
def test_weighted_majority_catalogue_values(beta, expected):
    bound = mistakes.weighted_majority(best_mistakes=5, n_experts=16, beta=beta).bound
    assert bound == pytest.approx(expected, abs=6e-3)


@pytest.mark.parametrize(
    ("beta", "n_experts", "expected", "bound"),
    [
        (0.5, 16, 8, 9.64),
        (0.5, 2048, 25, 26.50),
        (0.5, 4096, 27, 28.91),
        (1 / math.e, 16, 6, 7.30),
        (1 / math.e, 256, 13, 14.60),
        (1 / math.e, 2048, 19, 20.07),
    ],
)
def test_the_fooled_majority_errs_nearly_as_often_as_allowed(beta, n_experts, expected, bound):
    advice, outcomes = adversaries.majority_fooling_advice(n_experts, beta=beta)
    predictions, _ = weighted_majority.learn(advice, outcomes, beta)
    guarantee = mistakes.weighted_majority(best_mistakes=0, n_experts=n_experts, beta=beta)
    assert np.sum(predictions != outcomes) == len(outcomes) == expected
    assert guarantee.bound == pytest.approx(bound, abs=6e-3)
    assert guarantee.allows(expected)


@pytest.mark.parametrize("n_experts", [16, 2048, 4096])
def test_the_printed_constant_for_beta_one_half_is_false(n_experts):
    _, outcomes = adversaries.majority_fooling_advice(n_experts, beta=0.5)
    assert len(outcomes) > 2.63 * math.log(n_experts)


@pytest.mark.parametrize("only_on_mistakes", [True, False])
@pytest.mark.parametrize("beta", [0.05, 0.5, 0.9])
def test_weighted_majority_holds_against_spiteful_outcomes(beta, only_on_mistakes):
    rng = np.random.default_rng(2)
    for n_experts in (1, 3, 10):
        advice, outcomes = rng.integers(0, 2, (60, n_experts)), np.zeros(60, dtype=int)
        for t in range(60):
            past = weighted_majority.learn(
                advice[: t + 1], outcomes[: t + 1], beta, only_on_mistakes=only_on_mistakes
            )
            outcomes[t] = Contrarian().next(past[0][t])
        best = int(np.sum(advice != outcomes[:, np.newaxis], axis=0).min())
        guarantee = mistakes.weighted_majority(best_mistakes=best, n_experts=n_experts, beta=beta)
        assert within(60, guarantee)


def test_the_worked_example_of_weighted_majority():
    advice = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    outcomes = np.zeros(4, dtype=int)
    predictions, weights = weighted_majority.learn(advice, outcomes, 0.5, only_on_mistakes=True)
    assert predictions.tolist() == [1, 0, 0, 1]
    assert weights.tolist() == [0.25, 0.25, 1.0]
    bound = mistakes.weighted_majority(best_mistakes=0, n_experts=3, beta=0.5).bound
    assert bound == pytest.approx(3.8188, abs=1e-4)


def test_weights_that_never_fall_break_the_bound():
    advice, outcomes = np.ones((50, 16), dtype=int), np.zeros(50, dtype=int)
    advice[:, 0] = 0
    frozen, _ = weighted_majority.learn(advice, outcomes, 1.0)
    honest, _ = weighted_majority.learn(advice, outcomes, 0.5)
    guarantee = mistakes.weighted_majority(best_mistakes=0, n_experts=16, beta=0.5)
    assert within(np.sum(honest != outcomes), guarantee)
    assert not within(np.sum(frozen != outcomes), guarantee)


def test_weighted_majority_is_stable_as_beta_nears_one():
    bound = mistakes.weighted_majority(best_mistakes=3, n_experts=8, beta=1 - 1e-10).bound
    assert bound == pytest.approx(2 * (3 + math.log(8) / 1e-10), rel=1e-6)


@pytest.mark.parametrize("beta", [0.5, 0.9, 0.99])
def test_a_contrarian_forces_half_the_rounds_as_regret(beta):
    advice, outcomes = np.tile([0, 1], (20, 1)), np.zeros(20, dtype=int)
    for t in range(20):
        predictions, _ = weighted_majority.learn(advice[: t + 1], outcomes[: t + 1], beta)
        outcomes[t] = Contrarian().next(predictions[t])
    predictions, _ = weighted_majority.learn(advice, outcomes, beta)
    regret = np.sum(predictions != outcomes) - min(outcomes.sum(), 20 - outcomes.sum())
    assert mistakes.deterministic_lower(n_rounds=20).bound == regret == 10


def test_averaging_the_experts_escapes_the_deterministic_lower_bound():
    worst = hedge.worst_case(20, math.sqrt(8 * math.log(2) / 20))
    assert worst == pytest.approx(2.3771, abs=1e-4)
    assert not mistakes.deterministic_lower(n_rounds=20).allows(worst)


def test_novikoff_is_attained_by_orthogonal_rows():
    X, signs = adversaries.orthonormal_stream(7, radius=2.5)
    _, _, _, updated = perceptron.learn(X, signs, fit_intercept=False)
    guarantee = mistakes.novikoff(radius=2.5, margin=2.5 / math.sqrt(7))
    assert len(updated) == 7
    assert guarantee.allows(7)
    assert guarantee.bound == pytest.approx(7.0)


def test_the_three_points_of_the_catalogue():
    X, signs = FX_B
    _, w, b, updated = perceptron.learn(X, signs, max_passes=20)
    assert (w.tolist(), b, len(updated)) == ([1.0, 1.0], -3.0, 7)
    u = np.array([0.5, 0.5, -2.0])
    augmented = np.column_stack([X, np.ones(3)])
    margin = np.min(signs * (augmented @ u)) / np.linalg.norm(u)
    radius = np.linalg.norm(augmented, axis=1).max()
    assert mistakes.novikoff(radius=radius, margin=margin).bound == pytest.approx(117.0)


@pytest.mark.parametrize("n_features", [1, 2, 4, 6])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_exponential_sample_stays_below_novikoff_in_any_order(n_features, seed):
    X, signs = adversaries.exponential_perceptron_sample(n_features)
    order = np.random.default_rng(seed).permutation(n_features)
    _, w, _, updated = perceptron.learn(X[order], signs[order], False, max_passes=5000)  # noqa: FBT003
    margin = np.min(signs * (X @ w)) / np.linalg.norm(w)
    assert len(updated) == (4**n_features - 1) // 3
    assert mistakes.novikoff(radius=math.sqrt(n_features), margin=margin).allows(len(updated))


@pytest.mark.parametrize(("width", "expected"), [(4, 9), (10, 51), (20, 201), (40, 801)])
def test_in_the_plane_half_of_novikoff_is_attained(width, expected):
    X, signs = adversaries.planar_perceptron_sample(width)
    _, _, _, updated = perceptron.learn(X, signs, False, max_passes=5000)  # noqa: FBT003
    guarantee = mistakes.novikoff(radius=math.hypot(1, width), margin=1.0)
    assert len(updated) == expected
    assert guarantee.allows(expected)
    assert guarantee.bound == pytest.approx(1 + width**2)


def test_novikoff_holds_over_many_passes_of_separable_rows():
    rng = np.random.default_rng(4)
    for _ in range(40):
        u = rng.normal(size=3)
        X = rng.normal(size=(30, 3)) * rng.exponential(size=(30, 1))
        X = X[np.abs(X @ u) > 0.2 * np.linalg.norm(u)]
        signs = np.sign(X @ u)
        _, _, _, updated = perceptron.learn(X, signs, False, max_passes=1000)  # noqa: FBT003
        margin = np.min(signs * (X @ u)) / np.linalg.norm(u)
        radius = np.linalg.norm(X, axis=1).max()
        assert within(len(updated), mistakes.novikoff(radius=radius, margin=margin))


def test_one_flipped_label_breaks_novikoff():
    X, signs = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0, -1.0])
    _, _, _, updated = perceptron.learn(X, signs, False, max_passes=50)  # noqa: FBT003
    assert not within(len(updated), mistakes.novikoff(radius=1.0, margin=math.sqrt(0.5)))


def test_a_start_away_from_zero_breaks_novikoff():
    weight, updates = -20.0, 0
    while weight <= 0.0:
        weight, updates = weight + 1.0, updates + 1
    assert updates == 21
    assert not within(updates, mistakes.novikoff(radius=1.0, margin=1.0))


def test_a_perceptron_that_forgives_ties_never_learns():
    weight, errors = 0.0, 0
    for _ in range(50):
        errors += weight <= 0.0
        if weight < 0.0:
            weight += 1.0
    assert not within(errors, mistakes.novikoff(radius=1.0, margin=1.0))


def guarantees(u, X, signs, w, updated):
    loss, norm = hinge(u, X, signs)[updated].sum(), np.linalg.norm(u)
    squares = np.sum(X[updated] ** 2)
    radius = np.linalg.norm(X, axis=1).max()
    return (
        mistakes.perceptron_norm(hinge_loss=loss, norm=norm, weight_norm=np.linalg.norm(w)),
        mistakes.perceptron_squared_norms(hinge_loss=loss, norm=norm, sum_squared_norms=squares),
        mistakes.perceptron(radius=radius, norm=norm, hinge_loss=loss),
    )


def scores_of(X, signs):
    return perceptron.learn(X, signs, fit_intercept=False)[0]


def test_the_perceptron_bounds_hold_on_every_stream_for_every_comparator():
    for seed in range(6):
        for X, given in streams(seed):
            for signs in (given, spiteful(scores_of, X)):
                _, w, _, updated = perceptron.learn(X, signs, fit_intercept=False)
                for u in comparators(X, signs, seed):
                    by_weights, by_rows, _ = bounds = guarantees(u, X, signs, w, updated)
                    assert all(within(len(updated), bound) for bound in bounds)
                    assert by_weights.bound <= by_rows.bound * (1 + 1e-9)


def test_all_perceptron_bounds_are_attained_by_orthogonal_rows():
    X, signs = adversaries.orthonormal_stream(7, radius=3.0)
    _, w, _, updated = perceptron.learn(X, signs, fit_intercept=False)
    for guarantee in guarantees(np.full(7, 1 / 3.0), X, signs, w, updated):
        assert guarantee.bound == pytest.approx(7.0)


def test_alternating_labels_attain_the_bound_of_the_zero_comparator():
    X, signs = adversaries.alternating_labels(100)
    assert len(perceptron.learn(X, signs, fit_intercept=False)[3]) == 100
    assert mistakes.perceptron(radius=1.0, norm=0.0, hinge_loss=100.0).bound == pytest.approx(100)


def test_a_short_step_breaks_the_bound_by_the_norm_of_the_weights():
    X, signs = adversaries.orthonormal_stream(9)
    _, w, _, _ = perceptron.learn(X, signs, fit_intercept=False)
    for step, holds in ((1.0, True), (0.1, False)):
        guarantee = mistakes.perceptron_norm(
            hinge_loss=0.0, norm=3.0, weight_norm=step * np.linalg.norm(w)
        )
        assert within(9, guarantee) == holds


def test_rows_longer_than_the_radius_break_the_bound():
    X, signs = adversaries.orthonormal_stream(9, radius=3.0)
    assert len(perceptron.learn(X, signs, fit_intercept=False)[3]) == 9
    assert not within(9, mistakes.perceptron(radius=1.0, norm=1.0, hinge_loss=0.0))


def test_the_kernel_perceptron_obeys_the_same_bounds():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    signs = np.where(np.prod(X, axis=1) > 0.0, 1.0, -1.0)
    gram = np.exp(-np.sum((X[:, np.newaxis] - X) ** 2, axis=2))
    coef = np.zeros(60)
    for t in range(60):
        if signs[t] * (coef @ gram[:, t]) <= 0.0:
            coef[t] = signs[t]
    updated = np.flatnonzero(coef)
    dual = np.linalg.solve(gram + 0.1 * np.eye(60), signs)
    losses = np.maximum(0.0, 1.0 - signs * (gram @ dual))[updated]
    norm, length = math.sqrt(dual @ gram @ dual), math.sqrt(coef @ gram @ coef)
    by_weights = mistakes.perceptron_norm(hinge_loss=losses.sum(), norm=norm, weight_norm=length)
    by_radius = mistakes.perceptron(radius=1.0, norm=norm, hinge_loss=losses.sum())
    assert by_weights.allows(len(updated))
    assert by_radius.allows(len(updated))


def test_degenerate_numbers_give_degenerate_bounds_and_no_nan():
    assert mistakes.novikoff(radius=0.0, margin=1.0).bound == 0.0
    assert mistakes.perceptron(radius=0.0, norm=5.0, hinge_loss=0.0).bound == 0.0
    assert mistakes.perceptron(radius=1e200, norm=1e200, hinge_loss=0.0).bound == math.inf
    assert mistakes.novikoff(radius=1e200, margin=1e-200).vacuous
    with pytest.raises(ValueError, match="margin"):
        mistakes.novikoff(radius=1.0, margin=0.0)
    with pytest.raises(ValueError, match="beta"):
        mistakes.weighted_majority(best_mistakes=0, n_experts=2, beta=0.0)
