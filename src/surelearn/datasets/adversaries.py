"""Sequences made to hurt: on them the worst cases of the theorems are attained or nearly so.

Every function returns arrays; only `Contrarian` must be asked round by round, because it answers
what the learner says. Ties are resolved as the learners of this library do: a tied vote is 1, a
score of 0 is a mistake.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn._typing import Indices, Matrix, Vector


@dataclass(frozen=True)
class Contrarian:
    """An adversary whose label is never the predicted one: every deterministic learner errs always.

    Examples
    --------
    >>> adversary = Contrarian(labels=("no", "yes"))
    >>> adversary.next("yes"), adversary.next("no")
    ('no', 'yes')
    """

    labels: tuple[Any, Any] = (0, 1)

    def next(self, prediction: Any) -> Any:
        """Return the label that makes `prediction` a mistake."""
        if np.ndim(prediction) > 0:
            raise ValueError(
                "Contrarian answers one prediction, and was shown a distribution over experts or "
                "arms. Give questions for the learner to answer, or an adversary that names losses"
            )
        return self.labels[1] if prediction == self.labels[0] else self.labels[0]


def majority_fooling_advice(n_experts: int, *, beta: float) -> tuple[Indices, Indices]:
    """Return advice and outcomes on which a weighted majority errs in every round.

    Expert 0 is always right; in each round the heaviest others that hold half of the weight are
    wrong. With `beta=0`, the Halving algorithm, they are half of the pool each time.

    Examples
    --------
    >>> advice, outcomes = majority_fooling_advice(8, beta=0.0)
    >>> advice.shape, int(advice[:, 0].sum())
    ((3, 8), 0)
    """
    if n_experts < 1 or not 0.0 <= beta < 1.0:
        raise ValueError(f"n_experts={n_experts} must be >= 1 and beta={beta} in [0, 1)")
    mistakes, rounds = np.zeros(n_experts), list[Indices]()
    while True:
        weights = beta**mistakes
        others = 1 + np.argsort(mistakes[1:], kind="stable")
        half = weights.sum() / 2.0 * (1.0 - 1e-12)
        size = 1 + int(np.searchsorted(np.cumsum(weights[others]), half))
        if size >= n_experts:
            break
        wrong = np.zeros(n_experts, dtype=np.int64)
        wrong[others[:size]] = 1
        mistakes += wrong
        rounds.append(wrong)
    advice = np.array(rounds, dtype=np.int64).reshape(len(rounds), n_experts)
    return advice, np.zeros(len(rounds), dtype=np.int64)


def orthonormal_stream(n_rounds: int, *, radius: float = 1.0) -> tuple[Matrix, Vector]:
    """Return orthogonal rows of length `radius`, all positive: the Perceptron errs on each.

    The separator with all weights 1/radius has squared norm n_rounds / radius^2, so Novikoff's
    bound, and those of Passive-Aggressive and second-order learning, are attained.

    Examples
    --------
    >>> X, signs = orthonormal_stream(3)
    >>> X.tolist(), signs.tolist()
    ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0, 1.0, 1.0])
    """
    return radius * np.eye(n_rounds), np.ones(n_rounds)


def exponential_perceptron_sample(n_features: int) -> tuple[Matrix, Vector]:
    """Return a separable sample on which the Perceptron makes (4^n_features - 1) / 3 updates.

    It does so in whatever order the rows are visited, and ends with the weights 1, 2, 4, ...

    Examples
    --------
    >>> X, signs = exponential_perceptron_sample(3)
    >>> X.tolist(), signs.tolist()
    ([[1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [-1.0, -1.0, 1.0]], [1.0, -1.0, 1.0])
    """
    signs = np.where(np.arange(n_features) % 2 == 0, 1.0, -1.0)
    lower = np.tril(np.ones((n_features, n_features)), k=-1)
    X = signs[:, np.newaxis] * (np.eye(n_features) - lower)
    return X + 0.0, signs  # no negative zeros


def planar_perceptron_sample(width: float) -> tuple[Matrix, Vector]:
    """Return three positive points of the plane that cost the Perceptron about width^2 / 2 updates.

    Half of Novikoff's bound 1 + width^2, in two dimensions.

    Examples
    --------
    >>> planar_perceptron_sample(4.0)[0].tolist()
    [[2.0, 1.0], [-4.0, 1.0], [4.0, 1.0]]
    """
    return np.array([[width / 2.0, 1.0], [-width, 1.0], [width, 1.0]]), np.ones(3)


def alternating_labels(n_rounds: int) -> tuple[Matrix, Vector]:
    """Return one constant feature with signs that alternate: the Perceptron errs in every round.

    Examples
    --------
    >>> alternating_labels(4)[1].tolist()
    [1.0, -1.0, 1.0, -1.0]
    """
    return np.ones((n_rounds, 1)), np.where(np.arange(n_rounds) % 2 == 0, 1.0, -1.0)


def winnow_adversary(n_variables: int, n_relevant: int) -> tuple[Matrix, Indices]:
    """Return rows and labels of a monotone disjunction on which Winnow errs in every round.

    The first `n_relevant` variables are the disjunction; Winnow has factor 2 and threshold
    `n_variables`. False positives are provoked as soon as the irrelevant weights allow; otherwise
    one relevant variable is promoted, and with it as much irrelevant weight as fits.

    Examples
    --------
    >>> X, labels = winnow_adversary(64, 2)
    >>> len(labels), int(labels.sum())
    (31, 12)
    """
    if not 0 <= n_relevant <= n_variables:
        raise ValueError(f"n_relevant={n_relevant} must be in [0, n_variables={n_variables}]")
    weights, rows, labels = np.ones(n_variables), list[Vector](), list[int]()
    while True:
        irrelevant = n_relevant + np.argsort(-weights[n_relevant:], kind="stable")
        row, label = np.zeros(n_variables), 0
        size = int(np.searchsorted(np.cumsum(weights[irrelevant]), n_variables))
        if size < len(irrelevant):
            row[irrelevant[: size + 1]] = 1.0
        else:
            small = np.flatnonzero(weights[:n_relevant] < n_variables)
            if len(small) == 0:
                break
            row[small[0]], label = 1.0, 1
            room = n_variables - weights[small[0]]
            for i in irrelevant:
                if weights[i] < room:
                    row[i] = 1.0
                    room -= weights[i]
        weights *= (2.0 if label else 0.5) ** row
        rows.append(row)
        labels.append(label)
    return np.array(rows).reshape(len(rows), n_variables), np.array(labels, dtype=np.int64)


def leader_killer_losses(n_rounds: int) -> Matrix:
    """Return losses of two experts on which following the leader loses every round.

    The first round breaks the tie; from then on the leader is the one that is about to lose.

    Examples
    --------
    >>> leader_killer_losses(4).tolist()
    [[0.5, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    second = np.arange(n_rounds) % 2
    losses = np.column_stack([1.0 - second, second]).astype(np.float64)
    losses[:1] = [0.5, 0.0]
    return losses


def rademacher_losses(n_rounds: int, *, seed: int | np.random.Generator) -> Matrix:
    """Return losses (0, 1) or (1, 0) by fair coins, which no learner can predict.

    The expected regret of any learner is at least sqrt(n_rounds / 8).

    Examples
    --------
    >>> losses = rademacher_losses(5, seed=0)
    >>> losses.sum(axis=1).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    coins = np.random.default_rng(seed).integers(0, 2, n_rounds)
    return np.column_stack([coins, 1 - coins]).astype(np.float64)


def strongly_convex_tight_targets(n_rounds: int) -> Vector:
    """Return targets z_t for the losses (w - z_t)^2 / 2 on which 1/t steps attain their bound.

    Each target is one above the current weight, which is the mean of the targets before it.

    Examples
    --------
    >>> strongly_convex_tight_targets(4).tolist()
    [1.0, 2.0, 2.5, 2.833333333333333]
    """
    return 1.0 + np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n_rounds))])[:n_rounds]
