"""Products of sparse rows with sparse rows."""

import numpy as np
import pytest
from scipy import sparse

from surelearn._jit import sparse_products


def products(rows, others):
    out = np.zeros((rows.shape[0], others.shape[0]), rows.dtype)
    sparse_products.add_products(rows, sparse_products.turned(others), out)
    return out


@pytest.mark.parametrize("shape", [(1, 1, 5), (3, 64, 40), (70, 65, 300), (5, 200, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_are_those_of_scipy(shape, dtype):
    n, m, d = shape
    rows, others = (
        sparse.random_array((k, d), density=0.2, rng=k, dtype=dtype).tocsr() for k in (n, m)
    )
    found = products(rows, others)
    np.testing.assert_allclose(found, (rows @ others.T).toarray(), rtol=1e-5, atol=1e-6)


def test_entries_given_in_parts_are_added_up():
    doubled = sparse.csr_array((np.ones(4), [0, 0, 2, 2], [0, 4]), shape=(1, 3))
    assert products(doubled, doubled).tolist() == [[8.0]]
    many = sparse.csr_array(sparse.vstack([doubled, *(20 * [sparse.csr_array([[1.0, 0, 0]])])]))
    assert products(doubled, many).tolist() == [[8.0, *(20 * [2.0])]]


def test_common_and_rare_features_give_the_same_sums():
    rng = np.random.default_rng(0)
    dense = np.where(rng.random((90, 50)) < np.linspace(0.0, 0.6, 50), rng.integers(-9, 9), 0.0)
    rows = sparse.csr_array(dense)
    turned = sparse_products.turned(rows)
    assert 0 < len(turned.panel) < 50
    assert (products(rows, rows) == dense @ dense.T).all()


def test_some_rows_and_wide_places():
    rows = sparse.random_array((40, 30), density=0.3, rng=0).tocsr()
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    out = np.ones((7, 40))
    sparse_products.add_products(rows, sparse_products.turned(rows), out, 5)
    np.testing.assert_allclose(out, 1.0 + (rows @ rows.T).toarray()[5:12])


def test_rows_without_entries():
    empty = sparse.csr_array((3, 4))
    assert (products(empty, sparse.csr_array(np.eye(4))) == 0.0).all()
    assert (products(sparse.csr_array(np.eye(4)), empty) == 0.0).all()
