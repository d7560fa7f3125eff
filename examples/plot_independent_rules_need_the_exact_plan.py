"""A thousand independent rules need every example the exact plan asks."""

from pathlib import Path

import numpy as np

from surelearn.bounds import sample_size
from surelearn.plots import style

SIZE, ERROR, DELTA, REPETITIONS = 1000, 0.1, 0.05, 1000


def figure():
    """Draw how often some rule of risk 0.1 makes no error on n examples."""
    title = "A thousand independent rules need every example the exact plan asks"
    drawing, (ax,) = style.new_figure(title)
    plan = {"n_hypotheses": SIZE, "error": ERROR, "delta": DELTA}
    sizes = np.arange(70, 131)
    failure = 1.0 - (1.0 - (1.0 - ERROR) ** sizes) ** SIZE
    rng = np.random.default_rng(0)
    tried = sizes[::5]
    fooled = [
        np.mean((rng.random((REPETITIONS, SIZE)) < (1.0 - ERROR) ** n).any(axis=1)) for n in tried
    ]
    ax.plot(sizes, failure, color=style.MUTED, label="exact probability")
    ax.plot(tried, fooled, "o", color=style.OBSERVED, label="1000 simulated samples each")
    ax.axhline(DELTA, color=style.GUARANTEED, linestyle="--", label="allowed: delta = 0.05")
    exact = sample_size.plan_finite_class_exact(**plan)
    textbook = sample_size.plan_finite_class(**plan)
    ax.axvline(exact, color=style.GUARANTEED, label=f"exact plan: {exact}")
    ax.axvline(textbook, color=style.BROKEN, label=f"textbook plan: {textbook}")
    ax.set(xlabel="examples", ylabel="P(a rule of risk 0.1 looks perfect)")
    ax.legend(loc="upper right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "independent_rules_need_the_exact_plan.svg")
