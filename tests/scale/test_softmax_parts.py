"""Logistic regression and maximum entropy on parts: what their certificates and refusals need."""

import numpy as np
import pytest

from scale.conftest import written
from surelearn import (
    LogisticRegression,
    MaximumEntropy,
    MaximumEntropyQuasiNewton,
)
from surelearn.learners.linear import _parted_constraints
from surelearn.learners.linear._softmax import parted


def rows(n=160, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ np.ones(d) + rng.logistic(size=n) > 0.0).astype(int)


def told(model):
    (found,) = model.certificates()
    return found.bound, found.n, found.preconditions


@pytest.mark.parametrize("n", [160, 40], ids=["many rows", "few rows, by their margins"])
def test_the_certificate_is_that_of_all_rows(n, tmp_path):
    X, y = rows(n, d=12)
    found = LogisticRegression(tol=1e-11).fit(written(tmp_path, X, y))
    whole = LogisticRegression(tol=1e-11).fit(np.ascontiguousarray(X), y)
    assert (found.training_margins_ is None) == (n == 160)
    assert told(found)[1:] == told(whole)[1:]
    assert told(found)[0] == pytest.approx(told(whole)[0], rel=1e-9)
    assert found.suboptimality_ < 1e-15
    found.training_errors_ = 0
    with pytest.raises(ValueError, match="changed"):  # the seal is there, too
        found.certificates()


@pytest.mark.parametrize("touching", [False, True])
def test_classes_that_can_be_separated_are_refused_without_a_penalty(touching, tmp_path):
    X = np.arange(40.0)[:, np.newaxis] / 10.0
    X[20] = X[19] if touching else X[20]
    y = np.repeat([0, 1], 20)
    parts = written(tmp_path, X, y)
    learner = LogisticRegression(C=float("inf"))
    with pytest.raises(ValueError, match="can be separated"):
        learner.fit(parts)
    assert not hasattr(learner, "coef_")
    assert LogisticRegression(C=1.0).fit(parts).training_errors_ <= 1


@pytest.mark.parametrize("tiny", [1e-303, 5e-324])
def test_weights_by_whose_sum_nothing_can_be_divided_are_refused_by_name(tiny, tmp_path):
    X, y = rows(40)
    learner = LogisticRegression(class_weight={0: tiny, 1: tiny})
    with pytest.raises(ValueError, match="makes the weights of all rows sum to"):
        learner.fit(written(tmp_path, X, y))


def test_weights_of_rows_and_classes_count_and_a_part_may_have_none(tmp_path):
    X, y = rows()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    weights[32:48] = 0.0
    make = {"class_weight": {0: 2.0, 1: 0.5}, "tol": 1e-11}
    found = LogisticRegression(**make).fit(written(tmp_path, X, y, weights))
    whole = LogisticRegression(**make).fit(X, y, weights)
    assert np.allclose(found.coef_, whole.coef_, rtol=1e-8)
    assert found.training_errors_ == whole.training_errors_
    plain = LogisticRegression(tol=1e-11).fit(X, y)  # the control: weights make a difference
    assert not np.allclose(plain.coef_, whole.coef_, rtol=1e-2)


@pytest.mark.parametrize("learner", [MaximumEntropy, MaximumEntropyQuasiNewton])
def test_a_part_without_weight_adds_nothing_to_the_entropy(learner, tmp_path):
    X, y = rows(64, d=2)
    X, weights = (X > 0.0).astype(float), np.ones(64)
    weights[16:32] = 0.0
    found = learner(tol=1e-2).fit(written(tmp_path, X, y, weights))
    whole = learner(tol=1e-2).fit(X, y, weights)
    assert np.allclose(found.weights_, whole.weights_, rtol=1e-9)
    assert found.entropy_ == pytest.approx(whole.entropy_, rel=1e-12)


def test_a_table_too_wide_for_a_matrix_metric_reaches_the_same_optimum(tmp_path, monkeypatch):
    X, y = rows()
    monkeypatch.setattr(parted, "DENSE_METRIC", 2)
    found = LogisticRegression(tol=1e-10).fit(written(tmp_path, X, y))
    assert np.allclose(found.coef_, LogisticRegression(tol=1e-10).fit(X, y).coef_, rtol=1e-7)


def test_rows_of_the_metric_without_weight_are_not_the_only_ones(tmp_path, monkeypatch):
    X, y = rows()
    weights = np.ones(len(y))
    weights[::16] = 0.0  # the first row of each part
    monkeypatch.setattr(parted.metric, "spacing", lambda n, width: 16 * (n > width))
    found = LogisticRegression(tol=1e-10).fit(written(tmp_path, X, y, weights))
    assert np.allclose(found.coef_, LogisticRegression(tol=1e-10).fit(X, y, weights).coef_)


def test_scaling_says_so_when_the_sum_of_the_features_takes_too_many_values(tmp_path, monkeypatch):
    X, y = rows(64, d=2)
    parts = written(tmp_path, np.abs(X), y)
    monkeypatch.setattr(_parted_constraints, "_MOST_MASSES", 100)
    with pytest.raises(ValueError, match="MaximumEntropyQuasiNewton"):
        MaximumEntropy().fit(parts)
    assert MaximumEntropyQuasiNewton(tol=1e-3).fit(parts).converged_


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda X, y: (np.where(X[20, 0] == X, np.nan, X), y), r"row group 1 of .*NaN"),
        (lambda X, y: (X, np.zeros_like(y)), "one class"),
        (lambda X, y: (1e200 * X, y), "overflow"),
    ],
)
def test_what_rows_are_refused_for_parts_are_refused_for(spoil, sentence, tmp_path):
    learner = LogisticRegression()
    with pytest.raises(ValueError, match=sentence):
        learner.fit(written(tmp_path, *spoil(*rows())))
    assert not hasattr(learner, "classes_")


def test_a_warm_start_begins_where_the_last_fit_ended(tmp_path):
    parts = written(tmp_path, *rows())
    learner = LogisticRegression(warm_start=True, tol=1e-6).fit(parts)
    assert learner.n_iter_ > 1
    assert learner.fit(parts).n_iter_ == 0
    assert LogisticRegression(tol=1e-6).fit(parts).n_iter_ > 1  # the control
