"""Least squares and ridge regression, written from their definitions."""

import numpy as np


def least_squares(X, y):
    """Return the weights and intercept of least norm that minimise the sum of squares."""
    mean, level = X.mean(axis=0), y.mean()
    coef = np.linalg.pinv(X - mean) @ (y - level)
    return coef, level - mean @ coef


def ridge(X, y, alpha, *, intercept=True):
    """Return the weights and intercept of the normal equations with alpha on the diagonal."""
    mean = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
    level = y.mean() if intercept else 0.0
    A = X - mean
    coef = np.linalg.solve(A.T @ A + alpha * np.eye(X.shape[1]), A.T @ (y - level))
    return coef, level - mean @ coef


def leave_one_out(X, y, alpha, *, intercept=True):
    """Return the error of predicting each row from all others, by refitting."""
    errors = np.empty(len(y))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        coef, constant = ridge(X[others], y[others], alpha, intercept=intercept)
        errors[i] = y[i] - X[i] @ coef - constant
    return errors


def standard_errors(X, y):
    """Return the textbook standard errors of the intercept and the weights."""
    A = np.column_stack([np.ones(len(X)), X])
    inverse = np.linalg.inv(A.T @ A)
    residuals = y - A @ (inverse @ A.T @ y)
    variance = residuals @ residuals / (len(A) - A.shape[1])
    return np.sqrt(variance * np.diag(inverse))
