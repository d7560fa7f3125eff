"""Online conformal: the plain version, an enemy who chooses the rows, blocks, other libraries."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, SGDRegressor

from reference import adaptive_conformal
from surelearn import OnlineConformal, OnlineRidge
from surelearn.bounds import online_conformal

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 2))
Y = X @ [1.0, -2.0] + RNG.normal(size=600) * np.where(np.arange(600) < 300, 1.0, 4.0)


class Zero:
    """A model that predicts 0."""

    def predict(self, X):
        return np.zeros(len(X))


@pytest.mark.parametrize("window", [1, 7, 1000])
def test_intervals_equal_the_plain_version(window):
    # A rate that is a power of two, and alpha too: levels are exact in both.
    conformal = OnlineConformal(Zero(), alpha=0.125, learning_rate=0.0625, window=window)
    found = conformal.learn(X, Y)
    plain = adaptive_conformal.intervals(np.zeros(600), Y, 0.125, 0.0625, window)
    assert np.array_equal(found, np.array(plain))
    assert conformal.n_missed > 30


def test_an_enemy_comes_within_one_row_of_the_bound_and_never_exceeds_it():
    conformal = OnlineConformal(Zero(), alpha=0.1, learning_rate=0.05)
    conformal.learn(np.zeros((300, 1)), np.zeros(300))
    nearest = math.inf
    for _ in range(300):
        low, high = conformal.predict_interval([[0.0]])[0]
        outside = 0.0 if math.isinf(low) and low < 0 else high + 1.0
        conformal.learn([[0.0]], [outside if math.isfinite(outside) else 0.0])
        certificates = conformal.certificate(), conformal.deviation_certificate()
        for certificate in certificates:  # they raise if their bound is exceeded
            assert certificate.observed <= certificate.bound
        nearest = min(nearest, certificates[0].slack)
    assert conformal.n_missed > 20
    assert nearest <= 1.0


def test_always_missed_rows_come_within_one_row_of_the_bound():
    alpha, rate = 0.1, 0.05
    missed, level, closest = 0, alpha, math.inf
    for t in range(1, 200):
        err = int(level > 0)
        missed, level = missed + err, level + rate * (alpha - err)
        falls = (alpha + rate * (1 - alpha)) / (rate * t)
        closest = min(closest, (falls - (missed / t - alpha)) * t)
        assert missed / t - alpha <= falls + 1e-12
    assert closest <= 1.0


@given(
    st.lists(st.booleans(), min_size=1, max_size=300),
    st.floats(0.01, 0.99),
    st.floats(0.001, 3.0),
)
@settings(deadline=None, max_examples=60)
def test_no_sequence_of_misses_exceeds_the_bound(wishes, alpha, rate):
    conformal = OnlineConformal(Zero(), alpha=alpha, learning_rate=rate, window=5)
    for wish in wishes:
        _, high = conformal.predict_interval([[0.0]])[0]
        finite = math.isfinite(high)
        target = high + 1.0 if wish and finite else 0.0
        conformal.learn([[0.0]], [target])
        limit = online_conformal.adaptive_conformal(
            alpha=alpha, learning_rate=rate, start=alpha, n_rounds=conformal.n_rows
        ).bound
        assert abs(conformal.n_missed / conformal.n_rows - alpha) <= limit * (1 + 1e-9)
        conformal.certificate()


def test_sets_that_are_always_bounded_have_no_such_bound():
    missed = np.ones(1000)  # an enemy outside every bounded set
    limit = online_conformal.adaptive_conformal(
        alpha=0.1, learning_rate=0.05, start=0.1, n_rounds=1000
    ).bound
    assert abs(missed.mean() - 0.1) > limit


def test_blocks_and_pickles_give_the_same_intervals():
    whole = OnlineConformal(OnlineRidge(), learns=True)
    parts = OnlineConformal(OnlineRidge(), learns=True)
    together = whole.learn(X, Y)
    found = []
    for block in np.split(np.arange(600), [1, 2, 100, 599]):
        found.append(parts.learn(X[block], Y[block]))
        parts = pickle.loads(pickle.dumps(parts))  # noqa: S301
    assert np.allclose(np.vstack(found), together)
    assert (parts.n_missed, parts.level) == (whole.n_missed, whole.level)


def test_the_share_of_misses_follows_a_change_that_fixed_intervals_do_not():
    model = LinearRegression().fit(X[:100], Y[:100])
    conformal = OnlineConformal(model, alpha=0.1, learning_rate=0.05, window=200)
    low, high = conformal.learn(X, Y).T
    late = slice(350, 600)
    missed = (low[late] > Y[late]) | (high[late] < Y[late])
    width = np.quantile(np.abs(Y - model.predict(X))[:100], 0.9)
    assert abs(missed.mean() - 0.1) < 0.06
    assert np.mean(np.abs(Y - model.predict(X))[late] > width) > 0.4


def test_models_of_others_learn_row_by_row():
    model = SGDRegressor(random_state=0).partial_fit(X[:10], Y[:10])
    conformal = OnlineConformal(model, learns=True)
    before = model.coef_.copy()
    conformal.learn(X[10:60], Y[10:60])
    assert not np.array_equal(model.coef_, before)
    assert conformal.n_rows == 50


def test_a_model_that_predicts_nothing_gets_the_whole_line():
    class Nothing:
        def predict(self, X):
            return np.full(len(X), np.nan)

    conformal = OnlineConformal(Nothing(), learning_rate=0.5)
    found = conformal.learn(X[:50], Y[:50])
    assert np.isin(found[:, 0], [-np.inf, np.inf]).all()
    assert conformal.certificate().status in {"valid", "vacuous"}


@pytest.mark.parametrize(
    ("rows", "targets"),
    [(X[:3], Y[:2]), (X[:2], [1.0, np.nan]), (X[:2], ["a", "b"]), (X[:1, :1], [1.0])],
)
def test_a_refused_block_leaves_everything_as_it_was(rows, targets):
    conformal = OnlineConformal(OnlineRidge(), learns=True)
    conformal.learn(X[:20], Y[:20])
    before = pickle.dumps(conformal)
    with pytest.raises(ValueError, match=r"y|X|rows|features|samples"):
        conformal.learn(rows, targets)
    assert pickle.dumps(conformal) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda: OnlineConformal(None),
        lambda: OnlineConformal(Zero(), alpha=0.0),
        lambda: OnlineConformal(Zero(), learning_rate=0.0),
        lambda: OnlineConformal(Zero(), window=0),
        lambda: OnlineConformal(Zero(), learns=True),
        lambda: OnlineConformal(Zero()).certificate(),
        lambda: online_conformal.adaptive_conformal(
            alpha=0.1, learning_rate=0.1, start=1.5, n_rounds=5
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises((ValueError, TypeError), match=r"."):
        make()


def test_the_bound_is_sharper_than_the_published_one():
    for alpha, rate, start in [(0.1, 0.01, 0.1), (0.5, 0.5, 0.0), (0.9, 2.0, 1.0)]:
        ours = online_conformal.adaptive_conformal(
            alpha=alpha, learning_rate=rate, start=start, n_rounds=100
        ).bound
        assert ours <= (max(start, 1 - start) + rate) / (rate * 100)


def test_a_huge_rate_ends_in_the_whole_line_and_the_empty_set():
    conformal = OnlineConformal(Zero(), learning_rate=1e308)
    intervals = conformal.learn(X[:90], Y[:90])
    assert np.isneginf(intervals[2:, 0]).sum() > 70
    assert conformal.n_missed <= conformal.certificate().bound
