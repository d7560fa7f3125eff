import numpy as np
import pytest
from scipy import sparse

from surelearn._threads import Workers, workers
from surelearn.kernels import Gaussian
from surelearn.learners.kernelized._dual_solver import (
    bits,
    gaussian_products,
    gaussian_sums,
    gaussian_tiles,
    hulls,
    inner_loop,
    solver,
    working_set,
)
from surelearn.learners.kernelized._dual_solver.gaussian_values import GaussianValues
from surelearn.learners.kernelized._dual_solver.kernel_values import ComputedValues, KeptValues
from surelearn.learners.kernelized._dual_solver.powers_of_two import (
    raise_two_doubles,
    raise_two_singles,
)
from surelearn.learners.kernelized._dual_solver.problem import Problem, judge

ALONE = Workers(None, 1)
PRECISION = {np.float32: 3e-6, np.float64: 1e-12}


def table(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.mark.parametrize("dtype", PRECISION)
@pytest.mark.parametrize("registers", [True, False])
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (7, 33, 2), (130, 65, 5), (64, 600, 40)])
def test_sums_and_blocks_are_those_of_the_kernel(monkeypatch, dtype, registers, n, m, d):
    if not registers:
        monkeypatch.setattr(gaussian_tiles, "is_fast", lambda: False)
    X, Z, weights = table(n, d), table(m, d, 1), np.random.default_rng(2).normal(size=m)
    left, right = (
        gaussian_products.factors(A, 0.3 / d, Z.mean(axis=0)).astype(dtype) for A in (X, Z)
    )
    expected = Gaussian(gamma=0.3 / d)(X, Z)
    sums = np.full(n, 5.0)
    gaussian_sums.add_expansion(left, right, weights.astype(dtype), sums, ALONE)
    tolerance = PRECISION[dtype] * np.sqrt(m)
    np.testing.assert_allclose(sums - 5.0, expected @ weights, atol=tolerance)
    across = gaussian_tiles.width(dtype)
    out = np.zeros((-(-n // 8) * 8, -(-m // across) * across), dtype)
    gaussian_sums.fill(left, right, out, ALONE)
    np.testing.assert_allclose(out[:n, :m], expected, atol=PRECISION[dtype])


def test_tiles_agree_with_their_plain_selves():
    X = table(64, 3)
    made = gaussian_products.factors(X, 0.5, X.mean(axis=0)).astype(np.float32)
    panels = gaussian_sums._panels(made)
    weights = np.ones(panels.shape[::2], np.float32)
    found, plain = np.zeros(64), np.zeros(64)
    lanes = np.zeros((64, 16), np.float32)
    gaussian_tiles.add_sums(made.rows, panels, weights, lanes, found)
    gaussian_tiles.add_sums.py_func(made.rows, panels, weights, lanes, plain)
    np.testing.assert_allclose(found, plain, rtol=1e-6)


def test_far_points_have_values_near_zero_and_copies_one():
    X = np.array([[0.0], [1e3], [0.0]])
    values = GaussianValues.of(X, 1.0, ALONE)
    assert values.needs_double
    for double in (True, False):
        block = values.block(np.arange(3), double=double)[:3, :3]
        np.testing.assert_allclose(block, [[1, 0, 1], [0, 1, 0], [1, 0, 1]], atol=1e-6)


def test_sparse_rows_have_the_values_of_dense_ones():
    X = np.where(np.abs(table(200, 700)) < 2.4, 0.0, 1.0)
    thin = sparse.csr_array(X)
    assert sparse.issparse(gaussian_sums.spread_out(thin))
    rows, weights = np.arange(0, 200, 3), np.ones(67)
    for double in (True, False):
        sums = [
            GaussianValues.of(form, 0.1, ALONE, offset=1.0).sums(rows, weights, double=double)
            for form in (X, thin)
        ]
        np.testing.assert_allclose(sums[0], sums[1], rtol=1e-12 if double else 1e-5)


@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_all_sources_of_values_agree(offset):
    X, kernel = table(90, 4), Gaussian(gamma=0.2)
    whole = kernel(X) + offset

    def shifted(A, B):
        return kernel(A, B) + offset

    sources = [
        KeptValues(whole),
        ComputedValues(X, shifted, np.diagonal(whole)),
        GaussianValues.of(X, 0.2, ALONE, offset=offset),
    ]
    rows, weights = np.array([3, 80, 7]), np.array([1.0, -2.0, 0.5])
    part = np.arange(5, 85)
    for values in sources:
        sums = values.sums(rows, weights, double=True)
        np.testing.assert_allclose(sums, weights @ whole[rows], atol=1e-12)
        sums = values.sums(rows, weights, among=part, double=True)
        np.testing.assert_allclose(sums, weights @ whole[rows][:, part], atol=1e-12)
        block = values.block(rows, double=True)
        np.testing.assert_allclose(block[:3, :3], whole[np.ix_(rows, rows)], atol=1e-12)
        some = values.restricted(part)
        sums = some.sums(np.array([2]), np.array([1.0]), double=True)
        np.testing.assert_allclose(sums, whole[7][part], atol=1e-12)


def test_bits_are_ordered_like_numbers():
    numbers = np.array([-np.inf, -1e30, -2.5, -1e-300, 0.0, 1e-310, 1.0, 1e30, np.inf])
    keys = [int(bits.ordered(number)) for number in numbers]
    assert keys == sorted(keys)
    assert [float(bits.times_power_of_two(np.float32(1.25), np.float32(k))) for k in (-3, 0)] == [
        0.15625,
        1.25,
    ]


def test_the_inner_loop_takes_one_step_where_one_is_enough():
    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1.0, 1.0, -1.0])
    gram, beta = X @ X.T, np.zeros(3)
    bounds = np.array([np.where(y > 0, 0.0, -10.0), np.where(y > 0, 10.0, 0.0)])
    barred = np.where([beta < bounds[1], beta > bounds[0]], 0.0, inner_loop.FAR)
    arguments = gram, np.diagonal(gram).copy(), -y, beta, bounds, barred, 1e-9, 100
    n_steps, curvature = inner_loop.solve_block(*arguments)
    assert n_steps == 1
    assert curvature == 8.0
    np.testing.assert_allclose(beta, [0.25, 0.0, -0.25])


def test_the_working_set_holds_the_worst_violators_and_what_was_free():
    y = np.repeat([1.0, -1.0], 50)
    bounds = np.array([np.where(y > 0, 0.0, -1.0), np.where(y > 0, 1.0, 0.0)])
    problem = Problem(y, bounds, np.arange(100), balanced=True)
    beta, f = np.zeros(100), -y + np.linspace(-0.5, 0.5, 100)
    beta[[10, 60]] = [0.5, -0.5]
    chosen = working_set.choose(problem, beta, f, np.array([10, 60, 70]), size=10, keep=0.5)
    assert len(chosen) == 10
    assert {10, 60, 0, 99} <= set(chosen)
    assert (np.diff(chosen) > 0).all()


def test_both_objectives_meet_at_the_optimum_and_nowhere_else():
    X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    bounds = np.array([[-10.0, 0.0], [0.0, 10.0]])
    problem = Problem(y, bounds, np.arange(2), balanced=True)
    K = X @ X.T
    best, poor = np.array([-0.5, 0.5]), np.array([-0.1, 0.1])
    found = judge(problem, best, K @ best)
    assert (found.primal, found.dual, found.gap, found.violation) == (0.5, 0.5, 0.0, 0.0)
    assert judge(problem, poor, K @ poor).gap > 0.5


def test_rows_of_one_class_around_the_origin_meet_nothing():
    X = np.array([[1.0], [-1.0]])
    hulls.refuse_meeting(X @ X.T, np.array([True, True]), np.arange(2))
    with pytest.raises(hulls.NotSeparableError, match="and 0 of the other"):
        hulls.refuse_meeting(X @ X.T, np.array([True, True]), np.arange(2), balanced=False)


def test_hulls_that_do_not_meet_are_let_through():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.3], [3.0, 0.0]])
    hulls.refuse_meeting(X @ X.T, np.array([True, True, False, False]), np.arange(4))
    weights, gradient = np.array([0.5, 0.5, -0.5, -0.5]), X @ X.T @ [0.5, 0.5, -0.5, -0.5]
    square = hulls.nearest_points(
        X @ X.T, np.array([True, True, False, False]), weights, gradient, 0
    )
    np.testing.assert_allclose(square, 4.0, rtol=1e-3)


def test_variables_that_rest_are_in_no_block(monkeypatch):
    """An infinite gradient of one that rests would be chosen at every step, and nothing moves."""
    X = table(1200, 3)
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    bounds = np.array([np.minimum(y, 0.0), np.maximum(y, 0.0)])
    problem = Problem(y, bounds, np.arange(len(y)), balanced=True)
    values = GaussianValues.of(X, 1.0, ALONE)
    resting = np.arange(len(y)) % 7 == 0

    def let_rest(search, *_):
        search._resting = resting if search._n_exact == 0 else None

    monkeypatch.setattr(solver._Search, "_let_rest", let_rest)
    found = solver.solve(problem, values, solver.Rules(1e-3, 10**5))
    assert found.converged
    assert found.n_steps < 20 * len(y)
    assert judge(problem, found.beta, found.sums).violation < 1e-3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two(dtype):
    exponents = np.concatenate([-np.geomspace(1e-9, 120.0, 500), [0.0, 0.5, -5000.0]])
    found = exponents.astype(dtype)
    raise_two = raise_two_singles if dtype == np.float32 else raise_two_doubles
    raise_two(found)
    expected = np.exp2(np.minimum(exponents.astype(dtype), 0.0))
    np.testing.assert_allclose(found[:-1], expected[:-1], rtol=8 * np.finfo(dtype).eps)
    assert 0.0 < found[-1] <= 1e-37


@pytest.mark.parametrize("sparse_rows", [False, True])
def test_values_that_serve_twice_are_those_computed_twice(sparse_rows):
    X = np.where(np.abs(table(2300, 210)) < 1.8, 0.0, 1.0)
    rows, weights = np.arange(0, 2300, 2), np.random.default_rng(0).normal(size=1150)
    X = sparse.csr_array(np.hstack([X, np.zeros((2300, 9000))])) if sparse_rows else X
    values = GaussianValues.of(X, 0.1, ALONE, offset=0.5)
    assert sparse.issparse(gaussian_sums.spread_out(X)) == sparse_rows
    expected = Gaussian(gamma=0.1)(X[rows]) + 0.5
    np.testing.assert_allclose(values.block(rows, double=True)[:1150, :1150], expected, atol=1e-12)
    np.testing.assert_allclose(values.block(rows, double=False)[:1150, :1150], expected, atol=1e-5)
    found = values.sums(rows, weights, double=True)
    np.testing.assert_allclose(found[rows], expected @ weights, atol=1e-10)
    some = np.arange(1, 2300, 2)
    again = values.sums(rows, weights, among=some, double=True)
    np.testing.assert_allclose(found[some], again, atol=1e-10)


def test_sums_do_not_depend_on_the_number_of_threads():
    X, weights = table(1500, 230), np.random.default_rng(0).normal(size=1200)
    with workers(2) as crew:
        found = [
            GaussianValues.of(X, 0.001, one).sums(np.arange(1200), weights, double=True)
            for one in (ALONE, crew)
        ]
    assert (found[0] == found[1]).all()


def test_the_inner_loop_gives_the_same_bits_however_often_it_hears_the_keyboard(monkeypatch):
    rng, n = np.random.default_rng(0), 60
    X = rng.normal(size=(n, 3))
    signs = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    gram = Gaussian(gamma=0.5)(X, X)
    bounds = np.array([np.minimum(0.0, 50 * signs), np.maximum(0.0, 50 * signs)])

    def solved():
        f, beta = -signs.copy(), np.zeros(n)
        barred = np.where([beta < bounds[1], beta > bounds[0]], 0.0, inner_loop.FAR)
        found = inner_loop.solve_block(
            gram, gram.diagonal().copy(), f, beta, bounds, barred, 1e-6, 1000
        )
        return *found, f.tobytes(), beta.tobytes()

    at_once = solved()
    assert at_once[0] > 50
    monkeypatch.setattr(inner_loop, "_AT_ONCE", 7 * n)
    assert solved() == at_once
