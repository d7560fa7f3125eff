"""The base of two-class learners that see all rows at once."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import Hashes
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Mask
from surelearn._wording import confidence, percent_outward
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate, Evidence, certify


@at_one_moment
@holds(
    n_features_in_="count",
    classes_="classes",
    n_training_rows_="count",
    training_errors_="count",
    training_rows_="hash[kept]",
)
class TwoClassLearner(ClassifierMixin, BaseEstimator):
    """A learner of one concept: the last of two classes is inside, the first one outside.

    A learner defines two methods. `_solve(X, positive)` finds its rule from checked rows, dense or
    CSR, and the mask of those inside. `_decide(X)` says which rows are inside. A refused input, or
    a rule that could not be found, leaves the learner as it was.

    Examples
    --------
    >>> class Everything(TwoClassLearner):
    ...     def _solve(self, X, positive):
    ...         self.n_positive_ = int(positive.sum())
    ...     def _decide(self, X):
    ...         return np.ones(X.shape[0], dtype=bool)
    >>> model = Everything().fit([[0.0], [1.0], [2.0]], ["no", "yes", "yes"])
    >>> model.predict([[5.0]]).tolist(), model.training_errors_
    (['yes'], 1)
    """

    n_features_in_: int
    classes_: NDArray[Any]
    n_training_rows_: int
    training_errors_: int
    training_rows_: Hashes

    @abstractmethod
    def _solve(self, X: Any, positive: Mask) -> None:
        """Find the rule."""

    @abstractmethod
    def _decide(self, X: Any) -> Mask:
        """Return which rows the rule calls positive."""

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the rule from rows of two classes.

        Parameters
        ----------
        X
            Rows of numbers: an array, a data frame or a sparse matrix.
        y
            Labels of two classes; the last one, in sorted order, is the positive one.
        """
        fresh = fresh_copy(self)
        X, labels = validation.check(fresh, X, y, reset=True)
        fresh.classes_ = validation.two_or_more(validation.distinct(labels))
        if len(fresh.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{fresh.classes_.tolist()}; scikit-learn's OneVsRestClassifier makes it binary"
            )
        positive = validation.index_among(fresh.classes_, labels) == 1
        fresh._solve(X, positive)  # noqa: SLF001 - our own copy
        fresh.n_training_rows_ = len(positive)
        fresh.training_errors_ = int(np.count_nonzero(fresh._decide(X) != positive))  # noqa: SLF001
        fresh.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(rows.of(X)))
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        return self.classes_[self._decide(validation.check_rows(self, X)).astype(np.int64)]

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: another number of classes, errors, rows."""
        if len(self.classes_) != 2 or not self.training_errors_ <= self.n_training_rows_ >= 1:
            raise ValueError("it has not two classes, or more errors than rows")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that there are two classes and that sparse matrices are welcome."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def risk_certificate(
    model: Any, guarantee: Guarantee, evidence: Mapping[str, Evidence], *, n_divided: int = 0
) -> Certificate:
    """Bind a bound on the risk of a rule found on these examples to the fitted model.

    `n_divided` are rows that the theorem counts as errors, and that the model gets right.
    """
    level = confidence(float(guarantee.inputs["delta"]))
    limit = percent_outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=model.training_errors_ / model.n_training_rows_,
        n=model.n_training_rows_,
        claim=f"With confidence {level}, this model errs on at most {limit} of new examples "
        "from the law of the training examples.",
        evidence=evidence,
        reproduce={
            "model": fingerprint_of_fit(model),
            **({"n_divided": n_divided} if n_divided else {}),
        },
    )
