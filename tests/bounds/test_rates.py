"""Rates in a condition: known values, exact references, coverage by enumeration, sharing delta."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reference import claims
from surelearn.bounds import holdout, rates, sharing

TABLE = {"true_positives": 90, "n_positive": 100, "true_negatives": 860, "n_negative": 900}


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("sensitivity", {"true_positives": 90, "n_positive": 100}, 0.836282),
        ("specificity", {"true_negatives": 860, "n_negative": 900}, 0.942535),
        (
            "positive_predictive_value",
            {"true_positives": 90, "n_predicted_positive": 130},
            0.619010,
        ),
        (
            "negative_predictive_value",
            {"true_negatives": 860, "n_predicted_negative": 870},
            0.980581,
        ),
        ("prevalence_lower", {"n_positive": 100, "n": 1000}, 0.0847848),
        ("prevalence_upper", {"n_positive": 100, "n": 1000}, 0.116992),
        ("accuracy", {"correct": 950, "n": 1000}, 1 - 0.0628634),
        ("rate_lower", {"successes": 380, "n": 400}, 0.928171),
        ("f1", {"true_positives": 90, "false_positives": 40, "false_negatives": 10}, 0.726796),
    ],
)
def test_rates_have_their_tabulated_bounds(name, inputs, expected):
    guarantee = getattr(rates, name)(**inputs, delta=0.05)
    assert guarantee.bound == pytest.approx(expected, abs=6e-7)
    assert guarantee.direction == ("upper" if name == "prevalence_upper" else "lower")


def test_sensitivity_and_specificity_together_cost_a_little():
    both = sharing.sidak(0.05, 2)
    found = rates.sensitivity(true_positives=90, n_positive=100, delta=both).bound
    spared = rates.specificity(true_negatives=860, n_negative=900, delta=both).bound
    assert (found, spared) == pytest.approx((0.823998, 0.940013), abs=6e-7)
    half = sharing.bonferroni(0.05, 2)
    found = rates.sensitivity(true_positives=90, n_positive=100, delta=half).bound
    spared = rates.specificity(true_negatives=860, n_negative=900, delta=half).bound
    assert (found, spared) == pytest.approx((0.823777, 0.939968), abs=6e-7)


def test_predictive_values_at_another_prevalence_follow_from_both():
    s, t, share = 0.8239980, 0.9400134, 0.02
    positive = rates.positive_predictive_value_at(**TABLE, prevalence=share, delta=0.05).bound
    negative = rates.negative_predictive_value_at(**TABLE, prevalence=share, delta=0.05).bound
    assert positive == pytest.approx(share * s / (share * s + (1 - share) * (1 - t)), abs=2e-6)
    assert negative == pytest.approx(
        (1 - share) * t / ((1 - share) * t + share * (1 - s)), abs=2e-6
    )


@pytest.mark.parametrize(("k", "n"), [(0, 1), (0, 12), (3, 12), (11, 12), (12, 12), (7, 30)])
def test_bounds_lie_in_the_bracket_of_exact_rationals_or_just_outside(k, n):
    low, high = claims.clopper_pearson(k, n, 0.05)
    upper = rates.rate_upper(successes=k, n=n, delta=0.05).bound
    lower = rates.rate_lower(successes=n - k, n=n, delta=0.05).bound
    assert low <= upper <= high + 1e-8
    assert 1 - high - 1e-8 <= lower <= 1 - low


def test_no_rows_give_no_claim():
    nobody = {"true_positives": 0, "false_positives": 0, "false_negatives": 0}
    assert rates.f1(**nobody, delta=0.05).vacuous
    assert rates.sensitivity(true_positives=0, n_positive=0, delta=0.05).vacuous
    assert rates.rate_upper(successes=0, n=0, delta=0.05).bound == 1.0
    empty = {**TABLE, "true_positives": 0, "n_positive": 0}
    assert rates.positive_predictive_value_at(**empty, prevalence=0.1, delta=0.05).bound == 0.0


@pytest.mark.parametrize("cells", [(0.2, 0.1, 0.1), (0.05, 0.1, 0.02), (0.5, 0.0, 0.3)])
def test_f1_misses_no_more_often_than_delta_by_enumeration(cells):
    delta, n = 0.1, 14
    found, alarms, missed = cells
    truth = 2 * found / (2 * found + alarms + missed)
    law = stats.multinomial(n, [found, alarms, missed, 1 - sum(cells)])
    missing = 0.0
    for tp, fp, fn in itertools.product(range(n + 1), repeat=3):
        if tp + fp + fn <= n:
            bound = rates.f1(
                true_positives=tp, false_positives=fp, false_negatives=fn, delta=delta
            ).bound
            missing += law.pmf([tp, fp, fn, n - tp - fp - fn]) * (bound > truth)
    assert 0.0 < missing <= delta


def test_the_lower_limit_of_f1_from_two_rates_is_worse():
    half = 0.025
    s = rates.sensitivity(true_positives=90, n_positive=100, delta=half).bound
    p = rates.positive_predictive_value(
        true_positives=90, n_predicted_positive=130, delta=half
    ).bound
    assert 2 * s * p / (s + p) == pytest.approx(0.697889, abs=1e-6)


def test_a_sample_drawn_by_class_keeps_sensitivity_and_ruins_precision():
    rng = np.random.default_rng(0)
    s, t, prevalence, n, delta = 0.9, 0.9, 0.02, 2000, 0.1
    found, alarms = rng.binomial(100, s, n), rng.binomial(100, 1 - t, n)
    levels = [rates.sensitivity(true_positives=k, n_positive=100, delta=delta).bound for k in found]
    assert np.mean(np.array(levels) > s) <= 0.12
    precision = prevalence * s / (prevalence * s + (1 - prevalence) * (1 - t))
    wrong = [
        rates.positive_predictive_value(
            true_positives=int(k), n_predicted_positive=int(k + a), delta=delta
        ).bound
        for k, a in zip(found[:50], alarms[:50], strict=True)
    ]
    assert min(wrong) > precision  # always false: such rows are not the population
    honest = [
        rates.positive_predictive_value_at(
            true_positives=int(k),
            n_positive=100,
            true_negatives=int(100 - a),
            n_negative=100,
            prevalence=prevalence,
            delta=delta,
        ).bound
        for k, a in zip(found, alarms, strict=True)
    ]
    assert np.mean(np.array(honest) > precision) <= delta


def test_one_minus_sensitivity_is_the_error_rate_of_the_class():
    lower = rates.sensitivity(true_positives=90, n_positive=100, delta=0.05).bound
    upper = holdout.class_conditional(errors=10, n_in_class=100, delta=0.05).bound
    assert 1 - lower == pytest.approx(upper, abs=1e-9)


@given(st.floats(1e-300, 1 - 1e-15), st.integers(1, 10**9))
@settings(deadline=None)
def test_levels_are_never_shared_out_too_generously(delta, n):
    level = sharing.sidak(delta, n)
    assert sharing.bonferroni(delta, n) * (1 - 1e-11) <= level <= delta
    assert n * np.log1p(-level) >= np.log1p(-delta) * (1 + 1e-15) - 1e-16


def test_holm_refutes_in_steps_and_in_the_given_order():
    assert sharing.holm([0.04, 0.01, 0.02], 0.05) == (True, True, True)
    assert sharing.holm([0.04, 0.02, 0.02], 0.05) == (False, False, False)
    assert sharing.holm([0.05], 0.05) == (True,)
    assert sharing.fixed_sequence([0.06, 0.001], 0.05) == (False, False)
    assert sharing.fixed_sequence([0.05, 0.05], 0.05) == (True, True)


@pytest.mark.parametrize("rule", [sharing.holm, sharing.holm_sidak, sharing.fixed_sequence])
def test_true_hypotheses_are_rarely_refuted_and_without_sharing_often(rule):
    rng = np.random.default_rng(1)
    p = rng.random((2000, 5))
    false_claims = np.mean([any(rule(row, 0.1)) for row in p])
    assert false_claims <= 0.12
    assert np.mean((p <= 0.1).any(axis=1)) > 0.35


@pytest.mark.parametrize(
    "call",
    [
        lambda: sharing.sidak(0.0, 2),
        lambda: sharing.sidak(0.05, 0),
        lambda: sharing.bonferroni(5e-324, 4),
        lambda: sharing.holm([0.5, 1.5], 0.05),
        lambda: sharing.holm([], 0.05),
        lambda: sharing.fixed_sequence([float("nan")], 0.05),
        lambda: rates.sensitivity(true_positives=5, n_positive=4, delta=0.05),
        lambda: rates.f1(true_positives=-1, false_positives=0, false_negatives=0, delta=0.05),
        lambda: rates.rate_lower(successes=2.5, n=4, delta=0.05),
        lambda: rates.positive_predictive_value_at(**TABLE, prevalence=1.0, delta=0.05),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(call):
    with pytest.raises(ValueError, match="must be"):
        call()
