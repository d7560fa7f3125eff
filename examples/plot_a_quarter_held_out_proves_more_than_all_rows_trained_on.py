"""A quarter of the rows held out proves more than all rows trained on."""

from pathlib import Path

import numpy as np

from surelearn import (
    AdaBoostClassifier,
    CARTClassifier,
    CondensedNearestNeighbor,
    Holdout,
    LogisticRegression,
    NearestNeighborsClassifier,
    RandomForestClassifier,
)
from surelearn.datasets.real import load
from surelearn.evaluate.ledger import forget
from surelearn.plots import style

LEARNERS = {
    "condensed neighbours\n(compression)": CondensedNearestNeighbor(),
    "tree of depth 3\n(growth of its questions)": CARTClassifier(max_depth=3),
    "logistic regression\n(Cover's count)": LogisticRegression(),
    "forest\n(out of bag, PAC-Bayes)": RandomForestClassifier(random_state=0),
    "nearest neighbours\n(leave-one-out)": NearestNeighborsClassifier(),
    "AdaBoost\n(growth of stumps)": AdaBoostClassifier(),
}


def two_bounds(learner, X, y):
    """Return what all rows prove of a rule learnt from them, and what held-out rows prove."""
    fitted = learner.fit(X, y)
    own = min(c.bound for c in fitted.certificates() if c.kind == "risk" and c.status == "valid")
    X_train, y_train, held_out = Holdout.split(X, y, fraction=0.25, seed=0, delta=0.05)
    tested = held_out.certify(learner.fit(X_train, y_train)).bound
    forget()  # each learner is a story of its own, as if it were the only one
    return own, tested


def figure():
    """Draw both 95% bounds for six learners."""
    table = load("breast_cancer")
    X = table.X / np.abs(table.X).max(axis=0)
    bounds = np.array([two_bounds(learner, X, table.y) for learner in LEARNERS.values()])
    title = "A quarter of the rows held out proves more than all rows trained on"
    drawing, (ax,) = style.new_figure(title)
    places = np.arange(len(LEARNERS))[::-1]
    ax.hlines(places, bounds[:, 1], bounds[:, 0], color=style.MUTED, linewidth=1.0)
    ax.plot(bounds[:, 0], places, "o", color=style.OBSERVED, label="by the training rows")
    ax.plot(bounds[:, 1], places, "o", color=style.GUARANTEED, label="by held-out rows")
    ax.set_yticks(places, list(LEARNERS))
    ax.set(xlabel="error probability: 95% upper bounds, 569 rows in all", xlim=(0.0, None))
    ax.legend(loc="upper right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "a_quarter_held_out_proves_more_than_all_rows_trained_on.svg"
    style.save(figure(), target / name)
