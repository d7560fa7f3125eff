"""Other forms of the Perceptron's bound: older ones, late labels, budgets, and their misprints."""

import math

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from reference import budget_perceptron, delayed_perceptron, perceptron
from reference.streams import comparators, hinge, spiteful, streams, within
from surelearn.bounds import mistakes
from surelearn.bounds import mistakes_perceptron as theory
from surelearn.datasets import adversaries
from surelearn.datasets.real import load


def updates_from(start, X, signs, step=1.0, max_passes=2000):
    """Count the updates of a Perceptron with these first weights, until a clean pass."""
    w, updates = np.array(start, dtype=float), 0
    for _ in range(max_passes):
        before = updates
        for row, sign in zip(X, signs, strict=True):
            if sign * (w @ row) <= 0.0:
                w, updates = w + step * sign * row, updates + 1
        if updates == before:
            break
    return updates


def test_a_unit_start_costs_two_mistakes_where_novikoff_allows_one():
    updates = updates_from([0.0, -1.0], np.array([[0.0, 1.0]]), np.ones(1))
    assert updates == 2
    assert not within(updates, mistakes.novikoff(radius=1.0, margin=1.0))
    assert theory.novikoff_any_start(radius=1.0, margin=1.0, start_norm=1.0).allows(updates)


def test_a_far_start_costs_its_length_and_a_short_step_costs_more():
    X, signs = np.array([[1.0, 0.0]]), np.ones(1)
    guarantee = theory.novikoff_any_start(radius=1.0, margin=1.0, start_norm=20.0)
    assert updates_from([-20.0, 0.0], X, signs) == 21
    assert guarantee.bound == pytest.approx(41.0)
    assert within(21, guarantee)
    assert not within(updates_from([-20.0, 0.0], X, signs, step=0.1), guarantee)


def test_any_start_holds_on_random_separable_rows():
    rng, broken = np.random.default_rng(0), 0
    for _ in range(150):
        u, start = rng.normal(size=(2, 2))
        u, start = u / np.linalg.norm(u), start / np.linalg.norm(start)
        X = rng.normal(size=(6, 2))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        signs = np.where(X @ u > 0.0, 1.0, -1.0)
        margin = np.min(signs * (X @ u))
        updates = updates_from(start, X, signs)
        broken += not within(updates, mistakes.novikoff(radius=1.0, margin=margin))
        for length in (0.0, 1.0, 10.0):
            updates = updates_from(length * start, X, signs)
            assert within(
                updates,
                theory.novikoff_any_start(radius=1.0, margin=margin, start_norm=length),
            )
    assert broken > 0


def l1_forms(radius, norm, loss):
    inputs = {"radius": radius, "norm": norm, "hinge_loss": loss}
    return (
        mistakes.perceptron(**inputs),
        theory.perceptron_expanded(**inputs),
        theory.perceptron_l1(**inputs),
    )


def test_the_root_is_the_sharpest_of_the_three_forms():
    rng, ratios = np.random.default_rng(1), []
    for a, loss in 10.0 ** rng.uniform(-3, 3, (3000, 2)):
        root, expanded, loose = (form.bound for form in l1_forms(1.0, a, loss))
        assert root <= expanded * (1 + 1e-9)
        assert expanded <= loose * (1 + 1e-9)
        ratios.append((expanded / root, loose / root))
    assert np.max(ratios, axis=0) == pytest.approx((1.202, 25 / 16), abs=2e-3)


def l2_forms(u, X, signs, updated):
    losses = np.linalg.norm(hinge(u, X, signs)[updated])
    radius, norm = np.linalg.norm(X, axis=1).max(), np.linalg.norm(u)
    squares = np.sum(X[updated] ** 2)
    return (
        theory.perceptron_l2_squared_norms(norm=norm, hinge_norm=losses, sum_squared_norms=squares),
        theory.perceptron_l2(radius=radius, norm=norm, hinge_norm=losses),
    )


def test_all_forms_hold_on_every_stream_and_the_printed_second_form_does_not():
    printed_form_fails = 0
    for seed in range(4):
        for X, given in streams(seed):
            for signs in (given, spiteful(lambda X, s: perceptron.learn(X, s, False)[0], X)):  # noqa: FBT003
                updated = perceptron.learn(X, signs, fit_intercept=False)[3]
                radius = np.linalg.norm(X, axis=1).max()
                for u in comparators(X, signs, seed):
                    losses, norm = hinge(u, X, signs)[updated], np.linalg.norm(u)
                    forms = l1_forms(radius, norm, losses.sum()) + l2_forms(u, X, signs, updated)
                    assert all(within(len(updated), form) for form in forms)
                    printed = (radius * norm + math.sqrt(np.linalg.norm(losses))) ** 2
                    printed_form_fails += len(updated) > printed * (1 + 1e-9)
    assert printed_form_fails > 100


def test_alternating_labels_attain_the_second_form_and_refute_its_misprint():
    X, signs = adversaries.alternating_labels(100)
    updated = perceptron.learn(X, signs, fit_intercept=False)[3]
    assert len(updated) == 100
    for form in l2_forms(np.zeros(1), X, signs, updated):
        assert form.bound == pytest.approx(100.0)
    assert math.sqrt(np.linalg.norm(np.ones(100))) ** 2 == pytest.approx(10.0)


def test_without_loss_every_form_is_novikoff():
    for form in l1_forms(2.0, 1.5, 0.0):
        assert form.bound == pytest.approx(9.0)
    assert theory.perceptron_l2(radius=2.0, norm=1.5, hinge_norm=0.0).bound == pytest.approx(9.0)
    assert theory.perceptron_expanded(radius=1e200, norm=1e200, hinge_loss=0.0).vacuous


@pytest.mark.parametrize("delay", [0, 1, 5, 20])
def test_a_constant_row_attains_the_bound_by_total_delay(delay):
    X, signs = np.ones((60, 1)), np.ones(60)
    applied, _, staleness = delayed_perceptron.learn(X, signs, np.full(60, delay))
    assert staleness.tolist() == list(range(delay + 1))
    inputs = {"radius": 1.0, "norm": 1.0, "hinge_loss": 0.0}
    total = theory.perceptron_delayed_total(**inputs, total_staleness=int(staleness.sum()))
    assert len(applied) == delay + 1
    assert total.bound == pytest.approx(delay + 1)
    assert theory.perceptron_delayed(**inputs, staleness=delay).allows(delay + 1)
    assert within(delay + 1, mistakes.perceptron(**inputs)) == (delay == 0)


def test_delayed_bounds_hold_for_all_kinds_of_delays():
    rng = np.random.default_rng(3)
    for seed in range(3):
        for X, signs in streams(seed):
            n = len(X)
            batched = 7 - np.arange(n) % 8
            for delays in (rng.integers(0, 6, n), batched, (rng.pareto(1, n)).astype(int) % n):
                applied, w, staleness = delayed_perceptron.learn(X, signs, delays)
                radius, slowest = np.linalg.norm(X, axis=1).max(), int(staleness.max(initial=0))
                for u in comparators(X, signs, seed):
                    loss, norm = hinge(u, X, signs)[applied].sum(), np.linalg.norm(u)
                    inputs = {"radius": radius, "norm": norm, "hinge_loss": loss}
                    for guarantee in (
                        theory.perceptron_delayed(**inputs, staleness=slowest),
                        theory.perceptron_delayed_total(
                            **inputs, total_staleness=int(staleness.sum())
                        ),
                        mistakes.perceptron_norm(
                            hinge_loss=loss, norm=norm, weight_norm=np.linalg.norm(w)
                        ),
                    ):
                        assert within(len(applied), guarantee)


def kernel_worlds(seed):
    """Yield Gram matrices of unit diagonal with signs: Gaussian, orthonormal in turn, noisy."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2))
    gram = np.exp(-np.sum((X[:, np.newaxis] - X) ** 2, axis=2))
    signs = np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0)
    yield gram, signs
    yield gram, signs * np.where(rng.random(80) < 0.2, -1.0, 1.0)
    turns = np.eye(6)[np.arange(80) % 6]
    yield turns @ turns.T, np.ones(80)
    wide = rng.normal(size=(80, 3))
    wide /= np.linalg.norm(wide, axis=1, keepdims=True)
    yield wide @ wide.T, np.where(wide[:, 0] > 0.0, 1.0, -1.0)


def kernel_comparators(gram, signs):
    """Yield kernel ridge functions: their norm and their hinge loss on each row."""
    for ridge in (0.01, 0.1, 1.0, 10.0):
        dual = np.linalg.solve(gram + ridge * np.eye(len(signs)), signs)
        for scale in (0.5, 1.0, 2.0):
            norm = scale * math.sqrt(max(0.0, dual @ gram @ dual))
            yield norm, np.maximum(0.0, 1.0 - signs * (scale * gram @ dual))


@pytest.mark.parametrize("budget", [4, 25, 60])
def test_decay_and_drop_obeys_its_three_bounds(budget):
    decay, finite = math.log(budget) / budget, 0
    for seed in range(4):
        for gram, signs in kernel_worlds(seed):
            updated, coef, removed = budget_perceptron.decay_and_drop(gram, signs, budget, decay)
            length = math.sqrt(coef @ gram @ coef)
            for norm, losses in kernel_comparators(gram, signs):
                loss = losses[updated].sum()
                realised = theory.budget_realised(
                    hinge_loss=loss, norm=norm, weight_norm=length, sum_removed_norms=removed.sum()
                )
                inputs = {"radius": 1.0, "norm": norm, "hinge_loss": loss, "budget": budget}
                guarantees = [realised, theory.budget_decay(**inputs)]
                if budget >= 23 and norm <= 0.5 / math.sqrt(decay):
                    guarantees.append(theory.budget_decay_corollary(**inputs))
                    assert guarantees[1].bound <= guarantees[2].bound * (1 + 1e-9)
                assert all(within(len(updated), guarantee) for guarantee in guarantees)
                finite += math.isfinite(guarantees[1].bound)
    assert finite > 10


def test_a_smaller_budget_than_claimed_breaks_the_decay_bound():
    turns = np.eye(5)[np.arange(200) % 5]
    updated, _, _ = budget_perceptron.decay_and_drop(turns @ turns.T, np.ones(200), 2, 0.1)
    inputs = {"radius": 1.0, "norm": math.sqrt(5), "hinge_loss": 0.0}
    assert len(updated) == 200
    assert theory.budget_decay(**inputs, budget=2).vacuous
    assert not within(200, theory.budget_decay(**inputs, budget=100))
    assert not within(200, theory.budget_decay_corollary(**inputs, budget=100))


@pytest.mark.parametrize(("budget", "radius"), [(25, 1.393), (100, 2.330), (1000, 6.016)])
def test_the_corollary_reaches_comparators_of_the_tabulated_length(budget, radius):
    inputs = {"radius": 1.0, "hinge_loss": 0.0, "budget": budget}
    assert theory.budget_decay_corollary(**inputs, norm=radius - 5e-4).bound > 0.0
    with pytest.raises(ValueError, match="norm"):
        theory.budget_decay_corollary(**inputs, norm=radius + 1e-3)


@pytest.mark.parametrize(
    ("budget", "capacity"), [(20, 2.83), (50, 4.34), (100, 5.94), (200, 8.10), (1000, 16.6)]
)
def test_the_capacity_of_a_budget_is_as_tabulated(budget, capacity):
    inputs = {"radius": 1.0, "hinge_loss": 0.0, "budget": budget}
    assert math.isfinite(theory.budget_decay(**inputs, norm=0.995 * capacity).bound)
    assert theory.budget_decay(**inputs, norm=1.005 * capacity).bound == math.inf


def test_the_decay_bound_at_the_radius_of_the_forgetron():
    norm = math.sqrt(101 / math.log(101)) / 4
    inputs = {"radius": 1.0, "norm": norm, "budget": 100}
    assert theory.budget_decay(**inputs, hinge_loss=0.0).bound / norm**2 == pytest.approx(
        1.09, abs=5e-3
    )
    assert theory.budget_decay(**inputs, hinge_loss=1e9).bound / 1e9 == pytest.approx(
        1.25, abs=6e-3
    )


def decay_ratio(s, rho, loss, budget):
    """Return the bound of the theory page at one scale s of the comparator, as it is written."""
    fade = math.log(budget) / budget
    keep, dropped = 1 - fade, (1 - fade) ** budget
    denominator = 2 * s - (1 + dropped) ** 2 - 2 * dropped * s * rho
    denominator -= (s * fade * rho + dropped * keep) ** 2 / (fade * (2 - fade))
    return (s * s * rho * rho + 2 * s * loss) / denominator if denominator > 0 else math.inf


@pytest.mark.parametrize(("rho", "loss"), [(1.0, 0.0), (2.0, 5.0), (3.0, 1000.0), (0.1, 3.0)])
def test_the_decay_bound_is_the_least_over_all_scales(rho, loss):
    grid = [decay_ratio(s, rho, loss, 100) for s in np.geomspace(0.3, 1e4, 20_000)]
    bound = theory.budget_decay(radius=1.0, norm=rho, hinge_loss=loss, budget=100).bound
    assert min(grid) * (1 - 1e-4) <= bound <= min(grid) * (1 + 1e-9)


def test_the_corollary_refuses_what_it_does_not_cover():
    inputs = {"radius": 1.0, "hinge_loss": 0.0}
    largest = theory.budget_decay_corollary(**inputs, norm=2.329, budget=100)
    assert largest.bound == pytest.approx(2 * 2.329**2)
    with pytest.raises(ValueError, match="norm"):
        theory.budget_decay_corollary(**inputs, norm=2.331, budget=100)
    with pytest.raises(ValueError, match="budget"):
        theory.budget_decay_corollary(**inputs, norm=0.1, budget=22)


def test_a_tiny_comparator_costs_its_loss():
    for name in ("budget_decay", "budget_random_removal"):
        bound = getattr(theory, name)(radius=1.0, norm=0.0, hinge_loss=7.0, budget=30).bound
        assert bound == pytest.approx(7.0, rel=1e-6)
        huge = getattr(theory, name)(radius=1e200, norm=1e200, hinge_loss=7.0, budget=30)
        assert huge.bound == math.inf
    assert theory.budget_decay(radius=1.0, norm=1.0, hinge_loss=1e300, budget=30).bound < 1e301


@pytest.mark.parametrize("budget", [8, 30])
def test_random_removal_errs_no_more_on_average_than_allowed(budget, repetitions):
    rng, checked = np.random.default_rng(7), 0
    for gram, signs in kernel_worlds(7):
        runs = [
            budget_perceptron.random_removal(gram, signs, budget, rng)
            for _ in range(repetitions // 8)
        ]
        least = np.mean(runs) - 4 * np.std(runs) / math.sqrt(len(runs))
        for norm, losses in kernel_comparators(gram, signs):
            guarantee = theory.budget_random_removal(
                radius=1.0, norm=norm, hinge_loss=losses.sum(), budget=budget
            )
            checked += math.isfinite(guarantee.bound)
            assert within(least, guarantee)
            assert guarantee.confidence is None
    assert checked > 10


def test_a_smaller_budget_than_claimed_breaks_the_expected_bound():
    turns = np.eye(5)[np.arange(200) % 5]
    rng = np.random.default_rng(8)
    runs = [
        budget_perceptron.random_removal(turns @ turns.T, np.ones(200), 1, rng) for _ in range(5)
    ]
    inputs = {"radius": 1.0, "norm": math.sqrt(5), "hinge_loss": 0.0}
    assert min(runs) == 200
    assert not within(np.mean(runs), theory.budget_random_removal(**inputs, budget=100))
    assert theory.budget_random_removal(**inputs, budget=5).vacuous


@pytest.mark.parametrize(("n_points", "expected"), [(6, 6), (7, 300)])
def test_a_budget_of_six_learns_six_orthogonal_rows_and_never_seven(n_points, expected):
    turns = np.eye(n_points)[np.arange(300) % n_points]
    gram, decay = turns @ turns.T, math.log(6) / 6
    updated, _, _ = budget_perceptron.decay_and_drop(gram, np.ones(300), 6, decay)
    inputs = {"radius": 1.0, "norm": math.sqrt(n_points), "hinge_loss": 0.0, "budget": 6}
    assert len(updated) == expected
    assert theory.budget_random_removal(**inputs).vacuous
    assert theory.budget_decay(**inputs).vacuous


def test_the_printed_form_of_random_removal_is_never_below_ours():
    for rho, loss in ((1.0, 0.0), (3.0, 10.0), (5.0, 1000.0), (9.9, 1.0)):
        ours = theory.budget_random_removal(radius=rho, norm=1.0, hinge_loss=loss, budget=100).bound
        printed = 2 * (rho**2 + loss) / (1 - rho**2 / 100)
        assert ours <= printed * (1 + 1e-9)
        if loss == 0.0:
            assert ours == pytest.approx(printed)


def test_a_soft_margin_compares_well_with_the_breast_cancer_table():
    table = load("breast_cancer")
    X = StandardScaler().fit_transform(table.X)
    signs = np.where(table.y == table.y[0], 1.0, -1.0)
    updated = perceptron.learn(X, signs, fit_intercept=False)[3]
    assert len(updated) == 33
    u = LinearSVC(C=0.00096, loss="hinge", fit_intercept=False, max_iter=10**6).fit(X, signs).coef_
    radius, loss = np.linalg.norm(X, axis=1).max(), hinge(u[0], X, signs).sum()
    root, expanded, _ = l1_forms(radius, np.linalg.norm(u), loss)
    # The catalogue's best along the path of its machine; ours is finer.
    assert 33 < root.bound < 269.9
    assert root.bound < expanded.bound < 302.1
