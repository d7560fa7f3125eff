"""AdaHedge and Squint: fixtures, adversaries, and worlds outside their assumptions."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from reference import adversaries, squint
from reference.adahedge import adahedge, play
from reference.hedge import softmax
from surelearn.bounds import regret_adaptive

ALTERNATING = [(0, 1), (1, 0), (0, 1), (1, 0)]
SIZES = [(2, 60), (5, 150), (20, 250)]


def holds(guarantee, observed):
    return observed <= guarantee.bound + 1e-9 * (1.0 + abs(guarantee.bound))


def realised(run, t=None):
    t = len(run.learner) if t is None else t
    return regret_adaptive.adahedge_realised(
        sum_mixability_gaps=run.gap_sums[t], previous_sum_mixability_gaps=run.gap_sums[t - 1]
    )


def test_adahedge_reproduces_the_fixture():
    run = adahedge(ALTERNATING)
    np.testing.assert_allclose(run.rates[1:], [1.3862943611, 1.0846763438, 0.9020036862], atol=1e-9)
    np.testing.assert_allclose(run.weights[:, 0], [0.5, 0.8, 0.5, 0.7113610866], atol=1e-10)
    assert run.gap_sums[-1] == pytest.approx(0.8706903183, abs=1e-10)
    assert run.regret == pytest.approx(0.5113610866, abs=1e-10)
    assert realised(run).bound == pytest.approx(1.6391430322, abs=1e-9)
    a_priori = regret_adaptive.adahedge(n_experts=2, n_rounds=4)
    assert a_priori.bound == pytest.approx(2.9423152994, abs=1e-9)


def test_the_a_priori_bound_is_the_smaller_one_of_the_catalogue():
    bound = regret_adaptive.adahedge(n_experts=10, n_rounds=1500).bound
    older = math.sqrt(1500 * math.log(10)) + 4 / 3 * math.log(10) + 2
    assert bound == pytest.approx(59.8, abs=0.05)
    assert older == pytest.approx(63.8, abs=0.05)


def test_one_round_makes_the_realised_bound_an_equality():
    run = adahedge([(0, 1)])
    assert run.regret == 0.5
    assert realised(run).bound == pytest.approx(0.5, rel=1e-11)


@pytest.mark.parametrize(("n_experts", "n_rounds"), SIZES)
def test_adahedge_keeps_its_bounds_at_every_round(n_experts, n_rounds):
    for adversary in adversaries.family(n_experts):
        run = play(adversary, n_rounds, n_experts)
        for t in (1, 2, 5, n_rounds):
            observed = run.learner[:t].sum() - run.losses[:t].sum(axis=0).min()
            a_priori = regret_adaptive.adahedge(n_experts=n_experts, n_rounds=t)
            assert holds(realised(run, t), observed)
            assert holds(a_priori, realised(run, t).bound)
        variance = regret_adaptive.adahedge_second_order(n_experts=n_experts, variance=run.variance)
        best = float(run.losses.sum(axis=0).min())
        small = regret_adaptive.adahedge_small_loss(n_experts=n_experts, best_loss=best)
        assert holds(variance, run.regret)
        assert holds(small, run.regret)


def test_adahedge_needs_no_range():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scales = rng.exponential(3.0, (80, 1)) * rng.integers(0, 2, (80, 1))
        losses = -7.0 + scales * rng.random((80, 4))
        run = adahedge(losses)
        ranges = np.ptp(losses, axis=1)
        assert holds(realised(run), run.regret)
        bound = regret_adaptive.adahedge_ranges(n_experts=4, ranges=ranges)
        assert holds(bound, realised(run).bound)
        second = regret_adaptive.adahedge_second_order(
            n_experts=4, variance=run.variance, loss_range=ranges.max()
        )
        assert holds(second, run.regret)


def test_losses_beyond_the_declared_range_break_the_a_priori_bounds_but_not_the_realised_one():
    run = play(lambda t, w: 30 * adversaries.hit_the_leader(t, w), 60, 2)
    assert not holds(regret_adaptive.adahedge(n_experts=2, n_rounds=60), run.regret)
    best = float(run.losses.sum(axis=0).min()) / 30
    assert not holds(regret_adaptive.adahedge_small_loss(n_experts=2, best_loss=best), run.regret)
    tiny = regret_adaptive.adahedge_second_order(n_experts=2, variance=run.variance / 900)
    assert not holds(tiny, run.regret)
    assert not holds(regret_adaptive.adahedge_ranges(n_experts=2, ranges=np.ones(60)), run.regret)
    assert holds(realised(run), run.regret)


def test_gaps_of_another_run_do_not_certify_a_follower_of_the_leader():
    losses = np.array([(0.5, 0.0), *[(0.0, 1.0), (1.0, 0.0)] * 100])
    cumulative = np.vstack([np.zeros(2), np.cumsum(losses, axis=0)[:-1]])
    follow = sum(softmax(c, 1e6) @ loss for c, loss in zip(cumulative, losses, strict=True))
    assert not holds(realised(adahedge(losses)), follow - losses.sum(axis=0).min())


def test_identical_losses_leave_no_gap_behind():
    run = adahedge(np.full((200, 3), 0.1) * np.arange(200)[:, None])
    assert run.gap_sums[-1] == 0.0
    assert realised(run).bound == 0.0


GRID = {"learning_rates": [0.5, 0.25], "rate_weights": [0.5, 0.5]}


def test_squint_reproduces_the_fixture():
    run = squint.squint(ALTERNATING, [0.5, 0.5], [0.5, 0.25], [0.5, 0.5])
    expected = [0.5, 0.60204582, 0.50941472, 0.61075939]
    np.testing.assert_allclose(run.weights[:, 0], expected, atol=1e-8)
    np.testing.assert_allclose(run.regrets, [0.20339049, 0.20339049], atol=1e-8)
    np.testing.assert_allclose(run.variances, [0.80054970, 1.24498955], atol=1e-8)
    for variance, bound in zip(run.variances, [3.17286357, 3.39508350], strict=True):
        guarantee = regret_adaptive.squint_realised(variance=variance, prior=0.5, **GRID)
        assert guarantee.bound == pytest.approx(bound, abs=1e-7)


def squint_runs(n_experts, n_rounds):
    rng = np.random.default_rng(n_experts)
    rates = regret_adaptive.squint_rates(n_rounds=n_rounds)
    weights = np.full(len(rates), 1 / len(rates))
    for adversary in adversaries.family(n_experts):
        for prior in (np.full(n_experts, 1 / n_experts), rng.dirichlet(np.ones(n_experts))):
            run = squint.play(adversary, n_rounds, prior, rates, weights)
            yield run, prior, {"learning_rates": rates, "rate_weights": weights}


@pytest.mark.parametrize(("n_experts", "n_rounds"), [(2, 60), (5, 100), (12, 130)])
def test_squint_keeps_its_bounds_to_every_expert(n_experts, n_rounds):
    for run, prior, grid in squint_runs(n_experts, n_rounds):
        assert run.log_potential <= 1e-9
        for k in range(n_experts):
            inputs = {"variance": run.variances[k], "prior": prior[k]}
            root = regret_adaptive.squint_root(**inputs, **grid)
            best = regret_adaptive.squint_realised(**inputs, **grid)
            assert holds(root, run.regrets[k])
            assert root.bound <= best.bound * (1 + 1e-11)
            if prior[k] <= 0.5:
                closed = regret_adaptive.squint(**inputs, n_rounds=n_rounds)
                assert holds(closed, best.bound)


@pytest.mark.parametrize("size", [1, 3, 10])
def test_squint_competes_with_the_average_of_the_best_experts(size):
    for run, prior, grid in squint_runs(20, 100):
        best = np.argsort(-run.regrets)[:size]
        mass = prior[best].sum()
        shares = prior[best] / mass
        bound = regret_adaptive.squint_quantile(
            variance=shares @ run.variances[best], prior=mass, **grid
        )
        assert holds(bound, shares @ run.regrets[best])
        assert holds(bound, run.regrets[best].min())


def test_the_root_solves_the_potential_equation():
    def excess(regret):
        potential = 0.5 * math.exp(0.5 * regret - 0.25 * 9) + 0.5 * math.exp(
            0.25 * regret - 0.0625 * 9
        )
        return potential - 10.0

    exact = brentq(excess, 0, 50, xtol=1e-13)
    bound = regret_adaptive.squint_root(variance=9.0, prior=0.1, **GRID).bound
    assert exact <= bound <= exact + 1e-9


def test_a_range_of_eleven_breaks_squint():
    def hit_an_eleventh(t, _weights):
        """Give loss 11 to the next eleventh of the experts never hit before."""
        alive = np.flatnonzero(hit_at < 0)
        hit_at[alive[: max(1, len(alive) // 11)]] = t
        return 11.0 * (hit_at == t)

    hit_at = np.full(400, -1)
    run = squint.play(hit_an_eleventh, 45, np.full(400, 1 / 400), [0.5, 0.25], [0.5, 0.5])
    assert run.log_potential > 1.0
    worst = int(np.argmax(run.regrets))
    inputs = {"variance": run.variances[worst], "prior": 1 / 400}
    for name in ("squint_realised", "squint_root", "squint_quantile"):
        assert not holds(getattr(regret_adaptive, name)(**inputs, **GRID), run.regrets[worst])


def test_a_range_of_ten_breaks_the_closed_form_of_squint():
    rates = regret_adaptive.squint_rates(n_rounds=100)
    weights = np.full(len(rates), 1 / len(rates))
    tenfold = squint.play(
        lambda t, w: 10 * adversaries.hit_the_leader(t, w), 100, [0.5, 0.5], rates, weights
    )
    bound = regret_adaptive.squint(variance=100.0, prior=0.5, n_rounds=100)
    assert not holds(bound, tenfold.regrets.max())


@pytest.mark.parametrize(
    ("n_rounds", "size"), [(1, 1), (4, 1), (5, 2), (16, 2), (17, 3), (4**15, 15), (4**26 + 1, 27)]
)
def test_the_grid_of_squint_has_half_the_binary_digits_of_the_horizon(n_rounds, size):
    assert len(regret_adaptive.squint_rates(n_rounds=n_rounds)) == size


def test_degenerate_inputs():
    for name, inputs in {
        "adahedge": {"n_rounds": 9},
        "adahedge_ranges": {"ranges": [1.0, 2.0]},
        "adahedge_second_order": {"variance": 0.0},
        "adahedge_small_loss": {"best_loss": 4.0},
    }.items():
        assert getattr(regret_adaptive, name)(n_experts=1, **inputs).bound == 0.0
    assert regret_adaptive.squint_root(variance=0.0, prior=1.0, **GRID).bound < 1e-12
    assert regret_adaptive.adahedge_ranges(n_experts=5, ranges=[0.0, 0.0]).bound == 0.0


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"learning_rates": [0.6], "rate_weights": [1.0]}, "learning_rates"),
        ({"learning_rates": [0.0], "rate_weights": [1.0]}, "learning_rates"),
        ({"learning_rates": [0.5, 0.25], "rate_weights": [1.0]}, "rate_weights"),
        ({"learning_rates": [0.5, 0.25], "rate_weights": [0.5, 0.4]}, "rate_weights"),
    ],
)
def test_a_grid_outside_the_theorem_is_refused(inputs, message):
    with pytest.raises(ValueError, match=message):
        regret_adaptive.squint_realised(variance=1.0, prior=0.5, **inputs)


def test_contradicting_inputs_are_refused():
    with pytest.raises(ValueError, match="previous_sum_mixability_gaps"):
        regret_adaptive.adahedge_realised(sum_mixability_gaps=1.0, previous_sum_mixability_gaps=2.0)
    with pytest.raises(ValueError, match="variance"):
        regret_adaptive.squint(variance=11.0, prior=0.5, n_rounds=10)
    with pytest.raises(ValueError, match="prior"):
        regret_adaptive.squint(variance=1.0, prior=0.6, n_rounds=10)
