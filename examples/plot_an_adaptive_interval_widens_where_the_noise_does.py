"""An adaptive interval is narrow where the noise is small and wide where it is large."""

from pathlib import Path

import numpy as np

from surelearn import Holdout, LocallyScaledRegressor, Quantile, RidgeRegression
from surelearn.plots import style

N, ALPHA, DELTA = 3000, 0.1, 0.05


def certified(seed=0):
    """Return a model with widths, its certified numbers, and the rows that were held out."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(N, 1))
    y = 2.0 * X[:, 0] + (0.1 + 1.2 * X[:, 0] ** 2) * rng.normal(size=N)
    train, labels, held_out = Holdout.split(
        X, y, fraction=0.3, seed=0, delta=DELTA, loss=Quantile(ALPHA),
        claims=["scaled-error-quantile"],
    )  # fmt: skip
    model = LocallyScaledRegressor(RidgeRegression()).fit(train, labels)
    answers = held_out.answer(model)
    return model, answers.certificate.bound, answers.claims[0].certificate.bound, X, y


def figure():
    """Draw rows, the certified interval of each place, and the one width that would hold too."""
    drawing, (ax,) = style.new_figure(
        "An adaptive interval is narrow where the noise is small and wide where it is large"
    )
    model, alike, n_widths, X, y = certified()
    places = np.linspace(0.0, 1.0, 500)[:, np.newaxis]
    predicted = model.predict(places)
    low, high = model.predict_interval(places, n_widths=n_widths).T
    ax.plot(X[:600, 0], y[:600], ".", ms=3, color=style.MUTED, label="rows")
    ax.fill_between(
        places[:, 0], low, high, step="mid", color=style.GUARANTEED, alpha=0.3, lw=0,
        label=f"adaptive: holds {1 - ALPHA:.0%} of new rows",
    )  # fmt: skip
    ax.plot(places, predicted, color=style.OBSERVED, label="prediction")
    for sign, label in ((-1.0, "one width for all: holds as many"), (1.0, "_")):
        ax.plot(places, predicted + sign * alike, "--", lw=1.2, color=style.OBSERVED, label=label)
    ax.set(xlabel="feature", ylabel="target")
    ax.legend(loc="upper left", fontsize=8.5)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "an_adaptive_interval_widens_where_the_noise_does.svg")
