"""The probabilities of arms over time."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from surelearn.evaluate.regret import Regret
from surelearn.plots import style
from surelearn.plots._curves import draw_shares


def plot_arm_probabilities(
    result: Regret, *, names: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the chance with which a bandit would play each arm, the likeliest by name.

    Parameters
    ----------
    result
        What `bandit_regret` or `play_against` returned.
    names
        A name for each arm.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.regret import bandit_regret
    >>> from surelearn.learners.bandits.exp3 import Exp3
    >>> result = bandit_regret(Exp3(n_arms=2, seed=0), [[0.0, 1.0]] * 50)
    >>> ax = plot_arm_probabilities(result)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['arm 0', 'arm 1']
    """
    if result.shares is None:
        raise ValueError("this result has no probabilities of arms: bandit_regret keeps them")
    if ax is None:
        _, (ax,) = style.new_figure(f"Probabilities of the arms in {type(result.learner).__name__}")
    n_arms = result.shares.values.shape[1]
    draw_shares(ax, result.shares, names or [f"arm {i}" for i in range(n_arms)])
    ax.set_ylabel("probability")
    return ax
