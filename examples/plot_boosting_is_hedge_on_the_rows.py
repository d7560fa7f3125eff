"""Boosting is Hedge with the rows as experts: a row loses whenever a member gets it right.

With one factor for all rounds AdaBoost's weights of rows are those of Hedge. Each member is right
on more than half of the weight, so Hedge loses more than 1/2 + edge a round; its regret bound then
says that even the row that is right most seldom is right in most rounds: the majority is right.
"""

from pathlib import Path

import numpy as np

from surelearn import AdaBoostClassifier
from surelearn.bounds import regret
from surelearn.learners.experts.hedge import Hedge
from surelearn.plots import style

ROWS, ROUNDS, EDGE = 200, 800, 0.05


def draw(rng):
    """Draw points of a rule that a majority of stumps can represent."""
    X = rng.normal(size=(ROWS, 5))
    return X, np.where(X.sum(axis=1) > 0.0, 1, -1)


def play(X, y):
    """Return the model, and who was right in each round: a table of rounds and rows."""
    model = AdaBoostClassifier(n_estimators=ROUNDS, edge=EDGE).fit(X, y)
    scores = np.array([np.zeros(ROWS), *model.staged_decision_function(X)])
    return model, (np.diff(scores, axis=0) * y > 0.0).astype(float)


def draw_worst_row(ax, model, right):
    """Draw how often the worst row was right, and what Hedge's regret bound promises of it."""
    rounds = np.arange(1, len(right) + 1)
    rate = np.log((0.5 + EDGE) / (0.5 - EDGE))
    losses = np.cumsum(1.0 - model.errors_)
    regrets = [
        regret.hedge(n_experts=ROWS, n_rounds=int(t), learning_rate=rate).bound for t in rounds
    ]
    worst = np.cumsum(right, axis=0).min(axis=1)
    ax.plot(rounds, worst / rounds, color=style.OBSERVED, label="worst row")
    promised = (losses - np.array(regrets)) / rounds
    ax.plot(rounds, promised, color=style.GUARANTEED, label="promised by Hedge's regret")
    ax.axhline(0.5, color=style.MUTED, linewidth=0.8)
    ax.set(xlabel="rounds", ylabel="share of rounds in which it is right", ylim=(0.0, 0.8))
    ax.legend(loc="lower right")


def draw_weights(ax, right):
    """Draw the weights of the rows at the end: by boosting, and by a game of Hedge."""
    rate = np.log((0.5 + EDGE) / (0.5 - EDGE))
    game = Hedge(learning_rate=float(rate))
    game.learn(right)
    boosted = np.exp(-rate * (right.sum(axis=0) - right.sum(axis=0).min()))
    order = np.argsort(-boosted)
    ax.plot(boosted[order] / boosted.sum(), color=style.MUTED, linewidth=4.0, label="AdaBoost")
    ax.plot(game.weights[order], color=style.OBSERVED, linewidth=1.2, label="Hedge")
    ax.set(xlabel="rows, the heaviest first", ylabel="weight", xlim=(0, 80))
    ax.legend()


def figure():
    """Draw the worst row over the rounds, and the weights of boosting and of Hedge."""
    title = "Boosting is Hedge with the rows as experts: its regret bound makes the majority right"
    drawing, (left, right_side) = style.new_figure(title, columns=2)
    model, right = play(*draw(np.random.default_rng(0)))
    draw_worst_row(left, model, right)
    draw_weights(right_side, right)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "boosting_is_hedge_on_the_rows.svg")
