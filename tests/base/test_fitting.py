"""What a fit puts in an estimator's place is complete before anybody sees it."""

import numpy as np
import pytest

from surelearn import (
    C45Classifier,
    CARTClassifier,
    GradientBoostingClassifier,
    Holdout,
    LogisticRegression,
    RandomForestClassifier,
    SupportVectorClassifier,
)
from surelearn.base import fitting
from surelearn.base.fitting import class_weights

X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]


def test_a_model_is_sealed_before_other_threads_can_see_it(monkeypatch):
    """They would find a dictionary that grows while they look through it."""
    model, seen, seal = CARTClassifier().fit(X, Y), [], fitting.sealed

    def watched(made):
        held = vars(model)
        before = dict(held)
        done = seal(made)
        seen.append(vars(model) is held and held == before)
        return done

    monkeypatch.setattr(fitting, "sealed", watched)
    model.fit(X[:3], Y[:3])
    assert seen == [True]
    assert "_seal" in vars(model)


@pytest.mark.parametrize(
    "learner",
    [
        CARTClassifier(max_depth=2),
        C45Classifier(max_depth=2),
        RandomForestClassifier(5, random_state=0, max_depth=2),
        GradientBoostingClassifier(n_estimators=2, min_samples_leaf=2),
        LogisticRegression(tol=1e-8),
        SupportVectorClassifier(),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_rows_without_weight_do_not_count_when_classes_are_balanced(learner):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), (np.arange(60) % 5 == 0).astype(int)
    y[40:] = 1  # so many that the classes of all rows are balanced in another way
    learner.set_params(class_weight="balanced")
    found = scores_of(learner.fit(X, y, sample_weight=np.arange(60) < 40), X)
    assert found == pytest.approx(scores_of(learner.fit(X[:40], y[:40]), X), abs=1e-6)
    assert found != pytest.approx(scores_of(learner.fit(X, y), X), abs=1e-6)  # the control


def scores_of(model, X):
    ask = getattr(model, "decision_function", None) or model.predict_proba
    return ask(X)


def test_labels_held_out_by_a_weight_of_zero_decide_nothing():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(60, 2)), np.arange(60) % 2, np.arange(60) < 40
    other = np.where(weights, y, 1)
    learner = CARTClassifier(max_depth=2, class_weight="balanced")
    one = learner.fit(X, y, sample_weight=weights).predict_proba(X)
    assert (learner.fit(X, other, sample_weight=weights).predict_proba(X) == one).all()
    known = {p.key: p for p in Holdout(X[40:], other[40:]).certify(learner).preconditions}
    assert known["unseen"].status == "checked"


def test_a_class_without_rows_weighs_nothing():
    assert class_weights("balanced", np.array([0, 1, 2]), np.array([6, 0, 2])).tolist() == [
        8 / 12,
        0.0,
        2.0,
    ]
