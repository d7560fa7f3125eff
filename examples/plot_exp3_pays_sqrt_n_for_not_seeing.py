"""EXP3 pays sqrt(N) for not seeing."""

from pathlib import Path

import numpy as np

from surelearn.bounds import bandits, regret
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.experts.hedge import Hedge
from surelearn.plots import style

N_ROUNDS, SIZES, N_RUNS = 4000, np.array([2, 4, 8, 16, 32, 64]), 20


def table(n_arms, rng):
    """Return coins, one arm of which is better by what one arm a round barely shows in time."""
    chances = np.full(n_arms, 0.5)
    chances[rng.integers(n_arms)] -= np.sqrt(n_arms / N_ROUNDS)
    return (rng.random((N_ROUNDS, n_arms)) < chances).astype(float)


def regrets(n_arms, seed):
    """Return the regret of EXP3 and of Hedge on the same losses."""
    losses = table(n_arms, np.random.default_rng(seed))
    blind, seeing = Exp3(n_arms=n_arms, horizon=N_ROUNDS, seed=seed), Hedge(horizon=N_ROUNDS)
    blind.play(losses)
    seeing.learn(losses)
    return blind.cumulative_loss_ - losses.sum(axis=0).min(), seeing.regret_


def figure():
    """Draw the regret with and without seeing the other arms, against their number."""
    drawing, (ax,) = style.new_figure("EXP3 pays sqrt(N) for not seeing")
    runs = np.array([[regrets(n, seed) for seed in range(N_RUNS)] for n in SIZES])
    blind, seeing = runs.mean(axis=1).T
    exp3 = [bandits.exp3(n_arms=n, n_rounds=N_ROUNDS).bound for n in SIZES]
    hedge = [regret.hedge_tuned(n_experts=n, n_rounds=N_ROUNDS).bound for n in SIZES]
    ax.plot(SIZES, exp3, color=style.GUARANTEED, label="bound of EXP3, on average")
    ax.plot(SIZES, blind, "o-", color=style.BROKEN, label="EXP3 sees the arm it plays")
    reference = np.sqrt(SIZES / SIZES[-1]) * blind[-1]
    ax.plot(SIZES, reference, ":", color=style.BROKEN, label="proportional to sqrt(N)")
    ax.plot(SIZES, hedge, "--", color=style.GUARANTEED, label="bound of Hedge")
    ax.plot(SIZES, seeing, "o-", color=style.OBSERVED, label="Hedge sees all arms")
    ax.set(xscale="log", yscale="log", xlabel="arms N", ylabel=f"regret in {N_ROUNDS} rounds")
    ax.set_xticks(SIZES, [str(n) for n in SIZES])
    ax.minorticks_off()
    ax.legend(fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "exp3_pays_sqrt_n_for_not_seeing.svg")
