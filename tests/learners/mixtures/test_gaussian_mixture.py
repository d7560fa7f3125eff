"""Mixtures of Gaussians: fixtures, the plain version, scikit-learn, holes, floors, bad input."""

import pathlib
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Peer

from reference import gaussian_mixture as plain
from surelearn.bounds import holdout
from surelearn.learners.mixtures import _gaussians, _loops, _mixture
from surelearn.learners.mixtures._covariances import SHAPES, lift
from surelearn.learners.mixtures.gaussian_mixture import GaussianMixture

APART = np.array([-2.1, -1.9, -2.0, -1.7, 1.8, 2.2, 2.0, 2.4])[:, np.newaxis]
OVERLAPPING = np.array([-2.0, -1.0, -0.5, 0.0, 0.3, 0.7, 1.2, 2.5])[:, np.newaxis]
ONES = {"full": np.ones((2, 1, 1)), "tied": np.ones((1, 1)), "diag": np.ones((2, 1))}
ONES["spherical"] = np.ones(2)
TYPES = list(SHAPES)


def start(covariance_type="full"):
    return [0.5, 0.5], [[-1.0], [1.0]], ONES[covariance_type]


def clouds(n=400, d=3, *, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))
    X[: n // 3] = rng.normal(size=(n // 3, d)) + 2.0
    X[n // 2 :] *= rng.uniform(0.5, 2.0, d)
    return X


def with_holes(X, rate=0.2, *, seed=0):
    rng = np.random.default_rng(seed)
    holes = rng.random(X.shape) < rate
    holes[holes.all(axis=1), 0] = False
    return np.where(holes, np.nan, X)


def fit(X, **settings):
    """Fit, whether or not it converges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return GaussianMixture(**settings).fit(X)


@pytest.mark.parametrize("covariance_type", ["full", "diag", "spherical"])
def test_the_step_of_the_catalogue(covariance_type):
    model = fit(
        APART,
        n_components=2,
        covariance_type=covariance_type,
        start=start(covariance_type),
        max_iter=1,
    )
    np.testing.assert_allclose(model.log_likelihoods_, [-17.0181931678, -8.8571605794], atol=1e-9)
    np.testing.assert_allclose(model.weights_, [0.49724215, 0.50275785], atol=1e-8)
    np.testing.assert_allclose(model.means_.ravel(), [-1.86187092, 2.01548463], atol=1e-8)
    np.testing.assert_allclose(model.covariances_.ravel(), [0.27015061, 0.38469078], atol=1e-8)


def test_the_limits_of_the_catalogue():
    model = GaussianMixture(n_components=2, start=start(), tol=0.0).fit(APART)
    np.testing.assert_allclose(model.means_.ravel(), [-1.925, 2.1])
    np.testing.assert_allclose(model.covariances_.ravel(), [0.021875, 0.05])
    np.testing.assert_allclose(model.log_likelihoods_[-1], -3.2603994695, atol=1e-10)
    model = fit(OVERLAPPING, n_components=2, start=start(), tol=0.0, max_iter=200)
    np.testing.assert_allclose(model.weights_[0], 0.59990858, atol=1e-8)
    np.testing.assert_allclose(model.means_.ravel(), [-0.466656, 1.07463174], atol=1e-6)
    np.testing.assert_allclose(model.covariances_.ravel(), [1.02518777, 1.20547786], atol=1e-8)


def test_without_a_floor_the_likelihood_has_no_bound_and_with_one_it_has():
    expected = {1e-1: -15.34, 1e-4: -8.45, 1e-8: 0.76}
    model = fit(OVERLAPPING, n_components=2, covariance_type="spherical", start=start("spherical"))
    model.weights_, model.means_ = np.array([0.5, 0.5]), np.array([[0.0], OVERLAPPING[0]])
    for sigma, log_likelihood in expected.items():
        model.covariances_ = np.array([1.0, sigma**2])
        assert model.score_samples(OVERLAPPING).sum() == pytest.approx(log_likelihood, abs=0.005)
    trap = ([0.5, 0.5], [[0.0], OVERLAPPING[0]], [1.0, 1e-4])
    ends = [
        fit(
            OVERLAPPING,
            n_components=2,
            covariance_type="spherical",
            covariance_floor=floor,
            start=trap,
        )
        for floor in (1e-4, 1e-8, 1e-12)
    ]
    assert [model.covariances_[1] for model in ends] == [1e-4, 1e-8, 1e-12]
    gains = np.diff([model.log_likelihoods_[-1] for model in ends])
    np.testing.assert_allclose(gains, np.log(1e2), rtol=5e-3)
    with pytest.raises(ValueError, match="Raise covariance_floor"):
        GaussianMixture(
            n_components=2,
            covariance_type="diag",
            covariance_floor=0.0,
            start=(*trap[:2], ONES["diag"] * 1e-9),
        ).fit(OVERLAPPING)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_a_start_narrower_than_the_floor_is_raised_to_it(covariance_type):
    rows, middle = np.array([[1.0, 2.0]] * 3), [[1.0, 2.0]]
    narrow = {"full": np.eye(2)[None], "tied": np.eye(2), "diag": [[1, 1]], "spherical": [1]}
    given = ([1.0], middle, 1e-6 * np.asarray(narrow[covariance_type], dtype=float))
    model = GaussianMixture(covariance_type=covariance_type, covariance_floor=1.0, start=given)
    path = model.fit(rows).log_likelihoods_
    np.testing.assert_allclose(path, -3.0 * np.log(2.0 * np.pi))


def test_rounding_of_means_far_from_zero_is_no_fall_of_the_likelihood():
    rng = np.random.default_rng(9)
    rows = rng.normal(size=(60, 2)).round() + 1e12
    rows[rng.random(rows.shape) < 0.4] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    model = fit(rows, n_components=2, tol=0.0, max_iter=60)
    assert np.isfinite(model.log_likelihoods_).all()


@pytest.mark.parametrize("holes", [0.0, 0.25])
def test_steps_equal_the_plain_version(holes):
    X = with_holes(clouds(60), holes)
    counts = np.random.default_rng(1).integers(1, 4, 60).astype(float)
    weights, means = np.array([0.3, 0.7]), np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 0.0]])
    covariances = np.stack([np.eye(3), np.eye(3) + 0.5])
    given, path = (weights, means, covariances), []
    for _ in range(4):
        weights, means, covariances, log_likelihood = plain.iterate(
            X, weights, means, covariances, counts=counts
        )
        path.append(log_likelihood)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GaussianMixture(n_components=2, start=given, max_iter=4, tol=0.0)
        model.fit(X, sample_weight=counts)
    np.testing.assert_allclose(model.log_likelihoods_[:4], path, rtol=1e-12)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-10)
    np.testing.assert_allclose(model.means_, means, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.covariances_, covariances, rtol=1e-9, atol=1e-12)
    shares, evidence = plain.responsibilities(X, weights, means, covariances)
    np.testing.assert_allclose(model.predict_proba(X), shares, atol=1e-10)
    np.testing.assert_allclose(model.score_samples(X), evidence, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("d", [1, 4, 60])
@pytest.mark.parametrize("covariance_type", TYPES)
def test_it_finds_what_scikit_learn_finds_from_the_same_seed(covariance_type, d):
    X = clouds(300, d) if d < 60 else np.random.default_rng(0).normal(size=(400, d)) * 2.0
    settings = {"covariance_type": covariance_type, "random_state": 1, "max_iter": 10, "tol": 0.0}
    ours = fit(X, n_components=3, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer = Peer(3, reg_covar=0.0, **settings).fit(X)
    np.testing.assert_allclose(ours.weights_, peer.weights_, atol=1e-8)
    np.testing.assert_allclose(ours.means_, peer.means_, atol=1e-7)
    np.testing.assert_allclose(ours.covariances_, peer.covariances_, atol=1e-7)
    for name in ("score_samples", "predict_proba", "bic", "aic"):
        mine, theirs = getattr(ours, name)(X), getattr(peer, name)(X)
        np.testing.assert_allclose(mine, theirs, rtol=1e-7, atol=1e-8)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))


@pytest.mark.parametrize("holes", [0.0, 0.3])
@pytest.mark.parametrize("covariance_type", TYPES)
@pytest.mark.parametrize("floor", [1e-6, 0.5])
def test_the_likelihood_never_falls_not_even_on_the_floor(covariance_type, holes, floor):
    for seed in range(2):
        X = with_holes(clouds(120, seed=seed), holes, seed=seed)
        model = fit(
            X,
            n_components=4,
            covariance_type=covariance_type,
            covariance_floor=floor,
            random_state=seed,
            tol=0.0,
            max_iter=40,
        )
        assert np.diff(model.log_likelihoods_).min() >= -1e-12 * abs(model.log_likelihoods_[0])
        total = model.score_samples(X).sum()
        np.testing.assert_allclose(total, model.log_likelihoods_[-1], rtol=1e-10)


def test_the_lifted_covariance_is_the_likeliest_above_the_floor():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    S = A @ np.diag([1.0, 0.1, 0.001]) @ A.T

    def likelihood(covariance):
        return -np.linalg.slogdet(covariance)[1] - np.trace(np.linalg.solve(covariance, S))

    best = lift(S, 0.2)
    assert np.linalg.eigvalsh(best).min() == pytest.approx(0.2)
    for _ in range(200):
        B = 0.1 * rng.normal(size=(3, 3))
        other = lift(best + B + B.T, 0.2)
        assert likelihood(other) <= likelihood(best) + 1e-12
    np.testing.assert_array_equal(lift(S, 1e-9), S)


def test_far_and_narrow_clusters_lose_no_digits():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(200, 2))
    X = 1e-3 * noise + np.repeat([[1e6, -1e6], [1e6 + 1.0, -1e6]], 100, axis=0)
    model = GaussianMixture(n_components=2, random_state=0, covariance_floor=1e-12).fit(X)
    order = np.argsort(model.means_[:, 0])
    for k, part in zip(order, (X[:100], X[100:]), strict=True):
        np.testing.assert_allclose(model.covariances_[k], np.cov(part.T, bias=True), rtol=1e-6)


def test_features_of_very_different_scales_are_no_harder():
    X, scales = clouds(), np.array([1e-2, 1.0, 1e6])
    given = [0.5, 0.5], np.array([[1.0] * 3, [-1.0] * 3]), np.stack([np.eye(3)] * 2)
    stretched = given[0], given[1] * scales, given[2] * np.outer(scales, scales)
    settings = {"n_components": 2, "covariance_floor": 1e-12, "tol": 0.0, "max_iter": 20}
    one, other = fit(X, start=given, **settings), fit(X * scales, start=stretched, **settings)
    np.testing.assert_allclose(other.means_, one.means_ * scales, rtol=1e-9)
    np.testing.assert_allclose(other.predict_proba(X * scales), one.predict_proba(X), atol=1e-9)


def test_threads_blocks_and_copies_do_not_matter(monkeypatch):
    X = clouds(500)
    whole = GaussianMixture(n_components=3, random_state=0).fit(X)
    for module in (_mixture, _gaussians):  # blocks of 64 rows, which threads take in turn
        monkeypatch.setattr(module, "CHUNK", 64)
    parts = GaussianMixture(n_components=3, random_state=0).fit(X)
    np.testing.assert_allclose(parts.means_, whole.means_, rtol=1e-8, atol=1e-10)
    again = GaussianMixture(n_components=3, random_state=0).fit(X)
    np.testing.assert_array_equal(again.means_, parts.means_)
    monkeypatch.setattr(_gaussians, "_NARROW", 0)
    products = GaussianMixture(n_components=3, random_state=0).fit(X)
    np.testing.assert_allclose(products.covariances_, whole.covariances_, rtol=1e-8, atol=1e-10)


def test_compiled_loops_equal_their_plain_selves():
    rng = np.random.default_rng(0)
    columns, means = rng.normal(size=(3, 70)), rng.normal(size=(2, 3))
    for width in (1, 3):
        bands = rng.normal(size=(2, 3, width))
        outs = [np.empty((2, 70)) for _ in range(2)]
        sums = [(np.zeros((2, 3)), np.zeros((2, 3, width))) for _ in range(2)]
        for run, out in zip(
            (_loops.log_densities, _loops.log_densities.py_func), outs, strict=True
        ):
            run(columns, means, bands, np.zeros(2), np.empty(16), out)
        for run, (first, second) in zip(
            (_loops.moments, _loops.moments.py_func), sums, strict=True
        ):
            run(columns, means, np.exp(outs[0]), np.empty(16), first, second)
        np.testing.assert_allclose(*outs, rtol=1e-12)
        np.testing.assert_allclose(sums[0][1], sums[1][1], rtol=1e-10, atol=1e-14)
        z = columns - means[0][:, np.newaxis]
        plain_sum = (np.exp(outs[0][0]) * z) @ z.T
        expected = np.diag(plain_sum)[:, np.newaxis] if width == 1 else np.tril(plain_sum)
        np.testing.assert_allclose(sums[0][1][0], expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("covariance_type", TYPES)
def test_partial_fit_adds_one_e_step_and_solves_once(covariance_type):
    X = with_holes(clouds(300), 0.1)
    first = GaussianMixture(n_components=2, covariance_type=covariance_type, random_state=0)
    first.partial_fit(X[:200])
    np.testing.assert_array_equal(first.means_, first.fit(X[:200]).means_)
    step = GaussianMixture(
        n_components=2,
        covariance_type=covariance_type,
        start=(first.weights_, first.means_, first.covariances_),
        max_iter=1,
        tol=np.inf,
    )
    model = first._model()
    record = first.record_ + sum_of(model, first, X[200:])
    expected = model.m_step(record)
    first.partial_fit(X[200:])
    np.testing.assert_allclose(first.means_, expected.means, rtol=1e-12)
    np.testing.assert_allclose(first.record_.totals.sum(), 300.0)
    # The first rows count with the shares they had: after one more step on all rows nothing much
    # changes.
    step.fit(X)
    assert np.abs(step.means_ - first.means_).max() < 0.2


def sum_of(model, fitted, X):
    chunks = model.chunks(X, np.ones(len(X)))
    sums = [model.e_step(fitted._parameters(), chunk).statistics for chunk in chunks]
    total = sums[0]
    for one in sums[1:]:
        total = total + one
    return total


def test_a_stream_of_blocks_finds_the_clusters():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    model = GaussianMixture(n_components=3, n_init=3, random_state=0)
    for _ in range(20):
        model.partial_fit(centres[rng.integers(0, 3, 100)] + rng.normal(size=(100, 2)))
    found = model.means_[np.lexsort(model.means_.T.round())]
    np.testing.assert_allclose(found, centres[np.lexsort(centres.T)], atol=0.25)


def test_weights_mean_repetition():
    X = clouds(150)
    counts = np.random.default_rng(0).integers(0, 4, 150)
    given = [0.5, 0.5], np.array([[1.0] * 3, [-1.0] * 3]), np.stack([np.eye(3)] * 2)
    weighted = GaussianMixture(n_components=2, start=given).fit(X, sample_weight=counts)
    repeated = GaussianMixture(n_components=2, start=given).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.means_, repeated.means_, rtol=1e-9)
    np.testing.assert_allclose(weighted.log_likelihoods_, repeated.log_likelihoods_, rtol=1e-10)


def test_missing_values_are_worth_more_than_leaving_rows_out():
    rng = np.random.default_rng(0)
    factor = np.linalg.cholesky([[1.0, 0.9], [0.9, 1.0]])
    whole, holes = [], []
    for _ in range(30):
        X = rng.normal(size=(60, 2)) @ factor.T
        X[np.ix_(rng.random(60) < 0.6, [1])] = np.nan
        model = GaussianMixture(tol=1e-10, max_iter=2000).fit(X)
        holes.append(model.means_[0, 1])
        whole.append(np.nanmean(X[:, 1]))
    assert np.mean(np.square(holes)) < 0.7 * np.mean(np.square(whole))


def test_a_missing_value_leaves_the_density_of_the_others():
    model = GaussianMixture(n_components=2, random_state=0).fit(clouds(200, 2))
    row = np.array([[0.5, np.nan]])
    expected = sum(
        w * stats.norm(m[0], np.sqrt(c[0, 0])).pdf(0.5)
        for w, m, c in zip(model.weights_, model.means_, model.covariances_, strict=True)
    )
    assert model.score_samples(row)[0] == pytest.approx(np.log(expected))


@pytest.mark.parametrize("covariance_type", TYPES)
def test_samples_have_the_moments_of_the_mixture(covariance_type):
    model = fit(clouds(), n_components=2, covariance_type=covariance_type, random_state=0)
    X, labels = model.sample(40_000)
    assert X.shape == (40_000, 3)
    for k in range(2):
        part = X[labels == k]
        spread = 4.0 * part.std(axis=0) / np.sqrt(len(part))
        assert (np.abs(part.mean(axis=0) - model.means_[k]) < spread).all()
        expected = model.covariance_matrices()[k]
        np.testing.assert_allclose(np.cov(part.T), expected, atol=0.05 * np.abs(expected).max())
    again = model.sample(40_000)[0]
    np.testing.assert_array_equal(X, again)


def test_no_density_exceeds_its_bound_and_the_surprise_can_be_certified():
    X = clouds(1200)
    model = GaussianMixture(n_components=3, random_state=0).fit(X[::2])
    surprise = model.log_density_bound() - model.score_samples(X[1::2])
    at_means = model.log_density_bound() - model.score_samples(model.means_)
    assert min(surprise.min(), at_means.min()) >= 0.0
    guarantee = holdout.quantile(residuals=surprise, alpha=0.1, delta=0.05)
    fresh = np.quantile(surprise, 0.9)
    assert fresh < guarantee.bound < surprise.max()


def test_the_page_certifies_a_density(capsys):
    page = pathlib.Path(__file__).parents[3] / "docs" / "learners" / "gaussian_mixture.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    names = {}
    exec(code, names)  # noqa: S102 - the page is ours
    certificate = names["certificate"]
    assert "at least 90% of new examples" in capsys.readouterr().out
    assert certificate.status == "valid"
    rng = np.random.default_rng(1)
    fresh = rng.normal(size=(20_000, 2)) + 4.0 * (rng.random((20_000, 1)) < 0.3)
    surprises = names["Surprise"](names["mixture"]).predict(fresh)
    assert np.mean(surprises > certificate.bound) <= 0.1


def test_more_starts_are_never_worse():
    X = clouds(200, seed=3)
    ends = [
        GaussianMixture(n_components=5, n_init=n, random_state=0).fit(X).log_likelihoods_[-1]
        for n in (1, 4, 8)
    ]
    assert ends == sorted(ends)


def test_rows_that_are_all_equal_and_constant_columns_are_handled():
    model = GaussianMixture(n_components=3, random_state=0).fit(np.ones((10, 2)))
    np.testing.assert_array_equal(model.means_[model.weights_ > 0.0], [[1.0, 1.0]])
    assert model.weights_.sum() == 1.0
    assert np.isfinite(model.score(np.ones((4, 2))))
    assert not model.predict(np.zeros((1, 2)))[0]
    X = np.column_stack([clouds(100, 2), np.full(100, 7.0)])
    model = GaussianMixture(n_components=2, random_state=0).fit(X)
    np.testing.assert_allclose(model.means_[:, 2], 7.0)
    np.testing.assert_allclose(model.covariances_[:, 2, 2], 1e-6, rtol=1e-6)


def test_a_component_of_weight_zero_stays_empty():
    given = [1.0, 0.0], [[0.0], [1.0]], np.ones((2, 1, 1))
    model = GaussianMixture(n_components=2, start=given).fit(OVERLAPPING)
    assert model.weights_.tolist() == [1.0, 0.0]
    assert model.means_[1] == 1.0
    assert model.predict_proba(OVERLAPPING)[:, 1].tolist() == [0.0] * 8


def test_it_says_that_it_did_not_converge():
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        GaussianMixture(n_components=2, start=start(), max_iter=2, tol=0.0).fit(OVERLAPPING)


def test_frames_and_single_precision_are_read():
    X = with_holes(clouds(100).astype(np.float32), 0.1)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = GaussianMixture(n_components=2, random_state=0).fit(frame)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    of_array = GaussianMixture(n_components=2, random_state=0).fit(X)
    np.testing.assert_allclose(model.means_, of_array.means_, rtol=1e-12)
    assert model.fit_predict(frame).shape == (100,)


HOLE = np.where(np.arange(24).reshape(8, 3) % 3 == 1, np.nan, 1.0)
BAD = {
    "as many rows": ({"n_components": 9}, OVERLAPPING, {}),
    "as many rows, and X has n_samples = 1": (
        {"n_components": 2},
        OVERLAPPING,
        {"sample_weight": [1] + [0] * 7},
    ),
    "row 2 has no value": ({}, np.where(np.arange(8)[:, np.newaxis] == 2, np.nan, OVERLAPPING), {}),
    "column 'x1' has no value": ({}, HOLE, {}),
    "infinity": ({}, np.where(OVERLAPPING > 2, np.inf, OVERLAPPING), {}),
    "overflow": ({}, OVERLAPPING * 1e200, {}),
    "Negative values": ({}, OVERLAPPING, {"sample_weight": [-1] * 8}),
    "zero everywhere": ({}, OVERLAPPING, {"sample_weight": [0] * 8}),
    "covariance_type='round'": ({"covariance_type": "round"}, OVERLAPPING, {}),
    "covariance_floor=-1": ({"covariance_floor": -1.0}, OVERLAPPING, {}),
    "covariance_floor=inf": ({"covariance_floor": np.inf}, OVERLAPPING, {}),
    "vanish": ({}, OVERLAPPING * 1e-200, {}),
    "start must be the tuple": ({"start": (3,)}, OVERLAPPING, {}),
    "n_components=0": ({"n_components": 0}, OVERLAPPING, {}),
    "n_init=1.5": ({"n_init": 1.5}, OVERLAPPING, {}),
    "tol=-1": ({"tol": -1.0}, OVERLAPPING, {}),
    "add up to 1": ({"start": ([0.5], [[0.0]], [[[1.0]]])}, OVERLAPPING, {}),
    "give \\(1,\\) and \\(1, 1\\)": ({"start": ([0.5, 0.5], [[0.0]], [[[1.0]]])}, OVERLAPPING, {}),
    "covariances of start have shape": ({"start": ([1.0], [[0.0]], [1.0])}, OVERLAPPING, {}),
    "singular": ({"start": ([1.0], [[0.0]], [[[-1.0]]])}, OVERLAPPING, {}),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_with_a_sentence_and_leaves_no_mark(message):
    settings, X, more = BAD[message]
    model = GaussianMixture().fit(APART).set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=message):
        model.fit(X, **more)
    assert pickle.dumps(model) == before


def test_sparse_rows_and_wrong_widths_are_refused():
    model = GaussianMixture().fit(APART)
    before = pickle.dumps(model)
    with pytest.raises(TypeError, match="Sparse data"):
        model.fit(sparse.csr_array(APART))
    for call in (model.partial_fit, model.predict, model.score_samples):
        with pytest.raises(ValueError, match="2 features"):
            call(np.ones((4, 2)))
    with pytest.raises(ValueError, match="n_samples=0"):
        model.sample(0)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("weight", [1e-300, 1e-3, 1e3])
def test_a_weight_common_to_all_rows_changes_nothing(weight):
    X = clouds(100)
    plain_fit = GaussianMixture(n_components=3, random_state=0).fit(X)
    weighted = GaussianMixture(n_components=3, random_state=0)
    weighted.fit(X, sample_weight=np.full(100, weight))
    assert weighted.n_iter_ == plain_fit.n_iter_
    np.testing.assert_allclose(weighted.means_, plain_fit.means_, rtol=1e-9, atol=1e-12)


def test_without_a_floor_large_features_are_read_without_a_warning():
    X, settings = clouds(100), {"covariance_floor": 0.0, "tol": 0.0, "max_iter": 10}
    one, other = (fit(rows, n_components=2, random_state=0, **settings) for rows in (X, X * 1e100))
    np.testing.assert_allclose(other.means_ * 1e-100, one.means_, rtol=1e-6, atol=1e-9)


def test_a_fitted_mixture_keeps_the_type_it_was_fitted_with():
    X = clouds(60)
    model = GaussianMixture(n_components=2, random_state=0).fit(X)
    before = model.predict_proba(X)
    model.set_params(covariance_type="diag")
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert model.partial_fit(X).covariances_.shape == (2, 3, 3)
    assert model.fit(X).covariances_.shape == (2, 3)
