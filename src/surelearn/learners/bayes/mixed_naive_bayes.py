"""Naive Bayes for real tables: categories by frequencies, numbers by normal densities.

    P(c | x) ∝ P(c) · Π_j (n_ac + λ) / (n_c + λS_j) · Π_k N(x_k; μ_ck, σ²_ck)

j over the columns of categories, k over those of numbers, the missing cells left out of both.
"""

from typing import Any

import numpy as np

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import Categorical, Declared, n_categories
from surelearn.learners.bayes._class_conditionals import CategoryFactors, NormalFactors
from surelearn.learners.bayes._class_summary import ClassSummary
from surelearn.learners.bayes._naive_bayes import Factors, NaiveBayesClassifier


@at_one_moment
@holds(
    feature_log_prob_=tuple,
    theta_="float[classes, features]",
    var_="float[classes, features]",
    epsilon_="number",
)
class MixedNaiveBayes(NaiveBayesClassifier):
    """Classify rows of a table with numbers, categories and missing cells.

    Columns of text or of a categorical type hold categories, the others numbers, unless
    `categorical_features` names them. Each is treated as by `CategoricalNaiveBayes` or
    `GaussianNaiveBayes`.

    Parameters
    ----------
    smoothing
        λ: how many rows of each value are imagined in each class beside the real ones.
    prior_smoothing
        The same for the classes; `smoothing`, if left out.
    priors
        The probabilities of the classes, in sorted order, in place of estimates.
    var_smoothing
        The share of the largest variance of a column that is added to every variance.
    categorical_features
        Columns that hold categories though they are numbers: names, places or a mask; "all".
    categories
        All values of some columns, {name or place: values}.
    most_categories
        The largest number of categories of a column.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_
        The labels, their weight in training, and ln P(c).
    categories_, feature_log_prob_
        For each column of categories its sorted values, and ln P(a | c): a row per class, a column
        per value. None for a column of numbers.
    theta_, var_, epsilon_
        Mean and variance of each column of numbers, a row per class, NaN for the others; what was
        added to the variances.
    n_training_rows_, training_errors_
        The rows seen; those that the model labels wrongly, None after `partial_fit`.

    Examples
    --------
    >>> fruit = [["red", 7.0], ["red", 21.0], ["green", 24.0], [None, 9.0], ["green", None]]
    >>> labels = ["apple", "pepper", "pepper", "apple", "pepper"]
    >>> model = MixedNaiveBayes().fit(fruit, labels)
    >>> model.predict([["red", 8.0], ["green", None], [None, 23.0]]).tolist()
    ['apple', 'pepper', 'pepper']
    >>> model.categories_
    (array(['green', 'red'], dtype='<U5'), None)
    """

    _factors = (CategoryFactors, NormalFactors)

    feature_log_prob_: tuple[Matrix | None, ...]
    theta_: Matrix
    var_: Matrix
    epsilon_: float

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        prior_smoothing: float | None = None,
        priors: ArrayLike | None = None,
        var_smoothing: float = 1e-9,
        categorical_features: Categorical = None,
        categories: Declared = None,
        most_categories: int | None = 1000,
    ) -> None:
        self.smoothing = smoothing
        self.prior_smoothing = prior_smoothing
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.categorical_features = categorical_features
        self.categories = categories
        self.most_categories = most_categories

    def _reading(self) -> dict[str, Any]:
        return {
            "categorical": self.categorical_features,
            "declared": self.categories,
            "most_categories": self.most_categories,
        }

    def _estimate(self, record: ClassSummary) -> tuple[Factors, ...]:
        self.categories_ = record.counts.categories
        sizes = n_categories(self.categories_)
        words = CategoryFactors.estimate(record.counts, self.smoothing)
        numbers = self._normal_factors(record)
        self.feature_log_prob_ = words.by_column(sizes)
        self.theta_, self.var_ = np.full((2, len(self.classes_), len(sizes)), np.nan)
        self.theta_[:, numbers.columns] = numbers.mean
        self.var_[:, numbers.columns] = numbers.variance
        self.epsilon_ = numbers.floor
        return words, numbers
