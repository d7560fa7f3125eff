import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from surelearn import (
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    ForwardStagewiseClassifier,
    Perceptron,
)
from surelearn.learners.ensembles import _members


def noisy(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, "yes", "no")


def test_the_catalogues_three_points_vote_as_over_all_27_bootstraps():
    # S = {(0, -), (1, +), (2, +)}, one neighbour, asked at .4: E h = -11/27.
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1, 1, 1])
    neighbour = KNeighborsClassifier(1)
    model = BaggingClassifier(neighbour, 500, voting="hard", n_jobs=1).fit(X, y)
    shares = model.predict_proba([[0.4]])[0]
    assert abs((shares[1] - shares[0]) - (-11 / 27)) < 4 / np.sqrt(500)
    assert model.predict([[0.4]]) == [-1]


@pytest.mark.parametrize("m", [10, 100])
def test_a_bag_holds_the_catalogued_number_of_distinct_rows(m):
    sizes = [len(_members.draw_bag(0, t, m, m, bootstrap=True).rows) for t in range(4000)]
    assert abs(np.mean(sizes) - m * (1 - (1 - 1 / m) ** m)) < 0.1


@pytest.mark.parametrize(
    "base", [None, CARTClassifier(max_depth=3), DecisionTreeClassifier(), Perceptron()]
)
def test_any_learner_can_be_bagged_and_threads_change_nothing(base):
    X, y = noisy(300)
    one, many = (BaggingClassifier(base, 8, n_jobs=jobs).fit(X[:200], y[:200]) for jobs in (1, 3))
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))
    assert one.score(X[200:], y[200:]) > 0.7
    assert len(one.estimators_) == 8


def test_bagging_steadies_a_tree():
    X, y = noisy(600)
    single = CARTClassifier().fit(X[:300], y[:300]).score(X[300:], y[300:])
    assert BaggingClassifier(n_estimators=40).fit(X[:300], y[:300]).score(X[300:], y[300:]) > single


def test_members_see_their_columns_and_frames_keep_their_names():
    X, y = noisy(100)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(word=np.where(X[:, 1] > 0, "u", "v"))
    model = BaggingClassifier(n_estimators=6, max_features=2).fit(frame, y)
    assert model.estimators_features_.shape == (6, 2)
    assert model.estimators_[0].n_features_in_ == 2
    assert len(model.predict(frame)) == 100
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d", "word"]


def test_a_bag_without_a_class_is_told():
    X, y = noisy(30)
    y[:] = "no"
    y[3] = "yes"
    with pytest.raises(ValueError, match="may lack a class"):
        BaggingClassifier(LogisticRegression(), 20).fit(X, y)


def test_a_bag_without_a_class_is_no_trouble_for_trees():
    X, y = noisy(30)
    y[:] = "no"
    y[3], y[4] = "yes", "perhaps"
    model = BaggingClassifier(n_estimators=20).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_added_members_are_those_of_one_fit_and_void_the_certificate():
    X, y = noisy(80)
    grown = BaggingClassifier(n_estimators=3, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=7).fit(X, y)
    whole = BaggingClassifier(n_estimators=7).fit(X, y)
    np.testing.assert_array_equal(grown.predict_proba(X), whole.predict_proba(X))
    assert grown.certificates()[0].status == "void"
    with pytest.raises(ValueError, match="same rows"):
        grown.set_params(n_estimators=9).fit(X[::-1], y)


def test_weights_reach_members_that_take_them():
    X, y = np.zeros((20, 1)), np.tile([0, 1], 10)
    weights = np.where(y == 1, 3.0, 1.0)
    assert BaggingClassifier(n_estimators=30).fit(X, y, weights).predict([[0.0]]) == [1]
    with pytest.raises(ValueError, match="takes no sample_weight"):
        BaggingClassifier(KNeighborsClassifier(1), 3).fit(X, y, weights)


def test_out_of_bag_predictions_estimate_the_error_of_a_regressor():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    y = 4.0 * X[:, 0] + rng.normal(size=300)
    model = BaggingRegressor(n_estimators=50, oob_score=True).fit(X, y)
    fresh = rng.uniform(size=(2000, 2))
    truth = model.score(fresh, 4.0 * fresh[:, 0] + rng.normal(size=2000))
    assert abs(model.oob_score_ - truth) < 0.15
    assert model.score(X, y) > model.oob_score_ + 0.2
    with pytest.raises(ValueError, match="rows outside the bags"):
        BaggingRegressor(n_estimators=3, bootstrap=False, oob_score=True).fit(X, y)


@pytest.mark.parametrize("labels", [(1, 2), ("sick", "well")])
@pytest.mark.parametrize(
    "ensemble",
    [
        BaggingClassifier(DecisionTreeClassifier(max_depth=2), 8),
        BaggingClassifier(make_pipeline(DecisionTreeClassifier(max_depth=2)), 8),
        ForwardStagewiseClassifier(estimator=DecisionTreeClassifier(max_depth=1), n_estimators=1),
    ],
)
def test_weights_of_classes_are_those_of_the_labels_that_members_are_told_by_places(
    ensemble, labels
):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0.0, labels[0], labels[1])
    name = next(key for key in ensemble.get_params() if key.endswith("class_weight"))
    shares = [
        (clone(ensemble).set_params(**{name: {label: 50.0}}).fit(X, y).predict(X) == label).mean()
        for label in labels
    ]
    assert min(shares) > 0.7
    with pytest.raises(ValueError, match="none of the classes"):
        clone(ensemble).set_params(**{name: {"other": 50.0}}).fit(X, y)


def test_learners_of_others_are_named_wherever_they_stand_within_a_member():
    X, labels = noisy()
    y = (labels == "yes").astype(int)
    frozen = FrozenEstimator(CARTClassifier(max_depth=2).fit(X, y))
    for base in (frozen, DecisionTreeClassifier()):
        inner = BaggingClassifier(base, n_estimators=2)
        for member in (base, inner, BaggingClassifier(inner, n_estimators=2)):
            model = BaggingClassifier(member, n_estimators=3).fit(X, y)
            evidence = {each.key: each.evidence for each in model.certificates()[0].preconditions}
            assert f"not that {type(base).__name__} learns from others" in evidence["unseen"]


@pytest.mark.parametrize("voting", ["soft", "hard"])
@pytest.mark.parametrize("named", [("no", "yes"), (1, 2)])
def test_a_member_that_was_fitted_before_to_other_names_of_classes_is_refused(voting, named):
    X, labels = noisy()
    y = np.where(labels == "yes", named[1], named[0])
    frozen = FrozenEstimator(CARTClassifier(max_depth=2).fit(X, y))
    with pytest.raises(ValueError, match="names classes that it was not given"):
        BaggingClassifier(frozen, n_estimators=3, voting=voting).fit(X, y)
