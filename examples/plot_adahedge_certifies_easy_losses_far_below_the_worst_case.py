"""AdaHedge certifies easy losses far below the worst case, and hard losses too."""

from pathlib import Path

import numpy as np

from surelearn.bounds import regret_adaptive
from surelearn.plots import style

N_EXPERTS, N_ROUNDS = 10, 1500


def adahedge(adversary):
    """Return the regret and the cumulative mixability gaps of AdaHedge after every round."""
    total, gap_sum, learner, regrets, gaps = np.zeros(N_EXPERTS), 0.0, 0.0, [], [0.0]
    for _ in range(N_ROUNDS):
        rate = np.log(N_EXPERTS) / max(gap_sum, 1e-9)
        weights = np.exp(-rate * (total - total.min()))
        weights /= weights.sum()
        losses = adversary(weights)
        mix_loss = -np.log(weights @ np.exp(-rate * losses)) / rate if rate < 1e8 else 0.0
        gap_sum += max(0.0, weights @ losses - mix_loss)
        learner, total = learner + weights @ losses, total + losses
        regrets.append(learner - total.min())
        gaps.append(gap_sum)
    return np.array(regrets), np.array(gaps)


def figure():
    """Draw regret, certificate and a-priori bound on easy losses and against an adversary."""
    title = "AdaHedge certifies easy losses far below the worst case, and hard losses too"
    drawing, axes = style.new_figure(title, columns=2)
    rng = np.random.default_rng(0)
    chances = np.append(0.02, np.full(N_EXPERTS - 1, 0.5))
    worlds = {
        "one expert is nearly always right": lambda _: (rng.random(N_EXPERTS) < chances) * 1.0,
        "an adversary hits the leader": lambda w: np.eye(N_EXPERTS)[np.argmax(w)],
    }
    rounds = np.arange(1, N_ROUNDS + 1)
    inputs = {"n_experts": N_EXPERTS}
    worst = [regret_adaptive.adahedge(**inputs, n_rounds=int(t)).bound for t in rounds]
    for ax, (name, adversary) in zip(axes, worlds.items(), strict=True):
        regrets, gaps = adahedge(adversary)
        certificates = [
            regret_adaptive.adahedge_realised(
                sum_mixability_gaps=gaps[t], previous_sum_mixability_gaps=gaps[t - 1]
            ).bound
            for t in rounds
        ]
        ax.plot(rounds, worst, color=style.MUTED, label="bound before the run")
        ax.plot(rounds, certificates, color=style.GUARANTEED, label="certificate of the run")
        ax.plot(rounds, regrets, color=style.OBSERVED, label="regret")
        ax.set(yscale="log", ylim=(0.3, 100), xlabel="rounds", ylabel="regret", title=name)
        ax.legend(loc="lower right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "adahedge_certifies_easy_losses_far_below_the_worst_case.svg"
    style.save(figure(), target / name)
