"""What classification trees share: leaves that hold classes, and certificates of the risk."""

import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import fingerprints
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask, Matrix
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes, row_weights
from surelearn.base.row_identity import count_distinct
from surelearn.base.seal import refuse_changed, sealed
from surelearn.base.tables import table
from surelearn.certificate import Certificate
from surelearn.learners.trees import _arrivals, _certificates
from surelearn.learners.trees._code import Grid
from surelearn.learners.trees._estimator import TreeLearner
from surelearn.learners.trees._pruning.snapping import snapped


@at_one_moment
@holds(
    classes_="classes",
    n_training_rows_="count",
    n_distinct_rows_="maybe count",
    training_errors_="count",
    correct_="int[nodes]",
    missing_="bool[features]",
    rare_="bool[features]",
    named_="int[nodes]?",
)
class TreeClassifier(ClassifierMixin, TreeLearner):
    """A tree whose leaves hold the weight of each class; it also stores `class_weight`.

    One whose numeric cut points come from a grid given to its constructor keeps it in `grid_`.

    Attributes
    ----------
    classes_
        The sorted labels.
    grid_
        The cut points of each feature that were fixed beforehand, None if none were.
    n_training_rows_
        The number of training rows.
    n_distinct_rows_
        How many of them are different, whatever they weigh.
    training_errors_
        How many of them the tree gets wrong. After pruning, a row that is divided among leaves
        counts as wrong.
    correct_
        For each node the training rows that arrive there whole and have its label.
    missing_
        The columns in which a training cell was missing.
    rare_
        The columns of categories with one that a single training row has.
    named_
        For each node the training row whose value is its cut point, if `snap` put it there.

    Examples
    --------
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> X = np.arange(100.0)[:, np.newaxis]
    >>> model = CARTClassifier().fit(X, X[:, 0] > 40.0)
    >>> [certificate] = model.certificates()
    >>> print(certificate.claim)
    With confidence 95%, this model errs on at most 13.84% of new examples from the law of the
    training examples.
    >>> model.snap(X, X[:, 0] > 40.0).certificates()[0].bound < certificate.bound
    True
    """

    class_weight: Any
    classes_: NDArray[Any]
    grid_: Grid = None
    n_training_rows_: int
    n_distinct_rows_: int
    training_errors_: int
    correct_: Indices
    missing_: Mask
    rare_: Mask
    named_: Indices | None

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X
            A table: an array or a data frame; cells may be missing, columns may hold categories.
        y
            The label of each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        rows = table.learn_table(
            fresh, X, categorical=self.categorical_features, most_categories=self.most_categories
        )
        labels = learn_classes(fresh, y, n=len(rows))
        weights = row_weights(
            sample_weight,
            class_weight=self.class_weight,
            labels=fresh.classes_[labels],
            n=len(rows),
        )
        fresh._learn(rows, labels, weights, n_classes=len(fresh.classes_))  # noqa: SLF001 - our copy
        kept = _certificates.recollect(fresh.tree_, rows, labels, weights, fresh.categories_)
        fresh.n_training_rows_, fresh.named_ = len(rows), None
        fresh.n_distinct_rows_ = count_distinct(fingerprints.table_hashes(rows))
        fresh.training_errors_, fresh.correct_, fresh.missing_, fresh.rare_ = kept
        return adopt(self, fresh)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the heaviest class of each row's leaf; of equals, the first one."""
        rows, tree = self._read(X), self.tree_
        if tree.spreads or len(rows) < tree.n_nodes:
            return self.classes_[self._outcomes(rows, tree.shares()).argmax(axis=1)]
        # There are fewer nodes than rows: each finds its class once.
        return self.classes_[tree.shares().argmax(axis=1)][self._leaves(rows)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the share of each class in each row's leaf."""
        rows = self._read(X)
        return self._outcomes(rows, self.tree_.shares())

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the tree by its training errors and the length of its description.

        It holds for every law and however the tree was grown, pruned or tuned on the same rows.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        return (_certificates.certify_risk(self, delta=delta),)

    def snap(self, X: Any, y: ArrayLike) -> Self:
        """Return a copy whose every cut point is the value of a training row.

        Each numeric cut moves down to the largest value of its feature among the training rows that
        arrive at the node and go to the first child. No training row changes its way; the copy is
        certified as a compression of the sample, which usually proves more than `certificates` of
        a tree with midpoints. Decide beforehand which of the two to deploy.

        Parameters
        ----------
        X, y
            The training rows and their labels.
        """
        check_is_fitted(self)
        refuse_changed(self)
        rows = table.read_table(self, X)
        labels = validation.index_among(self.classes_, _arguments.labels("y", y))
        moved = copy.copy(self)
        moved.tree_, moved.named_ = snapped(self.tree_, rows)
        if (
            len(labels) != len(rows)
            or len(rows) != self.n_training_rows_
            or not np.array_equal(_arrivals.count_correct(moved.tree_, rows, labels), self.correct_)
            or not self._knows_all_of(rows)
        ):
            raise ValueError(
                "these are not the rows this tree was fitted to; snap it to its training rows"
            )
        return sealed(moved)

    def _knows_all_of(self, rows: Matrix) -> bool:
        """Return whether all that is remembered of the training rows is found in these."""
        kept = getattr(self, "training_rows_", None)
        return kept is None or bool(np.isin(kept, fingerprints.table_hashes(rows)).all())

    def prune_structural_risk(self, *, delta: float = 0.05) -> Self:
        """Return the subtree whose certificate is smallest: structural risk minimisation.

        The certificate pays for the description of the tree, so the choice costs nothing more. It
        is the best of all subtrees when every column is numeric or every one is categorical or cut
        points are on a grid; otherwise a cut point is priced at log2(1.2 n) bits.

        Parameters
        ----------
        delta
            The probability with which the certificate may fail.
        """
        check_is_fitted(self)
        refuse_changed(self)
        return self._pruned(_certificates.close_for_least_bound(self, delta=delta))

    def _check_state(self) -> None:
        super()._check_state()
        n, n_nodes = self.n_training_rows_, self.tree_.n_nodes
        if not 0 <= self.training_errors_ <= n or len(self.correct_) != n_nodes or n < 1:
            raise ValueError("its errors or its counts are not those of its rows and nodes")
        _arguments.places("correct_", self.correct_, n + 1)
        if self.tree_.n_rows[0] > n:
            raise ValueError("its tree was grown from more rows")
        if self.correct_[self.tree_.is_leaf].sum() > n:
            raise ValueError("more training rows are right than there are")
        if self.named_ is not None:
            _arguments.places("named_", self.named_, n, least=-1)

    def _keep(self, kept: Indices) -> None:
        """Take over what is known of the nodes that were kept."""
        self.correct_ = self.correct_[kept]
        self.training_errors_ = _certificates.certified_errors(
            self.tree_, self.correct_, self.n_training_rows_
        )
        if self.named_ is not None:
            self.named_ = np.where(self.tree_.is_leaf, -1, self.named_[kept])
