"""Maximum entropy by improved iterative scaling.

    for every i solve  Σ P̃(x) P_w(y|x) f_i(x, y) exp(δ_i f#(x, y)) = E_P̃ f_i,  then  w ← w + δ

with f# = Σ_i f_i and f_i ≥ 0: the likelihood never falls. If f# is constant this is generalised
iterative scaling. Della Pietra, Della Pietra and Lafferty (1997).
"""

from typing import Any

import numpy as np
from scipy import special
from sklearn.utils import Tags

from surelearn._typing import Matrix, Vector
from surelearn.base.fitting import at_one_moment
from surelearn.learners.linear._maximum_entropy import AnyConstraints, Features, MaximumEntropyModel

_EXACT, _STEPS = 1e-12, 60


@at_one_moment
class MaximumEntropy(MaximumEntropyModel):
    """The least committed classifier whose features have the means observed, by iterative scaling.

    Parameters
    ----------
    features
        What the model must agree with the data on: a list of functions f(x, y) of a row and a
        label, or one function of a table and a label that returns a line of features for each row.
        They must not be negative. Left out, they are [y = k]·x_j and [y = k] for all k and j, and
        the model is multinomial logistic regression without a penalty.
    tol
        Stop when every feature's expectation is within this share of the feature's largest value of
        its mean in the data. A feature that is 0 on all the data is given half of that.
    max_iter
        The largest number of sweeps over all features.

    Attributes
    ----------
    weights_
        The weight of each feature.
    entropy_
        The mean entropy of P(y|x) over the rows, in nats.
    log_likelihood_
        The mean log-likelihood; at the optimum it is −`entropy_`.
    constraint_residuals_
        Expectation minus observed mean, for each feature.
    converged_, n_iter_
        Whether every constraint is met; the number of sweeps.

    Examples
    --------
    >>> functions = [lambda x, y: float(y == "A" or y == "B")]
    >>> model = MaximumEntropy(features=functions, tol=1e-9)
    >>> letters = ["A", "B", "A", "C", "D", "E", "C", "D", "E", "C"]
    >>> model = model.fit(np.zeros((10, 1)), letters)
    >>> model.predict_proba([[0.0]]).round(6).tolist()
    [[0.15, 0.15, 0.233333, 0.233333, 0.233333]]
    """

    def __init__(
        self, *, features: Features = None, tol: float = 1e-2, max_iter: int = 10_000
    ) -> None:
        self.features = features
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, constraints: AnyConstraints) -> tuple[Vector, int]:
        _refuse_negative(constraints.lowest)
        with np.errstate(over="ignore"):
            totals, sizes = constraints.totals, constraints.sizes
        if not np.isfinite(totals).all():
            raise ValueError("the features of a row sum to infinity; rescale them")
        targets = np.maximum(constraints.observed, 0.5 * self.tol * sizes)
        weights = np.zeros(len(sizes))
        for sweep in range(self.max_iter + 1):
            expected, masses = constraints.masses(weights)
            gap = np.abs(expected - constraints.observed) / sizes
            if gap.max() <= self.tol or sweep == self.max_iter:
                return weights, sweep
            with np.errstate(all="ignore"):  # refused below, in a sentence
                weights = weights + _scale(masses, totals, targets)
            if not np.isfinite(weights).all():
                raise ValueError("the weights overflow; rescale the features, or raise tol")
        raise AssertionError  # the last sweep returns

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that features must not be negative."""
        tags: Any = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _scale(masses: Matrix, totals: Vector, targets: Vector) -> Vector:
    """Solve Σ_u masses[u, i] exp(δ_i u) = target_i for every i by Newton's method.

    In logarithms the left side is convex and increases in δ with a slope between the least and the
    greatest u, so that from the second step on the iterates fall to the root.
    """
    with np.errstate(divide="ignore"):
        logs, aims = np.log(masses), np.log(targets)
    active = np.isfinite(logs).any(axis=0)
    logs, aims = logs[:, active], aims[active]
    change, found = np.zeros(len(targets)), np.zeros(len(aims))
    for _ in range(_STEPS):
        powers = logs + totals[:, np.newaxis] * found
        heights = special.logsumexp(powers, axis=0)
        slopes = np.exp(powers - heights).T @ totals
        step = (heights - aims) / slopes
        found -= step
        if np.abs(step).max(initial=0.0) <= _EXACT:
            break
    change[active] = found
    return change


def _refuse_negative(lowest: Vector) -> None:
    """Name a feature that is negative somewhere; the scaling equation may have no root then."""
    if (lowest < 0.0).any():
        worst = int(lowest.argmin())
        raise ValueError(
            "Negative values in data passed to MaximumEntropy: improved iterative scaling needs "
            f"features that are not negative, and feature {worst} is {lowest[worst]:.6g} for some "
            "row and label. Shift it (subtract its minimum), or use MaximumEntropyQuasiNewton"
        )
