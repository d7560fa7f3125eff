"""A Wilson gate passes models below its target too often, an exact one does not."""

from pathlib import Path

import numpy as np
from scipy import stats

from surelearn.bounds import rates
from surelearn.plots import style

N, DELTA = 25, 0.05


def wilson(k):
    """Return the lower end of Wilson's score interval, one-sided."""
    z = stats.norm.isf(DELTA)
    p, z2 = k / N, z * z
    spread = z * np.sqrt(p * (1 - p) / N + z2 / (4 * N * N))
    return (p + z2 / (2 * N) - spread) / (1 + z2 / N)


def passes(bounds, targets):
    """Return how often a model passes that is a hair below each target, summed over all counts."""
    shares = stats.binom.pmf(np.arange(N + 1), N, targets[:, None])
    return (shares * (bounds >= targets[:, None])).sum(axis=1)


def figure():
    """Draw the share of wrong passes over the target, for 25 rows."""
    title = "A Wilson gate passes models below its target too often, an exact one does not"
    drawing, (ax,) = style.new_figure(title)
    counts, targets = np.arange(N + 1), np.linspace(0.6, 0.99, 800)
    exact = np.array([rates.accuracy(correct=int(k), n=N, delta=DELTA).bound for k in counts])
    bootstrap = stats.binom.ppf(DELTA, N, counts / N) / N
    for name, bounds, colour in (
        ("percentile bootstrap", bootstrap, style.MUTED),
        ("Wilson", wilson(counts), style.BROKEN),
        ("exact", exact, style.GUARANTEED),
    ):
        ax.plot(targets, passes(bounds, targets), label=name, color=colour)
    ax.axhline(DELTA, color=style.OBSERVED, linestyle="--", label="promised: 5%")
    ax.set(xlabel="target of the gate: accuracy at least", ylabel="wrong passes, 25 rows")
    ax.set_ylim(0.0, 0.3)
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "a_wilson_gate_passes_models_below_its_target_too_often.svg"
    style.save(figure(), target / name)
