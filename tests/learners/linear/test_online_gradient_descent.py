"""Online gradient descent against its plain self, peers, the catalogue, theorems, adversaries."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.linear_model import SGDClassifier, SGDRegressor

from reference.online_gradient_descent import gradient_descent, project
from reference.streams import spiteful, streams, within
from surelearn.certificate import Certificate
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy
from surelearn.learners.linear.adagrad import AdaGrad
from surelearn.learners.linear.online_gradient_descent import (
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
)
from surelearn.learners.linear.schedules import (
    AdaptiveRate,
    FixedRate,
    InverseSquareRootRate,
    Run,
    StronglyConvexRate,
)
from surelearn.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    Square,
    ZeroOne,
)

LOSSES = [
    Hinge(),
    Logistic(),
    Logistic(base=2.0),
    Square(),
    Absolute(),
    EpsilonInsensitive(epsilon=0.5),
    Huber(threshold=0.7),
]
SCHEDULES = [
    AdaptiveRate(),
    FixedRate(learning_rate=0.1),
    InverseSquareRootRate(learning_rate=0.5),
    StronglyConvexRate(strong_convexity=0.3),
]
FAR = 1e6  # a radius that no run here reaches


def plain(X, y, *, loss, schedule, radius, intercept):
    """Return predictions and final weights of the textbook's loop, gradients written out."""
    X = np.column_stack([X, np.ones(len(X))]) if intercept else X

    def gradient(t, w):
        return loss.gradient(y[t], w @ X[t]) * X[t] + schedule.penalty * w

    def rate(t, seen):
        total = float((np.array(seen) ** 2).sum())
        return schedule(Run(radius, t + 1, total, 0.0)) if total > 0.0 else 0.0

    run = gradient_descent(gradient, len(X), X.shape[1], rate, radius)
    return (run.points[:-1] * X).sum(axis=1), run.points[-1]


def both(model):
    return np.append(model.coef_.ravel(), model.intercept_)


@settings(deadline=None, max_examples=40)
@given(
    hnp.arrays(
        np.int64, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-5, 5)
    ),
    st.integers(0, 2**12 - 1),
    st.booleans(),
)
def test_it_equals_the_plain_version_exactly_on_integers(X, bits, intercept):
    X = X.astype(float)
    signs = np.where([(bits >> i) & 1 for i in range(len(X))], 1.0, -1.0)
    signs[0], signs[1] = -1.0, 1.0
    settings = {"loss": Hinge(), "schedule": FixedRate(learning_rate=0.25), "radius": FAR}
    scores, weights = plain(X, signs, **settings, intercept=intercept)
    for form in (X, sparse.csr_array(X)):
        model = OnlineGradientDescent(**settings, fit_intercept=intercept)
        np.testing.assert_array_equal(model.learn(form, signs), scores)
        found = both(model) if intercept else model.coef_[0]
        np.testing.assert_array_equal(found, weights)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_it_equals_the_plain_version_where_it_projects(loss, schedule):
    X, signs = Noisy(4, 0.2).draw(80, seed=0)
    X[X < -0.5] = 0.0
    settings = {"loss": loss, "schedule": schedule, "radius": 0.4}
    scores, weights = plain(X, signs, **settings, intercept=True)
    for form in (X, sparse.csr_array(X)):
        model = OnlineGradientDescent(**settings)
        np.testing.assert_allclose(model.learn(form, signs), scores, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(both(model), weights, rtol=1e-9, atol=1e-12)
        assert np.linalg.norm(both(model)) <= 0.4 * (1 + 1e-12)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
@pytest.mark.parametrize("loss", LOSSES[3:], ids=repr)
def test_the_regressor_equals_the_plain_version(loss, schedule):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    settings = {"loss": loss, "schedule": schedule, "radius": 0.8}
    predictions, weights = plain(X, y, **settings, intercept=True)
    model = OnlineGradientDescentRegressor(**settings)
    np.testing.assert_allclose(model.learn(X, y), predictions, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(both(model), weights, rtol=1e-9, atol=1e-12)
    assert model.cumulative_loss_ == pytest.approx(loss.value(y, predictions).sum())


def test_the_run_of_the_catalogue():
    X, y = np.array([(1.0, 0), (0, 1), (1, 1), (1, 0)]), np.array([1, -1, 1, 1])
    model = OnlineGradientDescent(
        schedule=FixedRate(learning_rate=0.5), radius=FAR, fit_intercept=False
    )
    points = []
    for x, sign in zip(X, y, strict=True):
        score = model.learn([x], [sign], classes=[-1, 1])
        points.append((float(score[0]), model.cumulative_loss_, *model.coef_[0]))
    assert points == [(0, 1, 0.5, 0), (0, 2, 0.5, -0.5), (0, 3, 1, 0), (1, 3, 1, 0)]


def test_orthonormal_rows_attain_the_bound_of_a_fixed_rate():
    X, comparator = np.eye(25), np.full(25, 3 / 5)
    model = OnlineGradientDescent(
        schedule=FixedRate(learning_rate=3 / 5), radius=3.0, fit_intercept=False
    )
    model.learn(X, np.ones(25), classes=[-1, 1])
    regret = model.cumulative_loss_ - Hinge().value(np.ones(25), X @ comparator).sum()
    assert (model.cumulative_loss_, regret) == (25.0, pytest.approx(15.0))
    assert [c.bound for c in model.certificates()] == pytest.approx([15.0, 15.0])


def test_the_catalogue_bound_of_projected_descent_and_a_noisy_linear_stream():
    schedule = InverseSquareRootRate(learning_rate=math.sqrt(2) / 4)
    model = OnlineGradientDescentRegressor(schedule=schedule, fit_intercept=False)
    guarantee = model.guarantee(gradient_norm=4.0, n_rounds=500)
    assert guarantee.bound / 500 == pytest.approx(0.505964, rel=0.02)  # ours subtracts rate·G²/2
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X @ [0.6, -0.5, 0.3] + rng.uniform(-0.1, 0.1, size=500)
    model.learn(X, y)
    best = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.linalg.norm(best) < 1.0
    regret = model.cumulative_loss_ - ((X @ best - y) ** 2).sum()
    assert 0.0 < regret < 0.05 * guarantee.bound


@pytest.mark.parametrize("n_rounds", [1, 5, 100])
def test_a_chased_parabola_attains_the_harmonic_bound(n_rounds):
    # A slope of -1 on the row z and the penalty w²/2 make the loss (w - z)²/2, with z = w + 1.
    schedule = StronglyConvexRate(strong_convexity=1.0)
    model = OnlineGradientDescentRegressor(
        loss=Absolute(), schedule=schedule, radius=FAR, fit_intercept=False
    )
    points, centres = [], []
    for _ in range(n_rounds):
        points.append(model.coef_[0] if centres else 0.0)
        centres.append(points[-1] + 1.0)
        model.learn([[centres[-1]]], [2.0**20])
    gaps = np.array(points) - centres
    regret = 0.5 * (gaps**2).sum() - 0.5 * ((np.mean(centres) - np.array(centres)) ** 2).sum()
    harmonic = (1 / np.arange(1, n_rounds + 1)).sum()
    assert regret == pytest.approx(harmonic / 2, rel=1e-9)
    for certificate in model.certificates():
        assert certificate.bound == pytest.approx(regret, rel=1e-6)
    if n_rounds > 1:
        assert regret > 0.5 * math.log(n_rounds + 1)  # erratum E3-26: the printed bound


def worst_regret(model, X, y, predictions):
    """Return the regret of the linearised losses to the best point of the ball, none worse."""
    slope = model.loss.gradient(y, predictions)
    X = np.column_stack([X, np.full(len(X), float(model.fit_intercept))])
    return slope @ predictions + model.radius * np.linalg.norm(slope @ X)


@pytest.mark.parametrize("schedule", SCHEDULES[:3], ids=repr)
@pytest.mark.parametrize("loss", LOSSES[:5], ids=repr)
def test_no_sequence_exceeds_the_bounds(loss, schedule):
    for seed in range(4):
        for X, signs in streams(seed):
            model = OnlineGradientDescent(loss=loss, schedule=schedule, radius=1.5 - 0.4 * seed)
            observed = worst_regret(model, X, signs, model.learn(X, signs, classes=[-1, 1]))
            realised, a_priori = model.certificates()
            assert within(observed, realised)
            assert within(observed, a_priori)
            assert within(realised.bound, a_priori)
            assert realised.observed <= observed + 1e-9


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
def test_a_spiteful_adversary_does_not_exceed_the_bounds(schedule):
    X = np.random.default_rng(2).normal(size=(60, 3))

    def scores_of(X, signs):
        return OnlineGradientDescent(schedule=schedule).learn(X, signs, classes=[-1, 1])

    signs = spiteful(scores_of, X)
    model = OnlineGradientDescent(schedule=schedule)
    scores = model.learn(X, signs, classes=[-1, 1])
    assert model.n_mistakes_ == 60
    if not schedule.penalty:
        assert all(within(worst_regret(model, X, signs, scores), c) for c in model.certificates())
    assert all(c.observed <= c.bound for c in model.certificates())


def test_penalised_regret_stays_below_its_bound_for_many_comparators():
    for seed in range(10):
        for X, signs in streams(seed):
            schedule = StronglyConvexRate(strong_convexity=0.1 + 0.2 * seed)
            model = OnlineGradientDescent(schedule=schedule, radius=2.0, fit_intercept=False)
            model.learn(X, signs, classes=[-1, 1])
            realised = model.certificates()[0]
            own = realised.observed + len(X)  # zero weights have hinge loss 1 in each round
            rng = np.random.default_rng(seed)
            for u in [model.coef_[0], *rng.normal(size=(5, X.shape[1]))]:
                rival = project(u, 2.0)
                penalty = 0.5 * schedule.penalty * (rival @ rival)
                loss = Hinge().value(signs, X @ rival).sum() + len(X) * penalty
                assert within(own - loss, realised)


def test_the_penalised_loss_is_that_of_the_weights_played():
    X, signs = Noisy(3, 0.2).draw(50, seed=3)
    schedule = StronglyConvexRate(strong_convexity=0.5)
    model, total = OnlineGradientDescent(schedule=schedule), 0.0
    for t, (x, sign) in enumerate(zip(X, signs, strict=True)):
        norm = np.linalg.norm(both(model)) if t else 0.0
        score = model.learn([x], [sign], classes=[-1, 1])[0]
        total += max(0.0, 1.0 - sign * score) + 0.25 * norm**2
    assert model.certificates()[0].observed == pytest.approx(total - 50.0)


def test_an_alternating_adversary_comes_within_a_factor_of_three_of_the_adaptive_bound():
    # The label is always against the score, so linear losses push the weight from side to side.
    model, signs = OnlineGradientDescent(fit_intercept=False), []
    for _ in range(400):
        score = float(model.decision_function([[1.0]])[0]) if signs else 0.0
        signs.append(-1.0 if score > 0 else 1.0)
        model.learn([[1.0]], signs[-1:], classes=[-1, 1])
    realised = model.certificates()[0]
    assert realised.bound / 3.0 < model.cumulative_loss_ - 400.0 + 1e-9 <= realised.bound


def test_a_comparator_outside_the_ball_breaks_the_bound():
    X, signs = np.ones((400, 1)) / 2, np.ones(400)
    model = OnlineGradientDescent(radius=0.5, fit_intercept=False)
    model.learn(X, signs, classes=[-1, 1])
    realised = model.certificates()[0]
    losses = {u: Hinge().value(signs, X[:, 0] * u).sum() for u in (0.5, 2.0)}
    assert within(model.cumulative_loss_ - losses[0.5], realised)
    assert not within(model.cumulative_loss_ - losses[2.0], realised)


def test_a_long_run_at_the_border_stays_in_the_ball_and_its_scale_is_renewed():
    rng = np.random.default_rng(4)
    X, signs = rng.normal(size=(3000, 5)), rng.choice([-1.0, 1.0], size=3000)
    settings = {"loss": Hinge(), "schedule": FixedRate(learning_rate=2.0), "radius": 0.5}
    scores, weights = plain(X, signs, **settings, intercept=False)
    model = OnlineGradientDescent(**settings, fit_intercept=False)
    np.testing.assert_allclose(model.learn(X, signs), scores, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.coef_[0], weights, rtol=1e-6)
    assert np.linalg.norm(weights) == pytest.approx(np.linalg.norm(model.coef_), rel=1e-12)
    assert np.abs(model.weights_).max() < 1e110


def test_one_pass_equals_scikit_learns():
    X, signs = Noisy(4, 0.1).draw(200, seed=0)
    common = {"penalty": None, "shuffle": False, "tol": None, "max_iter": 3}
    for intercept in (False, True):
        peer = SGDClassifier(
            loss="hinge", learning_rate="constant", eta0=0.1, fit_intercept=intercept, **common
        ).fit(X, signs)
        ours = OnlineGradientDescent(
            schedule=FixedRate(learning_rate=0.1), radius=FAR, fit_intercept=intercept, max_iter=3
        ).fit(X, signs)
        np.testing.assert_allclose(both(ours), both(peer), rtol=1e-9)
    root = InverseSquareRootRate(learning_rate=0.05)  # scikit-learn halves the square
    peer = SGDRegressor(learning_rate="invscaling", eta0=0.1, power_t=0.5, **common)
    ours = OnlineGradientDescentRegressor(schedule=root, radius=FAR, max_iter=3)
    y = X @ [1.0, 2.0, 0.0, -1.0] + 0.1 * signs
    np.testing.assert_allclose(both(ours.fit(X, y)), both(peer.fit(X, y)), rtol=1e-9)


def test_more_classes_have_two_certificates_each_and_they_can_be_recomputed():
    table = load("iris")
    model = OnlineGradientDescent(radius=3.0).fit(table.X, table.y)
    issued = model.certificates()
    assert len(issued) == 6
    assert len({c.subject for c in issued}) == 3
    for certificate in issued:
        assert certificate.observed <= certificate.bound
        assert Certificate.from_json(certificate.to_json()).recompute() == certificate.bound
        assert "weights of norm at most 3" in certificate.claim


def test_the_certificates_go_on_with_the_stream():
    X, signs = Noisy(3, 0.1).draw(100, seed=5)
    whole, parts = OnlineGradientDescent(), OnlineGradientDescent()
    whole.learn(X, signs)
    for block in np.array_split(np.arange(100), 7):
        parts.learn(X[block], signs[block], classes=[-1, 1])
    assert [c.bound for c in whole.certificates()] == [c.bound for c in parts.certificates()]
    assert parts.certificates()[0].n == 100


@pytest.mark.parametrize("schedule", SCHEDULES, ids=repr)
def test_features_that_come_late_count_as_zeros_before(schedule):
    X, signs = Noisy(5, 0.1).draw(40, seed=7)
    X[:20, 3:] = 0.0
    early, late = (OnlineGradientDescent(schedule=schedule) for _ in range(2))
    early.learn(X, signs)
    late.learn(X[:20, :3], signs[:20])
    late._grow(5)
    late.learn(X[20:], signs[20:])
    np.testing.assert_allclose(both(late), both(early), rtol=1e-12)


def test_without_a_gradient_nothing_moves_and_the_regret_is_nothing():
    model = OnlineGradientDescent(fit_intercept=False).fit(np.zeros((6, 2)), [0, 1] * 3)
    (certificate,) = model.certificates()
    assert (certificate.bound, certificate.observed) == (0.0, 0.0)
    assert not model.coef_.any()


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"radius": 0.0}, ValueError),
        ({"radius": math.inf}, ValueError),
        ({"loss": ZeroOne()}, ValueError),
        ({"loss": Exponential()}, ValueError),
        ({"schedule": "adaptive"}, TypeError),
        ({"max_iter": 0}, ValueError),
    ],
)
def test_bad_parameters_are_refused_and_leave_the_learner_as_it_was(settings, error):
    X, signs = Noisy(3, 0.1).draw(20, seed=6)
    model = OnlineGradientDescent().fit(X, signs)
    model.set_params(**settings)
    before = pickle.dumps(model)
    with pytest.raises(error, match=next(iter(settings))):
        model.fit(X, signs)
    assert pickle.dumps(model) == before


def test_a_regressor_refuses_a_loss_of_labels():
    with pytest.raises(ValueError, match="Square"):
        OnlineGradientDescentRegressor(loss=Hinge()).fit([[0.0], [1.0]], [0.3, 0.5])


@pytest.mark.parametrize("schedule", [FixedRate, InverseSquareRootRate])
def test_a_rate_must_be_positive(schedule):
    with pytest.raises(ValueError, match="learning_rate"):
        schedule(learning_rate=0.0)
    with pytest.raises(ValueError, match="strong_convexity"):
        StronglyConvexRate(strong_convexity=-1.0)


@pytest.mark.parametrize("schedule", [AdaptiveRate(), InverseSquareRootRate(learning_rate=0.5)])
def test_a_run_of_more_rounds_than_whole_numbers_count_has_a_rate(schedule):
    """A forged model file may tell of such a run."""
    run = Run(1.0, n_rounds=10**80, sum_squared_gradients=4.0, sum_rates_times_squares=1.0)
    assert 0.0 < schedule(run) < 1.0


def test_how_long_its_rivals_may_be_is_told_in_all_digits():
    X, y = Noisy(n_features=2, bayes_risk=0.1).draw(50, seed=0)
    for model, limits in (
        (OnlineGradientDescent(radius=1234567.0), "of norm at most 1234567.0;"),
        (AdaGrad(limit=1234567.5), "within [-1234567.5, 1234567.5];"),
    ):
        assert limits in model.fit(X, y).certificates()[0].claim
