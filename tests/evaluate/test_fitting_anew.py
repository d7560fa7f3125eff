"""Models of folds were trained without their folds only if they brought nothing along."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

import surelearn
from surelearn import cross_validate, nested_cross_validate

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


def of_noise(n=300, times=1):
    """Return rows whose labels are coins, each so many times: every model errs on half of them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), rng.integers(2, size=n)
    order = rng.permutation(times * n)
    return np.tile(X, (times, 1))[order], np.tile(y, times)[order]


def known_of(certificate):
    return {p.key: (p.status, p.evidence) for p in certificate.preconditions}


@pytest.mark.parametrize("rounded", [False, True])
def test_copies_in_other_folds_are_seen_and_said(rounded):
    X, y = of_noise(times=2)
    if rounded:
        X[::2] = X[::2].astype(np.float32)
    cv = KFold(5, shuffle=True, random_state=0)
    result = cross_validate(KNeighborsClassifier(1), X, y, cv=cv, keep_models=True)
    status, told = known_of(result.mean_risk_certificate())["unseen"]
    assert status == "assumed"
    assert "of 600 rows coincide with rows that the model tested on them learnt from" in told


def test_each_candidate_of_a_nested_cross_validation_is_looked_at():
    X, y = of_noise()
    learnt = FrozenEstimator(KNeighborsClassifier(1).fit(X, y))
    models = {"first": DummyClassifier(), "frozen": learnt}
    nested = nested_cross_validate(models, X, y, cv=KFold(5, shuffle=True, random_state=0))
    known = known_of(nested.outer.mean_risk_certificate())
    assert known["unseen"][0] == "assumed"
    assert known["row_by_row"][1].startswith("the same on 16 rows")


def test_a_splitter_is_known_by_its_class_not_by_its_name():
    class Sorted(KFold):
        def split(self, X, y=None, groups=None):  # noqa: ARG002
            order = np.argsort(y, kind="stable")
            return ((np.setdiff1d(order, part), part) for part in np.array_split(order, 3))

    Sorted.__name__ = "KFold"
    replaced = KFold(3)
    replaced.split = Sorted(3).split
    X, y = of_noise(60)
    for cv, status in (
        (Sorted(3), "assumed"),
        (replaced, "assumed"),
        (KFold(3), "by-construction"),
    ):
        result = cross_validate(KNeighborsClassifier(1), X, y, cv=cv, keep_models=True)
        known = known_of(result.mean_risk_certificate())
        assert known["folds"][0] == status
        assert known["not_chosen_by_them"][0] == "assumed"
