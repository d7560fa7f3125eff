"""Bagging for numbers: the mean of copies of one learner, each fitted to a bootstrap sample.

    h(x) = (1/T) Σ_t h_t(x),   Var h = σ² (ρ + (1 − ρ)/T)

where ρ is the correlation of two members. Breiman, Machine Learning 24 (1996).
"""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, check_numbers, fresh_copy
from surelearn.bounds import Guarantee, votes
from surelearn.learners.ensembles._bagging import BaggedLearner
from surelearn.learners.ensembles._member_kinds import answers_of
from surelearn.learners.trees.cart_regressor import CARTRegressor


@at_one_moment
@holds(oob_score_="maybe number", oob_prediction_="maybe float[rows]")
class BaggingRegressor(RegressorMixin, BaggedLearner):
    """The mean of copies of any regressor, each fitted to its own bag of rows and columns.

    Averaging removes what members have not in common: its variance is σ²(ρ + (1 − ρ)/T).
    What it predicts is certified by a hold-out; rows outside the bags estimate its error.

    Parameters
    ----------
    estimator
        The learner to copy, of this library or of scikit-learn; None for `CARTRegressor()`.
    n_estimators
        The number of members.
    max_samples, bootstrap
        How many rows are drawn for each, a number, a share, or None for as many as there are, and
        whether with replacement.
    max_features, bootstrap_features
        How many columns are drawn for each, and whether with replacement.
    oob_score
        Whether to keep the out-of-bag predictions and their coefficient of determination.
    n_jobs
        The number of threads; None for one per core. The result does not depend on it.
    random_state
        Where bags come from, and the seeds of members that draw themselves.
    warm_start
        Whether `fit` adds members to those that are there.

    Attributes
    ----------
    estimators_, estimators_features_
        The members, and the columns of each.
    oob_score_, oob_prediction_
        The coefficient of determination of the out-of-bag predictions, and these; NaN where every
        member saw the row.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(200, 2))
    >>> model = BaggingRegressor(n_estimators=20).fit(X, 10.0 * X[:, 0])
    >>> round(float(model.predict([[0.5, 0.5]])[0]))
    5
    """

    oob_score_: float
    oob_prediction_: Vector

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = None,
        bootstrap: bool = True,
        max_features: float | None = None,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.max_features = max_features
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start

    def _base(self) -> Any:
        return CARTRegressor() if self.estimator is None else self.estimator

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the members.

        Parameters
        ----------
        X
            A table that the members can read.
        y
            The number to predict in each row.
        sample_weight
            How much each row counts, if the members take weights.
        """
        fresh = fresh_copy(self)
        rows = fresh._enter(X, reset=True)  # noqa: SLF001 - our own copy
        targets = check_numbers(y, n=rows.shape[0])
        weights = None
        if sample_weight is not None:
            weights = validation.sample_weights(sample_weight, rows.shape[0])
        before = self if self.warm_start and hasattr(self, "estimators_") else None
        fresh._learn(rows, targets, weights, before)  # noqa: SLF001
        if self.oob_score:
            fresh._ask_outside(rows, targets)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the mean of what the members predict."""
        check_is_fitted(self)
        said = self._each(X, self._says)
        return np.sum(said, axis=0) / len(said)

    def guarantee(self, *, variance: float, correlation: float) -> Guarantee:
        """Give the variance of the mean of as many members.

        Parameters
        ----------
        variance, correlation
            The variance of what one member predicts, and the correlation of two, over draws of the
            training rows and of the bags.
        """
        return votes.average_variance(
            variance=variance, correlation=correlation, n_members=self.n_estimators
        )

    def _says(self, place: int, X: Any) -> Vector:
        return answers_of(self.estimators_[place], X).astype(np.float64)

    def _ask_outside(self, X: Any, targets: Vector) -> None:
        """Set the out-of-bag predictions and their coefficient of determination."""
        outside = self._outside()
        n_members = outside.sum(axis=0)
        asked = n_members > 0
        if not asked.any():
            raise ValueError(
                "oob_score=True needs rows outside the bags: set bootstrap=True, or max_samples "
                "below the number of rows"
            )
        said = np.array(self._each(X, self._says))
        self.oob_prediction_ = np.full(len(targets), np.nan)
        self.oob_prediction_[asked] = (said * outside).sum(axis=0)[asked] / n_members[asked]
        lost = float(np.sum((targets[asked] - self.oob_prediction_[asked]) ** 2))
        spread = float(np.sum((targets[asked] - targets[asked].mean()) ** 2))
        self.oob_score_ = 1.0 - lost / spread if spread > 0.0 else float("nan")
