"""Rounds that several threads play at once: each is counted, and nothing of a lock is seen."""

import copy
import pickle
import sys
import threading
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

ADOPTED = {"chunks", "naive Bayes", "conservative"}  # a round puts all it has learnt in at once


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


def copied_within_a_round(game, make):
    """Return whether a copy waits for a round that has begun, and the copy."""
    begun, found = threading.Event(), []

    def copy_it():
        begun.set()
        found.append(make(game))

    thread = threading.Thread(target=copy_it)
    with _locks.turn_of(game):
        thread.start()
        begun.wait()
        thread.join(0.05)
        waits = not found
    thread.join()
    return waits, found[0]


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", [n for n in ROUNDS if n not in ADOPTED])
def test_a_copy_waits_for_the_round_of_another_thread(name, make):
    new, one_round, count = ROUNDS[name]
    game = new()
    one_round(game)
    waits, twin = copied_within_a_round(game, make)
    assert waits
    assert count(twin) == count(game) == 1
    one_round(twin)
    assert (count(twin), count(game)) == (2, 1)


def test_a_copy_of_a_monitor_leaves_the_history_of_the_other_alone():
    monitor = surelearn.RiskMonitor().update([0.0, 1.0])
    copy.copy(monitor).update([1.0] * 50)
    assert monitor.history().rows.tolist() == [2]
    alarm = surelearn.DriftAlarm(tolerated=0.1)
    copy.copy(alarm).update([1.0] * 50)
    assert (len(alarm.path), alarm.alarms) == (0, [])


def test_a_deep_copy_is_made_by_what_a_class_says_of_its_own():
    class Logged(surelearn.RiskMonitor):
        def __getstate__(self):
            return {name: kept for name, kept in vars(self).items() if name != "_log"}

    monitor = Logged()
    vars(monitor)["_log"] = threading.Lock()  # which nobody can copy
    assert "_log" not in vars(copy.deepcopy(monitor))
    pair = [monitor, monitor]
    first, second = copy.deepcopy(pair)
    assert first is second
    assert first is not monitor
