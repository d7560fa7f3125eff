"""Exponential weights over experts that predict numbers: their average, or Vovk's substitution."""

import numpy as np


def square(outcome, prediction):
    return (outcome - prediction) ** 2


def relative_entropy(outcome, prediction):
    """Return y ln(y/p) + (1-y) ln((1-y)/(1-p)), infinite where it must be."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(outcome > 0, outcome * np.log(outcome / prediction), 0.0)
        zero = np.where(outcome < 1, (1 - outcome) * np.log((1 - outcome) / (1 - prediction)), 0.0)
    return one + zero


def predict_average(weights, experts, _rate):
    return weights @ experts


def predict_substitution(weights, experts, rate, low=0.0, high=1.0):
    """Return (low+high)/2 + (g(low) - g(high)) / (2 (high-low)), g the mix of the square losses."""

    def mix_loss(outcome):
        return -np.log(weights @ np.exp(-rate * square(outcome, experts))) / rate

    return (low + high) / 2 + (mix_loss(low) - mix_loss(high)) / (2 * (high - low))


def exponentially_weighted_average(experts, outcomes, rate, loss=square, predict=predict_average):
    """Return (predictions, regret, sum of the learner's loss minus the mix loss)."""
    cumulative, predictions, excess = np.zeros(np.shape(experts)[1]), [], 0.0
    for advice, outcome in zip(np.asarray(experts), outcomes, strict=True):
        weights = np.exp(-rate * (cumulative - cumulative.min()))
        weights /= weights.sum()
        predictions.append(predict(weights, advice, rate))
        each = loss(outcome, advice)
        mix_loss = -np.log(weights @ np.exp(-rate * each)) / rate
        excess += loss(outcome, predictions[-1]) - mix_loss
        cumulative = cumulative + each
    total = sum(loss(y, p) for y, p in zip(outcomes, predictions, strict=True))
    return np.array(predictions), float(total - cumulative.min()), float(excess)
