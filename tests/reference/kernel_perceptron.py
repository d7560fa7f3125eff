"""The dual Perceptron, word for word: count how often each example was got wrong."""

import numpy as np


def learn(gram, signs, *, max_passes=1):
    """Return the score of every visit before learning from it, and the counts of the examples."""
    counts, scores = np.zeros(len(signs), dtype=int), []
    for _ in range(max_passes):
        before = counts.copy()
        for t in range(len(signs)):
            scores.append((counts * signs) @ gram[:, t])
            counts[t] += signs[t] * scores[-1] <= 0.0
        if (counts == before).all():
            break
    return np.array(scores), counts
