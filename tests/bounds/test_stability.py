"""Stability: tight examples, coverage of stable learners, and learners that only claim to be."""

import math

import numpy as np
import pytest

from reference import support_vector_machine as machine
from surelearn.bounds import stability
from surelearn.evaluate.coverage import Coverage


def is_below(values, bound):
    """Whether the mean is below the bound, four standard errors given away to the bound."""
    return bool(values.mean() - 4 * values.std() / math.sqrt(len(values)) <= bound)


@pytest.mark.parametrize(
    ("n", "regularization", "gap"), [(4000, 1.0, 0.097), (4000, 0.01, 7.81), (10**6, 0.1, 0.050)]
)
def test_the_gap_of_a_support_vector_machine_is_the_tabulated_one(n, regularization, gap):
    C = 1.0 / (regularization * n)
    bound = stability.svm(ramp_loss=0.0, C=C, kernel_radius=1.0, n=n, delta=0.05).bound
    assert bound == pytest.approx(gap, rel=6e-3)


def test_the_support_vector_machine_is_the_generic_bound_at_its_stability():
    inputs = {"n": 300, "delta": 0.1}
    generic = stability.uniform_stability(
        empirical_risk=0.2, stability=2 * 0.003 * 4, loss_range=1.0, **inputs
    )
    special = stability.svm(ramp_loss=0.2, C=0.003, kernel_radius=2.0, **inputs)
    assert special.bound == pytest.approx(generic.bound)
    loose = stability.svm(ramp_loss=0.2, C=0.003, kernel_radius=2.0, duality_gap=1e-4, **inputs)
    assert loose.bound - special.bound == pytest.approx(2 * 2.0 * math.sqrt(2e-4))


def test_bousquet_and_elisseeff_is_the_case_of_twice_the_removal_stability():
    beta, n, root = 0.001, 500, math.sqrt(math.log(20) / 1000)
    bound = stability.uniform_stability(
        empirical_risk=0.1, stability=2 * beta, loss_range=1.0, n=n, delta=0.05
    ).bound
    assert bound == pytest.approx(0.1 + 2 * beta + (4 * n * beta + 1) * root)


def test_one_replaced_row_moves_the_svm_by_twice_c_and_no_more():
    # All rows equal e_1 and C small: w = C (sum of labels), the largest move there can be.
    C, y = 0.01, np.ones((1, 10))
    X = np.ones((1, 10, 1))
    flipped = y.copy()
    flipped[0, 0] = -1.0
    w, _ = machine.fit(X, y, C)
    other, _ = machine.fit(X, flipped, C)
    assert abs(w - other)[0, 0] == pytest.approx(2 * C)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8, 3))
    X /= np.linalg.norm(X, axis=2).max(axis=1)[:, None, None]
    y = rng.choice([-1.0, 1.0], (200, 8))
    replaced, labels = X.copy(), y.copy()
    replaced[:, 0], labels[:, 0] = -X[:, 0], rng.choice([-1.0, 1.0], 200)
    moves = np.linalg.norm(
        machine.fit(X, y, 0.5)[0] - machine.fit(replaced, labels, 0.5)[0], axis=1
    )
    assert moves.max() <= 2 * 0.5 + 1e-9


def ridge_path(X, y, alpha):
    """Return the weights of sum of squares + alpha |w|^2 in every sample."""
    gram = np.einsum("snd,sne->sde", X, X) + alpha * np.eye(X.shape[2])
    return np.linalg.solve(gram, np.einsum("snd,sn->sd", X, y)[..., None])[..., 0]


def test_one_removed_row_moves_ridge_by_its_residual_and_no_more():
    rng = np.random.default_rng(1)
    X, y = rng.uniform(-1, 1, (2000, 6, 2)) / math.sqrt(2), rng.uniform(-1, 1, (2000, 6))
    alpha = rng.uniform(0.1, 5.0, 2000)[:, None, None]
    full, without = ridge_path(X, y, alpha), ridge_path(X[:, 1:], y[:, 1:], alpha)
    residual = np.abs((full * X[:, 0]).sum(axis=1) - y[:, 0])
    moves = np.linalg.norm(full - without, axis=1)
    assert (moves <= residual / alpha[:, 0, 0] + 1e-12).all()


def test_linear_losses_attain_the_stability_of_regularised_minimisation():
    regularization, n = 0.5, 10
    z = np.ones(n)
    moved = z.copy()
    moved[0] = -1.0
    w, other = (np.mean(s) / regularization for s in (z, moved))  # argmin of -z w + (l / 2) w^2
    bound = stability.regularised_erm(lipschitz=1.0, regularization=regularization, n=n).bound
    assert abs(w - other) == pytest.approx(bound)


def test_the_gap_of_regularised_minimisation_and_a_weaker_penalty_than_stated():
    rng = np.random.default_rng(2)
    z = rng.choice([-1.0, 1.0], (4000, 10)).mean(axis=1)
    bound = stability.regularised_erm(lipschitz=1.0, regularization=0.5, n=10).bound
    for regularization, holds in [(0.5, True), (0.05, False)]:
        gaps = z**2 / regularization  # the risk is 0, the training loss is -z^2 / lambda
        assert is_below(gaps, bound) is holds


def test_the_sample_mean_is_stable_and_its_excess_is_within_its_stability():
    # Squared loss, fair coin, n = 5: stability .1, risk .30, least risk .25.
    bound = stability.stable_minimiser(stability=0.1).bound
    rng = np.random.default_rng(3)
    means = rng.binomial(5, 0.5, 4000) / 5
    excess = (means - 0.5) ** 2
    assert excess.mean() == pytest.approx(0.05, abs=0.005)
    assert is_below(excess, bound)
    # Half of the claimed minimisers are wrong: the suboptimality must be paid for.
    wrong = np.where(rng.random(4000) < 0.5, means, 1.5)
    assert not is_below((wrong - 0.5) ** 2, bound)


def mean_learner(rng, repetitions, n):
    """Return risk, training and leave-one-out loss of predicting a fair coin by its mean."""
    x = (rng.random((repetitions, n)) < 0.5).astype(float)
    mean = x.mean(axis=1, keepdims=True)
    without = (n * mean - x) / (n - 1)
    risk = np.full(repetitions, 0.5)  # |m - 0| / 2 + |m - 1| / 2, whatever m
    return risk, np.abs(mean - x).mean(axis=1), np.abs(without - x).mean(axis=1)


def test_stable_learners_are_covered(repetitions):
    risk, training, without = mean_learner(np.random.default_rng(4), repetitions, 40)
    shared = {"loss_range": 1.0, "n": 40, "delta": 0.2}
    bounds = [
        stability.uniform_stability(empirical_risk=e, stability=1 / 40, **shared).bound
        for e in training.tolist()
    ]
    assert not Coverage(risk, np.array(bounds), 0.2).refuted()
    bounds = [
        stability.uniform_stability_leave_one_out(
            leave_one_out_risk=e,
            removal_stability=1 / 40,
            stability=1 / 40,
            smaller_stability=1 / 39,
            **shared,
        ).bound
        for e in without.tolist()
    ]
    assert not Coverage(risk, np.array(bounds), 0.2).refuted()


def memoriser(rng, n, copies):
    """Return risk, training and leave-one-out error of a table of the labels seen, 0 elsewhere."""
    keys = np.repeat(rng.permutation(10**6)[: n // copies], copies)
    labels = np.repeat(rng.integers(0, 2, n // copies), copies)
    table = dict(zip(keys.tolist(), labels.tolist(), strict=True))
    fresh = rng.integers(10**6, size=2000).tolist()
    risk = np.mean(
        [table.get(key, 0) != y for key, y in zip(fresh, rng.integers(0, 2, 2000), strict=True)]
    )
    training = np.mean(
        [table[key] != y for key, y in zip(keys.tolist(), labels.tolist(), strict=True)]
    )
    without = training if copies > 1 else labels.mean()  # a twin keeps the entry alive
    return float(risk), float(training), float(without)


def test_a_memoriser_is_not_stable_and_the_check_notices():
    risk, training, _ = memoriser(np.random.default_rng(12), 1000, copies=1)
    claimed = {"stability": 1 / 1000, "loss_range": 1.0, "n": 1000, "delta": 0.1}
    assert not stability.uniform_stability(empirical_risk=training, **claimed).allows(risk)


def test_rows_in_pairs_void_the_leave_one_out_form():
    claimed = {"removal_stability": 1 / 1000, "stability": 1 / 1000, "smaller_stability": 1 / 999}
    for copies, holds in [(1, True), (2, False)]:
        risk, _, without = memoriser(np.random.default_rng(13), 1000, copies=copies)
        bound = stability.uniform_stability_leave_one_out(
            leave_one_out_risk=without, **claimed, loss_range=1.0, n=1000, delta=0.1
        )
        assert bound.allows(risk) is holds


def circle(rng, repetitions, n, noise=0.1):
    """Return points of the unit circle labelled by the sign of x_1, with noise."""
    angle = rng.uniform(-np.pi, np.pi, (repetitions, n))
    X = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    return X, np.where((X[..., 0] > 0) ^ (rng.random(angle.shape) < noise), 1.0, -1.0)


def circle_risk(w, noise=0.1):
    return noise + (1 - 2 * noise) * np.abs(np.arctan2(w[:, 1], w[:, 0])) / np.pi


@pytest.mark.parametrize("epochs", [1, 100])
def test_support_vector_machines_are_covered_even_when_stopped_early(epochs, repetitions):
    rng = np.random.default_rng(5)
    X, y = circle(rng, repetitions, 30)
    w, gap = machine.fit(X, y, 0.02, epochs=epochs)
    ramp = np.minimum(1.0, machine.hinge(X, y, w)).mean(axis=1)
    bounds = [
        stability.svm(
            ramp_loss=loss, C=0.02, kernel_radius=1.0, n=30, delta=0.2, duality_gap=g
        ).bound
        for loss, g in zip(ramp.tolist(), gap.tolist(), strict=True)
    ]
    assert not Coverage(circle_risk(w), np.array(bounds), 0.2).refuted()


def noise_far_outside(rng, repetitions=40, n=40, dimension=400):
    """Return rows of norm 20 and labels of pure noise: every rule has risk 1/2."""
    X = rng.normal(size=(repetitions, n, dimension))
    return X * 20 / np.linalg.norm(X, axis=2, keepdims=True), rng.choice(
        [-1.0, 1.0], (repetitions, n)
    )


def test_features_beyond_the_stated_radius_void_the_support_vector_certificates():
    X, y = noise_far_outside(np.random.default_rng(6))
    w, gap = machine.fit(X, y, 0.005, epochs=20)
    ramp = np.minimum(1.0, machine.hinge(X, y, w)).mean(axis=1)
    stated = {"C": 0.005, "n": 40, "delta": 0.1}
    for radius, holds in [(1.0, False), (20.0, True)]:
        bounds = np.array(
            [
                stability.svm(ramp_loss=r, kernel_radius=radius, duality_gap=g, **stated).bound
                for r, g in zip(ramp.tolist(), gap.tolist(), strict=True)
            ]
        )
        assert bool((bounds >= 0.5).all()) is holds


def test_the_expected_risk_of_the_support_vector_machine_on_the_circle():
    rng = np.random.default_rng(7)
    n, regularization = 30, 1.0
    X, y = circle(rng, 400, n)
    w, _ = machine.fit(X, y, 1 / (regularization * n), epochs=50)
    # For u = s e_1 the hinge loss averages 1 - s 0.8 E|cos| while s <= 1.
    inputs = {"comparator_loss": 1 - 0.8 * 2 / math.pi, "comparator_norm": 1.0, "n": n}
    bound = stability.svm_expected_risk(
        **inputs, regularization=regularization, kernel_radius=1.0
    ).bound
    assert is_below(circle_risk(w), bound)
    fresh, labels = circle(rng, 400, 200)
    assert is_below(machine.hinge(fresh, labels, w).mean(axis=1), bound)


def test_features_beyond_the_stated_radius_break_the_expected_risk_too():
    def signal_and_noise(n):
        X, y = noise_far_outside(rng, n=n)
        return np.concatenate([y[..., None], 1.5 * X], axis=2), y

    rng = np.random.default_rng(8)
    n, regularization = 40, 0.3
    X, y = signal_and_noise(n)
    w, _ = machine.fit(X, y, 1 / (regularization * n), epochs=20)
    fresh, labels = signal_and_noise(100)
    errors = (labels * np.einsum("snd,sd->sn", fresh, w) <= 0).mean(axis=1)
    # u = e_1 has no hinge loss and norm 1; stated is the radius of the signal alone.
    inputs = {"comparator_loss": 0.0, "comparator_norm": 1.0, "regularization": regularization}
    stated, true = (
        stability.svm_expected_risk(**inputs, kernel_radius=r, n=n).bound
        for r in (1.0, math.hypot(1.0, 30.0))
    )
    assert not is_below(errors, stated)
    assert is_below(errors, true)


def test_clipped_ridge_is_covered(repetitions):
    rng = np.random.default_rng(9)
    y = np.where(rng.random((repetitions, 50)) < 0.7, 1.0, -1.0)
    w = y.sum(axis=1) / (50 + 50 * 2.0)  # all x are 1 and lambda is 2
    training = ((w[:, None] - y) ** 2).mean(axis=1)
    risk = 0.7 * (w - 1) ** 2 + 0.3 * (w + 1) ** 2
    bounds = [
        stability.kernel_ridge(
            empirical_risk=e,
            regularization=2.0,
            label_bound=1.0,
            kernel_radius=1.0,
            n=50,
            delta=0.2,
        ).bound
        for e in training.tolist()
    ]
    assert not Coverage(risk, np.array(bounds), 0.2).refuted()


def test_features_beyond_the_stated_radius_void_the_ridge_certificate():
    X, y = noise_far_outside(np.random.default_rng(10), repetitions=20, n=100)
    X *= 50.0  # of norm 1000, stated as 1
    kernel = np.einsum("snd,smd->snm", X, X)
    shrink = 100 * 100.0
    dual = np.linalg.solve(kernel + shrink * np.eye(100), y[..., None])[..., 0]
    training = ((dual * shrink) ** 2).mean(axis=1)
    w = np.einsum("sn,snd->sd", dual, X)
    fresh = noise_far_outside(np.random.default_rng(11), repetitions=20, n=100)[0] * 50.0
    scores = np.clip(np.einsum("snd,sd->sn", fresh, w), -1, 1)
    risk = 1 + (scores**2).mean(axis=1)  # labels are fair coins: E (s - y)^2 = 1 + s^2
    bounds = [
        stability.kernel_ridge(
            empirical_risk=min(e, 4.0),
            regularization=100.0,
            label_bound=1.0,
            kernel_radius=1.0,
            n=100,
            delta=0.1,
        ).bound
        for e in training.tolist()
    ]
    assert Coverage(risk, np.array(bounds), 0.1).refuted()


def test_a_gap_in_the_ridge_objective_is_paid_for():
    inputs = {"empirical_risk": 0.1, "regularization": 2.0, "label_bound": 1.5, "n": 200}
    exact, loose = (
        stability.kernel_ridge(**inputs, kernel_radius=0.5, delta=0.1, duality_gap=g).bound
        for g in (0.0, 0.01)
    )
    distance = 0.5 * math.sqrt(0.01 / (2.0 * 200))  # |f - f*| <= kappa sqrt(G / alpha)
    assert loose - exact == pytest.approx(2 * 4 * 1.5 * distance)


def test_the_planned_regularisation_balances_the_two_terms():
    best = stability.plan_svm_regularization(norm=2.0, radius=1.0, n=1000)

    def excess(regularization):
        return stability.svm_expected_risk(
            comparator_loss=0.0,
            comparator_norm=2.0,
            regularization=regularization,
            kernel_radius=1.0,
            n=1000,
        ).bound

    assert excess(best) == pytest.approx(0.126491, abs=1e-6)
    assert excess(best) < min(excess(0.9 * best), excess(1.1 * best))
    source = math.sqrt(8 / 1000) / 2.0  # the sources' lambda, for their looser bound
    assert source == pytest.approx(0.044721, abs=1e-6)
    term = stability.regularised_erm(lipschitz=1.0, regularization=source, n=1000).bound
    assert source / 2 * 2.0**2 + 2 * term == pytest.approx(0.178885, abs=1e-6)
    assert excess(source) > excess(best)


def test_the_consistency_schedule_makes_both_terms_vanish():
    n = 10_000
    regularization = stability.svm_consistency_schedule(n=n)
    assert regularization == pytest.approx(0.046416, abs=1e-6)
    term = stability.regularised_erm(lipschitz=1.0, regularization=regularization, n=n).bound
    assert 2 * term == pytest.approx(0.008618, abs=1e-6)  # the sources print 4 / (lambda n)


def test_a_loss_above_its_range_is_refused():
    with pytest.raises(ValueError, match="empirical_risk"):
        stability.uniform_stability(
            empirical_risk=1.5, stability=0.0, loss_range=1.0, n=10, delta=0.1
        )
    with pytest.raises(ValueError, match="loss_range"):
        stability.uniform_stability(
            empirical_risk=0.5, stability=0.0, loss_range=0.0, n=10, delta=0.1
        )
