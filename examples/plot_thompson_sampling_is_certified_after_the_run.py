"""A run of Thompson sampling is certified by its own pulls, no gap being known."""

from pathlib import Path

import numpy as np

from surelearn.bounds import bandits_stochastic
from surelearn.plots import style

MEANS, N_ROUNDS = np.array([0.8, 0.55, 0.5, 0.5]), 20_000


def checkpoints(rng, ends):
    """Run Thompson sampling on coins that pay; return total rewards and pulls at `ends`."""
    totals, pulls = np.zeros((2, len(MEANS)))
    seen = []
    for t in range(1, N_ROUNDS + 1):
        arm = int(np.argmax(rng.beta(1 + totals, 1 + pulls - totals)))
        totals[arm] += rng.random() < MEANS[arm]
        pulls[arm] += 1
        if t in ends:
            seen.append((totals.copy(), pulls.copy()))
    return seen


def figure():
    """Draw the pseudo-regret of one run, its certificate and the theorem of another algorithm."""
    title = "A run of Thompson sampling is certified by its own pulls, no gap being known"
    drawing, (ax,) = style.new_figure(title)
    ends = np.unique(np.geomspace(20, N_ROUNDS, 40).astype(int))
    runs = checkpoints(np.random.default_rng(1), set(ends.tolist()))
    gaps = MEANS.max() - MEANS
    certified = [
        bandits_stochastic.stochastic_post_hoc_rewards(totals=s, pulls=n, delta=0.05).bound
        for s, n in runs
    ]
    ucb1 = [bandits_stochastic.ucb1(gaps=gaps, n_rounds=int(t)).bound for t in ends]
    free = [
        bandits_stochastic.ucb1_gap_free(n_arms=len(MEANS), n_rounds=int(t)).bound for t in ends
    ]
    ax.plot(ends, free, color=style.MUTED, label="UCB1 before the run, gaps unknown")
    ax.plot(ends, ucb1, color=style.MUTED, linestyle="--", label="UCB1 before the run, gaps known")
    ax.plot(ends, certified, color=style.GUARANTEED, label="certificate of this run (95%)")
    ax.plot(ends, [n @ gaps for _, n in runs], color=style.OBSERVED, label="its pseudo-regret")
    ax.set(xscale="log", yscale="log", xlabel="rounds", ylabel="pseudo-regret")
    ax.legend(loc="upper left", fontsize=8)
    ax.set_ylim(1, 2e4)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "thompson_sampling_is_certified_after_the_run.svg")
