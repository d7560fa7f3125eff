"""Random forest for numbers: the mean of trees of bootstrap samples, few columns at each node.

    h(x) = (1/T) Σ_t h_t(x),   Var h = σ² (ρ + (1 − ρ)/T)

where ρ is the correlation of two trees. Breiman, Machine Learning 45 (2001).
"""

from typing import Any, Self, cast

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Mask, Vector
from surelearn.base.fitting import adopt, at_one_moment, check_numbers, fresh_copy, row_weights
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.tables.table import Categorical, column_names
from surelearn.bounds import Guarantee, votes
from surelearn.learners.ensembles._forest.sample import Sample
from surelearn.learners.ensembles._forest_learner import ForestLearner, Per, Splitter
from surelearn.learners.ensembles._parted_forest import grow_parts
from surelearn.learners.ensembles._permutation import Importances, permuted


@at_one_moment
@holds(
    oob_score_="maybe number",
    oob_prediction_="maybe float[rows]",
)
class RandomForestRegressor(RegressorMixin, ForestLearner):
    """The mean of many trees, each grown from a bootstrap sample with few columns at each node.

    Cells may be missing and columns may hold categories. What it predicts is certified by a
    hold-out; the rows outside the bags estimate its error (`oob_score`).

    Parameters
    ----------
    n_estimators
        The number of trees.
    splitter
        "histogram": columns in at most `max_bins` bins, or a bin for each value in a table of up to
        4,096 rows. "exact": any midpoint, by sorted columns; much slower on large tables.
    criterion
        "squared_error"; "absolute_error" with exact trees only.
    max_depth, min_samples_split, min_samples_leaf
        The largest number of questions on a path, and the least number of rows of a node that is
        split, and of its children. A row counts once, however often it was drawn.
    min_weight_fraction_leaf
        The least share of the weight of its bag that each child must have.
    max_features
        How many columns are drawn: "sqrt", "log2", a number, a share, or None for all. More are
        looked at while none divides the node.
    features
        Whether they are drawn for each "split", or once for each "tree".
    bootstrap, max_samples
        Whether the rows of a tree are drawn with replacement, and how many are drawn: a number, a
        share, or None for as many as there are.
    oob_score
        Whether to keep the out-of-bag predictions and their coefficient of determination.
    max_bins
        The largest number of bins of a column of numbers in a table of more than 4,096 rows.
    categorical_features
        The columns that hold categories: names, places or a mask, or "all"; None means text.
    n_jobs
        The number of threads; None for one per core. The result does not depend on it.
    random_state
        Where bags and columns come from.
    warm_start
        Whether `fit` adds trees to those that are there.

    Attributes
    ----------
    oob_score_, oob_prediction_
        The coefficient of determination of the out-of-bag predictions, and these; NaN where every
        tree saw the row.
    feature_importances_, n_leaves_
        The share of each column in the decrease of the squared error; the leaves of each tree.

    Examples
    --------
    >>> X = np.random.default_rng(0).uniform(size=(300, 3))
    >>> model = RandomForestRegressor(n_estimators=50, oob_score=True).fit(X, 10.0 * X[:, 0])
    >>> round(float(model.predict([[0.5, 0.5, 0.5]])[0])), bool(model.oob_score_ > 0.9)
    (5, True)
    """

    oob_score_: float
    oob_prediction_: Vector

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        n_estimators: int = 100,
        *,
        splitter: Splitter = "histogram",
        criterion: Any = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1 / 3,
        features: Per = "split",
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        max_bins: int = 255,
        categorical_features: Categorical = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.splitter = splitter
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.features = features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X
            A table: an array, a data frame or a sparse matrix; cells may be missing. Or its parts,
            for the same trees: see `surelearn.scale.parts`. Then each tree is grown in one process
            from the rows of its bag: of a huge table let `max_samples` draw some.
        y
            The number to predict in each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            grow_parts(fresh, self, X)
            return adopt(self, fresh)
        rows = fresh._enter(X)  # noqa: SLF001 - our own copy
        targets = check_numbers(cast("Any", y), n=len(rows))
        sample, tests = fresh._learn(  # noqa: SLF001
            Sample(rows, targets, row_weights(sample_weight, n=len(rows)), 0),
            self if self.warm_start and hasattr(self, "trees_") else None,
        )
        if self.oob_score:
            fresh._ask_outside(sample, tests.outside)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return the mean of what the trees predict."""
        check_is_fitted(self)
        return self._sums(X, self.trees_.leaves)[:, 0] / self.trees_.n_trees

    def permutation_importances(
        self, X: Any, y: ArrayLike, *, n_repeats: int = 1, random_state: int = 0
    ) -> Importances:
        """Return by how much the squared error rises if a column is shuffled, on unseen rows.

        Parameters
        ----------
        X, y
            The training rows and their targets: each tree is asked about those outside its bag.
        n_repeats, random_state
            How often each column is shuffled, and from which seed.
        """
        rows = self._same_rows(X, len(_arguments.labels("y", y)))
        targets, leaves = check_numbers(y, n=len(rows)), self.trees_.leaves[:, 0]

        def loss(where: Any, reached: Any) -> float:
            return float(np.mean((targets[where] - leaves[reached]) ** 2))

        return permuted(
            self, rows, loss, column_names(self), n_repeats=n_repeats, random_state=random_state
        )

    def guarantee(self, *, variance: float, correlation: float) -> Guarantee:
        """Give the variance of the mean of as many trees.

        Parameters
        ----------
        variance, correlation
            The variance of what one tree predicts, and the correlation of two trees, over draws of
            the training rows and of the bags.
        """
        return votes.average_variance(
            variance=variance, correlation=correlation, n_members=self.n_estimators
        )

    def _ask_outside(self, sample: Sample, outside: Mask) -> None:
        """Set the out-of-bag predictions and their coefficient of determination."""
        targets = sample.targets
        if not self._leaves_rows_out():
            raise ValueError(
                "oob_score=True needs rows outside the bags: set bootstrap=True, or max_samples "
                "below the number of rows"
            )
        sums, leaves = np.zeros(len(targets)), self.trees_.leaves[:, 0]
        for where, reached in self._outside_leaves(sample.X, outside):
            sums[where] += leaves[reached]
        n_trees = outside.sum(axis=0)
        asked = n_trees > 0
        self.oob_prediction_ = np.full(len(targets), np.nan)
        self.oob_prediction_[asked] = sums[asked] / n_trees[asked]
        lost = float(np.sum((targets[asked] - self.oob_prediction_[asked]) ** 2))
        spread = (
            float(np.sum((targets[asked] - targets[asked].mean()) ** 2)) if asked.any() else 0.0
        )
        self.oob_score_ = 1.0 - lost / spread if spread > 0.0 else float("nan")
