"""Completion of a matrix with NaN, written on dense matrices from the definitions."""

import numpy as np


def hard_impute(X, rank, n_passes, start=0.0):
    """Return the matrix of rank `rank` after some passes of fill in and truncate."""
    known = ~np.isnan(X)
    Z = np.broadcast_to(start, X.shape)
    for _ in range(n_passes):
        left, values, right = np.linalg.svd(np.where(known, X, Z), full_matrices=False)
        Z = (left[:, :rank] * values[:rank]) @ right[:rank]
    return Z


def soft_impute(X, price, n_passes):
    """Return the matrix after some passes of fill in and shrink, and its objective."""
    known, Z = ~np.isnan(X), np.zeros(X.shape)
    for _ in range(n_passes):
        left, values, right = np.linalg.svd(np.where(known, X, Z), full_matrices=False)
        values = np.maximum(values - price, 0.0)
        Z = (left * values) @ right
    return Z, 0.5 * np.nansum((X - Z) ** 2) + price * values.sum()
