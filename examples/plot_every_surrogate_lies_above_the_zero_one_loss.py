"""Every surrogate lies above the zero-one loss; the natural logarithm's logistic loss does not."""

from pathlib import Path

import numpy as np

from surelearn.losses import Exponential, Hinge, Logistic, Square, ZeroOne
from surelearn.plots import style


def figure():
    """Draw the losses of a positive example over its score."""
    title = (
        "Every surrogate lies above the zero-one loss; "
        "the natural logarithm's logistic loss does not"
    )
    drawing, (ax,) = style.new_figure(title)
    scores = np.linspace(-1.5, 2.5, 801)
    ax.plot(scores, ZeroOne(margin=True)(1, scores), color="black", label="zero-one")
    surrogates = {
        "exponential": (Exponential(), style.GUARANTEED, "-"),
        "hinge": (Hinge(), style.OBSERVED, "-"),
        "square": (Square(), style.BROKEN, "-"),
        "logistic, base 2": (Logistic(base=2.0), style.MUTED, "-"),
        "logistic, base e": (Logistic(), style.MUTED, ":"),
    }
    for name, (loss, colour, line) in surrogates.items():
        ax.plot(scores, loss(1, scores), color=colour, linestyle=line, label=name)
    ax.set(ylim=(0.0, 3.2), xlabel="margin: label times score", ylabel="loss")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "every_surrogate_lies_above_the_zero_one_loss.svg")
