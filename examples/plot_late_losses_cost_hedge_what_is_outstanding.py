"""Late losses cost Hedge no more than what is outstanding, and a bound without delay fails."""

from pathlib import Path

import numpy as np

from surelearn.bounds import regret, regret_delayed
from surelearn.plots import style

N_ROUNDS = 1000


def delayed_regret(delay):
    """Play Hedge, tuned to the delay, against an adversary that hits whoever has more weight."""
    total_delay = sum(min(delay, t) for t in range(N_ROUNDS))
    rate = np.sqrt(8.0 * np.log(2.0) / (N_ROUNDS + 2 * total_delay))
    losses, paid = np.zeros((N_ROUNDS, 2)), 0.0
    arrived = np.zeros(2)
    for t in range(N_ROUNDS):
        first = 1.0 / (1.0 + np.exp(-rate * (arrived[1] - arrived[0])))
        losses[t, int(first < 0.5)] = 1.0
        paid += max(first, 1.0 - first)
        if t >= delay:
            arrived += losses[t - delay]
    return paid - losses.sum(axis=0).min(), total_delay


def figure():
    """Draw regret and both bounds over the delay."""
    title = (
        "Late losses cost Hedge no more than what is outstanding, and a bound without delay fails"
    )
    drawing, (ax,) = style.new_figure(title)
    delays = np.unique(np.geomspace(1, 200, 14).astype(int)) - 1
    runs = [delayed_regret(int(delay)) for delay in delays]
    bounds = [
        regret_delayed.delayed_hedge(n_experts=2, n_rounds=N_ROUNDS, total_delay=total).bound
        for _, total in runs
    ]
    without = regret.hedge_tuned(n_experts=2, n_rounds=N_ROUNDS).bound
    ax.plot(delays, bounds, color=style.GUARANTEED, label="bound by the outstanding losses")
    ax.axhline(without, color=style.BROKEN, linestyle="--", label="bound without delay")
    ax.plot(delays, [r for r, _ in runs], "o", color=style.OBSERVED, label="regret")
    ax.set(xlabel="rounds until a loss is known", ylabel="regret after 1000 rounds")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "late_losses_cost_hedge_what_is_outstanding.svg")
