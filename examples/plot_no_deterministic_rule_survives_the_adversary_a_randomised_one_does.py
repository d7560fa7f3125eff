"""No deterministic rule survives the adversary; a randomised one does."""

from pathlib import Path

import numpy as np

from surelearn.datasets.adversaries import Contrarian
from surelearn.evaluate.adversarial import play_against
from surelearn.learners.experts.randomized_weighted_majority import RandomizedWeightedMajority
from surelearn.learners.experts.weighted_majority import WeightedMajority
from surelearn.plots import style
from surelearn.plots.regret import plot_regret

N_ROUNDS = 1000


class AgainstTheHeavier:
    """The same adversary where only weights are shown: the likelier answer is wrong."""

    def next(self, weights):
        """Return the losses of the expert that always says 0 and of the one that says 1."""
        outcome = Contrarian().next(int(weights[1] > weights[0]))
        return [float(outcome != 0), float(outcome != 1)]


def figure():
    """Draw the regret of a vote that is heard, and of one whose coins are not."""
    title = "No deterministic rule survives the adversary; a randomised one does"
    drawing, (ax,) = style.new_figure(title)
    advice = np.tile([0.0, 1.0], (N_ROUNDS, 1))
    vote = play_against(WeightedMajority(), Contrarian(), N_ROUNDS, questions=advice)
    learner = RandomizedWeightedMajority(horizon=N_ROUNDS)
    coins = play_against(learner, AgainstTheHeavier(), N_ROUNDS)
    ax.plot(vote.rounds, vote.regrets, color=style.BROKEN, label="weighted majority: errs always")
    plot_regret(coins, ax=ax)
    ax.lines[-1].set_label("randomised weighted majority (expected)")
    ax.set_ylabel("mistakes beyond the better constant answer")
    ax.legend(loc="upper left", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "no_deterministic_rule_survives_the_adversary_a_randomised_one_does.svg"
    style.save(figure(), target / name)
