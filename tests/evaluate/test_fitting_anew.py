"""Models of folds were trained without their folds only if they brought nothing along."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import surelearn
from surelearn import cross_validate

X = np.random.default_rng(0).normal(size=(60, 2))
y = (X[:, 0] > 0.0).astype(int)
FITTED = LogisticRegression().fit(X, y)


class Prefitted(ClassifierMixin, BaseEstimator):
    """Its fit does nothing."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):  # noqa: ARG002 - it has learnt already
        return self

    def predict(self, X):
        return FITTED.predict(X)


class Plain:
    """No estimator of scikit-learn: a copy of it keeps what it has learnt."""

    def fit(self, X, y):  # noqa: ARG002 - as above
        return self

    def predict(self, X):
        return FITTED.predict(X)


def unseen(model):
    cv = KFold(3, shuffle=True, random_state=0)
    certificate = cross_validate(model, X, y, cv=cv, keep_models=True).mean_risk_certificate()
    return next(p for p in certificate.preconditions if p.key == "unseen")


BRINGING = {
    "frozen": FrozenEstimator(FITTED),
    "at the end": make_pipeline(StandardScaler(), FrozenEstimator(FITTED)),
    "calibrated": CalibratedClassifierCV(FrozenEstimator(FITTED), cv=2),
    "stack": StackingClassifier([("a", FrozenEstimator(FITTED))], SVC(), cv=2),
    "prefitted": Prefitted(FITTED),
    "no estimator": Plain(),
    "function": make_pipeline(FunctionTransformer(lambda X: X + FITTED.coef_), SVC()),
}


@pytest.mark.parametrize("model", BRINGING.values(), ids=BRINGING)
def test_a_model_that_may_have_learnt_before_is_assumed_to_be_new_to_the_folds(model):
    found = unseen(model)
    assert found.status == "assumed"
    assert "may have learnt before" in found.evidence


ANEW = {
    "ours": surelearn.Perceptron(),
    "line": LogisticRegression(random_state=np.random.RandomState(0)),
    "fitted before": LogisticRegression().fit(X, y),
    "pipeline": make_pipeline(FunctionTransformer(np.tanh), surelearn.CARTClassifier()),
    "ensemble": BaggingClassifier(SVC(), n_estimators=2, random_state=0),
}


@pytest.mark.parametrize("model", ANEW.values(), ids=ANEW)
def test_a_model_that_begins_anew_was_trained_without_its_fold(model):
    assert unseen(model).status == "by-construction"
