"""Leave-one-out certifies nearest neighbours as long as rows are not copies."""

from pathlib import Path

import numpy as np

from surelearn.bounds import neighbors
from surelearn.plots import style

K, DELTA, NOISE = 5, 0.05, 0.3


def votes(x, y, queries, skip):
    """Return the labels that the K nearest rows give, the `skip` nearest left out."""
    order = np.argpartition(np.abs(x - queries[:, None]), (skip, skip + K - 1), axis=1)
    return 2 * y[order[:, skip : skip + K]].sum(axis=1) > K


def draw(rng, n, copies):
    """Return risk, leave-one-out error and certificate of one sample of n rows."""
    x = rng.random(n // copies)
    y = (x > 0.5) ^ (rng.random(len(x)) < NOISE)
    # A copy stands for a row moved by nothing: a shift of 1e-12 keeps it nearest of all.
    rows, labels = np.concatenate([x + 1e-12 * c for c in range(copies)]), np.tile(y, copies)
    errors = np.count_nonzero(votes(rows, labels, rows, skip=1) != labels)
    queries = (np.arange(500) + 0.5) / 500
    wrong = votes(rows, labels, queries, skip=0) != (queries > 0.5)
    risk = NOISE + (1 - 2 * NOISE) * wrong.mean()
    bound = neighbors.leave_one_out(errors=errors, n=len(rows), k=K, delta=DELTA).bound
    return risk, errors / len(rows), bound


def figure():
    """Draw risk, leave-one-out error and certificate over n, without and with copied rows."""
    title = "Leave-one-out certifies nearest neighbours as long as rows are not copies"
    drawing, axes = style.new_figure(title, columns=2)
    sizes = np.geomspace(120, 3000, 10).astype(int) // 6 * 6
    worlds = ((1, "independent rows"), (6, "every row occurs six times"))
    for ax, (copies, name) in zip(axes, worlds, strict=True):
        rng = np.random.default_rng(0)
        risks, errors, bounds = np.array([draw(rng, n, copies) for n in sizes]).T
        ax.plot(sizes, bounds, color=style.GUARANTEED, label="95% certificate")
        ax.plot(sizes, risks, color="black", linestyle="--", label="true risk")
        ax.plot(sizes, errors, color=style.OBSERVED, label="leave-one-out error")
        ax.set(ylim=(-0.02, 1), title=name, xlabel="rows")
        ax.set_ylabel(f"error of {K} nearest neighbours")
    axes[0].legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "leave_one_out_needs_independent_rows.svg")
