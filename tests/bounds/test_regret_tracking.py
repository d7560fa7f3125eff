"""Fixed share: fixtures, the best path by Viterbi, and rates outside the theorem."""

import math

import numpy as np
import pytest

from reference.fixed_share import best_path_losses, fixed_share
from surelearn.bounds import regret, regret_tracking


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def tables(n_experts, n_rounds, seed=0):
    """Yield losses: coins, a best expert that changes, a rotation, and all or nothing."""
    rng = np.random.default_rng(seed)
    yield rng.integers(0, 2, (n_rounds, n_experts)).astype(float)
    good = (np.arange(n_rounds) * 4 // n_rounds) % n_experts
    yield 0.8 * rng.random((n_rounds, n_experts)) * (np.arange(n_experts) != good[:, None])
    yield (np.arange(n_experts) == (np.arange(n_rounds) % n_experts)[:, None]).astype(float)
    yield (np.arange(n_experts) != good[:, None]).astype(float)


def test_the_fixture():
    inputs = {"n_experts": 3, "n_rounds": 100, "n_switches": 3}
    assert regret_tracking.fixed_share_switch_rate(**inputs) == pytest.approx(0.0303030303)
    assert regret_tracking.path_code_length(**inputs) == pytest.approx(16.6216557468, abs=1e-9)
    assert regret_tracking.fixed_share_learning_rate(**inputs) == pytest.approx(1.1531402602)
    assert regret_tracking.fixed_share(**inputs).bound == pytest.approx(28.8285065055, abs=1e-9)


@pytest.mark.parametrize("n_experts", [2, 5])
@pytest.mark.parametrize("n_switches", [0, 1, 3, 20, 59])
def test_the_tuned_rates_keep_the_bound_to_every_path_with_at_most_so_many_switches(
    n_experts, n_switches
):
    inputs = {"n_experts": n_experts, "n_rounds": 60, "n_switches": n_switches}
    share = regret_tracking.fixed_share_switch_rate(**inputs)
    rate = regret_tracking.fixed_share_learning_rate(**inputs)
    for losses in tables(n_experts, 60):
        run = fixed_share(losses, rate, share)
        best = best_path_losses(losses)[: n_switches + 1].min()
        assert holds(regret_tracking.fixed_share(**inputs), run.learner.sum() - best)


@pytest.mark.parametrize("n_experts", [2, 4])
def test_the_realised_bound_holds_for_all_numbers_of_switches_at_once(n_experts):
    for losses in tables(n_experts, 50):
        for rate, share in ((0.3, 0.02), (2.0, 0.2), (8.0, 0.7)):
            run = fixed_share(losses, rate, share)
            for switches, best in enumerate(best_path_losses(losses)):
                bound = regret_tracking.fixed_share_realised(
                    n_experts=n_experts,
                    n_rounds=50,
                    n_switches=switches,
                    learning_rate=rate,
                    switch_rate=share,
                    sum_mixability_gaps=run.gaps.sum(),
                )
                assert holds(bound, run.learner.sum() - best)


def test_a_large_rate_and_one_good_path_make_the_realised_bound_an_equality():
    losses = np.tile([0.0, 1.0], (20, 1))
    losses[10:] = [1.0, 0.0]
    run = fixed_share(losses, 40.0, 0.1)
    bound = regret_tracking.fixed_share_realised(
        n_experts=2,
        n_rounds=20,
        n_switches=1,
        learning_rate=40.0,
        switch_rate=0.1,
        sum_mixability_gaps=run.gaps.sum(),
    )
    assert bound.bound == pytest.approx(run.learner.sum(), rel=1e-9)


def test_a_rate_of_one_over_t_needs_no_number_of_switches():
    for n_experts in (2, 4):
        for losses in tables(n_experts, 60):
            run = fixed_share(losses, 0.8, 1.0 / np.arange(2, 61))
            for switches, best in enumerate(best_path_losses(losses)):
                inputs = {"n_experts": n_experts, "n_rounds": 60, "n_switches": switches}
                realised = regret_tracking.fixed_share_untuned_realised(
                    **inputs, learning_rate=0.8, sum_mixability_gaps=run.gaps.sum()
                )
                a_priori = regret_tracking.fixed_share_untuned(**inputs, learning_rate=0.8)
                assert holds(realised, run.learner.sum() - best)
                assert holds(a_priori, realised.bound)


def test_more_switches_than_the_rate_allows_break_the_formula_without_its_condition():
    # With S/(T-1) > (K-1)/K the prior favours switching: paths with fewer switches cost more.
    losses = np.tile([0.0, 1.0], (60, 1))
    share, cost = 58 / 59, math.log(2) + 59 * -(58 / 59 * math.log(58 / 59) - math.log(59) / 59)
    run = fixed_share(losses, math.sqrt(8 * cost / 60), share)
    observed = run.learner.sum() - losses.sum(axis=0).min()
    assert observed > math.sqrt(60 * cost / 2)
    inputs = {"n_experts": 2, "n_rounds": 60, "n_switches": 58}
    corrected = regret_tracking.fixed_share(**inputs)
    rate = regret_tracking.fixed_share_learning_rate(**inputs)
    run = fixed_share(losses, rate, regret_tracking.fixed_share_switch_rate(**inputs))
    assert corrected.bound == pytest.approx(60 * math.sqrt(math.log(2) / 2), rel=1e-9)
    assert holds(corrected, run.learner.sum() - losses.sum(axis=0).min())


def test_a_path_with_more_switches_than_declared_breaks_the_bound():
    losses = (np.arange(3) != ((np.arange(90) // 2) % 3)[:, None]).astype(float)
    inputs = {"n_experts": 3, "n_rounds": 90, "n_switches": 1}
    run = fixed_share(
        losses,
        regret_tracking.fixed_share_learning_rate(**inputs),
        regret_tracking.fixed_share_switch_rate(**inputs),
    )
    assert not holds(regret_tracking.fixed_share(**inputs), run.learner.sum())


def test_losses_beyond_the_range_break_the_bounds():
    losses = 20 * (np.arange(2) == (np.arange(60) % 2)[:, None])
    inputs = {"n_experts": 2, "n_rounds": 60, "n_switches": 2}
    share = regret_tracking.fixed_share_switch_rate(**inputs)
    rate = regret_tracking.fixed_share_learning_rate(**inputs)
    run = fixed_share(losses, rate, share)
    observed = run.learner.sum() - best_path_losses(losses)[:3].min()
    assert not holds(regret_tracking.fixed_share(**inputs), observed)
    untuned = fixed_share(losses, rate, 1.0 / np.arange(2, 61))
    observed = untuned.learner.sum() - best_path_losses(losses)[:3].min()
    bound = regret_tracking.fixed_share_untuned(**inputs, learning_rate=rate)
    assert not holds(bound, observed)


def test_no_switch_at_all_is_hedge():
    tracking = regret_tracking.fixed_share(n_experts=7, n_rounds=80, n_switches=0).bound
    assert tracking == pytest.approx(regret.hedge_tuned(n_experts=7, n_rounds=80).bound)


def test_the_code_length_never_exceeds_that_of_an_arbitrary_path():
    for n_switches in range(40):
        inputs = {"n_experts": 3, "n_rounds": 40, "n_switches": n_switches}
        assert regret_tracking.path_code_length(**inputs) <= 40 * math.log(3) + 1e-9


def test_degenerate_inputs():
    one = {"n_experts": 1, "n_rounds": 9, "n_switches": 0}
    assert regret_tracking.fixed_share(**one).bound == 0.0
    assert regret_tracking.fixed_share_untuned(**one, learning_rate=1.0).bound == 0.0
    with pytest.raises(ValueError, match="n_switches"):
        regret_tracking.fixed_share(n_experts=1, n_rounds=9, n_switches=1)
    with pytest.raises(ValueError, match="n_switches"):
        regret_tracking.fixed_share(n_experts=3, n_rounds=9, n_switches=9)
    first = {"n_experts": 2, "n_rounds": 1, "n_switches": 0}
    assert regret_tracking.fixed_share(**first).bound == pytest.approx(math.sqrt(math.log(2) / 2))
    never = {"learning_rate": 1.0, "switch_rate": 0.0, "sum_mixability_gaps": 0.0}
    two = {"n_experts": 2, "n_rounds": 9, "n_switches": 1}
    assert regret_tracking.fixed_share_realised(**two, **never).bound == math.inf
