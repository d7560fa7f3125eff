"""Late labels break Novikoff's bound; the bound by the total delay holds"""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import mistakes, mistakes_perceptron
from surelearn.plots import style

N_POINTS, N_ROUNDS = 5, 200


def run(delay):
    """Return the mistakes on orthogonal rows in turn, and the updates that overtook each."""
    weights, waiting, applied, staleness = np.zeros(N_POINTS), [], 0, []
    for t in range(N_ROUNDS + delay):
        if t < N_ROUNDS and weights[t % N_POINTS] <= 0.0:
            waiting.append((t, applied))
        if waiting and waiting[0][0] + delay == t:
            made, seen = waiting.pop(0)
            staleness.append(applied - seen)
            weights[made % N_POINTS] += 1.0
            applied += 1
    return applied, staleness


def figure():
    """Draw mistakes and bounds over the delay of the labels."""
    drawing, (ax,) = style.new_figure(__doc__)
    delays = np.arange(0, 41)
    runs = [run(int(delay)) for delay in delays]
    inputs = {"radius": 1.0, "norm": math.sqrt(N_POINTS), "hinge_loss": 0.0}
    longest = [
        mistakes_perceptron.perceptron_delayed(**inputs, staleness=max(late)).bound
        for _, late in runs
    ]
    total = [
        mistakes_perceptron.perceptron_delayed_total(**inputs, total_staleness=sum(late)).bound
        for _, late in runs
    ]
    ax.plot(delays, longest, color=style.MUTED, label="bound by the longest delay")
    ax.plot(delays, total, color=style.GUARANTEED, label="bound by the total delay")
    ax.plot(delays, [m for m, _ in runs], "o", ms=4, color=style.OBSERVED, label="mistakes")
    novikoff = mistakes.novikoff(radius=1.0, margin=1.0 / math.sqrt(N_POINTS)).bound
    ax.axhline(novikoff, color=style.BROKEN, linestyle="--", label="Novikoff, without delay")
    ax.set(xlabel="rounds until a label is known", ylabel="mistakes", yscale="log")
    ax.set_ylim(4, 2000)
    ax.legend(loc="upper left", ncols=2)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "late_labels_break_novikoff.svg")
