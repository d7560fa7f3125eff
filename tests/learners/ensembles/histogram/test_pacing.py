"""Who grows the next tree: whoever grew the last ones faster."""

import numpy as np
import pytest

from surelearn import GradientBoostingClassifier, _threads
from surelearn.learners.ensembles._histogram import pacing
from surelearn.learners.ensembles._histogram.pacing import Pace


def sizes_of_crews(monkeypatch, seconds, *, n_trees, n_cells=10_000):
    """Return how many workers grow each tree, if so many workers take so long."""
    clock, found = [0.0], []
    monkeypatch.setattr(pacing.time, "perf_counter", lambda: clock[0])

    def grow(crew, worker):
        if worker == 0:
            clock[0] += seconds[crew.size]
            found.append(crew.size)

    with _threads.workers(2) as two:
        pace = Pace(two, n_cells)
        for _ in range(n_trees):
            pace.lead(grow, lambda: None)
    return found


@pytest.mark.parametrize("faster", [1, 2])
def test_the_crew_that_was_faster_grows_the_other_trees(faster, monkeypatch):
    seconds = {faster: 1.0, 3 - faster: 1.5}
    found = sizes_of_crews(monkeypatch, seconds, n_trees=20)
    assert found == [2, 1, 2, 1] + [faster] * 16


def test_both_are_tried_again_after_a_while(monkeypatch):
    found = sizes_of_crews(monkeypatch, {1: 1.0, 2: 2.0}, n_trees=140)
    assert found == ([2, 1, 2, 1] + [1] * 124) + [2, 1, 2, 1] + [1] * 8


def test_large_tables_are_grown_by_all_at_once(monkeypatch):
    found = sizes_of_crews(monkeypatch, {1: 1.0, 2: 2.0}, n_trees=6, n_cells=10**7)
    assert found == [2] * 6


def test_the_trees_do_not_depend_on_who_grows_them(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 10))
    y = X[:, 0] * X[:, 1] > rng.normal(size=4000)
    told = []
    for place in (0, 1):
        monkeypatch.setattr(Pace, "_next", lambda self, place=place: place % len(self._crews))
        model = GradientBoostingClassifier(n_estimators=8, n_jobs=2).fit(X, y)
        told.append(model.predict_proba(X).tobytes())
    assert told[0] == told[1]
