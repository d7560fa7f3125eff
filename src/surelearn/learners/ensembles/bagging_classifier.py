"""Bagging: the vote of copies of one learner, each fitted to a bootstrap sample.

    h(x) = argmax_c  Σ_t 1[h_t(x) = c],   h_t fitted to m rows drawn with replacement

Breiman, Machine Learning 24 (1996).
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes
from surelearn.bounds import Guarantee, tails_of_sums
from surelearn.certificate import Certificate
from surelearn.learners.ensembles import _certificates, _out_of_bag
from surelearn.learners.ensembles._bagging import BaggedLearner
from surelearn.learners.ensembles._member_kinds import (
    answers_of,
    refuse_other_kinds,
    shares_of,
    with_labels,
)
from surelearn.learners.ensembles._out_of_bag import OutOfBag
from surelearn.learners.trees.cart_classifier import CARTClassifier


@at_one_moment
@holds(
    classes_="classes",
    out_of_bag_=OutOfBag | None,
    correlation_of_losses_="maybe number?",
    oob_score_="maybe number",
    oob_decision_function_="maybe float[rows, classes]",
)
class BaggingClassifier(ClassifierMixin, BaggedLearner):
    """The vote of copies of any classifier, each fitted to its own bag of rows and columns.

    It helps learners that change much with their rows, such as trees. On average a bag holds 63.2%
    of the rows, 1 − (1 − 1/m)^m; the others test the members, and certify the vote.

    Parameters
    ----------
    estimator
        The learner to copy, of this library or of scikit-learn; None for `CARTClassifier()`.
    n_estimators
        The number of members.
    max_samples, bootstrap
        How many rows are drawn for each, a number, a share, or None for as many as there are, and
        whether with replacement.
    max_features, bootstrap_features
        How many columns are drawn for each, and whether with replacement.
    oob_score
        Whether to keep the out-of-bag votes and their accuracy.
    voting
        "soft": probabilities are added, of members that have any. "hard": each has one vote.
    n_jobs
        The number of threads; None for one per core. The result does not depend on it.
    random_state
        Where bags come from, and the seeds of members that draw themselves.
    warm_start
        Whether `fit` adds members to those that are there; it voids the certificates.

    Attributes
    ----------
    classes_
        The sorted labels.
    estimators_, estimators_features_
        The members, and the columns of each.
    out_of_bag_
        How members and pairs of them did on rows that they have not seen.
    correlation_of_losses_
        The mean correlation of the losses of two members, on the rows that neither has seen; None
        if on these no two differ from row to row.
    oob_score_, oob_decision_function_
        The accuracy of the out-of-bag votes, and the votes; NaN where every member saw the row.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = BaggingClassifier(n_estimators=15).fit(X, X[:, 0] > X[:, 1])
    >>> model.predict([[1.0, 0.0], [0.0, 1.0]]).tolist()
    [True, False]
    >>> model.certificates()[0].status
    'valid'
    """

    voting: Literal["soft", "hard"]
    classes_: NDArray[Any]
    out_of_bag_: OutOfBag | None
    correlation_of_losses_: float | None
    oob_score_: float
    oob_decision_function_: Matrix

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
        voting: Literal["soft", "hard"] = "soft",
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
        self.voting = voting
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start

    def _base(self) -> Any:
        return CARTClassifier() if self.estimator is None else self.estimator

    def _prototype(self) -> Any:
        return with_labels(self._base(), self.classes_.tolist(), range(len(self.classes_)))

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the members.

        Parameters
        ----------
        X
            A table that the members can read.
        y
            The label of each row.
        sample_weight
            How much each row counts, if the members take weights.
        """
        fresh = fresh_copy(self)
        if self.voting not in {"soft", "hard"}:
            raise ValueError(f"voting={self.voting!r} must be 'soft' or 'hard'")
        rows = fresh._enter(X, reset=True)  # noqa: SLF001 - our own copy
        labels = learn_classes(fresh, y, n=rows.shape[0])
        weights = None
        if sample_weight is not None:
            weights = validation.sample_weights(sample_weight, rows.shape[0])
        before = self if self.warm_start and hasattr(self, "estimators_") else None
        if before is not None and not np.array_equal(fresh.classes_, before.classes_):
            raise ValueError("warm_start adds members to an ensemble of the same classes")
        fresh._learn(rows, labels, weights, before)  # noqa: SLF001
        fresh._ask_outside(rows, labels)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with most votes; of equals, the first one."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the mean of the members' probabilities, or the share of each label's votes."""
        check_is_fitted(self)
        said = self._each(X, self._says)
        return np.sum(said, axis=0) / len(said)

    def guarantee(self, *, voter_accuracy: float) -> Guarantee:
        """Bound the error of the vote if members erred independently, which they do not.

        Parameters
        ----------
        voter_accuracy
            The probability with which each member is right.
        """
        n_voters = self.n_estimators - 1 + self.n_estimators % 2
        return tails_of_sums.majority_vote_exact(
            n_voters=max(1, n_voters), voter_accuracy=voter_accuracy
        )

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the vote by the rows that members, and pairs of them, have not seen.

        A second certificate says what independent voters of this accuracy would be worth; it is
        void, with the measured correlation of the members' errors.

        Parameters
        ----------
        delta
            The probability with which the certificate may fail.
        """
        check_is_fitted(self)
        refuse_other_kinds(self._base(), "classifier")  # a forged model file may hold anything
        conduct = _certificates.Conduct(
            grown_on=self.n_fits_ > 1, unseen=self._unseen(), soft=self.voting == "soft"
        )
        return _certificates.certificates_of(self, conduct, delta=delta)

    def _says(self, place: int, X: Any) -> Matrix:
        """Return what a member says: a share for each class of the ensemble, that sum to 1."""
        member = self.estimators_[place]
        found = np.zeros((X.shape[0], len(self.classes_)))
        if self.voting == "soft" and hasattr(member, "predict_proba"):
            known = self._places(member, np.asarray(member.classes_))
            found[:, known] = shares_of(member, X, len(known))
            return found
        votes = self._places(member, answers_of(member, X))
        found[np.arange(len(votes)), votes] = 1.0
        return found

    def _places(self, member: Any, labels: NDArray[Any]) -> Indices:
        """Return the labels of a member, which learnt the places of classes; refuse others."""
        if labels.dtype.kind not in "biuf" or not np.isin(labels, range(len(self.classes_))).all():
            raise ValueError(
                f"{type(member).__name__} names classes that it was not given: members of a bagged "
                f"vote learn the places of classes, 0 to {len(self.classes_) - 1}, so that one "
                "that was fitted before cannot take part"
            )
        return labels.astype(np.int64)

    def _ask_outside(self, X: Any, labels: Indices) -> None:
        """Set what the rows outside the bags say of the members, of pairs, and of the vote."""
        outside, self.out_of_bag_ = self._outside(), None
        if not outside.any():
            if self.oob_score:
                raise ValueError(
                    "oob_score=True needs rows outside the bags: set bootstrap=True, or "
                    "max_samples below the number of rows"
                )
            return
        tested = _out_of_bag.rows_for_tests(self.seed_, len(labels), None)
        losses, votes = np.zeros(outside.shape), np.zeros((len(labels), len(self.classes_)))
        for place, said in enumerate(self._each(X, self._says)):
            here = outside[place]
            losses[place, here] = 1.0 - said[here, labels[here]]
            votes[here] += said[here]
        if self.oob_score:
            self._score(votes, outside, labels)
        losses, outside = losses[:, tested], outside[:, tested]
        self.out_of_bag_ = _out_of_bag.summarise(losses, outside, votes[tested], labels[tested])
        self.correlation_of_losses_ = _out_of_bag.correlation(losses, outside)

    def _score(self, votes: Matrix, outside: Any, labels: Indices) -> None:
        n_members = outside.sum(axis=0)
        asked = n_members > 0
        self.oob_decision_function_ = np.full(votes.shape, np.nan)
        self.oob_decision_function_[asked] = votes[asked] / n_members[asked, np.newaxis]
        right = votes[asked].argmax(axis=1) == labels[asked]
        self.oob_score_ = float(right.mean()) if len(right) else float("nan")

    def _check_state(self) -> None:
        super()._check_state()
        record = self.out_of_bag_
        if record is not None and len(record.losses) != len(self.estimators_):
            raise ValueError("it has another number of members than were tested")
        _out_of_bag.refuse_no_correlation(self)

    def _check_member(self, member: Any) -> None:
        known = getattr(member, "classes_", None)
        if not isinstance(known, np.ndarray) or known.dtype != np.int64:
            raise ValueError("a member does not answer by places among the classes")
        if len(known) == 0 or known.min() < 0 or known.max() >= len(self.classes_):
            raise ValueError("a member knows a class that the ensemble does not")
