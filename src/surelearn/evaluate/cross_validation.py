"""Cross-validation: every part of a table tests a model that learnt from the other parts.

The estimate is the mean of the folds' means; the mean over all rows stands beside it. It says how
well the *algorithm* does on tables of this size, on average. It is no certificate of a model: the
folds share their training rows, and the model refitted on all rows was never tested.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn._wording import confidence, percent_outward
from surelearn.base import row_identity
from surelearn.base.cell_bits import round_fractions
from surelearn.base.fingerprint import fingerprint
from surelearn.base.labels import answered
from surelearn.bounds import votes
from surelearn.certificate import Certificate, Evidence, Precondition, assumed, certify
from surelearn.evaluate._fitting_anew import fitted_without_fold
from surelearn.evaluate._mean_losses import ESTIMATE, named, told
from surelearn.evaluate._row_by_row import answered_alone, row_by_row, worst_of
from surelearn.evaluate._splits import Split, Splits, Splitter, make_splits
from surelearn.evaluate._task import (
    LossName,
    PointwiseLoss,
    Scorer,
    Scoring,
    Task,
    find_scorers,
    in_parallel,
    make_task,
    range_of_losses,
    weighted_mean,
)

_NOT_CHOSEN = "no model, seed or loss was chosen by these rows"
_LOOKS = assumed("no ledger is asked whether others were tried on them before")
_SINGLE = partial(round_fractions, np.float32)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fold:
    """One model of a cross-validation, judged on rows it did not see.

    Attributes
    ----------
    n_train
        The number of rows the model learnt from.
    test, predictions, losses
        The rows it was tested on, what it said of them, and what that cost.
    weights
        The weights of these rows, if any were given.
    scores
        What the metrics of scikit-learn say, by their names.
    seconds
        How long the fit took.
    model, alone
        The fitted model, if it was kept, and whether it answers each row by itself.
    n_copies
        If it was kept: how many of the rows coincide with rows it learnt from.
    """

    n_train: int
    test: Indices
    predictions: NDArray[Any]
    losses: Vector
    weights: Vector | None = None
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    seconds: float = math.nan
    model: Any = None
    alone: Evidence | None = None
    n_copies: int | None = None

    @property
    def mean(self) -> float:
        """The mean loss of the fold."""
        return weighted_mean(self.losses, self.weights)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CrossValidation(Shown, drawn_by="cross_validation.plot_cross_validation"):
    """The losses of all folds and what they estimate; `surelearn.plots` draws it.

    Attributes
    ----------
    model
        The model that was fitted again and again, itself unfitted.
    folds
        What happened in each fold.
    loss, scheme
        What a prediction costs and how the folds were made, in words.
    partition
        Whether every row was tested exactly once.
    blind
        Whether the folds were made without looking at the data, and how that is known.
    counts_errors
        Whether a wrong prediction costs 1 and a right one nothing.
    others
        Models among which that of each fold was chosen, if it was.

    Examples
    --------
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> X, y = [[0.0], [0.2], [0.4], [1.0], [1.2], [1.4]], ["no"] * 3 + ["yes"] * 3
    >>> result = cross_validate(GaussianNaiveBayes(), X, y, cv=3)
    >>> result.estimate, result.fold_means
    (0.0, array([0., 0., 0.]))
    """

    model: Any
    folds: tuple[Fold, ...]
    loss: str
    scheme: str
    partition: bool
    blind: Evidence
    counts_errors: bool = False
    others: tuple[Any, ...] = ()

    @cached_property
    def fold_means(self) -> Vector:
        """The mean loss of each fold."""
        return np.array([fold.mean for fold in self.folds])

    @property
    def estimate(self) -> float:
        """The mean of the folds' means."""
        return float(self.fold_means.mean())

    @property
    def pooled(self) -> float:
        """The mean over all tested rows; it differs if folds differ in size."""
        weights = [fold.weights for fold in self.folds if fold.weights is not None]
        return weighted_mean(self.losses, np.concatenate(weights) if weights else None)

    @property
    def losses(self) -> Vector:
        """The losses of all tested rows, fold after fold."""
        return np.concatenate([fold.losses for fold in self.folds])

    @property
    def n(self) -> int:
        """The number of rows tested, counted as often as they were."""
        return len(self.losses)

    @property
    def scores(self) -> dict[str, Vector]:
        """What each metric of scikit-learn says of each fold."""
        names = self.folds[0].scores
        return {name: np.array([fold.scores[name] for fold in self.folds]) for name in names}

    def mean_risk_certificate(self, *, delta: float = 0.05) -> Certificate:
        """Certify the mean risk of the fold models: never that of a model refitted on all rows.

        What is certified is to draw one of the fold models at random. It needs models that were
        kept, losses in [0, 1] and folds that were drawn without looking at the data; it has the
        strength of one fold's worth of examples.

        Parameters
        ----------
        delta
            The probability with which the statement may fail.
        """
        if any(fold.model is None for fold in self.folds):
            raise ValueError(
                "the certificate speaks of the fold models, so keep them: "
                "cross_validate(..., keep_models=True)"
            )
        if self.folds[0].weights is not None or not self.partition:
            raise ValueError(
                "the theorem needs folds that test every row once, each counted alike; leave "
                "sample_weight out and give cv as a number of folds or KFold(...)"
            )
        if not ((self.losses >= 0.0) & (self.losses <= 1.0)).all():
            raise ValueError(
                "the theorem needs losses in [0, 1], and some rows have others: cross-validate "
                "with a loss that is clipped or rescaled"
            )
        guarantee = votes.cross_validation_mean_risk(
            fold_losses=self.fold_means,
            fold_sizes=[len(fold.losses) for fold in self.folds],
            delta=delta,
        )
        limit = percent_outward(guarantee.bound, "upper")
        k = len(self.folds)
        return certify(
            guarantee,
            kind="risk",
            subject=f"one of the {k} fold models, drawn at random; not one refitted on all rows",
            observed=self.estimate,
            n=self.n,
            claim=f"With confidence {confidence(delta)}, the risks of these {k} fold models "
            f"average to at most {limit}. It says nothing of a model refitted on all rows.",
            evidence={
                "independent": assumed("rows of one population, each drawn independently"),
                "range": range_of_losses(1.0, bounded=self.counts_errors),
                "folds": self.blind,
                "unseen": self._unseen(),
            },
            also=[
                row_by_row(fold.alone for fold in self.folds if fold.alone is not None),
                Precondition("not_chosen_by_them", _NOT_CHOSEN, *_LOOKS),
            ],
            reproduce={"models": [fingerprint(fold.model) for fold in self.folds]},
        )

    def _unseen(self) -> Evidence:
        """Say whether the fold models are tested on rows that they have not seen."""
        found = worst_of(map(fitted_without_fold, (self.model, *self.others)))
        copies = [fold.n_copies for fold in self.folds]
        if found.status != "by-construction" or not any(n is None or n for n in copies):
            return found
        if None in copies:
            return assumed("whether rows stand in several folds is not known")
        return assumed(
            f"{sum(n or 0 for n in copies):,} of {self.n:,} rows coincide with rows that the model "
            "tested on them learnt from; they are taken as independent draws"
        )

    def __str__(self) -> str:
        """Return the estimate in sentences, and what it is not."""
        size = round(float(np.mean([fold.n_train for fold in self.folds])))
        return (
            f"{type(self.model).__name__}: {self.in_words}.\n"
            f"This is how models trained on about {size:,} rows do on average. {ESTIMATE}: for "
            "that, ask a Holdout about one model."
        )

    @property
    def in_words(self) -> str:
        """The estimate and the folds it is the mean of, for a sentence."""
        ends = (float(end) for end in (self.fold_means.min(), self.fold_means.max()))
        estimate, low, high, pooled = (
            told(mean, self.loss) for mean in (self.estimate, *ends, self.pooled)
        )
        return (
            f"{named(self.loss)} {estimate} on unseen rows, the mean of {len(self.folds)} "
            f"{self.scheme} ({low} to {high}); {pooled} over all {self.n:,} rows tested"
        )


def cross_validate(  # noqa: PLR0913 - the arguments users know from scikit-learn
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Splitter = 5,
    loss: LossName | PointwiseLoss | None = None,
    scoring: Scoring = None,
    groups: ArrayLike | None = None,
    ordered: bool = False,
    sample_weight: ArrayLike | None = None,
    keep_models: bool = False,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> CrossValidation:
    """Fit a model without each part of a table in turn, and test it on that part.

    Parameters
    ----------
    model
        Any scikit-learn estimator; copies are fitted.
    X, y
        Rows and their labels or targets.
    cv
        The number of folds: shuffled, and stratified by the labels of a classifier; or a splitter
        of scikit-learn; or pairs of training and test rows.
    loss
        What a prediction costs: "zero_one" (for classifiers, if None), "squared" (for regressors,
        if None), "absolute", a loss of `surelearn.losses`, or a function of labels and predictions
        that gives a number per row.
    scoring
        Metrics of scikit-learn to compute beside it: a name, a scorer, several names, or scorers by
        name.
    groups
        The group of each row: the folds are then made of whole groups; splits that part one are
        refused.
    ordered
        Whether the rows are in the order of time: every model then learns from earlier rows only.
    sample_weight
        The weight of each row, in the fit and in the means.
    keep_models
        Keep the fitted models, of which `mean_risk_certificate` speaks.
    random_state
        Seed of the shuffle.
    n_jobs
        Folds to work on at the same time.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
    >>> X, y = Noisy(n_features=3, bayes_risk=0.1).draw(300, seed=0)
    >>> result = cross_validate(AveragedPerceptron(), X, y, scoring="roc_auc")
    >>> round(result.estimate, 3), result.scores["roc_auc"].mean().round(3).item()
    (0.147, 0.883)
    """
    task = make_task(model, X, y, loss=loss, sample_weight=sample_weight)
    splits = make_splits(task, cv, groups=groups, ordered=ordered, random_state=random_state)
    keep_models = _arguments.flag("keep_models", keep_models)
    return run_folds(
        task,
        splits,
        scorers=find_scorers(scoring),
        keep_models=keep_models,
        n_jobs=n_jobs,
    )


def run_folds(
    task: Task,
    splits: Splits,
    *,
    scorers: Mapping[str, Scorer] | None = None,
    keep_models: bool = False,
    n_jobs: int | None = None,
) -> CrossValidation:
    """Fit and judge a model on every split of a checked table."""
    judge = partial(_judge, task, scorers or {}, keep_models=keep_models)
    return CrossValidation(
        model=task.model,
        folds=tuple(in_parallel(judge, enumerate(splits.pairs), n_jobs=n_jobs)),
        loss=task.loss.in_words,
        scheme=splits.scheme,
        partition=splits.partition,
        blind=splits.blind,
        counts_errors=task.loss.counts_errors,
    )


def _judge(
    task: Task, scorers: Mapping[str, Scorer], i: int, pair: Split, *, keep_models: bool
) -> Fold:
    start = time.perf_counter()
    fitted = task.fit(pair.train, f"without fold {i + 1}")
    seconds = time.perf_counter() - start
    rows, labels = task.part(pair.test), task.y[pair.test]
    predictions = answered(fitted.predict(rows))
    weights = None if task.weights is None else task.weights[pair.test]
    more = {} if weights is None else {"sample_weight": weights}
    return Fold(
        n_train=len(pair.train),
        test=pair.test,
        predictions=predictions,
        losses=task.loss.of(labels, predictions),
        weights=weights,
        scores={
            name: float(score(fitted, rows, labels, **more)) for name, score in scorers.items()
        },
        seconds=seconds,
        model=fitted if keep_models else None,
        alone=answered_alone(fitted, rows, predictions) if keep_models else None,
        n_copies=count_copies(task.part(pair.train), rows) if keep_models else None,
    )


def count_copies(train: Any, test: Any) -> int | None:
    """Return how many rows coincide with training rows, as they are or in single precision.

    Examples
    --------
    >>> count_copies([[1.0], [2.0]], [[2.0], [3.0], [2.0]])
    2
    """
    try:
        return row_identity.count_shared(
            *(row_identity.row_hashes(part, rounding=_SINGLE) for part in (test, train))
        )
    except (TypeError, ValueError):  # rows of something that is no table
        return None
