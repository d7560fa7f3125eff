"""Finite classes, Occam, boxes and no free lunch: values, coverage, broken assumptions."""

import itertools
import math

import numpy as np
import pytest
from scipy import special

from reference.tightest_box import tightest_box
from surelearn.bounds import concentration, pac
from surelearn.evaluate.coverage import Coverage, simulate_coverage


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("finite_class_realizable", {"n_hypotheses": 1000, "n": 100}, 0.09903488),
        ("finite_class_realizable_exact", {"n_hypotheses": 1000, "n": 94}, 0.0999962),
        ("finite_class_agnostic", {"n_hypotheses": 100, "n": 1000}, 0.064397),
        ("finite_class_agnostic", {"n_hypotheses": 11, "n": 50}, 0.246714),
        ("erm_excess", {"n_hypotheses": 100, "n": 1000}, 0.128795),
        ("occam_hoeffding", {"n": 1000, "bits": 1.0}, 0.046808),
        ("occam_hoeffding", {"n": 1000, "bits": 10.0}, 0.072871),
        ("occam_hoeffding", {"n": 1000, "bits": 37.0}, 0.121110),
        ("occam", {"errors": 23, "n": 569, "bits": 49.72}, 0.148387),
        ("rectangle", {"n": 176, "dimension": 2}, 4 * math.log(80) / 176),
    ],
)
def test_catalogue_values(name, inputs, expected):
    assert getattr(pac, name)(**inputs, delta=0.05).bound == pytest.approx(expected, abs=1e-6)


def test_mdl_bits_of_the_catalogue():
    assert pac.mdl_bits(bits=37.0, errors=3, n=100) == pytest.approx(60.961, abs=5e-4)
    count = pac.mdl_bits(bits=0.0, errors=0, n=100)
    places = pac.mdl_bits(bits=0.0, errors=3, n=100) - count
    assert (count, places) == pytest.approx((6.658, 17.303), abs=5e-4)
    assert pac.mdl_bits(bits=0.0, errors=0, n=1) == 1.0


def test_equal_weights_make_occam_the_finite_class_bound():
    inputs = {"n": 1000, "delta": 0.05}
    bits = math.log2(100)
    code = pac.occam_hoeffding(bits=bits, **inputs).bound
    assert code == pytest.approx(pac.finite_class_agnostic(n_hypotheses=100, **inputs).bound)
    consistent = pac.finite_class_realizable_exact(n_hypotheses=100, **inputs).bound
    assert pac.occam(errors=0, bits=bits, **inputs).bound == pytest.approx(consistent)
    excess = pac.structural_risk(bits=bits, **inputs).bound
    assert excess == pytest.approx(pac.erm_excess(n_hypotheses=100, **inputs).bound)


def test_no_bits_make_occam_a_plain_hold_out_bound():
    exact = concentration.clopper_pearson(errors=5, n=100, delta=0.05).bound
    assert pac.occam(errors=5, n=100, bits=0.0, delta=0.05).bound == pytest.approx(exact)
    chernoff = concentration.kl_chernoff(mean=0.05, n=100, delta=0.05).bound
    assert pac.occam_losses(mean=0.05, n=100, bits=0.0, delta=0.05).bound == pytest.approx(chernoff)


def test_the_exact_inversion_is_the_sharpest_occam_bound():
    inputs = {"n": 1000, "bits": 37.0, "delta": 0.05}
    exact = pac.occam(errors=50, **inputs).bound
    chernoff = pac.occam_losses(mean=0.05, **inputs).bound
    hoeffding = 0.05 + pac.occam_hoeffding(**inputs).bound
    assert exact < chernoff < hoeffding == pytest.approx(0.171110, abs=1e-6)


def test_the_omitted_ln_2_only_makes_the_printed_penalty_larger():
    printed = 0.05 + math.sqrt((37 + math.log(2 / 0.05)) / 2000)
    assert printed == pytest.approx(0.192634, abs=1e-6)
    assert printed > 0.05 + pac.occam_hoeffding(n=1000, bits=37.0, delta=0.05).bound


def test_structural_risk_prefers_the_small_tree_on_few_examples_and_the_large_on_many():
    def score(mean, n, bits):
        return mean + pac.occam_hoeffding(n=n, bits=bits, delta=0.05).bound

    assert (score(0.3, 20, 9), score(0.05, 20, 37)) == pytest.approx((0.7982, 0.9064), abs=5e-5)
    assert (score(0.3, 1000, 9), score(0.05, 1000, 37)) == pytest.approx((0.3705, 0.1711), abs=5e-5)


def test_a_class_of_any_size_and_a_code_of_any_length_are_computed():
    assert pac.finite_class_realizable(n_hypotheses=2**5000, n=10**6, delta=0.05).bound < 0.004
    assert 0.0 < pac.occam(errors=0, n=10**6, bits=5000.0, delta=1e-17).bound < 0.004
    assert pac.occam(errors=7, n=7, bits=3.0, delta=0.05).bound == 1.0
    assert pac.finite_class_realizable_exact(n_hypotheses=10**9, n=1, delta=0.05).bound <= 1.0
    assert pac.finite_class_realizable(n_hypotheses=10**9, n=1, delta=0.05).vacuous


def test_losses_of_another_range_scale_the_bound():
    inputs = {"n_hypotheses": 10, "n": 100, "delta": 0.05}
    scaled = pac.erm_excess(**inputs, loss_range=7.0)
    assert scaled.bound == pytest.approx(7.0 * pac.erm_excess(**inputs).bound)
    assert scaled.trivial == 7.0


def independent_rules(rng, repetitions, n, risks):
    """Return the training errors of rules whose errors are independent of one another.

    Rule i says bit i of x, the target says 0, the bits are independent: the union bound is
    nearly attained.
    """
    return rng.binomial(n, risks, size=(repetitions, len(risks)))


@pytest.mark.parametrize("name", ["finite_class_realizable", "finite_class_realizable_exact"])
def test_consistent_rules_are_bad_with_probability_at_most_delta(name, repetitions):
    rng = np.random.default_rng(0)
    risks = np.repeat([0.02, 0.05, 0.1, 0.2], 50)
    errors = independent_rules(rng, repetitions, 60, risks)
    worst = np.where(errors == 0, risks, 0.0).max(axis=1)
    bound = getattr(pac, name)(n_hypotheses=200, n=60, delta=0.2).bound
    assert not Coverage(worst, np.full(repetitions, bound), 0.2).refuted()


def test_independent_rules_nearly_attain_the_exact_bound():
    n, size, delta = 100, 1000, 0.05
    risk = pac.finite_class_realizable_exact(n_hypotheses=size, n=n, delta=delta).bound
    failure = -math.expm1(size * math.log1p(-((1 - risk) ** n)))
    assert 0.97 * delta < failure <= delta


def test_an_atom_stays_unseen_as_often_as_the_bounds_say():
    unseen = (1 - 0.01) ** 100
    assert unseen == pytest.approx(0.3660323413)
    exact = pac.finite_class_realizable_exact(n_hypotheses=1, n=100, delta=unseen).bound
    textbook = pac.finite_class_realizable(n_hypotheses=1, n=100, delta=math.exp(-1)).bound
    assert exact == pytest.approx(0.01) == pytest.approx(textbook)


def threshold_grid_errors(rng, repetitions, n, noise, size=11):
    """Return training errors and risks of thresholds on a grid; the target is the middle one."""
    x = rng.integers(size - 1, size=(repetitions, n))
    target = size // 2
    y = (x >= target) ^ (rng.random((repetitions, n)) < noise)
    rules = np.arange(size)
    errors = ((x[:, :, None] >= rules) != y[:, :, None]).sum(axis=1)
    return errors, noise + (1 - 2 * noise) * np.abs(rules - target) / (size - 1)


def test_deviation_and_excess_hold_on_a_grid_of_thresholds(repetitions):
    errors, risks = threshold_grid_errors(np.random.default_rng(1), repetitions, 50, 0.2)
    inputs = {"n_hypotheses": 11, "n": 50, "delta": 0.05}
    deviation = np.abs(errors / 50 - risks).max(axis=1)
    bound = pac.finite_class_agnostic(**inputs).bound
    assert not Coverage(deviation, np.full(repetitions, bound), 0.05).refuted()
    excess = risks[errors.argmin(axis=1)] - risks.min()
    bound = pac.erm_excess(**inputs).bound
    assert not Coverage(excess, np.full(repetitions, bound), 0.05).refuted()


def test_deviation_and_excess_hold_for_independent_rules(repetitions):
    risks = np.append(np.full(60, 0.5), 0.45)
    errors = independent_rules(np.random.default_rng(2), repetitions, 40, risks)
    inputs = {"n_hypotheses": 61, "n": 40, "delta": 0.2}
    deviation = np.abs(errors / 40 - risks).max(axis=1)
    bound = pac.finite_class_agnostic(**inputs).bound
    assert not Coverage(deviation, np.full(repetitions, bound), 0.2).refuted()
    excess = risks[errors.argmin(axis=1)] - 0.45
    assert not Coverage(excess, np.full(repetitions, pac.erm_excess(**inputs).bound), 0.2).refuted()


def test_a_representative_sample_makes_every_minimiser_nearly_optimal():
    risks, training = np.array([0.30, 0.35]), np.array([0.34, 0.33])
    representative = np.abs(risks - training).max()
    assert representative == pytest.approx(0.04)
    assert risks[training.argmin()] - risks.min() <= 2 * representative


@pytest.mark.parametrize("name", ["finite_class_realizable", "finite_class_realizable_exact"])
def test_noisy_labels_break_realizability_and_the_check_notices(name):
    errors, risks = threshold_grid_errors(np.random.default_rng(3), 400, 100, 0.2)
    bound = getattr(pac, name)(n_hypotheses=11, n=100, delta=0.05).bound
    assert Coverage(risks[errors.argmin(axis=1)], np.full(400, bound), 0.05).refuted()


@pytest.mark.parametrize("name", ["finite_class_agnostic", "occam_hoeffding"])
def test_copied_rows_break_independence_and_the_check_notices(name):
    errors, risks = threshold_grid_errors(np.random.default_rng(4), 400, 10, 0.3)
    deviation = np.abs(errors / 10 - risks).max(axis=1)  # each of the ten rows fifty times
    size = {"n_hypotheses": 11} if "class" in name else {"bits": math.log2(11)}
    bound = getattr(pac, name)(n=500, delta=0.05, **size).bound
    assert Coverage(deviation, np.full(400, bound), 0.05).refuted()


def test_copied_rows_break_the_consistent_and_the_minimising_rule():
    rng = np.random.default_rng(5)
    risks = np.full(200, 0.1)
    errors = independent_rules(rng, 400, 10, risks)
    worst = np.where(errors == 0, risks, 0.0).max(axis=1)
    for bound in (pac.finite_class_realizable, pac.finite_class_realizable_exact):
        claimed = bound(n_hypotheses=200, n=500, delta=0.05).bound
        assert Coverage(worst, np.full(400, claimed), 0.05).refuted()
    risks = np.append(np.full(199, 0.4), 0.1)
    errors = independent_rules(rng, 400, 10, risks)
    excess = risks[errors.argmin(axis=1)] - 0.1
    claimed = pac.erm_excess(n_hypotheses=200, n=1000, delta=0.05).bound
    assert Coverage(excess, np.full(400, claimed), 0.05).refuted()
    claimed = pac.structural_risk(bits=math.log2(200), n=1000, delta=0.05).bound
    assert Coverage(excess, np.full(400, claimed), 0.05).refuted()


RISKS = np.full(40, 0.3)
BITS = np.arange(1.0, 41.0)  # weights 1/2, 1/4, ...


def occam_tables(n, delta):
    """Return for every rule and number of errors the exact and the kl bound."""
    counts = range(n + 1)
    exact = [[pac.occam(errors=k, n=n, bits=b, delta=delta).bound for k in counts] for b in BITS]
    chernoff = [
        [pac.occam_losses(mean=k / n, n=n, bits=b, delta=delta).bound for k in counts] for b in BITS
    ]
    return np.array(exact), np.array(chernoff)


def test_occam_holds_for_all_rules_at_once(repetitions):
    n, delta = 30, 0.2
    errors = independent_rules(np.random.default_rng(6), repetitions, n, RISKS)
    for table in occam_tables(n, delta):
        smallest = table[np.arange(40), errors].min(axis=1)
        assert not Coverage(np.full(repetitions, 0.3), smallest, delta).refuted()
    penalty = np.array([pac.occam_hoeffding(n=n, bits=b, delta=delta).bound for b in BITS])
    beyond = (np.abs(errors / n - RISKS) - penalty).max(axis=1)
    assert not Coverage(beyond, np.zeros(repetitions), delta).refuted()


def test_weights_chosen_after_looking_break_occam_and_the_check_notices():
    n, delta = 30, 0.2
    errors = independent_rules(np.random.default_rng(7), 400, n, RISKS)
    for table in occam_tables(n, delta):
        largest_weight = table[0][errors.min(axis=1)]  # the best rule is renamed "the first"
        assert Coverage(np.full(400, 0.3), largest_weight, delta).refuted()


def test_copied_rows_break_occam_and_the_check_notices():
    errors = np.random.default_rng(8).binomial(10, 0.3, size=400)  # each row fifty times
    for bound in (
        [pac.occam(errors=50 * k, n=500, bits=1.0, delta=0.1).bound for k in range(11)],
        [pac.occam_losses(mean=k / 10, n=500, bits=1.0, delta=0.1).bound for k in range(11)],
    ):
        assert Coverage(np.full(400, 0.3), np.array(bound)[errors], 0.1).refuted()


def test_structural_risk_is_near_every_rule_by_twice_its_penalty(repetitions):
    n, delta = 60, 0.2
    risks = np.linspace(0.5, 0.1, 40)
    errors = independent_rules(np.random.default_rng(9), repetitions, n, risks)
    penalty = np.array([pac.occam_hoeffding(n=n, bits=b, delta=delta).bound for b in BITS])
    excess = np.array([pac.structural_risk(n=n, bits=b, delta=delta).bound for b in BITS])
    chosen = risks[(errors / n + penalty).argmin(axis=1)]
    beyond = (chosen[:, None] - risks - excess).max(axis=1)
    assert not Coverage(beyond, np.zeros(repetitions), delta).refuted()


def box_experiment(bound, n, delta, concept):
    def experiment(rng):
        x = rng.random((n, 2))
        low, high = tightest_box(x, concept(x))
        fresh = rng.random((2000, 2))
        inside = ((fresh >= low) & (fresh <= high)).all(axis=1)
        return float(np.mean(inside != concept(fresh))), bound(n=n, dimension=2, delta=delta)

    return experiment


def middle_box(x):
    return ((x >= 0.2) & (x <= 0.8)).all(axis=1)


def two_corners(x):
    return (x <= 0.3).all(axis=1) | (x >= 0.7).all(axis=1)


def test_the_tightest_box_is_within_its_bound(repetitions):
    rng = np.random.default_rng(10)
    area = np.empty(repetitions)
    for i in range(repetitions):
        x = rng.random((176, 2))
        low, high = tightest_box(x, middle_box(x))
        area[i] = 0.36 - np.prod(high - low)
    assert area.mean() == pytest.approx(0.0223, abs=2e-3)
    for bound in (pac.rectangle, pac.rectangle_exact):
        claimed = bound(n=176, dimension=2, delta=0.05).bound
        assert not Coverage(area, np.full(repetitions, claimed), 0.05).refuted()


@pytest.mark.parametrize("bound", [pac.rectangle, pac.rectangle_exact])
def test_a_concept_that_is_no_box_breaks_the_bound_and_the_check_notices(bound):
    experiment = box_experiment(bound, 176, 0.05, two_corners)
    assert simulate_coverage(experiment, repetitions=100).refuted()


def test_no_positive_example_gives_the_empty_box():
    low, high = tightest_box([[0.0, 1.0]], [False])
    assert not ((low <= 0.5) & (high >= 0.5)).any()


def memorise(labelling, sample, domain_size):
    """Return the predictions of the learner that repeats what it saw and says 1 elsewhere."""
    predictions = np.ones(domain_size)
    predictions[list(sample)] = labelling[list(sample)]
    return predictions


def errors_of_memorising(domain_size, n):
    """Return the error for every labelling (rows) and every sample (columns)."""
    labellings = [np.array(f) for f in itertools.product([0, 1], repeat=domain_size)]
    samples = list(itertools.product(range(domain_size), repeat=n))
    return np.array(
        [[np.mean(memorise(f, s, domain_size) != f) for s in samples] for f in labellings]
    )


@pytest.mark.parametrize(
    ("domain_size", "n", "average", "worst"),
    [(2, 1, 0.25, 0.5), (4, 2, 0.28125, 0.5625), (6, 3, 0.2893518519, 0.5787037)],
)
def test_no_free_lunch_equals_the_enumeration_for_the_learner_that_memorises(
    domain_size, n, average, worst
):
    errors = errors_of_memorising(domain_size, n)
    bound = pac.no_free_lunch_average(domain_size=domain_size, n=n).bound
    assert bound == pytest.approx(average) == pytest.approx(errors.mean())
    assert errors.mean(axis=1).max() == pytest.approx(worst)
    probability = (errors > 1 / 8).mean(axis=1).max()
    assert 1 / 7 - 1e-9 <= pac.no_free_lunch(domain_size=domain_size, n=n).bound <= probability


def test_no_free_lunch_on_a_domain_of_eight():
    assert pac.no_free_lunch_average(domain_size=8, n=2).bound == pytest.approx(0.3828125)
    assert errors_of_memorising(8, 2).mean() == pytest.approx(0.3828125)


def test_no_free_lunch_tends_to_its_limit_and_stops_when_all_is_seen():
    far = pac.no_free_lunch_average(domain_size=2 * 10**7, n=10**7).bound
    assert far == pytest.approx(0.5 * math.exp(-0.5), rel=1e-7)
    assert pac.no_free_lunch_average(domain_size=1, n=1).bound == 0.0
    assert pac.no_free_lunch_average(domain_size=1, n=0).bound == pytest.approx(0.5)
    assert pac.no_free_lunch(domain_size=2, n=50).vacuous


def test_a_learner_that_knows_the_labelling_is_constant_eats_for_free():
    constants = [np.zeros(4), np.ones(4)]  # not all labellings: the assumption is broken
    errors = [
        np.mean(np.full(4, f[s[0]]) != f)
        for f in constants
        for s in itertools.product(range(4), repeat=2)
    ]
    assert np.mean(errors) < pac.no_free_lunch_average(domain_size=4, n=2).bound
    assert np.mean(np.array(errors) > 1 / 8) < pac.no_free_lunch(domain_size=4, n=2).bound


@pytest.mark.parametrize(
    ("n", "error", "delta", "expected"),
    [(10, 0.4, 0.95, 140), (10, 0.45, 0.99, 711), (100, 0.4, 0.95, 700), (0, 0.25, 0.5, 1)],
)
def test_the_domain_on_which_every_learner_fails_is_the_smallest(n, error, delta, expected):
    found = pac.plan_no_free_lunch_domain(n=n, error=error, delta=delta)
    sizes = np.arange(n + 1, expected + 1)
    fails = special.bdtrc(np.ceil(error * sizes) - 1, sizes - n, 0.5) >= delta
    assert found == expected == sizes[np.argmax(fails)]


def test_learners_do_fail_on_that_domain(repetitions):
    rng = np.random.default_rng(11)
    size = pac.plan_no_free_lunch_domain(n=10, error=0.4, delta=0.95)
    unseen = [size - len(np.unique(rng.integers(size, size=10))) for _ in range(repetitions)]
    errors = rng.binomial(unseen, 0.5) / size
    failed = np.where(errors >= 0.4, 0.0, 1.0)
    assert not Coverage(failed, np.full(repetitions, 0.5), 0.05).refuted()


def test_no_domain_makes_every_learner_worse_than_a_coin():
    with pytest.raises(ValueError, match="error"):
        pac.plan_no_free_lunch_domain(n=10, error=0.5, delta=0.1)
