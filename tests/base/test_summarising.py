"""Summarise, add, solve: blocks equal the whole, and what fails leaves no mark."""

import pickle

import numpy as np
import pytest

from surelearn.base.summarising import SummarisingLearner
from surelearn.learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes


class WeightedMean(SummarisingLearner):
    def _admit(self, X, y, sample_weight, *, first):  # noqa: ARG002
        X = np.asarray(X, dtype=float)
        if first:
            self.n_features_in_ = X.shape[1]
        if X.shape[1] != self.n_features_in_:
            raise ValueError("another number of features")
        return X, None, np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight)

    def _summarise(self, X, y, weights):  # noqa: ARG002
        return np.append(weights @ X, weights.sum())

    def _solve(self, record):
        if record[-1] > 100:
            raise ArithmeticError("too much weight")
        self.mean_ = record[:-1] / record[-1]


ROWS = np.arange(12.0).reshape(6, 2)


@pytest.mark.parametrize("cuts", [[], [1], [2, 3], [1, 2, 3, 4, 5]])
def test_blocks_of_any_size_give_the_model_of_all_rows(cuts):
    model = WeightedMean()
    for block in np.split(ROWS, cuts):
        model.partial_fit(block)
    np.testing.assert_array_equal(model.mean_, WeightedMean().fit(ROWS).mean_)
    np.testing.assert_array_equal(model.record_, WeightedMean().fit(ROWS).record_)


def test_fit_forgets_and_partial_fit_does_not():
    model = WeightedMean().fit(ROWS[:2])
    assert model.partial_fit(ROWS[2:]).mean_.tolist() == ROWS.mean(axis=0).tolist()
    assert model.fit(ROWS[:1]).mean_.tolist() == ROWS[0].tolist()


def test_a_refused_block_and_an_unsolvable_sum_leave_no_mark():
    for model in (WeightedMean(), WeightedMean().fit(ROWS)):
        before = pickle.dumps(model)
        for call in (model.fit, model.partial_fit):
            with pytest.raises(ArithmeticError):
                call(ROWS, sample_weight=np.full(6, 50.0))
            assert pickle.dumps(model) == before
    with pytest.raises(ValueError, match="number of features"):
        model.partial_fit(ROWS[:, :1])
    assert pickle.dumps(model) == before


def test_records_add_in_any_order():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(90, 3)), rng.integers(0, 2, 90)
    X[60:, 0] += 3
    blocks = zip(np.split(X, [30, 60]), np.split(y, [30, 60]), strict=True)
    records = [CategoricalNaiveBayes().fit(rows, labels).record_ for rows, labels in blocks]
    whole = CategoricalNaiveBayes().fit(X, y).record_
    for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0)):
        total = records[order[0]] + records[order[1]] + records[order[2]]
        np.testing.assert_array_equal(total.counts.table, whole.counts.table)
        np.testing.assert_array_equal(total.weight, whole.weight)
        assert total.n_rows == 90
