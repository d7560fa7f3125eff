"""What gradient boosting of numbers and of classes share: tables, rounds, predictions."""

from collections.abc import Iterator
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments, _threads
from surelearn._jit import fingerprints, rows
from surelearn._stored import holds
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.fitting import at_one_moment
from surelearn.base.parameters import check_jobs
from surelearn.base.tables import table
from surelearn.learners.ensembles import _boosting_settings as settings
from surelearn.learners.ensembles._additive_effects import Effect, effects_of
from surelearn.learners.ensembles._boosting_losses import Descent
from surelearn.learners.ensembles._boosting_run import Examples, Plan, Rounds, boost
from surelearn.learners.ensembles._histogram import predictor, tables
from surelearn.learners.ensembles._histogram.bin_learning import learn_bins
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.training import MOST_ROWS
from surelearn.learners.ensembles._histogram.trees import HistogramTrees, joined, no_trees
from surelearn.learners.ensembles._members import n_threads
from surelearn.learners.ensembles._monotone import signs_of


@at_one_moment
@holds(
    categories_="categories",
    bins_=Bins,
    trees_=HistogramTrees,
    baseline_="finite[outputs]",
    validation_losses_="finite[losses]?",
    n_training_rows_="count",
    training_rows_="maybe hash[kept]",
)
class GradientBoosting(BaseEstimator):
    """A sum of trees, each of which follows the negative gradient of a loss.

    A learner defines `_descent()`, how its loss is descended, and stores the parameters that
    `surelearn.learners.ensembles._boosting_settings` reads.
    """

    categorical_features: table.Categorical
    n_estimators: int
    warm_start: bool
    n_jobs: int | None
    max_bins: int
    monotonic_cst: Any
    early_stopping: bool
    random_state: Any
    categories_: table.Categories
    bins_: Bins
    trees_: HistogramTrees
    baseline_: Vector
    validation_losses_: Vector | None
    n_training_rows_: int
    n_features_in_: int

    @property
    def n_estimators_(self) -> int:
        """The number of rounds that were kept."""
        check_is_fitted(self)
        return self.trees_.n_trees // len(self.baseline_)

    @property
    def feature_importances_(self) -> Vector:
        """The share of each feature in the gains of all questions; it sums to 1.

        It is measured on the training rows, so it favours features with many values; scikit-learn's
        `permutation_importance` on other rows does not.
        """
        check_is_fitted(self)
        self._refuse_misfits()
        return self.trees_.importances(self.n_features_in_)

    def effects(self) -> list[Effect]:
        """Return the curves, and surfaces of pairs, whose sum the model is.

        It needs `interactions=1` or `2`: then each tree asks about one feature or two, and trees
        that ask about the same ones add up to a table over their bins. The scores of a row are the
        sum of one entry of each and of `baseline_`.
        """
        check_is_fitted(self)
        self._refuse_misfits()
        return effects_of(self.trees_, self.bins_, len(self.baseline_), self.categories_)

    def _enter(self, fitted: Self, X: Any) -> Any:
        """Return the rows of a training table; a warm start reads them as the fit before did."""
        if not _goes_on(fitted):
            return tables.learn_rows(self, X, categorical=self.categorical_features)
        for name in ("categories_", "n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return tables.read_rows(self, X)

    def _learn(self, fitted: Self, X: Any, y: Vector, weights: Vector, *, strata: Any) -> None:
        """Grow the trees, after those of the fit before if it is a warm start."""
        settings.check(self)
        if X.shape[0] > MOST_ROWS:
            raise ValueError(f"{X.shape[0]} rows are more than {MOST_ROWS}: take a sample of them")
        self.n_training_rows_ = X.shape[0]
        self._remember(fitted, X)
        there = weights > 0.0
        if not there.all():
            X, y, weights = X[there], y[there], weights[there]
            strata = None if strata is None else strata[there]
        del there  # memory that trees can use
        draws = check_random_state(self.random_state)
        held = settings.validation_rows(self, len(y), strata, draws)
        with _threads.workers(n_threads(self.n_jobs)) as crew:
            self._boost(fitted, X, y, weights, held, int(draws.randint(2**31 - 1)), crew)

    def _remember(self, fitted: Self, X: Any) -> None:
        """Keep a sketch of the rows, and of those that trees of the fit before have seen."""
        if any(known is not None for known in self.categories_):
            return  # rows of categories coincide by chance
        kept = fingerprints.sketch(_hashes(X))
        if not _goes_on(fitted):
            self.training_rows_ = kept
        elif (before := getattr(fitted, "training_rows_", None)) is not None:
            self.training_rows_ = fingerprints.united(before, kept)

    def _boost(
        self,
        fitted: Self,
        X: Any,
        y: Vector,
        weights: Vector,
        held: Mask | None,
        seed: int,
        crew: _threads.Workers,
    ) -> None:
        descent, before = self._descent(), no_trees()
        kept = slice(None) if held is None else ~held
        n_categories = table.n_categories(self.categories_)
        if _goes_on(fitted):
            _refuse_other_outputs(len(fitted.baseline_), descent)
            self.bins_, before, self.baseline_ = fitted.bins_, fitted.trees_, fitted.baseline_
        else:
            known, most = X[kept], settings.max_bins(self)
            self.bins_ = learn_bins(known, n_categories, max_bins=most, n_jobs=self.n_jobs)
            self.baseline_ = descent.start(y[kept], weights[kept])
        plan = self._plan(before, len(y[kept]), float(weights[kept].mean()), seed)
        rounds = boost(
            self._examples(before, X[kept], y[kept], weights[kept]),
            None if held is None else self._examples(before, X[held], y[held], weights[held]),
            bins=self.bins_,
            descent=descent,
            plan=plan,
            workers=crew,
        )
        self._keep(before, rounds)

    def _plan(self, before: HistogramTrees, n_rows: int, mean_weight: float, seed: int) -> Plan:
        done = before.n_trees // len(self.baseline_)
        if done > self.n_estimators:
            raise ValueError(
                f"n_estimators={self.n_estimators} is less than the {done} rounds of the fit "
                "before, which a warm start keeps"
            )
        names = table.column_names(self)
        signs = signs_of(self.monotonic_cst, names, self.bins_.is_categorical)
        limits = settings.growth_limits(self, n_rows, mean_weight)
        return settings.plan(self, done, limits, signs, seed)

    def _examples(self, before: HistogramTrees, X: Any, y: Vector, weights: Vector) -> Examples:
        """Return encoded rows with what the trees so far predict for them."""
        codes = self.bins_.encode(X, n_jobs=self.n_jobs)
        scores = np.repeat(self.baseline_[:, np.newaxis], len(y), axis=1)
        if before.n_trees:
            predictor.add_values(before, codes, scores)
        weights = weights if weights.strides == (0,) else np.ascontiguousarray(weights)
        return Examples(codes, np.ascontiguousarray(y), weights, scores)

    def _keep(self, before: HistogramTrees, rounds: Rounds) -> None:
        """Keep all rounds, or those up to the least loss on the validation rows."""
        self.trees_ = joined([before, *rounds.trees])
        self.validation_losses_ = None
        if rounds.losses:
            best = int(np.argmin(rounds.losses))
            self.validation_losses_ = np.array(rounds.losses)
            self.trees_ = self.trees_.first(before.n_trees + best * len(self.baseline_))

    def _descent(self) -> Descent:
        raise NotImplementedError

    def _scores(self, X: Any) -> Matrix:
        """Return the scores of rows, a row for each output."""
        check_is_fitted(self)
        check_jobs(self)
        self._refuse_misfits()
        table_rows = tables.read_rows(self, X)
        return predictor.predict_scores(
            self.trees_, self.bins_, table_rows, self.baseline_, self.n_jobs
        )

    def _staged_scores(self, X: Any) -> Iterator[Matrix]:
        """Yield the scores of rows after each round."""
        check_is_fitted(self)
        check_jobs(self)
        self._refuse_misfits()
        codes = self.bins_.encode(tables.read_rows(self, X), n_jobs=self.n_jobs)
        scores = np.repeat(self.baseline_[:, np.newaxis], codes.shape[1], axis=1)
        return self._stages(codes, scores)

    def _stages(self, codes: Any, scores: Matrix) -> Iterator[Matrix]:
        for number in range(self.n_estimators_):
            for k in range(len(scores)):
                tree = self.trees_.one(number * len(scores) + k)
                predictor.add_values(tree, codes, scores[k : k + 1])
            yield scores.copy()

    def _check_state(self) -> None:
        self._refuse_misfits()

    def _refuse_misfits(self) -> None:
        """Refuse trees of other columns or outputs, of a forged file or set by hand."""
        refuse_unlike_declared(self)
        n, k = self.n_features_in_, len(self.baseline_)
        self.bins_.refuse_unsound()
        if self.bins_.n_features != n or len(self.categories_) != n or n < 1:
            raise ValueError("its bins are not those of its columns")
        n_categories = table.n_categories(self.categories_)
        if not np.array_equal(np.diff(self.bins_.first_category), n_categories):
            raise ValueError("its bins are not those of its categories")
        self.trees_.refuse_unsound(n)
        if k < 1 or self.trees_.n_trees % k:
            raise ValueError("its trees are not those of its outputs")
        n_classes = len(cast("Any", self).classes_) if hasattr(self, "classes_") else 0
        if k not in {0: (1,), 1: (), 2: (1, 2)}.get(n_classes, (n_classes,)):
            raise ValueError(f"it has {k} outputs for {n_classes} classes")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that cells may be missing, hold categories, or be sparse."""
        tags = cast("Any", super().__sklearn_tags__())
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


def alike(weights: Vector) -> Vector:
    """Return weights; if all are equal, as one number that is read for every row.

    Examples
    --------
    >>> alike(np.ones(3)).strides, alike(np.array([1.0, 2.0])).strides
    ((0,), (8,))
    """
    same = len(weights) > 0 and bool((weights == weights[0]).all())
    return np.broadcast_to(weights[:1].copy(), weights.shape) if same else weights


def _goes_on(fitted: Any) -> bool:
    """Return whether a fit goes on from the trees of the one before."""
    return _arguments.flag("warm_start", fitted.warm_start) and hasattr(fitted, "trees_")


def _refuse_other_outputs(n_before: int, descent: Descent) -> None:
    """Refuse to go on from trees of another number of scores."""
    if n_before != descent.n_outputs:
        raise ValueError(
            f"the number of scores of loss={descent.loss!r} is {descent.n_outputs}, and a warm "
            f"start goes on from trees of {n_before}: set warm_start=False, or the loss as it was"
        )


def _hashes(X: Any) -> Any:
    """Return a hash of each row, dense or sparse."""
    if isinstance(X, np.ndarray):
        return fingerprints.table_hashes(X)
    return fingerprints.row_hashes(rows.of(X.astype(np.float64)))
