"""AdaBoost with decision stumps, word for word, and its simple form with one factor."""

import numpy as np


def stump_answers(X, feature, threshold, polarity):
    """Return polarity where the feature is at most the threshold, -polarity elsewhere."""
    return np.where(X[:, feature] <= threshold, polarity, -polarity)


def best_stump(X, signs, weights):
    """Return the least weighted error and its stump; ties to the first feature and threshold.

    A stump whose threshold is infinite names one class for all rows.
    """
    best, chosen = np.inf, None
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2.0:
            for polarity in (1.0, -1.0):
                wrong = stump_answers(X, feature, threshold, polarity) != signs
                error = weights[wrong].sum()
                if error < best - 1e-12:
                    best, chosen = error, (feature, threshold, polarity)
    for polarity in (-1.0, 1.0):
        error = weights[signs != polarity].sum()
        if error < best - 1e-12:
            best, chosen = error, (0, np.inf, polarity)
    return best, chosen


def learn(X, signs, n_rounds):
    """Return the stumps, their weights and their weighted errors, one for each round.

    A stump without weighted error is kept alone; a stump no better than a coin ends the rounds.
    """
    weights = np.full(len(X), 1.0 / len(X))
    stumps, alphas, errors = [], [], []
    for _ in range(n_rounds):
        error, stump = best_stump(X, signs, weights)
        if error >= 0.5 - 1e-12:
            break
        if error <= 1e-12:
            return [stump], np.ones(1), np.zeros(1)
        alpha = 0.5 * np.log((1.0 - error) / error)
        weights = weights * np.exp(-alpha * signs * stump_answers(X, *stump))
        weights = weights / weights.sum()
        stumps.append(stump)
        alphas.append(alpha)
        errors.append(error)
    return stumps, np.array(alphas), np.array(errors)


def scores(X, stumps, alphas):
    """Return the weighted sum of the answers of the stumps."""
    total = np.zeros(len(X))
    for stump, alpha in zip(stumps, alphas, strict=True):
        total += alpha * stump_answers(X, *stump)
    return total


def one_factor(answers, signs, error):
    """Return the weighted error of each round, multiplying right examples by error/(1 - error).

    `answers` holds what the member of each round says; the rounds end in an unweighted vote.
    """
    weights, errors = np.ones(len(signs)), []
    for answer in answers:
        wrong = answer != signs
        errors.append(weights[wrong].sum() / weights.sum())
        weights = np.where(wrong, weights, weights * error / (1.0 - error))
    return np.array(errors), weights


def beta_form(X, labels, n_rounds):
    """Return the answers 0 or 1 of AdaBoost as it was printed first, and its weights of rows."""
    weights, stumps, betas = np.ones(len(X)), [], []
    for _ in range(n_rounds):
        error, stump = best_stump(X, 2.0 * labels - 1.0, weights / weights.sum())
        says = (stump_answers(X, *stump) + 1.0) / 2.0
        beta = error / (1.0 - error)
        weights = weights * beta ** (1.0 - np.abs(says - labels))
        stumps.append(stump)
        betas.append(beta)
    votes = sum(
        np.log(1.0 / beta) * (stump_answers(X, *stump) + 1.0) / 2.0
        for stump, beta in zip(stumps, betas, strict=True)
    )
    return (votes >= 0.5 * np.log(1.0 / np.array(betas)).sum()).astype(int), weights
