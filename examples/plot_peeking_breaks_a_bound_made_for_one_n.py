"""Looking again and again breaks a bound made for one n, not one made for all n."""

import functools
from pathlib import Path

import numpy as np

from surelearn.bounds import concentration, sequences
from surelearn.plots import style

RISK, DELTA, PATHS = 0.1, 0.05, 1000


@functools.cache
def bounds_of(errors, n):
    exact = concentration.clopper_pearson(errors=errors, n=n, delta=DELTA)
    mixture = sequences.beta_mixture(total=errors, n=n, delta=DELTA)
    return exact.bound, mixture.bound


def ever_missed(looks):
    """Return, per bound and look, how many paths have been missed at that look or before."""
    trials = np.random.default_rng(0).random((PATHS, looks[-1])) < RISK
    errors = np.cumsum(trials, axis=1)[:, looks - 1]
    bounds = np.array(
        [[bounds_of(int(k), int(n)) for k, n in zip(row, looks, strict=True)] for row in errors]
    )
    return np.maximum.accumulate(bounds < RISK, axis=1).mean(axis=0).T


def figure():
    """Draw how often each bound has been wrong at some look so far."""
    title = "Looking again and again breaks a bound made for one n, not one made for all n"
    drawing, (ax,) = style.new_figure(title)
    looks = np.unique(np.geomspace(10, 2000, 60).astype(int))
    exact, mixture = ever_missed(looks)
    ax.plot(looks, exact, color=style.BROKEN, label="Clopper-Pearson at every look")
    ax.plot(looks, mixture, color=style.GUARANTEED, label="Beta mixture")
    ax.axhline(DELTA, color=style.OBSERVED, linestyle="--", label="what was promised: 5%")
    ax.set(xscale="log", xlabel="examples seen", ylabel="paths missed so far", ylim=(0.0, None))
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "peeking_breaks_a_bound_made_for_one_n.svg")
