"""Two experts can cost Hedge almost all its bound allows."""

from pathlib import Path

import numpy as np

from surelearn.bounds import regret
from surelearn.plots import style


def worst_case(n_rounds, rates):
    """Return the largest regret over all 0-1 losses of two experts, by dynamic programming."""
    difference = np.arange(-n_rounds, n_rounds + 1)
    value = (np.abs(difference) - n_rounds) / 2
    for rate in np.broadcast_to(rates, n_rounds)[::-1]:
        first = 0.5 - 0.5 * np.tanh(rate * difference / 2)  # the weight of the first expert
        up, down = np.append(value[1:], -np.inf), np.append(-np.inf, value[:-1])
        value = np.maximum(first + up, 1 - first + down)
    return value[n_rounds]


def figure():
    """Draw the exact worst case beside the bounds at the tuned and at the anytime rates."""
    title = "Two experts can cost Hedge almost all its bound allows"
    drawing, axes = style.new_figure(title, columns=2)
    sizes = np.unique(np.geomspace(2, 1000, 14).astype(int))
    tuned = [worst_case(t, regret.hedge_learning_rate(n_experts=2, n_rounds=t)) for t in sizes]
    anytime = [worst_case(t, 2 * np.sqrt(np.log(2) / np.arange(1, t + 1))) for t in sizes]
    panels = (("rate tuned to the horizon", tuned, regret.hedge_tuned),)
    panels += (("rates for every horizon", anytime, regret.hedge_anytime),)
    for ax, (name, worst, theorem) in zip(axes, panels, strict=True):
        bound = [theorem(n_experts=2, n_rounds=int(t)).bound for t in sizes]
        least = [regret.rademacher_lower(n_rounds=int(t)).bound for t in sizes]
        ax.plot(sizes, bound, color=style.GUARANTEED, label="bound")
        ax.plot(sizes, worst, "o-", color=style.OBSERVED, markersize=4, label="worst sequence")
        ax.plot(
            sizes, least, color=style.MUTED, linestyle="--", label="lower bound for every learner"
        )
        ax.set(xscale="log", yscale="log", xlabel="rounds", ylabel="regret", title=name)
        ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "two_experts_can_cost_hedge_all_its_bound_allows.svg")
