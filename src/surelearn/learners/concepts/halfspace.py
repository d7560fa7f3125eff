"""Half-spaces by linear programming: a separating hyperplane, or a proof that there is none.

    minimise Σ ξ_i   subject to   y_i(⟨w, x_i⟩ + b) ≥ 1 − ξ_i,   ξ_i ≥ 0

The rows are separable exactly if the minimum is 0. Otherwise the dual solution weighs rows of both
classes so that two convex combinations, one of each class, are the same point (Farkas).
"""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import Mask, Vector
from surelearn.base import validation
from surelearn.base.classifier import TwoClassLearner, risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import at_one_moment
from surelearn.bounds import vc
from surelearn.certificate import Certificate, by_construction
from surelearn.optimizers.separability import within_range

_TOLERANCE = 1e-6  # of half the range of a feature; the solver's own is 1e-7 of each constraint


@at_one_moment
@holds(
    coef_="finite[1, features]",
    intercept_="finite[1]",
    separable_="flag",
    witness_="finite[rows]?",
)
class Halfspace(TwoClassLearner):
    """A half-space that contains the rows of the last class and none of the first, if there is one.

    If there is none, the rule found is the one with the smallest sum of slacks: `separable_` is
    False, `witness_` proves it, and the training errors stand in `training_errors_`.

    Attributes
    ----------
    coef_, intercept_
        The rule: positive iff ⟨coef, x⟩ + intercept > 0.
    separable_
        Whether the rule found is right on every training row.
    witness_
        A weight for each training row, of sum 1 in each class, such that the weighted means of the
        two classes are the same point, which was verified to a millionth of the range of every
        feature: then no hyperplane separates them. None if one does, or if rounding hid which.
    training_errors_, n_training_rows_
        Training rows on the wrong side; the number of training rows.

    Examples
    --------
    >>> corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> model = Halfspace().fit(corners, [0, 0, 0, 1])
    >>> model.separable_, model.predict(corners).tolist()
    (True, [0, 0, 0, 1])
    >>> model = Halfspace().fit(corners, [0, 1, 1, 0])
    >>> model.separable_, model.witness_.tolist()
    (False, [0.5, 0.5, 0.5, 0.5])
    """

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the half-space by the number of ways hyperplanes can cut the rows.

        It holds for every law, separable or not.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        guarantee = vc.linear(
            errors=self.training_errors_,
            n=self.n_training_rows_,
            dimension=self.n_features_in_,
            delta=delta,
        )
        found = "it separates the training rows"
        if not self.separable_:
            found = "not separable: the sum of slacks is smallest, not the number of errors"
        evidence = {
            "independent": drawn_independently(self),
            "fixed_before": by_construction("the class is that of all half-spaces"),
            "affine": by_construction(found),
        }
        return (risk_certificate(self, guarantee, evidence),)

    def decision_function(self, X: Any) -> Vector:
        """Return the score of each row."""
        check_is_fitted(self)
        return self._score(validation.check_rows(self, X))

    def _score(self, X: Any) -> Vector:
        return X @ self.coef_[0] + self.intercept_[0]

    def _decide(self, X: Any) -> Mask:
        return self._score(X) > 0.0

    def _solve(self, X: Any, positive: Mask) -> None:
        """Solve the linear programme with features of like range; hulls meet there as they do."""
        signs, d = np.where(positive, 1.0, -1.0), X.shape[1]
        table, centre, scale = within_range(X, shift=True)
        rule, multipliers = _least_slack(table, signs)
        with np.errstate(over="ignore", invalid="ignore"):  # refused below, in a sentence
            coef = rule[:d] / scale
            self.coef_, self.intercept_ = coef[np.newaxis], rule[d:] - coef @ centre
        if not (np.isfinite(coef).all() and np.isfinite(self.intercept_).all()):
            raise ValueError("the features are so small that weights overflow; rescale them")
        self.separable_ = bool((signs * self._score(X) > 0.0).all())
        self.witness_ = None
        if not self.separable_ and multipliers[positive].any() and multipliers[~positive].any():
            weights = _convex_weights(multipliers, positive)
            met = float(np.abs(table.T @ (signs * weights)).max()) <= _TOLERANCE
            self.witness_ = weights if met else None


def _least_slack(table: Any, signs: Vector) -> tuple[Vector, Vector]:
    """Return the weights and intercept of least total slack, and the multiplier of each row."""
    n, d = table.shape
    signed = sparse.diags_array(signs) @ sparse.hstack([table, sparse.csr_array(np.ones((n, 1)))])
    solve: Any = linprog
    found = solve(
        np.append(np.zeros(d + 1), np.ones(n)),
        A_ub=-sparse.hstack([signed, sparse.eye_array(n)], format="csc"),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * (d + 1) + [(0.0, None)] * n,
        method="highs",
    )
    if found.status != 0:
        raise ValueError(f"the linear programme was not solved: {found.message}")
    return found.x[: d + 1].copy(), -found.ineqlin.marginals


def _convex_weights(multipliers: Vector, positive: Mask) -> Vector:
    """Return the multipliers of a programme without a separator, of sum 1 in each class."""
    weights = np.maximum(0.0, multipliers)
    for side in (positive, ~positive):
        weights[side] /= weights[side].sum()
    return weights
