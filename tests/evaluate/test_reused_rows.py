"""Rows that are asked again, or stand on both sides: no certificate that it happens to is false."""

import numpy as np
from scipy import stats
from sklearn.neighbors import KNeighborsClassifier

from surelearn import Holdout

LEVEL = 1e-4  # of the binomial tests below: how often a correct library fails one
DELTA = 0.1


class Rule:
    """A fixed linear rule; its exact risk in the world is known."""

    def __init__(self, weights):
        self.weights = np.asarray(weights, dtype=float)

    def predict(self, X):
        return np.where(X @ self.weights > 0, 1.0, -1.0)


def assert_at_most_delta(n_false, n):
    assert stats.binomtest(n_false, n, DELTA, alternative="greater").pvalue > LEVEL, (n_false, n)


def memorise(X, y):
    return KNeighborsClassifier(n_neighbors=1, algorithm="brute").fit(X, y)


def test_a_table_with_every_row_twice_is_certified_truly(repetitions):
    """Labels are noise, so every model errs on half of new rows; memory hides it."""
    rng = np.random.default_rng(0)
    n_false = 0
    for seed in range(repetitions // 4):
        X = np.repeat(rng.normal(size=(80, 2)), 2, axis=0)
        y = np.repeat(rng.integers(2, size=80), 2)
        X_train, y_train, held_out = Holdout.split(X, y, fraction=0.3, seed=seed, delta=DELTA)
        certificate = held_out.certify(memorise(X_train, y_train))
        n_false += certificate.status == "valid" and certificate.bound < 0.5
    assert_at_most_delta(n_false, repetitions // 4)


def test_the_best_of_twenty_models_on_one_hold_out_is_certified_truly(repetitions):
    rng = np.random.default_rng(1)
    n_false = 0
    for _ in range(repetitions // 4):
        X, y = rng.normal(size=(100, 8)), rng.choice([-1.0, 1.0], 100)  # every rule has risk 1/2
        rules = [Rule(rng.normal(size=8)) for _ in range(20)]
        issued = [Holdout(X, y, delta=DELTA).certify(rule) for rule in rules]
        assert [c.status for c in issued].count("void") == 19
        n_false += min(c.bound for c in issued if c.status != "void") < 0.5
    assert_at_most_delta(n_false, repetitions // 4)


def test_a_gate_after_open_looks_at_the_same_rows_is_void():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(200, 20)), rng.choice([-1.0, 1.0], 200)  # labels are pure noise
    rules = [Rule(rng.normal(size=20)) for _ in range(200)]
    look = Holdout(X, y, mode="open")
    kept = sum(np.sign(0.5 - look.score(r)) * r.predict(X) for r in rules)

    class Vote:
        def predict(self, X):  # noqa: ARG002
            return np.where(kept > 0, 1.0, -1.0)

    gate = Holdout(X, y, delta=0.05, mode="gate", n_models=5, target=0.45)
    assert gate.certify(Vote()).status == "void"


def test_a_class_that_nobody_announced_is_not_charged_beyond_delta():
    X = np.arange(120.0)[:, np.newaxis]

    class Always:
        def predict(self, X):
            return np.ones(len(X))

    held_out = Holdout(X, np.arange(120) % 2, by_class=[1], delta=0.05)
    held_out.answer(Always())
    spent = [entry.delta_spent for entry in held_out.ledger]
    assert sum(spent[1:]) <= 0.05
