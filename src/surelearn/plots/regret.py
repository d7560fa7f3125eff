"""Regret against its bounds, and the losses it is the difference of."""

from matplotlib.axes import Axes

from surelearn.evaluate.regret import Regret
from surelearn.plots import style
from surelearn.plots._curves import draw_bounds


def plot_regret(result: Regret, *, ax: Axes | None = None) -> Axes:
    """Draw the regret over time beside what theorems said of it, from the run and before it.

    Parameters
    ----------
    result
        What `experts_regret`, `bandit_regret`, `linear_regret` or `play_against` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.regret import experts_regret
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> ax = plot_regret(experts_regret(Hedge(), [[0.0, 1.0]] * 50))
    >>> ax.lines[-1].get_label()
    'regret to the best expert in hindsight'
    """
    if ax is None:
        _, (ax,) = style.new_figure(f"Regret of {type(result.learner).__name__}")
    draw_bounds(ax, result.bounds)
    label = f"regret to {result.comparator}"
    ax.plot(result.rounds, result.regrets, color=style.OBSERVED, label=label)
    ax.set(xlabel="rounds", ylabel="regret")
    ax.legend(loc="upper left", fontsize=8)
    return ax


def plot_losses(result: Regret, *, ax: Axes | None = None) -> Axes:
    """Draw what the learner and the best comparator in hindsight had paid after each round.

    Parameters
    ----------
    result
        What `experts_regret`, `bandit_regret`, `linear_regret` or `play_against` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.regret import experts_regret
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> ax = plot_losses(experts_regret(Hedge(), [[0.0, 1.0]] * 50))
    >>> [line.get_label() for line in ax.lines]
    ['Hedge', 'the best expert in hindsight']
    """
    name = type(result.learner).__name__
    if ax is None:
        _, (ax,) = style.new_figure(f"Losses of {name} and of {result.comparator}")
    ax.plot(result.rounds, result.learner_losses, color=style.OBSERVED, label=name)
    ax.plot(result.rounds, result.best_losses, "--", color=style.MUTED, label=result.comparator)
    ax.set(xlabel="rounds", ylabel="cumulative loss")
    ax.legend(loc="upper left", fontsize=8)
    return ax
