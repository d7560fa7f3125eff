"""What a model answers by is not what its class is known for: then nothing is checked of it."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from surelearn import (
    AdaGrad,
    AdaptiveRate,
    AggregatingAlgorithm,
    Conservative,
    Doubling,
    FiniteClass,
    Gaussian,
    Hedge,
    Hinge,
    Holdout,
    KernelPerceptron,
    Linear,
    OnlineGradientDescent,
    Perceptron,
    Square,
)
from surelearn.claims import Accuracy, record
from surelearn.evaluate.audit import audit_predictions
from surelearn.evaluate.ledger import forget

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 3))
Y = (X[:, 0] > 0).astype(int)
TRAIN, HELD_OUT = (X[:120], Y[:120]), (X[120:], Y[120:])


class Centring(Pipeline):
    """Answers by the rows that are asked with a row."""

    def predict(self, X):
        return super().predict(X - X.mean(axis=0))


class Remembering(Pipeline):
    """Has learnt the hold-out by heart."""

    def predict(self, X):
        known = dict(zip(map(tuple, HELD_OUT[0].tolist()), HELD_OUT[1], strict=True))
        return np.array([known.get(tuple(row), 0) for row in X.tolist()])


class OfTheBatch(Perceptron):
    def predict(self, X):
        return (X[:, 0] > np.mean(X[:, 0])).astype(int)


def above_the_mean(rows):
    return rows[:, 0] > np.mean(rows[:, 0])


def replaced():
    model = Perceptron().fit(*TRAIN)
    model.predict = lambda rows: np.zeros(len(rows), dtype=int)
    return model


def statuses(model):
    forget()
    return {p.key: p.status for p in Holdout(*HELD_OUT).certify(model).preconditions}


def test_a_plain_pipeline_of_our_learner_is_known():
    found = statuses(Pipeline([("learner", Perceptron())]).fit(*TRAIN))
    assert (found["unseen"], found["row_by_row"]) == ("checked", "by-construction")


@pytest.mark.parametrize(
    "fitted",
    [
        lambda: Centring([("learner", Perceptron())]).fit(*TRAIN),
        lambda: Remembering([("learner", Perceptron())]).fit(*TRAIN),
        lambda: OfTheBatch().fit(*TRAIN),
        replaced,
        lambda: Conservative(OfTheBatch()).partial_fit(*TRAIN, classes=[0, 1]),
        lambda: FiniteClass(hypotheses=[above_the_mean]).fit(*TRAIN),
    ],
    ids=["subclass", "memory", "learner", "replaced", "wrapped", "functions"],
)
def test_what_answers_by_other_code_is_not_known(fitted):
    model = fitted()
    found = statuses(model)
    assert found["row_by_row"] in {"assumed", "violated"}
    if not isinstance(model, FiniteClass):
        assert found["unseen"] == "assumed"


def test_fresh_draws_of_few_categories_are_not_the_same_rows():
    rng, n_void = np.random.default_rng(0), 0
    forget()
    for draw in range(60):
        rows = rng.integers(0, 2, size=(40, 1))
        labels = rows[:, 0] ^ (rng.random(40) < 0.2)
        rule = Pipeline([("learner", Perceptron())]).fit([[0], [1]], [0, 1])
        rule.draw_ = draw
        n_void += Holdout(rows, labels, allow_duplicates=True).certify(rule).status == "void"
    assert n_void == 0


class Rough(Square):
    """No square, and it says that it can be mixed."""

    def __call__(self, y, prediction):
        return 100.0 * np.sqrt(super().__call__(y, prediction))

    def value(self, y, prediction):
        return 100.0 * np.sqrt(super().value(y, prediction))


class Kinked(Hinge):
    def _value(self, y, prediction):
        return -super()._value(y, prediction)


class Leaps(AdaptiveRate):
    def factor(self, radius):
        return 1e3 * super().factor(radius)


class Hasty(Hedge):
    def for_horizon(self, n_rounds):  # noqa: ARG002 - it does not care
        return Hedge(learning_rate=50.0)


class Same(Hinge):
    """Changes nothing."""


def mixed(loss):
    game = AggregatingAlgorithm(loss=loss)
    game.learn(RNG.random((30, 4)), RNG.random(30).round())
    return game


@pytest.mark.parametrize(
    "played",
    [
        lambda: mixed(Rough()),
        lambda: OnlineGradientDescent(loss=Kinked()).fit(*TRAIN),
        lambda: AdaGrad(loss=Kinked()).fit(*TRAIN),
        lambda: OnlineGradientDescent(schedule=Leaps()).fit(*TRAIN),
    ],
)
def test_theorems_are_not_quoted_of_a_loss_or_of_steps_that_others_changed(played):
    """They were: by construction, though the loss was no square and the steps were too long."""
    with pytest.raises(ValueError, match="has methods of its own"):
        played().certificates()


def test_a_class_that_changes_nothing_of_a_loss_is_that_loss():
    assert OnlineGradientDescent(loss=Same()).fit(*TRAIN).certificates()
    assert mixed(Square()).certificates()


def test_a_model_that_passes_every_question_on_to_itself_cannot_be_asked():
    """It ended in a RecursionError."""
    model = FrozenEstimator(Perceptron().fit(*TRAIN))
    model.estimator = model
    with pytest.raises(TypeError, match="has no method predict"):
        Holdout(*HELD_OUT).certify(model)


def by_batch(rows):
    return rows * np.mean(rows)


def by_heart(rows):
    known = dict(zip(map(tuple, HELD_OUT[0].tolist()), HELD_OUT[1], strict=True))
    return np.array([[known.get(tuple(row), 0) - 0.5] for row in np.asarray(rows).tolist()])


@pytest.mark.parametrize(
    ("feature_map", "alone"), [(by_batch, "violated"), (by_heart, "assumed"), (np.abs, "assumed")]
)
@pytest.mark.parametrize("inside", [lambda kernel: kernel, lambda kernel: 2.0 * kernel + 1.0])
def test_what_a_function_in_a_kernel_does_is_not_known(feature_map, alone, inside):
    """By construction, it said, each row is answered by itself, and no row was seen: checked."""
    kernel = inside(Linear().of(feature_map))
    found = statuses(KernelPerceptron(kernel=kernel).fit(*TRAIN))
    assert (found["unseen"], found["row_by_row"]) == ("assumed", alone)


def test_a_kernel_of_ours_is_known():
    found = statuses(KernelPerceptron(kernel=2.0 * Linear() + Gaussian()).fit(*TRAIN))
    assert (found["unseen"], found["row_by_row"]) == ("checked", "by-construction")


@dataclass(frozen=True)
class AlwaysRight(Accuracy):
    def statistics(self, rows):
        return {"correct": rows.n, "n": rows.n}


def test_a_claim_of_others_under_a_name_of_ours_is_refused():
    """A hold-out said by it that the model is right on at least 98% of cases."""
    forget()
    model = Perceptron().fit(*TRAIN)
    with pytest.raises(ValueError, match="is not the claim of this name"):
        Holdout(*HELD_OUT, claims=[AlwaysRight()]).answer(model)
    with pytest.raises(ValueError, match="is not the claim of this name"):
        audit_predictions(record([0, 1, 0], [1, 1, 0]), asked=[AlwaysRight() >= 0.5])


def test_only_hedge_itself_is_restarted():
    with pytest.raises(TypeError, match="give a Hedge"):
        Doubling(Hasty()).learn([[0.0, 1.0]])
