"""A certificate that pays for the tree's description stays above the true risk."""

from pathlib import Path

import numpy as np

from surelearn.bounds import concentration, trees
from surelearn.plots import style

N, DELTA, RISK = 200, 0.05, 0.5


def best_stumps(rng, n_features):
    """Return the fewest errors of a stump on 1 .. n_features features of noise."""
    y = rng.random(N) < RISK
    order = rng.random((n_features, N)).argsort(axis=1)
    drift = np.cumsum(np.where(y, 1, -1)[order], axis=1)
    errors = drift + N - np.count_nonzero(y)
    return np.minimum.accumulate(np.minimum(errors, N - errors).min(axis=1))


def certificates(errors, n_features):
    """Return what each way of counting says of a stump with so many errors."""
    structure = 3 + np.log2(n_features) + 2
    stump = {"n": N, "structure_bits": structure, "n_numeric_splits": 1, "delta": DELTA}
    return {
        "pays for nothing": concentration.clopper_pearson(errors=errors, n=N, delta=DELTA),
        "cut named by a row": trees.compression_hybrid(errors_outside=errors, n_named=1, **stump),
        "any real cut": trees.threshold_growth(errors=errors, **stump),
    }


def figure():
    """Draw training error and bounds of the best stump over the number of noise features."""
    title = "A certificate that pays for the tree's description stays above the true risk"
    drawing, (ax,) = style.new_figure(title)
    sizes = np.unique(np.geomspace(1, 3000, 15).astype(int))
    errors = best_stumps(np.random.default_rng(0), sizes[-1])[sizes - 1]
    rows = [certificates(int(k), int(d)) for k, d in zip(errors, sizes, strict=True)]
    ax.plot(sizes, errors / N, color=style.OBSERVED, label="training error")
    ax.axhline(RISK, color="black", linestyle="--", linewidth=1.2, label="true risk")
    looks = zip(rows[0], (style.BROKEN, style.GUARANTEED, style.MUTED), strict=True)
    for name, colour in looks:
        ax.plot(sizes, [row[name].bound for row in rows], color=colour, label=name)
    ax.set(xscale="log", ylim=(0.3, 0.8), xlabel="features of pure noise that were searched")
    ax.set(ylabel=f"error of the best stump on {N} rows")
    ax.legend(loc="upper center", ncols=3)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "paying_for_the_description_is_honest.svg")
