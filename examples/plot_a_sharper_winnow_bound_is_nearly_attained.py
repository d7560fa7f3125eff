"""At its best rate normalised Winnow has a smaller bound, which an adversary nearly attains"""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import mistakes_linear
from surelearn.plots import style

N_FEATURES = 256


def forced_mistakes(margin):
    """Return the mistakes when feature 0 has the margin and the others make the vote a tie."""
    weights = np.full(N_FEATURES, 1.0 / N_FEATURES)
    rate, mistakes = math.atanh(margin), 0
    while margin * weights[0] < 1.0 - weights[0]:
        row, score = np.full(N_FEATURES, margin), margin * weights[0]
        for i in 1 + np.argsort(-weights[1:], kind="stable"):
            row[i] = -1.0 if score > 0.0 else 1.0
            score += row[i] * weights[i]
        for i in 1 + np.argsort(weights[1:]):  # what is left above 0 is taken from single features
            excess = min(max(score, 0.0) / weights[i], 1.0 + row[i])
            row[i], score = row[i] - excess, score - excess * weights[i]
        weights *= np.exp(rate * row)
        weights /= weights.sum()
        mistakes += 1
    return mistakes


def figure():
    """Draw bounds and forced mistakes over the margin."""
    drawing, (ax,) = style.new_figure(__doc__)
    margins = np.linspace(0.2, 0.98, 27)
    log_n = math.log(N_FEATURES)
    sharp = [
        mistakes_linear.normalized_winnow_separable(divergence=log_n, margin=r, radius=1.0).bound
        for r in margins
    ]
    ax.plot(margins, 2.0 * log_n / margins**2, color=style.MUTED, label="usual bound, 2 ln N / r²")
    ax.plot(margins, sharp, color=style.GUARANTEED, label="bound, ln N / d(r)")
    forced = [forced_mistakes(float(r)) for r in margins]
    ax.plot(margins, forced, "o", ms=4, color=style.OBSERVED, label="mistakes forced")
    ax.set(xlabel="margin r (largest feature 1)", ylabel="mistakes", yscale="log")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_sharper_winnow_bound_is_nearly_attained.svg")
