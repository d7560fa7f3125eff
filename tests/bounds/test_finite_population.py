"""A finite table: known values, exact rationals, exact coverage, sorted samples."""

import numpy as np
import pytest
from scipy import stats

from reference import claims
from surelearn.bounds import finite_population as tables
from surelearn.bounds import inversions


@pytest.mark.parametrize(
    ("errors", "n", "table", "expected"),
    [(0, 200, 1000, 13), (3, 200, 1000, 35), (10, 500, 1000, 29), (0, 59, 10_000, 493),
     (5, 100, 300, 27)],
)  # fmt: skip
def test_counts_have_their_tabulated_bounds(errors, n, table, expected):
    inputs = {"errors": errors, "n": n, "n_table": table, "delta": 0.05}
    assert tables.wrong_rows(**inputs).bound == expected
    assert tables.wrong_rows_not_drawn(**inputs).bound == expected - errors
    assert expected <= table * float(inversions.binomial_upper(errors, n, 0.05))


@pytest.mark.parametrize("table", [1, 2, 7, 20])
@pytest.mark.parametrize("delta", [0.05, 0.5, 0.25])
def test_counts_equal_exact_rationals_ties_included(table, delta):
    for n in range(1, table + 1):
        for k in range(n + 1):
            expected = claims.most_wrong_rows(k, n, table, delta)
            inputs = {"errors": k, "n": n, "n_table": table, "delta": delta}
            assert tables.wrong_rows(**inputs).bound == expected
            mirrored = table - claims.most_wrong_rows(n - k, n, table, delta)
            assert tables.wrong_rows_lower(**inputs).bound == mirrored


def test_counts_miss_no_more_often_than_delta():
    table, n, delta = 50, 12, 0.1
    bounds = [
        tables.wrong_rows(errors=k, n=n, n_table=table, delta=delta).bound for k in range(n + 1)
    ]
    misses = []
    for wrong in range(table + 1):
        law = stats.hypergeom(table, wrong, n)
        misses.append(sum(law.pmf(k) for k in range(n + 1) if bounds[k] < wrong))
    assert 0.08 < max(misses) <= delta + 1e-12


@pytest.mark.parametrize(
    ("most", "table", "n"), [(10, 1000, 238), (100, 10_000, 291), (0, 1000, 950)]
)
def test_plans_are_the_tabulated_ones_and_one_less_is_too_few(most, table, n):
    assert tables.plan_table(n_table=table, most_wrong=most, delta=0.05) == n
    enough = {"errors": 0, "n_table": table, "delta": 0.05}
    assert tables.wrong_rows(n=n, **enough).bound <= most
    assert tables.wrong_rows(n=n - 1, **enough).bound > most


def test_a_plan_for_some_errors_needs_more_rows():
    plans = [
        tables.plan_table(n_table=1000, most_wrong=10, delta=0.05, errors=k) for k in range(11)
    ]
    assert plans == sorted(plans)
    assert tables.plan_table(n_table=1000, most_wrong=0, delta=1e-9) == 1000


@pytest.mark.parametrize(
    ("table", "expected"), [(1000, 0.215293), (350, 0.207928), (10**12, 0.218213)]
)
def test_means_have_their_tabulated_bounds(table, expected):
    bound = tables.mean_without_replacement(
        values=[0.1, 0.3, 0.2] * 100, n_table=table, delta=0.05
    ).bound
    assert bound == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(
    "values", [[0.2, 0.9, 0.4], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [1.0, 0.3]]
)
@pytest.mark.parametrize("left", [0, 1, 5])
def test_means_equal_plain_loops(values, left):
    table = len(values) + left
    found = tables.mean_without_replacement(values=values, n_table=table, delta=0.3).bound
    assert found == pytest.approx(claims.mean_without_replacement(values, table, 0.3), abs=1e-8)


def test_a_table_that_was_read_wholly_is_known():
    values = [0.25, 0.5, 1.0, 0.0]
    upper = tables.mean_without_replacement(values=values, n_table=4, delta=0.05).bound
    lower = tables.mean_without_replacement_lower(values=values, n_table=4, delta=0.05).bound
    assert lower <= 0.4375 <= upper
    assert upper - lower < 1e-11
    assert tables.wrong_rows(errors=2, n=4, n_table=4, delta=0.05).bound == 2.0


def test_means_are_covered_at_every_moment_and_sorted_samples_are_not():
    rng = np.random.default_rng(0)
    column = (rng.random(120) < 0.3).astype(float)
    truth, misses, sorted_misses = column.mean(), 0, 0
    for _ in range(60):
        drawn = rng.permutation(column)[:90]
        moments = [
            tables.mean_without_replacement(values=drawn[:n], n_table=120, delta=0.2).bound
            for n in (10, 30, 60, 90)
        ]
        misses += min(moments) < truth
    for _ in range(20):
        drawn = np.sort(rng.permutation(column)[:60])
        bound = tables.mean_without_replacement(values=drawn[:40], n_table=120, delta=0.2).bound
        sorted_misses += bound < truth
    assert misses <= 24
    assert sorted_misses == 20


@pytest.mark.parametrize(
    "call",
    [
        lambda: tables.wrong_rows(errors=3, n=2, n_table=10, delta=0.05),
        lambda: tables.wrong_rows(errors=0, n=11, n_table=10, delta=0.05),
        lambda: tables.wrong_rows(errors=0, n=1, n_table=10**13, delta=0.05),
        lambda: tables.wrong_rows_lower(errors=0, n=10**9, n_table=10**10, delta=0.05),
        lambda: tables.mean_without_replacement(values=[0.5, 2.0], n_table=5, delta=0.05),
        lambda: tables.mean_without_replacement(values=[0.5, 0.5], n_table=1, delta=0.05),
        lambda: tables.plan_table(n_table=10, most_wrong=2, delta=0.05, errors=3),
    ],
)
def test_what_cannot_be_is_refused(call):
    with pytest.raises(ValueError, match="must be"):
        call()


def test_large_tables_are_answered_outward():
    bound = tables.wrong_rows(errors=1000, n=100_000, n_table=10_000_000, delta=0.05).bound
    exact = stats.hypergeom(10_000_000, int(bound) + 20, 100_000).cdf(1000)
    assert exact < 0.05
    assert bound == pytest.approx(
        10_000_000 * float(inversions.binomial_upper(1000, 100_000, 0.05)), rel=0.003
    )
