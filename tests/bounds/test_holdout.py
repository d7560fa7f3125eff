"""Claims on a hold-out: known values, coverage, and hold-outs used as they must not be."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from surelearn.bounds import concentration, holdout, inversions
from surelearn.evaluate.coverage import Coverage, simulate_coverage


@pytest.mark.parametrize(
    ("n", "alpha", "expected"), [(59, 0.05, 59), (100, 0.1, 96), (500, 0.1, 462)]
)
def test_the_index_of_the_quantile_is_the_tabulated_one(n, alpha, expected):
    assert holdout.quantile_index(n=n, alpha=alpha, delta=0.05) == expected


def test_too_few_residuals_are_refused_with_the_number_needed():
    with pytest.raises(ValueError, match="at least 59"):
        holdout.quantile_index(n=58, alpha=0.05, delta=0.05)


@pytest.mark.parametrize("n", [7, 20, 63])
def test_the_index_is_the_smallest_that_is_rare_enough(n):
    for alpha, delta in itertools.product((0.3, 0.5), (0.1, 0.25)):
        j = holdout.quantile_index(n=n, alpha=alpha, delta=delta)
        assert special.bdtrc(j - 1, n, 1 - alpha) <= delta * (1 + 1e-9)
        assert special.bdtrc(j - 2, n, 1 - alpha) > delta


RESIDUALS = {
    "heavy tails": (lambda rng, size: np.abs(rng.standard_cauchy(size)), math.tan(0.4 * math.pi)),
    "atoms": (lambda rng, size: rng.choice([0.0, 1.0, 2.0], size, p=[0.5, 0.3, 0.2]), 1.0),
}


@pytest.mark.parametrize("law", RESIDUALS)
def test_the_quantile_is_covered_whatever_the_law(law, repetitions):
    draw, truth = RESIDUALS[law]
    index = holdout.quantile_index(n=50, alpha=0.2, delta=0.1)
    samples = draw(np.random.default_rng(1), (repetitions, 50))
    bounds = np.sort(samples, axis=1)[:, index - 1]
    guarantee = holdout.quantile(residuals=samples[0], alpha=0.2, delta=0.1)
    assert guarantee.bound == bounds[0]
    assert not Coverage(np.full(repetitions, truth), bounds, 0.1).refuted()


def test_residuals_of_the_training_rows_are_not_a_hold_out():
    def memoriser(rng):
        x, y = rng.normal(size=(60, 50)), rng.normal(size=60)
        weights = np.linalg.lstsq(x, y, rcond=None)[0]
        residuals = np.abs(y - x @ weights)
        truth = 1.2816 * math.sqrt(1 + weights @ weights)  # 80% of |N(0, 1 + |w|^2)| lie below
        return truth, holdout.quantile(residuals=residuals, alpha=0.2, delta=0.1)

    assert simulate_coverage(memoriser, repetitions=60).miss_rate == 1.0


def test_signed_residuals_are_refused():
    with pytest.raises(ValueError, match="residuals"):
        holdout.quantile(residuals=np.linspace(-1, 1, 100), alpha=0.1, delta=0.05)


def test_a_rate_within_one_class_is_covered_whatever_its_frequency(repetitions):
    rng = np.random.default_rng(2)
    sizes = rng.binomial(60, 0.15, repetitions)
    errors = rng.binomial(sizes, 0.3)
    bounds = [
        holdout.class_conditional(errors=int(k), n_in_class=int(n), delta=0.1).bound
        for k, n in zip(errors, sizes, strict=True)
    ]
    assert not Coverage(np.full(repetitions, 0.3), np.array(bounds), 0.1).refuted()


def test_a_class_without_rows_is_bounded_by_one():
    assert holdout.class_conditional(errors=0, n_in_class=0, delta=0.05).bound == 1.0


def test_pretending_that_the_class_was_the_whole_hold_out_breaks_the_rate():
    def wrong_denominator(rng):
        n_in_class = int(rng.binomial(60, 0.5))
        errors = int(rng.binomial(n_in_class, 0.3))
        return 0.3, holdout.class_conditional(errors=errors, n_in_class=60, delta=0.1)

    assert simulate_coverage(wrong_denominator, repetitions=200).refuted()


@pytest.mark.parametrize(
    ("n", "expected"), [(10, 0.36866333), (100, 0.12066569), (1000, 0.03853384)]
)
def test_all_thresholds_gives_the_tabulated_values(n, expected):
    assert holdout.all_thresholds(n=n, delta=0.05).bound == pytest.approx(expected, abs=5e-9)


@pytest.mark.parametrize(
    ("n", "delta"), [(1, 0.05), (2, 0.9), (7, 1e-10), (300, 0.3), (2000, 0.01)]
)
def test_all_thresholds_agrees_with_the_law_of_smirnov_and_massart(n, delta):
    bound = holdout.all_thresholds(n=n, delta=delta).bound
    assert special.smirnovi(n, delta) <= bound
    assert special.smirnov(n, bound) == pytest.approx(delta, rel=1e-6)
    if delta <= 0.5:
        assert bound < math.sqrt(math.log(1 / delta) / (2 * n))


def test_every_threshold_is_covered_at_once_exactly(repetitions):
    scores = np.sort(np.random.default_rng(3).random((repetitions, 30)), axis=1)
    excess = (scores - np.arange(30) / 30).max(axis=1)  # F - F_n is largest just before a jump
    bound = holdout.all_thresholds(n=30, delta=0.1).bound
    result = Coverage(excess, np.full(repetitions, bound), 0.1)
    assert not result.refuted()
    assert result.miss_rate > 0.05


def test_a_bound_for_one_threshold_does_not_cover_all():
    rng = np.random.default_rng(4)
    scores = np.sort(rng.random((400, 100)), axis=1)
    excess = (scores - np.arange(100) / 100).max(axis=1)
    assert special.bdtr(41, 100, 0.5) <= 0.05  # at t = 1/2 alone an excess of 0.09 is enough
    assert Coverage(excess, np.full(400, 0.09), 0.05).refuted()


def discordant_counts(rng, repetitions, n, p_first, p_second):
    draws = rng.multinomial(n, [p_first, p_second, 1 - p_first - p_second], size=repetitions)
    return draws[:, 0], draws[:, 1]


@pytest.mark.parametrize("p_second", [0.05, 0.2])
def test_the_difference_of_two_models_is_covered(p_second, repetitions):
    rng = np.random.default_rng(5)
    counts = zip(*discordant_counts(rng, repetitions, 80, 0.1, p_second), strict=True)
    bounds = [
        holdout.error_difference(
            only_first_wrong=int(b), only_second_wrong=int(c), n=80, delta=0.1
        ).bound
        for b, c in counts
    ]
    assert not Coverage(np.full(repetitions, 0.1 - p_second), np.array(bounds), 0.1).refuted()


def test_the_exact_test_of_mcnemar_keeps_its_size(repetitions):
    rng = np.random.default_rng(6)
    counts = zip(*discordant_counts(rng, repetitions, 80, 0.1, 0.1), strict=True)
    p_values = [
        holdout.mcnemar(only_first_wrong=int(b), only_second_wrong=int(c)) for b, c in counts
    ]
    assert not Coverage(np.full(repetitions, 0.1), np.array(p_values), 0.1).refuted()


def test_naming_the_better_model_first_after_looking_doubles_the_size():
    rng = np.random.default_rng(7)
    counts = np.sort(np.array(discordant_counts(rng, 2000, 400, 0.1, 0.1)), axis=0).T
    p_values = [
        holdout.mcnemar(only_first_wrong=int(b), only_second_wrong=int(c)) for b, c in counts
    ]
    assert Coverage(np.full(2000, 0.1), np.array(p_values), 0.1).refuted()


def test_models_that_never_differ_are_not_distinguished():
    assert holdout.mcnemar(only_first_wrong=0, only_second_wrong=0) == 1.0
    assert holdout.mcnemar(only_first_wrong=0, only_second_wrong=10) == pytest.approx(2.0**-10)
    with pytest.raises(ValueError, match="only_second_wrong"):
        holdout.error_difference(only_first_wrong=6, only_second_wrong=5, n=10, delta=0.05)


def test_the_modes_of_reuse_give_the_tabulated_values():
    once = {"errors": 30, "n": 1000, "delta": 0.05}
    assert holdout.family(**once, n_models=1).bound == pytest.approx(0.0404722, abs=5e-8)
    assert holdout.family(**once, n_models=10).bound == pytest.approx(0.0468025, abs=5e-8)
    assert holdout.gate(**once, n_queries=10).bound == pytest.approx(0.0468025, abs=5e-8)
    large = {"errors": 500, "n": 10_000, "delta": 0.05}
    shown = [
        holdout.ladder(**large, n_queries=queries, n_levels=levels).bound
        for queries, levels in ((10, 10), (20, 20), (50, 20))
    ]
    assert shown == pytest.approx([0.0617, 0.0673, 0.0721], abs=5e-5)


@pytest.mark.parametrize(
    ("n_models", "expected"), [(10, 0.0639), (100, 0.0680), (1000, 0.0716), (10**6, 0.0807)]
)
def test_many_models_cost_little(n_models, expected):
    bound = holdout.family(errors=100, n=2000, delta=0.05, n_models=n_models).bound
    assert bound == pytest.approx(expected, abs=5e-5)


def test_one_query_costs_nothing_in_any_mode_but_the_ladder():
    inputs = {"errors": 3, "n": 50, "delta": 0.05}
    exact = concentration.clopper_pearson(**inputs).bound
    for bound in (holdout.family(**inputs, n_models=1), holdout.gate(**inputs, n_queries=1)):
        assert bound.bound == pytest.approx(exact, rel=1e-9)
    assert holdout.transcripts(**inputs, n_queries=1).bound == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(("queries", "levels"), [(1, 1), (3, 2), (4, 3), (5, 2)])
def test_the_ladder_pays_for_every_transcript_there_is(queries, levels):
    nodes = sum(
        len(set(itertools.combinations_with_replacement(range(levels, -1, -1), asked)))
        for asked in range(queries)
    )
    assert nodes == math.comb(queries + levels, levels + 1)
    paid = holdout.ladder(errors=3, n=50, delta=0.05, n_queries=queries, n_levels=levels).bound
    assert paid == pytest.approx(float(inversions.binomial_upper(3, 50, 0.05 / nodes)), rel=1e-9)


def test_a_thousand_bits_of_answers_are_paid_for_without_underflow():
    bound = holdout.transcripts(errors=100, n=10_000, delta=0.05, n_queries=2000).bound
    chernoff = inversions.kl_upper(0.01, (2000 * math.log(2) + math.log(20)) / 10_000)
    assert 0.95 * chernoff < bound < chernoff


def test_the_best_of_twenty_models_is_covered_by_the_family_only(repetitions):
    best = np.random.default_rng(8).binomial(500, 0.1, (repetitions, 20)).min(axis=1)
    paid = [holdout.family(errors=int(k), n=500, delta=0.05, n_models=20).bound for k in best]
    naive = inversions.binomial_upper(best, 500, 0.05)
    truth = np.full(repetitions, 0.1)
    assert not Coverage(truth, np.array(paid), 0.05).refuted()
    assert Coverage(truth, naive, 0.05).miss_rate > 0.4


def test_a_gate_is_passed_by_a_bad_model_at_most_as_often_as_promised(repetitions):
    rng = np.random.default_rng(9)
    levels = np.array(
        [holdout.gate(errors=k, n=200, delta=0.1, n_queries=8).bound for k in range(201)]
    )
    missed = np.zeros(repetitions, dtype=bool)
    for run in range(repetitions):
        risk = 0.1
        for _ in range(8):
            bound = levels[rng.binomial(200, risk)]
            if bound <= 0.099:  # passed: the only number that leaves the gate
                missed[run] = risk > bound
                break
            risk = 0.1 + 0.02 * rng.random()  # the developer reacts to the fail
    assert not Coverage(missed.astype(float), np.zeros(repetitions), 0.1).refuted()


def climb(labels, rng, n_queries, n_levels):
    """Query random classifiers, keeping every change that lowers the score shown; return scores."""
    guess, shown, scores = rng.random(len(labels)) < 0.5, np.inf, []
    for _ in range(n_queries):
        changed = np.where(rng.random(len(labels)) < 0.3, ~guess, guess)
        scores.append(np.count_nonzero(changed != labels))
        rounded = math.ceil(n_levels * min(scores) / len(labels))
        if rounded < shown:
            guess, shown = changed, rounded
    return scores


def test_a_climber_on_the_ladder_is_covered(repetitions):
    rng = np.random.default_rng(10)
    best = [min(climb(rng.random(60) < 0.5, rng, 12, 6)) for _ in range(repetitions // 2)]
    bounds = [
        holdout.ladder(errors=k, n=60, delta=0.1, n_queries=12, n_levels=6).bound for k in best
    ]
    assert not Coverage(np.full(len(best), 0.5), np.array(bounds), 0.1).refuted()


def vote_of_the_lucky(rng, n, n_classifiers):
    """Flip the random classifiers that are worse than chance on the hold-out; let all vote."""
    right = rng.random((n_classifiers, n)) < 0.5
    lucky = np.where(right.mean(axis=1, keepdims=True) < 0.5, ~right, right)
    return int(np.count_nonzero(lucky.sum(axis=0) <= n_classifiers / 2))


def test_adaptive_reuse_needs_more_than_bonferroni():
    rng = np.random.default_rng(11)
    errors = [vote_of_the_lucky(rng, 1000, 201) for _ in range(20)]
    assert np.mean(errors) / 1000 == pytest.approx(0.365, abs=0.02)
    queries = {"n": 1000, "delta": 0.05}
    bonferroni = [holdout.family(errors=k, **queries, n_models=202).bound for k in errors]
    honest = [holdout.transcripts(errors=k, **queries, n_queries=202).bound for k in errors]
    assert Coverage(np.full(20, 0.5), np.array(bonferroni), 0.05).miss_rate == 1.0
    assert Coverage(np.full(20, 0.5), np.array(honest), 0.05).misses == 0


def test_the_errors_of_leave_one_out_are_not_trials():
    def parity_of_all_other_labels(rng):
        labels = rng.integers(0, 2, 100)
        predictions = (labels.sum() - labels) % 2
        errors = int(np.count_nonzero(predictions != labels))
        return 0.5, concentration.clopper_pearson(errors=errors, n=100, delta=0.05)

    assert simulate_coverage(parity_of_all_other_labels, repetitions=200).miss_rate > 0.4


def split_by_label(labels, rng):
    """Return half of the rows of every class, odd rows going to either side in turn."""
    order = np.argsort(labels + rng.random(len(labels)))
    return order[::2], order[1::2]


@pytest.mark.parametrize(("stratified", "refuted"), [(True, True), (False, False)])
def test_a_hold_out_stratified_by_the_labels_is_void(stratified, refuted):
    def most_frequent_class(rng):
        labels = rng.integers(0, 50, 400)
        rows = rng.permutation(400)
        train, test = split_by_label(labels, rng) if stratified else (rows[:200], rows[200:])
        prediction = np.bincount(labels[train]).argmax()
        errors = int(np.count_nonzero(labels[test] != prediction))
        return 0.98, concentration.clopper_pearson(errors=errors, n=200, delta=0.05)

    assert simulate_coverage(most_frequent_class, repetitions=400).refuted() == refuted


PLANS = [
    (0.0, 0.01, 299),
    (0.0, 0.05, 59),
    (0.005, 0.01, 1182),
    (0.02, 0.03, 846),
    (0.05, 0.06, 1580),
    (0.05, 0.07, 478),
    (0.1, 0.12, 750),
    (0.2, 0.22, 1195),
]


@pytest.mark.parametrize(("error", "target", "expected"), PLANS)
def test_the_planned_hold_out_is_the_smallest_that_certifies(error, target, expected):
    assert holdout.plan_holdout(target=target, error=error, delta=0.05) == expected
    sizes = np.arange(1, expected + 1)
    bounds = inversions.binomial_upper(np.ceil(error * sizes - 1e-9), sizes, 0.05)
    assert bounds[-1] <= target
    assert (bounds[:-1] > target).all()


def test_an_error_above_its_target_cannot_be_certified():
    with pytest.raises(ValueError, match="error"):
        holdout.plan_holdout(target=0.05, error=0.05, delta=0.05)


@pytest.mark.parametrize(
    ("accuracy", "n_models", "expected"), [(0.1, 1, 185), (0.01, 1, 18445), (0.1, 10, 300)]
)
def test_hoeffding_plans_the_sizes_of_the_sources(accuracy, n_models, expected):
    planned = holdout.plan_holdout_hoeffding(accuracy=accuracy, delta=0.05, n_models=n_models)
    assert planned == expected
    bound = concentration.hoeffding_two_sided(n=planned, delta=0.05 / n_models).bound
    assert bound <= accuracy
