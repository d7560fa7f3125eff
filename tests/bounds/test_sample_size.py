"""Sample sizes: known values, enough when the theorem says so, too few when it says so."""

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from surelearn.bounds import pac, sample_size, vc
from surelearn.evaluate.coverage import Coverage


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("plan_finite_class", {"n_hypotheses": 1000, "error": 0.1}, 100),
        ("plan_finite_class_exact", {"n_hypotheses": 1000, "error": 0.1}, 94),
        ("plan_finite_class", {"n_hypotheses": 10**6, "error": 0.01}, 1682),
        ("plan_finite_class_exact", {"n_hypotheses": 10**6, "error": 0.01}, 1673),
        ("plan_uniform_convergence_finite", {"n_hypotheses": 1000, "error": 0.1}, 530),
        ("plan_finite_class_agnostic", {"n_hypotheses": 1000, "error": 0.1}, 2120),
        ("plan_rectangle", {"dimension": 2, "error": 0.1}, 176),
        ("plan_rectangle_exact", {"dimension": 2, "error": 0.1}, 174),
        ("plan_blumer", {"vc_dimension": 3, "error": 0.1}, 1686),
        ("plan_realizable", {"vc_dimension": 3, "error": 0.1}, 394),
        ("plan_realizable_exact", {"vc_dimension": 3, "error": 0.1}, 186),
        ("plan_blumer", {"vc_dimension": 10, "error": 0.05}, 12_836),
        ("plan_realizable", {"vc_dimension": 10, "error": 0.05}, 2503),
        ("plan_realizable_exact", {"vc_dimension": 10, "error": 0.05}, 1217),
        ("plan_blumer", {"vc_dimension": 3, "error": 0.01}, 24_827),
        ("plan_realizable", {"vc_dimension": 3, "error": 0.01}, 5660),
        ("plan_realizable_exact", {"vc_dimension": 3, "error": 0.01}, 2742),
        ("plan_agnostic", {"vc_dimension": 3, "error": 0.1}, 18_440),
        ("plan_uniform_convergence", {"vc_dimension": 3, "error": 0.1}, 11_167),
        ("lower_two_points", {"error": 0.1}, 27),
        ("plan_restarts", {"success_probability": 0.05}, 59),
    ],
)
def test_catalogue_values(name, inputs, expected):
    assert getattr(sample_size, name)(**inputs, delta=0.05) == expected


def test_the_printed_size_with_its_argument_inverted_is_negative():
    printed = math.log(0.05 / 10**6) / 0.01
    assert printed == pytest.approx(-1681.1, abs=0.05)
    box = 4 / 0.1 * math.log(0.05 / 4)
    assert box < 0 < sample_size.plan_rectangle(dimension=2, error=0.1, delta=0.05)


def test_the_printed_uniform_convergence_is_four_times_too_large():
    printed = math.ceil(2 * math.log(2 * 1000 / 0.05) / 0.1**2)
    inputs = {"n_hypotheses": 1000, "error": 0.1, "delta": 0.05}
    assert printed == sample_size.plan_finite_class_agnostic(**inputs) == 2120
    assert sample_size.plan_uniform_convergence_finite(**inputs) == 530
    assert math.ceil(8 * math.log(2 * 1000 / 0.05) / 0.1**2) == 8478


def test_the_marble_game_is_a_class_with_one_bad_rule():
    # Jar 1 is all blue, jar 2 one tenth: two blue draws decide at delta = 1/100, one does not.
    marbles = {"n_hypotheses": 1, "error": 0.9}
    assert sample_size.plan_finite_class_exact(**marbles, delta=0.0101) == 2
    assert sample_size.plan_finite_class_exact(**marbles, delta=0.101) == 1


RANDOM_CASES = [
    (int(d), float(e), float(delta))
    for d, e, delta in zip(
        np.random.default_rng(0).integers(1, 60, 40),
        10.0 ** -np.random.default_rng(1).uniform(0.05, 3, 40),
        10.0 ** -np.random.default_rng(2).uniform(0.05, 12, 40),
        strict=True,
    )
]


@pytest.mark.parametrize(("d", "error", "delta"), RANDOM_CASES)
def test_every_closed_size_is_enough_for_the_theorem_it_stands_for(d, error, delta):
    plan = {"vc_dimension": d, "error": error, "delta": delta}
    known = {"vc_dimension": d, "delta": delta}
    closed = sample_size.plan_realizable(**plan)
    assert vc.moment_realizable(n=closed, **known).bound <= error
    assert closed <= sample_size.plan_blumer(**plan)
    assert vc.agnostic_excess(n=sample_size.plan_agnostic(**plan), **known).bound <= error
    uniform = sample_size.plan_uniform_convergence(**plan)
    assert vc.uniform_convergence(n=uniform, **known).bound <= error


@pytest.mark.parametrize(("d", "error", "delta"), RANDOM_CASES[:10])
def test_the_exact_size_is_the_smallest_that_the_theorem_allows(d, error, delta):
    n = sample_size.plan_realizable_exact(vc_dimension=d, error=error, delta=delta)
    known = {"vc_dimension": d, "delta": delta}
    assert vc.moment_realizable(n=n, **known).bound <= error
    assert vc.moment_realizable(n=n - 1, **known).bound > error


@pytest.mark.parametrize(("size", "error", "delta"), RANDOM_CASES[:10])
def test_sizes_for_finite_classes_and_boxes_match_their_theorems(size, error, delta):
    plan = {"n_hypotheses": size, "error": error, "delta": delta}
    for planner, theorem in [
        (sample_size.plan_finite_class, pac.finite_class_realizable),
        (sample_size.plan_finite_class_exact, pac.finite_class_realizable_exact),
        (sample_size.plan_uniform_convergence_finite, pac.finite_class_agnostic),
        (sample_size.plan_finite_class_agnostic, pac.erm_excess),
    ]:
        n = planner(**plan)
        assert theorem(n_hypotheses=size, n=n, delta=delta).bound <= error * (1 + 1e-9)
        if n > 1:
            assert theorem(n_hypotheses=size, n=n - 1, delta=delta).bound > error
    for planner, theorem in [
        (sample_size.plan_rectangle, pac.rectangle),
        (sample_size.plan_rectangle_exact, pac.rectangle_exact),
    ]:
        n = planner(dimension=size, error=error, delta=delta)
        assert theorem(n=n, dimension=size, delta=delta).bound <= error * (1 + 1e-9)
        assert theorem(n=n - 1, dimension=size, delta=delta).bound > error


def failure_of_independent_rules(n, n_hypotheses, error):
    """Return P(some rule of risk `error` is consistent), the rules' errors being independent."""
    return -math.expm1(n_hypotheses * math.log1p(-((1 - error) ** n)))


def test_independent_rules_need_every_example_of_the_exact_size():
    n = sample_size.plan_finite_class_exact(n_hypotheses=1000, error=0.1, delta=0.05)
    assert failure_of_independent_rules(n, 1000, 0.1) <= 0.05
    assert failure_of_independent_rules(n - 1, 1000, 0.1) > 0.05


def test_planned_sizes_make_all_consistent_thresholds_good(repetitions):
    rng = np.random.default_rng(3)
    error, delta = 0.05, 0.2
    n = sample_size.plan_realizable_exact(vc_dimension=1, error=error, delta=delta)

    def widest_gap(size):
        """Return how far from the target 1/2 a consistent threshold can be."""
        x = rng.random((repetitions, size)) - 0.5
        return np.maximum(np.where(x > 0, x, 0.5).min(axis=1), np.where(x < 0, -x, 0.5).min(axis=1))

    allowed = np.full(repetitions, error)
    assert not Coverage(widest_gap(n), allowed, delta).refuted()
    assert Coverage(widest_gap(n // 8), allowed, delta).refuted()


def test_fewer_examples_than_two_points_need_fool_any_deterministic_learner():
    for error, delta in [(0.1, 0.05), (0.01, 0.001), (0.3, 0.2)]:
        too_few = sample_size.lower_two_points(error=error, delta=delta) - 1
        assert (1 - error) ** too_few > delta  # the rare point is never seen


def rare_points_missed(rng, repetitions, n, d, error):
    """Return the risk of memorising on the hard world: d - 1 rare points, random labels."""
    rare = d - 1
    unseen = np.empty(repetitions, dtype=int)
    for i in range(repetitions):
        draws = rng.integers(rare, size=rng.binomial(n, 8 * error))
        unseen[i] = rare - len(np.unique(draws))
    return rng.binomial(unseen, 0.5) * 8 * error / rare


def test_fewer_examples_than_the_vc_dimension_needs_leave_a_large_risk():
    rng = np.random.default_rng(4)
    d, error = 21, 0.02
    too_few = sample_size.lower_vc(vc_dimension=d, error=error) - 1
    assert too_few == math.floor(20 / (32 * error))
    risk = rare_points_missed(rng, 400, too_few, d, error)
    assert np.mean(risk >= error) > 0.9  # far above 1/14: the constant is generous
    plenty = sample_size.plan_realizable_exact(vc_dimension=d, error=error, delta=0.05)
    assert np.mean(rare_points_missed(rng, 400, plenty, d, error) >= error) <= 0.05


@pytest.mark.parametrize("each", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_lower_and_upper_sizes_never_cross(each):
    for d, error, delta in RANDOM_CASES[::each]:
        enough = sample_size.plan_realizable_exact(vc_dimension=d, error=error, delta=delta)
        assert sample_size.lower_two_points(error=error, delta=delta) <= enough
        if d >= 2 and error <= 1 / 8 and delta < 1 / 14:
            assert sample_size.lower_vc(vc_dimension=d, error=error) <= enough


def test_the_vc_lower_size_is_exact_at_whole_numbers_and_refuses_large_errors():
    assert sample_size.lower_vc(vc_dimension=33, error=0.125) == 9
    with pytest.raises(ValueError, match="error"):
        sample_size.lower_vc(vc_dimension=33, error=0.126)
    with pytest.raises(ValueError, match="vc_dimension"):
        sample_size.lower_vc(vc_dimension=1, error=0.1)


def test_exact_selection_needs_a_quarter_of_what_hoeffding_asks():
    hoeffding = math.ceil(math.log(2 * 72 / 0.05) / (2 * 0.025**2))
    n = sample_size.plan_selection(n_restarts=72, error=0.1, target=0.15, delta=0.025)
    assert hoeffding == 6373
    assert 4 * n < hoeffding
    failures = special.bdtrc(173, n, 0.1) + 71 * special.bdtr(173, n, 0.15)
    assert failures <= 0.025


def test_restarts_and_selection_give_the_tabulated_plan():
    assert sample_size.plan_restarts(success_probability=0.05, delta=0.05) == 59
    assert sample_size.plan_restarts(success_probability=0.05, delta=0.025) == 72
    assert sample_size.plan_restarts(success_probability=1.0, delta=0.025) == 1
    plan = sample_size.plan_selection(n_restarts=72, error=0.1, target=0.15, delta=0.025)
    assert plan == 1478
    assert sample_size.plan_selection(n_restarts=1, error=0.1, target=0.15, delta=0.025) == 0
    with pytest.raises(ValueError, match="target"):
        sample_size.plan_selection(n_restarts=72, error=0.1, target=0.1, delta=0.025)


@pytest.mark.parametrize(
    ("restarts", "error", "target"), [(2, 0.1, 0.4), (30, 0.0, 0.2), (9, 0.3, 0.5)]
)
def test_the_cut_of_the_plan_is_the_best_there_is(restarts, error, target):
    def smallest_failure(n):
        cuts = np.arange(n + 1)
        bad = (restarts - 1) * special.bdtr(cuts, n, target)
        return (special.bdtrc(cuts, n, error) + bad).min() if error > 0 else bad[0]

    plan = sample_size.plan_selection(n_restarts=restarts, error=error, target=target, delta=0.05)
    failures = np.array([smallest_failure(n) for n in range(1, plan + 1)])
    assert failures[-1] <= 0.05
    assert (failures[:-1] > 0.05).all()


def test_the_selected_run_is_good_as_often_as_planned(repetitions):
    rng = np.random.default_rng(12)
    restarts = sample_size.plan_restarts(success_probability=0.3, delta=0.05)
    n = sample_size.plan_selection(n_restarts=restarts, error=0.1, target=0.3, delta=0.05)
    risks = np.where(rng.random((repetitions, restarts)) < 0.3, 0.1, 0.301)
    chosen = rng.binomial(n, risks).argmin(axis=1)
    selected = risks[np.arange(repetitions), chosen]
    assert not Coverage(selected, np.full(repetitions, 0.3), 0.1).refuted()
    first = risks[:, 0]
    assert Coverage(first, np.full(repetitions, 0.3), 0.1).refuted()


SHARES = [0.9, 0.99, 0.5, 0.25, 0.3, 0.1, 0.01]
LEVELS = [0.01, 0.25, 0.5, 0.0625, 0.05, 0.1, 0.001, 0.9]


@pytest.mark.parametrize("error", SHARES)
@pytest.mark.parametrize("delta", LEVELS)
def test_the_exact_planners_are_minimal_to_the_last_digit(error, delta):
    for size in (1, 2, 10, 1000):
        n = sample_size.plan_finite_class_exact(n_hypotheses=size, error=error, delta=delta)
        assert size * (1 - Fraction(error)) ** n <= Fraction(delta)
        assert size * (1 - Fraction(error)) ** (n - 1) > Fraction(delta)
        sides, part = 2 * size, Fraction(error) / (2 * size)
        n = sample_size.plan_rectangle_exact(dimension=size, error=error, delta=delta)
        if n < 2000:
            assert sides * (1 - part) ** n <= Fraction(delta) < sides * (1 - part) ** (n - 1)
    n = sample_size.plan_restarts(success_probability=error, delta=delta)
    assert (1 - Fraction(error)) ** n <= Fraction(delta) < (1 - Fraction(error)) ** (n - 1)


def test_an_exact_tie_counts():
    tie = {"n_hypotheses": 1, "error": 0.9, "delta": 0.01}
    assert sample_size.plan_finite_class_exact(**tie) == 2
    assert sample_size.plan_restarts(success_probability=0.5, delta=0.25) == 2
    # 4 log2(2/delta) / error is 40 exactly, and the other term is smaller.
    assert sample_size.plan_blumer(vc_dimension=1, error=0.999, delta=2.0**-30) == 125


@pytest.mark.parametrize("name", [n for n in dir(sample_size) if n.startswith(("plan_", "lower_"))])
@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-200, 1.0 - 1e-16])
@pytest.mark.parametrize("count", [1, 10**18, 10**400])
def test_absurd_inputs_are_counted_or_refused_with_a_sentence(name, tiny, count):
    plan = getattr(sample_size, name)
    inputs = {}
    for key in inspect.signature(plan).parameters:
        inputs[key] = count if key.startswith("n_") or "dimension" in key else tiny
    if "target" in inputs:
        inputs["error"] = inputs["target"] / 2
    try:
        said = f"it takes {math.log(plan(**inputs) + 1):g} nats of rows"
    except ValueError as refusal:
        said = str(refusal)
    assert len(said.split()) > 5
