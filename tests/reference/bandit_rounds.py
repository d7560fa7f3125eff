"""One bandit at a time: coins, adversaries that react, the plain algorithms on given uniforms."""

import math

import numpy as np


def coins(means, n_rounds, seed):
    return (np.random.default_rng(seed).random((n_rounds, len(means))) < means).astype(float)


def regret(losses, arms):
    return losses[np.arange(len(arms)), arms].sum() - losses.sum(axis=0).min()


def plain_game(losses, uniforms, probabilities, estimate):
    """Play the plain version with the same uniform numbers; return arms, estimates and chances."""
    total, arms, chances = np.zeros(losses.shape[1]), [], []
    for t, (row, uniform) in enumerate(zip(losses, uniforms, strict=True)):
        p = probabilities(total, t + 1)
        arm = int(np.sum(np.cumsum(p) <= uniform))
        total = total + estimate(row, np.arange(len(row)) == arm, p, t + 1)
        arms.append(arm)
        chances.append(p[arm])
    return arms, total, chances


def anytime(n_arms):
    return lambda t: math.sqrt(math.log(n_arms) / (n_arms * t))


def tuned(n_arms, horizon):
    return lambda _: math.sqrt(2 * math.log(n_arms) / (n_arms * horizon))


def favourite(bandit, _):
    return (bandit.probabilities == bandit.probabilities.max()).astype(float)


def last(bandit, arms):
    return (np.arange(bandit.n_arms) == (arms[-1] if arms else 0)).astype(float)


def sides(bandit, arms):
    return np.where(np.arange(bandit.n_arms) % 2 == len(arms) // 30 % 2, 0.2, 0.7)


ADVERSARIES = {"favourite": favourite, "last": last, "sides": sides}


def play_against(bandit, adversary, n_rounds):
    """Play against one who sees all but the coin of this round; return L_alg - L_i per arm."""
    arms, table = [], []
    for _ in range(n_rounds):
        row = adversary(bandit, arms)
        arm = bandit.select()
        bandit.update(arm, row[arm])
        arms.append(arm)
        table.append(row)
    return bandit.cumulative_loss_ - np.sum(table, axis=0)
