"""The weights of experts over time."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from surelearn.evaluate.regret import Regret
from surelearn.plots import style
from surelearn.plots._curves import draw_shares


def plot_expert_weights(
    result: Regret, *, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how the learner divided its trust among the experts, the most trusted by name.

    Parameters
    ----------
    result
        What `experts_regret` or `play_against` returned.
    names
        A name for each expert.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.regret import experts_regret
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> ax = plot_expert_weights(experts_regret(Hedge(), [[0.0, 1.0]] * 50), names=["A", "B"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['A', 'B']
    """
    if result.shares is None:
        raise ValueError("this result has no weights of experts: experts_regret keeps them")
    if ax is None:
        _, (ax,) = style.new_figure(f"Weights of the experts in {type(result.learner).__name__}")
    n_experts = result.shares.values.shape[1]
    draw_shares(ax, result.shares, names or [f"expert {i}" for i in range(n_experts)])
    ax.set_ylabel("weight")
    return ax
