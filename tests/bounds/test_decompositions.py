"""Principal components: laws whose covariance is known, all projections at once, heavy tails."""

import math

import numpy as np
import pytest

from surelearn.bounds import decompositions
from surelearn.evaluate.coverage import Coverage

D, N, K, DELTA = 5, 60, 2, 0.1
MASSES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])


def sphere(rng, repetitions):
    """Uniform on the unit sphere: covariance I / D."""
    X = rng.normal(size=(repetitions, N, D))
    return X / np.linalg.norm(X, axis=2, keepdims=True)


def corners(rng, repetitions):
    """Corners of a cube inscribed in the unit sphere: covariance I / D."""
    return rng.choice([-1.0, 1.0], (repetitions, N, D)) / math.sqrt(D)


def atoms(rng, repetitions):
    """Unit vectors drawn with unequal masses: second moments diag(masses), mean = masses."""
    return np.eye(D)[rng.choice(D, p=MASSES, size=(repetitions, N))]


WORLDS = {sphere: np.eye(D) / D, corners: np.eye(D) / D, atoms: np.diag(MASSES)}


def complements(second_moments, n_components):
    """Return I - P for the projections on the leading components."""
    vectors = np.linalg.eigh(second_moments)[1][..., : D - n_components]
    return vectors @ np.swapaxes(vectors, -1, -2)


def moments(X):
    return np.einsum("snd,sne->sde", X, X) / X.shape[1]


def traces(left, right):
    return np.einsum("sde,sde->s", left, np.broadcast_to(right, left.shape))


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("n_components", [0, 1, 2, 4, 5])
def test_new_rows_are_reconstructed_as_certified(world, n_components, repetitions):
    sample = moments(world(np.random.default_rng(0), repetitions))
    rest = complements(sample, n_components)
    bounds = [
        decompositions.pca(
            residual=max(r, 0.0),
            n=N,
            n_components=n_components,
            dimension=D,
            radius_squared=1.0,
            delta=DELTA,
        ).bound
        for r in traces(rest, sample).tolist()
    ]
    assert not Coverage(traces(rest, WORLDS[world]), np.array(bounds), DELTA).refuted()


@pytest.mark.parametrize("world", WORLDS)
def test_the_slack_covers_all_projections_at_once(world, repetitions):
    sample = moments(world(np.random.default_rng(1), repetitions))
    # sup over P of tr((I - P)(C - C_n)): the sum of the D - k largest eigenvalues.
    worst = np.linalg.eigvalsh(WORLDS[world] - sample)[:, K:].sum(axis=1)
    slack = decompositions.pca(
        residual=0.0, n=N, n_components=K, dimension=D, radius_squared=1.0, delta=DELTA
    ).bound
    assert not Coverage(worst, np.full(repetitions, slack), DELTA).refuted()
    mean_slack = slack - math.sqrt(math.log(1 / DELTA) / (2 * N))
    assert worst.mean() - 4 * worst.std() / math.sqrt(repetitions) <= mean_slack


def test_the_variance_form_covers_rows_far_inside_the_radius(repetitions):
    rng = np.random.default_rng(2)
    X = atoms(rng, repetitions) * np.where(rng.random((repetitions, N, 1)) < 0.1, 1.0, 0.1)
    truth = np.diag(MASSES) * (0.1 + 0.9 * 0.01)
    sample = moments(X)
    rest = complements(sample, K)
    squares = (X**2).sum(axis=2).mean(axis=1)
    shared = {"n": N, "n_components": K, "dimension": D, "radius_squared": 1.0, "delta": DELTA}
    bounds = [
        decompositions.pca_variance(residual=max(r, 0.0), mean_square=m, **shared).bound
        for r, m in zip(traces(rest, sample).tolist(), squares.tolist(), strict=True)
    ]
    assert not Coverage(traces(rest, truth), np.array(bounds), DELTA).refuted()


def centred(X):
    """Return residual covariances about the sample mean, and those means."""
    means = X.mean(axis=1)
    return moments(X - means[:, None]), means


def test_components_through_the_sample_mean_are_covered(repetitions):
    sample, means = centred(atoms(np.random.default_rng(3), repetitions))
    rest = complements(sample, K)
    covariance = np.diag(MASSES) - np.outer(MASSES, MASSES)
    shift = np.einsum("sde,se->sd", rest, means - MASSES)
    risk = traces(rest, covariance) + (shift**2).sum(axis=1)
    shared = {"n": N, "n_components": K, "dimension": D, "diameter": math.sqrt(2), "delta": DELTA}
    bounds = [
        decompositions.pca_centred(residual=max(r, 0.0), **shared).bound
        for r in traces(rest, sample).tolist()
    ]
    assert not Coverage(risk, np.array(bounds), DELTA).refuted()


@pytest.mark.parametrize("name", ["pca", "pca_variance", "pca_centred"])
def test_rows_far_beyond_the_stated_radius_break_every_form(name):
    # One row in a thousand has norm 100: few samples of 60 see it, the mean square is 10.
    rng = np.random.default_rng(4)
    X = atoms(rng, 400) * np.where(rng.random((400, N, 1)) < 0.001, 100.0, 0.1)
    sample, means = centred(X) if name == "pca_centred" else (moments(X), np.zeros((400, D)))
    rest = complements(sample, K)
    fresh = (atoms(rng, 1)[0] * 100.0)[None] - means[:, None]
    risk = 0.001 * (np.einsum("sde,sne->snd", rest, fresh) ** 2).sum(axis=2).mean(axis=1)
    inputs = {"n": N, "n_components": K, "dimension": D, "delta": DELTA}
    inputs |= {"diameter": 1.0} if name == "pca_centred" else {"radius_squared": 1.0}
    inputs |= {"mean_square": 0.01} if name == "pca_variance" else {}
    residuals = np.clip(traces(rest, sample), 0.0, 1.0)
    bounds = [getattr(decompositions, name)(residual=r, **inputs).bound for r in residuals.tolist()]
    assert Coverage(risk, np.array(bounds), DELTA).refuted()


def test_known_values_and_the_rank_that_is_complementary():
    shared = {"residual": 0.0, "n": 1000, "delta": 0.05}
    plain = decompositions.pca(**shared, n_components=10, radius_squared=1.0)
    mirrored = decompositions.pca(**shared, n_components=54, dimension=64, radius_squared=1.0)
    about_mean = decompositions.pca_centred(**shared, n_components=10, diameter=1.0)
    assert plain.bound == mirrored.bound == pytest.approx(0.1387, abs=5e-5)
    assert about_mean.bound == pytest.approx(0.1515, abs=5e-5)
    assert decompositions.pca(
        residual=0.0, n=200, n_components=3, radius_squared=1.0, delta=0.1
    ).bound == pytest.approx(0.198, abs=5e-4)


def test_all_components_leave_only_the_deviation():
    bound = decompositions.pca(
        residual=0.0, n=100, n_components=4, dimension=4, radius_squared=2.0, delta=0.1
    ).bound
    assert bound == pytest.approx(2 * math.sqrt(math.log(10) / 200))


def test_a_residual_above_the_radius_and_too_many_components_are_refused():
    shared = {"n": 10, "dimension": 3, "radius_squared": 1.0, "delta": 0.1}
    with pytest.raises(ValueError, match="residual"):
        decompositions.pca(residual=1.1, n_components=1, **shared)
    with pytest.raises(ValueError, match="n_components"):
        decompositions.pca(residual=0.1, n_components=4, **shared)


@pytest.mark.parametrize("rank", [0, 1, 2, 4])
def test_no_matrix_of_the_rank_comes_nearer_and_truncation_attains_it(rank):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(30, 4))
    left, values, right = np.linalg.svd(A, full_matrices=False)
    truncated = (left[:, :rank] * values[:rank]) @ right[:rank]
    inputs = {"singular_values": values[::-1].tolist(), "rank": rank}
    frobenius = decompositions.eckart_young_frobenius(**inputs)
    spectral = decompositions.eckart_young_spectral(**inputs)
    assert frobenius.bound == pytest.approx(np.linalg.norm(A - truncated), abs=1e-10)
    assert spectral.bound == pytest.approx(np.linalg.norm(A - truncated, 2), abs=1e-10)
    for scale in (1e-3, 0.1, 1.0):
        for _ in range(20):
            other = truncated @ (np.eye(4) + scale * rng.normal(size=(4, 4)))  # of the same rank
            assert frobenius.allows(np.linalg.norm(A - other))
            assert spectral.allows(np.linalg.norm(A - other, 2))


def test_a_matrix_of_higher_rank_or_forgotten_singular_values_break_it():
    values = [4.0, 3.0, 2.0, 1.0]
    A = np.diag(values)
    of_rank_three = np.diag([4.0, 3.0, 2.0, 0.0])
    for name in ("eckart_young_frobenius", "eckart_young_spectral"):
        bound = getattr(decompositions, name)(singular_values=values, rank=2)
        order = "fro" if "frobenius" in name else 2
        assert not bound.allows(np.linalg.norm(A - of_rank_three, order))
    assert decompositions.eckart_young_frobenius(singular_values=values, rank=9).bound == 0.0


def test_the_distance_to_a_rank_is_finite_where_squares_are_not():
    for scale in (1e200, 1e-200):
        found = decompositions.eckart_young_frobenius(
            singular_values=[3 * scale, 4 * scale], rank=0
        )
        assert found.bound / scale == pytest.approx(5.0)
    assert np.isfinite(
        decompositions.eckart_young_frobenius(singular_values=[1.7e308] * 4, rank=0).bound
    )


def test_the_planned_rank_by_values_and_by_squares():
    values = [10.0, 5.0, 2.0, 1.0, 0.5]
    assert decompositions.plan_rank(singular_values=values) == 3
    tail = 1.5 / 18.5  # of the sum of all values, for three of them
    assert tail == pytest.approx(0.0811, abs=5e-5)
    assert decompositions.plan_rank(singular_values=values, tail=tail * 1.001) == 3
    assert decompositions.plan_rank(singular_values=values, tail=tail) == 4
    assert decompositions.plan_rank(singular_values=values, squared=True) == 2
    assert decompositions.plan_rank(singular_values=[1.0, 1.0], tail=0.5) == 2
    assert decompositions.plan_rank(singular_values=[0.0, 0.0]) == 0
