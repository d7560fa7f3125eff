"""AdaHedge needs no learning rate."""

from pathlib import Path

import numpy as np

from surelearn.datasets.adversaries import leader_killer_losses
from surelearn.evaluate.regret import experts_regret
from surelearn.learners.experts.adahedge import AdaHedge
from surelearn.learners.experts.hedge import Hedge
from surelearn.plots import style

N_ROUNDS = 2000
RATES = np.geomspace(3e-3, 30.0, 17)


def worlds(rng):
    """Return losses of two experts: the leader always about to lose, and one better by far."""
    better = (rng.random((N_ROUNDS, 2)) < [0.1, 0.5]).astype(float)
    return {
        "The leader is always about to lose": leader_killer_losses(N_ROUNDS),
        "One expert is better by far": better,
    }


def figure():
    """Draw the regret of Hedge at many rates, and that of AdaHedge, in two worlds."""
    drawing, axes = style.new_figure("AdaHedge needs no learning rate", columns=2)
    for ax, (name, losses) in zip(axes, worlds(np.random.default_rng(1)).items(), strict=True):
        hedge = [Hedge(learning_rate=rate) for rate in RATES]
        for learner in hedge:
            learner.learn(losses)
        ax.plot(
            RATES, [h.regret_ for h in hedge], "o-", color=style.BROKEN, label="Hedge at this rate"
        )
        run = experts_regret(AdaHedge(), losses)
        realised, a_priori = run.bounds
        ax.axhline(run.regret, color=style.OBSERVED, label="AdaHedge")
        for bound, colour, label in (
            (realised, style.GUARANTEED, "bound of AdaHedge, from the run"),
            (a_priori, style.MUTED, "bound of AdaHedge, before the run"),
        ):
            ax.axhline(bound.bounds[-1], color=colour, linestyle="--", label=label)
        ax.set(xscale="log", yscale="log", xlabel="learning rate of Hedge", ylabel="regret")
        ax.set_title(name, loc="left")
    axes[0].legend(fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "adahedge_needs_no_learning_rate.svg")
