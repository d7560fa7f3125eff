"""Independent voters grow wise together, and copies of one voter do not."""

from pathlib import Path

import numpy as np

from surelearn.bounds import tails_of_sums
from surelearn.plots import style

ACCURACY = 0.6


def figure():
    """Draw the error of the majority over the number of voters, and three bounds on it."""
    title = "Independent voters grow wise together, and copies of one voter do not"
    drawing, (ax,) = style.new_figure(title)
    voters = np.arange(1, 102, 4)
    bounds = {
        "Chernoff": (tails_of_sums.majority_vote_chernoff, style.MUTED),
        "kl": (tails_of_sums.majority_vote_kl, style.BROKEN),
        "exact": (tails_of_sums.majority_vote_exact, style.GUARANTEED),
    }
    for name, (bound, colour) in bounds.items():
        values = [bound(n_voters=int(n), voter_accuracy=ACCURACY).bound for n in voters]
        ax.plot(voters, values, label=name, color=colour)
    rng = np.random.default_rng(0)
    votes = rng.random((4000, voters.max())) < ACCURACY
    wrong = [np.mean(votes[:, :n].sum(axis=1) <= n / 2) for n in voters]
    ax.plot(voters, wrong, "o", color=style.OBSERVED, label="simulated, independent")
    ax.axhline(1 - ACCURACY, color=style.OBSERVED, linestyle=":", label="copies of one voter")
    ax.set(yscale="log", ylim=(1e-2, 1.2), xlabel="voters, each right with probability .6")
    ax.set_ylabel("probability that the majority is wrong")
    ax.legend(loc="lower left")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "independent_voters_are_wise_and_copies_are_not.svg")
