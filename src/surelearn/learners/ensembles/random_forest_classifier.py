"""Random forest: trees of bootstrap samples, each node asking one of a few columns drawn anew.

    h(x) = argmax_c  Σ_t  p_t(c | x)

Breiman, Machine Learning 45 (2001).
"""

from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Matrix
from surelearn.base import validation
from surelearn.base.fitting import adopt, at_one_moment, fresh_copy, learn_classes, row_weights
from surelearn.base.parted import PartedTable, refuse_targets
from surelearn.base.tables.table import Categorical, column_names
from surelearn.bounds import Guarantee, tails_of_sums
from surelearn.certificate import Certificate
from surelearn.learners.ensembles import _certificates, _forest_votes, _out_of_bag
from surelearn.learners.ensembles._forest.sample import Sample
from surelearn.learners.ensembles._forest_learner import ForestLearner, Per, Splitter
from surelearn.learners.ensembles._out_of_bag import OutOfBag
from surelearn.learners.ensembles._parted_forest import grow_parts
from surelearn.learners.ensembles._permutation import Importances, permuted

Voting = Literal["soft", "hard"]


@at_one_moment
@holds(
    classes_="classes",
    out_of_bag_=OutOfBag | None,
    correlation_of_losses_="maybe number?",
    oob_score_="maybe number",
    oob_decision_function_="maybe float[rows, classes]",
)
class RandomForestClassifier(ClassifierMixin, ForestLearner):
    """Many trees that vote, each grown from a bootstrap sample with few columns at each node.

    Trees are grown until their leaves are pure. Cells may be missing and columns may hold
    categories: missing cells go together to the side where they gain more. The vote is certified
    from the rows that a tree has not seen, without a hold-out.

    Parameters
    ----------
    n_estimators
        The number of trees.
    splitter
        "histogram": columns in at most `max_bins` bins, or a bin for each value in a table of up to
        4,096 rows. "exact": any midpoint, by sorted columns; much slower on large tables.
    criterion
        The impurity; other than "gini" with exact trees only.
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
        share, or None for as many as there are. Small bags certify more.
    oob_score
        Whether to keep the out-of-bag votes and their accuracy.
    class_weight
        The weight of each class, a mapping, "balanced", or "balanced_subsample", which counts the
        classes of each bag by itself; None for 1 each.
    voting
        "soft": the shares of the leaves are added. "hard": each tree has one vote.
    max_bins
        The largest number of bins of a column of numbers in a table of more than 4,096 rows.
    categorical_features
        The columns that hold categories: names, places or a mask, or "all"; None means text.
    n_jobs
        The number of threads; None for one per core. The result does not depend on it.
    random_state
        Where bags and columns come from.
    warm_start
        Whether `fit` adds trees to those that are there; it voids the certificates.

    Attributes
    ----------
    classes_
        The sorted labels.
    out_of_bag_
        How trees and pairs of trees did on rows that they have not seen.
    correlation_of_losses_
        The mean correlation of the losses of two trees, on the rows that neither has seen; None
        if on these no two differ from row to row.
    oob_score_, oob_decision_function_
        The accuracy of the out-of-bag votes, and the votes; NaN where every tree saw the row.
    feature_importances_, n_leaves_
        The share of each column in the decrease of impurity; the leaves of each tree.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> y = np.where(X[:, 0] + X[:, 1] > 0.0, "yes", "no")
    >>> model = RandomForestClassifier(n_estimators=50, oob_score=True).fit(X, y)
    >>> model.predict([[2.0, 1.0, 0.0, 0.0]]).tolist(), bool(model.oob_score_ > 0.9)
    (['yes'], True)
    >>> [certificate.status for certificate in model.certificates()]
    ['valid', 'void']
    """

    classes_: NDArray[Any]
    out_of_bag_: OutOfBag | None
    correlation_of_losses_: float | None
    oob_score_: float
    oob_decision_function_: Matrix

    def __init__(  # noqa: PLR0913 - users know these names
        self,
        n_estimators: int = 100,
        *,
        splitter: Splitter = "histogram",
        criterion: Any = "gini",
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        features: Per = "split",
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob_score: bool = False,
        class_weight: Any = None,
        voting: Voting = "soft",
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
        self.class_weight = class_weight
        self.voting = voting
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
            The label of each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there.
        """
        fresh = fresh_copy(self)
        if self.voting not in {"soft", "hard"}:
            raise ValueError(f"voting={self.voting!r} must be 'soft' or 'hard'")
        if isinstance(X, PartedTable):
            refuse_targets(y, sample_weight)
            _forest_votes.ask_tested(fresh, *grow_parts(fresh, self, X))
            return adopt(self, fresh)
        rows = fresh._enter(X)  # noqa: SLF001 - our own copy
        labels = learn_classes(fresh, cast("Any", y), n=len(rows))
        weights = self._weights(fresh, labels, sample_weight)
        sample, tests = fresh._learn(  # noqa: SLF001
            Sample(rows, labels, weights, len(fresh.classes_)),
            self if self.warm_start and hasattr(self, "trees_") else None,
        )
        _forest_votes.ask_outside(fresh, sample, tests)
        return adopt(self, fresh)

    def _weights(self, fresh: Self, labels: Indices, sample_weight: ArrayLike | None) -> Any:
        given = self.class_weight
        within = isinstance(given, str) and given == "balanced_subsample"
        return row_weights(
            sample_weight,
            class_weight=None if within else given,
            labels=fresh.classes_[labels],
            n=len(labels),
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with most votes; of equals, the first one."""
        check_is_fitted(self)
        return self.classes_[self._sums(X, _forest_votes.said(self)).argmax(axis=1)]

    def predict_proba(self, X: Any) -> Matrix:
        """Return the mean share of each class in the leaves of a row, or its share of the votes."""
        check_is_fitted(self)
        return self._sums(X, _forest_votes.said(self)) / self.trees_.n_trees

    def permutation_importances(
        self, X: Any, y: ArrayLike, *, n_repeats: int = 1, random_state: int = 0
    ) -> Importances:
        """Return by how much accuracy falls if a column is shuffled, on rows a tree has not seen.

        Parameters
        ----------
        X, y
            The training rows and their labels: each tree is asked about those outside its bag.
        n_repeats, random_state
            How often each column is shuffled, and from which seed.
        """
        rows = self._same_rows(X, len(_arguments.labels("y", y)))
        labels = validation.index_among(self.classes_, _arguments.labels("y", y))
        votes = self.trees_.leaves.argmax(axis=1)

        def loss(where: Any, reached: Any) -> float:
            return float(np.mean(labels[where] != votes[reached]))

        return permuted(
            self, rows, loss, column_names(self), n_repeats=n_repeats, random_state=random_state
        )

    def guarantee(self, *, voter_accuracy: float) -> Guarantee:
        """Bound the error of the vote if trees erred independently, which they do not.

        Parameters
        ----------
        voter_accuracy
            The probability with which each tree is right.
        """
        n_voters = self.n_estimators - 1 + self.n_estimators % 2
        return tails_of_sums.majority_vote_exact(
            n_voters=max(1, n_voters), voter_accuracy=voter_accuracy
        )

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State the risk of the vote by the rows that trees, and pairs of trees, have not seen.

        A second certificate says what independent voters of this accuracy would be worth; it is
        void, with the measured correlation of the trees' errors.

        Parameters
        ----------
        delta
            The probability with which the certificate may fail.
        """
        check_is_fitted(self)
        conduct = _certificates.Conduct(
            grown_on=self.n_fits_ > 1,
            unseen=_certificates.unseen_by_trees(
                class_weight=self.class_weight,
                weighted=self.weighted_,
                references=self.n_references_,
            ),
            soft=self.voting == "soft",
        )
        return _certificates.certificates_of(self, conduct, delta=delta)

    def _check_state(self) -> None:
        super()._check_state()
        leaves, record = self.trees_.leaves, self.out_of_bag_
        if not (leaves.min() >= 0.0 and leaves.max() <= 1.0):
            raise ValueError("the share of a class is outside [0, 1]")
        if record is not None and len(record.losses) != self.trees_.n_trees:
            raise ValueError("it has another number of trees than were tested")
        _out_of_bag.refuse_no_correlation(self)
        if np.abs(leaves.sum(axis=1) - 1.0).max() > 1e-6:
            raise ValueError("the shares of the classes at a leaf do not sum to 1")
