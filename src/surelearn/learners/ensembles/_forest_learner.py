"""What random forests share: bags, trees grown in parallel, the walk of rows through them."""

from typing import Any, Literal, cast

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _threads
from surelearn._jit import fingerprints
from surelearn._stored import holds
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.fitting import at_one_moment, warn
from surelearn.base.parameters import check_jobs
from surelearn.base.tables import table
from surelearn.learners.ensembles import _members, _out_of_bag
from surelearn.learners.ensembles._forest import forest_growth, walking
from surelearn.learners.ensembles._forest.packed_trees import (
    CATEGORIES,
    CHILD,
    COLUMN,
    COLUMN_MASK,
    PackedTrees,
    joined,
)
from surelearn.learners.ensembles._forest.sample import Sample, digest, hex_of
from surelearn.learners.ensembles._histogram import tables

Splitter = Literal["histogram", "exact"]
Per = Literal["split", "tree"]


@at_one_moment
@holds(
    n_features_in_="count",
    categories_="categories",
    trees_=PackedTrees,
    seed_="seed",
    n_training_rows_="count",
    training_digest_="text",
    n_references_="count",
    n_fits_="count",
    bags_="maybe text",
    weighted_="flag",
    training_rows_="maybe hash[kept]",
)
class ForestLearner(BaseEstimator):
    """A forest: trees grown from bags of rows, each node asking one of a few columns drawn anew.

    Attributes
    ----------
    trees_
        All trees.
    seed_
        The number from which the bag and the columns of each tree follow.
    n_references_
        The number of rows, drawn beforehand, that decided where bins end.
    n_fits_
        How often it was fitted without forgetting its trees; more than once with `warm_start`.
    bags_
        How many rows were drawn for each tree, and how.
    """

    n_estimators: int
    splitter: Splitter
    criterion: Any
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    max_features: Any
    features: Per
    bootstrap: bool
    oob_score: bool
    max_samples: Any
    max_bins: int
    categorical_features: table.Categorical
    n_jobs: int | None
    random_state: Any
    warm_start: bool
    trees_: PackedTrees
    categories_: table.Categories
    n_features_in_: int
    n_training_rows_: int
    n_references_: int
    n_fits_: int
    seed_: int

    @property
    def feature_importances_(self) -> Vector:
        """The share of each column in the decrease of impurity, averaged over the trees.

        It is measured on the training rows, so it favours columns with many values;
        `permutation_importances` does not.
        """
        check_is_fitted(self)
        mean = self.trees_.importances.mean(axis=0)
        return mean / (mean.sum() or 1.0)

    @property
    def n_leaves_(self) -> Indices:
        """The number of leaves of each tree."""
        check_is_fitted(self)
        return self.trees_.n_leaves

    def apply(self, X: Any) -> Indices:
        """Return the leaf of each row in each tree, a place among the leaves of all trees."""
        check_is_fitted(self)
        rows = self._read(X)
        found = np.empty((rows.shape[0], self.trees_.n_trees), dtype=np.int64)

        def work(chunk: slice) -> None:
            ready = self._ready(rows[chunk])
            for tree in range(self.trees_.n_trees):
                found[chunk, tree] = walking.leaves_of(self.trees_, tree, ready)

        _threads.run_chunks(work, rows.shape[0], self.n_jobs, walking.ROWS)
        return found

    def _read(self, X: Any) -> Any:
        """Return the rows of a table that came for prediction, dense or CSR."""
        check_is_fitted(self)
        check_jobs(self)
        self._refuse_misfits()
        return tables.read_rows(self, X)

    def _ready(self, rows: Any) -> Matrix:
        dense = cast("Any", rows).toarray() if sparse.issparse(rows) else rows
        return walking.ready(dense, table.n_categories(self.categories_))

    def _sums(self, X: Any, said: Matrix) -> Matrix:
        """Return for each row the sum over the trees of what its leaf says in a table of leaves."""
        rows = self._read(X)
        sums = np.zeros((rows.shape[0], said.shape[1]))

        def work(chunk: slice) -> None:
            walking.add_all(self.trees_, self._ready(rows[chunk]), said, sums[chunk])

        _threads.run_chunks(work, rows.shape[0], self.n_jobs, walking.ROWS)
        return sums

    def _enter(self, X: Any) -> Matrix:
        """Return the rows of a training table."""
        rows = tables.learn_rows(self, X, categorical=self.categorical_features)
        return cast("Any", rows).toarray() if sparse.issparse(rows) else rows

    def _learn(self, sample: Sample, before: Any) -> tuple[Sample, forest_growth.Tests]:
        """Grow the trees, those that are not there already.

        Return the rows that have weight, and which of them test which trees: all if the out-of-bag
        score is asked for, else those of certificates.
        """
        forest_growth.check_parameters(self)
        self.weighted_ = bool((sample.weights != 1.0).any())
        there = sample.weights > 0.0
        if not there.all():
            sample = Sample(
                sample.X[there], sample.targets[there], sample.weights[there], sample.n_classes
            )
        self.n_training_rows_ = len(sample.X)
        hashes = fingerprints.table_hashes(sample.X)
        self.training_digest_ = digest(hashes, sample)
        self.bags_ = self._bags()
        self.seed_, n_before, self.n_fits_ = self._begin(before)
        n_categories = table.n_categories(self.categories_)
        references = forest_growth.references_of(self)
        self.n_references_ = 0 if references is None else len(references)
        tests = self._plan_tests(n_before)
        with _threads.workers(_members.n_threads(self.n_jobs)) as crew:
            trees = forest_growth.grow(self, sample, n_categories, tests, crew)
        if before is not None:
            trees = before.trees_ if trees is None else joined(before.trees_, trees)
        self.trees_ = cast("PackedTrees", trees)
        if not n_categories.any():
            self.training_rows_ = fingerprints.sketch(hashes)
        return sample, tests

    def _plan_tests(self, n_before: int) -> forest_growth.Tests:
        """Return which rows will test trees, marked for those that are there already."""
        rows = np.arange(self.n_training_rows_) if self.oob_score else self._tested()
        rows = rows[: None if self._leaves_rows_out() else 0]
        outside = np.zeros((int(self.n_estimators), len(rows)), dtype=np.bool_)
        outside[:n_before] = self._outside(rows, n_before)
        return forest_growth.Tests(n_before, rows, outside)

    def _begin(self, before: Any) -> tuple[int, int, int]:
        """Return the seed, the trees that are there already, and how often some were added."""
        if before is None:
            return _members.seed_of(self.random_state), 0, 1
        n_before = before.trees_.n_trees
        if self.training_digest_ != before.training_digest_:
            raise ValueError(
                "warm_start adds trees to a forest of the same rows, targets and weights, and "
                "these are others: set warm_start=False to begin anew"
            )
        _members.refuse_other_bags(before, self.bags_)
        if self.n_estimators < n_before:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {n_before} trees that "
                "warm_start keeps: raise it, or set warm_start=False"
            )
        if self.n_estimators == n_before:
            warn("n_estimators is as before: warm_start adds no tree")
        return before.seed_, n_before, before.n_fits_ + 1

    def _bags(self) -> str:
        """Return what, beside the seed, decides which rows a tree has seen."""
        size = _members.count_of("max_samples", self.max_samples, self.n_training_rows_)
        return f"{size} rows, bootstrap={bool(self.bootstrap)}, splitter={self.splitter!r}"

    def _same_rows(self, X: Any, n_targets: int) -> Matrix:
        """Return the training rows, given again; refuse others, as far as these are told apart."""
        rows = self._read(X)
        rows = cast("Any", rows).toarray() if sparse.issparse(rows) else rows
        hashes = fingerprints.table_hashes(rows)
        if (
            len(rows) != self.n_training_rows_
            or n_targets != len(rows)
            or not self.training_digest_.startswith(hex_of(hashes))
        ):
            raise ValueError(
                "these are not the rows this forest was fitted to, which its trees' bags are drawn "
                "from; give the training rows, without those of weight 0"
            )
        _members.refuse_other_bags(self, self._bags())
        return rows

    def _outside(self, tested: Indices, n_trees: int) -> Mask:
        """Return which of some rows are outside the bag of each of the first trees, drawn again."""
        n = self.n_training_rows_
        size = _members.count_of("max_samples", self.max_samples, n)
        outside = np.empty((n_trees, len(tested)), dtype=np.bool_)
        for tree, absent in enumerate(outside):
            bag = _members.draw_bag(self.seed_, tree, n, size, bootstrap=self.bootstrap)
            _members.mark_outside(bag, n, tested, absent)
        return outside

    def _leaves_rows_out(self) -> bool:
        """Return whether there are rows outside the bags."""
        n = self.n_training_rows_
        return self.bootstrap or _members.count_of("max_samples", self.max_samples, n) < n

    def _tested(self) -> Indices:
        """Return the rows that may test trees for certificates."""
        n, references = self.n_training_rows_, forest_growth.references_of(self)
        return _out_of_bag.rows_for_tests(self.seed_, n, references)

    def _outside_leaves(self, X: Matrix, outside: Mask) -> list[tuple[Indices, Indices]]:
        """Return for each tree the rows outside its bag, and the leaf that each reaches."""
        ready = self._ready(X)
        found: list[Any] = [None] * len(outside)

        def work(chunk: slice) -> None:
            for tree in range(chunk.start, chunk.stop):
                where = np.flatnonzero(outside[tree])
                found[tree] = where, walking.leaves_of(self.trees_, tree, ready[where])

        _threads.run_chunks(work, len(outside), self.n_jobs, 4)
        return found

    def _check_state(self) -> None:
        """Refuse trees, as a forged model file may hold them, that ask for cells not there."""
        self._refuse_misfits()
        trees, n_categories = self.trees_, table.n_categories(self.categories_)
        words = trees.words[:, 1]
        inner = (words >> CHILD) != np.arange(len(words))
        column = ((words >> COLUMN) & COLUMN_MASK)[inner]
        asks_set = (words[inner] & CATEGORIES) != 0
        if not np.array_equal(asks_set, n_categories[column] > 0):
            raise ValueError("it asks a column of numbers for categories, or the other way round")

    def _refuse_misfits(self) -> None:
        """Refuse trees of other columns, categories or outcomes, of a forged file or set by hand.

        It takes no longer for many nodes: it is asked before every walk.
        """
        trees, n_categories = self.trees_, table.n_categories(self.categories_)
        refuse_unlike_declared(trees)
        if not trees.importances.shape[1] == len(n_categories) == self.n_features_in_ > 0:
            raise ValueError("its trees are not of its columns")
        if n_categories.any() and trees.route_width * 64 <= n_categories.max():
            raise ValueError("its sets of categories are too small")
        if not n_categories.any() and trees.route_width != 0:
            raise ValueError("it has sets of categories, and its table has none")
        n_outcomes = len(cast("Any", self).classes_) if hasattr(self, "classes_") else 1
        if trees.leaves.shape[1] != n_outcomes:
            raise ValueError(f"its leaves have {trees.leaves.shape[1]} values, not {n_outcomes}")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be missing or hold categories, and rows be sparse."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags
