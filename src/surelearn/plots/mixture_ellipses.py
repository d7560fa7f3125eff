"""The components of a Gaussian mixture, as ellipses on its rows."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Ellipse

from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture
from surelearn.plots import style

_SHADES = ("#1f6f8b", "#d1495b", "#edae49", "#5b8e7d", "#6d597a", "#3d405b", "#b56576")


def plot_mixture_ellipses(
    model: GaussianMixture,
    X: ArrayLike | None = None,
    *,
    features: tuple[int, int] = (0, 1),
    shares: Sequence[float] = (0.5, 0.9),
    ax: Axes | None = None,
) -> Axes:
    """Draw each component as ellipses that hold given shares of it, over the rows.

    Parameters
    ----------
    model
        A fitted mixture of at least two features.
    X
        Rows to draw, each in the colour of its likeliest component; none if left out.
    features
        The two features to draw; of the others every value is allowed.
    shares
        How much of a component each of its ellipses holds.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(50, 2))
    >>> ax = plot_mixture_ellipses(GaussianMixture().fit(rows), rows)
    >>> len(ax.patches)
    2
    """
    if model.n_features_in_ < 2:
        raise ValueError("ellipses need two features; this mixture has one")
    if ax is None:
        _, (ax,) = style.new_figure(f"A mixture of {len(model.weights_)} Gaussians")
    places = list(features)
    colours = [_SHADES[k % len(_SHADES)] for k in range(len(model.weights_))]
    if X is not None:
        dots = [colours[k] for k in model.predict(X)]
        across, up = np.asarray(sound(X), dtype=np.float64)[:, places].T
        ax.scatter(across, up, s=6, c=dots, alpha=0.5, linewidths=0)
    matrices = model.covariance_matrices()[:, places][:, :, places]
    for mean, matrix, weight, colour in zip(
        model.means_[:, places], matrices, model.weights_, colours, strict=True
    ):
        for share in shares if weight > 0.0 else ():
            ax.add_patch(_ellipse(mean, matrix, share, colour))
    names = getattr(model, "feature_names_in_", [f"x{i}" for i in range(model.n_features_in_)])
    ax.set(xlabel=names[features[0]], ylabel=names[features[1]])
    ax.autoscale_view()
    return ax


def _ellipse(mean: Vector, matrix: Matrix, share: float, colour: str) -> Ellipse:
    """Return the ellipse that holds a share of a Gaussian: squared radii are of law χ²(2)."""
    values, vectors = np.linalg.eigh(matrix)
    width, height = 2.0 * np.sqrt(-2.0 * np.log1p(-share) * values)
    angle = float(np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0])))
    centre = (float(mean[0]), float(mean[1]))
    return Ellipse(centre, width, height, angle=angle, fill=False, edgecolor=colour, linewidth=1.8)
