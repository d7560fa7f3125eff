"""One line is best in three ways: least squares, projection and likelihood."""

from pathlib import Path

import numpy as np

from surelearn import LinearRegression
from surelearn.plots import style

X, Y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 3.0, 5.0, 4.0])


def draw_residuals(ax, model):
    """Draw the line and what it leaves of each target."""
    fitted = model.predict(X[:, np.newaxis])
    ends = np.array([0.5, 4.5])
    ax.plot(ends, model.intercept_ + model.coef_[0] * ends, color=style.GUARANTEED)
    ax.vlines(X, fitted, Y, color=style.MUTED)
    ax.plot(X, Y, "o", color=style.OBSERVED)
    ax.set(xlabel="x", ylabel="y", title="the squares of the grey lines sum to 1.8, the least")


def draw_projection(ax, model):
    """Draw the centred target, its shadow on the centred feature, and the right angle between."""
    x, y = X - X.mean(), Y - Y.mean()
    along = x / np.linalg.norm(x)
    shadow, rest = y @ along, np.linalg.norm(y - (y @ along) * along)
    for end, label, colour in (
        ((shadow, rest), "target", style.OBSERVED),
        ((shadow, 0.0), "fitted", style.GUARANTEED),
    ):
        ax.annotate("", end, (0, 0), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.8})
        ax.annotate(label, end, (4, 6), textcoords="offset points", color=colour)
    ax.plot([shadow, shadow], [0, rest], color=style.MUTED)
    ax.plot([shadow - 0.08, shadow - 0.08, shadow], [0, 0.08, 0.08], color=style.MUTED, lw=1)
    ax.set(xlim=(-0.1, 2.4), ylim=(-0.2, 1.6), aspect="equal", xlabel="along the feature")
    ax.set(
        ylabel="across", title=f"the residual stands at a right angle; slope {model.coef_[0]:.1f}"
    )


def draw_likelihood(ax, model):
    """Draw the log-likelihood over the slope, at the best constant and noise."""
    slopes = np.linspace(-0.4, 2.0, 200)
    rss = [np.sum((Y - Y.mean() - s * (X - X.mean())) ** 2) for s in slopes]
    heights = -2 * np.log(2 * np.pi * np.array(rss) / 4) - 2
    ax.plot(slopes, heights, color=style.OBSERVED)
    ax.axvline(model.coef_[0], color=style.GUARANTEED)
    ax.set(xlabel="slope", ylabel="log-likelihood", title="Gaussian noise makes it most likely")


def figure():
    """Draw the three views of the line through four points."""
    title = "One line is best in three ways: least squares, projection and likelihood"
    drawing, axes = style.new_figure(title, columns=3)
    model = LinearRegression().fit(X[:, np.newaxis], Y)
    for ax, draw in zip(axes, (draw_residuals, draw_projection, draw_likelihood), strict=True):
        draw(ax, model)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "one_line_is_best_in_three_ways.svg")
