"""Explicit classes: empirical risk minimisation, Halving on the way, certificates, refusals."""

import itertools
import pickle
from functools import partial

import numpy as np
import pytest

from reference import halving as plain
from surelearn.bounds import pac
from surelearn.datasets import adversaries
from surelearn.datasets.worlds import FiniteTable
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.concepts.finite_class import FiniteClass


def at_least(X, threshold):
    return X[:, 0] >= threshold


THRESHOLDS = [partial(at_least, threshold=c) for c in range(8)]


@pytest.mark.parametrize("seed", range(30))
def test_halving_equals_the_plain_version_and_the_best_rule_is_the_first_of_the_best(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, size=(9, 5))
    points = rng.integers(0, 5, size=40)
    y = table[3, points] if seed % 2 else rng.integers(0, 2, 40)
    y[:2] = (0, 1) if len(np.unique(y)) < 2 else y[:2]
    model = FiniteClass(hypotheses=table).fit(points[:, np.newaxis], y)
    advice = table[:, points].T
    errors = (advice != y[:, np.newaxis]).sum(axis=0)
    np.testing.assert_array_equal(model.errors_, errors)
    assert model.best_ == errors.argmin()
    assert model.training_errors_ == errors.min()
    np.testing.assert_array_equal(model.pool_, errors == 0)
    end = len(y) if model.emptied_ < 0 else model.emptied_ + 1
    predictions, pool = plain.learn(advice[:end], y[:end])
    assert model.n_mistakes_ == np.count_nonzero(predictions != y[:end])
    np.testing.assert_array_equal(model.pool_, pool)


def test_functions_and_tables_say_the_same():
    points = np.arange(8.0)[:, np.newaxis]
    table = np.array([rule(points) for rule in THRESHOLDS]).astype(int)
    X, y = points[[7, 0, 3, 5, 4]], [1, 0, 0, 1, 1]
    by_functions = FiniteClass(hypotheses=THRESHOLDS).fit(X, y)
    by_table = FiniteClass(hypotheses=table).fit(X, y)
    assert by_functions.best_ == by_table.best_ == 4
    np.testing.assert_array_equal(by_functions.predict(points), by_table.predict(points))


def test_the_adversary_attains_the_bound_of_halving():
    advice, outcomes = adversaries.majority_fooling_advice(8, beta=0.0)
    table, points = np.hstack([advice.T, np.ones((8, 1))]), np.arange(4)[:, np.newaxis]
    model = FiniteClass(hypotheses=table).fit(points, np.append(outcomes, 1))
    assert model.n_mistakes_ == model.guarantee().bound == 3
    assert model.certificates()[0].status == "valid"


def test_halving_never_exceeds_log2_of_the_class_on_a_thousand_streams():
    rng = np.random.default_rng(0)
    for _ in range(1000):
        size = int(rng.integers(2, 40))
        table = rng.integers(0, 2, size=(size, 30))
        y = table[rng.integers(size)]
        y[:2], table[:, :2] = (0, 1), (0, 1)
        model = FiniteClass(hypotheses=table).fit(np.arange(30)[:, np.newaxis], y)
        assert model.n_mistakes_ <= model.guarantee().bound == int(np.log2(size))
        assert model.emptied_ == -1


def test_labels_of_no_rule_void_halvings_certificate_and_the_row_is_named():
    model = FiniteClass(hypotheses=THRESHOLDS).fit([[1], [2], [3], [4]], [1, 0, 1, 1])
    assert model.emptied_ == 1
    certificate = model.certificates()[0]
    assert certificate.status == "void"
    assert "row 1 refuted" in str(certificate)
    assert model.certificates()[1].status != "void"


def test_without_errors_the_risk_bound_is_that_of_consistent_rules():
    points = np.tile(np.arange(8), 20)
    model = FiniteClass(hypotheses=THRESHOLDS).fit(points[:, np.newaxis], points >= 3)
    exact = pac.finite_class_realizable_exact(n_hypotheses=8, n=160, delta=0.05)
    assert model.certificates()[1].bound == pytest.approx(exact.bound)


def test_the_risk_certificate_covers_the_risk(repetitions):
    world = FiniteTable(probabilities=(0.25,) * 4, positive=(0.1, 0.2, 0.7, 0.9))
    table = np.array([[(code >> i) & 1 for i in range(4)] for code in range(16)])
    rng, runs = np.random.default_rng(0), []
    for _ in range(repetitions):
        points, labels = world.draw(40, seed=rng)
        model = FiniteClass(hypotheses=table).fit(points[:, np.newaxis], labels)
        runs.append((world.risk(table[model.best_]), model.certificates(delta=0.2)[1].bound))
    assert not Coverage(*np.array(runs).T, 0.2).refuted()


def test_a_class_chosen_after_looking_would_miss():
    world = FiniteTable(probabilities=(0.01,) * 100, positive=(0.5,) * 100)
    rng, misses = np.random.default_rng(0), 0
    for _ in range(50):
        points, labels = world.draw(30, seed=rng)
        memory = np.zeros((1, 100), dtype=int)
        memory[0, points] = labels
        model = FiniteClass(hypotheses=memory).fit(points[:, np.newaxis], labels)
        misses += world.risk(memory[0]) > model.certificates(delta=0.2)[1].bound
    assert misses > 0.9 * 50


def test_by_default_the_rules_are_the_signs_of_features():
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = FiniteClass().fit(X, X[:, 1] <= 0)
    assert (model.best_, len(model.errors_)) == (3 + 1, 8)
    assert (model.predict(X) == (X[:, 1] <= 0)).all()


@pytest.mark.parametrize(
    ("hypotheses", "X", "word"),
    [
        ([], [[0.0], [1.0]], "hypotheses"),
        ([[0, 2]], [[0.0], [1.0]], "zeros and ones"),
        ([[0, 1]], [[0.0], [2.0]], "number of the point"),
        ([[0, 1]], [[0.0, 1.0], [1.0, 0.0]], "one column"),
        ([lambda X: X[:, 0] + 0.5], [[0.0], [1.0]], "rule 0"),
        ([lambda X: X[:1, 0]], [[0.0], [1.0]], "1 answers for 2"),
    ],
)
def test_what_is_no_class_of_rules_for_these_rows_is_refused(hypotheses, X, word):
    model = FiniteClass(hypotheses=THRESHOLDS).fit([[1], [2]], [0, 1])
    before = pickle.dumps(model.errors_)
    model.hypotheses = hypotheses
    with pytest.raises(ValueError, match=word):
        model.fit(X, [0, 1])
    assert pickle.dumps(model.errors_) == before


def test_three_of_five_points_leave_four_labellings_of_which_one_is_right():
    table = np.array([[(code >> i) & 1 for i in range(5)] for code in range(32)])
    points = np.arange(5)
    for target in table[1:-1]:
        for seen in itertools.combinations(range(5), 3):
            labels = target[list(seen)]
            if labels.min() == labels.max():
                continue  # one class alone is refused
            model = FiniteClass(hypotheses=table).fit(points[list(seen), np.newaxis], labels)
            agreeing = table[model.errors_ == model.training_errors_]
            unseen = np.setdiff1d(points, seen)
            assert (model.training_errors_, len(agreeing)) == (0, 4)
            assert np.mean(agreeing[:, unseen] != target[unseen]) == 0.5
            assert (agreeing[:, unseen] == target[unseen]).all(axis=1).sum() == 1


def test_another_class_after_fit_changes_neither_predictions_nor_statements():
    points, labels = [[0], [1], [2], [3]], [0, 0, 1, 1]
    table = np.array([[0, 0, 1, 1], [1, 1, 1, 1]])
    functions = [lambda X: X[:, 0] >= 2, lambda X: X[:, 0] >= 0]
    for rules in (table, table.tolist(), functions, None):
        model = FiniteClass(hypotheses=rules).fit(points, labels)
        said, stated = model.predict(points).tolist(), model.certificates()
        model.set_params(hypotheses=[lambda X: X[:, 0] < 2])
        assert model.predict(points).tolist() == said
        assert [c.claim for c in model.certificates()] == [c.claim for c in stated]
    model = FiniteClass(hypotheses=table).fit(points, labels)
    table[:] = 0
    assert model.predict(points).tolist() == labels


def test_rules_that_are_functions_must_read_one_row_by_itself():
    rows = np.arange(1, 9)[:, np.newaxis]
    y = rows[:, 0] >= 3
    told = [
        FiniteClass(hypotheses=rules).fit(rows, y).certificates()[1].preconditions[1].evidence
        for rules in (THRESHOLDS, np.array([np.arange(9) >= k for k in range(9)]))
    ]
    assert [text.endswith("each a function of one row by itself") for text in told] == [True, False]
