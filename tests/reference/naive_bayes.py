"""Naive Bayes from its definition: P(c) Π_j P(x_j | c), in exact fractions where there are no
densities. A cell of None is missing: left out of the counts and of the product."""

import math
from fractions import Fraction


def frequency(values, value, n_values, smoothing):
    """Return the share of a value among those that are there, `smoothing` rows of each added."""
    there = [v for v in values if v is not None]
    if not there and smoothing == 0:
        return Fraction(1, n_values)
    return Fraction(there.count(value) + smoothing) / (len(there) + smoothing * n_values)


def prior(labels, label, smoothing):
    """Return the share of a class, `smoothing` rows of each class added."""
    return Fraction(labels.count(label) + smoothing) / (len(labels) + smoothing * len(set(labels)))


def categorical_joint(rows, labels, x, smoothing, prior_smoothing):
    """Return P(c) Π_j P(x_j | c) for each class in sorted order; unknown values have no factor."""
    joint = []
    for label in sorted(set(labels)):
        product = prior(labels, label, prior_smoothing)
        for j, value in enumerate(x):
            known = {row[j] for row in rows} - {None}
            if value in known:
                column = [row[j] for row, c in zip(rows, labels, strict=True) if c == label]
                product *= frequency(column, value, len(known), smoothing)
        joint.append(product)
    return joint


def posterior(joint):
    """Return the joint probabilities divided by their sum."""
    return [float(part / sum(joint)) for part in joint]


def mean_and_variance(values):
    """Return both, of the values that are there."""
    there = [v for v in values if v is not None]
    mean = math.fsum(there) / len(there)
    return mean, math.fsum((v - mean) ** 2 for v in there) / len(there)


def normal_log_joint(rows, labels, x, var_smoothing, prior_smoothing):
    """Return ln P(c) + Σ_j ln N(x_j; μ_cj, σ²_cj + ε) for each class in sorted order."""
    n_features = len(x)
    columns = [[row[j] for row in rows] for j in range(n_features)]
    floor = var_smoothing * max(mean_and_variance(column)[1] for column in columns)
    joint = []
    for label in sorted(set(labels)):
        total = math.log(prior(labels, label, prior_smoothing))
        for j in range(n_features):
            own = [v for v, c in zip(columns[j], labels, strict=True) if c == label]
            mean, variance = mean_and_variance(own)
            variance += floor
            if x[j] is not None:
                total -= 0.5 * math.log(2.0 * math.pi * variance)
                total -= 0.5 * (x[j] - mean) ** 2 / variance
        joint.append(total)
    return joint
