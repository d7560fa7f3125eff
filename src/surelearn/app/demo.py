"""The demonstration: one table, one model, one certificate, one figure."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn._wording import confidence
from surelearn.bounds import Guarantee, concentration, sequences
from surelearn.certificate import Certificate
from surelearn.datasets.real import load
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.plots import style
from surelearn.plots.guarantees import plot_guarantees

EXACT = "Clopper-Pearson (certified)"


@dataclass(frozen=True, eq=False)
class Demonstration:
    """What the demonstration found.

    Parameters
    ----------
    certificate
        The risk of the model, from rows it has never seen.
    run
        What the training run itself proves.
    comparison
        Other theorems on the same hold-out, for the figure.
    """

    certificate: Certificate
    run: tuple[Certificate, ...]
    comparison: dict[str, Guarantee]


def demonstrate(*, delta: float = 0.05, seed: int = 0) -> Demonstration:
    """Train a Perceptron on the breast-cancer table and certify it on a hold-out.

    Examples
    --------
    >>> demonstrate().certificate.status
    'valid'
    """
    table = load("breast_cancer")
    X, y, held_out = Holdout.split(table.X, table.y, fraction=0.2, seed=seed, delta=delta)
    perceptron = Perceptron(max_iter=50)
    model = make_pipeline(StandardScaler(), perceptron).fit(X, y)
    certificate = held_out.certify(model)
    # The scaling was learnt from the same rows, which voids compression: only the run is certain.
    run = tuple(c for c in perceptron.certificates(delta=delta) if c.kind == "mistakes")
    n, errors = certificate.n, certificate.reproduce["inputs"]["errors"]
    losses = np.repeat([0.0, 1.0], [n - errors, errors])
    comparison = {
        EXACT: concentration.clopper_pearson(errors=errors, n=n, delta=delta),
        "kl (Chernoff)": concentration.kl_chernoff(mean=errors / n, n=n, delta=delta),
        "valid at every n": sequences.progressive_mixture(total=errors, n=n, delta=delta),
        "betting, order-free": sequences.betting_order_free(losses=losses, delta=delta),
        "Hoeffding": concentration.hoeffding(mean=errors / n, n=n, delta=delta),
    }
    return Demonstration(certificate, run, comparison)


def save_figure(demonstration: Demonstration, path: Path) -> None:
    """Draw the observed error against the bounds and write the figure."""
    certificate = demonstration.certificate
    title = f"What {certificate.n} rows never seen prove about the risk of this model"
    figure, (ax,) = style.new_figure(title)
    plot_guarantees(certificate.observed, demonstration.comparison, certified=EXACT, ax=ax)
    level = confidence(demonstration.comparison[EXACT].inputs["delta"])
    ax.set_xlabel(f"probability of an error on a new example ({level} upper bounds)")
    style.save(figure, path)
