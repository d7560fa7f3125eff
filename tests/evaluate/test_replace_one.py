"""Replace-one stability: exact enumeration of the catalogue's example, and learners it ranks."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier

from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.replace_one import replace_one_stability


def test_the_mean_of_five_coins_has_stability_two_variances_over_five_exactly():
    # Every sample of five coins; replacements are independent of each other, so two tables do.
    found = []
    for sample in itertools.product([0.0, 1.0], repeat=5):
        for new in (0.0, 1.0):
            result = replace_one_stability(
                DummyRegressor(), np.zeros((5, 1)), sample, np.zeros((5, 1)), np.full(5, new)
            )
            found.append(result.on_average)
            assert sorted(result.replaced) == [0, 1, 2, 3, 4]
    assert np.mean(found) == pytest.approx(0.1, rel=1e-12)  # 2 Var / m
    # ... which is the expected gap between the risk and the training error of the mean.
    gaps = [0.25 + (np.mean(s) - 0.5) ** 2 - np.var(s) for s in itertools.product([0, 1], repeat=5)]
    assert np.mean(gaps) == pytest.approx(0.1, rel=1e-12)


def test_strong_regularisation_is_more_stable_and_a_deep_tree_is_not_stable_at_all():
    X, y = Noisy(3, 0.3).draw(80, seed=0)
    rows = X[:40], y[:40], X[40:], y[40:]
    weak, strong = (replace_one_stability(Ridge(alpha=a), *rows) for a in (0.01, 100.0))
    assert strong.on_average < weak.on_average
    assert strong.uniform < weak.uniform
    tree = replace_one_stability(DecisionTreeClassifier(random_state=0), *rows)
    assert tree.uniform == 1.0
    assert tree.on_average > 0.1
    assert "not guarantees" in str(tree)


def test_the_seed_and_the_number_of_replacements_are_kept_and_sparse_rows_do():
    X, y = Noisy(3, 0.3).draw(30, seed=0)
    one, other = (
        replace_one_stability(
            Ridge(), form(X[:20]), y[:20], form(X[20:]), y[20:], n_replacements=50
        )
        for form in (np.asarray, sparse.csr_array)
    )
    assert len(one.differences) == 10  # as many as there are new rows
    np.testing.assert_array_equal(one.replaced, other.replaced)
    np.testing.assert_allclose(one.differences, other.differences, rtol=1e-6)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (([[0.0]], [np.nan]), "missing"),
        ((np.zeros((0, 1)), []), "y_new"),
        (([[0.0]], [1, 2]), "incons"),
    ],
)
def test_new_rows_that_are_none_are_refused(new, said):
    with pytest.raises(ValueError, match=said):
        replace_one_stability(Ridge(), [[0.0], [1.0]], [0.0, 1.0], *new)


def test_one_replacement_has_no_standard_error():
    result = replace_one_stability(Ridge(), [[0.0], [1.0]], [0.0, 1.0], [[2.0]], [1.0])
    assert result.standard_error == np.inf
    assert str(result)
