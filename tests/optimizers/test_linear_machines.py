"""Linear support vector machines: fixtures, KKT conditions, peers, gaps that are honest."""

import itertools

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

from surelearn.datasets.worlds import Noisy
from surelearn.optimizers import linear_machines
from surelearn.optimizers.linear_machines import (
    _newton,
    solve_linear_classification,
    solve_linear_regression,
)

INTERCEPTS = ["free", "penalized", "none"]
FORMS = {"dense": np.asarray, "sparse": sparse.csr_array}


@pytest.fixture(params=["narrow", "wide by rows", "wide by products"])
def path(request, monkeypatch):
    """Send small tables down the paths that shapes of large ones choose."""
    if request.param != "narrow":
        monkeypatch.setattr(linear_machines, "WIDEST", 0)
    if request.param == "wide by rows":
        monkeypatch.setattr(_newton, "_solve", _newton._solve_by_rows)
    elif request.param == "wide by products":
        monkeypatch.setattr(_newton, "WIDEST", 0)


def values(found, X, y, costs, *, epsilon, intercept):
    """Return primal and dual values, from the statement."""
    w, b, beta = found.coef, found.intercept, found.dual_variables
    scores = X @ w + b
    if epsilon is None:
        losses, gain = np.maximum(0.0, 1.0 - y * scores), np.abs(beta).sum()
        assert (y * beta >= 0.0).all()
    else:
        losses = np.maximum(0.0, np.abs(y - scores) - epsilon)
        gain = y @ beta - epsilon * np.abs(beta).sum()
    assert (np.abs(beta) <= costs).all()
    own = b**2 if intercept == "penalized" else 0.0
    pull = X.T @ beta
    if intercept == "free":
        assert abs(beta.sum()) <= 1e-12 * np.abs(beta).sum()
    if intercept == "none":
        assert b == 0.0
    total = beta.sum() ** 2 if intercept == "penalized" else 0.0
    return 0.5 * (w @ w + own) + costs @ losses, gain - 0.5 * (pull @ pull + total)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("path")
def test_both_values_are_what_they_say_and_meet(form, intercept):
    rng = np.random.default_rng(0)
    for n, d, C in itertools.product((15, 80), (2, 9), (1e-3, 0.3, 20.0)):
        X = rng.normal(size=(n, d))
        costs = C * rng.choice([0.0, 1.0, 2.5], size=n)
        signs = np.where(X[:, 0] + rng.normal(size=n) + 0.4 > 0, 1.0, -1.0)
        found = solve_linear_classification(
            FORMS[form](X), signs, costs=costs, intercept=intercept, tolerance=1e-5
        )
        primal, dual = values(found, X, signs, costs, epsilon=None, intercept=intercept)
        assert (found.primal, found.dual) == pytest.approx((primal, dual), rel=1e-9)
        assert primal - dual <= 1.01e-5 * primal
        numbers = 2.0 * X[:, 0] + rng.normal(size=n) + 3.0
        found = solve_linear_regression(
            FORMS[form](X),
            numbers,
            costs=costs,
            epsilon=0.2,
            intercept=intercept,
            tolerance=1e-5,
        )
        primal, dual = values(found, X, numbers, costs, epsilon=0.2, intercept=intercept)
        assert (found.primal, found.dual) == pytest.approx((primal, dual), rel=1e-9)
        assert primal - dual <= 1.01e-5 * primal


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_catalogues_machines(form):
    X, signs = np.array([[2.0, 2.0], [3.0, 3.0], [0.0, 2.0]]), np.array([1.0, 1.0, -1.0])
    found = solve_linear_classification(form(X), signs, costs=np.full(3, 1e4), tolerance=1e-8)
    assert min(signs * (X @ found.coef + found.intercept)) == pytest.approx(1.0, abs=1e-4)
    X, y = np.arange(4.0)[:, np.newaxis], np.array([0.0, 1.5, 1.5, 3.0])
    found = solve_linear_regression(form(X), y, costs=np.ones(4), epsilon=0.1, tolerance=1e-9)
    assert found.coef[0] == pytest.approx(0.9333333, abs=1e-6)
    assert found.primal == pytest.approx(1.1688889, abs=1e-6)
    assert found.dual == pytest.approx(1.1688889, abs=1e-6)
    np.testing.assert_allclose(found.dual_variables, [-0.6444444, 1.0, -1.0, 0.6444444], atol=1e-4)
    X = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 3.0]])
    signs = np.array([1.0, 1.0, -1.0, 1.0])
    found = solve_linear_classification(
        form(X), signs, costs=np.full(4, 100.0), intercept="none", tolerance=1e-10
    )
    np.testing.assert_allclose(found.coef, [0.5, 0.5], atol=1e-5)
    assert abs(found.dual_variables[3]) < 1e-8


def test_libsvm_and_liblinear_find_no_less():
    X, signs = Noisy(5, 0.15).draw(300, seed=0)
    for C in (0.01, 1.0, 10.0):
        costs = np.full(300, C)
        found = solve_linear_classification(X, signs, costs=costs, tolerance=1e-7)
        peer = SVC(kernel="linear", C=C, tol=1e-7).fit(X, signs)
        w, b = peer.coef_[0], peer.intercept_[0]
        value = 0.5 * w @ w + C * np.maximum(0.0, 1.0 - signs * (X @ w + b)).sum()
        assert value >= found.dual * (1.0 - 1e-12)
        assert found.primal <= value * (1.0 + 1e-6)
        np.testing.assert_allclose(found.coef, w, atol=2e-3 * np.linalg.norm(w))
        ours = solve_linear_classification(
            X, signs, costs=costs, tolerance=1e-7, intercept="penalized"
        )
        other = LinearSVC(loss="hinge", C=C, tol=1e-8, max_iter=100_000).fit(X, signs)
        np.testing.assert_allclose(ours.coef, other.coef_[0], atol=3e-3)


def test_regression_agrees_with_both_libraries():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = X @ [1.0, -2.0, 0.0, 0.5] + 5.0 + 0.3 * rng.normal(size=200)
    costs = np.full(200, 0.7)
    found = solve_linear_regression(X, y, costs=costs, epsilon=0.1, tolerance=1e-7)
    peer = SVR(kernel="linear", C=0.7, epsilon=0.1, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(found.coef, peer.coef_[0], atol=1e-3)
    assert found.intercept == pytest.approx(peer.intercept_[0], abs=2e-3)
    found = solve_linear_regression(
        sparse.csr_array(X), y, costs=costs, epsilon=0.1, tolerance=1e-7, intercept="none"
    )
    other = LinearSVR(C=0.7, epsilon=0.1, tol=1e-8, fit_intercept=False, max_iter=100_000)
    np.testing.assert_allclose(found.coef, other.fit(X, y).coef_, atol=1e-3)


def test_a_general_programme_finds_the_same():
    rng = np.random.default_rng(3)
    X, signs = rng.normal(size=(12, 2)), rng.choice([-1.0, 1.0], 12)
    n, d, C = 12, 2, 0.8
    found = solve_linear_classification(X, signs, costs=np.full(n, C), tolerance=1e-10)
    start = np.concatenate([np.zeros(d + 1), np.ones(n) * 2])
    answer = optimize.minimize(
        lambda v: 0.5 * v[:d] @ v[:d] + C * v[d + 1 :].sum(),
        start,
        jac=lambda v: np.concatenate([v[:d], [0.0], np.full(n, C)]),
        bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
        constraints={
            "type": "ineq",
            "fun": lambda v: signs * (X @ v[:d] + v[d]) - 1.0 + v[d + 1 :],
        },
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert found.primal == pytest.approx(answer.fun, rel=1e-7)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("intercept", INTERCEPTS)
def test_tables_that_say_little_are_solved(form, intercept):
    signs = np.tile([1.0, -1.0], 10)
    wild = {
        "zeros": np.zeros((20, 3)),
        "one point, both labels": np.ones((20, 3)),
        "one row again and again": np.tile([[1.0, 2.0, 3.0]], (20, 1)) * signs[:, np.newaxis],
        "columns alike": np.repeat(np.arange(20.0)[:, np.newaxis], 3, axis=1),
        "far from 0": 1e4 + np.random.default_rng(0).normal(size=(20, 3)),
        "tiny": 1e-6 * np.random.default_rng(0).normal(size=(20, 3)),
    }
    if intercept == "free" and form is not np.asarray:
        del wild["far from 0"]  # sparse rows cannot be moved, and digits are lost
    for name, X in wild.items():
        found = solve_linear_classification(
            form(X), signs, costs=np.ones(20), intercept=intercept, tolerance=1e-3
        )
        assert found.within(1e-3), name
        assert np.isfinite(found.coef).all()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_one_class_and_no_cost_have_the_weights_0(form):
    X = np.random.default_rng(0).normal(size=(8, 2))
    found = solve_linear_classification(form(X), np.ones(8), costs=np.ones(8))
    assert (found.primal, found.dual) == (0.0, 0.0)
    assert found.intercept == 1.0
    found = solve_linear_classification(form(X), np.ones(8), costs=np.zeros(8))
    assert (found.primal, found.intercept) == (0.0, 0.0)


def test_of_several_best_intercepts_the_nearest_to_0_is_taken():
    X, signs = np.zeros((4, 1)), np.array([1.0, 1.0, -1.0, -1.0])
    found = solve_linear_classification(X, signs, costs=np.ones(4))
    assert found.intercept == 0.0
    assert found.primal == found.dual == 4.0


def test_weights_are_copies_of_rows():
    X, signs = Noisy(3, 0.2).draw(60, seed=1)
    weights = np.random.default_rng(0).integers(0, 4, size=60)
    once = solve_linear_classification(X, signs, costs=0.5 * weights, tolerance=1e-8)
    many = np.repeat(np.arange(60), weights)
    copies = solve_linear_classification(
        X[many], signs[many], costs=np.full(len(many), 0.5), tolerance=1e-8
    )
    assert once.primal == pytest.approx(copies.primal, rel=1e-7)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_start_near_the_optimum_saves_steps_and_changes_no_answer(form):
    X, signs = Noisy(5, 0.15).draw(400, seed=0)
    costs = np.full(400, 1.0)
    first = solve_linear_classification(form(X), signs, costs=costs, tolerance=1e-6)
    again = solve_linear_classification(
        form(X), signs, costs=costs, tolerance=1e-6, start=first.dual_variables
    )
    assert again.within(1e-6)
    assert again.n_steps <= first.n_steps
    assert again.primal == pytest.approx(first.primal, rel=2e-6)


def test_a_gap_that_was_not_reached_is_told():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.normal(size=(50, 2000)))
    signs = rng.choice([-1.0, 1.0], 50)
    found = solve_linear_classification(X, signs, costs=np.full(50, 1e6), tolerance=0.0, max_iter=1)
    assert not found.within(0.0)
    assert found.gap == found.primal - found.dual > 0.0


def test_rows_are_left_as_they_were():
    X, signs = Noisy(3, 0.2).draw(60, seed=1)
    before = X.copy(), signs.copy()
    X.flags.writeable = signs.flags.writeable = False
    solve_linear_classification(X, signs, costs=np.ones(60))
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(signs, before[1])


def wild():
    X = sparse.csr_array(np.eye(4))
    X.indices[0] = 10**7  # a read far outside
    return X


@pytest.mark.parametrize(
    ("X", "told"),
    [
        (wild(), "sparse matrix is broken"),
        (np.ones(4), "shape"),
        (np.ones((4, 0)), "shape"),
        (np.full((4, 2), 1j), "not an array of numbers"),
        (sparse.csr_array(np.full((4, 2), 1j)), "complex"),
        ("text", "not an array of numbers"),
        (np.ones((5, 2)), "4 targets and 4 costs for 5 rows"),
    ],
    ids=["wild", "vector", "no columns", "complex", "sparse complex", "text", "other rows"],
)
def test_rows_that_loops_could_not_survive_are_refused(X, told):
    y, costs = np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4)
    with pytest.raises(ValueError, match=told):
        solve_linear_classification(X, y, costs=costs)
    with pytest.raises(ValueError, match=told):
        solve_linear_regression(X, y, costs=costs, epsilon=0.1)


def test_rows_may_be_lists_and_costs_may_not_be_negative():
    X, y = [[1], [2], [4]], [-1, -1, 1]
    assert round(solve_linear_classification(X, y, costs=[10, 10, 10]).intercept, 1) == -3.0
    with pytest.raises(ValueError, match="costs has numbers below 0"):
        solve_linear_classification(X, y, costs=[1, 1, -1])


def test_tables_that_are_wide_and_long_are_left_to_coordinates(monkeypatch):
    def refuse(*_):
        raise AssertionError("Newton's equations are too large here")

    monkeypatch.setattr(linear_machines._newton, "minimise", refuse)
    monkeypatch.setattr(linear_machines, "WIDEST", 150)
    X = sparse.random_array((160, 160), density=0.1, rng=0).tocsr()
    y = np.where(np.random.default_rng(0).random(160) < 0.5, 1.0, -1.0)
    found = linear_machines.solve_linear_classification(
        X, y, costs=np.full(160, 1e4), intercept="none", tolerance=1e-6
    )
    assert found.within(1e-6)
    assert found.n_steps > 200  # where Newton's method would have had its turn
