"""Maximum entropy by limited-memory BFGS on the dual, which is the mean negative log-likelihood.

    minimise  Σ P̃(x) ln Σ_y exp(Σ w_i f_i(x, y)) − Σ w_i E_P̃ f_i

Its gradient is the vector of constraint residuals. Malouf (2002) compared it with scaling.
"""

import numpy as np

from surelearn._typing import Vector
from surelearn.base.fitting import at_one_moment
from surelearn.learners.linear._maximum_entropy import AnyConstraints, Features, MaximumEntropyModel
from surelearn.optimizers import limited_memory_bfgs


@at_one_moment
class MaximumEntropyQuasiNewton(MaximumEntropyModel):
    """The same model as `MaximumEntropy`, found in far fewer steps; features may be negative.

    Parameters
    ----------
    features
        A list of functions f(x, y) of a row and a label, or one function of a table and a label
        that returns a line of features for each row. Left out, they are [y = k]·x_j and [y = k].
    tol
        Stop when the residuals, each divided by its feature's largest absolute value, have at most
        this Euclidean norm.
    max_iter
        The largest number of steps.

    Attributes
    ----------
    weights_, entropy_, log_likelihood_, constraint_residuals_, converged_, n_iter_
        As in `MaximumEntropy`.

    Examples
    --------
    >>> X, y = [[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 0, 1, 1]
    >>> model = MaximumEntropyQuasiNewton(tol=1e-8).fit(X, y)
    >>> (model.weights_[2:] - model.weights_[:2]).round(4).tolist()
    [1.214, -0.607]
    """

    def __init__(
        self, *, features: Features = None, tol: float = 1e-6, max_iter: int = 1000
    ) -> None:
        self.features = features
        self.tol = tol
        self.max_iter = max_iter

    def _solve(self, constraints: AnyConstraints) -> tuple[Vector, int]:
        sizes, scaled = constraints.sizes, constraints.scaled()

        def dual(weights: Vector) -> tuple[float, Vector]:
            heights, expected = scaled.dual(weights)
            return float(heights - scaled.observed @ weights), expected - scaled.observed

        start = np.zeros(len(sizes))
        trace = limited_memory_bfgs(dual, start, tolerance=self.tol, max_iter=self.max_iter)
        return trace.point / sizes, trace.n_steps
