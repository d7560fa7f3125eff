"""After the training error is 0 the smallest margin goes on growing, and the unseen error falls."""

from pathlib import Path

import numpy as np

from surelearn import AdaBoostClassifier, trace_boosting
from surelearn.plots import style
from surelearn.plots.boosting import plot_boosting, plot_margins


def draw(rng, n):
    """Draw points of a rule that a vote of stumps can come near to."""
    X = rng.normal(size=(n, 6))
    return X, np.where(X.sum(axis=1) > 0.0, 1, -1)


def figure():
    """Draw the errors and the bound over the rounds, and the margins early and late."""
    rng = np.random.default_rng(0)
    X, y = draw(rng, 300)
    X_new, y_new = draw(rng, 20_000)
    title = (
        "After the training error is 0 the smallest margin goes on growing, "
        "and the unseen error falls"
    )
    drawing, (left, right) = style.new_figure(title, columns=2)
    late = trace_boosting(
        AdaBoostClassifier(n_estimators=400).fit(X, y), X, y, X_new=X_new, y_new=y_new
    )
    plot_boosting(late, ax=left)
    left.set(xscale="log", ylim=(0.0, 1.0))
    zero = int(np.flatnonzero(late.training_error == 0.0)[0]) + 1
    early = trace_boosting(AdaBoostClassifier(n_estimators=zero).fit(X, y), X, y)
    for trace, colour, line in ((early, style.MUTED, "--"), (late, style.OBSERVED, "-")):
        plot_margins(trace, ax=right)
        curve = right.lines[-2]
        curve.set(color=colour, linestyle=line, label=f"after {trace.rounds[-1]} rounds")
    right.set(xlim=(-0.1, 0.6))
    right.legend(handles=[right.lines[0], right.lines[2]])
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "margins_grow_after_the_training_error_is_zero.svg")
