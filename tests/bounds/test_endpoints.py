"""The endpoint of a uniform law: coverage by simulation, and a law that breaks it."""

import math

import numpy as np
import pytest

from surelearn.bounds import endpoints
from surelearn.evaluate.coverage import Coverage


@pytest.mark.parametrize("replacement", [True, False])
def test_the_bound_covers_the_endpoint_of_a_uniform_law(replacement, repetitions):
    rng = np.random.default_rng(0)
    theorem = endpoints.uniform if replacement else endpoints.uniform_without_replacement
    bounds = [
        theorem(
            largest=int(rng.choice(200, size=6, replace=replacement).max()) + 1, n=6, delta=0.2
        ).bound
        for _ in range(repetitions)
    ]
    assert not Coverage(np.full(repetitions, 200.0), np.array(bounds), 0.2).refuted()


def test_numbers_that_are_not_equally_likely_break_it(repetitions):
    rng = np.random.default_rng(0)
    bounds = [
        endpoints.uniform(largest=int(200 * rng.beta(1, 6, size=6).max()) + 1, n=6, delta=0.2).bound
        for _ in range(repetitions)
    ]
    assert Coverage(np.full(repetitions, 200.0), np.array(bounds), 0.2).refuted()


def test_no_number_is_drawn_twice_where_that_is_assumed():
    with pytest.raises(ValueError, match="drawn twice"):
        endpoints.uniform_without_replacement(largest=3, n=4, delta=0.1)
    assert endpoints.uniform_without_replacement(largest=4, n=4, delta=0.1).bound == 5.0


@pytest.mark.parametrize(("largest", "n"), [(10**15, 1001), (10**14, 5000), (10**18, 10**6)])
def test_long_serial_numbers_cost_no_more_than_draws_with_replacement(largest, n):
    found = endpoints.uniform_without_replacement(largest=largest, n=n, delta=0.05).bound
    assert found <= endpoints.uniform(largest=largest, n=n, delta=0.05).bound * (1.0 + 1e-9)
    # At the next endpoint, and so at all beyond, the largest is that small with less than delta.
    assert n * math.log1p((found - largest) / largest) >= -math.log(0.05) * (1.0 - 1e-6)
