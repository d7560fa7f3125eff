"""The certificate of an online learner is for the average of its models, not the last."""

from pathlib import Path

import numpy as np

from surelearn.bounds import online_to_batch
from surelearn.plots import style

N_RUNS, N_ROUNDS, NOISE, JUMP = 300, 400, 0.1, 0.9


def runs(rng):
    """Learn a threshold in many runs side by side; return risks before each round, and losses."""
    threshold = np.full(N_RUNS, 0.9)
    risks, losses = np.empty((2, N_ROUNDS + 1, N_RUNS))
    for t in range(N_ROUNDS + 1):
        risks[t] = NOISE + (1 - 2 * NOISE) * np.abs(threshold - 0.3)
        x = rng.random(N_RUNS)
        label = (x > 0.3) ^ (rng.random(N_RUNS) < NOISE)
        losses[t] = (x > threshold) != label
        threshold += losses[t] * JUMP * (x - threshold)
    return risks, losses[:-1]


def figure():
    """Draw the certificate of each run against the true risk of its average and its last model."""
    title = "The certificate of an online learner is for the average of its models, not the last"
    drawing, (ax,) = style.new_figure(title)
    risks, losses = runs(np.random.default_rng(0))
    certified = [
        online_to_batch.progressive_validation(
            total_loss=total, n_rounds=N_ROUNDS, delta=0.05
        ).bound
        for total in losses.sum(axis=0)
    ]
    last, average = risks[-1], risks[:-1].mean(axis=0)
    ax.plot(certified, last, ".", color=style.BROKEN, label="last model")
    ax.plot(certified, average, ".", color=style.OBSERVED, label="average of all models")
    ends = np.array([min(certified) - 0.01, max(certified) + 0.01])
    ax.plot(ends, ends, color=style.GUARANTEED, label="risk = certificate")
    ax.set(xlabel="certificate from the online mistakes (95%)", ylabel="true risk")
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "the_last_model_is_not_certified.svg")
