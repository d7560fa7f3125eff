"""Adaptive intervals keep their promise after a change, fixed ones do not."""

from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression

from surelearn import OnlineConformal
from surelearn.plots import style

ALPHA, ROWS, CHANGE, STRETCH = 0.1, 3000, 1500, 200


def stream():
    """Return rows whose noise grows threefold in the middle."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 2))
    noise = rng.normal(size=ROWS) * np.where(np.arange(ROWS) < CHANGE, 1.0, 3.0)
    return X, X @ [1.0, 2.0] + noise


def share_missed(missed):
    """Return the share of misses in each stretch of rows."""
    return np.convolve(missed, np.full(STRETCH, 1.0 / STRETCH), mode="valid")


def figure():
    """Draw the share of misses of the last rows, for fixed and for adaptive intervals."""
    X, y = stream()
    model = LinearRegression().fit(X[:500], y[:500])
    errors = np.abs(y - model.predict(X))
    width = np.quantile(errors[:500], 1.0 - ALPHA)
    conformal = OnlineConformal(model, alpha=ALPHA)
    low, high = conformal.learn(X, y).T
    drawing, (ax,) = style.new_figure(
        "Adaptive intervals keep their promise after a change, fixed ones do not"
    )
    rows = np.arange(STRETCH, ROWS + 1)
    ax.plot(rows, share_missed(errors > width), color=style.BROKEN, label="fixed intervals")
    adaptive = share_missed((y < low) | (y > high))
    ax.plot(rows, adaptive, color=style.OBSERVED, label="adaptive intervals")
    ax.axhline(ALPHA, color=style.GUARANTEED, linestyle="--", label="what was asked for: 10%")
    ax.axvline(CHANGE, color=style.MUTED, linestyle=":", label="the noise grows threefold")
    ax.set(xlabel="rows", ylabel=f"share of the last {STRETCH} rows missed", ylim=(0.0, None))
    ax.legend(loc="upper left", fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "adaptive_intervals_keep_their_promise_after_a_change.svg")
