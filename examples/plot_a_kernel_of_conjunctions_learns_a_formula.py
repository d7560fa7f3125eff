"""A kernel of conjunctions learns a formula that no linear rule can."""

from pathlib import Path

import numpy as np

from surelearn import KernelPerceptron, Perceptron
from surelearn.kernels import Agreement, Anova
from surelearn.plots import style

N_BITS, N_ROUNDS = 12, 3000


def stream():
    """Return random bits and whether they satisfy x1·x4·x7 or x1·not x2 or x2·x5."""
    X = np.random.default_rng(0).integers(0, 2, size=(N_ROUNDS, N_BITS)).astype(float)
    x = X.T > 0.0
    return X, (x[0] & x[3] & x[6]) | (x[0] & ~x[1]) | (x[1] & x[4])


def figure():
    """Draw the mistakes of a linear rule and of two kernels on the same stream."""
    title = "A kernel of conjunctions learns a formula that no linear rule can"
    drawing, axes = style.new_figure(title)
    X, y = stream()
    signs = np.where(y, 1.0, -1.0)
    learners = {
        "Perceptron on the bits": Perceptron(),
        "all conjunctions of bits (ANOVA)": KernelPerceptron(kernel=Anova()),
        "all conjunctions of literals (agreement)": KernelPerceptron(kernel=Agreement()),
    }
    colours = (style.MUTED, style.GUARANTEED, style.OBSERVED)
    for (name, learner), colour in zip(learners.items(), colours, strict=True):
        wrong = signs * learner.learn(X, y) <= 0.0
        axes[0].plot(np.arange(1, N_ROUNDS + 1), np.cumsum(wrong), label=name, color=colour)
    axes[0].set(xlabel="rounds", ylabel="mistakes")
    axes[0].legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "a_kernel_of_conjunctions_learns_a_formula.svg")
