"""Logistic regression by Newton's method, as a textbook states it; no shortcuts."""

import numpy as np


def softmax(scores):
    """exp(z_k) / sum of exp(z_l), row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def objective(X, y, W, b, C=1.0, weights=None):
    """C · Σ s_i (−ln P(y_i | x_i)) + ½‖W‖², one row of W for each class."""
    weights = np.ones(len(y)) if weights is None else weights
    chances = softmax(X @ W.T + b)[np.arange(len(y)), y]
    return -C * weights @ np.log(chances) + 0.5 * (W**2).sum()


def binary(X, y, C=np.inf, weights=None, n_steps=50):
    """Cox (1958) with +½‖w‖²/C: Newton's method with halved steps; y is 0 or 1; b is last."""
    weights = np.ones(len(y)) if weights is None else weights
    table = np.column_stack([X, np.ones(len(y))])
    ridge = np.append(np.full(X.shape[1], 1.0 / C), 0.0)

    def loss(w):
        z = table @ w
        return weights @ (np.logaddexp(0.0, z) - y * z) + 0.5 * ridge @ w**2

    w = np.zeros(table.shape[1])
    for _ in range(n_steps):
        p = 1.0 / (1.0 + np.exp(-(table @ w)))
        gradient = table.T @ (weights * (p - y)) + ridge * w
        hessian = table.T @ ((weights * p * (1.0 - p))[:, None] * table) + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        while loss(w - step) > loss(w) + 1e-12 and np.linalg.norm(step) > 1e-12:
            step = step / 2.0
        w = w - step
    return w


def multinomial(X, y, C=1.0, weights=None, n_steps=40):
    """Newton's method on all classes' parameters at once, by the pseudo-inverse of the Hessian."""
    K, weights = y.max() + 1, np.ones(len(y)) if weights is None else weights
    table = np.column_stack([X, np.ones(len(y))])
    d, labels = table.shape[1], np.eye(K)[y]
    ridge = np.tile(np.append(np.full(d - 1, 1.0 / C), 0.0), K)
    theta = np.zeros(K * d)
    for _ in range(n_steps):
        P = softmax(table @ theta.reshape(K, d).T)
        gradient = ((weights[:, None] * (P - labels)).T @ table).ravel() + ridge * theta
        hessian = np.diag(ridge)
        for s, p, x in zip(weights, P, table, strict=True):
            hessian = hessian + s * np.kron(np.diag(p) - np.outer(p, p), np.outer(x, x))
        theta = theta - np.linalg.pinv(hessian) @ gradient
    return theta.reshape(K, d)
