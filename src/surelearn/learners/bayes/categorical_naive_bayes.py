"""Naive Bayes for categories: frequencies, or their posterior means under a Dirichlet prior.

    P(a | c) = (n_ac + λ) / (n_c + λS),   P(c) = (n_c + λ) / (N + λK)

with n_ac the training rows of class c with value a in this column, S the categories of the column
and K the classes. λ = 0 is maximum likelihood, λ = 1 Laplace's rule of succession.
"""

from typing import Any

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix
from surelearn.base.fitting import at_one_moment
from surelearn.base.tables.table import Declared, n_categories
from surelearn.learners.bayes._class_conditionals import CategoryFactors
from surelearn.learners.bayes._class_summary import ClassSummary
from surelearn.learners.bayes._naive_bayes import Factors, NaiveBayesClassifier


@at_one_moment
@holds(
    feature_log_prob_=tuple,
)
class CategoricalNaiveBayes(NaiveBayesClassifier):
    """Classify rows of categories by the product of the frequencies of their values.

    Every column is one of categories: text or numbers, from an array or a data frame. A missing
    cell is left out of the product, and so is a value that is not among the categories of its
    column; one that is among them, but had no training row, has probability λ / (n_c + λS).

    With λ = 0 a row may be impossible in every class. Then the class with the fewest impossible
    values wins, and equals are compared by their other values: the limit λ → 0.

    Parameters
    ----------
    smoothing
        λ: how many rows of each value are imagined in each class beside the real ones.
    prior_smoothing
        The same for the classes; `smoothing`, if left out. 0 gives the class frequencies, as in
        scikit-learn's `CategoricalNB`.
    priors
        The probabilities of the classes, in sorted order, in place of estimates.
    categories
        All values of some columns, {name or place: values}. The others have those of the training
        rows.
    most_categories
        The largest number of categories of a column; more are refused, as numbers or names that
        should not be there often are the reason.

    Attributes
    ----------
    classes_, class_count_, class_log_prior_
        The labels, their weight in training, and ln P(c).
    categories_, feature_log_prob_
        For each column its sorted values, and ln P(a | c): a row per class, a column per value.
    n_training_rows_, training_errors_
        The rows seen; those that the model labels wrongly, None after `partial_fit`.

    Examples
    --------
    >>> colours = [["red", "round"], ["red", "long"], ["green", "long"], ["green", None]]
    >>> model = CategoricalNaiveBayes().fit(colours, ["apple", "pepper", "pepper", "apple"])
    >>> model.predict([["red", "round"], ["blue", "long"]]).tolist()
    ['apple', 'pepper']
    >>> model.predict_proba([["green", "long"]]).round(3).tolist()
    [[0.308, 0.692]]
    """

    _factors = (CategoryFactors,)
    feature_log_prob_: tuple[Matrix | None, ...]

    def __init__(
        self,
        *,
        smoothing: float = 1.0,
        prior_smoothing: float | None = None,
        priors: ArrayLike | None = None,
        categories: Declared = None,
        most_categories: int | None = 1000,
    ) -> None:
        self.smoothing = smoothing
        self.prior_smoothing = prior_smoothing
        self.priors = priors
        self.categories = categories
        self.most_categories = most_categories

    def _reading(self) -> dict[str, Any]:
        return {
            "categorical": "all",
            "declared": self.categories,
            "most_categories": self.most_categories,
            "codes": True,
        }

    def _estimate(self, record: ClassSummary) -> tuple[Factors, ...]:
        self.categories_ = record.counts.categories
        factors = CategoryFactors.estimate(record.counts, self.smoothing)
        self.feature_log_prob_ = factors.by_column(n_categories(self.categories_))
        return (factors,)
