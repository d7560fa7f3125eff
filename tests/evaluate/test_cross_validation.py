"""Cross-validation against scikit-learn's, what it estimates, certifies, and refuses."""

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.cross_validation import cross_validate
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
from surelearn.losses import Absolute, Square, ZeroOne

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:203, :4], Y[:203]
NAMES = np.array(["malignant", "benign"])[Y]
WORLD = Noisy(n_features=3, bayes_risk=0.1)


@pytest.mark.parametrize(
    "cv",
    [
        KFold(5),
        KFold(4, shuffle=True, random_state=3),
        StratifiedKFold(5),
        ShuffleSplit(6, random_state=1),
        TimeSeriesSplit(4),
    ],
    ids=lambda cv: type(cv).__name__,
)
def test_the_folds_score_as_scikit_learn_scores_them(cv):
    model = KNeighborsClassifier(3)
    result = cross_validate(model, X, NAMES, cv=cv, scoring=["accuracy", "f1_macro"])
    for name in ("accuracy", "f1_macro"):
        expected = cross_val_score(model, X, NAMES, cv=cv, scoring=name)
        np.testing.assert_array_equal(result.scores[name], expected)
    np.testing.assert_allclose(1.0 - result.fold_means, result.scores["accuracy"])


def test_a_number_of_folds_is_shuffled_and_stratified_for_a_classifier():
    model = GaussianNaiveBayes()
    folds = StratifiedKFold(7, shuffle=True, random_state=4)
    expected = 1.0 - cross_val_score(model, X, NAMES, cv=folds)
    result = cross_validate(model, X, NAMES, cv=7, random_state=4)
    np.testing.assert_allclose(result.fold_means, expected, atol=1e-15)


def test_a_regressor_pays_squared_errors_in_plain_folds():
    rows, targets = load_diabetes(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    scores = cross_val_score(
        LinearRegression(), rows, targets, cv=folds, scoring="neg_mean_squared_error"
    )
    result = cross_validate(LinearRegression(), rows, targets)
    np.testing.assert_allclose(result.fold_means, -scores)
    absolute = cross_validate(LinearRegression(), rows, targets, loss="absolute")
    assert absolute.estimate**2 < result.estimate


def test_groups_stay_together_and_time_only_runs_forward():
    groups = np.arange(203) // 10
    grouped = cross_validate(GaussianNaiveBayes(), X, Y, groups=groups)
    expected = list(GroupKFold(5, shuffle=True, random_state=0).split(X, Y, groups))
    for fold, (_, test) in zip(grouped.folds, expected, strict=True):
        np.testing.assert_array_equal(fold.test, test)
    ordered = cross_validate(GaussianNaiveBayes(), X, Y, ordered=True)
    assert [fold.n_train for fold in ordered.folds] == [
        int(fold.test.min()) for fold in ordered.folds
    ]
    assert not ordered.partition
    assert grouped.partition
    one_out = cross_validate(GaussianNaiveBayes(), X, Y, cv=LeaveOneGroupOut(), groups=groups)
    assert len(one_out.folds) == 21


def test_the_mean_of_fold_means_differs_from_the_pooled_mean_when_folds_differ_in_size():
    labels = np.array([0, 0, 0, 1, 1])
    splits = [([3, 4], [0, 1, 2]), ([0, 1, 2], [3, 4])]
    always = DummyClassifier(strategy="constant", constant=1)
    rows = np.zeros((5, 1))
    result = cross_validate(always, rows, labels, cv=[(np.r_[a, b[:1]], b[1:]) for a, b in splits])
    np.testing.assert_array_equal(result.fold_means, [1.0, 0.0])
    assert result.estimate == 0.5
    assert result.pooled == pytest.approx(2 / 3)


def test_weights_count_in_the_fit_and_in_the_mean():
    weights = np.where(np.arange(203) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    model = LogisticRegression(max_iter=5000)
    splits = list(KFold(4).split(X))
    weighted = cross_validate(model, X, Y, cv=splits, sample_weight=weights)
    places = np.cumsum(kept) - 1
    fewer = [(places[a[kept[a]]], places[b[kept[b]]]) for a, b in splits]
    unweighted = cross_validate(model, X[kept], Y[kept], cv=fewer)
    np.testing.assert_allclose(weighted.fold_means, unweighted.fold_means)
    assert weighted.pooled == pytest.approx(unweighted.pooled)
    piped = make_pipeline(StandardScaler(), LogisticRegression())
    assert cross_validate(piped, X, Y, sample_weight=weights).n == 203


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist])
def test_tables_of_any_kind_give_the_same_folds(kind):
    model = LogisticRegression(max_iter=5000)
    expected = cross_validate(model, X, NAMES).fold_means
    np.testing.assert_allclose(cross_validate(model, kind(X), NAMES).fold_means, expected)


def test_a_polars_table_and_a_series_are_read():
    frame = pl.DataFrame(X, schema=list("abcd"), orient="row")
    expected = cross_validate(GaussianNaiveBayes(), X, Y).fold_means
    result = cross_validate(GaussianNaiveBayes(), frame, pd.Series(Y))
    np.testing.assert_array_equal(result.fold_means, expected)


def test_the_seed_decides_the_folds_and_more_workers_change_nothing():
    first = cross_validate(GaussianNaiveBayes(), X, Y, random_state=1)
    with joblib.parallel_config("threading"):  # processes would each import everything
        again = cross_validate(GaussianNaiveBayes(), X, Y, random_state=1, n_jobs=2)
    other = cross_validate(GaussianNaiveBayes(), X, Y, random_state=2)
    np.testing.assert_array_equal(first.losses, again.losses)
    assert not np.array_equal(first.folds[0].test, other.folds[0].test)


def test_the_text_says_what_the_number_is_not():
    text = str(cross_validate(GaussianNaiveBayes(), X, NAMES))
    assert "an estimate, not a guarantee" in text
    assert "models trained on about 162 rows" in text


def test_the_certificate_speaks_of_the_fold_models_and_covers_their_mean_risk(repetitions):
    rng = np.random.default_rng(0)
    truths, bounds = [], []
    folds = KFold(3)
    for _ in range(repetitions // 4):
        rows, signs = WORLD.draw(60, seed=rng)
        result = cross_validate(_MeanDirection(), rows, signs, cv=folds, keep_models=True)
        certificate = result.mean_risk_certificate(delta=0.2)
        truths.append(np.mean([WORLD.risk(fold.model.coef_) for fold in result.folds]))
        bounds.append(certificate.bound)
    assert not Coverage(np.array(truths), np.array(bounds), 0.2).refuted()
    assert "nothing of a model refitted" in certificate.claim
    certificate.verify()


def test_stratified_folds_void_the_certificate_and_models_must_be_kept():
    kept = cross_validate(GaussianNaiveBayes(), X, Y, keep_models=True)
    assert kept.mean_risk_certificate().status == "void"
    with pytest.raises(ValueError, match="keep_models=True"):
        cross_validate(GaussianNaiveBayes(), X, Y).mean_risk_certificate()
    random = ShuffleSplit(3, random_state=0)
    with pytest.raises(ValueError, match="test every row once"):
        cross_validate(
            GaussianNaiveBayes(), X, Y, cv=random, keep_models=True
        ).mean_risk_certificate()
    squares = cross_validate(
        LinearRegression(), X, 9.0 * Y, cv=KFold(5), loss="squared", keep_models=True
    )
    with pytest.raises(ValueError, match=r"losses in \[0, 1\]"):
        squares.mean_risk_certificate()


def test_losses_beyond_1_certify_nothing_though_their_mean_is_small():
    """It said of squared errors of 4 that those seen lie in [0, 1]."""
    rare = np.zeros(200)
    rare[:5] = 10.0
    constant = DummyRegressor(strategy="constant", constant=0.0)
    folds = KFold(2, shuffle=True, random_state=0)
    for targets, loss in ((rare / 5.0, "squared"), (rare, lambda y, _: -y)):
        result = cross_validate(constant, X[:200], targets, cv=folds, loss=loss, keep_models=True)
        with pytest.raises(ValueError, match=r"losses in \[0, 1\]"):
            result.mean_risk_certificate()


class _MeanDirection:
    """Predicts by the mean of the signed rows; it has nothing but fit and predict."""

    def fit(self, rows, signs):
        self.coef_ = rows.T @ signs
        return self

    def predict(self, rows):
        return np.where(rows @ self.coef_ > 0, 1.0, -1.0)


RARE = np.array(["a"] * 17 + ["b"] * 3)
SMALL = np.zeros((20, 1))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": RARE}, "class 'b' has 3 members, fewer than cv=5 folds"),
        ({"cv": 21}, "cv=21 folds need at least 21 rows, and there are 20"),
        ({"cv": 1}, "cv=1 must be at least 2"),
        ({"cv": GroupKFold(2)}, r"GroupKFold keeps groups together.*groups="),
        ({"groups": [1] * 19}, "groups names 19 rows and there are 20"),
        ({"groups": [None] + [1] * 19}, "groups is missing for 1 rows"),
        ({"groups": [1] * 20}, "need at least 5 groups, and there are 1"),
        (
            {"cv": [(range(10), range(10, 20))], "groups": [0, 1] * 10},
            "split 1 tests rows of groups",
        ),
        ({"groups": [1] * 20, "ordered": True}, "by group or by time, not both"),
        ({"cv": KFold(3), "ordered": True}, "give cv as a number of folds"),
        ({"cv": [([0, 1], [1, 2])]}, "split 1 tests 1 rows that its model learns from"),
        ({"cv": [([0, 1], [20])]}, "numbers from 0 to 19"),
        ({"cv": [([0, 1], [])]}, "none to test on"),
        ({"cv": []}, "gives no split"),
        ({"scoring": "acuracy"}, "did you mean 'accuracy'"),
        ({"scoring": ["f1", "nothing at all"]}, "known are accuracy"),
        ({"loss": "zeroone"}, "did you mean 'zero_one'"),
        ({"loss": lambda *_: [0.5]}, "one finite number for each"),
        ({"y": [0] * 19}, "inconsistent numbers of samples"),
        ({"y": [None] + [1] * 19}, "y has 1 missing values"),
        ({"model": LinearRegression(), "loss": "zero_one"}, "zero-one loss is for classifiers"),
        ({"y": RARE, "cv": 3, "loss": "squared"}, "needs numbers, and y holds 'a'"),
        ({"model": KNeighborsClassifier(1), "sample_weight": [1] * 20}, "takes no sample_weight"),
        ({"model": LogisticRegression(C=-1.0)}, "could not be fitted without fold 1: .*'C'"),
        ({"sample_weight": [-1] * 20}, "Negative values"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(changes, message):
    given = {"model": DummyClassifier(), "X": SMALL, "y": np.arange(20) % 2, **changes}
    model, rows, labels = (given.pop(name) for name in ("model", "X", "y"))
    with pytest.raises(ValueError, match=message):
        cross_validate(model, rows, labels, **given)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GaussianNaiveBayes, r"is a class; pass a model made from it: GaussianNaiveBayes\(\)"),
        (3, "3 is not an estimator: it has no method fit"),
        (StandardScaler(), "no method predict"),
    ],
)
def test_what_is_no_model_is_refused(model, message):
    with pytest.raises(TypeError, match=message):
        cross_validate(model, SMALL, np.arange(20) % 2)
    with pytest.raises(TypeError, match="must be a number of folds"):
        cross_validate(DummyClassifier(), SMALL, np.arange(20) % 2, cv="five")


@pytest.mark.parametrize(
    ("name", "loss"), [("zero_one", ZeroOne()), ("squared", Square()), ("absolute", Absolute())]
)
def test_a_loss_given_as_an_object_is_the_loss_of_that_name(name, loss):
    model = GaussianNaiveBayes()
    by_name, by_object = (cross_validate(model, X, Y, loss=given) for given in (name, loss))
    np.testing.assert_array_equal(by_name.losses, by_object.losses)
    assert by_name.loss == by_object.loss
    assert by_name.counts_errors == by_object.counts_errors == (name == "zero_one")


def test_a_function_that_calls_itself_zero_one_is_not_believed():
    def zero_one(y, predicted):
        return (y != predicted) * 0.5

    result = cross_validate(
        GaussianNaiveBayes(), X, Y, loss=zero_one, cv=KFold(4), keep_models=True
    )
    statuses = {p.key: p.status for p in result.mean_risk_certificate().preconditions}
    assert statuses["range"] == "assumed"


@pytest.mark.parametrize(
    "cv",
    [4, KFold(4), LeaveOneGroupOut(), PredefinedSplit(np.arange(40) // 10), "pairs"],
    ids=["number", "KFold", "LeaveOneGroupOut", "PredefinedSplit", "pairs"],
)
@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_where_groups_were_named_rows_are_no_draws_of_their_own_whoever_dealt_them(cv):
    X, y, groups = np.arange(80.0).reshape(40, 2), np.arange(40) % 2, np.arange(40) // 5
    if cv == "pairs":
        cv = list(KFold(4).split(X))
    folds = cross_validate(DummyClassifier(), X, y, cv=cv, groups=groups, keep_models=True)
    assert folds.mean_risk_certificate().status == "void"
