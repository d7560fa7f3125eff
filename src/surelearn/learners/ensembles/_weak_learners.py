"""Weak learners in the rounds of boosting: stumps of our own, or any classifier with weights."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from surelearn._jit import fingerprints
from surelearn._jit import rows as jit_rows
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices, Mask, Vector
from surelearn.base import validation
from surelearn.base.tables import table
from surelearn.learners.ensembles._member_kinds import places_of_answers, refuse_other_kinds
from surelearn.learners.ensembles._stump_search import StumpSearch
from surelearn.learners.ensembles._stumps import Stump, Stumps


class Weak(Protocol):
    """What the rounds ask of a weak learner that has seen a table."""

    n_rows: int

    def begin(self, codes: Indices, classes: NDArray[Any], there: Mask) -> None:
        """Hear the class of each row, and which rows have weight."""

    def learn(self, weights: Vector) -> tuple[Any, Indices]:
        """Return a member for these weights, and the class that it names for each row."""
        ...

    def finish(self, model: Any, members: Sequence[Any]) -> None:
        """Put the members into the fitted model."""

    def remember(self, model: Any) -> None:
        """Put what is kept of the training rows into the fitted model."""


def weak_learner(model: Any, X: Any) -> Weak:
    """Return the weak learner that an ensemble asks for, with the table it is to learn."""
    return _StumpLearner(model, X) if model.estimator is None else _AnyClassifier(model, X)


class _StumpLearner:
    """Stumps of least weighted error."""

    def __init__(self, model: Any, X: Any) -> None:
        self.X = table.learn_table(
            model,
            dense(X),
            categorical=model.categorical_features,
            most_categories=model.most_categories,
        )
        self.n_rows, self.categories = len(self.X), model.categories_
        self.search: Any = None
        self.there: Mask | None = None

    def begin(self, codes: Indices, classes: NDArray[Any], there: Mask) -> None:
        n_categories = table.n_categories(self.categories)
        self.there = None if there.all() else there
        rows, own = (self.X, codes) if self.there is None else (self.X[there], codes[there])
        self.search = StumpSearch(rows, n_categories, own, len(classes))

    def learn(self, weights: Vector) -> tuple[Stump, Indices]:
        # Cut points are midpoints: rows without weight must not be seen at all.
        stump = self.search.best(weights if self.there is None else weights[self.there])
        return stump, Stumps.of([stump]).answer(0, self.X)

    def finish(self, model: Any, members: Sequence[Any]) -> None:
        model.stumps_, model.estimators_ = Stumps.of(list(members)), ()

    def remember(self, model: Any) -> None:
        model.missing_ = np.isnan(self.X.min(axis=0))
        model.rare_ = table.columns_with_rare_categories(self.X, self.categories)
        if all(known is None for known in self.categories):  # rows of categories coincide by chance
            model.training_rows_ = fingerprints.sketch(fingerprints.table_hashes(self.X))


class _AnyClassifier:
    """Copies of a classifier that is given weights of rows."""

    def __init__(self, model: Any, X: Any) -> None:
        self.prototype, self.seeds = model.estimator, check_random_state(model.random_state)
        _refuse_unfit(self.prototype)
        self.X = admitted(model, X, reset=True)
        self.n_rows = n_rows_of(self.X)
        self.codes: Any = None
        self.classes: Any = None

    def begin(self, codes: Indices, classes: NDArray[Any], there: Mask) -> None:
        del there  # the classifier sees the weights itself
        self.codes, self.classes = codes, classes

    def learn(self, weights: Vector) -> tuple[Any, Indices]:
        member: Any = clone(self.prototype)
        seeds = [name for name in member.get_params() if name.split("__")[-1] == "random_state"]
        for name in sorted(seeds):
            member.set_params(**{name: int(self.seeds.randint(2**31 - 1))})
        member.fit(self.X, self.classes[self.codes], sample_weight=weights)
        return member, places_of_answers(member, self.X, self.classes)

    def finish(self, model: Any, members: Sequence[Any]) -> None:
        model.stumps_, model.estimators_ = None, tuple(members)

    def remember(self, model: Any) -> None:
        model.missing_ = model.rare_ = None
        numbers = isinstance(self.X, np.ndarray) and self.X.dtype.kind in "biuf"
        numbers = numbers and bool(np.isfinite(self.X).all())
        if sparse.issparse(self.X):
            thin: Any = self.X
            hashes = fingerprints.row_hashes(jit_rows.of(thin.astype(np.float64)))
            model.training_rows_ = fingerprints.sketch(hashes)
        elif numbers:
            model.training_rows_ = fingerprints.sketch(fingerprints.table_hashes(self.X))


def _refuse_unfit(estimator: Any) -> None:
    """Refuse a weak learner that cannot play: no classifier, or one without weights of rows."""
    refuse_other_kinds(estimator, "classifier")
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(
            f"estimator={estimator!r} takes no sample_weight in fit, and AdaBoost weighs rows; use "
            "one that does, such as CARTClassifier(max_depth=1)"
        )


def dense(X: Any) -> Any:
    """Return sparse rows as an array, anything else as it is: stumps sort whole columns."""
    return sound(X).toarray() if sparse.issparse(X) else X


def admitted(model: Any, X: Any, *, reset: bool) -> Any:
    """Return rows for weak learners that read tables themselves: lists become arrays."""
    X = sound(X)
    if hasattr(X, "columns"):  # a data frame of any library
        validation.validated(model, X, reset=reset, skip_check_array=True)
        if 0 in getattr(X, "shape", ()):
            raise ValueError("X must be a table of rows and columns, with one of each at least")
        return X
    return validation.validated(
        model, X, reset=reset, dtype=None, ensure_all_finite=False, accept_sparse=True
    )


def n_rows_of(X: Any) -> int:
    """Return the number of rows of a table of any kind."""
    return int(X.shape[0])
