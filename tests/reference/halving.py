"""Halving: the majority of the experts that have never erred, a tie being 1."""

import numpy as np


def learn(advice, outcomes, *, only_on_mistakes=False):
    """Return the prediction of every round and the mask of the experts still in the pool."""
    pool, predictions = np.ones(advice.shape[1], dtype=bool), []
    for row, outcome in zip(advice, outcomes, strict=True):
        prediction = int(2 * row[pool].sum() >= pool.sum())
        predictions.append(prediction)
        if prediction != outcome or not only_on_mistakes:
            pool = pool & (row == outcome)
    return np.array(predictions), pool
