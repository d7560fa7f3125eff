"""Masked labels are missing, and large whole numbers are told apart."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, clone

import surelearn
from surelearn import Holdout, Quantile, compare, cross_validate, progressive_validate
from surelearn.base import data_fingerprint, fingerprint
from surelearn.claims.predictions import differ
from surelearn.evaluate.intervals import holdout_interval
from surelearn.evaluate.ledger import forget
from surelearn.losses import CostMatrix, ZeroOne

BIG = 2**53
X = np.arange(40.0).reshape(20, 2)
y = np.arange(20) % 2
MASKED = np.ma.array(y, mask=np.arange(20) == 3)
HOLES = np.ma.array(X, mask=X == 4.0)
LEARNERS = [
    surelearn.Perceptron(),
    surelearn.CARTClassifier(),
    surelearn.LogisticRegression(),
    surelearn.GaussianNaiveBayes(),
    surelearn.NearestNeighborsClassifier(n_neighbors=1),
    surelearn.CARTRegressor(),
    surelearn.OnlineRidge(),
    surelearn.RidgeRegression(),
]


class Answers:
    """Answers what it was told to."""

    def __init__(self, answers):
        self.answers = np.asarray(answers)

    def predict(self, X):
        return self.answers[np.asarray(X)[:, 0].astype(int)]


MISSING_ALLOWED = (surelearn.CARTClassifier, surelearn.CARTRegressor, surelearn.GaussianNaiveBayes)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_masked_labels_and_rows_are_missing(learner):
    with pytest.raises(ValueError, match="1 masked value, which is missing"):
        learner.fit(X, MASKED)
    assert not hasattr(learner, "n_features_in_")
    if isinstance(learner, MISSING_ALLOWED):
        filled, masked = (clone(learner).fit(rows, y) for rows in (HOLES.filled(np.nan), HOLES))
        assert fingerprint(filled) == fingerprint(masked)
        return
    with pytest.raises(ValueError, match="NaN"):
        learner.fit(HOLES, y)


def test_masked_labels_are_refused_by_evaluations():
    model = surelearn.Perceptron()
    for ask in (
        lambda: Holdout(X, MASKED),
        lambda: Holdout.split(X, MASKED, seed=0),
        lambda: cross_validate(model, X, MASKED),
        lambda: progressive_validate(model, X, MASKED),
    ):
        with pytest.raises(ValueError, match="1 masked value, which is missing"):
            ask()


class Counts:
    """Counts the cells that are missing, and answers 0."""

    def __init__(self):
        self.seen = []

    def predict(self, X):
        self.seen.append(int(np.isnan(np.asarray(X)).sum()))
        return np.zeros(len(X))


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: Holdout(HOLES, y).certify(model),
        lambda model: compare(model, Counts(), HOLES, y),
        lambda model: holdout_interval(model, HOLES, y, loss="zero_one"),
    ],
)
def test_what_lies_under_a_mask_is_shown_to_no_model(ask):
    model = Counts()
    ask(model)
    assert model.seen[0] == 1


def test_a_mask_that_hides_nothing_is_no_mask():
    nothing = np.ma.array(y, mask=np.zeros(20, dtype=bool))
    assert surelearn.Perceptron().fit(np.ma.array(X), nothing).classes_.tolist() == [0, 1]


def test_missing_labels_of_pandas_are_missing():
    labels = pd.array([0, 1, None] + [0] * 17, dtype="Int64")
    with pytest.raises(ValueError, match="y has 1 missing labels"):
        Holdout(X, labels)


class Abstains(BaseEstimator, Answers):
    """Masks its answers where it does not know."""

    def predict(self, X):
        return np.ma.array(super().predict(X), mask=np.asarray(X)[:, 0] % 4 == 0)

    def fit(self, X, y):  # noqa: ARG002 - it was told what to answer
        return self

    partial_fit = fit


@pytest.mark.parametrize(
    "ask",
    [
        lambda model: Holdout(X, y).certify(model),
        lambda model: compare(model, Answers([0] * 40), X, y),
        lambda model: holdout_interval(model, X, y, loss="zero_one"),
        lambda model: cross_validate(model, X, y, loss="zero_one"),
        lambda model: progressive_validate(model, X, y),
    ],
)
def test_a_masked_answer_is_no_answer(ask):
    with pytest.raises(ValueError, match="rows with a masked value, which is no answer"):
        ask(Abstains([0] * 40))


@pytest.mark.parametrize("loss", [ZeroOne(), CostMatrix(costs=[[0, 1], [1, 0]])])
def test_losses_of_labels_refuse_what_is_masked(loss):
    for labels, predictions in ((MASKED, y), (y, MASKED)):
        with pytest.raises(ValueError, match="masked values, which are missing"):
            loss(labels, predictions)


@pytest.mark.parametrize("kind", ["Int64", "UInt64"])
def test_columns_that_may_have_gaps_are_not_rounded(kind):
    labels = pd.Series(np.full(20, BIG + 1)).astype(kind)
    rows = np.arange(20.0)[:, np.newaxis]
    for given in (labels, labels.array, labels.to_frame()):
        found = Holdout(rows, given)
        assert found.y.tolist() == [BIG + 1] * 20
    assert Holdout(rows, labels).certify(Answers(np.full(20, float(BIG)))).observed == 1.0
    assert surelearn.CARTClassifier().fit(rows, labels).classes_.tolist() == [BIG + 1]


def test_errors_of_large_targets_are_no_smaller_than_they_are():
    held_out = Holdout(np.arange(60.0)[:, np.newaxis], np.full(60, BIG + 1), loss=Quantile(0.1))
    assert held_out.certify(Answers(np.full(60, float(BIG)))).bound >= 1.0


LARGE = {
    "int64": (np.full(20, BIG + 1), np.full(20, float(BIG))),
    "uint64": (np.full(20, BIG + 1, dtype=np.uint64), np.full(20, float(BIG))),
    "negative": (np.full(20, -BIG - 1), np.full(20, -float(BIG))),
    "mixed": (np.full(20, 2**63, dtype=np.uint64), np.full(20, -(2**63))),
}


@pytest.mark.parametrize(("labels", "answers"), LARGE.values(), ids=LARGE)
def test_large_labels_are_not_rounded_to_count_an_answer_right(labels, answers):
    rows = np.arange(20.0)[:, np.newaxis]
    held_out = Holdout(rows, labels, by_class=True)
    certificate = held_out.certify(Answers(answers))
    pairs = zip(labels.tolist(), answers.tolist(), strict=True)
    wrong = [label != answer for label, answer in pairs]
    assert certificate.observed == np.mean(wrong) > 0.0
    assert ZeroOne()(labels, answers).tolist() == wrong


def test_equal_large_labels_are_equal():
    labels = np.full(20, BIG + 2)
    assert ZeroOne()(labels, labels.astype(float)).sum() == 0.0


@pytest.mark.parametrize("kind", ["i8", "u8"])
def test_a_large_label_is_no_other_one_when_learning_goes_on(kind):
    labels = np.array([0, BIG + 1] * 10, dtype=kind)
    model = surelearn.Perceptron().partial_fit(X, labels)
    with pytest.raises(ValueError, match="is not among the classes"):
        model.partial_fit(X[:1], np.array([float(BIG)]))
    assert model.partial_fit(X[:1], np.array([0.0])).n_rounds_ == 21


@pytest.mark.parametrize("labels", [[2**63, -1] * 10, [BIG + 1, 0.5] * 10])
def test_a_list_that_an_array_would_round_is_refused(labels):
    for ask in (surelearn.CARTClassifier().fit, surelearn.Perceptron().fit, Holdout):
        with pytest.raises(ValueError, match="an array would round"):
            ask(X, labels)


def test_tables_of_large_numbers_are_told_apart():
    first, second = (np.array([[BIG + more]]) for more in (0, 1))
    assert data_fingerprint(first, [0]) != data_fingerprint(second, [0])


@pytest.mark.parametrize("sign", [1, -1])
def test_the_first_whole_number_that_is_rounded_is_told_apart_too(sign):
    """Rounded, 2^53 + 1 is 2^53: a truth in floats, an answer in whole numbers."""
    truth, answers = np.full(50, sign * 2.0**53), np.full(50, sign * (BIG + 1))
    assert differ(truth, answers).all()
    assert differ(answers, truth).all()
    assert not differ(truth, answers - sign).any()
    assert differ(np.full(3, np.inf), np.arange(3)).all()


def test_whole_numbers_of_128_bits_are_refused_as_labels_and_told_apart_in_tables():
    wide = pl.Series("x", [1, 2, 3, 4], dtype=pl.Int128)
    with pytest.raises(ValueError, match="128 bits: cast them to 64"):
        surelearn.CARTClassifier().fit(np.eye(4), wide)
    same = data_fingerprint(np.arange(1.0, 5.0)[:, np.newaxis], [0, 1, 0, 1])
    assert data_fingerprint(wide.to_frame(), [0, 1, 0, 1]) == same
    larger = pl.DataFrame({"x": pl.Series([2**70, 2**71, 3, 4], dtype=pl.Int128)})
    assert data_fingerprint(larger, [0, 1, 0, 1]) != same


def test_the_nan_of_decimals_that_signals_is_a_missing_label():
    labels = [Decimal("sNaN"), Decimal(1), Decimal(2), Decimal(1)]
    with pytest.raises(ValueError, match="some targets are missing"):
        surelearn.CARTClassifier().fit(np.eye(4), labels)
    with pytest.raises(ValueError, match="1 missing label"):
        Holdout(np.eye(4), labels)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ([float("nan"), "a"] * 10, "missing|NaN"),
        ([1, "1"] * 10, "mixes"),
        ([True, "True"] * 10, "mixes"),
        ([b"a", "a"] * 10, "mixes"),
    ],
    ids=str,
)
def test_a_list_of_several_kinds_does_not_become_text(labels, why):
    """NumPy makes "nan" a class of its own, and 1 and "1" one label."""
    for ask in (surelearn.CARTClassifier().fit, surelearn.Perceptron().fit):
        with pytest.raises(ValueError, match=why):
            ask(X, labels)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has it")
def test_text_of_any_length_is_text():
    labels = np.array(["no", "yes"] * 10, dtype=np.dtypes.StringDType())
    for learner in (surelearn.CARTClassifier(), surelearn.Perceptron()):
        model = learner.fit(X, labels)
        assert model.classes_.tolist() == ["no", "yes"]
        wrong = np.mean(model.predict(X + 0.1) != labels.astype(object))
        assert Holdout(X + 0.1, labels).certify(model).observed == wrong
        forget()


@pytest.mark.parametrize("labels", [list, lambda y: np.array(y, dtype=object)])
def test_a_signal_among_decimals_is_refused_in_a_sentence(labels):
    y = labels([Decimal("sNaN"), Decimal(1)] * 10)
    for ask in (surelearn.Perceptron().fit, surelearn.LinearRegression().fit):
        with pytest.raises(ValueError, match="some targets are missing"):
            ask(X, y)
    model = surelearn.Perceptron().fit(X, [0, 1] * 10)
    with pytest.raises(ValueError, match="is not the label of one row"):
        model.learn_one(X[0], y[0])
    for gap in ("NaN", "sNaN"):
        with pytest.raises(ValueError, match="cannot be sorted"):
            surelearn.Perceptron().partial_fit(X, [0, 1] * 10, classes=[Decimal(gap), Decimal(1)])


@pytest.mark.parametrize("kind", [surelearn.CARTRegressor, surelearn.GradientBoostingRegressor])
def test_a_target_beyond_all_floats_is_refused_in_a_sentence(kind):
    with pytest.raises(ValueError, match="too large for a float"):
        kind().fit(X, [10**400, 1] * 10)


UNION = pa.UnionArray.from_sparse(
    pa.array([0, 1] * 10, pa.int8()), [pa.array([1] * 20), pa.array(["q"] * 20)]
)


@pytest.mark.parametrize("labels", [UNION, pa.chunked_array([UNION])])
def test_a_column_that_no_array_can_hold_is_no_column_of_labels(labels):
    for ask in (
        lambda: surelearn.CARTClassifier().fit(X, labels),
        lambda: surelearn.Perceptron().fit(X, labels),
        lambda: surelearn.LinearRegression().fit(X, labels),
        lambda: Holdout(X, labels),
        lambda: Holdout(X, y, groups=labels),
    ):
        with pytest.raises(ValueError, match="which no array has"):
            ask()


def test_whole_numbers_of_128_bits_are_no_groups():
    with pytest.raises(ValueError, match="'int128', which no array has"):
        Holdout(X, y, groups=pl.Series([2**100, 1] * 10, dtype=pl.Int128))


def test_a_table_with_a_column_of_several_types_is_refused_in_a_sentence():
    table = pa.table({"a": UNION, "b": X[:, 0]})
    for ask in (
        lambda: surelearn.CARTClassifier().fit(table, y),
        lambda: surelearn.Perceptron().fit(table, y),
        lambda: surelearn.AlternatingLeastSquares().fit(table, y),
        lambda: Holdout(table, y),
    ):
        with pytest.raises(ValueError, match="column"):
            ask()


@pytest.mark.parametrize("kind", [Decimal, pd.Timestamp, lambda k: frozenset([k])])
@pytest.mark.parametrize("n_classes", [3, 20])
def test_classes_that_no_label_can_be_are_refused_in_a_sentence(kind, n_classes):
    classes = [kind(k) for k in range(n_classes)]
    for learner in (surelearn.Perceptron(), surelearn.GaussianNaiveBayes()):
        with pytest.raises(ValueError, match=r"is not among the classes|cannot be sorted"):
            learner.partial_fit(X, ["no", "yes"] * 10, classes=classes)


@pytest.mark.parametrize("classes", [[None, 1], [[0], [1]], {0: 1}, [np.eye(2)] * 2])
def test_what_names_no_classes_is_refused_in_a_sentence(classes):
    for learner in (surelearn.Perceptron(), surelearn.GaussianNaiveBayes()):
        with pytest.raises(ValueError, match=r"cannot be sorted|is not a list of labels"):
            learner.partial_fit(X, y, classes=classes)


def test_a_signal_in_a_list_of_lists_is_refused_in_a_sentence():
    for learner in (surelearn.Perceptron(), surelearn.CARTClassifier()):
        with pytest.raises(ValueError, match=r"missing|1d array"):
            learner.fit(X, [[Decimal("sNaN"), 1]] * 20)
