"""Tiles: threads, errors and sparse tables."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from surelearn.kernels import Agreement, Gaussian, Linear


@pytest.fixture(autouse=True)
def _two_threads():
    """Let matrix products have two threads, as few as can be taken away."""
    with threadpool_limits(2):
        yield


def test_threads_leave_the_linear_algebra_as_they_found_it():
    def threads():
        return [entry["num_threads"] for entry in threadpool_info()]

    before, points = threads(), np.random.default_rng(0).standard_normal((900, 5))
    expected = Gaussian()(points)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: Gaussian()(points), range(8)))
    assert all(np.array_equal(result, expected) for result in results)
    assert threads() == before


def test_an_error_inside_a_tile_reaches_the_caller_and_leaves_no_trace():
    points = np.full((900, 1), 400.0)
    with np.errstate(over="ignore"):
        assert np.isinf(((Linear()) ** 200).normalised()(points[:2])).sum() == 0
    before = threadpool_info()
    with pytest.raises(RuntimeWarning):
        Linear().exp()(points)
    assert threadpool_info() == before
    assert Gaussian()(points).min() == 1.0


def test_entries_stored_in_parts_are_summed_first():
    parts = sparse.csr_array(([0.5, 0.5, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    split = sparse.csr_array((np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])))
    assert np.array_equal(Agreement()(split), Agreement()(parts.toarray()))
    assert len(split.data) == 3
