"""Losses of any size: a sure bound holds and scales with them, from 1e-300 to 1e300."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from surelearn import AdaHedge, Doubling, FixedShare, Hedge, Squint

MAKERS = {
    "AdaHedge": lambda _: AdaHedge(),
    "Hedge, at any time": lambda s: Hedge(loss_range=(0.0, s)),
    "Hedge, tuned": lambda s: Hedge(horizon=12, loss_range=(0.0, s)),
    "Hedge, fixed": lambda s: Hedge(learning_rate=0.7 / s, loss_range=(0.0, s)),
    "FixedShare": lambda s: FixedShare(loss_range=(0.0, s)),
    "FixedShare, tuned": lambda s: FixedShare(horizon=12, n_switches=2, loss_range=(0.0, s)),
    "Squint": lambda s: Squint(loss_range=(0.0, s)),
    "Doubling": lambda s: Doubling(Hedge(loss_range=(0.0, s))),
}
TABLES = arrays(np.float64, (12, 3), elements=st.floats(0.0, 1.0, width=32))
EXPONENTS = st.integers(-300, 300)


@pytest.mark.parametrize("name", MAKERS)
@given(unit=TABLES, exponent=EXPONENTS)
@settings(max_examples=40, deadline=None)
def test_the_bounds_hold_and_the_weights_do_not_depend_on_the_size_of_losses(name, unit, exponent):
    scale = 10.0**exponent
    widths = np.maximum.accumulate(np.ptp(unit, axis=1)) * scale
    if 0.0 < widths[4] < 1e-299 or 0.0 < widths[-1] < 1e-299:
        return  # the first rounds, or all of them, are refused
    plain, scaled = MAKERS[name](1.0), MAKERS[name](scale)
    plain.learn(unit)
    scaled.learn(unit[:5] * scale)
    scaled.learn(unit[5:] * scale)
    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=1e-6, atol=1e-9)
    for small, ours in zip(plain.certificates(), scaled.certificates(), strict=True):
        assert ours.observed <= ours.bound * (1.0 + 1e-9)
        assert ours.bound == pytest.approx(small.bound * scale, rel=1e-6, abs=1e-9 * scale)
        assert math.isclose(ours.recompute(), ours.bound, rel_tol=1e-12)


@pytest.mark.parametrize("name", [name for name in MAKERS if name != "Doubling"])
@pytest.mark.parametrize("scale", [1e-290, 1e-170, 1e170, 1e290])
def test_sleepers_at_any_scale(name, scale):
    rng = np.random.default_rng(0)
    losses, awake = rng.random((40, 3)), rng.random((40, 3)) < 0.6
    plain, scaled = MAKERS[name](1.0), MAKERS[name](scale)
    plain.learn(losses, awake=awake)
    scaled.learn(losses * scale, awake=awake)
    np.testing.assert_allclose(scaled.weights, plain.weights, rtol=1e-6)
    for certificate in scaled.certificates():
        assert certificate.observed <= certificate.bound * (1.0 + 1e-9)


def test_a_run_that_begins_with_tiny_losses_goes_on_with_large_ones():
    tiny, large = np.array([[0.0, 1e-250]] * 3), np.array([[1e200, 0.0], [0.0, 1e100]])
    learner, at_once = AdaHedge(), AdaHedge()
    learner.learn(tiny)
    for row in large:
        learner.update(row)
    at_once.learn(np.vstack([tiny, large]))
    assert learner.regret_ == pytest.approx(at_once.regret_)
    for certificate in learner.certificates():
        assert certificate.observed <= certificate.bound


@pytest.mark.parametrize(
    ("learner", "losses"),
    [
        (AdaHedge(), [[0.0, 1e-305]]),
        (AdaHedge(), [[0.0, 5e-324]]),
        (AdaHedge(), [[-1.7e308, 1.7e308]]),
        (AdaHedge(), [[0.0, 1.7e308]] * 3),
        (Hedge(loss_range=(0.0, 1e-305)), [[0.0, 0.0]]),
        (Squint(loss_range=(-1.7e308, 1.7e308)), [[0.0, 0.0]]),
        (Squint(loss_range=(0.0, 1e-310)), [[0.0, 0.0]]),
        (Squint(prior=[1.0, 1e-200]), [[0.0, 0.0]]),
        (FixedShare(loss_range=(0.0, 5e-324)), [[0.0, 0.0]]),
    ],
    ids=repr,
)
def test_losses_beyond_what_floats_can_do_are_refused_and_nothing_is_learnt(learner, losses):
    with pytest.raises(ValueError, match=r"[Rr]escale|rounding"):
        learner.learn(losses)
    assert not hasattr(learner, "state_")


def test_a_prior_of_huge_weights_is_still_a_distribution():
    learner = Squint(prior=[1e308, 1e308, 1e308])
    learner.learn([[0.0, 1.0, 0.5]])
    assert learner.prior_.tolist() == pytest.approx([1 / 3] * 3)


def test_squint_states_its_bounds_at_extreme_ranges():
    for scale in (1e-170, 1e170):
        learner = Squint(loss_range=(0.0, scale))
        learner.learn(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]) * scale)
        bounds = [certificate.bound / scale for certificate in learner.certificates()]
        plain = Squint()
        plain.learn([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
        assert bounds == pytest.approx([certificate.bound for certificate in plain.certificates()])


@pytest.mark.parametrize("n_experts", [12, 17])
def test_the_weights_do_not_depend_on_where_arrays_lie_in_memory(n_experts):
    learner, elsewhere, seen = AdaHedge(), [], set()
    learner.learn(np.random.default_rng(n_experts).random((40, n_experts)))
    for size in np.random.default_rng(0).integers(1, 3000, 200):
        elsewhere.append(np.empty(size))
        seen.add(learner.weights.tobytes())
    assert len(seen) == 1
