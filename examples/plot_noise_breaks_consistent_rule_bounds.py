"""A little label noise breaks consistent-rule bounds, but not Occam's."""

from pathlib import Path

import numpy as np

from surelearn.bounds import pac
from surelearn.plots import style

N, SIZE, DELTA, REPETITIONS = 200, 21, 0.05, 2000


def miss_rates(rng, noise):
    """Return how often each bound on the best of 21 thresholds is below its risk."""
    x = rng.integers(SIZE - 1, size=(REPETITIONS, N))
    y = (x >= SIZE // 2) ^ (rng.random((REPETITIONS, N)) < noise)
    errors = np.stack([((x >= rule) != y).sum(axis=1) for rule in range(SIZE)], axis=1)
    best = errors.argmin(axis=1)
    risk = noise + (1 - 2 * noise) * np.abs(best - SIZE // 2) / (SIZE - 1)
    consistent = pac.finite_class_realizable_exact(n_hypotheses=SIZE, n=N, delta=DELTA).bound
    bits = np.log2(SIZE)
    occam = [pac.occam(errors=k, n=N, bits=bits, delta=DELTA).bound for k in range(N + 1)]
    return np.mean(risk > consistent), np.mean(risk > np.array(occam)[errors.min(axis=1)])


def figure():
    """Draw the simulated miss rates of both bounds over the noise in the labels."""
    title = "A little label noise breaks consistent-rule bounds, but not Occam's"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    noise = np.linspace(0.0, 0.06, 13)
    rates = np.array([miss_rates(rng, p) for p in noise])
    ax.plot(noise, rates[:, 0], color=style.BROKEN, marker="o", label="consistent-rule bound")
    ax.plot(noise, rates[:, 1], color=style.OBSERVED, marker="o", label="Occam")
    ax.axhline(DELTA, color=style.GUARANTEED, linestyle="--", label="allowed: delta = 0.05")
    ax.set(xlabel="probability of a wrong label", ylabel="bounds below the true risk")
    ax.legend(loc="center left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "noise_breaks_consistent_rule_bounds.svg")
