"""Bounds valid at every n, and betting: known values, coverage over all n, broken worlds."""

import functools
import math

import numpy as np
import pytest
from scipy import special

from surelearn.bounds import _wealth, inversions, sequences
from surelearn.evaluate.coverage import Coverage, simulate_coverage

CHECKPOINTS = np.unique(np.geomspace(1, 300, 14).astype(int))


@functools.cache
def bound_of(name, total, n, delta):
    return getattr(sequences, name)(total=total, n=n, delta=delta).bound


def most_extreme_bounds(name, losses, delta, truths):
    """Return, per path, the smallest (largest) distance from truth to bound over checkpoints."""
    totals = np.cumsum(losses, axis=1)[:, CHECKPOINTS - 1]
    truths = np.broadcast_to(truths, losses.shape)[:, CHECKPOINTS - 1]
    bounds = np.array(
        [
            [bound_of(name, float(row[i]), int(n), delta) for i, n in enumerate(CHECKPOINTS)]
            for row in totals
        ]
    )
    return (bounds - truths).max(axis=1) if "lower" in name else (bounds - truths).min(axis=1)


def anytime_coverage(name, losses, delta, truths):
    distances = most_extreme_bounds(name, losses, delta, truths)
    direction = "lower" if "lower" in name else "upper"
    return Coverage(np.zeros(len(losses)), distances, delta, direction)


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (100, [0.0372, 0.0647, 0.1374, 0.3371]),
        (500, [0.0075, 0.0285, 0.0854, 0.2620]),
        (2000, [0.0019, 0.0183, 0.0674, 0.2318]),
        (10_000, [0.0004, 0.0136, 0.0579, 0.2148]),
    ],
)
def test_the_beta_mixture_gives_the_tabulated_values(n, expected):
    totals = [0, n // 100, n // 20, n // 5]
    bounds = [sequences.beta_mixture(total=k, n=n, delta=0.05).bound for k in totals]
    assert bounds == pytest.approx(expected, abs=5.1e-5)


@pytest.mark.parametrize(("total", "expected"), [(20, 0.01865), (100, 0.06689), (400, 0.2293)])
def test_the_progressive_mixture_gives_the_tabulated_values(total, expected):
    bound = sequences.progressive_mixture(total=total, n=2000, delta=0.05).bound
    assert bound == pytest.approx(expected, abs=5e-5)


def test_the_two_sided_mixture_gives_the_tabulated_interval_and_its_closed_outer_form():
    low, high = sequences.kt_mixture_interval(total=20, n=100, log_level=math.log(20))
    assert (low, high) == pytest.approx((0.0910, 0.3516), abs=5e-5)
    budget = (math.log(20) + 0.5 * math.log(math.pi * 100.5)) / 100
    assert inversions.kl_lower(0.2, budget) <= low
    assert high <= inversions.kl_upper(0.2, budget)


def test_the_interval_is_everything_before_the_first_loss_and_sharp_at_the_corners():
    assert sequences.kt_mixture_interval(total=0, n=0, log_level=3.0) == (0.0, 1.0)
    assert sequences.kt_mixture_interval(total=0, n=9, log_level=3.0)[0] == 0.0
    assert sequences.kt_mixture_interval(total=9, n=9, log_level=3.0)[1] == 1.0


def test_the_ends_of_the_interval_are_the_roots_of_the_mixture():
    total, n, level = 7.3, 31, 4.2
    for q in sequences.kt_mixture_interval(total=total, n=n, log_level=level):
        code = total * math.log(q) + (n - total) * math.log1p(-q)
        wealth = special.betaln(total + 0.5, n - total + 0.5) - math.log(math.pi) - code
        assert wealth == pytest.approx(level, abs=1e-9)


def direct_log_wealth(total, n, p):
    """The truncated mixture by numerical integration over q < p, substituting q = sin^2."""
    angle = np.linspace(0.0, math.asin(math.sqrt(p)), 40_001)[1:]
    q = np.sin(angle - angle[0] / 2) ** 2
    return np.logaddexp.reduce(
        total * np.log(q / p) + (n - total) * (np.log1p(-q) - np.log1p(-p))
    ) - math.log(len(q))


@pytest.mark.parametrize(("total", "n"), [(0, 40), (3, 40), (39, 40), (12.7, 40), (0.3, 1)])
def test_the_truncated_mixture_equals_its_integral(total, n):
    log_wealth = _wealth.truncated_mixture(total, n)
    for p in (total / n + 0.01, 0.5 * (1 + total / n)):
        assert log_wealth(p) == pytest.approx(direct_log_wealth(total, n, p), abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 17, 400])
def test_the_beta_mixture_is_refuted_on_an_interval_for_real_totals_too(n):
    rng = np.random.default_rng(n)
    totals = [*rng.uniform(0, n, 12), *(n - 10.0 ** -np.arange(1, 8)), 0.0, n - 1.0]
    for total in totals:
        log_wealth = _wealth.truncated_mixture(float(total), n)
        grid = total / n + (1 - total / n) * np.linspace(0, 1, 400)[1:-1] ** 2
        above = np.array([log_wealth(float(p)) >= 1.0 for p in grid])
        assert (np.diff(above.astype(int)) >= 0).all()


@pytest.mark.parametrize("name", ["beta_mixture", "progressive_mixture", "kt_mixture_upper"])
@pytest.mark.parametrize("p", [0.03, 0.3])
def test_misses_at_any_n_are_at_most_delta(name, p, repetitions):
    losses = np.random.default_rng(1).random((repetitions, 300)) < p
    assert not anytime_coverage(name, losses, 0.1, p).refuted()


@pytest.mark.parametrize(
    "name", ["beta_mixture_lower", "progressive_mixture_lower", "kt_mixture_lower"]
)
def test_misses_from_below_at_any_n_are_at_most_delta(name, repetitions):
    losses = np.random.default_rng(2).random((repetitions, 300)) < 0.3
    assert not anytime_coverage(name, losses, 0.1, 0.3).refuted()


@pytest.mark.parametrize("name", ["beta_mixture", "kt_mixture_upper"])
def test_real_valued_losses_are_covered_too(name, repetitions):
    losses = np.random.default_rng(3).beta(0.3, 0.7, (repetitions // 2, 300))
    assert not anytime_coverage(name, losses, 0.1, 0.3).refuted()


def test_both_ends_of_the_interval_share_one_delta(repetitions):
    losses = np.random.default_rng(4).random((repetitions, 300)) < 0.2
    above = most_extreme_bounds("kt_mixture_upper", losses, 0.1, 0.2) < 0
    below = most_extreme_bounds("kt_mixture_lower", losses, 0.1, 0.2) > 0
    misses = np.where(above | below, -1.0, 1.0)
    assert not Coverage(np.zeros(repetitions), misses, 0.1).refuted()


def adversarial_stream(rule, repetitions, n_rounds=300, seed=5):
    """Losses whose conditional mean `rule(t, total, mean_total)` reacts to what has happened."""
    rng = np.random.default_rng(seed)
    total, mean_total = np.zeros(repetitions), np.zeros(repetitions)
    losses, means = np.empty((2, repetitions, n_rounds))
    for t in range(n_rounds):
        mean = np.broadcast_to(rule(t, total, mean_total), repetitions)
        losses[:, t] = rng.random(repetitions) < mean
        total, mean_total = total + losses[:, t], mean_total + mean
        means[:, t] = mean_total / (t + 1)
    return losses, means


ADVERSARIES = {
    "gradual drift": lambda t, _total, _means: 0.05 + 0.9 * t / 300,
    "a sudden jump": lambda t, _total, _means: 0.02 if t < 100 else 0.9,
    "silent when lucky": lambda _t, total, means: np.where(total < means - 2, 0.0, 0.3),
    "bold when lucky": lambda _t, total, means: np.where(total < means - 1, 0.9, 0.1),
    "doubling after a loss": lambda t, total, _means: np.clip(0.1 + total / (t + 9), 0.0, 0.95),
}


@pytest.mark.parametrize("rule", ADVERSARIES.values(), ids=ADVERSARIES)
def test_an_adversary_who_moves_the_mean_cannot_beat_the_progressive_mixture(rule, repetitions):
    losses, means = adversarial_stream(rule, repetitions)
    assert not anytime_coverage("progressive_mixture", losses, 0.1, means).refuted()


def test_the_progressive_mixture_speaks_of_the_average_and_not_of_the_last_mean():
    losses, _ = adversarial_stream(ADVERSARIES["a sudden jump"], 100)
    last = np.where(np.arange(300) < 100, 0.02, 0.9)
    assert anytime_coverage("progressive_mixture", losses, 0.1, last).miss_rate == 1.0


def test_peeking_breaks_clopper_pearson_and_not_the_mixture():
    losses = np.random.default_rng(6).random((400, 300)) < 0.3
    totals, n = np.cumsum(losses, axis=1), np.arange(1, 301)
    peeked = inversions.binomial_upper(totals, n, 0.05).min(axis=1)
    assert Coverage(np.full(400, 0.3), peeked, 0.05).miss_rate > 0.15
    assert not anytime_coverage("beta_mixture", losses, 0.05, 0.3).refuted()


LAWS = {
    "Bernoulli": (lambda rng, n: (rng.random(n) < 0.1).astype(float), 0.1),
    "Beta(2, 38)": (lambda rng, n: rng.beta(2, 38, n), 0.05),
    "atoms at both ends": (lambda rng, n: rng.choice([0.0, 0.2, 1.0], n, p=[0.5, 0.4, 0.1]), 0.18),
    "ones": (lambda _rng, n: np.ones(n), 1.0),
}
BETTING = ["betting", "betting_anytime", "betting_order_free", "betting_permutations"]


@pytest.mark.parametrize("name", BETTING)
@pytest.mark.parametrize("law", LAWS)
def test_betting_misses_at_most_delta(name, law, repetitions):
    draw, mean = LAWS[law]

    def experiment(rng):
        return mean, getattr(sequences, name)(losses=draw(rng, 120), delta=0.1)

    assert not simulate_coverage(experiment, repetitions=repetitions // 2).refuted()


@pytest.mark.parametrize("name", ["betting_anytime", "betting_order_free"])
def test_anytime_betting_survives_peeking(name, repetitions):
    def smallest_seen(rng):
        losses = rng.choice([0.0, 0.2, 1.0], 150, p=[0.5, 0.4, 0.1])
        seen = [getattr(sequences, name)(losses=losses[:n], delta=0.1) for n in (5, 15, 50, 150)]
        return 0.18, min(seen, key=lambda guarantee: guarantee.bound)

    assert not simulate_coverage(smallest_seen, repetitions=repetitions // 2).refuted()


@pytest.mark.parametrize(
    ("draw", "n", "betting", "order_free"),
    [
        (lambda rng: rng.beta(2, 38, 100), 100, 0.087, 0.106),
        (lambda rng: rng.beta(2, 38, 2000), 2000, 0.052, 0.054),
        (lambda rng: rng.random(500), 500, 0.527, 0.540),
        (lambda rng: 0.5 + 0.05 * rng.choice([-1.0, 1.0], 500), 500, 0.505, 0.507),
    ],
    ids=["Beta 100", "Beta 2000", "uniform 500", "two points 500"],
)
def test_low_variance_losses_give_the_tabulated_averages(draw, n, betting, order_free):
    rng = np.random.default_rng(8)
    samples = [draw(rng) for _ in range(12)]
    for name, expected in (("betting", betting), ("betting_order_free", order_free)):
        bounds = [getattr(sequences, name)(losses=x, delta=0.05).bound for x in samples]
        # Twelve draws scatter by their standard error; the grid of stakes is ours.
        tolerance = 4 * np.std(samples) / math.sqrt(12 * n) + 0.1 * (expected - np.mean(samples))
        assert np.mean(bounds) == pytest.approx(expected, abs=tolerance)


def test_with_a_moving_mean_betting_certifies_nothing():
    losses = np.repeat([0.0, 1.0], 100)
    assert sequences.betting(losses=losses, delta=0.05).bound == pytest.approx(0.040, abs=5e-4)
    honest = sequences.progressive_mixture(total=100, n=200, delta=0.05).bound
    assert honest == pytest.approx(0.611, abs=5e-4)


def test_sorting_the_losses_first_misses_always():
    def sorted_first(rng):
        return 0.3, sequences.betting(losses=np.sort(rng.random(150) < 0.3), delta=0.2)

    assert simulate_coverage(sorted_first, repetitions=50).miss_rate == 1.0


def test_reshuffling_until_the_bound_is_small_voids_it():
    def best_of_twenty(rng):
        losses = (rng.random(100) < 0.3).astype(float)
        tries = [sequences.betting(losses=rng.permutation(losses), delta=0.1) for _ in range(20)]
        return 0.3, min(tries, key=lambda guarantee: guarantee.bound)

    assert simulate_coverage(best_of_twenty, repetitions=150).miss_rate > 0.3


def test_the_final_wealth_has_mean_one_and_the_running_maximum_more():
    rng = np.random.default_rng(9)
    losses = (rng.random((4000, 50)) < 0.3).astype(float)
    bets = _wealth.plug_in_bets(losses, 50.0, math.log(10))
    wealth = np.exp(np.cumsum(_wealth._log_factors(losses, bets, 0.75, 0.3), axis=1))
    final, running = wealth[:, -1], wealth.max(axis=1)
    error = 4 / math.sqrt(4000)
    assert final.mean() - error * final.std() <= 1.0
    assert running.mean() - error * running.std() > 1.0


def test_the_order_matters_to_one_gambler_and_not_to_the_order_free_bound():
    rng = np.random.default_rng(10)
    losses = np.repeat([1.0, 0.0], [25, 475])
    orders = [rng.permutation(losses) for _ in range(51)]
    bounds = [sequences.betting(losses=x, delta=0.05).bound for x in orders]
    assert np.median(bounds) == pytest.approx(0.0782, abs=4e-3)
    assert min(bounds) < 0.055
    assert max(bounds) > 0.08
    assert len({sequences.betting_order_free(losses=x, delta=0.05).bound for x in orders}) == 1


def test_only_losses_of_one_give_one_and_only_zeros_something_small():
    for name in BETTING:
        bound = getattr(sequences, name)
        assert bound(losses=np.ones(50), delta=0.05).bound == 1.0
        assert bound(losses=[1.0], delta=0.05).bound == 1.0
        assert bound(losses=np.zeros(1000), delta=0.05).bound < 0.01
    assert sequences.beta_mixture(total=5, n=5, delta=0.05).bound == 1.0
    assert sequences.beta_mixture_lower(total=0, n=5, delta=0.05).bound == 0.0


def test_huge_samples_and_tiny_levels_stay_ordered():
    inputs = {"total": 1e5, "n": 10_000_000, "delta": 1e-17}
    uppers = [
        sequences.beta_mixture(**inputs).bound,
        sequences.kt_mixture_upper(**inputs).bound,
        sequences.progressive_mixture(**inputs).bound,
    ]
    lowers = [
        sequences.beta_mixture_lower(**inputs).bound,
        sequences.kt_mixture_lower(**inputs).bound,
        sequences.progressive_mixture_lower(**inputs).bound,
    ]
    assert all(0.01 < bound < 0.0104 for bound in uppers)
    assert all(0.0096 < bound < 0.01 for bound in lowers)


def test_one_side_costs_less_than_two():
    one = sequences.beta_mixture(total=25, n=500, delta=0.05).bound
    two = sequences.kt_mixture_upper(total=25, n=500, delta=0.05).bound
    assert inversions.binomial_upper(25, 500, 0.05) < one < two


@pytest.mark.parametrize("name", ["beta_mixture", "beta_mixture_lower"])
def test_a_delta_for_which_monotonicity_is_unproved_is_refused(name):
    with pytest.raises(ValueError, match="delta"):
        getattr(sequences, name)(total=3, n=10, delta=0.37)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sequences.betting(losses=[0.2, 1.2], delta=0.05),
        lambda: sequences.betting_order_free(losses=[], delta=0.05),
        lambda: sequences.progressive_mixture(total=11, n=10, delta=0.05),
        lambda: sequences.kt_mixture_interval(total=-1, n=10, log_level=3.0),
        lambda: sequences.kt_mixture_interval(total=1, n=10, log_level=0.0),
    ],
)
def test_inputs_outside_their_domain_are_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call()
