"""What bagged ensembles of any learner share: bags of rows and columns, members fitted in parallel.

    for t = 1 … T: draw a bag, fit h_t on it;  predict by the vote, or the mean, of all h_t

Breiman, Machine Learning 24 (1996).
"""

from typing import Any, NamedTuple, cast

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from surelearn import _arguments
from surelearn._stored import holds, stored_name
from surelearn._typing import Indices, Mask, Vector
from surelearn.base import data_fingerprint
from surelearn.base.chunks import rows_at
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.fitting import at_one_moment, warn
from surelearn.base.parameters import check_jobs
from surelearn.base.row_identity import count_distinct, row_hashes
from surelearn.certificate import Certificate, Evidence
from surelearn.learners.ensembles import _certificates, _members
from surelearn.learners.ensembles._member_kinds import refuse_other_kinds
from surelearn.learners.ensembles._validation import enter


class Lot(NamedTuple):
    """What bags are drawn from: the learner to copy, rows, targets, weights if there are any."""

    base: Any
    X: Any
    targets: NDArray[Any]
    weights: Vector | None


@at_one_moment
@holds(
    n_features_in_="count",
    estimators_="anything",
    estimators_features_="int[members, drawn]",
    seed_="seed",
    n_training_rows_="count",
    n_distinct_rows_="maybe count",
    training_digest_="text",
    n_fits_="count",
    bags_="maybe text",
    weighted_="maybe flag",
)
class BaggedLearner(BaseEstimator):
    """An ensemble of copies of one learner, each fitted to a bag of rows and columns.

    Attributes
    ----------
    estimators_
        The fitted members.
    estimators_features_
        The columns of each member.
    seed_
        The number from which the bag of each member follows.
    """

    estimator: Any
    n_estimators: int
    max_samples: Any
    max_features: Any
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    n_jobs: int | None
    random_state: Any
    warm_start: bool
    n_features_in_: int
    estimators_: list[Any]
    estimators_features_: Indices
    seed_: int
    n_training_rows_: int
    n_distinct_rows_: int
    n_fits_: int

    def _base(self) -> Any:
        """Return the learner whose copies are the members."""
        raise NotImplementedError

    def _prototype(self) -> Any:
        """Return the same as it is copied: told of targets as the members see them."""
        return self._base()

    def _check_parameters(self) -> None:
        _arguments.at_least_one("n_estimators", self.n_estimators)
        for name in ("bootstrap", "bootstrap_features", "oob_score", "warm_start"):
            _arguments.flag(name, getattr(self, name))
        _arguments.jobs("n_jobs", self.n_jobs)

    def _enter(self, X: Any, *, reset: bool) -> Any:
        """Return a table as the members read it; they refuse what they cannot read."""
        if reset:
            kind = "classifier" if isinstance(self, ClassifierMixin) else "regressor"
            refuse_other_kinds(self._base(), kind)
        return enter(self, X, reset=reset)

    def _learn(self, X: Any, targets: NDArray[Any], weights: Vector | None, before: Any) -> None:
        """Fit the members that are not there already."""
        self._check_parameters()
        self.n_training_rows_ = X.shape[0]
        self.n_distinct_rows_ = count_distinct(row_hashes(X))
        labels = targets if weights is None else np.column_stack([targets, weights])
        self.training_digest_ = data_fingerprint(X, labels)
        size = _members.count_of("max_samples", self.max_samples, self.n_training_rows_)
        self.bags_ = f"{size} rows, bootstrap={bool(self.bootstrap)}"
        self.weighted_ = weights is not None
        self.seed_, members, self.n_fits_ = self._begin(before)
        base, n_columns = self._prototype(), X.shape[1]
        if weights is not None and not has_fit_parameter(base, "sample_weight"):
            raise ValueError(
                f"{type(base).__name__} takes no sample_weight; leave the weights out, or take "
                "another estimator"
            )
        n_drawn = _members.count_of("max_features", self.max_features, n_columns)
        self.estimators_features_ = np.array(
            [
                _members.draw_columns(
                    self.seed_, place, n_columns, n_drawn, replace=self.bootstrap_features
                )
                for place in range(self.n_estimators)
            ]
        )
        todo = range(len(members), self.n_estimators)
        jobs = -1 if self.n_jobs is None else self.n_jobs
        work, lot = joblib.delayed(_fitted), Lot(base, X, targets, weights)
        fitted: Any = joblib.Parallel(n_jobs=jobs, prefer="threads")(
            work(lot, self._bag(place), self.estimators_features_[place], (self.seed_, place))
            for place in todo
        )
        self.estimators_ = [*members, *fitted]

    def bags_certificate(self, *, delta: float = 0.05) -> Certificate:
        """State which share of the rows a bag holds on average: about 63.2% of a bootstrap.

        Parameters
        ----------
        delta
            The probability with which bags drawn like these hold less.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from surelearn import BaggingClassifier
        >>> model = BaggingClassifier(n_estimators=20, random_state=0)
        >>> certificate = model.fit(*load_iris(return_X_y=True)).bags_certificate()
        >>> round(certificate.bound, 3), round(certificate.observed, 3)
        (0.611, 0.626)
        """
        check_is_fitted(self)
        self._refuse_misfits()
        size = _members.count_of("max_samples", self.max_samples, self.n_training_rows_)
        _members.refuse_other_bags(self, f"{size} rows, bootstrap={bool(self.bootstrap)}")
        if not self.bootstrap:
            raise ValueError(
                f"bags drawn without replacement hold {size} of {self.n_training_rows_} rows, "
                "surely; there is nothing to certify unless bootstrap=True"
            )
        in_bag = [len(self._bag(place).rows) for place in range(len(self.estimators_))]
        return _certificates.of_bags(
            self, in_bag, n_drawn=size, n_rows=self.n_training_rows_, delta=delta
        )

    def _begin(self, before: Any) -> tuple[int, list[Any], int]:
        """Return the seed, the members that are there already, and how often some were added."""
        if before is None:
            return _members.seed_of(self.random_state), [], 1
        members = before.estimators_
        if self.training_digest_ != before.training_digest_:
            raise ValueError(
                "warm_start adds members to an ensemble of the same rows, targets and weights, and "
                "these are others: set warm_start=False to begin anew"
            )
        _members.refuse_other_bags(before, self.bags_)
        if self.n_estimators < len(members):
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {len(members)} members that "
                "warm_start keeps: raise it, or set warm_start=False"
            )
        if self.n_estimators == len(members):
            warn("n_estimators is as before: warm_start adds no member")
        return before.seed_, members, before.n_fits_ + 1

    def _bag(self, place: int) -> _members.Bag:
        n = self.n_training_rows_
        size = _members.count_of("max_samples", self.max_samples, n)
        return _members.draw_bag(self.seed_, place, n, size, bootstrap=self.bootstrap)

    def _outside(self) -> Mask:
        """Return which rows are outside the bag of each member."""
        outside = np.ones((len(self.estimators_), self.n_training_rows_), dtype=np.bool_)
        for place, absent in enumerate(outside):
            absent[self._bag(place).rows] = False
        return outside

    def _of_member(self, X: Any, place: int) -> Any:
        """Return the columns of a table that a member reads."""
        return columns_of(X, self.estimators_features_[place])

    def _each(self, X: Any, ask: Any) -> list[Any]:
        """Return what each member answers, in order."""
        check_is_fitted(self)
        check_jobs(self)
        self._refuse_misfits()
        rows = self._enter(X, reset=False)
        jobs = -1 if self.n_jobs is None else self.n_jobs

        def answer(place: int) -> Any:
            return ask(place, self._of_member(rows, place))

        work = joblib.delayed(answer)
        return cast("Any", joblib.Parallel(n_jobs=jobs, prefer="threads"))(
            work(place) for place in range(len(self.estimators_))
        )

    def _unseen(self) -> Evidence:
        """Say what speaks for members that saw nothing outside their bags."""
        weighted, base = getattr(self, "weighted_", True), self._base()
        inside = (part for part in base.get_params().values() if hasattr(part, "fit"))
        strangers = [type(part).__name__ for part in (base, *inside) if not _is_ours(part)]
        if not strangers:
            return _certificates.unseen(
                "a member is fitted to the rows of its bag alone", weighted=weighted
            )
        return _certificates.unseen(
            f"a member is given the rows of its bag alone, and not that {strangers[0]} "
            "learns from others",
            weighted=weighted,
        )

    def _check_state(self) -> None:
        """Refuse members, as a forged model file may hold them, that are none or read others."""
        self._refuse_misfits()
        for member in self.estimators_:
            if not isinstance(member, BaseEstimator) or not hasattr(member, "predict"):
                raise TypeError("a member is no learner")
            known = getattr(member, "n_features_in_", self.estimators_features_.shape[1])
            if known != self.estimators_features_.shape[1]:
                raise ValueError("a member reads another number of columns")
            self._check_member(member)

    def _refuse_misfits(self) -> None:
        """Refuse members of other columns, of a forged file or set by hand."""
        refuse_unlike_declared(self)
        n_members, members = len(self.estimators_features_), self.estimators_
        if not isinstance(cast("Any", members), list) or len(members) != n_members or not members:
            raise ValueError("its members are not as many as their columns")
        _arguments.places(
            "estimators_features_", self.estimators_features_.ravel(), self.n_features_in_
        )

    def _check_member(self, member: Any) -> None:
        """Refuse a member that does not answer as the ensemble does."""

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn what the members can read."""
        tags = cast("Any", super().__sklearn_tags__())
        if not hasattr(self._base(), "__sklearn_tags__"):  # `fit` refuses it
            return tags
        theirs = cast("Any", get_tags(self._base())).input_tags
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, getattr(theirs, name))
        return tags


def columns_of(X: Any, columns: Indices) -> Any:
    """Return some columns of a table; the table itself if these are all, in order."""
    if len(columns) == X.shape[1] and (columns == np.arange(X.shape[1])).all():
        return X
    return X[:, columns] if isinstance(X, np.ndarray) else _safe_indexing(X, columns, axis=1)


def _is_ours(learner: Any) -> bool:
    """Say whether it is known that a learner learns from the rows it is given alone."""
    kind = type(learner)
    return stored_name(kind) is not None and kind.__module__.startswith("surelearn.")


def _fitted(lot: Lot, bag: _members.Bag, columns: Indices, numbered: tuple[int, int]) -> Any:
    """Return a member: a pure function of the seed, its place and the rows."""
    (base, X, targets, weights), (seed, place) = lot, numbered
    member: Any = clone(base)
    own = int(_members.growth_state(seed, place)[0] >> np.uint64(33))
    seeds = {name: own for name in member.get_params() if name.split("__")[-1] == "random_state"}
    member.set_params(**seeds)
    rows = np.repeat(bag.rows, bag.times)
    given = {} if weights is None else {"sample_weight": weights[rows]}
    try:
        return member.fit(rows_at(columns_of(X, columns), rows), targets[rows], **given)
    except ValueError as error:
        raise ValueError(
            f"{type(base).__name__} could not be fitted to the {place + 1}. bag of rows, which may "
            f"lack a class or a value: {error}"
        ) from error
