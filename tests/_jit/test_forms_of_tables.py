"""Tables in other forms of the same kind are learnt by the same code, and stay as they are."""

import numpy as np
from scipy import sparse

from surelearn import Hedge, Perceptron
from surelearn._jit import rows
from surelearn.learners.experts import _loops
from surelearn.learners.linear import perceptron

X = np.random.default_rng(0).normal(size=(60, 4))
y = (X[:, 0] > 0.1).astype(int)


def locked(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def long_places(matrix):
    """Return a sparse matrix whose places take 64 bits."""
    parts = matrix.data, matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    found = sparse.csr_array(parts, shape=matrix.shape)
    found.indices, found.indptr = parts[1:]
    return found


def test_read_only_rows_and_long_places_are_learnt_by_code_that_is_there():
    narrow = sparse.csr_array(X)
    wanted = [Perceptron().fit(table, y).coef_ for table in (X, narrow)]
    known = len(perceptron._learn_rows.signatures)
    shut = narrow.copy()
    shut.data, shut.indices, shut.indptr = map(locked, (shut.data, shut.indices, shut.indptr))
    wide = long_places(narrow)
    assert wide.indices.dtype == np.int64
    for table, coef in ((locked(X), wanted[0]), (shut, wanted[1]), (wide, wanted[1])):
        np.testing.assert_array_equal(Perceptron().fit(table, y).coef_, coef)
    assert len(perceptron._learn_rows.signatures) == known


def test_so_are_read_only_losses():
    losses = np.abs(X)
    Hedge(horizon=60, loss_range=(0.0, 5.0)).learn(losses)
    known = len(_loops.exponential_weights.signatures)
    Hedge(horizon=60, loss_range=(0.0, 5.0)).learn(locked(losses))
    assert len(_loops.exponential_weights.signatures) == known


def test_only_what_is_shown_to_loops_is_unlocked():
    table = locked(np.asfortranarray(X))
    shown = rows.unlocked(table)
    assert shown.flags.writeable
    assert not table.flags.writeable
    assert shown.strides == table.strides
    del table
    np.testing.assert_array_equal(shown, X)  # it keeps the memory that it shows
    assert rows.unlocked(X) is X
