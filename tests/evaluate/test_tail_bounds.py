"""Tail bounds side by side, and Chernoff's method for moments of any kind."""

import math

import numpy as np
import pytest
from scipy import stats

from surelearn.evaluate.tail_bounds import chernoff_method, tail_bounds
from surelearn.plots.tail_bounds import plot_tail_bounds


def test_a_hundred_fair_tosses_of_the_catalogue():
    result = tail_bounds(n=100, mean=0.5, thresholds=[0.75], bits=True)
    found = {name: said[0].bound for name, said in result.guarantees.items()}
    assert found["Markov"] == pytest.approx(2 / 3, rel=1e-6)
    assert found["Chebyshev"] == pytest.approx(0.04, rel=1e-6)
    assert found["Hoeffding"] == pytest.approx(3.7267e-6, rel=1e-4)
    assert result.exact[0] == pytest.approx(2.8181e-7, rel=1e-4)
    assert not result.left_out


@pytest.mark.parametrize(("n", "mean"), [(1, 0.3), (10, 0.5), (57, 0.05), (400, 0.9)])
def test_no_bound_is_below_the_exact_tail_of_bits(n, mean):
    levels = np.linspace(mean, 1.0, 30)[1:]
    result = tail_bounds(n=n, mean=mean, thresholds=levels, bits=True)
    assert len(result.guarantees) == 8
    for name, said in result.guarantees.items():
        bounds = np.array([guarantee.bound for guarantee in said])
        assert (bounds >= result.exact * (1 - 1e-12)).all(), name


def test_the_threshold_counts_where_floats_miss_it():
    for k in range(51, 101):
        result = tail_bounds(n=100, mean=0.5, thresholds=[k / 100], bits=True)
        assert result.exact[0] == pytest.approx(stats.binom.sf(k - 1, 100, 0.5), rel=1e-12)


def test_what_is_not_known_leaves_theorems_out_and_says_so():
    result = tail_bounds(n=50, mean=0.0, thresholds=[0.3], low=-1.0, high=1.0)
    assert set(result.left_out) == {"Markov", "Chebyshev", "Cantelli", "Bernstein"}
    assert result.exact is None
    assert "needs the variance" in str(result)
    known = tail_bounds(n=50, mean=0.0, thresholds=[0.3], low=-1.0, high=1.0, variance=0.01)
    assert known.guarantees["Bernstein"][0].bound < known.guarantees["Hoeffding"][0].bound


def test_the_bounds_of_other_intervals_hold_for_uniform_variables():
    result = tail_bounds(n=3, mean=1.0, thresholds=[1.5, 2.5], low=-1.0, high=3.0, variance=4 / 3)
    draws = np.random.default_rng(0).uniform(-1, 3, size=(200_000, 3)).mean(axis=1)
    for said in result.guarantees.values():
        for level, guarantee in zip(result.thresholds, said, strict=True):
            share = np.mean(draws >= level)
            assert share - 5 * math.sqrt(share / len(draws)) <= guarantee.bound


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mean": 1.5}, "mean"),
        ({"thresholds": [0.5]}, "thresholds"),
        ({"thresholds": [1.5]}, "thresholds"),
        ({"variance": 0.3}, "variance"),
        ({"n": 0}, "n="),
        ({"bits": True, "high": 2.0}, "bits"),
    ],
)
def test_numbers_that_contradict_each_other_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        tail_bounds(**{"n": 10, "mean": 0.5, "thresholds": [0.7], **given})


def test_the_plot_draws_what_the_result_holds():
    result = tail_bounds(n=20, mean=0.5, thresholds=[0.6, 0.8], bits=True)
    ax = plot_tail_bounds(result)
    assert [line.get_label() for line in ax.lines] == [*result.guarantees, "exact"]
    np.testing.assert_array_equal(ax.lines[-1].get_ydata(), result.exact)


MOMENTS = {
    "exponential": (lambda s: -s - math.log1p(-s), 1.0, lambda t: (1 + t) * math.exp(-t)),
    "exponential, end unsaid": (
        lambda s: -s - math.log1p(-s),
        math.inf,
        lambda t: (1 + t) * math.exp(-t),
    ),
    "normal": (lambda s: s * s / 2, math.inf, lambda t: math.exp(-t * t / 2)),
    "sign": (
        lambda s: math.log(math.cosh(s)) if s < 700 else s - math.log(2),
        math.inf,
        lambda t: (
            math.exp(-((1 + t) * math.log1p(t) + (1 - t) * math.log1p(-t)) / 2) if t < 1 else 0.5
        ),
    ),
    "poisson": (
        lambda s: math.expm1(s) - s,
        math.inf,
        lambda t: math.exp(t - (1 + t) * math.log1p(t)),
    ),
}


@pytest.mark.parametrize("name", MOMENTS)
@pytest.mark.parametrize("t", [0.01, 0.5, 0.9])
def test_the_best_rate_is_found_and_never_beaten(name, t):
    log_moment, largest, best = MOMENTS[name]
    bound = chernoff_method(log_moment, t, largest_rate=largest).bound
    assert best(t) <= bound <= best(t) * (1 + 1e-8)


def test_the_number_of_the_catalogue():
    bound = chernoff_method(lambda s: -s - math.log1p(-s), 2.0)
    assert bound.bound == pytest.approx(0.4060058497, rel=1e-9)
    assert bound.bound >= 3 * math.exp(-2)
    assert bound.inputs["rate"] == pytest.approx(2 / 3, abs=1e-4)
    assert bound.theorem == "tails.chernoff"


@pytest.mark.parametrize("t", [5.0, 100.0, 1e4])
def test_far_tails_neither_overflow_nor_sink_below_the_truth(t):
    bound = chernoff_method(lambda s: -s - math.log1p(-s), t).bound
    assert bound >= math.exp(-t - 1.0)
    assert bound >= (1 + t) * math.exp(-t)


def test_a_variable_that_cannot_be_that_large_gets_a_tiny_bound():
    assert (
        chernoff_method(lambda s: math.log(math.cosh(s)) if s < 700 else s - math.log(2), 1.5).bound
        < 1e-100
    )


def test_where_no_moment_is_finite_the_bound_is_the_trivial_one():
    bound = chernoff_method(lambda _: math.inf, 3.0)
    assert bound.vacuous
    assert bound.bound == pytest.approx(1.0)
    assert chernoff_method(lambda s: s * s, 0.0).vacuous


def test_what_is_no_logarithm_of_a_moment_is_refused():
    with pytest.raises(ValueError, match="Jensen"):
        chernoff_method(lambda s: -s, 2.0)
    with pytest.raises(ValueError, match="convex"):
        chernoff_method(math.sqrt, 0.9)
    with pytest.raises(ValueError, match="deviation"):
        chernoff_method(lambda s: s * s, -1.0)
    with pytest.raises(ValueError, match="largest_rate"):
        chernoff_method(lambda s: s * s, 1.0, largest_rate=0.0)


def test_bounds_are_told_rounded_outward():
    """Cantelli's, 0.038461, was told as 0.03846."""
    result = tail_bounds(n=100, mean=0.5, thresholds=[0.75], bits=True)
    told = dict(line.split() for line in str(result).splitlines()[1:])
    for name, said in result.guarantees.items():
        assert said[-1].bound <= float(told[name]) <= 1.001 * said[-1].bound


def test_the_threshold_is_told_in_all_its_digits():
    said = tail_bounds(n=100, mean=0.5, thresholds=[0.75123456789])
    assert str(said).splitlines()[0] == "P(mean >= 0.75123456789)"
