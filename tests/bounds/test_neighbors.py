"""Nearest neighbours: limits, finite samples, the leave-one-out certificate, and what voids it."""

import itertools
import math

import numpy as np
import pytest

from reference import nearest_neighbors
from surelearn.bounds import neighbors
from surelearn.evaluate.coverage import Coverage


@pytest.mark.parametrize(
    ("p", "k", "expected"),
    [(0.9, 1, 0.18), (0.9, 2, 0.18), (0.9, 3, 0.1224), (0.9, 5, 0.106848), (0.2, 3, 0.2624)],
)
def test_limit_errors_of_the_catalogue(p, k, expected):
    assert neighbors.knn_asymptotic_error(p=p, k=k) == pytest.approx(expected)
    assert neighbors.knn_asymptotic_error(p=1 - p, k=k) == pytest.approx(expected)


def test_the_worst_ratios_to_the_bayes_risk_are_those_tabulated():
    p = np.linspace(0.001, 0.5, 2000)
    for k, worst in [(3, 1.3156), (5, 1.2175)]:
        ratios = [neighbors.knn_asymptotic_error(p=float(q), k=k) / q for q in p]
        assert max(ratios) == pytest.approx(worst, abs=1e-4)


def test_cover_hart_is_met_pointwise_and_attained_by_equal_other_classes():
    rng = np.random.default_rng(0)
    for n_classes in (2, 3, 5):
        for law in rng.dirichlet(np.ones(n_classes), 200):
            bound = neighbors.cover_hart(bayes_risk=1 - law.max(), n_classes=n_classes)
            assert bound.allows(float((law * (1 - law)).sum()))
    law = np.array([0.7, 0.1, 0.1, 0.1])
    bound = neighbors.cover_hart(bayes_risk=0.3, n_classes=4).bound
    assert bound == pytest.approx(float((law * (1 - law)).sum()))
    masses = np.array([0.2, 0.5, 0.3])
    laws = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.05, 0.9, 0.05]])
    limit = float(masses @ (laws * (1 - laws)).sum(axis=1))
    assert limit == pytest.approx(0.4775)
    bound = neighbors.cover_hart(bayes_risk=float(masses @ (1 - laws.max(axis=1))), n_classes=3)
    assert bound.bound == pytest.approx(0.55185)
    assert bound.allows(limit)


def plurality_error(law, k):
    """Return the exact error of a plurality vote of k labels, ties broken at random."""
    right = 0.0
    for draws in itertools.product(range(len(law)), repeat=k):
        counts = np.bincount(draws, minlength=len(law))
        winners = counts == counts.max()
        right += math.prod(law[c] for c in draws) * float(law @ winners) / winners.sum()
    return 1.0 - right


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_more_neighbours_with_random_ties_are_never_worse_than_one(k):
    rng = np.random.default_rng(1)
    for law in rng.dirichlet(np.ones(3), 8):
        error = plurality_error(law, k)
        assert error <= float((law * (1 - law)).sum()) + 1e-12
        assert neighbors.cover_hart(bayes_risk=1 - law.max(), n_classes=3).allows(error)


def test_an_even_vote_whose_ties_go_to_one_class_breaks_cover_hart():
    error = neighbors.knn_asymptotic_error(p=0.9, k=2, random_ties=False)
    assert error == pytest.approx(0.252)
    assert not neighbors.cover_hart(bayes_risk=0.1).allows(error)
    tiny = neighbors.knn_asymptotic_error(p=1 - 1e-6, k=2, random_ties=False)
    assert tiny / 1e-6 == pytest.approx(3.0, abs=1e-4)


@pytest.mark.parametrize("k", [1, 3, 5, 15, 101, 1001])
def test_the_limit_bound_holds_at_every_noise_level(k):
    p = np.linspace(0.0, 0.5, 501)
    for q in p:
        error = neighbors.knn_asymptotic_error(p=float(q), k=k)
        assert neighbors.knn_limit(bayes_risk=float(q), k=k).allows(error)


def test_the_best_constant_of_the_limit_bound_is_a_third():
    p, k = np.linspace(1e-4, 0.5, 2000), 3
    excess = np.array([neighbors.knn_asymptotic_error(p=float(q), k=k) for q in p]) - p
    assert 0.2 < (excess / np.sqrt(p * (1 - p) / k)).max() < 0.34


@pytest.mark.parametrize(
    ("k", "worst"),
    [(1, 0.2722), (3, 0.2755), (5, 0.2714), (15, 0.2610), (101, 0.2490), (1001, 0.2432)],
)
def test_the_excess_over_the_bayes_risk_has_the_tabulated_constants(k, worst):
    p = np.linspace(1e-3, 0.5, 800)
    excess = np.array([neighbors.knn_asymptotic_error(p=float(q), k=k) for q in p]) - p
    assert (excess * np.sqrt(k / p)).max() == pytest.approx(worst, abs=1e-4)
    assert (excess * math.sqrt(k)).max() <= 0.170


@pytest.mark.parametrize(("n", "expected"), [(100, 1.2187), (1000, 0.5657), (10_000, 0.2626)])
def test_the_distance_to_the_nearest_row_of_the_plane_has_the_tabulated_bound(n, expected):
    inputs = {"bayes_risk": 0.0, "lipschitz": 1.0, "dimension": 2, "n": n}
    assert neighbors.one_nn(**inputs).bound == pytest.approx(expected, abs=5e-5)


def test_the_risk_identity_of_one_neighbour_by_enumeration():
    positions, masses, ones = np.array([0.0, 1.0, 3.0]), (0.5, 0.3, 0.2), (0.1, 0.6, 0.8)
    left = right = 0.0
    for (i, j), query in itertools.product(itertools.product(range(3), repeat=2), range(3)):
        weight = masses[i] * masses[j] * masses[query]
        near = (i, j)[nearest_neighbors.neighbours(positions[[i, j], None], positions[query], 1)[0]]
        right += weight * (ones[near] * (1 - ones[query]) + (1 - ones[near]) * ones[query])
        for labels in itertools.product((0, 1), repeat=2):
            chance = math.prod(
                ones[a] if y else 1 - ones[a] for a, y in zip((i, j), labels, strict=True)
            )
            label = nearest_neighbors.predict(
                positions[[i, j], None], labels, [positions[query]], 1
            )[0]
            left += weight * chance * (1 - ones[query] if label else ones[query])
    assert left == pytest.approx(right)
    assert left == pytest.approx(0.39458, abs=5e-6)


def vote_on_a_line(x, y, queries, k):
    """Return the k-NN votes in many one-dimensional samples at once, without distance ties."""
    nearest = np.argpartition(np.abs(x[:, None, :] - queries[..., None]), k - 1, axis=2)[..., :k]
    return np.take_along_axis(y[:, None, :], nearest, axis=2).sum(axis=2) * 2 > k


def risks_on_a_line(rng, probability, *, repetitions, n, k):
    """Return the risk of k-NN in each of many samples of x uniform on [-1, 1]."""
    x = rng.uniform(-1, 1, (repetitions, n))
    y = (rng.random(x.shape) < probability(x)).astype(np.int8)
    queries = np.linspace(-1, 1, 201)[None, :-1] + 0.005
    votes = vote_on_a_line(x, y, queries, k)
    ones = probability(queries)
    return np.where(votes, 1 - ones, ones).mean(axis=1), x, y


def test_the_fast_vote_is_the_reference_vote():
    rng = np.random.default_rng(2)
    x, y = rng.random((1, 30)), rng.integers(0, 2, (1, 30))
    queries = rng.random(50)
    for k in (1, 4, 7):
        expected = nearest_neighbors.predict(x[0][:, None], y[0], queries[:, None], k)
        assert (vote_on_a_line(x, y, queries[None], k)[0] == expected).all()


def is_below(values, bound):
    """Whether the mean is below the bound, four standard errors given away to the bound."""
    return values.mean() - 4 * values.std() / math.sqrt(len(values)) <= bound


def slope(x):
    return (1 + x) / 2


def alternating(x):
    """A label that changes every thousandth: as far from Lipschitz as the sample can see."""
    return np.floor(500 * x) % 2


@pytest.mark.parametrize(("n", "expected"), [(100, 0.575), (1000, 0.375 + 2 / math.sqrt(1000))])
def test_one_neighbour_stays_below_its_bound_on_a_slope(n, expected):
    rng = np.random.default_rng(3)
    risks, _, _ = risks_on_a_line(rng, slope, repetitions=40, n=n, k=1)
    bound = neighbors.one_nn(bayes_risk=0.25, lipschitz=0.5, dimension=1, n=n).bound
    assert bound == pytest.approx(expected)
    assert is_below(risks, bound)
    assert risks.mean() == pytest.approx(1 / 3, abs=0.02)


@pytest.mark.parametrize("k", [1, 11])
def test_k_neighbours_stay_below_their_bound_on_a_slope(k):
    rng = np.random.default_rng(4)
    risks, _, _ = risks_on_a_line(rng, slope, repetitions=40, n=300, k=k)
    inputs = {"bayes_risk": 0.25, "lipschitz": 0.5, "dimension": 1, "n": 300}
    assert is_below(risks, neighbors.knn_finite_sample(**inputs, k=k).bound)


def test_labels_that_alternate_faster_than_stated_break_the_finite_sample_bounds():
    rng = np.random.default_rng(5)
    risks, _, _ = risks_on_a_line(rng, alternating, repetitions=40, n=100, k=1)
    stated = {"bayes_risk": 0.0, "lipschitz": 0.1, "dimension": 1}
    assert not is_below(risks, neighbors.one_nn(**stated, n=100).bound)
    wide, _, _ = risks_on_a_line(rng, alternating, repetitions=10, n=2000, k=21)
    assert not is_below(wide, neighbors.knn_finite_sample(**stated, n=2000, k=21).bound)
    # What holds in the limit says nothing at this n either.
    assert not is_below(risks, neighbors.knn_limit(bayes_risk=0.0, k=1).bound)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_nearest_row_is_nearer_than_the_bound_on_its_distance(dimension):
    rng = np.random.default_rng(6)
    for n in (1, 2, 10, 300):
        rows, query = rng.uniform(-1, 1, (100, n, dimension)), rng.uniform(-1, 1, (100, dimension))
        nearest = np.sqrt(((rows - query[:, None]) ** 2).sum(axis=2)).min(axis=1)
        # With R* = 0 and a Lipschitz constant of 1 the bound is the one on the distance.
        inputs = {"bayes_risk": 0.0, "lipschitz": 1.0, "dimension": dimension, "n": n}
        assert is_below(nearest, neighbors.one_nn(**inputs).bound)


@pytest.mark.parametrize(
    ("n", "slacks"),
    [(2000, {1: 0.121, 3: 0.121, 5: 0.134, 15: 0.209}), (10_000, {1: 0.054, 5: 0.056, 15: 0.071})],
)
def test_the_slack_of_leave_one_out_is_the_tabulated_one(n, slacks):
    for k, slack in slacks.items():
        bound = neighbors.leave_one_out(errors=0, n=n, k=k, delta=0.05).bound
        assert bound == pytest.approx(slack, abs=6e-4)


def test_the_vote_constant_is_the_maximum_of_its_formula():
    p = np.linspace(0, 1, 20_001)
    for k in range(1, 30):
        j = k // 2
        values = math.comb(k - 1, j) * p**j * (1 - p) ** (k - 1 - j) * np.maximum(p, 1 - p)
        assert neighbors.vote_change_constant(k=k) == pytest.approx(values.max(), rel=1e-6)
    known = {1: 1.0, 3: 8 / 27, 5: 0.20736, 7: 0.1679, 15: 0.1083}
    for k, constant in known.items():
        assert neighbors.vote_change_constant(k=k) == pytest.approx(constant, abs=5e-5)
    assert 100_001 * neighbors.vote_change_constant(k=100_001) == pytest.approx(
        math.sqrt(100_001 / (2 * math.pi)), rel=1e-3
    )


def test_dropping_a_row_changes_the_vote_no_more_often_than_lemma_one_says():
    rng = np.random.default_rng(7)
    for k in (1, 3, 5):
        labels = rng.random((200_000, k + 1)) < 0.5  # the k neighbours and the next
        dropped = 2 * labels[:, 1:].sum(axis=1) > k  # given that the dropped row is a neighbour
        changed = dropped != (2 * labels[:, :-1].sum(axis=1) > k)
        assert is_below(changed, neighbors.vote_change_constant(k=k))


def step(x):
    return np.where(x < 0, 0.2, 0.8)


def leave_one_out_on_a_line(x, y, k):
    """Return the leave-one-out errors of each sample: the row itself is its nearest neighbour."""
    nearest = np.argpartition(np.abs(x[:, None, :] - x[..., None]), k, axis=2)[..., : k + 1]
    ones = np.take_along_axis(y[:, None, :], nearest, axis=2).sum(axis=2) - y
    return np.count_nonzero((2 * ones > k) != y, axis=1)


def test_the_fast_leave_one_out_is_the_reference():
    rng = np.random.default_rng(8)
    x, y = rng.random((1, 25)), rng.integers(0, 2, (1, 25))
    for k in (1, 2, 5):
        expected = nearest_neighbors.leave_one_out_errors(x[0][:, None], y[0], k)
        assert leave_one_out_on_a_line(x, y, k)[0] == expected


@pytest.mark.parametrize("k", [1, 5])
@pytest.mark.parametrize("world", [step, slope])
def test_leave_one_out_misses_at_most_delta(world, k, repetitions):
    rng = np.random.default_rng(9)
    risks, bounds = [], []
    for _ in range(repetitions // 100):
        risk, x, y = risks_on_a_line(rng, world, repetitions=100, n=60, k=k)
        counts = leave_one_out_on_a_line(x, y, k)
        risks.append(risk)
        bounds += [
            neighbors.leave_one_out(errors=e, n=60, k=k, delta=0.5).bound for e in counts.tolist()
        ]
    assert not Coverage(np.concatenate(risks), np.array(bounds), 0.5).refuted()


def test_rows_that_occur_twice_void_leave_one_out():
    rng = np.random.default_rng(10)
    x = rng.uniform(-1, 1, 200)[:, None]
    y = (rng.random(200) < 0.4).astype(int)
    errors = nearest_neighbors.leave_one_out_errors(np.tile(x, (2, 1)), np.tile(y, 2), 1)
    risk = float(np.where(y, 0.6, 0.4).mean())  # labels are noise: every vote is a row's label
    assert errors == 0
    assert not neighbors.leave_one_out(errors=errors, n=400, k=1, delta=0.1).allows(risk)


def test_more_classes_cost_more_and_too_few_rows_are_refused():
    inputs = {"errors": 10, "n": 1000, "k": 5, "delta": 0.05}
    two, three = (neighbors.leave_one_out(**inputs, n_classes=c).bound for c in (2, 3))
    assert two < three
    with pytest.raises(ValueError, match="n="):
        neighbors.leave_one_out(errors=0, n=6, k=5, delta=0.1)
    assert math.isfinite(neighbors.leave_one_out(errors=0, n=7, k=5, delta=1e-17).bound)


def test_the_planned_k_is_odd_feasible_and_consistent():
    for n in [*range(1, 200), 10**4, 10**12]:
        k = neighbors.plan_k(n=n)
        assert k % 2 == 1
        assert 1 <= k <= n
        assert k <= math.sqrt(n) + 2
    assert neighbors.plan_k(n=10**4) == 101
    assert neighbors.plan_k(n=2) == 1


def test_the_planned_k_comes_nearer_to_the_bayes_risk():
    rng = np.random.default_rng(11)
    few, many = (
        risks_on_a_line(rng, step, repetitions=10, n=n, k=neighbors.plan_k(n=n))[0].mean()
        for n in (100, 4000)
    )
    fixed = risks_on_a_line(rng, step, repetitions=10, n=4000, k=1)[0].mean()
    assert 0.2 <= many < few
    assert many < 0.205
    assert fixed > 0.3


def test_an_even_k_and_an_impossible_bayes_risk_are_refused():
    with pytest.raises(ValueError, match="k="):
        neighbors.knn_limit(bayes_risk=0.1, k=2)
    with pytest.raises(ValueError, match="bayes_risk"):
        neighbors.cover_hart(bayes_risk=0.6)
    assert neighbors.cover_hart(bayes_risk=0.0).bound == 0.0
