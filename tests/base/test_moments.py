"""Moments summed in packed blocks are the plain sums, whatever the table looks like."""

import numpy as np
import pytest
from scipy import sparse

from surelearn._jit import symmetric_products
from surelearn.base.moments import moments


def plain(rows, weights=None):
    """The definition: the weighted mean, and the sum of w (x - mean)(x - mean)ᵀ."""
    weights = np.ones(len(rows)) if weights is None else weights
    mean = weights @ rows / weights.sum()
    return mean, ((rows - mean).T * weights) @ (rows - mean)


def assert_same(found, rows, weights=None, rtol=1e-12):
    mean, scatter = plain(rows, weights)
    np.testing.assert_allclose(found.mean, mean, rtol=rtol, atol=1e-12)
    scale = max(1.0, np.abs(scatter).max())
    np.testing.assert_allclose(np.tril(found.scatter) / scale, np.tril(scatter) / scale, atol=rtol)


@pytest.fixture(params=["packed", "general"])
def way(request, monkeypatch):
    """Both ways to multiply: the compiled tiles, and the product of a machine without them."""
    monkeypatch.setattr(symmetric_products, "is_fast", lambda _: request.param == "packed")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("width", [1, 2, 14, 15, 16, 17, 31, 32, 40])
@pytest.mark.parametrize("n", [1, 127, 129, 300])
def test_every_width_and_length_gives_the_plain_sums(width, n):
    rng = np.random.default_rng(width)
    rows, weights = rng.normal(size=(n, width)), rng.uniform(0.0, 2.0, size=n)
    assert_same(moments(rows), rows)
    assert_same(moments(rows, weights=weights), rows, weights)


@pytest.mark.usefixtures("way")
def test_threads_share_the_work_of_a_long_table():
    rng = np.random.default_rng(0)
    rows, target = rng.normal(size=(20_000, 60)), rng.normal(size=20_000)
    assert_same(moments(rows, target), np.column_stack([rows, target]))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "shape",
    [
        np.asfortranarray,
        sparse.csr_array,
        lambda rows: rows.astype(np.float32),
        lambda rows: np.repeat(rows, 2, axis=0)[::2],
    ],
    ids=["fortran", "sparse", "single precision", "every second row"],
)
def test_every_form_of_a_table_is_read(shape):
    rows = np.random.default_rng(1).integers(-4, 5, size=(500, 21)).astype(float)
    assert_same(moments(shape(rows)), rows)


def test_rows_may_be_read_only():
    rows = np.arange(40.0).reshape(10, 4)
    rows.flags.writeable = False
    assert_same(moments(rows), rows)


@pytest.mark.usefixtures("way")
def test_rows_far_from_zero_keep_their_digits():
    rows = np.random.default_rng(2).normal(size=(3_000, 5))
    assert_same(moments(rows + 1e8), rows + 1e8, rtol=1e-7)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused_wherever_it_stands(value):
    for place in [(0, 0), (299, 20), (128, 7)]:
        rows = np.ones((300, 21))
        rows[place] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            moments(rows)


def test_the_compiled_tiles_equal_the_interpreted_ones():
    rng = np.random.default_rng(3)
    rows = rng.integers(-9, 10, size=(130, 48)).astype(float)
    compiled, interpreted = np.zeros((48, 48)), np.zeros((48, 48))
    symmetric_products.add_products(rows, compiled)
    symmetric_products.add_products.py_func(rows, interpreted)
    np.testing.assert_array_equal(compiled, interpreted)
    np.testing.assert_array_equal(np.triu(compiled), np.triu(rows.T @ rows))
