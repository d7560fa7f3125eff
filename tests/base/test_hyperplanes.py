"""Distances from given hyperplanes: the catalogue's numbers, extremes, refusals."""

import numpy as np
import pytest
from scipy import sparse

import surelearn
from surelearn.learners.linear.perceptron import Perceptron

X, Y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]


def test_the_distances_and_projections_of_the_catalogue():
    assert abs(surelearn.signed_distance([[4, 3]], [0.5, 0.5], -2.0)[0]) == pytest.approx(
        2.1213203436, abs=5e-11
    )
    nearest = surelearn.project_onto_hyperplane([[4, 3]], [0.5, 0.5], -2.0)
    assert nearest == pytest.approx(np.array([[2.5, 1.5]]))
    assert nearest @ [0.5, 0.5] - 2.0 == pytest.approx([0.0])
    found = surelearn.signed_distance([[0, 0], [3, 4]], [3, 4], -10)
    assert found.tolist() == pytest.approx([-2.0, 3.0])


def test_the_margins_of_the_catalogue_and_what_doubling_the_weights_does():
    assert surelearn.functional_margin(X, Y, [1, 1], -3) == 1.0
    assert surelearn.geometric_margin(X, Y, [1, 1], -3) == pytest.approx(0.7071067812, abs=5e-11)
    assert surelearn.functional_margin(X, Y, [2, 2], -6) == 2.0
    assert surelearn.geometric_margin(X, Y, [2, 2], -6) == pytest.approx(0.7071067812, abs=5e-11)


def test_projections_lie_on_the_plane_and_no_point_of_it_is_nearer():
    rng = np.random.default_rng(0)
    rows, coef = rng.normal(size=(20, 4)), rng.normal(size=4)
    nearest = surelearn.project_onto_hyperplane(rows, coef, 0.7)
    assert np.abs(nearest @ coef + 0.7).max() < 1e-12
    gaps = np.linalg.norm(rows - nearest, axis=1)
    np.testing.assert_allclose(gaps, np.abs(surelearn.signed_distance(rows, coef, 0.7)))
    other = surelearn.project_onto_hyperplane(rng.normal(size=(20, 4)), coef, 0.7)
    assert (np.linalg.norm(rows - other, axis=1) >= gaps).all()


def test_sparse_rows_and_the_weights_of_a_learner_are_read():
    thin = sparse.coo_array(X)
    for function in (surelearn.signed_distance, surelearn.project_onto_hyperplane):
        np.testing.assert_allclose(function(thin, [1.0, 1.0], -3.0), function(X, [1, 1], -3))
    model = Perceptron().fit(X, Y)
    margin = surelearn.geometric_margin(thin, Y, model.coef_, model.intercept_[0])
    assert 0.0 < margin <= 0.5 * np.linalg.norm(X[0] - X[2])


@pytest.mark.parametrize("scale", [1e-200, 1e200, 5e-324 * 2**20])
def test_weights_of_any_size_give_the_same_distances(scale):
    coef, intercept = np.array([3.0, 4.0]) * scale, -10.0 * scale
    found = surelearn.signed_distance([[3.0, 4.0]], coef, intercept)
    assert found == pytest.approx([3.0], rel=1e-5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: surelearn.signed_distance(X, [0, 0], 1.0), "no hyperplane"),
        (lambda: surelearn.signed_distance(X, [1.0], 1.0), "columns"),
        (lambda: surelearn.signed_distance(X, [1.0, np.nan]), "coef"),
        (lambda: surelearn.signed_distance([[np.nan, 1.0]], [1, 1]), "NaN"),
        (lambda: surelearn.signed_distance(X, [1, 1], np.inf), "intercept"),
        (lambda: surelearn.signed_distance(X, [1e-300, 0], 1e300), "beyond what floats"),
        (lambda: surelearn.signed_distance(X * 4e307, [1, 1]), "overflow"),
        (lambda: surelearn.geometric_margin(X, [0, 1, 1], [1, 1]), "-1 and"),
        (lambda: surelearn.geometric_margin(X, [1, 1], [1, 1]), "labels for"),
    ],
)
def test_what_describes_no_hyperplane_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_a_sparse_matrix_with_wild_indices_is_refused():
    wild = sparse.csr_array(X)
    wild.indices[0] = 10**6
    with pytest.raises(ValueError, match="indices"):
        surelearn.signed_distance(wild, [1.0, 1.0])
