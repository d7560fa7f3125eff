"""Compression bounds: known values, exact laws, learners that qualify and learners that do not."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special

from reference import condensed_nearest_neighbor, perceptron
from surelearn.bounds import compression
from surelearn.evaluate.coverage import Coverage


def bound_of(k, n, delta):
    return compression.campi_garatti(n_compressed=k, n=n, delta=delta).bound


def log_sum(risk, k, n):
    """Return ln g(risk) summed term by term, as the theorem is stated."""
    m = np.arange(k, n, dtype=float)
    ratio = special.gammaln(m + 1) - special.gammaln(m - k + 1)
    ratio += special.gammaln(n - k + 1) - special.gammaln(n + 1)
    return special.logsumexp(ratio - (n - m) * np.log1p(-risk)) - math.log(n)


@pytest.mark.parametrize(
    ("k", "expected", "digits"),
    [
        (0, 0.0045009, 7),
        (1, 0.0068, 4),
        (5, 0.01401618, 8),
        (20, 0.0355, 4),
        (50, 0.07323196, 8),
        (100, 0.1316, 4),
        (200, 0.2420, 4),
        (400, 0.4517, 4),
        (1000, 1.0, 12),
    ],
)
def test_campi_garatti_gives_the_tabulated_values(k, expected, digits):
    assert round(bound_of(k, 1000, 0.05), digits) == expected


def test_the_other_tabulated_values():
    assert bound_of(3, 50, 0.1) == pytest.approx(0.17789485, abs=1e-8)
    single = compression.campi_garatti_single(n_compressed=5, n=1000, block=500, delta=0.05)
    assert single.bound == pytest.approx(0.012943, abs=1e-6)
    rebuilt = compression.littlestone_warmuth(n_compressed=5, errors=3, n=1000, delta=0.05)
    assert rebuilt.bound == pytest.approx(0.0487256, abs=1e-7)
    printed = compression.hanneke_kontorovich(n_compressed=5, n=1000, delta=0.05)
    assert printed.bound == pytest.approx(2 / 990 * (5 * math.log(4) + math.log(20)), rel=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 300, 100_000])
@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
def test_the_binomial_form_is_the_sum_of_the_theorem_and_its_root_is_rounded_up(n, delta):
    for k in {0, 1, n // 10, n // 2, n - 1}:
        if k < n:
            root = bound_of(k, n, delta)
            below = root * (1.0 - 1e-7)
            if root < 1.0:
                assert log_sum(root, k, n) >= -math.log(delta)
            assert log_sum(below, k, n) < -math.log(delta)


def test_it_is_as_quick_and_finite_for_ten_million_examples():
    assert bound_of(0, 10**7, 1e-17) < 5e-6
    assert 0.5 < bound_of(5 * 10**6, 10**7, 1e-17) < 0.502
    assert bound_of(10**7 - 1, 10**7, 0.05) <= 1.0


def test_more_needed_examples_never_give_a_smaller_bound():
    bounds = [bound_of(k, 60, 0.05) for k in range(61)]
    assert bounds == sorted(bounds)
    assert bounds[-1] == 1.0
    for k in range(60):
        assert bounds[k] > k / 60


def test_a_compressed_set_larger_than_the_sample_is_refused():
    with pytest.raises(ValueError, match="n_compressed=11"):
        bound_of(11, 10, 0.05)
    with pytest.raises(ValueError, match="n_compressed=5"):
        compression.hanneke_kontorovich(n_compressed=5, n=10, delta=0.05)
    with pytest.raises(ValueError, match="errors=6"):
        compression.littlestone_warmuth(n_compressed=5, errors=6, n=10, delta=0.05)
    with pytest.raises(ValueError, match="block=10"):
        compression.campi_garatti_single(n_compressed=5, n=10, block=10, delta=0.05)
    with pytest.raises(ValueError, match="n_support=11"):
        compression.leave_one_out_support_vectors(n_support=11, n=10)


def test_a_set_as_large_as_the_sample_or_larger_than_the_block_claims_nothing():
    inputs = {"n": 10, "delta": 0.05}
    assert compression.littlestone_warmuth(n_compressed=10, errors=0, **inputs).bound == 1.0
    assert compression.campi_garatti_single(n_compressed=6, block=5, **inputs).bound == 1.0


def test_thousands_of_needed_examples_are_inverted_in_logarithms():
    bound = compression.littlestone_warmuth(n_compressed=500, errors=25, n=5000, delta=0.05).bound
    assert bound == pytest.approx(0.3247, abs=1e-3)


def test_a_message_and_an_order_cost_what_they_say():
    inputs = {"n_compressed": 5, "errors": 3, "n": 1000, "delta": 0.05}
    plain = compression.littlestone_warmuth(**inputs).bound
    ordered = compression.littlestone_warmuth_ordered(**inputs).bound
    bits = math.log2(math.factorial(5))
    assert compression.littlestone_warmuth(**inputs, bits=bits).bound == pytest.approx(ordered)
    assert plain < ordered


def test_the_data_dependent_size_beats_the_size_fixed_beforehand():
    for k in (1, 5, 50, 200):
        fixed = compression.hanneke_kontorovich(n_compressed=k, n=1000, delta=0.05).bound
        assert bound_of(k, 1000, 0.05) < fixed


# Fully supported problems: k examples are always needed and the risk is Beta(k, n - k + 1), as for
# the smallest interval around the sample (k = 2). Everything about them is known exactly.


@pytest.mark.parametrize(("k", "n"), [(1, 10), (2, 30), (10, 40), (29, 30)])
def test_in_a_fully_supported_problem_the_mean_of_the_test_is_one_minus_k_over_n(k, n):
    def integrand(risk):
        log_density = special.xlogy(k - 1, risk) + special.xlog1py(n - k, -risk)
        return math.exp(
            compression._log_stable_test(risk, k, n) + log_density - special.betaln(k, n - k + 1)
        )

    mean, _ = integrate.quad(integrand, 1e-9, 1.0 - 1e-9, limit=200)
    assert mean == pytest.approx(1.0 - k / n, abs=1e-4)


@pytest.mark.parametrize("delta", [0.3, 0.05, 0.001])
def test_in_a_fully_supported_problem_the_exact_miss_probability_is_below_delta(delta):
    for n in (5, 40, 1000):
        for k in (1, 2, n // 5, n // 2 - 1):
            miss = {"stable": special.betaincc(k, n - k + 1, bound_of(k, n, delta))}
            for name, theorem, extra in (
                ("single", compression.campi_garatti_single, {"block": n // 2}),
                ("fixed", compression.hanneke_kontorovich, {}),
            ):
                bound = min(1.0, theorem(n_compressed=k, n=n, delta=delta, **extra).bound)
                miss[name] = special.betaincc(k, n - k + 1, bound)
            assert max(miss.values()) <= delta


def noisy_halfplane(rng, n, noise):
    X = rng.normal(size=(n, 2))
    signs = np.where(X[:, 0] > 0, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
    return X, signs


def halfplane_risk(w, noise):
    """Return the risk of the direction w: the angle to the truth (1, 0) is all that matters."""
    if not w.any():
        return 1.0
    wrong = math.acos(min(1.0, max(-1.0, w[0] / np.hypot(*w)))) / math.pi
    return noise + (1.0 - 2.0 * noise) * wrong


@pytest.mark.parametrize(("noise", "max_passes"), [(0.0, 50), (0.1, 1)])
def test_the_perceptron_misses_at_most_delta_with_or_without_convergence(
    noise, max_passes, repetitions
):
    rng = np.random.default_rng(0)
    risks, bounds = [], []
    for _ in range(repetitions):
        X, signs = noisy_halfplane(rng, 40, noise)
        _, w, b, updated = perceptron.learn(X, signs, fit_intercept=False, max_passes=max_passes)
        k = len(perceptron.compressed_set(X, signs, w, b, updated))
        risks.append(halfplane_risk(w, noise))
        bounds.append(bound_of(k, 40, 0.2))
    assert not Coverage(np.array(risks), np.array(bounds), 0.2).refuted()


def test_dropping_idle_examples_leaves_the_perceptron_as_it_is():
    rng = np.random.default_rng(1)
    for _ in range(30):
        X, signs = noisy_halfplane(rng, 12, 0.2)
        _, w, b, updated = perceptron.learn(X, signs, max_passes=2)
        needed = perceptron.compressed_set(X, signs, w, b, updated)
        kept = np.array([i in needed or rng.random() < 0.5 for i in range(12)])
        _, again, intercept, _ = perceptron.learn(X[kept], signs[kept], max_passes=2)
        assert np.array_equal(w, again)
        assert b == intercept


def averaged(X, signs):
    """Return the average of the weights after each visit of one pass."""
    return np.mean(
        [
            perceptron.learn(X[: t + 1], signs[: t + 1], fit_intercept=False)[1]
            for t in range(len(X))
        ],
        axis=0,
    )


def test_dropping_idle_examples_changes_the_averaged_perceptron():
    X, signs = np.array([[1.0, 0.0], [2.0, 0.0], [-1.0, 3.0]]), np.array([1.0, 1.0, 1.0])
    idle = [True, False, True]  # the second row is classified rightly and causes no update
    whole, without = averaged(X, signs), averaged(X[idle], signs[idle])
    assert whole[0] * without[1] != whole[1] * without[0]


def rare_outliers(rng, n):
    """Draw x = 1 nearly always and x = -100 rarely, all of the positive class."""
    X = np.where(rng.random((n, 1)) < 0.02, -100.0, 1.0)
    return X, np.ones(n)


def risk_among_outliers(w):
    return 0.98 * (w[0] <= 0.0) + 0.02 * (w[0] >= 0.0)


def test_leaving_the_final_errors_out_of_the_compressed_set_is_refuted():
    rng = np.random.default_rng(2)
    risks, honest, tempting = [], [], []
    for _ in range(400):
        X, signs = rare_outliers(rng, 60)
        _, w, b, updated = perceptron.learn(X, signs, fit_intercept=False)
        risks.append(risk_among_outliers(w))
        tempting.append(bound_of(len(set(updated)), 60, 0.01))
        honest.append(bound_of(len(perceptron.compressed_set(X, signs, w, b, updated)), 60, 0.01))
    assert Coverage(np.array(risks), np.array(tempting), 0.01).refuted()
    assert not Coverage(np.array(risks), np.array(honest), 0.01).refuted()


def condensed_world(rng, n, noise):
    X = rng.integers(0, 32, size=(n, 1)).astype(float)
    return X, (X[:, 0] >= 16) ^ (rng.random(n) < noise)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_the_condensed_nearest_neighbour_misses_at_most_delta(noise, repetitions):
    rng = np.random.default_rng(3)
    every = np.arange(32.0)[:, None]
    risks, bounds = [], []
    for _ in range(repetitions):
        X, y = condensed_world(rng, 25, noise)
        store = condensed_nearest_neighbor.learn(X, y, max_passes=3)
        k = len(condensed_nearest_neighbor.compressed_set(X, y, store))
        wrong = condensed_nearest_neighbor.predict(X[store], y[store], every) != (every[:, 0] >= 16)
        risks.append(noise + (1.0 - 2.0 * noise) * wrong.mean())
        bounds.append(bound_of(k, 25, 0.2))
    assert not Coverage(np.array(risks), np.array(bounds), 0.2).refuted()


def test_the_mean_of_the_test_is_at_most_one_over_all_samples_of_a_small_world():
    every, truth, n = np.arange(4.0)[:, None], np.array([0, 1, 1, 0]), 4
    total = 0.0
    for drawn in itertools.product(range(4), repeat=n):
        X, y = every[list(drawn)], truth[list(drawn)]
        store = condensed_nearest_neighbor.learn(X, y)
        k = len(condensed_nearest_neighbor.compressed_set(X, y, store))
        risk = np.mean(condensed_nearest_neighbor.predict(X[store], y[store], every) != truth)
        total += math.exp(log_sum(risk, k, n)) if k < n else 0.0
    assert 0.3 < total / 4**n <= 1.0


def test_the_version_about_one_more_example_is_false():
    def compress(examples):
        return examples if len(examples) > 50 else ()

    sample = tuple(range(50))
    for size in range(51):  # the preference property: dropping what is not kept changes nothing
        assert compress(sample[:size]) == compress(sample) == ()
    assert compress((*sample, 50)) != compress(sample)  # and yet one more example always does
    assert bound_of(0, 50, 0.05) < 0.1


def test_a_memoriser_that_claims_to_need_one_example_breaks_every_bound():
    risk, inputs = (
        0.5,
        {"n_compressed": 1, "n": 100, "delta": 0.05},
    )  # random labels, learnt by heart
    assert not compression.campi_garatti(**inputs).allows(risk)
    assert not compression.campi_garatti_single(**inputs, block=50).allows(risk)
    assert not compression.hanneke_kontorovich(**inputs).allows(risk)
    assert not compression.littlestone_warmuth(**inputs, errors=0).allows(risk)
    assert not compression.littlestone_warmuth_ordered(**inputs, errors=0).allows(risk)


def test_a_threshold_rebuilt_from_one_example_misses_at_most_delta(repetitions):
    rng = np.random.default_rng(4)
    risks, bounds = np.empty(repetitions), np.empty(repetitions)
    for r in range(repetitions):
        x = rng.random(30)
        y = (x >= 0.5) ^ (rng.random(30) < 0.1)
        wrong = (x[None, :] >= x[:, None]) != y[None, :]
        np.fill_diagonal(wrong, val=False)  # only the errors on the other examples count
        best = int(np.argmin(wrong.sum(axis=1)))
        risks[r] = 0.1 + 0.8 * abs(x[best] - 0.5)
        bounds[r] = compression.littlestone_warmuth(
            n_compressed=1, errors=int(wrong[best].sum()), n=30, delta=0.3
        ).bound
    assert not Coverage(risks, bounds, 0.3).refuted()


def test_an_oriented_interval_rebuilt_from_two_examples_misses_at_most_delta(repetitions):
    rng = np.random.default_rng(5)
    points = (np.arange(200) + 0.5) / 200
    clean = np.abs(points - 0.5) < 0.2
    risks, bounds = np.empty(repetitions), np.empty(repetitions)
    for r in range(repetitions):
        drawn = rng.integers(0, 200, 12)
        x, y = points[drawn], clean[drawn] ^ (rng.random(12) < 0.1)
        low, high = x[:, None, None], x[None, :, None]
        inside = np.where(low <= high, (low <= x) & (x <= high), (x < high) | (x > low))
        others = 1 - np.eye(12)[:, None, :] - np.eye(12)[None, :, :]
        errors = ((inside != y) & (others > 0)).sum(axis=2) + 99 * np.eye(12, dtype=int)
        i, j = np.unravel_index(np.argmin(errors), errors.shape)
        a, b = x[i], x[j]
        predicted = (a <= points) & (points <= b) if a <= b else (points < b) | (points > a)
        risks[r] = 0.1 + 0.8 * np.mean(predicted != clean)
        bounds[r] = compression.littlestone_warmuth_ordered(
            n_compressed=2, errors=int(errors[i, j]), n=12, delta=0.5
        ).bound
    assert not Coverage(risks, bounds, 0.5).refuted()


def hard_margin(points, signs):
    """Return the threshold half-way between the classes of points on a line, and the signs seen."""
    above, below = points[signs > 0], points[signs < 0]
    if len(above) == 0 or len(below) == 0:
        return None if len(points) == 0 else float(signs[0])
    return (float(above.min() + below.max()) / 2.0,)


def predict_hard_margin(model, x):
    return np.sign(x - model[0]) if isinstance(model, tuple) else model


def test_the_expected_risk_of_a_hard_margin_is_below_the_expected_support_over_n():
    world, loo, risk, support = np.array([-2.0, -1.0, 1.0, 2.0]), [], [], []
    for drawn in itertools.product(world, repeat=3):
        x = np.array(drawn)
        y, whole = np.sign(x), hard_margin(x, np.sign(x))
        without = [hard_margin(np.delete(x, i), np.delete(y, i)) for i in range(3)]
        loo.append(np.mean([predict_hard_margin(h, x[i]) != y[i] for i, h in enumerate(without)]))
        support.append(sum(h != whole for h in without))
        risk.append(np.mean([predict_hard_margin(without[2], z) != np.sign(z) for z in world]))
    assert np.mean(loo) == pytest.approx(0.25)
    assert np.mean(risk) == 0.25
    guarantee = compression.leave_one_out_support_vectors(n_support=np.mean(support), n=3)
    assert guarantee.bound == pytest.approx(0.375)
    assert guarantee.confidence is None
    assert guarantee.allows(np.mean(risk))


def test_a_constant_rule_needs_no_support_but_is_wrong_on_its_own_sample():
    assert not compression.leave_one_out_support_vectors(n_support=0, n=10).allows(0.5)


def test_the_radius_of_the_perceptron_is_measured_from_the_origin():
    far = {1.0: np.array([100.0, 1.0]), -1.0: np.array([100.0, -1.0])}
    risks, printed, corrected = [], [], []
    for first, second in itertools.product((1.0, -1.0), repeat=2):
        X, signs = np.array([far[first], far[second]]), np.array([first, second])
        w = perceptron.learn(X[:1], signs[:1], fit_intercept=False, max_passes=2)[1]
        risks.append(np.mean([sign * (row @ w) <= 0 for sign, row in far.items()]))
        same = first == second
        margin = math.sqrt(10001.0) if same else 1.0
        inputs = {"n_mistakes": 10**9, "margin": margin, "n": 2}
        corrected.append(
            compression.perceptron_leave_one_out(radius=math.sqrt(10001.0), **inputs).bound
        )
        enclosing = 1e-9 if same else 1.0  # the smallest ball anywhere, as the source prints it
        printed.append(compression.perceptron_leave_one_out(radius=enclosing, **inputs).bound)
    assert np.mean(risks) == 0.5
    assert np.mean(corrected) == pytest.approx(2500.5)
    assert np.mean(printed) == pytest.approx(0.25)


def test_the_mean_risk_of_the_converged_perceptron_is_below_its_mean_mistakes_over_n():
    rng = np.random.default_rng(6)
    gaps = []
    for _ in range(300):
        X, signs = noisy_halfplane(rng, 20, 0.0)
        *_, updated = perceptron.learn(X, signs, fit_intercept=False, max_passes=500)
        w = perceptron.learn(X[:-1], signs[:-1], fit_intercept=False, max_passes=500)[1]
        guarantee = compression.perceptron_leave_one_out(
            n_mistakes=len(updated),
            radius=np.linalg.norm(X, axis=1).max(),
            margin=(signs * X[:, 0]).min(),
            n=20,
        )
        gaps.append(halfplane_risk(w, 0.0) - guarantee.bound)
    assert np.mean(gaps) - 4.0 * np.std(gaps) / math.sqrt(len(gaps)) <= 0.0


def test_a_perceptron_on_coin_flips_has_no_margin_and_breaks_the_bound():
    claimed = compression.perceptron_leave_one_out(n_mistakes=60, radius=1.0, margin=1.0, n=100)
    assert not claimed.allows(0.5)
