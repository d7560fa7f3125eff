"""Naive Bayes for numbers: in every class each feature is normal, with its own mean and variance.

    ln P(c | x) = ln P(c) − ½ Σ_j [ ln(2πσ²_cj) + (x_j − μ_cj)² / σ²_cj ] + constant

A parabola in each feature: the rule is linear in x and x².
"""

from typing import Any

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import column_names
from surelearn.learners.bayes._class_conditionals import NormalFactors
from surelearn.learners.bayes._class_summary import ClassSummary
from surelearn.learners.bayes._naive_bayes import Factors, NaiveBayesClassifier


@at_one_moment
@holds(
    theta_="finite[classes, features]",
    var_="finite[classes, features]",
    epsilon_="number",
)
class GaussianNaiveBayes(NaiveBayesClassifier):
    """Classify rows of numbers by normal densities, one for each feature and class.

    A missing cell (NaN) is left out of the estimates and of the product. The first and second
    moments are kept, centred, so that chunks give the model of all rows to rounding.

    Parameters
    ----------
    prior_smoothing
        How many rows of each class are imagined beside the real ones; 1, if left out. 0 gives the
        class frequencies, as in scikit-learn's `GaussianNB`.
    priors
        The probabilities of the classes, in sorted order, in place of estimates.
    var_smoothing
        The share of the largest variance of a feature that is added to every variance, so that
        none is 0.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_
        The labels, their weight in training, and ln P(c).
    theta_, var_
        Mean and variance of each feature in each class, a row per class. A class without a value
        of a feature has those of all rows.
    epsilon_
        What was added to the variances.
    n_training_rows_, training_errors_
        The rows seen; those that the model labels wrongly, None after `partial_fit`.

    Examples
    --------
    >>> model = GaussianNaiveBayes().fit([[1.0], [3.0], [7.0], [9.0]], ["low", "low", "up", "up"])
    >>> model.theta_.ravel().tolist(), model.predict([[4.0], [6.0]]).tolist()
    ([2.0, 8.0], ['low', 'up'])
    """

    _factors = (NormalFactors,)

    theta_: Matrix
    var_: Matrix
    epsilon_: float

    def __init__(
        self,
        *,
        prior_smoothing: float | None = None,
        priors: ArrayLike | None = None,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.prior_smoothing = prior_smoothing
        self.priors = priors
        self.var_smoothing = var_smoothing

    def _reading(self) -> dict[str, Any]:
        return {}

    def _estimate(self, record: ClassSummary) -> tuple[Factors, ...]:
        words = [known is not None for known in self.categories_]
        if any(words):
            name = column_names(self)[words.index(True)]
            raise ValueError(
                f"column {name!r} holds text; this learner reads numbers, MixedNaiveBayes both"
            )
        factors = self._normal_factors(record)
        self.theta_, self.var_, self.epsilon_ = factors.mean, factors.variance, factors.floor
        return (factors,)
