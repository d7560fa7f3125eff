"""The Lagrangian: the catalogue's examples, the counter-example to KKT, support vector machines."""

import numpy as np
import pytest

from surelearn.optimizers import Lagrangian
from surelearn.optimizers.linear_machines import solve_linear_classification


def square(z):
    return z[0] ** 2, 2.0 * z


def below_minus_one(z):
    return z[0] + 1.0, [1.0]


def test_the_least_square_below_minus_one_has_the_multiplier_2():
    problem = Lagrangian(square, [below_minus_one])
    assert problem.kkt_residuals([-1.0], [2.0]) == (0.0, 0.0, 0.0, 0.0)
    # The dual value is min over z of L: 1 at the multiplier 2 (with the sign misprinted, 0).
    assert problem([-1.0], [2.0])[0] == 1.0
    z = np.linspace(-3, 3, 601)
    duals = [min(problem([v], [a])[0] for v in z) for a in np.linspace(0, 4, 41)]
    assert max(duals) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("x", "multipliers", "residuals"),
    [
        ([-1.0], [0.0], (2.0, 0.0, 0.0, 0.0)),
        ([0.0], [0.0], (0.0, 1.0, 0.0, 0.0)),
        ([-1.0], [-2.0], (4.0, 0.0, 2.0, 0.0)),
        ([-3.0], [6.0], (0.0, 0.0, 0.0, 12.0)),
    ],
)
def test_each_condition_is_measured_by_itself(x, multipliers, residuals):
    assert Lagrangian(square, [below_minus_one]).kkt_residuals(x, multipliers) == residuals


def test_kkt_can_fail_at_an_optimum_where_fritz_john_holds():
    problem = Lagrangian(lambda w: (w[0], [1.0]), [lambda w: (w[0] ** 2, 2.0 * w)])
    for alpha in (0.0, 1.0, 1e6):
        assert problem.kkt_residuals([0.0], [alpha]).stationarity == 1.0
    assert problem.fritz_john_residuals([0.0], 0.0, [1.0]).largest == 0.0
    with pytest.raises(ValueError, match="all multipliers are 0"):
        problem.fritz_john_residuals([0.0], 0.0, [0.0])


def test_the_hard_margin_machine_of_the_catalogue_is_optimal():
    X = np.array([[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 3.0]])
    y = np.array([1.0, 1.0, -1.0, 1.0])
    margins = [lambda w, x=x, s=s: (1.0 - s * (x @ w), -s * x) for x, s in zip(X, y, strict=True)]
    problem = Lagrangian(lambda w: (0.5 * w @ w, w), margins)
    sixth = 1.0 / 6.0
    assert problem.kkt_residuals([0.5, 0.5], [sixth, sixth, sixth, 0.0]).largest < 1e-15
    # Multipliers need not be unique.
    assert problem.kkt_residuals([0.5, 0.5], [0.25, 0.25, 0.0, 0.0]).largest < 1e-15
    assert problem.kkt_residuals([0.6, 0.5], [sixth, sixth, sixth, 0.0]).largest > 0.05


def test_an_equality_takes_a_multiplier_of_any_sign():
    problem = Lagrangian(lambda x: (x @ x, 2.0 * x), equalities=[lambda x: (x.sum() - 2.0, [1, 1])])
    assert problem.kkt_residuals([1.0, 1.0], (), [-2.0]).largest == 0.0
    assert problem.kkt_residuals([2.0, 1.0], (), [-2.0]).primal_feasibility == 1.0


@pytest.mark.parametrize("seed", range(4))
def test_solved_machines_satisfy_the_conditions_of_the_soft_margin(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), rng.choice([-1.0, 1.0], 20)
    C, n = 0.7, 20
    found = solve_linear_classification(X, y, costs=np.full(n, C), tolerance=1e-10)
    alpha = np.abs(found.dual_variables)
    slack = np.maximum(0.0, 1.0 - y * (X @ found.coef + found.intercept))

    def objective(v):
        return 0.5 * v[:3] @ v[:3] + C * v[4:].sum(), np.concatenate([v[:3], [0], np.full(n, C)])

    def margin(i):
        unit = np.eye(n)[i]
        gradient = -np.concatenate([y[i] * X[i], [y[i]], unit])
        return lambda v: (1.0 + gradient @ v, gradient)

    def positive(i):
        gradient = -np.concatenate([np.zeros(4), np.eye(n)[i]])
        return lambda v: (gradient @ v, gradient)

    constraints = [margin(i) for i in range(n)] + [positive(i) for i in range(n)]
    problem = Lagrangian(objective, constraints)
    point = np.concatenate([found.coef, [found.intercept], slack])
    residuals = problem.kkt_residuals(point, np.concatenate([alpha, C - alpha]))
    assert residuals.largest < 1e-4


def test_what_makes_no_sense_is_refused():
    problem = Lagrangian(square, [below_minus_one])
    with pytest.raises(ValueError, match="1 inequalities and 2 multipliers"):
        problem.kkt_residuals([0.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="finite"):
        problem.kkt_residuals([np.nan], [1.0])
    with pytest.raises(ValueError, match="a gradient of 1 finite"):
        Lagrangian(lambda z: (z[0], [1.0, 2.0])).kkt_residuals([0.0])
