"""The test for positive semidefiniteness: non-kernels are refuted."""

import math

import numpy as np
import pytest

from surelearn.kernels import Gaussian, is_positive_semidefinite

X = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])


@pytest.mark.parametrize(
    ("gram", "least"),
    [
        pytest.param(-np.square(np.subtract.outer([0.0, 1.0], [0.0, 1.0])), -1.0, id="-d²"),
        pytest.param(
            (1 + np.outer(np.linspace(-0.9, 0.9, 9), np.linspace(-0.9, 0.9, 9))) ** 1.5,
            -0.0152878,
            id="power 1.5",
        ),
        pytest.param(
            np.outer(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5)) - 0.5, -2.5, id="offset -0.5"
        ),
        pytest.param(
            1 - np.square(np.subtract.outer(np.arange(3.0), np.arange(3.0))), -2.0, id="1 - d²"
        ),
        pytest.param(-Gaussian(gamma=0.1)(X), -2.9353140294, id="K - 2K"),
        pytest.param(np.array([[1.0, 2.0], [2.0, 1.0]]), -1.0, id="x²+4xy+y²"),
    ],
)
def test_what_is_no_kernel_is_refuted(gram, least):
    assert not is_positive_semidefinite(gram)
    assert np.linalg.eigvalsh(gram)[0] == pytest.approx(least, rel=1e-5)


def test_the_distance_itself_is_no_kernel():
    points = np.random.default_rng(6).standard_normal((5, 3))
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    assert not is_positive_semidefinite(distance)


def test_a_kernel_with_a_kink_is_accepted():
    grid = np.linspace(0, 3, 12)
    laplacian = np.exp(-np.abs(np.subtract.outer(grid, grid)))
    assert is_positive_semidefinite(laplacian)
    assert np.linalg.eigvalsh(laplacian)[0] == pytest.approx(0.1377777, abs=5e-8)


def test_what_is_not_symmetric_is_refuted():
    assert not is_positive_semidefinite([[1.0, 0.2], [0.0, 1.0]])


def test_the_tolerance_decides_what_is_rounding():
    almost = np.diag([1.0, -1e-10])
    assert not is_positive_semidefinite(almost)
    assert is_positive_semidefinite(almost, tolerance=1e-9)
    assert is_positive_semidefinite(np.ones((50, 50)) / 3.0)
    assert is_positive_semidefinite(np.zeros((3, 3)))


@pytest.mark.parametrize("wrong", [[[1.0, 2.0]], [1.0], np.zeros((0, 0))])
def test_what_is_not_square_is_refused(wrong):
    with pytest.raises(ValueError, match="square"):
        is_positive_semidefinite(wrong)


def test_what_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="finite"):
        is_positive_semidefinite([[math.nan]])
