"""Locally scaled regression: a regressor, and for each row how wide its errors are there.

    r_i = |y_i − f_without_i(x_i)|,   width = s(x),   s fitted to r,   interval f(x) ± q s(x)

The number q comes from rows that neither f nor s has seen. Papadopoulos, Gammerman and Vovk (2008),
"Normalized nonconformity measures for regression conformal prediction"; Lei, G'Sell, Rinaldo,
Tibshirani and Wasserman (2018), "Distribution-free predictive inference for regression", 5.2.
"""

import copy
import math
from typing import Any, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.base.chunks import in_chunks, rows_at
from surelearn.base.fitting import adopt, at_one_moment, check_numbers, fresh_copy
from surelearn.learners.ensembles import _members
from surelearn.learners.ensembles._member_kinds import refuse_other_kinds
from surelearn.learners.ensembles._validation import enter
from surelearn.learners.trees.cart_regressor import CARTRegressor

_LEAST = 0.05  # of the average error: no row is so sure that its width is 0
_CATEGORIES = 1000  # of a column, or as many as there are rows: the regressor may read them all
_FEWEST, _SHARE = 20, 0.02  # rows of a leaf, and their share of all: a mean of fewer says little


@at_one_moment
@holds(
    n_features_in_="count",
    regressor_="anything",
    width_learner_="anything",
    average_error_="number",
)
class LocallyScaledRegressor(RegressorMixin, BaseEstimator):
    """A regressor that also says how wide its errors are, row by row.

    The training rows are cut into parts, and each part is predicted by a copy of the regressor that
    has not seen it. A second learner is fitted to the sizes of these errors. `predict` is what the
    regressor predicts that is then fitted to all rows; `predict_width` is what the other learner
    expects its error to be. How many widths hold 9 of 10 new rows is for a hold-out to say, whose
    certificate "scaled-error-quantile" holds whatever the widths are: poor ones make intervals
    wide, never false.

    Parameters
    ----------
    regressor
        The regressor, of this library or of scikit-learn, or a pipeline; None for
        `CARTRegressor()`.
    width_learner
        A regressor for the sizes of errors, which reads the same tables. None for a `CARTRegressor`
        with leaves of 20 rows and 2% of all at least, pruned by cross-validation: it reads missing
        cells and categories, and can itself be read.
    cv
        Into how many parts the training rows are cut.
    random_state
        By which seed they are cut.

    Attributes
    ----------
    regressor_
        The regressor, fitted to all rows.
    width_learner_, average_error_
        What predicts the sizes of errors, in units of their average, and this average. No width is
        less than a twentieth of it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(2000, 1))
    >>> y = X[:, 0] + np.where(X[:, 0] > 0.5, 1.0, 0.1) * rng.normal(size=2000)
    >>> model = LocallyScaledRegressor(CARTRegressor(max_leaf_nodes=4)).fit(X, y)
    >>> model.predict_width([[0.2], [0.8]]).round(1).tolist()
    [0.1, 0.8]
    """

    n_features_in_: int
    regressor_: Any
    width_learner_: Any
    average_error_: float

    def __init__(
        self,
        regressor: Any = None,
        *,
        width_learner: Any = None,
        cv: int = 5,
        random_state: Any = 0,
    ) -> None:
        self.regressor = regressor
        self.width_learner = width_learner
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit the regressor, and the widths to the errors of copies that have not seen the row.

        Parameters
        ----------
        X
            A table that both learners can read.
        y
            The number to predict in each row.
        """
        fresh = fresh_copy(self)
        regressor = fresh._checked()  # noqa: SLF001 - our own copy
        rows = enter(fresh, X, reset=True)
        targets = check_numbers(y, n=rows.shape[0])
        errors = fresh._errors_outside(regressor, rows, targets)  # noqa: SLF001
        fitted = cast("Any", clone(regressor)).fit(rows, targets)
        fresh._learn_widths(fitted, rows, errors)  # noqa: SLF001
        return adopt(self, fresh)

    def fit_widths(self, regressor: Any, X: Any, errors: ArrayLike) -> Self:
        """Learn widths for a regressor that is fitted already, from errors on other rows.

        Where such errors are at hand, of a cross-validation, say, or of rows set apart, they save
        fitting copies. The regressor is copied.

        Parameters
        ----------
        regressor
            The fitted regressor.
        X
            Rows that it, or the copies that were asked, had not learnt from.
        errors
            What was true of each row minus what was predicted, or the size of that.

        Examples
        --------
        >>> from surelearn import RidgeRegression
        >>> X, y = np.arange(100.0)[:, None], np.arange(100.0) % 2
        >>> ridge = RidgeRegression().fit(X[::2], y[::2])
        >>> model = LocallyScaledRegressor().fit_widths(ridge, X[1::2], y[1::2] - 0.5)
        >>> model.predict_width([[3.0]]).tolist()
        [0.5]
        """
        fresh = fresh_copy(self)
        fresh._checked()  # noqa: SLF001 - our own copy
        refuse_other_kinds(regressor, "regressor", "regressor")
        check_is_fitted(regressor)
        rows = enter(fresh, X, reset=True)
        sizes = np.abs(check_numbers(errors, n=rows.shape[0]))
        fresh._learn_widths(copy.deepcopy(regressor), rows, sizes)  # noqa: SLF001
        return adopt(self, fresh)

    def predict(self, X: Any) -> Vector:
        """Return what the regressor predicts."""
        check_is_fitted(self)
        return self.regressor_.predict(X)

    def predict_width(self, X: Any) -> Vector:
        """Return how large the error of each row is expected to be; more than 0."""
        check_is_fitted(self)
        sizes = np.asarray(self.width_learner_.predict(X), dtype=np.float64)
        return self.average_error_ * np.maximum(sizes, _LEAST)

    def predict_interval(self, X: Any, *, n_widths: float) -> Matrix:
        """Return the ends of an interval for each row, so many widths from what is predicted.

        Parameters
        ----------
        X
            Rows.
        n_widths
            How many widths, such as the bound of a certificate "scaled-error-quantile". Rounding
            is outward: what is that many widths away lies inside.

        Examples
        --------
        >>> model = LocallyScaledRegressor().fit([[0.0], [0.0]], [1.0, 2.0])
        >>> model.predict_interval([[0.0]], n_widths=2.0).round(6).tolist()
        [[-0.5, 3.5]]
        """
        return interval_around(self.predict(X), self.predict_width(X), n_widths=n_widths)

    def _checked(self) -> Any:
        """Return the regressor to copy; refuse parameters that mean nothing."""
        regressor = CARTRegressor() if self.regressor is None else self.regressor
        refuse_other_kinds(regressor, "regressor", "regressor")
        if self.width_learner is not None:
            refuse_other_kinds(self.width_learner, "regressor", "width_learner")
        _arguments.count("cv", self.cv, at_least=2)
        return regressor

    def _errors_outside(self, regressor: Any, X: Any, targets: Vector) -> Vector:
        """Return for each row the size of the error of a copy that has not seen it."""
        n = len(targets)
        if n < 2:
            raise ValueError("n_samples=1: errors on other rows need two rows at least")
        order = np.random.default_rng(_members.seed_of(self.random_state)).permutation(n)
        errors = np.empty(n)
        for part in range(min(self.cv, n)):
            outside = np.sort(order[part :: int(self.cv)])
            inside = np.setdiff1d(np.arange(n), outside, assume_unique=True)
            fitted = cast("Any", clone(regressor)).fit(rows_at(X, inside), targets[inside])
            said = np.asarray(in_chunks(fitted.predict, rows_at(X, outside)), dtype=np.float64)
            errors[outside] = np.abs(targets[outside] - said)
        if not np.isfinite(errors).all():
            raise ValueError(f"{type(regressor).__name__} predicts numbers that are not finite")
        return errors

    def _learn_widths(self, fitted: Any, X: Any, errors: Vector) -> None:
        """Fit the other learner to the sizes of errors, in units of their average."""
        self.regressor_ = fitted
        self.average_error_ = float(check_numbers(errors, n=len(errors)).mean()) or 1.0
        sizes = errors / self.average_error_
        if self.width_learner is not None:
            self.width_learner_ = cast("Any", clone(self.width_learner)).fit(X, sizes)
            return
        least = max(_FEWEST, math.ceil(_SHARE * len(sizes)))
        many = max(_CATEGORIES, len(sizes))
        tree = CARTRegressor(min_samples_leaf=least, most_categories=many).fit(X, sizes)
        if tree.n_leaves_ > 1:
            tree = tree.prune_cross_validated(X, sizes, n_folds=5, one_standard_error=False)
        self.width_learner_ = tree

    def _check_state(self) -> None:
        """Refuse learners, as a forged model file may hold them, that cannot answer together."""
        for learner in (self.regressor_, self.width_learner_):
            if not hasattr(learner, "predict"):
                raise TypeError("a part of it is no learner")
            if getattr(learner, "n_features_in_", self.n_features_in_) != self.n_features_in_:
                raise ValueError("a part of it reads another number of columns")
        if not 0.0 < self.average_error_ < math.inf:
            raise ValueError("the average error is a number above 0")

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn what both learners can read."""
        tags = cast("Any", super().__sklearn_tags__())
        given = (self.regressor, self.width_learner)
        learners = [CARTRegressor() if one is None else one for one in given]
        if not all(hasattr(one, "__sklearn_tags__") for one in learners):  # `fit` refuses them
            return tags
        theirs = [cast("Any", get_tags(one)).input_tags for one in learners]
        for name in ("allow_nan", "sparse", "categorical", "string"):
            setattr(tags.input_tags, name, all(getattr(one, name) for one in theirs))
        return tags


def interval_around(predicted: ArrayLike, widths: ArrayLike, *, n_widths: float) -> Matrix:
    """Return the ends of an interval so many widths around each prediction, rounded outward.

    Parameters
    ----------
    predicted, widths
        What is predicted for each row, and the width of its errors.
    n_widths
        How many widths lie on either side.

    Examples
    --------
    >>> interval_around([5.0], [0.5], n_widths=2.0).round(9).tolist()
    [[4.0, 6.0]]
    """
    most, middle = _arguments.positive("n_widths", n_widths), np.asarray(predicted, np.float64)
    with np.errstate(over="ignore"):
        reach = most * np.asarray(widths, dtype=np.float64)
        # An error was rounded when it was found, and again when it was divided by its width.
        for _ in range(2):
            reach = np.nextafter(reach, np.inf)
        ends = np.nextafter(middle - reach, -np.inf), np.nextafter(middle + reach, np.inf)
    return np.stack(ends, axis=1)
