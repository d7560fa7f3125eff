"""Models that are functions of a sum over examples: summarise, add, solve.

A chunk of rows is summarised in a small record, records add, and the model is solved from their
sum. So `fit`, `partial_fit`, a file read in chunks and a cluster run the same code and find the
same model.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Generic, Protocol, Self, TypeVar, cast

from sklearn.base import BaseEstimator

from surelearn._locks import in_turn
from surelearn._stored import stored
from surelearn._threads import alone
from surelearn._typing import ArrayLike
from surelearn.base.fitting import adopt, fresh_copy
from surelearn.base.parted import Block, PartedTable, refuse_targets


class Record(Protocol):
    """The summary of some rows; the sum of two records summarises the rows of both."""

    def __add__(self, other: Any, /) -> Any:
        """Return the summary of all the rows."""
        ...


_Record = TypeVar("_Record", bound=Record)
_COLUMNS = {"n_features_in_", "feature_names_in_"}  # the same for all rows


@stored("summary-of-rows")
@dataclass(frozen=True, eq=False)
class Summary:
    """What a learner keeps of some rows, without having learnt them.

    Attributes
    ----------
    learnt
        What the rows show and others must match or add to: names of features, classes, categories.
    record
        Their sums.

    Examples
    --------
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> summary = RidgeRegression().summarise([[1.0], [3.0]], [2.0, 6.0])
    >>> summary.learnt["n_features_in_"], summary.record.mean.tolist()
    (1, [2.0, 4.0])
    """

    learnt: Mapping[str, Any]
    record: Any

    def _check_state(self) -> None:
        """Refuse what is no summary; the arrays of a record are held to its own layout."""
        learnt = cast("object", self.learnt)
        if not isinstance(learnt, Mapping) or not all(type(k) is str for k in self.learnt):
            raise ValueError("what it learnt is not named")
        if not hasattr(self.record, "__add__"):
            raise ValueError("its record cannot be added to another")


class SummarisingLearner(BaseEstimator, Generic[_Record]):
    """A learner whose model is a function of a sum over examples.

    A learner defines three methods. `_admit` checks a chunk, with `first=True` it
    also learns from it what later chunks must match (features, classes), and it returns the rows,
    targets and weights that `_summarise` takes. `_summarise` returns the record of a checked chunk
    and changes nothing. `_solve` finds the model from a record and stores it. The record of all
    rows stands in `record_`.

    Examples
    --------
    >>> import numpy as np
    >>> class Mean(SummarisingLearner):
    ...     def _admit(self, X, y, sample_weight, *, first):
    ...         return np.asarray(X, dtype=float), None, None
    ...     def _summarise(self, X, y, weights):
    ...         return np.append(X.sum(axis=0), len(X))
    ...     def _solve(self, record):
    ...         self.mean_ = record[:-1] / record[-1]
    >>> whole = Mean().fit([[1.0], [2.0], [6.0]])
    >>> parts = Mean().partial_fit([[1.0], [2.0]]).partial_fit([[6.0]])
    >>> whole.mean_.tolist(), parts.mean_.tolist()
    ([3.0], [3.0])

    The three steps are public, too: the summaries of two tables add up to that of both.

    >>> model = Mean()
    >>> model.solve(model.add(model.summarise([[1.0], [2.0]]), model.summarise([[6.0]]))).mean_
    array([3.])
    """

    record_: _Record

    @abstractmethod
    def _admit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool
    ) -> tuple[Any, Any, Any]:
        """Check a chunk; return its rows, targets and weights."""

    @abstractmethod
    def _summarise(self, X: Any, y: Any, weights: Any) -> _Record:
        """Return the record of a checked chunk; the learner stays as it is."""

    @abstractmethod
    def _solve(self, record: _Record) -> None:
        """Store the model that belongs to a record."""

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Forget all, and find the model of these rows.

        Parameters
        ----------
        X
            The rows, or the parts of a table: see `surelearn.scale.parts`.
        y
            Their targets, for a learner that predicts; parts bring them along.
        sample_weight
            How often each row counts; once, if left out.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            fresh._fit_parts(X)  # noqa: SLF001 - our own copy
            return adopt(self, fresh)
        fresh._begin(*fresh._admit(X, y, sample_weight, first=True))  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    @in_turn
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Add these rows to all seen so far, and find the model of all of them."""
        fresh = copy(self)  # what fails leaves this learner as it is
        begun = hasattr(fresh, "record_")
        if not begun and hasattr(fresh, "n_features_in_"):
            raise ValueError(
                "this model was fitted to all its rows at once and kept no summary to add to; "
                "begin with partial_fit on an unfitted one"
            )
        chunk = fresh._summarise(*fresh._admit(X, y, sample_weight, first=not begun))  # noqa: SLF001
        fresh._learn([fresh.record_, chunk] if begun else [chunk])  # noqa: SLF001
        return adopt(self, fresh)

    def summarise(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Summary:
        """Return the summary of some rows; the learner stays as it is.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        """
        fresh = fresh_copy(self)
        record = fresh._summarise(*fresh._admit_part(X, y, sample_weight))  # noqa: SLF001
        learnt = {name: value for name, value in vars(fresh).items() if name.endswith("_")}
        return Summary(learnt, record)

    def add(self, one: Summary, other: Summary) -> Summary:
        """Return the summary of the rows of both; refuse one of other columns."""
        refuse_other_columns(one.learnt, other.learnt)
        return self._join(one, other)

    def solve(self, summary: Summary) -> Self:
        """Forget all, and find the model of the rows that were summarised."""
        fresh = fresh_copy(self)
        fresh._take(summary)  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

    def _admit_part(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, Any]:
        """Check a chunk of which nobody knows whether it is the first, or large enough."""
        return self._admit(X, y, sample_weight, first=True)

    def _join(self, one: Summary, other: Summary) -> Summary:
        """Return the sum of two summaries; a learner that learns more of rows says how it adds."""
        if more := one.learnt.keys() - _COLUMNS:
            raise NotImplementedError(f"{type(self).__name__} must say how {sorted(more)} add")
        return Summary(one.learnt, one.record + other.record)

    def _take(self, summary: Summary) -> None:
        """Learn what a summary says."""
        vars(self).update(summary.learnt)
        with alone():  # or the last bits might depend on how many processors there are
            self._learn([summary.record])

    def _fit_parts(self, parts: PartedTable) -> None:
        """Find the model of a table in parts."""
        self._take(parts.map_reduce(partial(_summary_of_block, self), self.add))

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        """Find the model of rows that are all there; a learner may know a shorter way."""
        self._learn([self._summarise(X, y, weights)])

    def _learn(self, records: Iterable[_Record]) -> None:
        """Solve from the sum of the records, and keep it."""
        total = reduce(add, records)
        self._solve(total)
        self.record_ = total


def refuse_other_columns(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Refuse to add what was learnt of tables with other columns.

    Examples
    --------
    >>> refuse_other_columns({"n_features_in_": 2}, {"n_features_in_": 3})
    Traceback (most recent call last):
    ValueError: some rows have 2 features and others 3: give all of them the same columns
    """
    widths = one.get("n_features_in_"), other.get("n_features_in_")
    if widths[0] != widths[1]:
        raise ValueError(
            f"some rows have {widths[0]} features and others {widths[1]}: give all of them the "
            "same columns"
        )
    names = [each.get("feature_names_in_") for each in (one, other)]
    told = [None if each is None else list(each) for each in names]
    if told[0] != told[1]:
        raise ValueError(
            f"some rows have the columns {told[0]} and others {told[1]}: give all of them the same "
            "columns, in one order"
        )


def _summary_of_block(learner: SummarisingLearner[Any], block: Block) -> Summary:
    return learner.summarise(*block)
