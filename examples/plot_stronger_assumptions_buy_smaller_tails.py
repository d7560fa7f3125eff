"""Every further assumption buys a smaller tail, and none goes below the exact one."""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import tails, tails_of_sums
from surelearn.plots import style

N = 100


def bounds_at(heads):
    """Return the inequalities that bound the probability of so many heads in N fair tosses."""
    share = heads / N
    return {
        "Markov": tails.markov(mean=N / 2, threshold=heads),
        "Cantelli": tails.cantelli(variance=N / 4, deviation=heads - N / 2),
        "Hoeffding": tails_of_sums.hoeffding_tail(n=N, deviation=share - 0.5),
        "Bentkus": tails_of_sums.bentkus_tail(n=N, mean=0.5, total=heads),
    }


def figure():
    """Draw the tail of a hundred coin tosses and the inequalities that bound it."""
    title = "Every further assumption buys a smaller tail, and none goes below the exact one"
    drawing, (ax,) = style.new_figure(title)
    heads = np.arange(52, 91, 2)
    curves = [bounds_at(int(k)) for k in heads]
    colours = (style.MUTED, style.BROKEN, style.GUARANTEED, "#5b3a6b")
    for name, colour in zip(curves[0], colours, strict=True):
        ax.plot(heads, [curve[name].bound for curve in curves], label=name, color=colour)
    exact = [sum(math.comb(N, i) for i in range(k, N + 1)) / 2**N for k in heads]
    ax.plot(heads, exact, color=style.OBSERVED, linestyle="--", label="exact")
    ax.set(yscale="log", xlabel="k", ylabel="P(at least k heads in 100 tosses)")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "stronger_assumptions_buy_smaller_tails.svg")
