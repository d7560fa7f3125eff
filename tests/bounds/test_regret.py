"""Hedge with rates set by hand: known values, worst cases, misprints and broken assumptions."""

import math

import numpy as np
import pytest
from scipy import special

from reference import adversaries
from reference.hedge import hedge, hedge_doubling, play, worst_case
from surelearn.bounds import regret

SIZES = [(2, 40), (3, 120), (10, 200)]


def holds(guarantee, observed):
    """Sure bounds attain equality, so rounding errors of the run are forgiven."""
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def every_run(rates):
    """Play Hedge against every adversary at the rates `rates(n_experts, n_rounds)`."""
    for n_experts, n_rounds in SIZES:
        for adversary in adversaries.family(n_experts):
            yield (
                n_experts,
                n_rounds,
                play(adversary, n_rounds, n_experts, rates(n_experts, n_rounds)),
            )


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        (
            "randomized_weighted_majority_textbook",
            {"best_loss": 1, "n_experts": 2, "beta": 0.5},
            2.886294,
        ),
        ("randomized_weighted_majority_tuned", {"n_experts": 2, "n_rounds": 200}, 23.5482),
        ("randomized_weighted_majority_tuned", {"n_experts": 100, "n_rounds": 4}, 11.2103),
        ("hedge_tuned", {"n_experts": 2, "n_rounds": 3}, 1.019667),
        ("hedge_tuned", {"n_experts": 2, "n_rounds": 20}, 2.6328),
        ("hedge_tuned", {"n_experts": 2, "n_rounds": 200}, 8.3255),
        ("hedge_tuned", {"n_experts": 2, "n_rounds": 2000}, 26.3277),
        ("hedge_tuned", {"n_experts": 10, "n_rounds": 1000}, 33.9307021),
        ("hedge_anytime", {"n_experts": 2, "n_rounds": 2000}, 37.025),
        ("hedge_doubling", {"n_experts": 4, "n_rounds": 1}, 0.832555),
        ("hedge_doubling", {"n_experts": 4, "n_rounds": 1000}, 87.8784),
        ("hedge_doubling", {"n_experts": 10, "n_rounds": 1000}, 113.256),
        ("rademacher_lower", {"n_rounds": 10}, 1.118034),
        ("rademacher_lower", {"n_rounds": 100}, 3.535534),
    ],
)
def test_catalogue_values(name, inputs, expected):
    assert getattr(regret, name)(**inputs).bound == pytest.approx(expected, rel=2e-5)


def test_the_second_order_form_at_the_textbook_rate_gives_the_textbook_bound():
    rate = math.sqrt(2 * math.log(10) / 1000)
    worst = regret.hedge_second_order(n_experts=10, learning_rate=rate, sum_weighted_squares=1000.0)
    assert worst.bound == pytest.approx(67.8614042, abs=1e-6)


def test_hedge_reproduces_the_runs_of_the_catalogue():
    run = hedge([(0, 1), (1, 0), (0, 1)], 1.0)
    np.testing.assert_allclose(run.weights[:, 0], [0.5, 0.7310585786, 0.5], atol=1e-10)
    assert run.learner.sum() == pytest.approx(1.7310585786, abs=1e-10)
    coins = np.random.default_rng(0).integers(0, 2, (1000, 10))
    assert hedge(coins, math.sqrt(2 * math.log(10) / 1000)).regret == pytest.approx(23.1506985)
    assert hedge(coins, math.sqrt(8 * math.log(10) / 1000)).regret == pytest.approx(25.2964225)
    assert hedge([(1, 0)] * 3 + [(0, 1)], math.log(2)).learner.sum() == pytest.approx(1.9222222)


def test_losing_experts_lose_at_most_what_weighted_majority_promises():
    for beta in (0.05, 0.3, 0.5, 0.9):
        for n_experts, _, run in every_run(lambda _k, _t, beta=beta: -math.log(beta)):
            inputs = {"best_loss": run.losses.sum(axis=0).min(), "n_experts": n_experts}
            tight = regret.randomized_weighted_majority(**inputs, beta=beta)
            assert holds(tight, run.learner.sum())
            if beta >= 0.5:
                textbook = regret.randomized_weighted_majority_textbook(**inputs, beta=beta)
                assert tight.bound <= textbook.bound


def test_the_textbook_rate_of_weighted_majority_keeps_its_bound():
    def rates(n_experts, n_rounds):
        return -math.log(max(0.5, 1 - math.sqrt(math.log(n_experts) / n_rounds)))

    for n_experts, n_rounds, run in every_run(rates):
        inputs = {"n_experts": n_experts, "n_rounds": n_rounds}
        assert holds(regret.randomized_weighted_majority_tuned(**inputs), run.regret)
    assert worst_case(200, rates(2, 200)) == pytest.approx(12.4532, abs=1e-4)


@pytest.mark.parametrize("rate", [0.03, 0.4, 3.0])
def test_a_fixed_rate_keeps_all_three_of_its_bounds(rate):
    for n_experts, n_rounds, run in every_run(lambda _k, _t: rate):
        inputs = {"n_experts": n_experts, "learning_rate": rate}
        realised = regret.hedge_realised(**inputs, sum_mixability_gaps=run.gaps.sum())
        squares = float((run.weights * run.losses**2).sum())
        second = regret.hedge_second_order(**inputs, sum_weighted_squares=squares)
        assert holds(realised, run.regret)
        assert holds(second, realised.bound)
        assert holds(regret.hedge(**inputs, n_rounds=n_rounds), realised.bound)


def test_one_expert_right_for_ever_makes_the_realised_bound_an_equality():
    run = hedge([(0, 1)] * 60, 1.0)
    inputs = {"n_experts": 2, "learning_rate": 1.0, "sum_mixability_gaps": run.gaps.sum()}
    assert regret.hedge_realised(**inputs).bound == pytest.approx(run.regret, rel=1e-9)


def test_the_tuned_rate_keeps_its_bound_on_any_range():
    for scale in (1.0, 25.0):

        def rates(n_experts, n_rounds, scale=scale):
            return regret.hedge_learning_rate(
                n_experts=n_experts, n_rounds=n_rounds, loss_range=scale
            )

        for n_experts, n_rounds in SIZES:
            for adversary in adversaries.family(n_experts):
                run = play(
                    lambda t, w, a=adversary, s=scale: s * a(t, w) - 3.0,
                    n_rounds,
                    n_experts,
                    rates(n_experts, n_rounds),
                )
                bound = regret.hedge_tuned(n_experts=n_experts, n_rounds=n_rounds, loss_range=scale)
                assert holds(bound, run.regret)


@pytest.mark.parametrize(("n_rounds", "worst"), [(20, 2.3771), (200, 7.9524), (2000, 25.8201)])
def test_the_worst_case_of_two_experts_comes_within_a_tenth_of_the_tuned_bound(n_rounds, worst):
    rate = regret.hedge_learning_rate(n_experts=2, n_rounds=n_rounds)
    assert worst_case(n_rounds, rate) == pytest.approx(worst, abs=1e-4)
    bound = regret.hedge_tuned(n_experts=2, n_rounds=n_rounds).bound
    assert 0.9 * bound < worst < bound


@pytest.mark.parametrize(
    ("n_rounds", "share"), [(1, 0.801), (10, 0.784), (100, 0.897), (1000, 0.957), (2000, 0.968)]
)
def test_the_worst_case_of_the_anytime_rates_comes_near_their_bound(n_rounds, share):
    rates = 2 * np.sqrt(math.log(2) / np.arange(1, n_rounds + 1))
    bound, worst = (
        regret.hedge_anytime(n_experts=2, n_rounds=n_rounds).bound,
        worst_case(n_rounds, rates),
    )
    assert worst / bound == pytest.approx(share, abs=1e-3)
    known = {100: (7.284, 8.117), 1000: (25.007, 26.120), 2000: (35.829, 37.025)}
    if n_rounds in known:
        assert (worst, bound) == pytest.approx(known[n_rounds], abs=1e-3)


def test_the_steeper_anytime_rates_of_the_literature_are_worse():
    rates = np.sqrt(8 * math.log(2) / np.arange(1, 2001))
    assert worst_case(2000, rates) == pytest.approx(38.005, abs=1e-3)
    assert worst_case(2000, rates) > regret.hedge_anytime(n_experts=2, n_rounds=2000).bound


def test_anytime_rates_keep_both_bounds_at_every_horizon():
    def rates(n_experts, n_rounds):
        return 2 * np.sqrt(math.log(n_experts) / np.arange(1, n_rounds + 1))

    for n_experts, n_rounds, run in every_run(rates):
        for t in (1, 2, n_rounds // 3, n_rounds):
            observed = run.learner[:t].sum() - run.losses[:t].sum(axis=0).min()
            realised = regret.hedge_anytime_realised(
                n_experts=n_experts, n_rounds=t, sum_mixability_gaps=run.gaps[:t].sum()
            )
            assert holds(realised, observed)
            assert holds(regret.hedge_anytime(n_experts=n_experts, n_rounds=t), realised.bound)


def test_doubling_keeps_its_bound_and_the_printed_step_of_its_proof_does_not():
    for n_experts, n_rounds in SIZES:
        for adversary in adversaries.family(n_experts):
            table = play(adversary, n_rounds, n_experts, 0.5).losses
            bound = regret.hedge_doubling(n_experts=n_experts, n_rounds=n_rounds)
            assert holds(bound, hedge_doubling(table).regret)
    # Erratum E2-07: two rounds of an epoch tuned to 1024 cost more than sqrt((2/2) ln 2).
    truncated = hedge([(0, 1)] * 2, math.sqrt(8 * math.log(2) / 1024)).regret
    assert truncated == pytest.approx(0.981611, abs=1e-6)
    assert truncated > math.sqrt(math.log(2))
    whole = regret.hedge_tuned(n_experts=2, n_rounds=1024)
    assert whole.bound == pytest.approx(18.8386, abs=5e-5)
    assert holds(whole, truncated)


def test_the_printed_inverse_rate_violates_its_bound_and_the_corrected_one_keeps_it():
    # Erratum E055: eta = sqrt(2 m ln n) instead of sqrt(2 ln n / m).
    printed = play(adversaries.hit_the_leader, 1000, 10, math.sqrt(2000 * math.log(10)))
    corrected = play(adversaries.hit_the_leader, 1000, 10, math.sqrt(2 * math.log(10) / 1000))
    assert printed.regret == pytest.approx(192.9, abs=0.05)
    assert printed.regret > 67.862 > corrected.regret
    assert corrected.regret == pytest.approx(3.08, abs=5e-3)


def test_unbounded_losses_keep_the_second_order_bound():
    rng = np.random.default_rng(1)
    for _ in range(30):
        run = hedge(rng.exponential(4.0, (80, 5)) * rng.integers(0, 2, (80, 5)), 0.3)
        squares = float((run.weights * run.losses**2).sum())
        bound = regret.hedge_second_order(
            n_experts=5, learning_rate=0.3, sum_weighted_squares=squares
        )
        assert holds(bound, run.regret)


def test_a_negative_loss_breaks_the_second_order_bound():
    losses = np.zeros((1, 1000))
    losses[0, 0] = -1.0
    run = hedge(losses, 30.0)
    bound = regret.hedge_second_order(
        n_experts=1000, learning_rate=30.0, sum_weighted_squares=1 / 1000
    )
    assert not holds(bound, run.regret)


def test_a_good_best_expert_makes_the_regret_small():
    rng = np.random.default_rng(2)
    for n_experts in (2, 5, 20):
        for scale in (0.0, 0.02, 0.3):
            losses = rng.random((200, n_experts)) ** 2 * np.append(scale, np.ones(n_experts - 1))
            best = losses.sum(axis=0).min()
            limit = max(best, 0.1)
            rate = regret.small_loss_learning_rate(n_experts=n_experts, best_loss_bound=limit)
            run = hedge(losses, rate)
            beta = math.exp(-rate)
            middle = regret.randomized_weighted_majority(
                best_loss=best, n_experts=n_experts, beta=beta
            )
            final = regret.hedge_small_loss(n_experts=n_experts, best_loss_bound=limit)
            assert holds(middle, run.learner.sum())
            assert middle.bound <= best + final.bound * (1 + 1e-9)


def test_a_best_expert_worse_than_promised_breaks_the_small_loss_bound():
    rate = regret.small_loss_learning_rate(n_experts=2, best_loss_bound=0.01)
    observed = worst_case(200, rate)
    assert not holds(regret.hedge_small_loss(n_experts=2, best_loss_bound=0.01), observed)


@pytest.mark.parametrize("name", ["hedge_tuned", "hedge_anytime", "hedge_doubling"])
def test_losses_ten_times_the_declared_range_break_the_bound(name):
    rates = {
        "hedge_tuned": math.sqrt(8 * math.log(2) / 200),
        "hedge_anytime": 2 * np.sqrt(math.log(2) / np.arange(1, 201)),
    }
    table = 10 * play(adversaries.hit_the_leader, 200, 2, 5.0).losses
    run = hedge_doubling(table) if name == "hedge_doubling" else hedge(table, rates[name])
    assert not holds(getattr(regret, name)(n_experts=2, n_rounds=200), run.regret)


def test_a_learner_that_only_follows_the_leader_breaks_every_bound():
    losses = [(0.5, 0.0)] + [(0.0, 1.0), (1.0, 0.0)] * 500
    follow = hedge(losses, 1e6)
    assert follow.regret > 400
    assert not holds(regret.hedge_tuned(n_experts=2, n_rounds=1001), follow.regret)


@pytest.mark.parametrize(
    ("n_rounds", "expected"), [(1, 0.5), (2, 0.5), (3, 0.75), (10, 1.230469), (100, 3.979462)]
)
def test_coins_cost_every_learner_their_mean_distance(n_rounds, expected):
    exact = regret.rademacher_regret(n_rounds=n_rounds)
    assert exact == pytest.approx(expected, abs=1e-6)
    heads = np.arange(n_rounds + 1)
    law = special.binom(n_rounds, heads) * 0.5**n_rounds
    assert exact == pytest.approx(law @ np.abs(heads - n_rounds / 2), rel=1e-12)
    bound = regret.rademacher_lower(n_rounds=n_rounds)
    assert bound.bound <= exact
    assert bound.direction == "lower"


def test_the_mean_distance_is_exact_for_ten_million_rounds():
    assert regret.rademacher_regret(n_rounds=10**7) == pytest.approx(
        math.sqrt(10**7 / (2 * math.pi)), rel=1e-6
    )


def test_no_learner_beats_the_lower_bound_and_hedge_meets_it_within_a_constant():
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, (400, 50))
    tables = np.stack([first, 1 - first], axis=2)
    regrets = [hedge(table, 0.4).regret for table in tables]
    exact = regret.rademacher_regret(n_rounds=50)
    assert abs(np.mean(regrets) - exact) < 4 * np.std(regrets) / 20
    assert worst_case(50, 0.4) >= regret.rademacher_lower(n_rounds=50).bound


def test_experts_that_agree_break_the_assumption_of_the_lower_bound():
    same = np.random.default_rng(4).integers(0, 2, (50, 1)) * np.ones((50, 2))
    assert hedge(same, 0.4).regret < regret.rademacher_lower(n_rounds=50).bound


def test_a_single_expert_costs_nothing():
    one = {"n_experts": 1}
    assert regret.randomized_weighted_majority(**one, best_loss=3.0, beta=0.5).bound <= 3.0 + 1e-9
    for name in ("randomized_weighted_majority_tuned", "hedge_tuned", "hedge_anytime"):
        assert getattr(regret, name)(**one, n_rounds=10).bound == 0.0
    assert regret.hedge(**one, n_rounds=10, learning_rate=1.0).bound == 0.0
    assert regret.hedge_doubling(**one, n_rounds=10).bound == 0.0


def test_extreme_horizons_and_sizes_give_finite_bounds():
    big = {"n_experts": 10**12, "n_rounds": 10**15}
    for name in ("hedge_tuned", "hedge_anytime", "hedge_doubling"):
        assert 0 < getattr(regret, name)(**big).bound < 1e10


@pytest.mark.parametrize("beta", [0.0, 0.49, 1.0])
def test_the_textbook_form_refuses_a_beta_outside_its_domain(beta):
    with pytest.raises(ValueError, match="beta="):
        regret.randomized_weighted_majority_textbook(best_loss=1, n_experts=2, beta=beta)


def test_the_textbook_form_fails_below_the_root_of_its_inequality():
    # -ln(beta) <= (1 - beta)(2 - beta) fails below .3162: there the printed form is too small.
    beta, n_experts = 0.05, 2
    table = [(1, 0), (0, 1)] * 50
    run = hedge(table, -math.log(beta))
    best = run.losses.sum(axis=0).min()
    printed = math.log(n_experts) / (1 - beta) + (2 - beta) * best
    tight = regret.randomized_weighted_majority(best_loss=best, n_experts=n_experts, beta=beta)
    assert printed < tight.bound
    assert holds(tight, run.learner.sum())
