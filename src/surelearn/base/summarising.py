"""Models that are functions of a sum over examples: summarise, add, solve.

A chunk of rows is summarised in a small record, records add, and the model is solved from their
sum. So `fit`, `partial_fit`, a file read in chunks and, later, a cluster run the same code and find
the same model.
"""

from abc import abstractmethod
from collections.abc import Iterable
from copy import copy
from functools import reduce
from operator import add
from typing import Any, Generic, Protocol, Self, TypeVar

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from surelearn.base.fitting import adopt, fresh_copy


class Record(Protocol):
    """The summary of some rows; the sum of two records summarises the rows of both."""

    def __add__(self, other: Any, /) -> Any:
        """Return the summary of all the rows."""
        ...


_Record = TypeVar("_Record", bound=Record)


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
            The rows.
        y
            Their targets, for a learner that predicts.
        sample_weight
            How often each row counts; once, if left out.
        """
        fresh = fresh_copy(self)
        fresh._begin(*fresh._admit(X, y, sample_weight, first=True))  # noqa: SLF001 - our own copy
        return adopt(self, fresh)

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

    def _begin(self, X: Any, y: Any, weights: Any) -> None:
        """Find the model of rows that are all there; a learner may know a shorter way."""
        self._learn([self._summarise(X, y, weights)])

    def _learn(self, records: Iterable[_Record]) -> None:
        """Solve from the sum of the records, and keep it."""
        total = reduce(add, records)
        self._solve(total)
        self.record_ = total
