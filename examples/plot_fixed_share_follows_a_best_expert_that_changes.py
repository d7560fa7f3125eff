"""Fixed share follows a best expert that changes; Hedge does not."""

from pathlib import Path

import numpy as np

from surelearn.bounds import regret_tracking
from surelearn.plots import style

WORLD = {"n_experts": 5, "n_rounds": 1200, "n_switches": 3}


def play(losses, rate, share):
    """Return the learner's loss in every round."""
    weights, paid = np.full(losses.shape[1], 1 / losses.shape[1]), []
    for row in losses:
        paid.append(weights @ row)
        weights = weights * np.exp(-rate * row)
        weights /= weights.sum()
        weights = (1 - share) * weights + share * (1 - weights) / (len(weights) - 1)
    return np.array(paid)


def figure():
    """Draw the regret to the path of best experts, with and without sharing."""
    title = "Fixed share follows a best expert that changes; Hedge does not"
    drawing, (ax,) = style.new_figure(title)
    rng, rounds = np.random.default_rng(0), np.arange(WORLD["n_rounds"])
    path = np.array([0, 3, 1, 4])[rounds // 300]
    chances = np.where(np.arange(5) == path[:, None], 0.1, 0.5)
    losses = (rng.random(chances.shape) < chances).astype(float)
    rate = regret_tracking.fixed_share_learning_rate(**WORLD)
    share = regret_tracking.fixed_share_switch_rate(**WORLD)
    comparator = losses[rounds, path]
    for name, shared, colour in (
        ("Hedge", 0.0, style.BROKEN),
        ("fixed share", share, style.OBSERVED),
    ):
        ax.plot(
            rounds, np.cumsum(play(losses, rate, shared) - comparator), color=colour, label=name
        )
    bound = regret_tracking.fixed_share(**WORLD).bound
    ax.axhline(bound, color=style.GUARANTEED, label="bound for three switches")
    ax.set(xlabel="rounds", ylabel="regret to the path of best experts")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "fixed_share_follows_a_best_expert_that_changes.svg")
