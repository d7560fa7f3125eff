"""The fewest errors of a half-space: against brute force, on ties, and where it is refused."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from surelearn.evaluate.minimum_disagreement import minimum_disagreement
from surelearn.learners.concepts.halfspace import Halfspace


def separable(Z, signs):
    """Whether some w has signs ⟨w, z⟩ >= 1: a linear programme decides."""
    if len(Z) == 0:
        return True
    found = linprog(
        np.zeros(Z.shape[1]),
        A_ub=-(signs[:, None] * Z),
        b_ub=-np.ones(len(Z)),
        bounds=(None, None),
        method="highs",
    )
    return found.status == 0


def fewest_errors(X, y, *, fit_intercept):
    """Leave out ever more rows until the others can be separated."""
    Z = np.hstack([X, np.ones((len(X), 1))]) if fit_intercept else X
    for k in range(len(X) + 1):
        for left_out in itertools.combinations(range(len(X)), k):
            keep = np.setdiff1d(np.arange(len(X)), left_out)
            if separable(Z[keep], y[keep]):
                return k
    raise AssertionError


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("kind", ["grid", "reals"])
def test_no_half_space_errs_less(d, kind, fit_intercept):
    rng = np.random.default_rng(d)
    for _ in range(2):
        X = rng.integers(-1, 2, size=(8, d)) if kind == "grid" else rng.normal(size=(8, d))
        X, y = X.astype(float), rng.choice([-1.0, 1.0], size=8)
        result = minimum_disagreement(X, y, fit_intercept=fit_intercept)
        assert result.n_errors == fewest_errors(X, y, fit_intercept=fit_intercept)
        scores = y * (X @ result.coef + result.intercept)
        assert np.count_nonzero(scores <= 0.0) == result.n_errors
        np.testing.assert_array_equal(scores > 0.0, result.right)


def noisy(n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X @ [1.0, 0.5] + 0.8 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def test_forty_noisy_points_of_the_plane_equal_an_angle_sweep_and_many_random_directions():
    X, y = noisy()
    result = minimum_disagreement(X, y, fit_intercept=False)
    angles = np.sort(np.arctan2(X[:, 1], X[:, 0]) % np.pi)
    middles = (angles + np.append(angles[1:], angles[0] + np.pi)) / 2.0 + np.pi / 2.0
    angles = np.concatenate([middles, middles + np.pi])
    W = np.column_stack([np.cos(angles), np.sin(angles)])
    assert result.n_errors == (y * (W @ X.T) <= 0.0).sum(axis=1).min()
    W = np.random.default_rng(1).normal(size=(20_000, 2))
    assert result.n_errors <= (y * (W @ X.T) <= 0.0).sum(axis=1).min()


def test_rows_that_can_be_separated_have_no_errors_and_the_programme_agrees():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2))
    y = np.where(X @ [1.0, -2.0] > 0.3, 1.0, -1.0)
    assert minimum_disagreement(X, y).n_errors == 0
    assert Halfspace().fit(X, y).separable_
    X, y = noisy()
    fewest = minimum_disagreement(X, y).n_errors
    assert 0 < fewest <= Halfspace().fit(X, y).training_errors_


def test_copies_with_both_labels_cost_the_rarer_one_each():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [3, 2, 4], axis=0)
    y = np.array([1, 1, -1, 1, -1, -1, -1, -1, 1.0])
    assert minimum_disagreement(X, y).n_errors == 1 + 1 + 1


@pytest.mark.parametrize("d", [1, 2, 3])
def test_rows_of_fewer_dimensions_than_features_are_no_special_case(d):
    line = np.outer(np.arange(8.0), np.arange(1.0, d + 1.0))
    y = np.array([1, -1, -1, -1, 1, 1, -1, 1.0])
    assert minimum_disagreement(line, y).n_errors == 2
    assert minimum_disagreement(np.zeros((5, d)), [1, 1, 1, -1, -1]).n_errors == 2


def test_a_row_of_zeros_is_on_the_boundary_of_every_rule_through_zero():
    result = minimum_disagreement([[0.0], [1.0]], [-1, 1], fit_intercept=False)
    assert result.n_errors == 1
    assert result.right.tolist() == [False, True]


@pytest.mark.parametrize("scale", [1e-150, 1e150, 2.0**-1060])
def test_units_do_not_matter(scale):
    X, y = np.random.default_rng(5).integers(-2, 3, size=(12, 2)).astype(float), noisy(12, 4)[1]
    assert minimum_disagreement(X * scale, y).n_errors == minimum_disagreement(X, y).n_errors


def test_points_one_rounding_unit_apart_are_told_apart():
    one = 1.0 + np.spacing(1.0) * np.arange(4)
    assert minimum_disagreement(one[:, None], [-1, -1, 1, 1]).n_errors == 0
    assert minimum_disagreement(one[:, None], [-1, 1, -1, 1]).n_errors == 1
    three = np.column_stack([[0.0, 0.5, 1.0], [0.0, 0.5 + 2**-53, 1.0]])  # nearly on a line
    assert minimum_disagreement(three, [1, -1, 1]).n_errors == 0


def test_too_many_hyperplanes_are_refused_and_hardness_is_told():
    X = np.random.default_rng(0).normal(size=(200, 10))
    with pytest.raises(ValueError, match=r"NP-hard.*Halfspace"):
        minimum_disagreement(X, np.ones(200))
    with pytest.raises(ValueError, match="max_hyperplanes"):
        minimum_disagreement(X[:9, :2], np.ones(9), max_hyperplanes=10)


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        ([[1.0], [2.0]], [0, 1], "-1 and \\+1"),
        ([[1.0], [2.0]], [1], "labels for"),
        ([[1.0], [np.nan]], [1, -1], "NaN"),
        ([[1.0], [np.inf]], [1, -1], "infinity"),
    ],
)
def test_what_is_no_table_of_two_signs_is_refused(X, y, said):
    with pytest.raises(ValueError, match=said):
        minimum_disagreement(X, y)
