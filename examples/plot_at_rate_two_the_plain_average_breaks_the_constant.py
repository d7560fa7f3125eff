"""At rate two the plain average breaks the constant Vovk's rule keeps."""

from pathlib import Path

import numpy as np

from surelearn.bounds import regret_mixable
from surelearn.plots import style


def regrets(*, substitution, n_rounds=60, rate=2.0):
    """Return the regret after every round to the experts 0 and 1, outcomes 1, 0, 1, 0, ..."""
    experts, losses, learner, found = np.array([0.0, 1.0]), np.zeros(2), 0.0, []
    for t in range(n_rounds):
        weights = np.exp(-rate * (losses - losses.min()))
        weights /= weights.sum()
        zero, one = (-np.log(weights @ np.exp(-rate * (y - experts) ** 2)) / rate for y in (0, 1))
        prediction = 0.5 + (zero - one) / 2 if substitution else weights @ experts
        outcome = 1.0 - t % 2
        learner, losses = learner + (outcome - prediction) ** 2, losses + (outcome - experts) ** 2
        found.append(learner - losses.min())
    return found


def figure():
    """Draw the regret of both predictions and the bound ln(2) / 2."""
    title = "At rate two the plain average breaks the constant Vovk's rule keeps"
    drawing, (ax,) = style.new_figure(title)
    rounds = np.arange(1, 61)
    bound = regret_mixable.square_loss_substitution(n_experts=2).bound
    ax.axhline(bound, color=style.GUARANTEED, label="bound, ln(2) / 2")
    ax.plot(rounds, regrets(substitution=False), color=style.BROKEN, label="plain average")
    ax.plot(rounds, regrets(substitution=True), color=style.OBSERVED, label="Vovk's prediction")
    ax.set(xlabel="rounds", ylabel="regret, square loss")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "at_rate_two_the_plain_average_breaks_the_constant.svg")
