"""AdaBoost: rows that were wrong weigh more in the next round; the members vote by their edges.

    ε_t = Σ_i D_t(i) 1{h_t(x_i) ≠ y_i},   α_t = ½ ln((1−ε_t)/ε_t),   D_{t+1}(i) ∝ D_t(i) e^{∓α_t}

Freund and Schapire (1997), "A decision-theoretic generalization of on-line learning and an
application to boosting"; many classes: Zhu, Zou, Rosset and Hastie (2009), "Multi-class AdaBoost".
"""

from typing import Any, Self, cast

import numpy as np
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Indices, Mask, Vector
from surelearn.base import validation
from surelearn.base.fitting import (
    adopt,
    at_one_moment,
    fresh_copy,
    learn_classes,
    row_weights,
    warn,
)
from surelearn.base.tables import table
from surelearn.certificate import Certificate
from surelearn.learners.ensembles import _adaboost_certificates
from surelearn.learners.ensembles._boosted_vote import BoostedVote
from surelearn.learners.ensembles._boosting_rounds import (
    Rounds,
    VoteRule,
    margins_of,
    run_rounds,
)
from surelearn.learners.ensembles._stumps import Stumps
from surelearn.learners.ensembles._weak_learners import (
    Weak,
    weak_learner,
)

_LARGEST_STEP = 2.0


@at_one_moment
@holds(
    n_features_in_="count",
    classes_="classes",
    categories_="maybe categories",
    stumps_=Stumps | None,
    estimators_=tuple,
    errors_="finite[members]",
    alphas_="finite[members]",
    normalisers_="finite[members]",
    stop_reason_="text",
    edge_="number?",
    learning_rate_="number",
    most_members_="count",
    n_training_rows_="count",
    training_errors_="count",
    training_error_="number",
    training_margins_="float[margins]?",
    missing_="bool[features]?",
    rare_="bool[features]?",
    weighted_="flag",
    training_rows_="maybe hash[kept]",
)
class AdaBoostClassifier(BoostedVote):
    """Weighted vote of weak learners, each fitted to the rows that the ones before got wrong.

    Without `estimator` the members are decision stumps of least weighted error: one question about
    one feature, of equal ones the first feature and the smallest cut point. Missing cells go
    together to the better side, each category has its own answer, and where nothing is better a
    member names one class for all rows. A member without error on the training rows is kept alone.
    A member no better than chance is discarded, and the rounds end there with a warning; if it is
    the first one, nothing can be learnt, and `fit` says so.

    Parameters
    ----------
    estimator
        The weak learner: any classifier whose `fit` takes `sample_weight`; None means stumps.
    n_estimators
        The largest number of rounds.
    learning_rate
        The factor of every α, at most 2.
    edge
        None, or γ in (0, 1/2): then the weight of every row that is right is multiplied by one
        factor β = (½ − γ)/(½ + γ) in all rounds, and the output is the plain majority. A round
        whose weighted error exceeds ½ − γ ends the run.
    categorical_features, most_categories
        For stumps: the columns that hold categories, names, places or a mask, or "all", None means
        text; and the largest number of categories a column may have.
    random_state
        The seed of weak learners that have one.

    Attributes
    ----------
    errors_
        The weighted error ε_t of each round.
    alphas_
        The weight α_t of each vote; equal ones with `edge`.
    normalisers_
        Z_t, by which the weights of the rows are divided: the product bounds the training error.
    estimator_weights_, estimator_errors_
        The same in scikit-learn's convention: 2α_t and ε_t.
    stumps_, estimators_
        The members: stumps as arrays, or the fitted weak learners.
    stop_reason_
        Why the rounds ended early; empty if they did not.
    classes_
        The sorted labels.
    training_errors_, n_training_rows_
        Training rows predicted wrongly; the number of training rows.
    training_error_
        The share of the training weight on which the vote errs, or is even.

    Examples
    --------
    >>> X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> model.errors_.round(4).tolist(), model.alphas_.round(4).tolist()
    ([0.3, 0.2143, 0.1818], [0.4236, 0.6496, 0.752])
    >>> model.training_errors_, float(model.normalisers_.prod().round(4))
    (0, 0.5802)
    """

    n_features_in_: int
    missing_: Mask | None
    rare_: Mask | None

    def __init__(
        self,
        *,
        estimator: Any = None,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        edge: float | None = None,
        categorical_features: table.Categorical = None,
        most_categories: int = 1000,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.edge = edge
        self.categorical_features = categorical_features
        self.most_categories = most_categories
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Play the rounds on rows of two classes or more.

        Parameters
        ----------
        X
            A table: an array, a data frame or a sparse matrix; for stumps cells may be missing and
            columns may hold categories. Other weak learners get it as it is.
        y
            The label of each row.
        sample_weight
            How much each row counts, 1 if nothing is said; one of weight 0 is as if not there, but
            that its class is one of those that chance is told from.
        """
        fresh = fresh_copy(self)
        fresh._check_parameters()  # noqa: SLF001 - our own copy
        fresh._learn(X, y, sample_weight)  # noqa: SLF001
        return adopt(self, fresh)

    def _check_parameters(self) -> None:
        _arguments.count("n_estimators", self.n_estimators, at_least=1)
        if _arguments.positive("learning_rate", self.learning_rate) > _LARGEST_STEP:
            raise ValueError(
                f"learning_rate={self.learning_rate!r} must be at most 2: beyond, a round raises "
                "the exponential loss that it is meant to lower"
            )
        if self.edge is not None:
            _arguments.open_fraction("edge", self.edge)
            if self.edge >= 0.5:
                raise ValueError(f"edge={self.edge!r} must be below 1/2: errors are above 0")
            if self.learning_rate != 1.0:
                raise ValueError("with an edge all votes are equal: leave learning_rate at 1.0")

    def _learn(self, X: Any, y: ArrayLike, sample_weight: Any) -> None:
        weak = weak_learner(self, X)
        codes = learn_classes(self, y, n=weak.n_rows)
        validation.two_or_more(self.classes_)
        weights = row_weights(sample_weight, n=len(codes))
        edge = None if self.edge is None else float(self.edge)
        rule = VoteRule(len(self.classes_), float(self.learning_rate), edge)
        weak.begin(codes, self.classes_, weights > 0.0)
        run = run_rounds(weak.learn, codes, weights, int(self.n_estimators), rule)
        self._take(run, rule)
        weak.finish(self, run.members)
        self._remember(run, weak, codes, weights)

    def _take(self, run: Rounds, rule: VoteRule) -> None:
        """Keep the numbers of the rounds; say so if they ended before the last."""
        if not run.members:
            raise ValueError(
                f"the first member is no better than chance: {run.stop_reason}. No vote of such "
                "members can be formed; use a richer weak learner as `estimator`, other features, "
                "or a smaller edge if one was given"
            )
        self.errors_, self.alphas_ = np.array(run.errors), np.array(run.alphas)
        self.normalisers_, self.stop_reason_ = np.array(run.normalisers), run.stop_reason
        self.edge_, self.learning_rate_ = rule.edge, rule.learning_rate
        self.most_members_ = int(self.n_estimators)
        if run.stop_reason and run.errors[-1] > 0.0:
            warn(f"boosting ended after {len(run.members)} rounds: {run.stop_reason}")

    def _remember(self, run: Rounds, weak: Weak, codes: Indices, weights: Vector) -> None:
        """Keep what certificates need to know of the training rows."""
        scores = run.scores
        self.n_training_rows_, self.weighted_ = len(codes), bool(np.ptp(weights) > 0.0)
        self.training_errors_ = int(np.count_nonzero(scores.argmax(axis=1) != codes))
        margins = margins_of(scores, codes)
        self.training_error_ = float(weights[margins <= 0.0].sum() / weights.sum())
        two_of_stumps = len(self.classes_) == 2 and self.stumps_ is not None
        self.training_margins_ = margins if two_of_stumps else None
        weak.remember(self)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the rounds prove of the training error, and stumps of the risk.

        The training error is bounded surely, by the errors of the rounds. For two classes and
        stumps the risk follows from the number of rounds and from the margins; these two share
        `delta`. For other members certify the risk with `Holdout`.

        Parameters
        ----------
        delta
            The probability with which one of the statements on the risk may fail.
        """
        check_is_fitted(self)
        return _adaboost_certificates.certificates(self, delta=delta)

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: members of other columns or classes."""
        n, members = len(self.errors_), self.stumps_ or self.estimators_
        if n < 1 or len(members) != n or len(self.classes_) < 2:
            raise ValueError("it has not as many members as rounds, or fewer than two classes")
        fits = (self.errors_ >= 0.0) & (self.errors_ < 1.0) & (self.normalisers_ >= 0.0)
        if not fits.all() or not (self.alphas_ > 0.0).all() or self.most_members_ < n:
            raise ValueError("the numbers of its rounds are none of AdaBoost")
        if (self.edge_ is not None and not 0.0 < self.edge_ < 0.5) or not self.learning_rate_ > 0.0:
            raise ValueError("its edge or its learning rate is none of AdaBoost")
        rule = VoteRule(len(self.classes_), self.learning_rate_, self.edge_)
        if not rule.fits(self.errors_, self.alphas_):
            raise ValueError("its votes do not follow from the errors of its rounds")
        self._check_memory()
        if self.stumps_ is not None:
            known = table.n_categories(cast("Any", self).categories_)
            self.stumps_.refuse_wild(known, len(self.classes_))
        elif not all(hasattr(member, "predict") for member in self.estimators_):
            raise ValueError("one of its members cannot predict")

    def _check_memory(self) -> None:
        """Refuse counts and margins that are none of its training rows."""
        n, margins = self.n_training_rows_, self.training_margins_
        if self.training_errors_ > n or n < 1 or not 0.0 <= self.training_error_ <= 1.0:
            raise ValueError("it has more errors than rows, or no row")
        two_of_stumps = len(self.classes_) == 2 and self.stumps_ is not None
        if (margins is None) == two_of_stumps or (
            margins is not None and (len(margins) != n or not (np.abs(margins) <= 1.0).all())
        ):
            raise ValueError("its margins are not those of its rows")
        known = [hasattr(self, "categories_"), self.missing_ is not None, self.rare_ is not None]
        if known != [self.stumps_ is not None] * 3:
            raise ValueError("what it knows of its columns is not what stumps need")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn what may stand in a table."""
        tags = cast("Any", super().__sklearn_tags__())
        if self.estimator is None or not hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags.allow_nan = tags.input_tags.categorical = True
            tags.input_tags.string = tags.input_tags.sparse = True
        else:
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags
