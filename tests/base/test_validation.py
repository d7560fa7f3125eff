"""The door and the fingerprints."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import surelearn
from surelearn import checks
from surelearn._jit import fingerprints, rows
from surelearn.base import data_fingerprint, fingerprint, validation
from surelearn.learners.linear.perceptron import Perceptron


def test_weights_are_checked_by_name():
    np.testing.assert_array_equal(validation.sample_weights([1, 2], 2), [1.0, 2.0])
    for bad in ([1.0], [1.0, np.nan], [1.0, -1.0], [0.0, 0.0], [[1.0, 1.0]]):
        with pytest.raises(ValueError, match="sample_weight"):
            validation.sample_weights(bad, 2)


@pytest.mark.parametrize("kind", [surelearn.LogisticRegression, surelearn.GaussianMixture])
@pytest.mark.parametrize("weight", [5e-324, 1e-310])
def test_weights_that_cannot_be_divided_by_are_refused_by_name(kind, weight):
    X, y = checks.small_table(kind())
    for weights in (np.full(len(X), weight), np.arange(len(X)) % 2 * weight):
        with pytest.raises(ValueError, match="sample_weight sums to"):
            kind().fit(X, y, sample_weight=weights)


def test_a_long_list_is_described_as_its_cells_are_one_by_one():
    """Many plain cells at once give the hash they always gave; others go the long way."""
    plain = ["a", None, 2, 0.5, True, "é\ud800"] * 5000
    assert fingerprint(plain) == "de4eb5d6b3b7dfcd2661f22e3ebf3f67c4b8c490"
    assert fingerprint([*plain, np.float64(0.5)]) != fingerprint([*plain, 0.5])


def test_a_fingerprint_changes_with_parameters_state_and_class():
    X, y = np.array([[-1.0], [1.0], [3.0]]), [0, 1, 1]
    model = Perceptron().fit(X, y)
    same = Perceptron().fit(X, y)
    assert fingerprint(model) == fingerprint(same)
    others = [
        Perceptron(max_iter=7).fit(X, y),
        Perceptron().fit(2 * X, y),
        LogisticRegression().fit(X, y),
    ]
    assert len({fingerprint(m) for m in [model, *others]}) == 4


def test_a_fingerprint_of_data_does_not_depend_on_its_container():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"a": [1.0, 2.0], "b": ["x", "y"]}
    assert data_fingerprint(pd.DataFrame(columns), [0, 1]) == data_fingerprint(
        pl.DataFrame(columns), [0, 1]
    )
    X = np.array([[0.0, 1.0], [2.0, 0.0]])
    assert data_fingerprint(sparse.csr_array(X), [0, 1]) == data_fingerprint(
        sparse.csc_array(X), [0, 1]
    )
    assert data_fingerprint(X, [0, 1]) != data_fingerprint(X, [1, 0])


def test_the_sketch_of_a_large_table_still_recognises_a_copy():
    rng = np.random.default_rng(0)
    train, fresh = rng.normal(size=(50_000, 3)), rng.normal(size=(5000, 3))
    kept = fingerprints.sketch(fingerprints.row_hashes(rows.of(train)))
    assert len(kept) == 4096
    assert fingerprints.shared_rows(kept, fingerprints.row_hashes(rows.of(fresh))) == 0
    copies = fingerprints.shared_rows(kept, fingerprints.row_hashes(rows.of(train[:5000])))
    assert copies > 200  # about 4096 / 50,000 of five thousand rows


def test_hashes_of_many_small_integer_rows_do_not_collide():
    grid = np.stack(np.meshgrid(*[np.arange(12.0)] * 4), axis=-1).reshape(-1, 4)
    assert len(np.unique(fingerprints.row_hashes(rows.of(grid)))) == 12**4
