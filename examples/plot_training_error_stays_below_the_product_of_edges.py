"""AdaBoost's training error stays below the product of its rounds, and the risk below its bound."""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import boosting
from surelearn.plots import style

FEATURES, CUTS, ROUNDS = 5, np.linspace(-1.5, 1.5, 31), 60
STUMPS = 2 * FEATURES * len(CUTS)


def draw(rng, n):
    """Draw points and signs by a rule that no stump represents."""
    X = rng.normal(size=(n, FEATURES))
    return X, np.where(X[:, 0] + X[:, 1] + 0.5 * X[:, 2] > 0.3, 1.0, -1.0)


def answers(X):
    """Return what each stump on the fixed grid says of each point, one row for each stump."""
    above = np.where(X[:, :, None] > CUTS, 1.0, -1.0).reshape(len(X), -1).T
    return np.vstack([above, -above])


def boost(said, signs):
    """Run AdaBoost; return the stump chosen, its weight and its weighted error in each round."""
    weights, rounds = np.full(len(signs), 1.0 / len(signs)), []
    for _ in range(ROUNDS):
        correlations = said @ (weights * signs)
        chosen = int(np.argmax(correlations))
        error = (1.0 - correlations[chosen]) / 2.0
        alpha = 0.5 * math.log((1.0 - error) / error)
        weights = weights * np.exp(-alpha * signs * said[chosen])
        weights /= weights.sum()
        rounds.append((chosen, alpha, error))
    return rounds


def draw_training_error(ax, rng):
    """Draw the training error and its sure bounds over the rounds."""
    X, signs = draw(rng, 500)
    said = answers(X)
    chosen, alphas, errors = (np.array(column) for column in zip(*boost(said, signs), strict=True))
    scores = np.cumsum(alphas[:, None] * said[chosen], axis=0)
    rounds, edges = np.arange(1, ROUNDS + 1), 0.5 - errors
    loose = [boosting.adaboost_training_error_exponential(edges=edges[:t]) for t in rounds]
    product = [boosting.adaboost_training_error(weighted_errors=errors[:t]) for t in rounds]
    ax.plot(rounds, [g.bound for g in loose], label="exp(-2 Σ edge²)", color=style.MUTED)
    ax.plot(rounds, [g.bound for g in product], label="Π 2√(e(1-e))", color=style.GUARANTEED)
    ax.plot(rounds, (signs * scores <= 0).mean(axis=1), label="observed", color=style.OBSERVED)
    ax.set(xlabel="rounds", ylabel="training error", ylim=(0.0, 1.0))
    ax.legend()


def certify(rng, n, fresh_said, fresh_signs):
    """Return two bounds on the risk of a vote of five stumps, and its error on fresh data."""
    X, signs = draw(rng, n)
    said = answers(X)
    chosen, alphas, _ = (np.array(column) for column in zip(*boost(said, signs)[:5], strict=True))
    vote = np.bincount(chosen, weights=alphas / alphas.sum(), minlength=STUMPS)
    margins, used = signs * (vote @ said), vote[vote > 0]
    divergence, wrong = float(used @ np.log(used * STUMPS)), int(np.count_nonzero(margins <= 0))
    drawn = boosting.vote_pac_bayes(margins=margins, divergence=divergence, delta=0.05)
    growth = boosting.vote_growth_stumps(
        errors=wrong, n=n, n_rounds=5, n_features=FEATURES, delta=0.05
    )
    return drawn.bound, growth.bound, np.mean(fresh_signs * (vote @ fresh_said) <= 0)


def draw_risk(ax, rng):
    """Draw certified and true risk over the number of examples."""
    fresh, fresh_signs = draw(rng, 20_000)
    sizes, fresh_said = (500, 1000, 2000, 5000, 10_000, 20_000), answers(fresh)
    columns = np.array([certify(rng, n, fresh_said, fresh_signs) for n in sizes]).T
    names = ("95% bound, PAC-Bayes", "95% bound, growth", "error on fresh data")
    colours = (style.MUTED, style.GUARANTEED, style.OBSERVED)
    for name, colour, column in zip(names, colours, columns, strict=True):
        ax.plot(sizes, column, label=name, color=colour, marker="o", markersize=3)
    ax.set(xscale="log", xlabel="examples", ylabel="risk of a vote of 5 stumps", ylim=(0.0, 1.0))
    ax.legend()


def figure():
    """Draw training error and bounds over the rounds, and the certified risk over the examples."""
    title = (
        "AdaBoost's training error stays below the product of its rounds, "
        "and the risk below its bound"
    )
    drawing, (left, right) = style.new_figure(title, columns=2)
    rng = np.random.default_rng(0)
    draw_training_error(left, rng)
    draw_risk(right, rng)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "training_error_stays_below_the_product_of_edges.svg")
