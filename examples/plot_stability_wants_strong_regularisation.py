"""Stability certifies a support vector machine only under strong regularisation."""

from pathlib import Path

import numpy as np

from surelearn.bounds import stability
from surelearn.plots import style

N, DELTA, NOISE, EPOCHS = 1000, 0.05, 0.05, 15


def support_vector_machines(X, y, C):
    """Return weights and duality gap for each C, by dual coordinate ascent on rows of norm 1."""
    alpha, w = np.zeros((N, len(C))), np.zeros((2, len(C)))
    for _ in range(EPOCHS):
        for i in range(N):
            new = np.clip(alpha[i] + 1.0 - y[i] * (X[i] @ w), 0.0, C)
            w += np.outer(X[i], y[i] * (new - alpha[i]))
            alpha[i] = new
    hinge = np.maximum(0.0, 1.0 - y[:, None] * (X @ w))
    gap = (w**2).sum(axis=0) + C * hinge.sum(axis=0) - alpha.sum(axis=0)
    return w, np.minimum(1.0, hinge).mean(axis=0), np.maximum(gap, 0.0)


def figure():
    """Draw certificate, training loss and risk over the strength of regularisation."""
    title = "Stability certifies a support vector machine only under strong regularisation"
    drawing, (ax,) = style.new_figure(title)
    rng = np.random.default_rng(0)
    angle = rng.uniform(-np.pi, np.pi, N)
    X = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    y = np.where((X[:, 0] > 0) ^ (rng.random(N) < NOISE), 1.0, -1.0)
    strengths = np.geomspace(0.03, 3.0, 15)
    C = 1.0 / (strengths * N)
    w, ramp, gap = support_vector_machines(X, y, C)
    risk = NOISE + (1 - 2 * NOISE) * np.abs(np.arctan2(w[1], w[0])) / np.pi
    shared = {"kernel_radius": 1.0, "n": N, "delta": DELTA}
    bounds = [
        stability.svm(ramp_loss=float(r), C=float(c), duality_gap=float(g), **shared).bound
        for r, c, g in zip(ramp, C, gap, strict=True)
    ]
    ax.plot(strengths, bounds, color=style.GUARANTEED, label="95% certificate")
    ax.plot(strengths, ramp, color=style.OBSERVED, label="training loss min(1, hinge)")
    ax.plot(strengths, risk, color="black", linestyle="--", label="true risk")
    ax.axhline(1.0, color=style.MUTED, linewidth=1.0, label="says nothing")
    ax.set(xscale="log", ylim=(0, 2), xlabel="regularisation λ", ylabel=f"error rate, {N} rows")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "stability_wants_strong_regularisation.svg")
