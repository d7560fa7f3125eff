"""At a factor of one half the constant 2.63 is too small: an adversary exceeds it"""

import math
from pathlib import Path

import numpy as np

from surelearn.bounds import mistakes
from surelearn.datasets import adversaries
from surelearn.plots import style


def figure():
    """Draw the mistakes an adversary forces on a weighted majority, and two bounds on them."""
    drawing, (ax,) = style.new_figure(__doc__)
    sizes = 2 ** np.arange(2, 15)
    forced = [len(adversaries.majority_fooling_advice(int(n), beta=0.5)[1]) for n in sizes]
    bounds = [
        mistakes.weighted_majority(best_mistakes=0, n_experts=int(n), beta=0.5).bound for n in sizes
    ]
    ax.plot(sizes, bounds, color=style.GUARANTEED, label="bound, 3.476 ln n")
    ax.plot(sizes, forced, "o", color=style.OBSERVED, label="mistakes of weighted majority")
    misprint = [2.63 * math.log(n) for n in sizes]
    ax.plot(sizes, misprint, "--", color=style.BROKEN, label="as printed, 2.63 ln n")
    ax.set(xscale="log", xlabel="experts, one of them perfect", ylabel="mistakes")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "weighted_majority_constants_belong_to_their_beta.svg")
