"""Kernel Perceptrons that hold at most `budget` terms, on a Gram matrix."""

import numpy as np


def decay_and_drop(gram, signs, budget, decay):
    """Fade all terms on a mistake, then drop the oldest beyond the budget.

    Returns the rows of the mistakes, the final coefficients and the norm removed at each mistake.
    """
    coef, held, mistakes, removed = np.zeros(len(signs)), [], [], []
    for t, sign in enumerate(signs):
        if sign * (coef @ gram[:, t]) <= 0.0:
            gone = decay * coef
            if len(held) == budget:
                oldest = held.pop(0)
                gone[oldest] = coef[oldest]
            removed.append(np.sqrt(max(0.0, gone @ gram @ gone)))
            coef = coef - gone
            coef[t] += sign
            held.append(t)
            mistakes.append(t)
    return mistakes, coef, np.array(removed)


def random_removal(gram, signs, budget, rng):
    """Remove a stored term drawn uniformly before an update beyond the budget.

    Returns the number of mistakes.
    """
    coef, held, mistakes = np.zeros(len(signs)), [], 0
    for t, sign in enumerate(signs):
        if sign * (coef @ gram[:, t]) <= 0.0:
            if len(held) == budget:
                coef[held.pop(rng.integers(budget))] = 0.0
            coef[t] = sign
            held.append(t)
            mistakes += 1
    return mistakes
