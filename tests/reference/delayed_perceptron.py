"""The Perceptron with late labels: a mistake is judged when made, its update applied on arrival."""

import numpy as np


def learn(X, signs, delays):
    """Return the rows of the mistakes in order of arrival, the weights, and each one's staleness.

    The label of row s is known after the prediction of row s + delays[s]; those that arrive later
    than the last row are applied after it.
    """
    w, waiting, applied, staleness = np.zeros(X.shape[1]), [], [], []
    for t in range(len(X) + int(max(delays)) + 1):
        if t < len(X) and signs[t] * (X[t] @ w) <= 0.0:
            waiting.append((t + delays[t], t, len(applied)))
        for arrival, s, seen in sorted(waiting):
            if arrival <= t:
                staleness.append(len(applied) - seen)
                w = w + signs[s] * X[s]
                applied.append(s)
        waiting = [entry for entry in waiting if entry[0] > t]
    return applied, w, np.array(staleness, dtype=int)
