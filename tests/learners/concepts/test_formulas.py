"""Conjunctions, k-DNF and k-CNF by elimination: the plain version, worst cases, broken worlds."""

import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone

from reference import elimination as plain
from surelearn import booleans
from surelearn.datasets.worlds import BooleanConcept
from surelearn.evaluate.coverage import Coverage
from surelearn.learners.concepts.conjunction import Conjunction
from surelearn.learners.concepts.disjunction import Disjunction
from surelearn.learners.concepts.k_cnf import KCNF
from surelearn.learners.concepts.k_dnf import KDNF
from surelearn.learners.concepts.monotone_conjunction import MonotoneConjunction
from surelearn.persistence.model_files import load_model, save_model


def single(n, *, negations):
    return [((j, bit),) for j, bit in plain.literals(n, negations=negations)]


LEARNERS = {
    "MonotoneConjunction": (
        MonotoneConjunction(),
        lambda n: single(n, negations=False),
        plain.learn_conjunction,
    ),
    "Conjunction": (Conjunction(), lambda n: single(n, negations=True), plain.learn_conjunction),
    "KDNF-1": (KDNF(n_literals=1), lambda n: plain.terms(n, 1), plain.learn_disjunction),
    "KDNF-2": (KDNF(), lambda n: plain.terms(n, min(2, n)), plain.learn_disjunction),
    "KDNF-3": (KDNF(n_literals=3), lambda n: plain.terms(n, min(3, n)), plain.learn_disjunction),
    "KCNF-2": (KCNF(), lambda n: plain.terms(n, min(2, n)), plain.learn_conjunction),
    "KCNF-3": (KCNF(n_literals=3), lambda n: plain.terms(n, min(3, n)), plain.learn_conjunction),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


def as_literals(parts, n):
    """Return parts of the plain version as the literals of a `NormalForm`, in any order."""
    return {tuple(sorted(j if bit else n + j for j, bit in part)) for part in parts}


@every_learner
@settings(deadline=None, max_examples=25)
@given(
    X=hnp.arrays(
        np.int64, st.tuples(st.integers(2, 20), st.integers(1, 5)), elements=st.integers(0, 1)
    ),
    seed=st.integers(0, 2**20 - 1),
)
def test_it_equals_the_plain_version_exactly(name, X, seed):
    learner, parts_of, learn = LEARNERS[name]
    labels = np.array([(seed >> t) & 1 for t in range(len(X))])
    n = X.shape[1]
    predictions, left = learn(X, labels, parts_of(n))
    rule = plain.allows if learn is plain.learn_conjunction else plain.holds
    joined = all if learn is plain.learn_conjunction else any
    expected = [joined(rule(row, part) for part in left) for row in X]
    for form in (X, sparse.csr_array(X)):
        model = clone(learner)
        scores = model.learn(form, labels, classes=[0, 1])
        np.testing.assert_array_equal(scores > 0.0, np.array(predictions) == 1)
        formula = model.formulas_[0]
        assert {tuple(sorted(term)) for term in formula.terms} == as_literals(left, n)
        np.testing.assert_array_equal(formula.holds(X), expected)
        np.testing.assert_array_equal(model.predict(form) == 1, expected)
        assert model.n_mistakes_ == np.count_nonzero(np.array(predictions) != labels)
        assert model.predict_one(X[0]) == model.predict(X[:1])[0]


def test_terms_of_one_literal_are_a_disjunction_and_clauses_of_one_a_conjunction():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(60, 5)), rng.integers(0, 2, size=60)
    for one, other in ((KDNF(n_literals=1), Disjunction()), (KCNF(n_literals=1), Conjunction())):
        np.testing.assert_array_equal(
            one.learn(X, y, classes=[0, 1]), other.learn(X, y, classes=[0, 1])
        )
        assert one.guarantee().bound == other.guarantee().bound == 6.0


def worst_case(learner, target, n, cache=None, state=None):
    """Return the most mistakes that any sequence of rows labelled by a target causes."""
    rows = booleans.assignments(n)
    truth = target(rows)
    cache = {} if cache is None else cache
    model = clone(learner).partial_fit(rows[:1], truth[:1], classes=[0, 1])
    model = pickle.loads(state) if state else model._before_any_row()  # noqa: S301
    key = model.crossed_.astype(bool).tobytes()
    if key not in cache:
        wrong = np.flatnonzero(model.predict(rows) != truth)
        cache[key] = 0
        for t in wrong:
            after = pickle.loads(pickle.dumps(model)).partial_fit(rows[[t]], truth[[t]])  # noqa: S301
            most = 1 + worst_case(learner, target, n, cache, pickle.dumps(after))
            cache[key] = max(cache[key], most)
    return cache[key]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_worst_case_of_conjunctions_is_the_bound(n):
    nothing = np.zeros_like  # never true, though no conjunction of fewer than all literals is so

    def everything(rows):
        return np.ones(len(rows), dtype=np.int64)

    assert worst_case(Conjunction(), everything, n) == n + 1
    assert worst_case(MonotoneConjunction(), everything, n) == n
    assert worst_case(MonotoneConjunction(), lambda rows: rows[:, 0], n) == n - 1
    assert worst_case(Conjunction(), lambda rows: nothing(rows[:, 0]), n) == 0


@pytest.mark.parametrize(("n", "k"), [(2, 2), (3, 2)])
def test_no_sequence_makes_terms_or_clauses_err_more_often_than_the_bound(n, k):
    targets = {
        "nothing": lambda rows: np.zeros(len(rows), dtype=np.int64),
        "either": lambda rows: rows[:, 0] ^ rows[:, 1],
        "one": lambda rows: rows[:, 0],
    }
    learners = (KDNF(n_literals=k), KCNF(n_literals=k))
    for target in targets.values() if n == 2 else [targets["either"]]:
        for learner in learners:
            assert worst_case(learner, target, n) <= 1 + math.comb(n, k) * (2**k - 1)
    assert worst_case(KDNF(n_literals=2), targets["nothing"], 2) == 4  # attained


CONCEPTS = {
    "MonotoneConjunction": lambda X: X[:, 0] & X[:, 3],
    "Conjunction": lambda X: X[:, 0] & (1 - X[:, 3]),
    "KDNF-1": lambda X: X[:, 0] | (1 - X[:, 3]),
    "KDNF-2": lambda X: (X[:, 0] & (1 - X[:, 1])) | (X[:, 2] & X[:, 3]),
    "KDNF-3": lambda X: (X[:, 0] & X[:, 1] & (1 - X[:, 2])) | X[:, 3],
    "KCNF-2": lambda X: (X[:, 0] | X[:, 1]) & (X[:, 2] | (1 - X[:, 3])),
    "KCNF-3": lambda X: (X[:, 0] | X[:, 1] | X[:, 2]) & (1 - X[:, 3]),
}


@every_learner
def test_the_bounds_are_never_exceeded_and_the_concept_is_found(name):
    learner, world = LEARNERS[name][0], BooleanConcept(6, CONCEPTS[name])
    for seed in range(12):
        X, y = world.draw(150, seed=seed)
        model = clone(learner).fit(X, y)
        realised, before, _ = model.certificates()
        assert model.guarantee().allows(model.n_mistakes_)
        assert realised.observed <= realised.bound <= before.bound
        assert {realised.status, before.status} <= {"valid", "vacuous"}
        assert model.contradictions_.tolist() == [-1]
        assert model.n_unexplained_.tolist() == [0]
        np.testing.assert_array_equal(model.predict(X), y)


@every_learner
def test_labels_that_are_no_such_formula_void_the_certificates_and_a_row_is_named(name):
    X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 2)
    y = np.array([1, 0, 0, 1, 0, 1, 1, 0])  # every row with both labels
    model = clone(LEARNERS[name][0]).fit(X, y)
    certificate = model.certificates()[0]
    assert certificate.status == "void"
    row = int(model.contradictions_[0])
    assert f"row {row} is" in str(certificate)
    assert model.predict(X[[row]])[0] != y[row]


@every_learner
def test_a_flipped_label_breaks_the_bound(name):
    learner, world = LEARNERS[name][0], BooleanConcept(4, CONCEPTS[name], noise=0.4)
    X, y = world.draw(400, seed=0)
    model = clone(learner).fit(X, y)
    assert not model.guarantee().allows(model.n_mistakes_)
    assert {c.status for c in model.certificates()[:-1]} == {"void"}


def compression_run(name, noise, rng):
    """Return the exact risk, summed over all rows there are, and the bound."""
    world = BooleanConcept(5, CONCEPTS[name], noise=noise)
    X, y = world.draw(60, seed=rng)
    if len(np.unique(y)) < 2:
        return 0.0, 1.0
    model = clone(LEARNERS[name][0]).fit(X, y)
    rows = booleans.assignments(5)
    risk = noise + (1 - 2 * noise) * np.mean(model.predict(rows) != world.concept(rows))
    return risk, model.certificates(delta=0.2)[-1].bound


@pytest.mark.parametrize("noise", [0.0, 0.1])
@pytest.mark.parametrize("name", ["Conjunction", "KDNF-2"])
def test_the_risk_certificate_covers_the_risk_with_and_without_noise(name, noise, repetitions):
    rng = np.random.default_rng(0)
    runs = [compression_run(name, noise, rng) for _ in range(repetitions // 4)]
    risks, bounds = np.array(runs).T
    assert not Coverage(risks, bounds, 0.2).refuted()


@every_learner
def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is(name):
    learner = LEARNERS[name][0]
    X, y = BooleanConcept(5, CONCEPTS[name], noise=0.05).draw(100, seed=2)
    model, rng = clone(learner).fit(X, y), np.random.default_rng(0)
    for _ in range(10):
        keep = rng.random(100) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], y[keep]).coef_, model.coef_)


@every_learner
def test_numbers_that_are_not_bits_are_refused_and_leave_no_mark(name):
    model = clone(LEARNERS[name][0]).fit([[1, 0], [0, 1]], ["yes", "no"])
    before = pickle.dumps(model)
    for call in (lambda: model.learn([[2, 0]], ["no"]), lambda: model.learn_one([0.5, 0], "no")):
        with pytest.raises(ValueError, match="Binarizer"):
            call()
        assert pickle.dumps(model) == before


@every_learner
def test_three_classes_are_learnt_one_against_the_rest_and_stored(name, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(80, 4))
    y = np.array(["a", "b", "c"])[X[:, 0] + X[:, 0] * X[:, 1]]
    model = clone(LEARNERS[name][0]).fit(X, y)
    assert model.guarantee().allows(model.n_mistakes_) or "void" in {
        c.status for c in model.certificates()
    }
    path = tmp_path / "model.surelearn"
    save_model(model, path, schema={}, metadata={})
    np.testing.assert_array_equal(load_model(path).model.predict(X), model.predict(X))


@pytest.mark.parametrize("learner", [KDNF, KCNF])
@pytest.mark.parametrize(("n", "k"), [(300, 3), (2000, 2), (40, 20), (10**5, 99)])
def test_more_terms_than_memory_is_for_are_refused_before_anything_is_made(learner, n, k):
    X = sparse.csr_array(([1.0], ([0], [0])), shape=(2, n))
    with pytest.raises(ValueError, match=r"smaller n_literals.*Agreement"):
        learner(n_literals=k).fit(X, [0, 1])


@pytest.mark.parametrize("learner", [KDNF, KCNF])
@pytest.mark.parametrize("k", [0, -1, 1.5, "two", None])
def test_a_number_of_literals_that_is_none_is_refused(learner, k):
    with pytest.raises(ValueError, match="n_literals"):
        learner(n_literals=k).fit([[0, 1], [1, 0]], [0, 1])


@pytest.mark.parametrize("learner", [KDNF, KCNF])
def test_a_parameter_set_later_changes_nothing_until_the_next_fit(learner):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, size=(40, 4)), rng.integers(0, 2, size=40)
    model = learner(n_literals=2).fit(X, y)
    before = model.predict(X)
    model.set_params(n_literals=3)
    np.testing.assert_array_equal(model.predict(X), before)
    assert len(model.formulas_[0].terms or ((0, 0),)) >= 1
    model.learn(X, y)
    assert all(len(term) == 2 for term in model.formulas_[0].terms)


@pytest.mark.parametrize("learner", [KDNF, KCNF])
def test_a_state_of_another_width_is_refused_and_never_followed(learner):
    X, y = np.array([[0, 1, 1], [1, 0, 0]]), [0, 1]
    model = learner().fit(X, y)
    good, state = model.learnt_, model.states_[0]
    for broken in (
        state._replace(crossed=state.crossed[:3]),
        state._replace(coef=state.coef[:3]),
        state._replace(n_variables=np.array([2])),
        state._replace(n_variables=np.array([4])),
        state._replace(n_variables=np.array([10**15])),
        state._replace(n_variables=np.array([-3])),
    ):
        with pytest.raises(ValueError, match="cannot have learnt such"):
            model.learnt_ = good._replace(states=(broken,))
        vars(model)["learnt_"] = good._replace(states=(broken,))
        for call in (
            lambda: model.learn(X, y),
            lambda: model.learn(sparse.csr_array(X), y),
            lambda: model.predict(X),
            lambda: model.predict(sparse.csr_array(X)),
            lambda: model.formulas_,
        ):
            with pytest.raises(ValueError, match=r"damaged|variables|wider|shape|changed by hand"):
                call()


@pytest.mark.parametrize("learner", [Conjunction, MonotoneConjunction, Disjunction])
def test_literals_of_another_number_are_refused_and_never_followed(learner):
    X, y = np.array([[0, 1, 1], [1, 0, 0]]), [0, 1]
    model = learner().fit(X, y)
    broken = model.states_[0]._replace(crossed=np.zeros(2))
    vars(model)["learnt_"] = model.learnt_._replace(states=(broken,))
    for form in (X, sparse.csr_array(X)):
        with pytest.raises(ValueError, match=r"damaged|changed by hand"):
            model.learn(form, y)


def test_the_formula_of_the_catalogue_has_sixty_eight_satisfying_rows():
    # S000-90: x1 x4 x7 or x1 not-x2 or x2 x5 over seven bits
    formula = booleans.NormalForm("disjunctive", ((0, 3, 6), (0, 8), (1, 4)), 7)
    rows = booleans.assignments(7)
    assert formula.holds(rows).sum() == 68
    model = KDNF(n_literals=3).fit(rows, formula.holds(rows))
    np.testing.assert_array_equal(model.predict(rows), formula.holds(rows))
    assert model.guarantee().bound == 1 + math.comb(7, 3) * 7


def test_every_or_of_two_conjunctions_is_learnt_by_clauses_of_two():
    rows, pairs = booleans.assignments(4), itertools.combinations(plain.terms(4, 3), 2)
    for first, second in itertools.islice(pairs, 0, None, 5):
        y = np.array([plain.holds(row, first) or plain.holds(row, second) for row in rows])
        model = KCNF().partial_fit(rows, y, classes=[False, True])
        np.testing.assert_array_equal(model.partial_fit(rows, y).predict(rows), y)
