"""EM for a mixture of Gaussians, row by row and component by component, from the formulas."""

import math

import numpy as np


def density(x, mean, covariance):
    """Return the Gaussian density of the values of x that are there (the others are NaN)."""
    known = ~np.isnan(x)
    z = (x - mean)[known]
    part = covariance[np.ix_(known, known)]
    height = math.sqrt((2.0 * math.pi) ** len(z) * np.linalg.det(part))
    return math.exp(-0.5 * z @ np.linalg.inv(part) @ z) / height


def responsibilities(X, weights, means, covariances):
    """Return P(component | row) and the log-likelihood of all rows."""
    joint = np.array(
        [
            [w * density(x, m, c) for w, m, c in zip(weights, means, covariances, strict=True)]
            for x in X
        ]
    )
    evidence = joint.sum(axis=1)
    return joint / evidence[:, np.newaxis], np.log(evidence)


def expected_row(x, mean, covariance):
    """Return E[x] and the covariance that remains, given the values of x that are there."""
    known = ~np.isnan(x)
    full, remaining = np.where(known, x, mean), np.zeros_like(covariance)
    if not known.all():
        gone = ~known
        slopes = covariance[np.ix_(gone, known)] @ np.linalg.inv(covariance[np.ix_(known, known)])
        full[gone] = mean[gone] + slopes @ (x - mean)[known]
        remaining[np.ix_(gone, gone)] = (
            covariance[np.ix_(gone, gone)] - slopes @ covariance[np.ix_(known, gone)]
        )
    return full, remaining


def iterate(X, weights, means, covariances, *, counts=None):
    """Return the parameters after one step, and the log-likelihood before it; no floor."""
    counts = np.ones(len(X)) if counts is None else counts
    shares, evidence = responsibilities(X, weights, means, covariances)
    shares = shares * counts[:, np.newaxis]
    totals = shares.sum(axis=0)
    new_means, new_covariances = np.zeros_like(means), np.zeros_like(covariances)
    for k in range(len(weights)):
        rows = [expected_row(x, means[k], covariances[k]) for x in X]
        new_means[k] = sum(r * x for r, (x, _) in zip(shares[:, k], rows, strict=True)) / totals[k]
        for r, (x, remaining) in zip(shares[:, k], rows, strict=True):
            difference = x - new_means[k]
            new_covariances[k] += r * (np.outer(difference, difference) + remaining) / totals[k]
    return totals / totals.sum(), new_means, new_covariances, float(counts @ evidence)
