"""The cross-validated error of a tree while it is pruned, link by link."""

from matplotlib.axes import Axes

from surelearn.learners.trees._pruning.cross_validated_path import CrossValidatedPath
from surelearn.plots import style


def plot_pruning(result: CrossValidatedPath, *, ax: Axes | None = None) -> Axes:
    """Draw the error of each subtree of the weakest-link path over its leaves.

    Bars are one standard error long on each side. The line marks one standard error above the best
    subtree; the smallest subtree below it is the one that `prune_cross_validated` returns.

    Parameters
    ----------
    result
        What `cross_validate_pruning` of a tree returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.trees.c45_classifier import C45Classifier
    >>> X, y = Noisy(3, 0.2).draw(200, seed=0)
    >>> ax = plot_pruning(C45Classifier().fit(X, y).cross_validate_pruning(X, y, n_folds=3))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('leaves', 'cross-validated error')
    """
    if ax is None:
        _, (ax,) = style.new_figure("Cross-validated pruning")
    leaves, best, chosen = result.path.n_leaves, result.best, result.simplest
    ax.errorbar(
        leaves,
        result.errors,
        yerr=result.standard_errors,
        color=style.MUTED,
        marker="o",
        markersize=3,
        capsize=2,
        linewidth=1.2,
        label="subtrees of the path",
    )
    limit = float(result.errors[best] + result.standard_errors[best])
    ax.axhline(limit, color="black", linestyle=":", linewidth=1.0, label="best + standard error")
    for place, colour, name in (
        (best, style.OBSERVED, "best"),
        (chosen, style.GUARANTEED, "smallest within one standard error"),
    ):
        label = f"{name}: {leaves[place]} leaves"
        ax.plot(leaves[place], result.errors[place], "o", color=colour, markersize=9, label=label)
    ax.set(xscale="log", xlabel="leaves", ylabel="cross-validated error")
    ax.legend(loc="upper right", fontsize=8)
    return ax
