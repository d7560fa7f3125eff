"""Each row is answered by itself: batch by batch is something else, and voids what it says."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import surelearn
from surelearn import Holdout, Quantile, compare, cross_validate
from surelearn.evaluate._row_by_row import answered_alone
from surelearn.evaluate.intervals import holdout_interval

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
y = (X[:, 0] > 0.0).astype(int)


class Model:
    """A classifier of one rule."""

    def __init__(self, rule):
        self.rule = rule

    def fit(self, X, y):  # noqa: ARG002 - there is nothing to learn
        return self

    def predict(self, X):
        return self.rule(np.asarray(X))


def at_random():
    coins = np.random.default_rng(0)
    return lambda X: coins.integers(0, 2, len(X))


def impatient(X):
    if len(X) < 2:
        raise RuntimeError("two rows at least")
    return (X[:, 0] > 0.0).astype(int)


TOGETHER = {
    "standardised": lambda X: (X[:, 0] > X[:, 0].mean()).astype(int),
    "sorted": lambda X: (np.arange(len(X)) < len(X) / 2).astype(int),
    "one in a batch": lambda X: (X[:, 0] == X[:, 0].max()).astype(int),
    "by size": lambda X: np.full(len(X), int(len(X) > 300)),
    "at random": at_random(),
    "impatient": impatient,
    "one answer": lambda _: np.zeros(400, dtype=int),
    "numbers": lambda X: X[:, 0] - X[:, 0].mean(),
}


def demand(certificate):
    return next(p for p in certificate.preconditions if p.key == "row_by_row")


@pytest.mark.parametrize("rule", TOGETHER.values(), ids=TOGETHER)
def test_a_model_that_looks_at_the_batch_gets_a_void_certificate(rule):
    loss = Quantile(0.2) if rule is TOGETHER["numbers"] else "zero_one"
    certificate = Holdout(X, y, loss=loss).certify(Model(rule))
    assert demand(certificate).status == "violated"
    assert certificate.status == "void"


@pytest.mark.parametrize(
    "model",
    [LogisticRegression(), RandomForestClassifier(5, random_state=0), Model(lambda X: X[:, 0] > 0)],
    ids=lambda model: type(model).__name__,
)
def test_a_sample_of_rows_is_no_proof(model):
    certificate = Holdout(X[200:], y[200:]).certify(model.fit(X[:200], y[:200]))
    assert demand(certificate).status == "assumed"
    assert "16 rows asked one by one" in demand(certificate).evidence
    assert certificate.status == "valid"


@pytest.mark.parametrize(
    "model", [surelearn.Perceptron(), make_pipeline(StandardScaler(), surelearn.CARTClassifier())]
)
def test_the_code_of_this_library_reads_one_row_at_a_time(model):
    certificate = Holdout(X[200:], y[200:]).certify(model.fit(X[:200], y[:200]))
    assert demand(certificate).status == "by-construction"


@pytest.mark.parametrize("kind", ["f8", "f4"])
def test_the_last_digits_of_numbers_may_differ(kind):
    model = LinearRegression().fit(X[:, :2], X[:, 2])

    def rounded(X):
        digits = np.finfo(kind).eps * len(X) / 100.0
        return (model.predict(X[:, :2]) * (1.0 + digits)).astype(kind)

    assert answered_alone(Model(rounded), X, rounded(X)).status == "assumed"


class Tied(Model):
    """A rule that a batch decides where both classes score alike."""

    def decision_function(self, X):
        return np.zeros(len(X))


def test_a_tie_may_be_broken_by_rounding():
    assert answered_alone(Tied(at_random()), X, at_random()(X)).status == "assumed"


def test_two_models_are_not_compared_by_answers_to_batches():
    batch, fine = Model(TOGETHER["standardised"]), Model(lambda X: (X[:, 0] > 0.0).astype(int))
    for pair in ((batch, fine), (fine, batch)):
        with pytest.raises(ValueError, match="does not answer each row by itself"):
            compare(*pair, X, y)
    assert compare(fine, fine, X, y).n == len(X)


def test_there_is_no_exact_interval_from_answers_to_batches():
    with pytest.raises(ValueError, match="does not answer each row by itself"):
        holdout_interval(Model(TOGETHER["sorted"]), X, y, loss="zero_one")


def test_the_mean_risk_of_models_that_look_at_the_batch_is_void():
    cv = KFold(4, shuffle=True, random_state=0)
    result = cross_validate(Model(TOGETHER["standardised"]), X, y, cv=cv, keep_models=True)
    certificate = result.mean_risk_certificate()
    assert demand(certificate).status == "violated"
    assert certificate.status == "void"
