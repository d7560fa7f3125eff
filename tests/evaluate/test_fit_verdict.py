"""A verdict of over- or underfitting rests on intervals; "cannot tell" is an answer."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor

from surelearn import NearestNeighborsClassifier
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.fit_verdict import LossRange, judge_fit, verdict_of
from surelearn.evaluate.learning_curve import LearningCurve, learning_curve

X, Y = load_breast_cancer(return_X_y=True)
TRAIN, TEST, LABELS, TRUTH = train_test_split(X, Y, test_size=0.5, random_state=0, stratify=Y)


@pytest.mark.parametrize(
    ("k", "kind", "train", "test"),
    [(1, "overfitting", 0.0, 0.1018), (251, "underfitting", 0.3732, 0.3719)],
)
def test_the_verdicts_of_the_catalogue(k, kind, train, test):
    model = NearestNeighborsClassifier(n_neighbors=k).fit(TRAIN, LABELS)
    verdict = judge_fit(model, TRAIN, LABELS, TEST, TRUTH)
    assert verdict.kind == kind
    assert verdict.training.mean == pytest.approx(train, abs=1e-4)
    assert verdict.unseen.mean == pytest.approx(test, abs=1e-4)
    assert verdict.baseline == pytest.approx(0.3719, abs=1e-4)
    assert verdict.gap.mean == verdict.unseen.mean - verdict.training.mean
    assert "estimate, not a certificate" in str(verdict)
    assert f"{verdict.gap.low:.4g}" in str(verdict)


def test_a_verdict_tells_the_level_of_its_intervals_in_all_digits():
    verdict = verdict_of(LossRange(0.1, 0, 1), LossRange(0.1, 0, 1), baseline=0.5, level=0.999)
    assert "have level 99.9%." in str(verdict)


def test_the_curve_has_the_verdict_of_its_end():
    X, y = Noisy(n_features=5, bayes_risk=0.02).draw(800, seed=0)
    memory = learning_curve(NearestNeighborsClassifier(n_neighbors=1), X, y, sizes=[40, 640])
    assert memory.verdict.kind == "overfitting"
    assert memory.verdict.unseen.mean == pytest.approx(memory.validation_mean[-1])
    assert memory.verdict.training.mean == pytest.approx(memory.training_mean[-1])
    assert learning_curve(DummyClassifier(), X, y, sizes=[40, 640]).verdict.kind == "underfitting"
    assert (
        LearningCurve(model=None, sizes=np.array([1]), training=X, validation=X, loss="x").verdict
        is None
    )


def test_few_rows_cannot_tell_and_many_clean_ones_show_neither():
    X, y = Noisy(n_features=3, bayes_risk=0.0).draw(5000, seed=1)
    few = GaussianNB().fit(X[:10], y[:10])
    assert judge_fit(few, X[:10], y[:10], X[10:14], y[10:14]).kind == "cannot tell"
    many = GaussianNB().fit(X[:2500], y[:2500])
    assert judge_fit(many, X[:2500], y[:2500], X[2500:], y[2500:]).kind == "neither"


def test_targets_that_are_numbers_are_judged_against_their_mean():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=600)
    parts = (X[:300], y[:300], X[300:], y[300:])
    kinds = {
        type(model).__name__: judge_fit(model.fit(*parts[:2]), *parts).kind
        for model in (LinearRegression(), DecisionTreeRegressor(random_state=0), DummyRegressor())
    }
    assert kinds == {
        "LinearRegression": "neither",
        "DecisionTreeRegressor": "overfitting",
        "DummyRegressor": "underfitting",
    }


def test_a_model_that_learns_noise_does_both():
    wrong, worse = LossRange(0.4, 0.38, 0.42), LossRange(0.5, 0.48, 0.52)
    assert verdict_of(wrong, worse, baseline=0.5, level=0.95).kind == "both"
    assert verdict_of(wrong, wrong, baseline=0.5, level=0.95).kind == "underfitting"


def test_intervals_are_wrong_about_a_model_without_a_gap_as_rarely_as_they_say():
    rng = np.random.default_rng(3)
    fooled = 0
    for _ in range(300):
        seen, unseen = (rng.random(100) < 0.1 for _ in range(2))
        model = DummyClassifier(strategy="constant", constant=0).fit([[0.0]] * 2, [0, 1])
        rows = np.zeros((100, 1))
        verdict = judge_fit(model, rows, seen.astype(int), rows, unseen.astype(int))
        fooled += verdict.kind == "overfitting"
    assert fooled <= 300 * 0.12  # both sides are random, the interval covers one of them
