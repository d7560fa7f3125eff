"""Margin bounds: known values, a world where the margin is all there is, and broken assumptions."""

import math

import numpy as np
import pytest

from surelearn.bounds import margin
from surelearn.evaluate.coverage import Coverage


def short_rows(*, margins, delta):
    return margin.rademacher_data_dependent(margins=margins, mean_squared_norm=1.0, delta=delta)


THEOREMS = [margin.rademacher, short_rows, margin.pac_bayes_margin]
every_theorem = pytest.mark.parametrize("theorem", THEOREMS)


@pytest.mark.parametrize(("n", "ramp", "gauss"), [(1000, 0.4073, 0.2074), (10_000, 0.1314, 0.0330)])
def test_margins_of_a_fifth_give_the_tabulated_values(n, ramp, gauss):
    margins = np.full(n, 0.2)
    assert margin.rademacher(margins=margins, delta=0.05).bound == pytest.approx(ramp, abs=5e-5)
    assert margin.pac_bayes_margin(margins=margins, delta=0.05).bound == pytest.approx(
        gauss, abs=5e-5
    )


def test_short_rows_pay_for_their_length_and_not_for_the_radius():
    inputs = {"margins": np.full(10_000, 0.1), "delta": 0.05}
    assert margin.rademacher_data_dependent(**inputs, mean_squared_norm=0.01).bound < 0.11
    assert margin.rademacher(**inputs).bound > 0.21
    longest = margin.rademacher_data_dependent(**inputs, mean_squared_norm=1.0)
    assert longest.bound > margin.rademacher(**inputs).bound


@every_theorem
def test_no_margin_no_claim(theorem):
    assert theorem(margins=np.zeros(1000), delta=0.05).vacuous
    assert theorem(margins=[-1.0], delta=0.05).vacuous


@every_theorem
def test_larger_margins_never_give_a_larger_bound(theorem):
    rng = np.random.default_rng(0)
    margins = rng.uniform(-0.2, 0.9, 500)
    worse = theorem(margins=margins, delta=0.05).bound
    assert theorem(margins=margins + 0.1, delta=0.05).bound <= worse


@every_theorem
@pytest.mark.parametrize("bad", [[0.1, 1.5], [0.1, math.nan], [], [[0.1]]])
def test_what_is_no_margin_is_refused(theorem, bad):
    with pytest.raises(ValueError, match="margins"):
        theorem(margins=bad, delta=0.05)


def test_the_rounding_error_of_a_normalisation_is_no_offence():
    assert margin.rademacher(margins=[1.0 + 1e-12] * 9, delta=0.05).bound > 0.0


def test_very_many_margins_are_rounded_down_at_no_visible_cost():
    margins = np.linspace(0.05, 0.95, 40_000)
    coarse = margin.pac_bayes_margin(margins=margins, delta=0.05).bound
    exact = margin.pac_bayes_margin(margins=np.repeat(margins[::2], 2), delta=0.05).bound
    assert exact <= coarse <= 1.003 * exact


# The world in which the margin is all there is: an example is one of D orthogonal unit vectors, its
# label is arbitrary, and the weights are the sum of what was seen. Seen vectors have margin
# 1/sqrt(number seen), unseen ones score 0 and are errors.


def orthogonal_world(rng, n, dimension, frequencies=None):
    seen = np.unique(rng.choice(dimension, size=n, p=frequencies))
    law = np.full(dimension, 1.0 / dimension) if frequencies is None else frequencies
    return np.full(n, 1.0 / math.sqrt(len(seen))), 1.0 - law[seen].sum()


@every_theorem
@pytest.mark.parametrize(("n", "dimension"), [(60, 2), (400, 12), (200, 400)])
def test_misses_are_at_most_delta_among_orthogonal_examples(theorem, n, dimension, repetitions):
    rng = np.random.default_rng(1)
    worlds = [orthogonal_world(rng, n, dimension) for _ in range(repetitions)]
    seen = {m[0] for m, _ in worlds}
    bounds = {m: theorem(margins=np.full(n, m), delta=0.3).bound for m in seen}
    truths = np.array([risk for _, risk in worlds])
    assert not Coverage(truths, np.array([bounds[m[0]] for m, _ in worlds]), 0.3).refuted()


@every_theorem
def test_all_directions_are_covered_at_once(theorem):
    rng = np.random.default_rng(2)
    angles = np.linspace(0.0, math.pi, 9)
    directions = np.stack([np.cos(angles), np.sin(angles)])
    risks = 0.1 + 0.8 * angles / math.pi
    worst, slack = [], []
    for _ in range(60):
        turn = rng.uniform(0.0, 2.0 * math.pi, 300)
        X = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        signs = np.where(X[:, 0] > 0, 1.0, -1.0) * np.where(rng.random(300) < 0.1, -1.0, 1.0)
        bounds = [theorem(margins=signs * (X @ w), delta=0.3).bound for w in directions.T]
        worst.append(np.max(risks - bounds))
        slack.append(bounds[0])
    assert not Coverage(np.array(worst), np.zeros(60), 0.3).refuted()
    assert np.mean(slack) < 1.0


@every_theorem
def test_features_made_from_the_labels_break_the_bound(theorem):
    # The map phi(x) = the label of x in the training set gives every example the margin 1, and
    # says nothing about fresh examples of random labels.
    assert not theorem(margins=np.ones(1000), delta=0.05).allows(0.5)


def test_a_radius_taken_too_small_breaks_the_bound():
    # Orthogonal examples of norm 1 seen once each: dividing by a radius of 1/sqrt(n), not 1, gives
    # margins of 1 to weights that are right on nothing fresh.
    margins, risk = orthogonal_world(np.random.default_rng(3), 900, 100_000)
    assert risk > 0.98
    assert not margin.rademacher(
        margins=margins * math.sqrt(len(margins)) * 0.9, delta=0.05
    ).allows(risk)
    assert margin.rademacher(margins=margins, delta=0.05).allows(risk)
