"""Many runs of one randomised bandit algorithm side by side, against one adversary."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Game:
    """What happened: rounds first, then runs, then (where there are any) arms."""

    losses: np.ndarray
    arms: np.ndarray
    chances: np.ndarray
    estimates: np.ndarray

    @property
    def paid(self):
        return np.take_along_axis(self.losses, self.arms[:, :, None], axis=2)[:, :, 0]

    @property
    def regrets(self):
        """Return L_alg - L_i for each run and arm."""
        return self.paid.sum(axis=0)[:, None] - self.losses.sum(axis=0)


def play(probabilities, estimate, adversary, *, n_rounds, n_runs, n_arms, seed, delay=0):
    """Play; the adversary sees round, chances and the previous arms, never the arm to be drawn.

    `probabilities(estimates, t)` and `estimate(losses, played, chances, t)` are the algorithm. The
    estimates of a round are used `delay` rounds later.
    """
    rng = np.random.default_rng(seed)
    game = Game(
        losses=np.empty((n_rounds, n_runs, n_arms)),
        arms=np.zeros((n_rounds, n_runs), dtype=int),
        chances=np.empty((n_rounds, n_runs, n_arms)),
        estimates=np.zeros((n_rounds, n_runs, n_arms)),
    )
    known, previous = np.zeros((n_runs, n_arms)), np.zeros(n_runs, dtype=int)
    for t in range(n_rounds):
        if t > delay:
            known += game.estimates[t - delay - 1]
        chances = probabilities(known, t + 1)
        losses = np.broadcast_to(adversary(t, chances, previous, rng), (n_runs, n_arms))
        draws = rng.random((n_runs, 1))
        arms = np.minimum(np.sum(np.cumsum(chances, axis=1) < draws, axis=1), n_arms - 1)
        played = np.arange(n_arms) == arms[:, None]
        game.estimates[t] = estimate(losses, played, chances, t + 1)
        game.losses[t], game.chances[t], game.arms[t] = losses, chances, arms
        previous = arms
    return game


def coins(*means):
    """Return the adversary that tosses a coin for each arm: losses 0 or 1."""
    return lambda _t, chances, _previous, rng: (rng.random(chances.shape) < means).astype(float)


def hit_the_favourite(_t, chances, _previous, _rng):
    """Put a loss of 1 on the arm most likely to be drawn."""
    return (chances == chances.max(axis=1, keepdims=True)).astype(float)


def hit_the_last(_t, chances, previous, _rng):
    """Put a loss of 1 on the arm drawn in the round before."""
    return (np.arange(chances.shape[1]) == previous[:, None]).astype(float)


def change_sides(t, chances, _previous, _rng):
    """Favour the first arm in even blocks of thirty rounds, the others in odd ones."""
    first = np.arange(chances.shape[1]) == 0
    return np.where(first == (t // 30 % 2 == 0), 0.2, 0.7) * np.ones(chances.shape)


ADVERSARIES = {
    "coins": coins(0.4, 0.6, 0.6),
    "favourite": hit_the_favourite,
    "last": hit_the_last,
    "sides": change_sides,
}
