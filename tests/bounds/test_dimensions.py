"""VC and Littlestone dimensions: shattered sets exhibited, larger ones refuted by brute force."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from surelearn.bounds import dimensions


def every_labelling(n):
    return np.array(list(itertools.product([0, 1], repeat=n)))


def interval_patterns(x):
    """Return all labellings of points of the line by closed intervals, the empty one included."""
    intervals = itertools.combinations_with_replacement(np.sort(x), 2)
    return np.array([np.zeros(len(x)), *[(x >= a) & (x <= b) for a, b in intervals]])


def box_patterns(x):
    """Return all labellings of points by boxes: a box may be shrunk to the hull of its points."""
    n = len(x)
    patterns = [np.zeros(n)]
    for size in range(1, n + 1):
        for inside in itertools.combinations(x, size):
            low, high = np.min(inside, axis=0), np.max(inside, axis=0)
            patterns.append(((x >= low) & (x <= high)).all(axis=1))
    return np.array(patterns)


def halfspace_patterns(x, *, offset):
    """Return all labellings of points by half-spaces, found by linear programming."""
    rows = np.column_stack([x, np.ones(len(x))]) if offset else x

    def separable(labels):
        signed = -np.where(labels, 1.0, -1.0)[:, None] * rows
        zero = np.zeros(rows.shape[1])
        return optimize.linprog(zero, signed, -np.ones(len(x)), bounds=(None, None)).status == 0

    return np.array([labels for labels in every_labelling(len(x)) if separable(labels)])


def vc_of(patterns):
    return dimensions.vc_dimension_of_class(patterns=patterns)


def test_intervals_shatter_two_points_and_never_three():
    assert vc_of(interval_patterns(np.array([0.0, 1.0]))) == 2
    patterns = interval_patterns(np.array([0.0, 1.0, 2.0]))
    assert not (patterns == [1, 0, 1]).all(axis=1).any()
    assert vc_of(interval_patterns(np.random.default_rng(0).random(9))) == dimensions.intervals()


def test_boxes_of_the_plane_shatter_a_diamond_and_no_five_points():
    diamond = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])
    assert vc_of(box_patterns(diamond)) == dimensions.rectangles(dimension=2)
    rng = np.random.default_rng(1)
    assert max(vc_of(box_patterns(rng.normal(size=(5, 2)))) for _ in range(100)) <= 4


def test_boxes_in_space_shatter_the_six_unit_points():
    octahedron = np.concatenate([np.eye(3), -np.eye(3)])
    assert vc_of(box_patterns(octahedron)) == dimensions.rectangles(dimension=3) == 6


def test_affine_half_planes_shatter_three_points_and_no_four():
    corner = np.array([[0, 0], [1, 0], [0, 1]])
    assert vc_of(halfspace_patterns(corner, offset=True)) == 3
    assert dimensions.affine_halfspaces(dimension=2) == 3
    rng = np.random.default_rng(2)
    four = [vc_of(halfspace_patterns(rng.normal(size=(4, 2)), offset=True)) for _ in range(12)]
    assert max(four) == 3


@pytest.mark.parametrize(("largest", "dimension"), [(1, 1), (1, 2), (2, 2), (1, 3)])
def test_whole_weights_make_no_more_rules_than_are_counted(largest, dimension):
    points = np.array(list(itertools.product([0, 1], repeat=dimension)))
    values = range(-largest, largest + 1)
    rules = {
        tuple(points @ w[:-1] > w[-1])
        for w in map(np.array, itertools.product(values, repeat=dimension + 1))
    }
    counted = dimensions.integer_halfspaces(largest_weight=largest, dimension=dimension)
    assert len(rules) <= counted == len(values) ** (dimension + 1)
    with pytest.raises(ValueError, match="small enough for 10"):
        dimensions.integer_halfspaces(largest_weight=1, dimension=10**9)


def test_without_an_offset_the_dimension_is_one_less_whatever_the_source_prints():
    assert vc_of(halfspace_patterns(np.eye(2), offset=False)) == 2
    assert dimensions.homogeneous_halfspaces(dimension=2) == 2
    rng = np.random.default_rng(3)
    three = [vc_of(halfspace_patterns(rng.normal(size=(3, 2)), offset=False)) for _ in range(12)]
    assert max(three) == 2


def test_a_finite_class_may_be_far_below_the_logarithm_of_its_size():
    thresholds = np.tri(1024, 1023, -1)
    assert dimensions.finite_class(n_hypotheses=1024) == 10
    assert vc_of(thresholds) == 1
    assert vc_of(every_labelling(3)) == dimensions.finite_class(n_hypotheses=8) == 3
    assert dimensions.finite_class(n_hypotheses=1) == 0
    assert dimensions.finite_class(n_hypotheses=2**2000 - 1) == 1999


def smallest_norm_with_margin_one(x, signs):
    """Return the least |w| with y_i w.x_i >= 1; in general position all constraints are tight."""
    best = math.inf
    for size in range(1, len(x) + 1):
        for active in itertools.combinations(range(len(x)), size):
            rows = x[list(active)] * signs[list(active), None]
            w = rows.T @ np.linalg.solve(rows @ rows.T, np.ones(size))
            if (signs * (x @ w) >= 1.0 - 1e-9).all():
                best = min(best, float(np.linalg.norm(w)))
    return best


def test_large_margins_limit_the_dimension_and_orthogonal_points_reach_the_limit():
    points = 3.0 * np.eye(5)
    signs = np.where(every_labelling(5), 1.0, -1.0)
    norm = max(smallest_norm_with_margin_one(points, y) for y in signs)
    assert norm == pytest.approx(math.sqrt(5) / 3)
    assert dimensions.large_margin(norm=norm, radius=3.0) == 5
    assert dimensions.large_margin(norm=0.99 * norm, radius=3.0) == 4
    assert dimensions.large_margin(norm=10.0, radius=10.0, dimension=4) == 4


def test_random_unit_vectors_need_the_norm_the_bound_says():
    rng = np.random.default_rng(4)
    for _ in range(10):
        x = rng.normal(size=(4, 6))
        x /= np.linalg.norm(x, axis=1)[:, None]
        signs = np.where(every_labelling(4), 1.0, -1.0)
        norm = max(smallest_norm_with_margin_one(x, y) for y in signs)
        assert dimensions.large_margin(norm=norm, radius=1.0) >= 4


def test_the_printed_margin_condition_would_leave_only_positive_labels():
    # w.x >= 1 for every x (not |w.x| >= 1) gives one labelling, so nothing at all is shattered.
    assert vc_of(np.ones((1, 5))) == 0


@pytest.mark.parametrize(
    ("patterns", "vc", "littlestone"),
    [
        (np.tri(8, 7, -1), 1, 3),
        (every_labelling(3), 3, 3),
        (np.vstack([np.eye(4), np.zeros(4)]), 1, 1),
        (np.ones((3, 4)), 0, 0),
        (
            every_labelling(4)[[0b0010, 0b1001, 0b0011, 0b0101, 0b1101, 0b1000, 0b1100, 0b1111]],
            2,
            2,
        ),
    ],
)
def test_the_classes_of_the_catalogue_have_their_dimensions(patterns, vc, littlestone):
    assert vc_of(patterns) == vc
    assert dimensions.littlestone_dimension(patterns=patterns) == littlestone


def test_vc_is_at_most_littlestone_is_at_most_the_logarithm_of_the_size():
    rng = np.random.default_rng(5)
    for _ in range(60):
        patterns = np.unique(rng.integers(2, size=(rng.integers(1, 16), 5)), axis=0)
        vc, online = vc_of(patterns), dimensions.littlestone_dimension(patterns=patterns)
        assert vc <= online <= dimensions.finite_class(n_hypotheses=len(patterns))
        subsets = (c for k in range(6) for c in itertools.combinations(range(5), k))
        shattered = [c for c in subsets if len(np.unique(patterns[:, c], axis=0)) == 2 ** len(c)]
        assert vc == max(map(len, shattered))


def test_an_adversary_forces_the_littlestone_dimension_on_the_optimal_learner():
    patterns = np.tri(5, 4, -1).astype(int)

    def dimension(rules):
        return dimensions.littlestone_dimension(patterns=rules) if len(rules) else -1

    def forced(rules):
        """Return the most mistakes of the learner that keeps the larger Littlestone dimension."""
        worst = 0
        for x in range(patterns.shape[1]):
            parts = [rules[rules[:, x] == y] for y in (0, 1)]
            prediction = int(dimension(parts[1]) > dimension(parts[0]))
            for y in (0, 1):
                if 0 < len(parts[y]) < len(rules):
                    worst = max(worst, int(y != prediction) + forced(parts[y]))
        return worst

    assert forced(patterns) == dimension(patterns) == 2


def test_a_radon_point_lies_in_both_hulls():
    rng = np.random.default_rng(6)
    for d in (1, 2, 5):
        x = rng.normal(size=(d + 2, d))
        point, part = dimensions.radon_point(x)
        for hull in (x[part], x[~part]):
            weights = optimize.nnls(np.vstack([hull.T, np.ones(len(hull))]), np.append(point, 1.0))
            assert weights[1] < 1e-8


@pytest.mark.parametrize("points", [[[0, 0], [1, 1]], [[0.0], [1.0]], [[np.nan], [1.0], [2.0]]])
def test_a_radon_point_needs_two_points_more_than_dimensions(points):
    with pytest.raises(ValueError, match="points"):
        dimensions.radon_point(points)


@pytest.mark.parametrize("patterns", [[[0, 2]], [0, 1], np.empty((0, 3)), [[0, np.nan]]])
def test_a_class_must_be_a_matrix_of_zeros_and_ones(patterns):
    with pytest.raises(ValueError, match="patterns"):
        dimensions.vc_dimension_of_class(patterns=patterns)
    with pytest.raises(ValueError, match="patterns"):
        dimensions.littlestone_dimension(patterns=patterns)


def test_a_class_too_large_for_the_recursion_is_refused():
    with pytest.raises(ValueError, match="at most 20"):
        dimensions.littlestone_dimension(patterns=np.tri(21, 20, -1))
