"""Conditional maximum entropy: the least committed probabilities that agree with the data.

    maximise  −Σ P̃(x) P(y|x) ln P(y|x)   subject to   E_P f_i = E_P̃ f_i  for every feature f_i(x, y)

The solution is P(y|x) ∝ exp(Σ w_i f_i(x, y)); its weights maximise the likelihood. Jaynes (1957);
Berger, Della Pietra and Della Pietra (1996). P̃ is what was observed, E_P averages over observed x.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._jit.fingerprints import Hashes
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, warn
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.parted_survey import survey_labelled
from surelearn.learners.linear._constraints import Constraints
from surelearn.learners.linear._parted_constraints import PartedConstraints, constraints_of_parts
from surelearn.learners.linear._softmax.classifier import SoftmaxClassifier

Features: TypeAlias = Callable[[Any, Any], Any] | Sequence[Callable[[Any, Any], float]] | None
"""One function of a table and a label, or several of one row and a label; None for indicators."""

AnyConstraints: TypeAlias = Constraints | PartedConstraints
"""What was observed, in rows that are all there or in parts."""

_LARGEST_TABLE = 50_000_000


@at_one_moment
@holds(
    weights_="finite[weights]",
    n_iter_="count",
    entropy_="number",
    constraint_residuals_="finite[weights]",
    log_likelihood_="number",
    converged_="flag",
    training_rows_="hash[kept]",
)
class MaximumEntropyModel(SoftmaxClassifier):
    """The model P(y|x) ∝ exp(Σ w_i f_i(x, y)); a learner defines `_solve(constraints)`.

    `_solve` returns the weights and the number of steps, and trusts its input.
    """

    features: Features
    tol: float
    max_iter: int
    n_features_in_: int
    weights_: Vector
    n_iter_: int
    training_rows_: Hashes

    @abstractmethod
    def _solve(self, constraints: AnyConstraints) -> tuple[Vector, int]:
        """Find the weights."""

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Find the weights from rows and labels.

        Parameters
        ----------
        X
            Rows of numbers: an array or a data frame; or the parts of a table, each step a pass
            over all of them: see `surelearn.scale.parts`.
        y
            Their labels, two kinds or more; parts bring them along.
        sample_weight
            How often each row counts; once if left out.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            survey = survey_labelled(fresh, X)
            constraints: AnyConstraints = constraints_of_parts(fresh, X, survey)
            fresh.training_rows_ = survey.hashes
        else:
            X, labels = validation.check(fresh, _dense(X), y, reset=True)
            fresh.classes_ = validation.two_or_more(validation.distinct(labels))
            shares = validation.sample_weights(sample_weight, len(labels))
            codes = validation.index_among(fresh.classes_, labels)
            constraints = fresh._observe(X, codes, shares / shares.sum())  # noqa: SLF001
            fresh.training_rows_ = fingerprints.sketch(fingerprints.row_hashes(X))
        fresh.weights_, fresh.n_iter_ = fresh._solve(constraints)  # noqa: SLF001
        fresh._report(constraints)  # noqa: SLF001
        return adopt(self, fresh)

    def _check_parameters(self) -> None:
        if not 0.0 < self.tol < 1.0:
            raise ValueError(f"tol={self.tol!r} must lie between 0 and 1")
        _arguments.at_least_one("max_iter", self.max_iter)
        given: Any = () if self.features is None or callable(self.features) else self.features
        if not (isinstance(given, Sequence) and all(callable(function) for function in given)):
            raise ValueError(
                "features must be a function of a table and a label, or a list of "
                "functions of a row and a label"
            )

    def _observe(self, X: Matrix, codes: Any, shares: Vector) -> Constraints:
        """Merge equal rows and average the features over what was observed."""
        seen = shares > 0.0
        distinct, places = np.unique(X[seen], axis=0, return_inverse=True)
        features = self._evaluate(distinct)
        pairs = np.zeros(features.shape[:2])
        np.add.at(pairs, (places.ravel(), codes[seen]), shares[seen])
        observed = np.tensordot(pairs, features, axes=2)
        return Constraints(features, pairs.sum(axis=1), observed)

    def _evaluate(self, X: Matrix) -> NDArray[np.float64]:
        """Return the features of each row with each label."""
        if self.features is None:
            return _indicators(X, len(self.classes_))
        if callable(self.features):
            columns = [self.features(X, label) for label in self.classes_]
        else:
            functions = list(self.features)
            columns = [[[f(x, y) for f in functions] for x in X] for y in self.classes_]
        try:
            table = np.stack([np.asarray(column, dtype=np.float64) for column in columns], axis=1)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the features are not tables of numbers: {error}") from error
        if table.ndim != 3 or len(table) != len(X) or table.shape[2] == 0:
            raise ValueError(
                f"for {len(X)} rows and one label the features have shape {table[:, 0].shape}; "
                f"give ({len(X)}, number of features)"
            )
        if not np.isfinite(table).all():
            raise ValueError("a feature is NaN or infinite; features must be finite numbers")
        return table

    def _report(self, constraints: AnyConstraints) -> None:
        """Store entropy, likelihood and residuals; say so if a constraint is not met."""
        self.entropy_, expected, heights = constraints.entropy(self.weights_)
        self.constraint_residuals_ = expected - constraints.observed
        self.log_likelihood_ = float(constraints.observed @ self.weights_ - heights)
        worst = float(np.abs(self.constraint_residuals_ / constraints.sizes).max())
        self.converged_ = worst <= self.tol
        if not self.converged_:
            warn(
                f"after {self.n_iter_} steps a constraint is missed by {worst:.2g} of the largest "
                f"value of its feature, more than tol={self.tol:g}; raise max_iter or tol",
                ConvergenceWarning,
            )

    def _check_state(self) -> None:
        if self.features is not None:
            raise ValueError("its features are not functions, which no file holds")
        if len(self.weights_) != len(self.classes_) * (self.n_features_in_ + 1):
            raise ValueError("its weights are not those of its features and classes")

    def _scores(self, X: Any) -> Matrix:
        features = self._evaluate(validation.check_rows(self, _dense(X)))
        with np.errstate(over="ignore", invalid="ignore"):
            scores: Matrix = features @ self.weights_
        if not np.isfinite(scores).all():
            raise ValueError("the scores of a row overflow; rescale the features")
        return scores


def _dense(X: Any) -> Any:
    if sparse.issparse(X):
        raise TypeError(
            "this learner reads dense tables, and this one is sparse; X.toarray() makes it dense"
        )
    return X


def _indicators(X: Matrix, n_classes: int) -> NDArray[np.float64]:
    """Return [y = k] x_j and [y = k] for all k and j: those of multinomial logistic regression."""
    n, width = len(X), X.shape[1] + 1
    if n * n_classes**2 * width > _LARGEST_TABLE:
        raise ValueError(
            f"{n} distinct rows, {n_classes} labels and {n_classes * width} features are too many "
            "for a table; LogisticRegression(C=float('inf')) is the same model without it"
        )
    table = np.zeros((n, n_classes, n_classes, width))
    for k in range(n_classes):
        table[:, k, k, :-1], table[:, k, k, -1] = X, 1.0
    return cast("NDArray[np.float64]", table.reshape(n, n_classes, -1))
