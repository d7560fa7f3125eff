"""Disjunctions by elimination: the plain version, exhaustive worst cases, broken worlds."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone

from reference import disjunction as plain
from surelearn.datasets.worlds import BooleanConcept, monotone_disjunction
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.concepts.disjunction import Disjunction
from surelearn.learners.concepts.monotone_disjunction import MonotoneDisjunction

BOTH = {MonotoneDisjunction: lambda X: X, Disjunction: plain.with_negations}
every_learner = pytest.mark.parametrize("learner", BOTH)


@every_learner
@settings(deadline=None, max_examples=50)
@given(
    X=hnp.arrays(
        np.int64, st.tuples(st.integers(2, 20), st.integers(1, 5)), elements=st.integers(0, 1)
    ),
    seed=st.integers(0, 2**20 - 1),
)
def test_it_equals_the_plain_version_exactly(learner, X, seed):
    labels = np.array([(seed >> t) & 1 for t in range(len(X))])
    predictions, kept = plain.learn(BOTH[learner](X), labels)
    for form in (X, sparse.csr_array(X)):
        model = learner()
        scores = model.learn(form, labels, classes=[0, 1])
        np.testing.assert_array_equal(scores > 0.0, predictions == 1)
        np.testing.assert_array_equal(model.literals_[0], np.flatnonzero(kept))
        assert model.n_mistakes_ == np.count_nonzero(predictions != labels)
        assert model.n_false_negatives_[0] == np.count_nonzero((predictions == 0) & (labels == 1))
        np.testing.assert_array_equal(model.predict(X), BOTH[learner](X)[:, kept].any(axis=1))


def worst_case(learner, target, n, kept=None, cache=None):
    """Return the most mistakes any sequence of rows labelled by a target causes."""
    rows = np.array(list(itertools.product([0, 1], repeat=n)))
    literals = BOTH[learner](rows)
    kept = (1,) * literals.shape[1] if kept is None else kept
    cache = {} if cache is None else cache
    if kept not in cache:
        cache[kept] = 0
        for row in literals:
            if row @ kept and not row @ target:
                left = tuple(int(k and not r) for k, r in zip(kept, row, strict=True))
                most = 1 + worst_case(learner, target, n, left, cache)
                cache[kept] = max(cache[kept], most)
    return cache[kept]


@pytest.mark.parametrize(("k", "worst"), [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0)])
def test_the_worst_case_over_all_sequences_of_four_variables_is_the_bound(k, worst):
    target = np.array([1] * k + [0] * (4 - k))
    assert worst_case(MonotoneDisjunction, target, 4) == worst
    model = MonotoneDisjunction().partial_fit([[0] * 4], [0], classes=[0, 1])
    assert model.guarantee(n_relevant=k).bound == worst


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_worst_case_with_negations_is_n_plus_1(n):
    target = np.zeros(2 * n)  # no literal is in it: every row is negative
    assert worst_case(Disjunction, target, n) == n + 1
    model = Disjunction().partial_fit([[0] * n], [0], classes=[0, 1])
    assert model.guarantee().bound == n + 1


@every_learner
def test_the_bound_is_attained_by_single_variables_and_the_learner_agrees(learner):
    rows = np.vstack([np.zeros((1, 6)), np.eye(6)]) if learner is Disjunction else np.eye(6)
    model = learner()
    model.learn(rows, np.zeros(len(rows)), classes=[0, 1])
    assert model.n_mistakes_ == model.guarantee().bound == (7 if learner is Disjunction else 6)


@every_learner
@pytest.mark.parametrize("n", [3, 8, 30])
@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 400), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_the_bounds_are_never_exceeded_on_many_random_streams(learner, n, seeds):
    for seed in seeds:
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, size=(60, n))
        target = rng.choice(BOTH[learner](X).shape[1], size=rng.integers(1, n), replace=False)
        y = BOTH[learner](X)[:, target].max(axis=1)
        model = learner().partial_fit(X, y, classes=[0, 1])
        assert model.guarantee().allows(model.n_mistakes_)
        assert model.n_false_negatives_.tolist() == [0]
        if len(np.unique(y)) == 2:
            realised, before, _ = learner().fit(X, y).certificates()
            assert realised.observed <= realised.bound <= before.bound
            assert "void" not in {realised.status, before.status}


@every_learner
def test_labels_that_are_no_disjunction_void_the_certificates_and_the_row_is_named(learner):
    X, y = [[1, 0], [0, 1], [1, 1], [0, 0], [1, 0]], [1, 0, 0, 0, 1]
    model = learner().fit(X, y)
    assert model.contradictions_.tolist() == [0]
    certificate = model.certificates()[0]
    assert certificate.status == "void"
    assert "row 0 is positive" in str(certificate)
    assert model.n_false_negatives_.tolist() == [1]  # the last row; the first was right by then
    assert model.n_mistakes_ == 1 + sum(r.total_updates for r in model.records_)


@every_learner
def test_a_flipped_label_breaks_the_bound(learner):
    world = monotone_disjunction(4, (0,), noise=0.4)
    X, y = world.draw(200, seed=0)
    model = learner().fit(X, y)
    assert not model.guarantee(n_relevant=1).allows(model.n_mistakes_)
    assert {c.status for c in model.certificates()[:-1]} == {"void"}


def compression_run(noise, rng):
    """Return the exact risk, summed over all rows there are, and the bound."""
    world = BooleanConcept(5, lambda X: X[:, 1] | X[:, 3], noise=noise, density=0.3)
    X, y = world.draw(60, seed=rng)
    model = MonotoneDisjunction().fit(X, y)
    rows = np.array(list(itertools.product([0, 1], repeat=5)))
    differs = model.predict(rows) != world.concept(rows)
    disagreement = differs @ np.prod(np.where(rows, 0.3, 0.7), axis=1)
    risk = noise + (1 - 2 * noise) * disagreement
    return risk, model.certificates(delta=0.2)[-1].bound


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_risk_certificate_covers_the_risk_with_and_without_noise(noise, repetitions):
    rng = np.random.default_rng(0)
    risks, bounds = np.array([compression_run(noise, rng) for _ in range(repetitions)]).T
    assert not Coverage(risks, bounds, 0.2).refuted()


@every_learner
def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is(learner):
    X, y = monotone_disjunction(8, (0, 4), noise=0.05).draw(100, seed=2)
    model, rng = learner().fit(X, y), np.random.default_rng(0)
    for _ in range(10):
        keep = rng.random(100) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], y[keep]).coef_, model.coef_)


@every_learner
def test_numbers_that_are_not_bits_are_refused_and_leave_no_mark(learner):
    model = learner().fit([[1, 0], [0, 1]], ["yes", "no"])
    before = pickle.dumps(model)
    for call in (lambda: model.learn([[2, 0]], ["no"]), lambda: model.learn_one([0.5, 0], "no")):
        with pytest.raises(ValueError, match="Binarizer"):
            call()
        assert pickle.dumps(model) == before


@every_learner
def test_learning_on_drops_what_was_known_of_the_training_set(learner):
    model = learner().fit([[1, 0], [0, 1]], ["yes", "no"])
    assert len(model.certificates()) == 3
    model.learn_one([1, 1], "no")
    assert model.certificates() == ()
    assert not hasattr(model, "contradictions_")


@every_learner
def test_the_guarantee_covers_the_mistakes_of_all_two_class_problems(learner):
    model = learner().fit(np.eye(6, dtype=int), range(6))
    assert model.guarantee().allows(model.n_mistakes_)
    assert max(c.bound for c in model.certificates() if c.kind == "mistakes") <= 7
