"""A margin certifies a risk whatever the dimension."""

from pathlib import Path

import numpy as np

from surelearn.bounds import margin
from surelearn.plots import style


def seen_directions(rng, n):
    """Draw n of a million orthogonal directions, 25 of which carry almost all the probability."""
    usual = rng.random(n) < 0.999
    seen = np.unique(np.where(usual, rng.integers(0, 25, n), rng.integers(25, 10**6, n)))
    risk = 0.999 * (1.0 - np.count_nonzero(seen < 25) / 25) + 0.001
    return np.full(n, 1.0 / np.sqrt(len(seen))), risk


def figure():
    """Draw margin bounds and the true risk of the sum of the examples seen, over their number."""
    title = "A margin certifies a risk whatever the dimension"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    sizes = np.unique(np.geomspace(100, 30_000, 16).astype(int))
    worlds = [seen_directions(rng, n) for n in sizes]
    for name, theorem, colour in (
        ("Rademacher", margin.rademacher, style.MUTED),
        ("PAC-Bayes", margin.pac_bayes_margin, style.GUARANTEED),
    ):
        bounds = [theorem(margins=margins, delta=0.05).bound for margins, _ in worlds]
        ax.plot(sizes, bounds, label=f"95% bound, {name}", color=colour, marker="o", markersize=3)
    ax.plot(sizes, [risk for _, risk in worlds], label="true risk", color=style.OBSERVED)
    ax.axhline(1.0, color=style.BROKEN, linestyle=":", label="says nothing")
    ax.set(xscale="log", yscale="log", xlabel="examples in a million dimensions", ylabel="risk")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "margins_certify_in_any_dimension.svg")
