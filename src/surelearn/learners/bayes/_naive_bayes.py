"""The base of naive Bayes: P(c | x) in proportion to P(c) Π_j P(x_j | c), in logarithms."""

import math
from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from functools import partial
from numbers import Real
from operator import add
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._locks import in_turn
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.classifier import risk_certificate
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fitting import adopt, at_one_moment, learn_classes
from surelearn.base.parted import Block, PartedTable
from surelearn.base.summarising import SummarisingLearner, Summary
from surelearn.base.tables.table import (
    Categories,
    column_names,
    columns_with_rare_categories,
    learn_more,
    learn_table,
    n_categories,
    read_table,
)
from surelearn.bounds import vc
from surelearn.certificate import Certificate, Evidence, assumed, by_construction, violated
from surelearn.learners.bayes._class_conditionals import (
    LogScores,
    NormalFactors,
    softmax,
    split_log,
)
from surelearn.learners.bayes._class_summary import ClassCounts, ClassSummary
from surelearn.learners.bayes._joined_summaries import joined

_MOST_SCORES = 2**24  # rows times classes that are scored at once


class Factors(Protocol):
    """Some of the factors P(x_j | c)."""

    @property
    def possible(self) -> bool:
        """Whether no factor is zero."""
        ...

    def add_to(self, scores: LogScores, table: NDArray[Any], /) -> None:
        """Add the logarithms of the factors of each row."""
        ...


@at_one_moment
@holds(
    n_features_in_="count",
    classes_="classes",
    categories_="categories",
    class_count_="finite[classes]",
    class_log_prior_="float[classes]",
    log_prior_=LogScores,
    factors_=tuple,
    n_training_rows_="count",
    training_errors_="count?",
    undeclared_features_="maybe words",
    rows_left_out_="flag",
    rare_="maybe bool[features]",
    record_=ClassSummary,
)
class NaiveBayesClassifier(ClassifierMixin, SummarisingLearner[ClassSummary]):
    """A classifier that takes the features for independent within each class.

    A learner defines two methods. `_reading` says how the table's door is to treat its columns.
    `_estimate` finds the factors from the summary of all rows. Missing cells are left out: of the
    estimates in training, of the product in prediction.
    """

    _factors: ClassVar[tuple[type[Any], ...]]
    smoothing: float = 1.0  # of the classes, in a learner that has no categories to smooth
    prior_smoothing: float | None
    priors: ArrayLike | None
    var_smoothing: float

    n_features_in_: int
    classes_: NDArray[Any]
    categories_: Categories
    class_count_: Vector
    class_log_prior_: Vector
    log_prior_: LogScores
    factors_: tuple[Factors, ...]
    n_training_rows_: int
    training_errors_: int | None
    undeclared_features_: list[str]
    rows_left_out_: bool
    rare_: Mask

    @abstractmethod
    def _reading(self) -> dict[str, Any]:
        """Return the options of `learn_table`."""

    @abstractmethod
    def _estimate(self, record: ClassSummary) -> tuple[Factors, ...]:
        """Return the factors, and store what users may want to read."""

    @in_turn
    def partial_fit(  # pyright: ignore[reportIncompatibleMethodOverride] - scikit-learn's order
        self,
        X: Any,
        y: Any = None,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add these rows to all seen so far, and find the model of all of them.

        Chunks of any size give the model of one `fit` to all the rows; a chunk may show new
        categories, but no new class.

        Parameters
        ----------
        X, y
            The next rows and their labels.
        classes
            All labels that will ever come; needed in the first call if it does not show them all.
        sample_weight
            How often each row counts; once, if left out.
        """
        fresh = copy(self)
        if classes is not None:
            given = validation.named_classes(classes)
            known = getattr(self, "classes_", given)
            validation.index_among(known, given)
            fresh.classes_ = known
        return adopt(self, super(NaiveBayesClassifier, fresh).partial_fit(X, y, sample_weight))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first of equals."""
        check_is_fitted(self)
        return self.classes_[self._guess(self._read_rows(X))]

    def predict_proba(self, X: Any) -> Matrix:
        """Return P(c | x), a column for each class."""
        return softmax(self._score(X).limit())[0]

    def predict_log_proba(self, X: Any) -> Matrix:
        """Return ln P(c | x), a column for each class."""
        scores = self._score(X).limit()
        return scores - softmax(scores)[1][:, np.newaxis]

    def predict_joint_log_proba(self, X: Any) -> Matrix:
        """Return ln P(c) + Σ_j ln P(x_j | c), a column for each class."""
        return self._score(X).log_joint()

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk by the number of ways rules of this form can label the rows.

        Whatever the estimates, the rule compares affine functions of one feature for each category
        and three for each column of numbers: x, x² and whether x is there. There is no statement
        after `partial_fit`, where the errors of the final rule on earlier rows are not known, none
        if rows of weight 0 were left out, and none if there is only one class.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        if self.training_errors_ is None or len(self.classes_) < 2 or self.rows_left_out_:
            return ()
        dimension = sum(3 if known is None else len(known) for known in self.categories_)
        counts = {"errors": self.training_errors_, "n": self.n_training_rows_}
        if len(self.classes_) == 2:
            guarantee = vc.linear(**counts, dimension=dimension, delta=delta)
        else:
            guarantee = vc.linear_multiclass(
                **counts, dimension=dimension, n_classes=len(self.classes_), delta=delta
            )
        features = "categories, and x, x² and presence of numbers, are the features"
        evidence = {
            "independent": drawn_independently(self),
            "fixed_before": self._class_evidence(),
            "affine": by_construction(features),
        }
        return (risk_certificate(self, guarantee, evidence),)

    def _class_evidence(self) -> Evidence:
        """Say whether the categories, and so the class of rules, were known beforehand."""
        learnt = self.undeclared_features_
        features = "the features must not have been made or chosen by looking at these rows"
        if not learnt:
            return assumed(f"no category was learnt from the rows; {features}")
        names = column_names(self)
        open_ended = [name for name in learnt if self.rare_[names.index(name)]]
        if open_ended:
            return violated(
                f"column {open_ended[0]!r} has categories that a single training row has, so there "
                "are likely others: declare all of them with `categories`"
            )
        return assumed(
            f"the categories of {len(learnt)} columns were learnt from the rows ({learnt[0]!r} is "
            f"one): it holds if there are no others (declare them with `categories`); {features}"
        )

    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[NDArray[Any], Indices, Vector]:
        """Check a chunk; a row of weight 0 is not there."""
        return self._read(X, y, sample_weight, learn_table if first else learn_more)

    def _admit_part(
        self, X: Any, y: Any, sample_weight: ArrayLike | None
    ) -> tuple[NDArray[Any], Indices, Vector]:
        return self._read(X, y, sample_weight, partial(learn_table, whole=False))

    def _read(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, learn: Callable[..., Matrix]
    ) -> tuple[NDArray[Any], Indices, Vector]:
        self._check_parameters()
        X, y, weights = _weighed(X, y, sample_weight)
        dropped = sample_weight is not None and not np.asarray(sample_weight).all()
        self.rows_left_out_ = dropped or getattr(self, "rows_left_out_", False)
        reading = self._reading()
        if learn is learn_more:
            reading.pop("categorical", None)
        table = learn(self, X, **reading)
        return table, self._places(y, len(table)), validation.sample_weights(weights, len(table))

    def _join(self, one: Summary, other: Summary) -> Summary:
        return joined(one, other, getattr(self, "most_categories", None))

    def _take(self, summary: Summary) -> None:
        names = column_names(SimpleNamespace(**summary.learnt))
        for name, known in zip(names, summary.learnt["categories_"], strict=True):
            if known is not None and len(known) == 0:
                raise ValueError(f"column {name!r} has no value in any row; leave it out")
        super()._take(summary)

    def _fit_parts(self, parts: PartedTable) -> None:
        """Find the model of a table in parts, and look at all rows once more for its errors."""
        super()._fit_parts(parts)
        errors, *in_rows = parts.map_reduce(self._look_back, add).tolist()
        self._know_errors(errors, self._with_single_rows(in_rows))

    def _look_back(self, block: Block) -> Indices:
        """Return the errors on some of the training rows, and the rows of each category."""
        X, y, _ = _weighed(*block)
        table = self._read_rows(X)
        errors = int(np.count_nonzero(self._guess(table) != self._places(y, len(table))))
        nobody, once = np.zeros(len(table), dtype=np.int64), np.ones(len(table))
        in_rows = ClassCounts.of(table, nobody, once, (self.categories_, 1)).table[:, 0]
        return np.append(errors, in_rows.astype(np.int64))

    def _with_single_rows(self, in_rows: list[int]) -> Mask:
        """Return which columns have a category that stands in a single row."""
        ends = np.cumsum(n_categories(self.categories_))
        each = np.split(np.asarray(in_rows), ends[:-1])
        return np.array([bool((counts == 1).any()) for counts in each])

    def _places(self, y: Any, n: int) -> Indices:
        """Return the place of each label among the classes, which the first chunk shows."""
        shown = SimpleNamespace()
        places = learn_classes(shown, y, n=n)
        if not hasattr(self, "classes_"):
            self.classes_ = shown.classes_
        return validation.index_among(self.classes_, shown.classes_)[places]

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        super()._begin(X, y, weights)
        errors = self._guess(X) != y
        rare = columns_with_rare_categories(X, self.categories_)
        self._know_errors(int(np.count_nonzero(errors)), rare)

    def _know_errors(self, errors: int, rare: Mask) -> None:
        """Store the errors on the training rows, and what else a certificate needs to know."""
        self.training_errors_, self.rare_ = errors, rare
        declared = self._reading().get("declared") or {}
        columns = enumerate(zip(column_names(self), self.categories_, strict=True))
        self.undeclared_features_ = [
            name
            for place, (name, known) in columns
            if known is not None and name not in declared and place not in declared
        ]

    def _summarise(self, X: Any, y: Any, weights: Any) -> ClassSummary:
        return ClassSummary.of(X, y, weights, (self.categories_, len(self.classes_)))

    def _solve(self, record: ClassSummary) -> None:
        self.class_count_, self.n_training_rows_ = record.weight, record.n_rows
        self.training_errors_ = None  # unknown, until all rows are looked at once more
        imagined = self.smoothing if self.prior_smoothing is None else self.prior_smoothing
        prior = record.weight + imagined if self.priors is None else self._check_priors(self.priors)
        with np.errstate(over="ignore"):  # refused in a sentence
            self.log_prior_ = split_log(prior, prior.sum())
        self.class_log_prior_ = self.log_prior_.log_joint()
        self.factors_ = self._estimate(record)

    def _normal_factors(self, record: ClassSummary) -> NormalFactors:
        """Return the factors of the columns of numbers, if each has a value and varies."""
        columns = np.flatnonzero([known is None for known in self.categories_])
        known = column_names(self)
        names = [known[place] for place in columns]
        empty = record.moments.pooled().weight[0] == 0.0
        if empty.any():
            raise ValueError(
                f"column {names[int(empty.argmax())]!r} has no value in any row; leave it out"
            )
        factors = NormalFactors.estimate(record.moments, columns, self.var_smoothing)
        for i in np.flatnonzero(~np.isfinite(factors.variance).all(axis=0)):
            raise ValueError(f"the squares of column {names[i]!r} overflow; rescale the column")
        for c, i in np.argwhere(factors.variance == 0.0):
            raise ValueError(
                f"column {names[i]!r} has a single value in class {self.classes_[c]!r}, and "
                "var_smoothing=0 leaves its variance at 0; raise it, or leave the column out"
            )
        return factors

    def _score(self, X: Any) -> LogScores:
        check_is_fitted(self)
        return self._score_table(self._read_rows(X))

    def _read_rows(self, X: Any) -> NDArray[Any]:
        return read_table(self, X, codes=self._reading().get("codes", False))

    def _guess(self, table: NDArray[Any]) -> Indices:
        """Return the place of the most probable class of each row, the first of equals."""
        size = max(1, _MOST_SCORES // len(self.classes_))
        parts = [table[first : first + size] for first in range(0, len(table), size)] or [table]
        return np.concatenate([self._score_table(part).limit().argmax(axis=1) for part in parts])

    def _score_table(self, table: NDArray[Any]) -> LogScores:
        self._refuse_misfits()
        prior, shape = self.log_prior_, (len(table), len(self.classes_))
        zeros = None
        if prior.zeros is not None or not all(factors.possible for factors in self.factors_):
            zeros = np.zeros(shape) + (0.0 if prior.zeros is None else prior.zeros)
        scores = LogScores(np.zeros(shape) + prior.finite, zeros)
        for factors in self.factors_:
            factors.add_to(scores, table)
        return scores

    def _refuse_misfits(self) -> None:
        """Refuse factors of other classes or categories: loops would write beyond the scores."""
        self.log_prior_.refuse_unlike((len(self.classes_),))
        if tuple(map(type, self.factors_)) != self._factors:
            raise ValueError("its factors are those of another learner: fit it again")
        for factors in self.factors_:
            cast("Any", factors).refuse_unlike(self.categories_, len(self.classes_))

    def _check_parameters(self) -> None:
        for name in ("smoothing", "prior_smoothing", "var_smoothing"):
            value = getattr(self, name, None)
            if value is not None and not (
                isinstance(value, Real) and 0.0 <= float(value) < math.inf
            ):
                raise ValueError(f"{name}={value!r} must be a finite number, 0 or more")
        most = getattr(self, "most_categories", None)
        if most is not None:
            _arguments.at_least_one("most_categories", most)

    def _check_priors(self, priors: ArrayLike) -> Vector:
        given = _arguments.numbers("priors", priors)
        if given.shape != self.classes_.shape:
            raise ValueError(
                f"priors has shape {given.shape}; give one probability for each of the "
                f"{len(self.classes_)} classes {self.classes_.tolist()}"
            )
        if not (given > 0.0).all() or abs(given.sum() - 1.0) > 1e-9:
            raise ValueError(f"priors={given.tolist()} must be above 0 and add up to 1")
        return given

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: factors of columns or classes not there."""
        if len(self.categories_) != self.n_features_in_ or self.n_features_in_ < 1:
            raise ValueError("its columns are not as many as their categories")
        self._refuse_misfits()
        if self.training_errors_ is not None and not (
            hasattr(self, "rare_") and hasattr(self, "undeclared_features_")
        ):
            raise ValueError("it knows its errors, but not which categories are rare")
        if (self.training_errors_ or 0) > self.n_training_rows_:
            raise ValueError("it has more errors than rows")
        if self.n_training_rows_ != self.record_.n_rows:
            raise ValueError("its summary is of another number of rows")
        refuse_unlike_categories(self.record_.counts.categories, self.categories_)

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be missing, and where they may be words."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = "declared" in self._reading()
        return tags


def refuse_unlike_categories(found: Categories, wanted: Categories) -> None:
    """Refuse a summary of other columns than those of its learner."""
    kinds = [[known is None for known in each] for each in (found, wanted)]
    if kinds[0] != kinds[1]:
        raise ValueError("its summary is of other columns")


def _weighed(X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, Vector | None]:
    """Return the rows, labels and weights without the rows of weight 0."""
    if sample_weight is None or y is None:
        return X, y, None
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if not table.shape:
        raise ValueError(f"X is a {type(X).__name__}, and a table has rows and columns")
    n_rows = table.shape[0]
    weights = validation.sample_weights(sample_weight, n_rows)
    if weights.all():
        return X, y, weights
    kept = np.flatnonzero(weights)
    return _safe_indexing(X, kept), _safe_indexing(y, kept), weights[kept]
