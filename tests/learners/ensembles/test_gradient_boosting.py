"""Gradient boosting: the catalogue's numbers, its plain version, its peers and its refusals."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from threadpoolctl import threadpool_limits

from reference import gradient_boosting
from surelearn import (
    ForwardStagewiseRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    losses,
)
from surelearn.learners.ensembles._boosting_steps import weighted_quantile

X10 = np.arange(1.0, 11.0)[:, np.newaxis]
Y10 = np.array([5.56, 5.70, 5.91, 6.40, 6.80, 7.05, 8.90, 8.70, 9.00, 9.05])
STUMPS = {"learning_rate": 1.0, "max_leaf_nodes": 2, "min_samples_leaf": 1}


def wavy(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


def two_classes(n=600, seed=0):
    return make_classification(n, 8, n_informative=4, flip_y=0.05, random_state=seed)


def test_squared_error_of_stumps_is_that_of_the_catalogue():
    model = GradientBoostingRegressor(n_estimators=6, **STUMPS).fit(X10, Y10)
    errors = [((Y10 - f) ** 2).sum() for f in model.staged_predict(X10)]
    # The catalogue starts from 0, and a stump of it from the mean: the first has the same leaves.
    expected = [1.9300083, 0.8006750, 0.4780083, 0.3055593, 0.2289152, 0.1721781]
    np.testing.assert_allclose(errors, expected, atol=5e-8)
    assert model.predict(X10)[0] == pytest.approx(5.63, abs=0.005)


def test_absolute_error_of_stumps_takes_true_medians():
    model = GradientBoostingRegressor(loss="absolute_error", n_estimators=3, **STUMPS)
    errors = [np.abs(Y10 - f).sum() for f in model.fit(X10, Y10).staged_predict(X10)]
    np.testing.assert_allclose(errors, [4.24, 3.82, 3.62], atol=1e-9)


def test_log_loss_of_a_stump_is_that_of_the_catalogue():
    x, y = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 0, 1, 1])
    model = GradientBoostingClassifier(n_estimators=1, l2_regularization=0.0, **STUMPS).fit(x, y)
    assert model.baseline_.tolist() == [0.0]
    np.testing.assert_allclose(model.decision_function(x), [-2, -2, 1, 1, 1, 1], atol=1e-12)
    total = losses.Logistic()(2 * y - 1, model.decision_function(x)).sum()
    assert total == pytest.approx(2.5069028, abs=5e-8)


@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_stumps_equal_their_plain_version(rate):
    rng = np.random.default_rng(4)
    x = np.sort(rng.normal(size=40))
    y = np.sin(3.0 * x) + 0.1 * rng.normal(size=40)
    expected = gradient_boosting.boost(
        x,
        y,
        n_rounds=8,
        rate=rate,
        start=y.mean(),
        gradient=lambda y, f: f - y,
        step=lambda y, f: (y - f).mean(),
    )
    model = GradientBoostingRegressor(n_estimators=8, **{**STUMPS, "learning_rate": rate})
    found = list(model.fit(x[:, np.newaxis], y).staged_predict(x[:, np.newaxis]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "loss",
    [
        "squared_error",
        "absolute_error",
        losses.Huber(threshold=0.5),
        losses.EpsilonInsensitive(epsilon=0.1),
        losses.QuantileLoss(level=0.8),
    ],
)
def test_every_loss_falls_in_every_round(loss):
    X, y = wavy()
    model = GradientBoostingRegressor(loss=loss, n_estimators=20, learning_rate=0.5).fit(X, y)
    measure = {"squared_error": losses.Square(), "absolute_error": losses.Absolute()}.get(
        loss if isinstance(loss, str) else "", loss
    )
    fallen = [measure.mean(y, f) for f in model.staged_predict(X)]
    assert (np.diff(fallen) <= 1e-12).all()
    assert fallen[-1] < 0.6 * fallen[0]


def test_a_quantile_has_its_share_below():
    X, y = wavy(3000)
    for level in (0.1, 0.9):
        model = GradientBoostingRegressor(loss=losses.QuantileLoss(level=level)).fit(X, y)
        assert np.mean(y < model.predict(X)) == pytest.approx(level, abs=0.03)


def test_the_best_constant_is_the_start():
    y = np.array([0.0, 1.0, 5.0, 9.0])
    for loss, start in ((losses.Huber(threshold=100.0), 3.75), ("absolute_error", 3.0)):
        model = GradientBoostingRegressor(loss=loss, n_estimators=1).fit(np.ones((4, 1)), y)
        assert model.predict([[1.0]])[0] == pytest.approx(start)


def test_a_weighted_quantile_is_that_of_repeated_values():
    values, times = np.array([3.0, 1.0, 2.0, 7.0]), np.array([2, 1, 3, 1])
    for level in (0.2, 0.5, 0.75):
        assert weighted_quantile(values, times.astype(float), level) == weighted_quantile(
            np.repeat(values, times), np.ones(7), level
        )


@dataclasses.dataclass(frozen=True)
class Cubic(losses.Loss):
    label_set = "reals"

    def _value(self, y, prediction):
        return np.abs(prediction - y) ** 3

    def _range(self, box):
        return 0.0, float(self._value(0.0, max(map(abs, box.distances))))

    def _gradient(self, y, prediction):
        return 3.0 * np.sign(prediction - y) * (prediction - y) ** 2


class Unhelpful(Cubic):
    _gradient = losses.Loss._gradient


def test_a_loss_of_ones_own_is_followed_if_it_has_a_gradient():
    X, y = wavy()
    model = GradientBoostingRegressor(loss=Cubic(), n_estimators=20).fit(X, y)
    start = np.mean(np.abs(y - model.baseline_[0]) ** 3)
    assert np.mean(np.abs(y - model.predict(X)) ** 3) < 0.3 * start
    for kind in (GradientBoostingRegressor, ForwardStagewiseRegressor):
        with pytest.raises(ValueError, match="has no gradient"):
            kind(loss=Unhelpful()).fit(X, y)


class Bent(Cubic):
    convex = False


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, ForwardStagewiseRegressor])
def test_a_loss_that_is_not_convex_is_refused(kind):
    with pytest.raises(ValueError, match="is not convex"):
        kind(loss=Bent()).fit(*wavy())


@pytest.mark.parametrize(
    ("first", "second"),
    [("log_loss", losses.Multinomial()), (losses.Multinomial(), "exponential")],
)
def test_a_warm_start_does_not_change_the_number_of_scores(first, second):
    X, y = two_classes()
    model = GradientBoostingClassifier(loss=first, n_estimators=2, warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="number of scores"):
        model.set_params(loss=second, n_estimators=4).fit(X, y)


class NoNumbers(Cubic):
    def _gradient(self, y, prediction):
        return np.where(np.abs(prediction - y) > 2.0, np.nan, prediction - y)


class TooFew(Cubic):
    def _gradient(self, y, prediction):
        return (prediction - y)[:10]


@pytest.mark.parametrize("loss", [NoNumbers(), TooFew()], ids=repr)
@pytest.mark.parametrize("kind", [GradientBoostingRegressor, ForwardStagewiseRegressor])
def test_gradients_that_are_not_a_number_for_each_row_are_refused(kind, loss):
    X, y = wavy()
    with pytest.raises(ValueError, match="gradient of loss"):
        kind(loss=loss, n_estimators=3).fit(X, y)


@pytest.mark.parametrize(
    "loss", ["log_loss", "exponential", losses.Logistic(), losses.Multinomial()]
)
def test_losses_of_two_classes_agree_roughly(loss):
    X, y = two_classes()
    model = GradientBoostingClassifier(loss=loss).fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.85
    shares = model.predict_proba(X[400:])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert log_loss(y[400:], shares) < 0.45


def test_it_is_as_good_as_scikit_learn():
    X, y = two_classes(4000)
    ours = GradientBoostingClassifier().fit(X[:2000], y[:2000])
    with threadpool_limits(1):  # its threads spin for a while
        theirs = HistGradientBoostingClassifier(early_stopping=False).fit(X[:2000], y[:2000])
    losses_of = [log_loss(y[2000:], m.predict_proba(X[2000:])) for m in (ours, theirs)]
    assert losses_of[0] < 1.05 * losses_of[1]


def test_many_classes_have_a_tree_each_and_probabilities_that_add_up():
    X, score = wavy(900)
    y = np.array(["low", "middle", "high"])[np.digitize(score, np.quantile(score, [0.3, 0.7]))]
    model = GradientBoostingClassifier(n_estimators=30).fit(X, y)
    assert model.trees_.n_trees == 90
    assert model.decision_function(X).shape == (900, 3)
    assert model.score(X, y) > 0.9
    assert set(model.predict(X)) == {"low", "middle", "high"}


def test_threads_do_not_matter():
    X, y = two_classes(6000)
    shares = [
        GradientBoostingClassifier(n_estimators=20, n_jobs=jobs).fit(X, y).predict_proba(X)
        for jobs in (1, 2, 3)
    ]
    np.testing.assert_array_equal(shares[0], shares[1])
    np.testing.assert_array_equal(shares[0], shares[2])


def test_stages_end_in_the_prediction():
    X, y = two_classes()
    model = GradientBoostingClassifier(n_estimators=7).fit(X, y)
    stages = list(model.staged_predict_proba(X))
    assert len(stages) == model.n_estimators_ == 7
    np.testing.assert_array_equal(stages[-1], model.predict_proba(X))
    np.testing.assert_array_equal(list(model.staged_predict(X))[-1], model.predict(X))
    scores = list(model.staged_decision_function(X))
    assert len(scores) == len(stages)
    np.testing.assert_array_equal(scores[-1], model.decision_function(X))


def test_whole_weights_are_copies():
    X, y = wavy(200)
    weights = np.random.default_rng(0).integers(0, 4, size=200)
    X = np.rint(3.0 * X)
    one = GradientBoostingRegressor(n_estimators=10, **STUMPS).fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(200), weights)
    other = GradientBoostingRegressor(n_estimators=10, **STUMPS).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-9, atol=1e-9)


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    X, y = two_classes()
    whole = GradientBoostingClassifier(n_estimators=12, random_state=0).fit(X, y)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0, warm_start=True).fit(X, y)
    model.set_params(n_estimators=12).fit(X, y)
    np.testing.assert_array_equal(whole.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="less than the 12 rounds"):
        model.set_params(n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="warm start goes on"):
        model.set_params(n_estimators=20).fit(X, y + 1)
    assert model.n_estimators_ == 12


def test_early_stopping_keeps_the_best_round():
    X, y = two_classes(300)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.3, 1 - y, y)
    model = GradientBoostingClassifier(
        n_estimators=300, learning_rate=0.5, early_stopping=True, random_state=0
    ).fit(X, y)
    found = model.validation_losses_
    assert model.n_estimators_ == found.argmin() < len(found) - 1 < 300
    with pytest.raises(ValueError, match="early_stopping keeps 0 of 3 rows"):
        GradientBoostingRegressor(early_stopping=True).fit(X[:3], y[:3])


@pytest.mark.parametrize("loss", [losses.Square(), losses.Huber(threshold=1e160)])
def test_early_stopping_is_refused_where_its_loss_overflows(loss):
    X, y = wavy(200)
    with pytest.raises(ValueError, match="the loss on the validation rows overflows"):
        GradientBoostingRegressor(loss=loss, early_stopping=True).fit(X, 1e160 * y)


@pytest.mark.parametrize("scale", [1e-290, 1e-200, 1e-160])
def test_leaves_of_tiny_targets_are_where_the_loss_is_least(scale):
    X, y = wavy(200)
    plain = GradientBoostingRegressor(loss=losses.Huber(threshold=1.0), n_estimators=3)
    tiny = GradientBoostingRegressor(loss=losses.Huber(threshold=scale), n_estimators=3)
    expected = plain.fit(X, y).predict(X)
    np.testing.assert_allclose(tiny.fit(X, scale * y).predict(X) / scale, expected, rtol=1e-9)
    wide = plain.fit(X, scale * y).predict(X) / scale
    square = GradientBoostingRegressor(n_estimators=3).fit(X, y).predict(X)
    np.testing.assert_allclose(wide, square, rtol=1e-9)


@pytest.mark.parametrize("far", [1e15, 9.969e36, -1e300])
def test_one_target_far_away_does_not_move_the_rest_by_hubers_loss(far):
    X, y = wavy(200)
    model = GradientBoostingRegressor(loss=losses.Huber(threshold=1.0), n_estimators=20)
    plain = model.fit(X, y).predict(X)
    robust = model.fit(X, np.where(np.arange(200) == 0, far, y)).predict(X)
    assert np.median(np.abs(robust - plain)) < 0.3


def test_subsamples_depend_on_the_seed_alone():
    X, y = wavy(2000)
    how = {"subsample": 0.5, "max_features": 0.5, "n_estimators": 20}
    one, same, other = (
        GradientBoostingRegressor(**how, random_state=seed).fit(X, y).predict(X)
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert np.mean((y - one) ** 2) < 0.5 * y.var()


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("sign", [1, -1])
def test_predictions_keep_the_order_asked_for(loss, sign):
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(1500, 3))
    y = sign * (X[:, 0] + 0.5 * np.sin(12.0 * X[:, 0]) + X[:, 1] * X[:, 2]) + rng.normal(size=1500)
    model = GradientBoostingRegressor(loss=loss, monotonic_cst=[sign, 0, 0]).fit(X, y)
    grid = np.linspace(-0.1, 1.1, 200)
    for others in rng.uniform(size=(20, 2)):
        line = np.column_stack([grid, np.tile(others, (200, 1))])
        assert (sign * np.diff(model.predict(line)) >= 0.0).all()
    free = GradientBoostingRegressor(loss=loss).fit(X, y)
    assert (sign * np.diff(free.predict(line)) < 0.0).any()


def test_orders_may_be_asked_for_by_name_and_nonsense_is_refused():
    X, y = wavy()
    frame = pd.DataFrame(X, columns=list("abcd"))
    named = GradientBoostingRegressor(monotonic_cst={"b": 1}).fit(frame, y)
    np.testing.assert_array_equal(
        named.predict(frame),
        GradientBoostingRegressor(monotonic_cst=[0, 1, 0, 0]).fit(X, y).predict(X),
    )
    for wrong in ([1, 0], {"z": 1}, [2, 0, 0, 0]):
        with pytest.raises(ValueError, match="monotonic_cst"):
            GradientBoostingRegressor(monotonic_cst=wrong).fit(frame, y)


@pytest.mark.parametrize("interactions", [1, 2])
def test_an_additive_model_is_the_sum_of_its_effects(interactions):
    X, y = wavy()
    X[::7, 1] = np.nan
    model = GradientBoostingRegressor(n_estimators=40, interactions=interactions).fit(X, y)
    codes = model.bins_.encode(X)
    total = np.full(len(X), model.baseline_[0])
    for effect in model.effects():
        assert len(effect.features) <= interactions
        places = tuple(
            np.where(codes[j] == 255, model.bins_.n_bins[j], codes[j]) for j in effect.features
        )
        total += effect.values[..., 0][places]
    np.testing.assert_allclose(total, model.predict(X))
    with pytest.raises(ValueError, match="interactions=1 or 2"):
        GradientBoostingRegressor(n_estimators=10).fit(X, y).effects()


def test_the_effect_of_a_category_that_shares_its_bin_stands_at_its_own_place():
    rng = np.random.default_rng(8)
    codes, sizes = rng.integers(0, 300, size=3000), rng.normal(size=3000)
    frame = pd.DataFrame({"k": [f"c{code:03d}" for code in codes], "size": sizes})
    model = GradientBoostingRegressor(interactions=1, n_estimators=10)
    with pytest.warns(UserWarning, match="rarest categories share one"):
        model.fit(frame, np.sin(codes))
    effect = next(each for each in model.effects() if each.features == (0,))
    assert effect.values.shape == (len(effect.cuts[0]) + 1, 1)
    alike = frame.iloc[:300].assign(k=effect.cuts[0], size=0.0)
    np.testing.assert_allclose(np.diff(effect.values[:-1, 0]), np.diff(model.predict(alike)))


def test_categories_and_gaps_are_read_as_they_are():
    rng = np.random.default_rng(5)
    colour = rng.choice(["red", "green", "blue", "grey"], size=800).astype(object)
    size = rng.normal(size=800)
    y = np.isin(colour, ["red", "grey"]) ^ (size > 0.0)
    colour[::50], size[::30] = None, np.nan
    frame = pd.DataFrame({"colour": colour, "size": size})
    model = GradientBoostingClassifier(n_estimators=50).fit(frame, y)
    full = ~(frame.isna().any(axis=1).to_numpy())
    assert model.score(frame[full], y[full]) > 0.97
    unseen = pd.DataFrame({"colour": ["violet", None], "size": [0.5, 0.5]})
    shares = model.predict_proba(unseen)
    np.testing.assert_array_equal(shares[0], shares[1])


def test_a_gap_may_say_something():
    rng = np.random.default_rng(6)
    x = rng.normal(size=500)
    y = rng.random(500) < 0.5
    x[y] = np.where(rng.random(y.sum()) < 0.9, np.nan, x[y])
    model = GradientBoostingClassifier(n_estimators=20).fit(x[:, np.newaxis], y)
    assert model.predict([[np.nan]])[0]
    assert not model.predict([[0.0]])[0]


def test_categories_of_few_rows_go_to_one_side_together():
    rng = np.random.default_rng(3)
    codes = np.append(np.repeat(np.arange(60), 3), np.repeat([60, 61], 90))
    y = rng.normal(size=len(codes)) + 3.0 * (codes == 61) - 3.0 * (codes == 60)
    model = GradientBoostingRegressor(categorical_features=[0], n_estimators=20)
    answers = model.fit(codes[:, np.newaxis], y).predict(codes[:, np.newaxis])
    assert len(np.unique(answers[:180])) == 1
    assert len(np.unique(answers)) == 3
    alone = model.set_params(min_samples_leaf=2).fit(codes[:, np.newaxis], y)
    assert len(np.unique(alone.predict(codes[:, np.newaxis])[:180])) > 1


@pytest.mark.parametrize(("n", "least"), [(10_000, 50), (10_001, 7)])
def test_leaves_may_be_smaller_where_rows_are_many(n, least):
    x = np.zeros((n, 2))
    x[:7, 0] = x[-50:, 1] = 1.0  # groups of 7 and of 50
    y = (x.sum(axis=1) > 0.0).astype(int)
    model = GradientBoostingClassifier(n_estimators=3).fit(x, y)
    assert model.trees_.n_rows.min() == least
    with pytest.raises(ValueError, match="min_samples_leaf=0"):
        model.set_params(min_samples_leaf=0).fit(x, y)


def test_scaled_weights_give_the_same_splits_by_categories():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 30, size=(500, 1))
    y = rng.normal(size=500) + (codes[:, 0] % 3)
    model = GradientBoostingRegressor(categorical_features=[0], n_estimators=5)
    plain = model.fit(codes, y).predict(codes)
    again = model.fit(codes, y, sample_weight=np.full(500, 64.0)).predict(codes)
    np.testing.assert_allclose(plain, again, rtol=1e-12)


def test_many_categories_are_binned_with_a_warning():
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 400, size=3000)
    with pytest.warns(UserWarning, match="rarest categories share one"):
        model = GradientBoostingRegressor(categorical_features=[0], n_estimators=5).fit(
            codes[:, np.newaxis], (codes % 2).astype(float)
        )
    assert model.score(codes[:, np.newaxis], codes % 2) > 0.3


def test_sparse_rows_give_the_model_of_dense_ones():
    X, y = two_classes()
    X = np.where(np.abs(X) < 0.7, 0.0, X)
    dense = GradientBoostingClassifier(n_estimators=10).fit(X, y)
    thin = GradientBoostingClassifier(n_estimators=10).fit(sparse.csc_array(X), y)
    np.testing.assert_array_equal(dense.predict_proba(X), thin.predict_proba(sparse.coo_array(X)))


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"max_bins": 256}, "max_bins"),
        ({"max_bins": 1}, "max_bins"),
        ({"subsample": 0.0}, "subsample"),
        ({"max_features": 1.5}, "max_features"),
        ({"l2_regularization": -1.0}, "l2_regularization"),
        ({"loss": losses.ZeroOne()}, "loss"),
        ({"loss": "quantile"}, "QuantileLoss"),
        ({"max_depth": 0}, "max_depth"),
        ({"interactions": 0}, "interactions"),
    ],
)
def test_settings_outside_their_domain_are_refused_by_name(setting, told):
    X, y = wavy(50)
    model = GradientBoostingRegressor(n_estimators=2).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match=told):
        model.set_params(**setting).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_tables_with_nothing_to_say_predict_the_start():
    for X in (np.ones((50, 2)), np.full((50, 2), np.nan), np.arange(50.0)[:, np.newaxis]):
        y = np.arange(50.0) % 7
        model = GradientBoostingRegressor(n_estimators=3, min_samples_leaf=30).fit(X, y)
        np.testing.assert_allclose(model.predict(X), y.mean())
        assert model.feature_importances_.sum() == 0.0


def test_one_row_is_enough_for_a_number():
    assert GradientBoostingRegressor().fit([[1.0]], [3.0]).predict([[5.0]]).tolist() == [3.0]


def test_importances_find_the_features_that_matter():
    X, y = wavy()
    found = GradientBoostingRegressor().fit(X, y).feature_importances_
    assert found.sum() == pytest.approx(1.0)
    assert found[:2].sum() > 0.8


def test_more_leaves_mean_a_closer_fit():
    X, y = wavy()
    errors = [
        np.mean(
            (
                y
                - GradientBoostingRegressor(max_leaf_nodes=leaves, min_samples_leaf=2)
                .fit(X, y)
                .predict(X)
            )
            ** 2
        )
        for leaves in (2, 8, None)
    ]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
def test_equal_weights_are_one_number_and_no_other_model(loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = X[:, 0] + rng.normal(size=400) > 0
    model = GradientBoostingClassifier(loss=loss, n_estimators=10)
    expected = model.fit(X, y).decision_function(X)
    given = np.append(np.ones(400), 0.0)  # not all equal before the row without weight goes
    rows, labels = np.vstack([X, X[:1]]), np.append(y, ~y[0])
    found = model.fit(rows, labels, sample_weight=given).decision_function(X)
    np.testing.assert_array_equal(found, expected)


def test_the_class_of_all_rows_that_count_is_named_as_it_was_given():
    X, y = np.arange(6.0).reshape(-1, 1), ["ill", "well"] * 3
    with pytest.raises(ValueError, match=r"one class \('ill'\)"):
        GradientBoostingClassifier().fit(X, y, sample_weight=[1.0, 0.0] * 3)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_of_very_many_leaves_takes_its_step(n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.random((40_000, 3)), rng.normal(size=40_000)
    model = GradientBoostingRegressor(
        n_estimators=1,
        learning_rate=1.0,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        l2_regularization=0.0,
        n_jobs=n_jobs,
    ).fit(X, y)
    values = model.trees_.value[model.trees_.is_leaf]
    assert len(values) > 2**15  # with the nodes above them, more than a ticket has tasks
    assert (values != 0.0).all()
    assert model.predict(X).mean() == pytest.approx(y.mean(), abs=1e-12)
