"""What a classification tree can state of its risk from its training rows alone.

How the cut points are found decides which theorem of `surelearn.bounds.trees` is used, before the
data are seen: on a grid given to the learner `grid_occam`, at values of training rows
`compression_hybrid`, anywhere else `threshold_growth`.
"""

import copy
import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import validation
from surelearn.base.classifier import risk_certificate
from surelearn.base.tables import table
from surelearn.bounds import Guarantee, trees
from surelearn.certificate import Certificate, Status
from surelearn.learners.trees import _arrivals
from surelearn.learners.trees import _walk as compiled
from surelearn.learners.trees._code import Grid, TreeCode
from surelearn.learners.trees._pruning.pruning import TreePruning
from surelearn.learners.trees._pruning.snapping import snapped
from surelearn.learners.trees._pruning.structural_risk import Fronts, Prices
from surelearn.learners.trees._tree import Tree

NO_DEFAULTS, NAMED_DEFAULTS = math.log2(16 / 15), 4.0
"""The bits that say whether the code names the branches of rows without an answer."""


class TreeCertificates(TreePruning):
    """The certificates of a classification tree, and the pruning that makes them small.

    A learner calls `_remember` at the end of `fit`; one whose numeric cut points come from a grid
    given to its constructor says so in `_grid`.

    Attributes
    ----------
    n_training_rows_
        The number of training rows.
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

    tree_: Tree
    categories_: table.Categories
    classes_: NDArray[Any]
    n_training_rows_: int
    training_errors_: int
    correct_: Indices
    missing_: Mask
    rare_: Mask
    named_: Indices | None

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the tree by its training errors and the length of its description.

        It holds for every law and however the tree was grown, pruned or tuned on the same rows.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        check_is_fitted(self)
        lengths = self._code().lengths(self.tree_)
        bits = self._preamble() + lengths.bits(self.tree_)
        guarantee = self._risk_bound(
            self._certified_errors(), bits, int(lengths.cut.sum()), delta=delta
        )
        return (risk_certificate(self, guarantee, self._statuses(guarantee)),)

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
        rows = table.read_table(self, X)
        labels = validation.index_among(self.classes_, np.asarray(y))
        moved = copy.copy(self)
        moved.tree_, moved.named_ = snapped(self.tree_, rows)
        if (
            len(labels) != len(rows)
            or len(rows) != self.n_training_rows_
            or not np.array_equal(_arrivals.count_correct(moved.tree_, rows, labels), self.correct_)
        ):
            raise ValueError(
                "these are not the rows this tree was fitted to; snap it to its training rows"
            )
        return moved

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
        lengths, preamble = self._code().lengths(self.tree_), self._preamble()
        cuts = lengths.cut.astype(np.int64)
        prices = Prices(lengths.leaf, lengths.split, cuts, self._cut_price())

        def bound(errors: int, bits: float, n_cuts: int) -> float:
            return self._risk_bound(errors, preamble + bits, n_cuts, delta=delta).bound

        _, closed = Fronts(self.tree_, self.correct_, prices).best(self.n_training_rows_, bound)
        return self._pruned(closed)

    def _grid(self) -> Grid:
        """Return the cut points of each feature that were fixed beforehand, None if none were."""
        return None

    def _remember(self, X: Matrix, labels: Indices, weights: Vector) -> None:
        """Keep what certificates need to know of the training rows, weightless ones included."""
        tree, n = self.tree_, len(X)
        self.n_training_rows_, self.named_ = n, None
        self.missing_ = np.isnan(X.min(axis=0))
        self.rare_ = table.columns_with_rare_categories(X, self.categories_)
        if self.missing_.any() or not (weights == 1.0).all():
            self.correct_ = _arrivals.count_correct(tree, X, labels)
        else:
            self.correct_ = tree.value.max(axis=1).astype(np.int64)
        self.training_errors_ = self._certified_errors()
        if self.missing_.any() and tree.spreads:
            shares = np.zeros((n, len(self.classes_)))
            compiled.spread_rows(X, tree.questions(), tree.shares(), shares)
            self.training_errors_ = int(np.count_nonzero(shares.argmax(axis=1) != labels))

    def _certified_errors(self) -> int:
        """Return the training errors; a row that is divided among leaves counts as one."""
        return self.n_training_rows_ - int(self.correct_[self.tree_.is_leaf].sum())

    def _code(self) -> TreeCode:
        """Return the code that describes the tree."""
        return TreeCode(
            n_categories=table.n_categories(self.categories_),
            n_classes=len(self.classes_),
            multiway=self.tree_.spreads,
            defaults=self._named_defaults(),
            grid=self._grid(),
        )

    def _named_defaults(self) -> bool:
        """Return whether the code names the branch of rows without an answer."""
        return bool(self.missing_.any()) and not self.tree_.spreads

    def _preamble(self) -> float:
        """Return the bits in front of the tree, which say whether default branches are named.

        If not, a row without an answer counts as an error, and a tree that divides such rows has
        no default branch to name.
        """
        if self.tree_.spreads:
            return 0.0
        return NAMED_DEFAULTS if self.missing_.any() else NO_DEFAULTS

    def _risk_bound(self, errors: int, bits: float, cuts: int, *, delta: float) -> Guarantee:
        """Return the bound that fits how this learner finds its cut points."""
        n = self.n_training_rows_
        if self._grid() is not None or all(known is not None for known in self.categories_):
            return trees.grid_occam(errors=errors, n=n, bits=bits, delta=delta)
        if self.named_ is None:
            return trees.threshold_growth(
                errors=errors, n=n, structure_bits=bits, n_numeric_splits=cuts, delta=delta
            )
        named = min(cuts, len(np.unique(self.named_[self.named_ >= 0])))
        return trees.compression_hybrid(
            errors_outside=min(errors, n - named),
            n=n,
            n_named=named,
            structure_bits=bits,
            n_numeric_splits=cuts,
            delta=delta,
        )

    def _cut_price(self) -> float:
        """Return about how many bits a learnt cut point is worth in the bound."""
        if self._grid() is not None:
            return 0.0
        return math.log2(self.n_training_rows_ * (1.2 if self.named_ is None else 1.0))

    def _keep(self, kept: Indices) -> None:
        """Take over what is known of the nodes that were kept."""
        self.correct_ = self.correct_[kept]
        self.training_errors_ = self._certified_errors()
        if self.named_ is not None:
            self.named_ = np.where(self.tree_.is_leaf, -1, self.named_[kept])

    def _statuses(self, guarantee: Guarantee) -> list[tuple[Status, str]]:
        """Return what is known of each assumption of the theorem, in its order."""
        words = [
            name
            for name, known in zip(table.column_names(self), self.categories_, strict=True)
            if known is not None
        ]
        schema = "that the columns and classes were not chosen by looking at these rows"
        if words:
            schema += f"; the categories of {', '.join(words)} were read off these rows"
        statuses: list[tuple[Status, str]] = [
            ("assumed", "cannot be verified from the data"),
            self._schema_status(schema),
        ]
        if self.named_ is not None:
            statuses.append(("checked", "each cut is the value of the training row it names"))
        elif len(guarantee.assumes) > 2:
            statuses.append(self._grid_status())
        return statuses

    def _schema_status(self, schema: str) -> tuple[Status, str]:
        """Say whether the categories can have been known: one seen once tells of others unseen."""
        asked = np.unique(self.tree_.feature[~self.tree_.is_leaf])
        open_ended = [table.column_names(self)[place] for place in asked if self.rare_[place]]
        if open_ended:
            return "violated", (
                f"column {open_ended[0]!r} has categories that a single training row has, so there "
                "are likely others: the schema was not known beforehand"
            )
        return "assumed", schema

    def _grid_status(self) -> tuple[Status, str]:
        grid, tree = self._grid(), self.tree_
        if grid is None:
            return (
                "assumed",
                "no column is numeric: no cut point; the code is the schema's",
            )
        for node in np.flatnonzero(~np.isnan(tree.threshold)):
            if tree.threshold[node] not in grid[tree.feature[node]]:
                return "violated", f"{tree.threshold[node]:g} is a cut point outside the grid"
        return "assumed", "the grid was given to the constructor; every cut point is on it"
