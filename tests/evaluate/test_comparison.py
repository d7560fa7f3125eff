"""Comparing two models: exact p-values, bounds that cover, and what is refused."""

import numpy as np
import pytest
from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression

from surelearn import Perceptron
from surelearn.bounds import holdout, regions
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.comparison import compare
from surelearn.evaluate.coverage import Coverage

WORLD = Noisy(n_features=3, bayes_risk=0.1)


class Rule:
    def __init__(self, weights):
        self.weights = np.asarray(weights, dtype=float)

    def predict(self, X):
        return np.where(X @ self.weights > 0, 1.0, -1.0)


class Said:
    def __init__(self, predictions):
        self.predictions = np.asarray(predictions)

    def predict(self, X):
        return self.predictions[np.asarray(X)[:, 0].astype(int)]


GOOD, BAD = Rule(WORLD.direction), Rule([1.0, 0.2, 0.2])


def clipped(y, predicted):
    return np.minimum(1.0, np.abs(y - predicted))


def test_the_p_value_is_scipys_exact_binomial_test():
    X, y = WORLD.draw(300, seed=0)
    result = compare(GOOD, BAD, X, y)
    first, second = GOOD.predict(X) != y, BAD.predict(X) != y
    b, c = int((first & ~second).sum()), int((second & ~first).sum())
    assert (result.only_first_wrong, result.only_second_wrong) == (b, c)
    expected = stats.binomtest(b, b + c, 0.5, alternative="less").pvalue
    assert result.p_value == pytest.approx(expected, rel=1e-9)
    assert result.difference == pytest.approx(np.mean(first) - np.mean(second))


def test_the_bound_is_that_of_a_region_below_a_delta_of_one_half():
    X, y = WORLD.draw(300, seed=0)
    result = compare(GOOD, BAD, X, y)
    counts = {
        "only_first_wrong": result.only_first_wrong,
        "only_second_wrong": result.only_second_wrong,
        "n": 300,
    }
    assert result.guarantee.theorem == "regions.error_difference"
    assert result.guarantee.bound == regions.error_difference(**counts, delta=0.05).bound
    assert result.guarantee.bound < holdout.error_difference(**counts, delta=0.05).bound
    unsure = compare(GOOD, BAD, X, y, delta=0.6).guarantee
    assert unsure.bound == holdout.error_difference(**counts, delta=0.6).bound


def test_words_and_numbers_are_compared_alike():
    y = np.array(["no", "yes"] * 20)
    right, wrong = Said(y), Said(np.array(["yes"] * 40))
    X = np.arange(40.0)[:, np.newaxis]
    result = compare(right, wrong, X, y)
    assert (result.only_first_wrong, result.only_second_wrong) == (0, 20)
    assert result.better
    assert "is better than" in str(result)
    swapped = compare(wrong, right, X, y)
    assert not swapped.better
    assert swapped.p_value == 1.0
    assert "is not shown to be better" in str(swapped)
    assert "used up" in str(result)


def test_models_that_always_agree_are_never_better():
    X, y = WORLD.draw(100, seed=1)
    result = compare(GOOD, GOOD, X, y)
    assert (result.p_value, result.better, result.difference) == (1.0, False, 0.0)
    assert "the first Rule" in str(result)


@pytest.mark.parametrize("repetitions", [100, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_bound_covers_the_difference_of_risks_and_false_wins_are_rare(repetitions):
    rng = np.random.default_rng(0)
    truth = WORLD.risk(GOOD.weights) - WORLD.risk(BAD.weights)
    bounds, false_wins = [], 0
    tilt = np.array([0.5, -0.5, 0.0])
    mirrored = Rule(WORLD.direction + tilt), Rule(WORLD.direction - tilt)
    for _ in range(repetitions):
        X, y = WORLD.draw(40, seed=rng)
        bounds.append(compare(GOOD, BAD, X, y, delta=0.1).guarantee.bound)
        false_wins += compare(*mirrored, X, y, delta=0.1).better
    assert not Coverage(np.full(len(bounds), truth), np.array(bounds), 0.1).refuted()
    assert stats.binomtest(false_wins, repetitions, 0.1, alternative="greater").pvalue > 1e-4


def test_bets_on_differences_cover_and_find_a_better_regressor(repetitions):
    rng = np.random.default_rng(0)
    bounds, wins, false_wins = [], 0, 0
    small, same, large = (Said(np.full(80, v)) for v in (0.5, 0.5, 0.9))
    for _ in range(repetitions // 4):
        y = rng.uniform(size=80)
        result = compare(small, large, np.zeros((80, 1)), y, loss=clipped, delta=0.1)
        bounds.append(result.guarantee.bound)
        wins += result.better
        false_wins += compare(large, small, np.zeros((80, 1)), y, loss=clipped).better
        assert not compare(small, same, np.zeros((80, 1)), y, loss=clipped).better
    truth = 0.25 - (0.9**2 + 0.1**2) / 2
    assert not Coverage(np.full(len(bounds), truth), np.array(bounds), 0.1).refuted()
    assert wins > 0.9 * len(bounds)
    assert false_wins == 0


def test_the_p_value_of_a_bet_is_the_smallest_level_at_which_the_bound_is_below_zero():
    y = np.random.default_rng(2).uniform(size=60)
    models = Said(np.full(60, 0.5)), Said(np.full(60, 0.75))
    p = compare(*models, np.zeros((60, 1)), y, loss=clipped).p_value
    at = {
        d: compare(*models, np.zeros((60, 1)), y, loss=clipped, delta=d)
        for d in (p * 1.01, p * 0.99)
    }
    above, below = at.values()
    assert above.guarantee.bound < 0.0 < below.guarantee.bound


def test_rows_a_model_remembers_are_refused():
    X, y = WORLD.draw(100, seed=3)
    trained = Perceptron(max_iter=3).fit(X[:50], y[:50])
    other = LogisticRegression().fit(X[:50], y[:50])
    with pytest.raises(ValueError, match="50 of these rows also stand in the training data"):
        compare(other, trained, X, y)
    fresh = compare(other, trained, X[50:], y[50:])
    assert fresh.preconditions[-1].status == "assumed"
    assert compare(trained, trained, X[50:], y[50:]).preconditions[-1].status == "checked"


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"loss": "hinge"}, ValueError, "'zero_one' or a function"),
        ({"loss": lambda y, p: 2 * np.abs(y - p)}, ValueError, r"must lie in \[0, 1\]"),
        ({"delta": 0.0}, ValueError, r"delta must be in \(0, 1\)"),
        ({"first": 3}, TypeError, "no method predict"),
        ({"first": Said([[1.0, 0.0]] * 9)}, ValueError, "one prediction each"),
        ({"y": [1] * 8}, ValueError, "inconsistent"),
    ],
)
def test_bad_input_is_refused(changes, error, message):
    constant = DummyRegressor(strategy="constant", constant=1.0).fit([[0.0]], [1.0])
    given = {"first": constant, "second": constant, "X": np.zeros((9, 1)), "y": np.zeros(9)}
    given |= changes
    positional = [given.pop(name) for name in ("first", "second", "X", "y")]
    with pytest.raises(error, match=message):
        compare(*positional, **given)


def test_a_classifier_beats_the_majority():
    X, y = WORLD.draw(600, seed=4)
    models = [m.fit(X[:200], y[:200]) for m in (LogisticRegression(), DummyClassifier())]
    assert compare(*models, X[200:], y[200:]).guarantee.bound < -0.1


def test_the_level_of_a_comparison_has_all_its_digits():
    X, y = WORLD.draw(30, seed=0)
    told = str(compare(GOOD, BAD, X, y, delta=0.0123456789))
    assert told.startswith("At level 0.0123456789, ")
