"""Weighted majority, Littlestone and Warmuth (1994): experts that err keep beta of their weight."""

import numpy as np


def learn(advice, outcomes, beta, *, only_on_mistakes=False):
    """Return the prediction of every round, a tie being 1, and the final weights."""
    weights, predictions = np.ones(advice.shape[1]), []
    for row, outcome in zip(advice, outcomes, strict=True):
        prediction = int(weights[row == 1].sum() >= weights[row == 0].sum())
        predictions.append(prediction)
        if prediction != outcome or not only_on_mistakes:
            weights = np.where(row == outcome, weights, beta * weights)
    return np.array(predictions), weights
