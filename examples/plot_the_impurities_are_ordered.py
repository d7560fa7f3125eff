"""The four impurities are ordered, and only the smallest misses a split that helps."""

from pathlib import Path

import numpy as np

from surelearn.impurities import Entropy, Gini, Misclassification, SquareRoot
from surelearn.plots import style

IMPURITIES = {
    "square root": (SquareRoot(), style.GUARANTEED),
    "half the entropy": (Entropy(), style.BROKEN),
    "Gini": (Gini(), style.OBSERVED),
    "misclassification": (Misclassification(), style.MUTED),
}


def figure():
    """Draw the four functions, and what each gains by a split of a node with 80% of one class."""
    title = "The four impurities are ordered, and only the smallest misses a split that helps"
    drawing, (curves, gains) = style.new_figure(title, columns=2)
    p = np.linspace(0.0, 1.0, 501)
    children = np.array([[30, 20], [50, 0]])
    for name, (impurity, colour) in IMPURITIES.items():
        curves.plot(p, impurity.psi(p), color=colour, label=name)
        gain = impurity.gain(children) / impurity.scale
        bar = gains.barh(name, gain, color=colour)
        gains.bar_label(bar, [f"{gain:.3f}"], padding=4)
    curves.set(xlabel="fraction p of the positive class", ylabel="ψ(p)")
    curves.legend(loc="lower center")
    gains.set(xlabel="gain of the split of 80 + 20 into 30 + 20 and 50 + 0", xlim=(0.0, 0.19))
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_impurities_are_ordered.svg")
