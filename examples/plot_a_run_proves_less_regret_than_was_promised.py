"""A finished run of EXP3-IX proves much less regret than was promised before it."""

from pathlib import Path

import numpy as np

from surelearn.bounds import bandits, bandits_realised
from surelearn.plots import style

N_ARMS, N_ROUNDS, DELTA = 5, 4000, 0.05


def play(rng):
    """Run EXP3-IX on coins; return losses, arms, their probabilities, estimates, exploration."""
    rate = np.sqrt(2 * np.log(N_ARMS) / (N_ARMS * N_ROUNDS))
    losses = (rng.random((N_ROUNDS, N_ARMS)) < (0.35, 0.5, 0.5, 0.5, 0.5)).astype(float)
    estimates = np.zeros((N_ROUNDS + 1, N_ARMS))
    arms, drawn = np.zeros(N_ROUNDS, dtype=int), np.empty(N_ROUNDS)
    for t in range(N_ROUNDS):
        weights = np.exp(-rate * (estimates[t] - estimates[t].min()))
        chances = weights / weights.sum()
        arms[t] = rng.choice(N_ARMS, p=chances)
        drawn[t] = chances[arms[t]]
        estimates[t + 1] = estimates[t]
        estimates[t + 1, arms[t]] += losses[t, arms[t]] / (drawn[t] + rate / 2)
    return losses, arms, drawn, estimates[1:], rate / 2


def figure():
    """Draw regret, promise and the two realised certificates over the rounds of one run."""
    title = "A finished run of EXP3-IX proves much less regret than was promised before it"
    drawing, (ax,) = style.new_figure(title)
    losses, arms, drawn, estimates, exploration = play(np.random.default_rng(0))
    paid = losses[np.arange(N_ROUNDS), arms]
    totals = np.cumsum(paid)
    rates = bandits_realised.exploration_grid(exploration=exploration)
    ends = np.arange(200, N_ROUNDS + 1, 200)
    plain, mixture = [], []
    for t in ends:
        common = {"algorithm_loss": totals[t - 1], "delta": DELTA}
        plain.append(
            bandits_realised.exp3_ix_realised(
                **common, estimated_losses=estimates[t - 1], exploration=exploration
            ).bound
        )
        table = bandits_realised.log_wealth_table(
            arms=arms[:t], losses=paid[:t], probabilities=drawn[:t], n_arms=N_ARMS, rates=rates
        )
        mixture.append(
            bandits_realised.exp3_ix_realised_mixture(
                **common, log_wealths=table, rates=rates, n_rounds=int(t)
            ).bound
        )
    promised = bandits.exp3_ix(n_arms=N_ARMS, n_rounds=N_ROUNDS, delta=DELTA).bound
    regret = totals - np.cumsum(losses, axis=0).min(axis=1)
    ax.plot(
        N_ROUNDS, promised, "v", color=style.MUTED, label="promised for the end, before the run"
    )
    ax.plot(ends, plain, color=style.BROKEN, label="realised")
    ax.plot(ends, mixture, color=style.GUARANTEED, label="realised, mixture")
    ax.plot(regret, color=style.OBSERVED, label="regret")
    ax.set(xlabel="rounds", ylabel="regret", ylim=(0, 1.25 * promised))
    ax.legend(loc="upper left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_run_proves_less_regret_than_was_promised.svg")
