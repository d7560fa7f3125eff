"""Masked labels are missing, and large whole numbers are told apart."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import surelearn
from surelearn import Holdout, compare, cross_validate, progressive_validate
from surelearn.base import data_fingerprint, fingerprint
from surelearn.evaluate.intervals import holdout_interval
from surelearn.losses import ZeroOne

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
