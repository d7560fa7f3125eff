"""Small bags leave more examples outside to test on, and certify the vote more sharply."""

from pathlib import Path

import numpy as np

from surelearn.bounds import votes
from surelearn.plots import style

N, VOTERS, FEATURES = 2000, 60, 30


def draw(rng, n):
    """Draw two classes that differ a little in each of many features."""
    signs = rng.choice([-1.0, 1.0], size=n)
    return rng.normal(size=(n, FEATURES)) + 0.45 * signs[:, None], signs


def certify(rng, bag):
    """Return the three bounds on a vote of class-mean voters, and its error on fresh examples."""
    X, signs = draw(rng, N)
    fresh, fresh_signs = draw(rng, 4000)
    wrong, outside, ballot = np.empty((VOTERS, N)), np.ones((VOTERS, N)), np.zeros(4000)
    for voter in range(VOTERS):
        inside, used = rng.permutation(N)[:bag], rng.permutation(FEATURES)[:6]
        w = signs[inside] @ X[np.ix_(inside, used)]
        outside[voter, inside] = 0.0
        wrong[voter] = signs * (X[:, used] @ w) <= 0.0
        ballot += np.sign(fresh[:, used] @ w)
    sizes, pair_sizes = outside.sum(axis=1), outside @ outside.T
    losses = (wrong * outside).sum(axis=1) / sizes
    tandem = ((wrong * outside) @ (wrong * outside).T) / pair_sizes
    first = 2.0 * votes.out_of_bag(losses=losses, sizes=sizes, delta=0.05).bound
    pairs = 4.0 * votes.out_of_bag_tandem(losses=tandem, sizes=pair_sizes, delta=0.05).bound
    vote = votes.out_of_bag_vote(
        losses=losses, sizes=sizes, tandem_losses=tandem, tandem_sizes=pair_sizes, delta=0.05
    )
    return first, pairs, vote.bound, np.mean(fresh_signs * ballot <= 0.0)


def figure():
    """Draw the bounds on the risk of a vote over the size of the bags."""
    title = "Small bags leave more examples outside to test on, and certify the vote more sharply"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    fractions = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    values = np.array([certify(rng, int(N * fraction)) for fraction in fractions]).T
    names = (
        "first order",
        "tandem",
        "smallest of three (δ split)",
        "error of the vote, fresh data",
    )
    colours = (style.MUTED, style.BROKEN, style.GUARANTEED, style.OBSERVED)
    for name, colour, value in zip(names, colours, values, strict=True):
        ax.plot(fractions, value, label=name, color=colour, marker="o", markersize=3)
    ax.set(xlabel="fraction of the examples in a bag", ylabel="95% upper bound on the risk")
    ax.set_ylim(0.0, 1.0)
    ax.legend(loc="upper left", ncols=2)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "small_bags_certify_the_vote.svg")
