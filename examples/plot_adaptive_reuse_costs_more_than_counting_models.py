"""A hold-out that steers its own models is fooled unless every possible answer is paid for."""

from pathlib import Path

import numpy as np

from surelearn.bounds import holdout
from surelearn.plots import style

N, DELTA = 1000, 0.05


def votes_of_the_lucky(sizes):
    """Flip the random classifiers that are worse than chance on the hold-out; let some vote."""
    right = np.random.default_rng(0).random((sizes[-1], N)) < 0.5
    lucky = np.where(right.mean(axis=1, keepdims=True) < 0.5, ~right, right)
    votes = np.cumsum(lucky, axis=0)
    return [int(np.count_nonzero(votes[size - 1] <= size / 2)) for size in sizes]


def figure():
    """Draw the hold-out error of a vote of random classifiers, and two bounds on its risk."""
    title = (
        "A hold-out that steers its own models is fooled unless every possible answer is paid for"
    )
    drawing, (ax,) = style.new_figure(title)
    sizes = np.arange(1, 302, 10)
    errors = votes_of_the_lucky(sizes)
    pairs = list(zip(errors, (int(size) + 1 for size in sizes), strict=True))
    counted = [holdout.family(errors=k, n=N, delta=DELTA, n_models=m).bound for k, m in pairs]
    paid = [holdout.transcripts(errors=k, n=N, delta=DELTA, n_queries=m).bound for k, m in pairs]
    ax.axhline(0.5, color=style.MUTED, linestyle="--", label="true risk of every classifier")
    ax.plot(sizes, np.array(errors) / N, color=style.OBSERVED, label="hold-out error of the vote")
    ax.plot(sizes, counted, color=style.BROKEN, label="bound that counts the models")
    ax.plot(sizes, paid, color=style.GUARANTEED, label="bound that pays for the answers")
    ax.set(xlabel="random classifiers scored on the hold-out", ylabel="error", ylim=(0.25, 0.9))
    ax.legend(ncols=2)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "adaptive_reuse_costs_more_than_counting_models.svg")
