"""Endpoints of uniform laws: exact enumeration of bias, variance and coverage."""

import itertools

import numpy as np
import pytest

from surelearn.bounds import endpoints
from surelearn.evaluate.endpoint import estimate_endpoint
from surelearn.evaluate.estimators import estimator_moments


def test_one_draw_of_the_catalogue():
    draws = range(1, 7)
    largest, unbiased = (
        estimator_moments(lambda x, f=f: getattr(estimate_endpoint(x), f), values=draws, n=1)
        for f in ("maximum_likelihood", "unbiased")
    )
    assert (largest.mean, unbiased.mean) == (3.5, pytest.approx(6.0))
    assert unbiased.variance == pytest.approx(35 / 3)
    assert estimate_endpoint([4]).unbiased == 7.0
    assert largest.bias(6.0) == -2.5


def test_the_sample_mean_of_the_catalogue_is_unbiased():
    found = estimator_moments(np.mean, values=[0, 1], probabilities=[0.7, 0.3], n=3)
    assert found.mean == pytest.approx(0.3, rel=1e-14)
    assert found.variance == pytest.approx(0.07, rel=1e-14)
    assert found.n_samples == 8


@pytest.mark.parametrize(("endpoint", "n"), [(1, 2), (4, 3), (6, 2)])
def test_with_replacement_the_estimate_is_unbiased_for_every_endpoint(endpoint, n):
    found = estimator_moments(
        lambda x: estimate_endpoint(x).unbiased, values=range(1, endpoint + 1), n=n
    )
    assert found.mean == pytest.approx(endpoint, rel=1e-12)


@pytest.mark.parametrize(("endpoint", "n"), [(4, 4), (7, 3), (9, 1)])
def test_without_replacement_the_estimate_is_unbiased_too(endpoint, n):
    samples = itertools.combinations(range(1, endpoint + 1), n)
    found = [estimate_endpoint(s, replacement=False).unbiased for s in samples]
    assert np.mean(found) == pytest.approx(endpoint, rel=1e-12)


@pytest.mark.parametrize("delta", [0.05, 0.25, 0.5])
def test_the_upper_bounds_miss_with_probability_at_most_delta_at_every_endpoint(delta):
    for endpoint, n in itertools.product((*range(1, 14), 40), (1, 2, 5)):
        m = np.arange(1, endpoint + 1)
        chances = np.diff((np.arange(endpoint + 1) / endpoint) ** n)
        missed = [endpoints.uniform(largest=k, n=n, delta=delta).bound < endpoint for k in m]
        assert chances @ missed <= delta * (1 + 1e-12)
        if n <= endpoint:
            below = np.array([np.prod([(k - j) / (endpoint - j) for j in range(n)]) for k in m])
            chances = np.diff(np.append(0.0, below))
            missed = [
                k >= n
                and endpoints.uniform_without_replacement(largest=k, n=n, delta=delta).bound
                < endpoint
                for k in m
            ]
            assert chances @ missed <= delta * (1 + 1e-9)


def test_the_upper_bound_is_the_last_endpoint_with_a_fair_chance():
    for m, n, delta in itertools.product((1, 7, 60), (1, 3, 20), (0.05, 0.25, 0.5)):
        last = endpoints.uniform(largest=m, n=n, delta=delta).bound
        assert (m / last) ** n > delta * (1 - 1e-12)
        assert (m / (last + 1)) ** n <= delta * (1 + 1e-12)
    assert endpoints.uniform(largest=1, n=1, delta=0.5).bound == 1.0  # at 2 it is exactly 1/2


def test_long_samples_and_large_numbers_end_and_stay_outside():
    for m, n in ((10**6, 10**4), (10**15, 3), (5000, 4000), (10**9, 10**6)):
        for theorem in (endpoints.uniform, endpoints.uniform_without_replacement):
            bound = theorem(largest=m, n=n, delta=0.05).bound
            assert m <= bound <= m * 0.05 ** (-1 / n) * (1 + 1e-6) + 1
    assert estimate_endpoint([2.0**52] * 3).unbiased >= 2.0**52


@pytest.mark.parametrize(
    ("draws", "said"), [([0, 3], "draws"), ([1.5], "whole"), ([], "draws"), ([2.0**53], "2\\^53")]
)
def test_what_is_no_draw_is_refused(draws, said):
    with pytest.raises(ValueError, match=said):
        estimate_endpoint(draws)


def test_the_bound_on_a_large_endpoint_is_told_in_all_digits():
    """Fifteen of them could be below the bound."""
    found = estimate_endpoint([2**52])
    assert f"at most {int(found.upper.bound)} with confidence 95%" in str(found)


def test_a_number_drawn_twice_refutes_drawing_without_replacement():
    with pytest.raises(ValueError, match="replacement=True"):
        estimate_endpoint([3, 3], replacement=False)


def test_estimators_that_cannot_be_gone_through_are_refused():
    with pytest.raises(ValueError, match="too many"):
        estimator_moments(np.mean, values=[0, 1], n=21)
    with pytest.raises(ValueError, match="sum to 1"):
        estimator_moments(np.mean, values=[0, 1], probabilities=[0.5, 0.6], n=2)
    with pytest.raises(ValueError, match="NaN"):
        estimator_moments(lambda _: np.nan, values=[0, 1], n=2)
    never = estimator_moments(
        lambda x: np.inf if x.max() else 1.0, values=[0, 1], probabilities=[1.0, 0.0], n=2
    )
    assert never.mean == 1.0
