"""From online losses to risk: known values, many streams, and what is not certified."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from surelearn.bounds import concentration, inversions, online_to_batch
from surelearn.evaluate.coverage import Coverage


def test_the_tight_deviation_is_half_the_printed_one_and_still_holds_exactly():
    bound = online_to_batch.hoeffding_azuma(mean_loss=0.5, n_rounds=200, delta=0.05).bound
    assert bound - 0.5 == pytest.approx(0.08654, abs=5e-6)
    printed = math.sqrt(2 * math.log(20) / 200)
    assert printed == pytest.approx(0.17308, abs=5e-6)

    def failure(deviation):
        return stats.binom.cdf(math.ceil(200 * (0.5 - deviation)) - 1, 200, 0.5)

    assert failure(bound - 0.5) == pytest.approx(0.00657, abs=5e-6)
    assert failure(printed) == pytest.approx(4.2e-7, rel=0.02)


def test_the_loss_range_scales_the_deviation_and_bounds_the_mean():
    inputs = {"n_rounds": 100, "delta": 0.1}
    unit = online_to_batch.hoeffding_azuma(mean_loss=0.2, **inputs).bound
    wide = online_to_batch.hoeffding_azuma(mean_loss=1.0, loss_range=5, **inputs).bound
    assert wide == pytest.approx(5 * unit)
    with pytest.raises(ValueError, match="mean_loss"):
        online_to_batch.hoeffding_azuma(mean_loss=1.5, **inputs)


@pytest.mark.parametrize(("total", "expected"), [(20, 0.01865), (100, 0.06689), (400, 0.2293)])
def test_progressive_validation_gives_its_tabulated_values(total, expected):
    inputs = {"total_loss": total, "n_rounds": 2000, "delta": 0.05}
    bound = online_to_batch.progressive_validation(**inputs).bound
    assert bound == pytest.approx(expected, abs=6e-5)
    azuma = online_to_batch.hoeffding_azuma(mean_loss=total / 2000, n_rounds=2000, delta=0.05)
    assert (bound < azuma.bound) == (total < 400)


def test_a_total_above_the_number_of_rounds_is_refused():
    with pytest.raises(ValueError, match="total_loss"):
        online_to_batch.progressive_validation(total_loss=11, n_rounds=10, delta=0.05)


def threshold_stream(repetitions, n_rounds, seed, *, jump, noise=0.1, drift=0.0):
    """Run a threshold learner on many streams; return risks before each round, and its losses.

    x is uniform, the label is [x > target], flipped with probability `noise`; on a mistake the
    threshold moves the fraction `jump` of the way to x. The target moves by `drift` in all.
    """
    rng = np.random.default_rng(seed)
    threshold = np.full(repetitions, 0.9)
    risks, losses = np.empty((2, n_rounds + 1, repetitions))
    for t in range(n_rounds + 1):
        target = 0.3 + drift * t / n_rounds
        risks[t] = noise + (1 - 2 * noise) * np.abs(threshold - target)
        x = rng.random(repetitions)
        label = (x > target) ^ (rng.random(repetitions) < noise)
        losses[t] = (x > threshold) != label
        threshold += losses[t] * jump * (x - threshold)
    return risks, losses[:-1]


def certificates(losses, delta):
    totals, n = losses.sum(axis=0), len(losses)
    azuma = totals / n + online_to_batch.hoeffding_azuma(mean_loss=0, n_rounds=n, delta=delta).bound
    table = {
        total: online_to_batch.progressive_validation(
            total_loss=total, n_rounds=n, delta=delta
        ).bound
        for total in np.unique(totals)
    }
    return azuma, np.array([table[total] for total in totals])


@pytest.mark.parametrize("drift", [0.0, 0.6])
def test_the_average_conditional_risk_is_certified_even_under_drift(drift, repetitions):
    risks, losses = threshold_stream(repetitions, 150, seed=1, jump=0.3, drift=drift)
    for bounds in certificates(losses, 0.2):
        assert not Coverage(risks[:-1].mean(axis=0), bounds, 0.2).refuted()


def test_progressive_validation_may_be_read_after_every_round(repetitions):
    risks, losses = threshold_stream(repetitions, 60, seed=2, jump=0.3)
    n = np.arange(1, 61)[:, None]
    totals, averages = np.cumsum(losses, axis=0), np.cumsum(risks[:-1], axis=0) / n
    bounds = np.array(
        [
            [
                online_to_batch.progressive_validation(total_loss=k, n_rounds=m, delta=0.2).bound
                for k in range(m + 1)
            ]
            + [1.0] * (60 - m)
            for m in range(1, 61)
        ]
    )
    margin = np.min(bounds[n - 1, totals.astype(int)] - averages, axis=0)
    assert not Coverage(np.zeros(repetitions), margin, 0.2).refuted()


def test_the_last_model_is_not_certified_and_can_be_worse_far_too_often():
    risks, losses = threshold_stream(400, 400, seed=3, jump=0.9)
    for bounds in certificates(losses, 0.05):
        assert Coverage(risks[-1], bounds, 0.05).refuted()
        assert not Coverage(risks[:-1].mean(axis=0), bounds, 0.05).refuted()


def test_under_drift_the_past_says_nothing_about_the_risk_now():
    rng = np.random.default_rng(4)
    probabilities = np.repeat([0.05, 0.5], 200)[:, None]
    losses = (rng.random((400, 400)) < probabilities).astype(float)
    for bounds in certificates(losses, 0.05):
        assert not Coverage(np.full(400, 0.275), bounds, 0.05).refuted()
        assert Coverage(np.full(400, 0.5), bounds, 0.05).miss_rate == 1.0


def test_judging_a_model_after_it_has_learnt_the_example_voids_both_bounds():
    losses_after_the_update = np.zeros((100, 400))  # a memoriser of fair coin flips
    for bounds in certificates(losses_after_the_update, 0.05):
        assert Coverage(np.full(400, 0.5), bounds, 0.05).refuted()


class HedgeWorld:
    """Ten constant experts predict a biased coin under absolute loss; Hedge averages them."""

    def __init__(self, repetitions, n_rounds, seed, *, copied=False):
        rng = np.random.default_rng(seed)
        experts = np.linspace(0.05, 0.95, 10)
        shape = (1 if copied else n_rounds, repetitions)
        outcomes = np.broadcast_to(rng.random(shape) < 0.4, (n_rounds, repetitions))
        losses = np.abs(outcomes[:, :, None] - experts)
        before = np.cumsum(losses, axis=0) - losses
        rate = math.sqrt(8 * math.log(10) / n_rounds)
        weights = np.exp(-rate * (before - before.min(axis=2, keepdims=True)))
        weights /= weights.sum(axis=2, keepdims=True)
        paid = np.sum(weights * losses, axis=(0, 2))
        risks = 0.4 * (1 - experts) + 0.6 * experts
        self.regrets = paid - losses.sum(axis=0).min(axis=1)
        self.excesses = weights.mean(axis=0) @ risks - risks.min()

    def bounds(self, name, n_rounds, delta):
        bound = getattr(online_to_batch, name)
        inputs = {"n_rounds": n_rounds, "delta": delta}
        return np.array([bound(regret=regret, **inputs).bound for regret in self.regrets])


EXCESS_BOUNDS = pytest.mark.parametrize("name", ["average_hypothesis_excess", "paired_excess"])


@EXCESS_BOUNDS
def test_the_averaged_model_of_hedge_is_as_good_as_promised(name, repetitions):
    world = HedgeWorld(repetitions, 80, seed=5)
    assert not Coverage(world.excesses, world.bounds(name, 80, 0.3), 0.3).refuted()
    ahead = online_to_batch.hedge_excess(n_experts=10, n_rounds=80, delta=0.3).bound
    assert not Coverage(world.excesses, np.full(repetitions, ahead), 0.3).refuted()


@EXCESS_BOUNDS
def test_a_stream_of_copies_breaks_the_excess_bounds(name):
    world = HedgeWorld(200, 1000, seed=6, copied=True)
    assert Coverage(world.excesses, world.bounds(name, 1000, 0.05), 0.05).refuted()
    ahead = online_to_batch.hedge_excess(n_experts=10, n_rounds=1000, delta=0.05).bound
    assert Coverage(world.excesses, np.full(200, ahead), 0.05).refuted()


def test_hedge_has_its_catalogue_value_and_the_printed_one_is_nearly_twice_as_large():
    tight = online_to_batch.hedge_excess(n_experts=10, n_rounds=1000, delta=0.05).bound
    printed = math.sqrt(math.log(10) / 1000) + 2 * math.sqrt(2 * math.log(40) / 1000)
    assert tight == pytest.approx(0.119825, abs=5e-7)
    assert printed == pytest.approx(0.219773, abs=5e-7)
    inputs = {"regret": math.sqrt(500 * math.log(10)), "n_rounds": 1000, "delta": 0.05}
    assert online_to_batch.average_hypothesis_excess(**inputs).bound == pytest.approx(tight)
    assert online_to_batch.paired_excess(**inputs).bound == pytest.approx(0.111335, abs=5e-7)


def test_the_average_of_two_perfect_models_is_worthless_if_the_loss_is_not_convex():
    models = np.tile([0.0, 1.0], 200)
    wrong = (models > 0.25) & (models < 0.75)  # this loss forbids only what lies between
    risk_of_average = float(0.25 < models.mean() < 0.75)
    inputs = {"regret": float(wrong.sum()), "n_rounds": 400, "delta": 0.05}
    assert not online_to_batch.average_hypothesis_excess(**inputs).allows(risk_of_average)
    assert not online_to_batch.paired_excess(**inputs).allows(risk_of_average)


def halving_errors(n_examples, target=2):
    """Return the error of Halving over thresholds on {0..3} after all samples of that size."""
    concepts = [[int(x >= j) for x in range(4)] for j in range(5)]

    def predict(pool, x):
        return int(2 * sum(c[x] for c in pool) > len(pool))

    errors = []
    for sample in itertools.product(range(4), repeat=n_examples):
        pool = [c for c in concepts if all(c[x] == concepts[target][x] for x in sample)]
        errors.append(np.mean([predict(pool, x) != concepts[target][x] for x in range(4)]))
    return np.mean(errors)


def test_random_stopping_of_halving_has_its_exact_catalogue_value_below_the_bound():
    by_size = [halving_errors(t) for t in range(5)]
    bound = online_to_batch.random_stopping(mistake_bound=2, n=4)
    assert np.mean(by_size[1:]) == pytest.approx(0.128173828125)
    assert np.mean(by_size[:-1]) == pytest.approx(0.1083984375)
    assert bound.allows(np.mean(by_size[1:]))


def test_random_stopping_fails_for_coin_flips_which_no_mistake_bound_covers():
    assert not online_to_batch.random_stopping(mistake_bound=2, n=20).allows(0.5)


def suffix_world(repetitions, seed, n=240):
    """Return risks of the three snapshots and their errors on what followed, in many runs."""
    rng = np.random.default_rng(seed)
    starts = online_to_batch.suffix_snapshots(n=n)
    risks = rng.uniform(0.15, 0.25, (repetitions, 3))
    late = np.diff(starts, append=n)
    errors = np.zeros((repetitions, 3), dtype=int)
    for end, size in enumerate(late):
        x = rng.random((repetitions, size))
        for snapshot in range(end + 1):
            errors[:, snapshot] += np.sum(x < risks[:, snapshot, None], axis=1)
    return risks, errors


def best_snapshots(risks, errors, level, n=240):
    sizes = n - np.array(online_to_batch.suffix_snapshots(n=n))
    bounds = inversions.binomial_upper(errors, sizes, level)
    rows = np.arange(len(risks))
    best = bounds.argmin(axis=1)
    return risks[rows, best], bounds[rows, best]


def test_the_best_snapshot_is_certified_if_delta_is_split(repetitions):
    risks, errors = suffix_world(repetitions, seed=7)
    truths, bounds = best_snapshots(risks, errors, 0.2 / 3)
    assert not Coverage(truths, bounds, 0.2).refuted()
    first = online_to_batch.last_iterate_suffix(errors=errors[0], n=240, delta=0.2)
    assert first.bound == bounds[0]


def test_the_best_snapshot_without_the_split_misses_too_often():
    risks, errors = suffix_world(4000, seed=8)
    assert Coverage(*best_snapshots(risks, errors, 0.2), 0.2).refuted()


def test_a_snapshot_that_has_seen_its_suffix_is_certified_wrongly():
    rng = np.random.default_rng(9)
    flips = rng.integers(2, size=400)
    memory = dict(enumerate(flips))  # a coin cannot be predicted, but it can be remembered
    starts = online_to_batch.suffix_snapshots(n=400)
    errors = [sum(memory[i] != flips[i] for i in range(s, 400)) for s in starts]
    assert not online_to_batch.last_iterate_suffix(errors=errors, n=400, delta=0.05).allows(0.5)


def test_the_suffix_bound_names_the_snapshot_and_refuses_impossible_counts():
    guarantee = online_to_batch.last_iterate_suffix(errors=[60, 5, 10], n=400, delta=0.05)
    assert "after 300 examples" in guarantee.quantity
    exact = concentration.clopper_pearson(errors=5, n=100, delta=0.05 / 3).bound
    assert guarantee.bound == pytest.approx(exact)
    for wrong in ([1, 2], [0, 0, 51], [0.5, 0, 0], [math.nan, 0, 0]):
        with pytest.raises(ValueError, match="errors"):
            online_to_batch.last_iterate_suffix(errors=wrong, n=400, delta=0.05)
