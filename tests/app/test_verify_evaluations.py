"""Certificates of ways to evaluate are passed, whatever they honestly say of models and rows."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import KFold

from surelearn import (
    AxisAlignedRectangle,
    GaussianNaiveBayes,
    NearestNeighborsClassifier,
    Perceptron,
    cross_validate,
    minimize_structural_risk,
    progressive_validate,
)
from surelearn.app.verify import verify_certificate
from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Noisy

X, Y = Noisy(3, 0.1).draw(60, seed=0)
OLD_X, OLD_Y = Noisy(3, 0.1).draw(40, seed=1)


def refused(certificate):
    """Return what `verify` finds against a certificate that was written and read."""
    read = Certificate.from_json(certificate.to_json())
    assert read.status != "void"
    return [found for found in verify_certificate(read) if not found.holds]


@pytest.mark.parametrize("rows", [X, np.sign(X)], ids=["distinct", "copies"])
@pytest.mark.parametrize("frozen", [False, True], ids=["of ours", "fitted before"])
def test_the_mean_risk_of_fold_models_is_passed(rows, frozen):
    ours = Perceptron(max_iter=2)
    model = FrozenEstimator(ours.fit(OLD_X, OLD_Y)) if frozen else ours
    folds = cross_validate(model, rows, Y, cv=KFold(5), keep_models=True)
    assert refused(folds.mean_risk_certificate()) == []


def test_progressive_validation_chunk_by_chunk_is_passed():
    learner = GaussianNaiveBayes().fit(OLD_X, OLD_Y)
    chunks = [(X[i : i + 20], Y[i : i + 20]) for i in range(0, 60, 20)]
    assert refused(progressive_validate(learner, chunks).certificate) == []


def test_mistakes_on_each_of_three_classes_that_can_be_parted_are_passed():
    rows = np.eye(3)[np.arange(30) % 3]
    issued = Perceptron(max_iter=20).fit(rows, np.array(["a", "b", "c"])[np.arange(30) % 3])
    found = [c for c in issued.certificates() if c.status != "void"]
    assert any("against the rest" in c.subject and c.method.endswith("novikoff") for c in found)
    assert [refused(c) for c in found if refused(c)] == []


@pytest.mark.parametrize(
    "model", [NearestNeighborsClassifier(n_neighbors=3), Perceptron(), AxisAlignedRectangle()]
)
def test_structural_risk_of_learners_that_bound_their_own_risk_is_passed(model):
    labels = np.abs(X).max(axis=1) < 1.5  # a box
    assert refused(minimize_structural_risk({"rules": model}, X, labels).certificate) == []
