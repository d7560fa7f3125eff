"""Exact inversion of the binomial needs a fraction of the test points Hoeffding needs."""

from pathlib import Path

import numpy as np

from surelearn.bounds import concentration
from surelearn.plots import style


def figure():
    """Draw four bounds on the same observed error rate over the size of the hold-out."""
    title = "Exact inversion of the binomial needs a fraction of the test points Hoeffding needs"
    drawing, (ax,) = style.new_figure(title)
    sizes = np.unique(np.geomspace(50, 20_000, 25).astype(int)) // 50 * 50
    bounds = {
        "Hoeffding": [concentration.hoeffding(mean=0.02, n=n, delta=0.05) for n in sizes],
        "kl (Chernoff)": [concentration.kl_chernoff(mean=0.02, n=n, delta=0.05) for n in sizes],
        "Clopper-Pearson": [
            concentration.clopper_pearson(errors=n // 50, n=n, delta=0.05) for n in sizes
        ],
    }
    colours = (style.MUTED, style.BROKEN, style.GUARANTEED)
    for (name, values), colour in zip(bounds.items(), colours, strict=True):
        ax.plot(sizes, [g.bound for g in values], label=name, color=colour)
    ax.axhline(0.02, color=style.OBSERVED, linestyle="--", label="observed error")
    ax.set(xscale="log", yscale="log", xlabel="test points", ylabel="95% upper bound on the risk")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "exact_inversion_beats_hoeffding.svg")
