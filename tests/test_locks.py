"""Rounds that several threads play at once: each is counted, and nothing of a lock is seen."""

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import surelearn
from surelearn import _locks

N_THREADS, N_EACH = 8, 40
X, Y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1])
SLEEPLESS = np.array([0.25, 0.5])


def play(bandit):
    bandit.play([[0.5, 0.25]])


ROUNDS = {  # a new one, one round of it by hand, and how to count the rounds
    "bandit": (lambda: surelearn.UCB1(n_arms=2), play, lambda g: g.pulls_.sum()),
    "drawing bandit": (lambda: surelearn.Exp3(n_arms=2), play, lambda g: g.n_rounds_),
    "experts": (surelearn.AdaHedge, lambda g: g.update(SLEEPLESS), lambda g: g.n_rounds_),
    "votes": (surelearn.Halving, lambda g: g.update([0, 1], 1), lambda g: g.n_rounds_),
    "classifier": (
        lambda: surelearn.Perceptron().partial_fit(X, Y),
        lambda g: g.learn_one(X[0], 1),
        lambda g: g.n_rounds_ - 2,
    ),
    "classifier that begins": (
        surelearn.Perceptron,
        lambda g: g.partial_fit(X, Y),
        lambda g: g.n_rounds_ / 2,
    ),
    "regressor": (
        lambda: surelearn.OnlineRidge().partial_fit(X, Y),
        lambda g: g.learn_one(X[0], 0.5),
        lambda g: g.n_rounds_ - 2,
    ),
    "chunks": (
        surelearn.LinearRegression,
        lambda g: g.partial_fit(X, Y),
        lambda g: g.record_.n_rows / 2,
    ),
    "naive Bayes": (
        surelearn.GaussianNaiveBayes,
        lambda g: g.partial_fit(X, Y),
        lambda g: g.class_count_.sum() / 2,
    ),
    "conservative": (
        lambda: surelearn.Conservative(surelearn.Perceptron()),
        lambda g: g.partial_fit(X, Y),
        lambda g: g.n_rounds_ / 2,
    ),
    "monitor": (
        surelearn.RiskMonitor,
        lambda g: g.update([0.5]),
        lambda g: g.n_rounds if g._total == g.n_rounds / 2 else -1,
    ),
    "rates": (
        lambda: surelearn.RateMonitor(rate="sensitivity", positive=1),
        lambda g: g.update([1], [1]),
        lambda g: g._right,
    ),
    "differences": (
        surelearn.ModelDifferenceMonitor,
        lambda g: g.update([0.5], [0.0]),
        lambda g: g.n_rows,
    ),
    "alarm": (
        lambda: surelearn.DriftAlarm(tolerated=0.1),
        lambda g: g.update([0.0]),
        lambda g: len(g.path),
    ),
    "intervals": (
        lambda: surelearn.OnlineConformal(surelearn.OnlineRidge(), learns=True),
        lambda g: g.learn(X[:1], [0.5]),
        lambda g: g.n_rows if g.model.n_rounds_ == g.n_rows else -1,
    ),
}


@pytest.fixture
def hasty():
    """Threads that take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("name", ROUNDS)
def test_every_round_of_every_thread_counts(name):
    new, one_round, count = ROUNDS[name]
    game = new()
    with ThreadPoolExecutor(N_THREADS) as pool:
        list(pool.map(lambda _: [one_round(game) for _ in range(N_EACH)], range(N_THREADS)))
    assert count(game) == N_THREADS * N_EACH


def test_copies_and_pickles_know_nothing_of_a_turn():
    game = surelearn.UCB1(n_arms=2)
    play(game)
    for twin in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):  # noqa: S301
        assert vars(twin).keys() == vars(surelearn.UCB1(n_arms=2)).keys()
        play(twin)
        assert (twin.n_rounds_, game.n_rounds_) == (2, 1)


def test_a_turn_is_forgotten_with_its_object():
    game = surelearn.UCB1(n_arms=2)
    play(game)
    place = id(game)
    assert place in _locks.turns
    del game
    assert place not in _locks.turns
