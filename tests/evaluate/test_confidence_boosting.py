"""Confidence boosting: how many runs, which rows, which run, and what is certified of it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn import CARTClassifier, Holdout, Perceptron, boost_confidence
from surelearn.bounds import concentration


class Lucky(ClassifierMixin, BaseEstimator):
    """A learner that finds the truth in one of ten runs and guesses otherwise."""

    def __init__(self, *, random_state=0):
        self.random_state = random_state

    def fit(self, X, y):
        """Roll the dice."""
        self.classes_, self.n_rows_ = np.unique(y), len(X)
        self.good_ = bool(np.random.default_rng(self.random_state).random() < 0.1)
        return self

    def predict(self, X):
        """Answer by the truth, or all the same."""
        return (X[:, 0] > 0.0).astype(int) if self.good_ else np.zeros(len(X), dtype=int)


def rows(n=3000, seed=0):
    """Return rows whose first column tells the label, but for a tenth of them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, ((X[:, 0] > 0.0) ^ (rng.random(n) < 0.1)).astype(int)


def test_the_number_of_runs_is_the_catalogues():
    result = boost_confidence(
        CARTClassifier(max_depth=1), *rows(), success_probability=0.05, delta=0.05, seed=0
    )
    assert result.n_runs == 72  # half of delta is for the runs, half for the choice


def test_a_lucky_run_is_found_and_certified_at_its_share_of_delta():
    X, y = rows()
    result = boost_confidence(
        Lucky(), X, y, success_probability=0.1, delta=0.05, samples="shared", seed=1
    )
    assert result.model.good_
    assert result.chosen == int(np.argmin(result.errors))
    certificate = result.certificate
    assert certificate.status == "valid"
    errors = round(certificate.observed * certificate.n)
    expected = concentration.clopper_pearson(
        errors=errors, n=certificate.n, delta=0.05 / result.n_runs
    )
    assert certificate.bound == pytest.approx(expected.bound, rel=1e-9)
    assert np.mean(result.model.predict(rows(seed=5)[0]) != rows(seed=5)[1]) <= certificate.bound


def test_disjoint_runs_learn_from_rows_of_their_own():
    result = boost_confidence(Lucky(), *rows(), success_probability=0.5, seed=0)
    assert sum(model.n_rows_ for model in result.models) == 2400


def test_the_same_seed_gives_the_same_choice():
    first, again = (
        boost_confidence(Lucky(), *rows(), success_probability=0.3, seed=7) for _ in range(2)
    )
    assert first.chosen == again.chosen
    assert str(first).startswith(f"Run {first.chosen + 1} of {first.n_runs} errs least")


def test_what_makes_no_sense_is_refused_with_a_sentence():
    X, y = rows(60)
    with pytest.raises(ValueError, match="no random_state"):
        boost_confidence(Perceptron(), X, y, success_probability=0.5, samples="shared", seed=0)
    with pytest.raises(ValueError, match="rows of their own"):
        boost_confidence(Perceptron(), X, y, success_probability=0.05, seed=0)
    with pytest.raises(ValueError, match="success_probability"):
        boost_confidence(Perceptron(), X, y, success_probability=0.0, seed=0)
    with pytest.raises(ValueError, match="samples"):
        boost_confidence(Perceptron(), X, y, success_probability=0.5, samples="all", seed=0)


def test_no_run_is_best_on_rows_that_were_asked_before():
    """It said that the first run errs least, at nan."""
    X, y = rows(600, seed=5)
    X_train, y_train, held_out = Holdout.split(X, y, seed=0)
    held_out.certify(CARTClassifier(max_depth=1).fit(X_train, y_train))
    with pytest.raises(ValueError, match=r"cannot be told\..* came before in this process"):
        boost_confidence(CARTClassifier(max_depth=1), X, y, success_probability=0.5, seed=0)
