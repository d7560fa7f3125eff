"""The voted Perceptron: every weight vector of a run votes, as often as it survived a round.

    ŷ = sgn( Σ_k c_k · sgn⟨w_k, x⟩ ),   c_k the number of rounds that ended with the weights w_k

Freund and Schapire (1999). The averaged Perceptron is another rule: it takes the sign only once, of
Σ c_k·⟨w_k, x⟩. The vectors need not be kept: ⟨w_k, x⟩ = ⟨w_{k-1}, x⟩ ± ⟨x_k, x⟩ with x_k the row of
the k-th mistake.
"""

import math
from array import array
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, rows
from surelearn._jit.rows import Rows, SparseRows
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base import OnlineLinearClassifier, perceptron_certificates
from surelearn.bounds import Guarantee, mistakes
from surelearn.certificate import Certificate

_BLOCK = 2**22  # inner products held at once


@jit
def _learn_rows(
    X: Rows,
    signs: Vector,
    step: float,
    coef: Vector,
    bias: Vector,
    radius: Vector,
    scores: Vector,
    survived: Indices,
) -> None:
    """Score each row, then learn from it; count how long each weight vector of the run lives.

    `survived[0]` belongs to the weights from before, `survived[k]` to those of the k-th update.
    """
    k = 0
    for t in range(rows.count(X)):
        score, square = rows.dot_and_square(X, t, coef)
        scores[t] = score + bias[0]
        if signs[t] * scores[t] <= 0.0:  # a tie counts, or w = 0 would never move
            rows.add(X, t, signs[t], coef)
            bias[0] += step * signs[t]
            k += 1
        survived[k] += 1
        radius[0] = max(radius[0], square + step)


@jit
def _vote(
    products: Matrix, updates: Indices, survived: Indices, step: float, votes: Vector
) -> None:
    """Let all weight vectors vote on each row, given its products with the stored rows."""
    for i in range(len(votes)):
        score = 0.0
        votes[i] = 0.0
        for k in range(len(updates)):
            sign = np.sign(updates[k])
            score += sign * (products[i, abs(updates[k]) - 1] + step)
            votes[i] += survived[k] * np.sign(score)


class VotedPerceptron(OnlineLinearClassifier):
    """All weight vectors a Perceptron ever had, each voting as often as it survived a round.

    Its mistakes while learning are the Perceptron's, and so are their bounds: `learn` returns the
    scores of the running weights. `decision_function` returns the balance of the votes, from -1
    to 1; a vector that scores a row exactly 0 abstains. No statement about the risk of the vote is
    issued: rows that change nothing still lengthen a survival, so the vote is not determined by a
    few of them, as stable compression would need. Use a `Holdout`.

    The rows of the mistakes are stored, each once; predicting costs an inner product with each.

    Parameters
    ----------
    fit_intercept
        Learn a constant term, as if every row had one more feature equal to 1.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.

    Attributes
    ----------
    coef_, intercept_
        The running weights, a row per two-class problem, and their constant terms. They alone do
        not make the prediction.
    updates_, survived_
        For each problem the mistakes in order: +k if the k-th stored row was added, -k if it was
        subtracted; and how many rounds ended with the weights that this gave.
    stored_, n_stored_
        Blocks of rows on which a mistake was made, and how many rows they hold.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes of the running weights, over all two-class problems; rows visited; the sum of the
        0-1 losses.
    radius_
        The largest norm of a row seen, the constant feature included.

    Examples
    --------
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [-0.9, 0.4], [0.5, -1.0]], [1, 1, -1, -1]
    >>> model = VotedPerceptron(fit_intercept=False).fit(X, y)
    >>> model.survived_[0].tolist()
    [1, 7]
    >>> model.decision_function([[1.0, -3.0], [-3.0, 4.0]]).tolist()
    [-0.75, 0.75]
    """

    def __init__(self, *, fit_intercept: bool = True, max_iter: int = 10) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if in each two-class problem a unit vector has this `margin`."""
        check_is_fitted(self)
        # With C two-class problems the mistakes of all are at most C (R / margin)^2.
        radius = self.radius_ * math.sqrt(len(self.coef_))
        return mistakes.novikoff(radius=radius, margin=margin)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Novikoff's bound with the margin that the last weights achieve
        (if they separate the training rows), and the bound by the hinge loss of the best multiple
        of the last weights.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        check_is_fitted(self)
        _arguments.open_fraction("delta", delta)
        return tuple(perceptron_certificates(self)) if hasattr(self, "records_") else ()

    def decision_function(self, X: Any) -> Vector:
        """Return the balance of the votes on each row; with more than two classes, by class."""
        check_is_fitted(self)
        votes = self._votes(self._check_features(X))
        return votes.ravel() if len(self.classes_) == 2 else votes

    def predict_one(self, x: Mapping[str, float] | ArrayLike) -> Any:
        """Return the label predicted for one row, an array or a mapping from names to numbers."""
        check_is_fitted(self)
        return self._labels_of(self._votes(self._check_one(x)))[0]

    def _votes(self, X: Any) -> Matrix:
        """Return the balance of the votes, a column per problem."""
        votes = np.empty((len(self.coef_), X.shape[0]))
        stored = _together(self.stored_)
        for part in gen_batches(X.shape[0], max(1, _BLOCK // self.n_stored_)):
            products: Any = X[part] @ stored.T
            products = cast("Any", products).toarray() if sparse.issparse(products) else products
            for problem, (updates, survived) in enumerate(self._voters()):
                _vote(products, updates, survived, self.constant_, votes[problem, part])
        totals = [survived.sum() for _, survived in self._voters()]
        return votes.T / totals

    def _voters(self) -> list[tuple[Indices, Indices]]:
        """Return the updates and survivals of each problem as arrays, which share the memory."""
        return [
            (np.asarray(updates), np.asarray(survived))
            for updates, survived in zip(self.updates_, self.survived_, strict=True)
        ]

    def _start(self, n_features: int, n_problems: int) -> None:
        self.coef_, self.intercept_ = np.zeros((n_problems, n_features)), np.zeros(n_problems)
        self.updates_ = tuple(array("q") for _ in range(n_problems))
        self.survived_ = tuple(array("q") for _ in range(n_problems))
        self.stored_, self.n_stored_ = list[Any](), 0
        self.constant_, self.radius_ = float(self.fit_intercept), 0.0

    def _learn(self, X: Rows, signs: Vector, problem: int, scores: Vector) -> None:
        """Learn, and note each mistake by the place of its row in this block, counted from 1."""
        squared_radius, survived = np.array([self.radius_**2]), np.zeros(len(signs) + 1, np.int64)
        coef, bias = self.coef_[problem], self.intercept_[problem : problem + 1]
        _learn_rows(X, signs, self.constant_, coef, bias, squared_radius, scores, survived)
        wrong = np.flatnonzero(signs * scores <= 0.0)
        counts = self.survived_[problem]
        if counts:  # the first weights, 0, never survive a round
            counts[-1] += int(survived[0])
        counts.frombytes(survived[1 : len(wrong) + 1].tobytes())
        self.updates_[problem].frombytes((signs[wrong] * (wrong + 1)).astype(np.int64).tobytes())
        self.radius_ = max(self.radius_, math.sqrt(squared_radius[0]))

    def _learn_block(self, X: Rows, index: Indices) -> Vector:
        before = [len(updates) for updates in self.updates_]
        scores = super()._learn_block(X, index)
        self._store(X, before)
        return scores

    def _learn_row(self, row: Matrix, index: int) -> None:
        before = [len(updates) for updates in self.updates_]
        super()._learn_row(row, index)
        self._store(row, before)

    def _record_run(self, X: Any, index: Indices, counts: list[tuple[Indices, int]]) -> None:
        self._store(rows.of(X), [0] * len(counts))
        super()._record_run(X, index, counts)
        del self.compression_set_  # dropping other rows would change the survivals
        del self.training_errors_  # those of the last weights, not of the vote

    def _store(self, X: Rows, before: list[int]) -> None:
        """Keep the rows of this block that updates refer to, and let these refer to the store."""
        fresh = [updates[n:] for (updates, _), n in zip(self._voters(), before, strict=True)]
        used = np.unique(np.abs(np.concatenate(fresh)))
        for updates in fresh:
            place = np.searchsorted(used, np.abs(updates)) + self.n_stored_ + 1
            updates[:] = np.sign(updates) * place
        if len(used):
            block: Any = X
            if isinstance(X, SparseRows):
                shape = (rows.count(X), self.n_features_in_)
                block = sparse.csr_array((X.data, X.indices, X.indptr), shape=shape)
            self.stored_.append(block[used - 1])
            self.n_stored_ += len(used)


def _together(blocks: list[Any]) -> Any:
    """Return the stored rows as one matrix, sparse if any came so."""
    if any(sparse.issparse(block) for block in blocks):
        return sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")
    return np.concatenate(blocks)
