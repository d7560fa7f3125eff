"""Two components of simulated genes draw the map of where people live.

The data are synthetic: at each of 1,500 sites the frequency of a variant changes smoothly and
slightly over a map, and each of 600 people carries 0, 1 or 2 copies by chance. The components know
no place; the map appears up to a turn or a reflection, which the figure undoes.
"""

from pathlib import Path

import numpy as np
from scipy.linalg import orthogonal_procrustes

from surelearn import PrincipalComponents
from surelearn.plots import style

TOWNS = np.array([[0.1, 0.2], [0.3, 0.8], [0.5, 0.4], [0.7, 0.9], [0.8, 0.15], [0.95, 0.6]])
PEOPLE, SITES = 100, 1500


def simulate(seed=0):
    """Return the town and place of each person, and how often they carry each variant."""
    rng = np.random.default_rng(seed)
    town = np.repeat(np.arange(len(TOWNS)), PEOPLE)
    places = TOWNS[town] + 0.04 * rng.normal(size=(len(town), 2))
    slopes = 0.35 * rng.normal(size=(2, SITES))
    level = rng.uniform(0.2, 0.8, size=SITES)
    share = np.clip(level + (places - 0.5) @ slopes, 0.02, 0.98)
    return town, places, rng.binomial(2, share).astype(float)


def figure():
    """Draw where people live beside the first two components of what they carry."""
    title = "Two components of simulated genes draw the map of where people live"
    drawing, axes = style.new_figure(title, columns=2)
    town, places, genes = simulate()
    model = PrincipalComponents(n_components=2).fit(genes)
    scores = model.transform(genes)
    centred = places - places.mean(axis=0)
    turn, _ = orthogonal_procrustes(scores, centred)
    turned = scores @ turn
    agreement = np.mean([np.corrcoef(turned[:, i], centred[:, i])[0, 1] for i in (0, 1)])
    colours = (
        style.OBSERVED, style.GUARANTEED, style.BROKEN, style.MUTED, "#5b8e7d", "#6d597a",
    )  # fmt: skip
    for ax, cloud in zip(axes, (places, turned), strict=True):
        for i in range(len(TOWNS)):
            own = cloud[town == i]
            ax.plot(*own.T, ".", ms=4, alpha=0.6, color=colours[i])
            ax.annotate(
                "ABCDEF"[i], own.mean(axis=0), ha="center", va="center", fontsize=11, weight="bold",
                bbox={"boxstyle": "circle,pad=0.15", "fc": "white", "ec": colours[i], "alpha": 0.9},
            )  # fmt: skip
    axes[0].set(title="where they live", xlabel="east", ylabel="north")
    explained = model.explained_variance_ratio_.sum()
    axes[1].set(
        title=f"components, turned (correlation {agreement:.2f})",
        xlabel=f"first and second component: {explained:.1%} of the variance",
    )
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "two_components_of_genes_draw_the_map.svg")
