"""Of five theorems on one hold-out the exact one proves most."""

from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn import Holdout, Perceptron
from surelearn.bounds import concentration, sequences
from surelearn.datasets.real import load
from surelearn.plots import style
from surelearn.plots.guarantees import plot_guarantees

EXACT = "Clopper-Pearson (certified)"


def figure():
    """Draw the observed error of a Perceptron and five upper bounds on its risk."""
    table = load("breast_cancer")
    X, y, held_out = Holdout.split(table.X, table.y, fraction=0.2, seed=0, delta=0.05)
    model = make_pipeline(StandardScaler(), Perceptron(max_iter=50)).fit(X, y)
    certificate = held_out.certify(model)
    n, errors, delta = certificate.n, certificate.reproduce["inputs"]["errors"], 0.05
    losses = np.repeat([0.0, 1.0], [n - errors, errors])
    theorems = {
        EXACT: concentration.clopper_pearson(errors=errors, n=n, delta=delta),
        "kl (Chernoff)": concentration.kl_chernoff(mean=errors / n, n=n, delta=delta),
        "valid at every n": sequences.progressive_mixture(total=errors, n=n, delta=delta),
        "betting, order-free": sequences.betting_order_free(losses=losses, delta=delta),
        "Hoeffding": concentration.hoeffding(mean=errors / n, n=n, delta=delta),
    }
    title = "Of five theorems on one hold-out the exact one proves most"
    drawing, (ax,) = style.new_figure(title)
    plot_guarantees(certificate.observed, theorems, certified=EXACT, ax=ax)
    ax.set_xlabel("error probability: 95% upper bounds from 114 test rows")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "of_five_theorems_the_exact_one_proves_most.svg")
