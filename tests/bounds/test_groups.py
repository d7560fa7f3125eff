"""Groups: known values, coverage of the worst and of all, what is not licensed."""

import numpy as np
import pytest

from surelearn.bounds import groups, inversions, sharing

WRONG, SIZES = [2, 3, 3, 9, 25], [50, 80, 120, 200, 400]


def test_the_worst_group_and_every_group_have_their_tabulated_bounds():
    worst = groups.worst_group(errors=WRONG, n_in_groups=SIZES, delta=0.05).bound
    assert worst == pytest.approx(0.120614, abs=6e-7)
    each = [
        groups.every_group(errors=k, n_in_group=n, n_groups=5, delta=0.05).bound
        for k, n in zip(WRONG, SIZES, strict=True)
    ]
    expected = [0.157259, 0.119836, 0.0810699, 0.0914616, 0.0963868]
    assert each == pytest.approx(expected, abs=6e-7)


def test_three_of_five_groups_are_shown_to_stay_below_a_tenth():
    p = groups.excess_p_values(errors=WRONG, n_in_groups=SIZES, rate=0.1)
    assert p == pytest.approx([0.111729, 0.035306, 0.001575, 0.003529, 0.005420], abs=6e-7)
    assert sharing.holm_sidak(p, 0.05) == (False, False, True, True, True)


def rates_and_bounds(n_groups, repetitions, delta, rng):
    risks = np.full(n_groups, 0.02)
    risks[0] = 0.1
    wrong = rng.binomial(100, risks, (repetitions, n_groups))
    return risks, wrong, inversions.binomial_upper(wrong, 100, delta)


@pytest.mark.parametrize("n_groups", [2, 5, 20])
def test_the_worst_group_is_missed_no_more_often_than_delta(n_groups):
    rng = np.random.default_rng(n_groups)
    risks, wrong, unadjusted = rates_and_bounds(n_groups, 2000, 0.1, rng)
    bound = [
        groups.worst_group(errors=row, n_in_groups=[100] * n_groups, delta=0.1).bound
        for row in wrong[:50]
    ]
    assert bound == pytest.approx(unadjusted[:50].max(axis=1))
    assert np.mean(unadjusted.max(axis=1) < risks.max()) <= 0.12


def test_unadjusted_bounds_of_single_groups_are_not_licensed_by_it():
    rng = np.random.default_rng(3)
    wrong = rng.binomial(100, 0.1, (2000, 20))
    each = inversions.binomial_upper(wrong, 100, 0.1)
    assert np.mean((each < 0.1).any(axis=1)) > 0.5
    paid = inversions.binomial_upper(wrong, 100, sharing.sidak(0.1, 20))
    assert np.mean((paid < 0.1).any(axis=1)) <= 0.12


def test_a_group_without_rows_is_not_dropped():
    assert groups.worst_group(errors=[0, 0], n_in_groups=[500, 0], delta=0.05).bound == 1.0
    small = groups.worst_group(errors=[0, 0], n_in_groups=[500, 1], delta=0.05)
    assert small.bound == pytest.approx(0.95)


@pytest.mark.parametrize(
    "inputs",
    [
        {"errors": [1, 2], "n_in_groups": [5]},
        {"errors": [6], "n_in_groups": [5]},
        {"errors": [0.5], "n_in_groups": [5]},
        {"errors": [-1], "n_in_groups": [5]},
        {"errors": [], "n_in_groups": []},
    ],
)
def test_counts_that_do_not_belong_together_are_refused(inputs):
    with pytest.raises(ValueError, match=r"errors|n_in_groups"):
        groups.worst_group(**inputs, delta=0.05)
