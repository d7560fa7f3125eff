"""The certificate of principal components holds for new rows at every number of components."""

from pathlib import Path

import numpy as np

from surelearn.bounds import decompositions
from surelearn.plots import style

D, N, DELTA = 30, 400, 0.05
SCALES = 0.8 ** np.arange(D)


def draw(rng, n):
    """Return n rows of norm 1 whose directions fade by a fifth from one axis to the next."""
    X = rng.normal(size=(n, D)) * SCALES
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def figure():
    """Draw residuals and certificate over the number of components, delta split among them."""
    title = (
        "The certificate of principal components holds for new rows at every number of components"
    )
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    sample, fresh = draw(rng, N), draw(rng, 50_000)
    axes = np.linalg.svd(sample, full_matrices=False)[2]
    components = np.arange(1, D + 1)
    residual, error = (
        np.clip(1.0 - np.cumsum(((rows @ axes.T) ** 2).mean(axis=0)), 0.0, 1.0)
        for rows in (sample, fresh)
    )
    shared = {"n": N, "dimension": D, "radius_squared": 1.0, "delta": DELTA / D}
    bounds = [
        decompositions.pca(residual=float(r), n_components=int(k), **shared).bound
        for k, r in zip(components, residual, strict=True)
    ]
    ax.plot(components, bounds, color=style.GUARANTEED, label="95% certificate")
    ax.plot(components, error, color="black", linestyle="--", label="new rows")
    ax.plot(components, residual, color=style.OBSERVED, label="sample")
    ax.set(ylim=(0, 1), xlabel="components", ylabel="mean squared residual")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "principal_components_hold_for_new_rows.svg")
