"""The forecaster does not stumble over a long input; ridge does."""

from pathlib import Path

import numpy as np

from surelearn.bounds import online_second_order
from surelearn.plots import style

REGULARIZATION = 1e-2


def excess(x, y, *, forecaster):
    """Return the excess loss over the best regularised slope, and ln det, after every round."""
    A, b, loss, squares, found, volume = REGULARIZATION, 0.0, 0.0, 0.0, [], []
    for xt, yt in zip(x, y, strict=True):
        loss += (yt - xt * b / (A + xt**2 * forecaster)) ** 2
        A, b, squares = A + xt**2, b + xt * yt, squares + yt**2
        found.append(loss - (squares - b**2 / A))
        volume.append(np.log(A / REGULARIZATION))
    return np.array(found), volume


def figure():
    """Draw both excess losses and the bound of the forecaster on inputs that grow now and then."""
    title = "The forecaster does not stumble over a long input; ridge does"
    drawing, (ax,) = style.new_figure(title)
    rng, rounds = np.random.default_rng(0), np.arange(1, 201)
    x = rng.uniform(0.05, 0.1, 200) * np.where(rounds % 50 == 0, 30, 1)
    y = np.sign(rng.normal(size=200))
    forecaster, volume = excess(x, y, forecaster=True)
    ridge, _ = excess(x, y, forecaster=False)
    bound = [
        online_second_order.vovk_azoury_warmuth(target_bound=1.0, log_determinant=v).bound
        for v in volume
    ]
    ax.plot(rounds, bound, color=style.GUARANTEED, label="bound of the forecaster")
    ax.plot(rounds, ridge, color=style.BROKEN, label="ridge regression on the past")
    ax.plot(rounds, forecaster, color=style.OBSERVED, label="forecaster (current input counted)")
    ax.set(yscale="log", xlabel="rounds", ylabel="loss in excess of the best")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_forecaster_does_not_stumble_over_a_long_input.svg")
