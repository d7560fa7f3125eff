"""Coin betting needs no guess of the norm; gradient descent does."""

from pathlib import Path

import numpy as np

from surelearn.bounds import coin_betting, online_convex
from surelearn.plots import style

N_ROUNDS = 1000


def figure():
    """Draw the bounds over the norm of the comparator, gradient descent tuned to the norm 1."""
    title = "Coin betting needs no guess of the norm; gradient descent does"
    drawing, (ax,) = style.new_figure(title)
    norms = np.geomspace(0.01, 100, 60)
    rate = 1 / np.sqrt(N_ROUNDS)
    curves = {
        "gradient descent tuned to norm 1": (
            style.BROKEN,
            [
                online_convex.gradient_descent_realised(
                    norm=u, learning_rate=rate, sum_squared_gradients=N_ROUNDS
                )
                for u in norms
            ],
        ),
        "coin betting, closed form": (
            style.MUTED,
            [coin_betting.coin_betting_closed(norm=u, n_rounds=N_ROUNDS) for u in norms],
        ),
        "coin betting, conjugate": (
            style.GUARANTEED,
            [coin_betting.coin_betting(norm=u, n_rounds=N_ROUNDS) for u in norms],
        ),
        "gradient descent told the norm": (
            style.OBSERVED,
            [
                online_convex.gradient_descent_fixed(norm=u, gradient_norm=1.0, n_rounds=N_ROUNDS)
                for u in norms
            ],
        ),
    }
    for name, (colour, guarantees) in curves.items():
        ax.plot(norms, [g.bound for g in guarantees], color=colour, label=name)
    ax.set(xscale="log", yscale="log", xlabel="norm of the comparator", ylabel="bound on regret")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "coin_betting_needs_no_guess_of_the_norm.svg")
