"""AdaBoost: the catalogue's runs, its edges, its plain version, its certificates."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier as PeerAdaBoost
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from reference import adaboost
from surelearn import AdaBoostClassifier, CARTClassifier, Holdout
from surelearn.bounds import boosting
from surelearn.certificate import BoundViolatedError, certify, checked
from surelearn.learners.ensembles._boosting_rounds import VoteRule, run_rounds

TEN = np.arange(10.0)[:, np.newaxis]
SIGNS = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def noisy(n=300, d=4, seed=0):
    """Return rows with two classes that no stump tells apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sign(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n)).astype(int)


def test_the_ten_points_of_the_catalogue():
    model = AdaBoostClassifier(n_estimators=3).fit(TEN, SIGNS)
    assert model.errors_ == pytest.approx([0.3, 0.2142857143, 0.1818181818], abs=5e-11)
    assert model.alphas_ == pytest.approx([0.4236489302, 0.6496414921, 0.7520386984], abs=5e-11)
    products = [0.9165151390, 0.7521398046, 0.5801925341]
    assert model.training_error_bounds_ == pytest.approx(products, abs=5e-11)
    assert model.stumps_.threshold.tolist() == [2.5, 8.5, 5.5]
    assert model.stumps_.answers[:, 0].tolist() == [1, 1, 0]
    errors = [np.mean(answers != SIGNS) for answers in model.staged_predict(TEN)]
    assert errors == pytest.approx([0.3, 0.3, 0.0])
    scores = model.decision_function(TEN)
    assert np.exp(-SIGNS * scores).mean() == pytest.approx(
        model.training_error_bounds_[-1], rel=1e-14
    )


def test_each_member_is_a_coin_under_the_weights_that_follow_it():
    X, y = noisy()
    model = AdaBoostClassifier(n_estimators=8).fit(X, y)
    for scores, t in zip(model.staged_decision_function(X), range(8), strict=True):
        weights = np.exp(-y * scores)
        wrong = model.classes_[model.stumps_.answer(t, X)] != y
        assert weights[wrong].sum() / weights.sum() == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_its_plain_version(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, size=(60, 3)).astype(float)
    y = np.where((X[:, 0] + X[:, 1] > 5) ^ (rng.random(60) < 0.2), 1, -1)
    stumps, alphas, errors = adaboost.learn(X, y, 12)
    model = AdaBoostClassifier(n_estimators=12).fit(X, y)
    assert model.errors_ == pytest.approx(errors, rel=1e-12)
    assert model.alphas_ == pytest.approx(alphas, rel=1e-10)
    found = list(zip(model.stumps_.feature.tolist(), model.stumps_.threshold, strict=True))
    assert found == [(feature, threshold) for feature, threshold, _ in stumps]
    expected = adaboost.scores(X, stumps, alphas)
    assert model.decision_function(X) == pytest.approx(expected, abs=1e-12)


def test_the_beta_form_has_the_same_weights_and_answers():
    X, y = noisy(n=80)
    answers, weights = adaboost.beta_form(X, (y > 0).astype(int), 9)
    model = AdaBoostClassifier(n_estimators=9).fit(X, y)
    assert (answers == (model.predict(X) > 0)).all()
    ours = np.exp(-y * model.decision_function(X))
    assert ours / ours.sum() == pytest.approx(weights / weights.sum(), rel=1e-9)


class Scripted(DecisionTreeClassifier):
    """A weak learner whose t-th copy is wrong on row t alone."""

    calls = 0

    def fit(self, X, y, sample_weight=None):  # noqa: ARG002
        """Take the next turn."""
        self.turn_ = Scripted.calls
        Scripted.calls += 1
        self.classes_, self.labels_, self.weights_ = np.unique(y), y, sample_weight
        return self

    def predict(self, X):  # noqa: ARG002
        """Be wrong on one row."""
        answers = self.labels_.copy()
        wrong = self.turn_ % len(answers)
        answers[wrong] = -answers[wrong]
        return answers


def test_three_points_with_a_factor_for_each_round():
    Scripted.calls = 0
    y = np.array([1, 1, -1])
    model = AdaBoostClassifier(estimator=Scripted(), n_estimators=3).fit(np.zeros((3, 1)), y)
    assert model.errors_ == pytest.approx([1 / 3, 1 / 4, 1 / 6])
    assert model.training_errors_ == 0
    assert model.training_error_bounds_[-1] == pytest.approx(0.608581, abs=5e-7)
    votes = model.decision_function(np.zeros((3, 1))) * y
    assert votes[2] * 2 == pytest.approx(np.log(6 / 5))


def test_three_points_with_one_factor_and_a_plain_majority():
    Scripted.calls = 0
    y = np.array([1, 1, -1])
    model = AdaBoostClassifier(estimator=Scripted(), n_estimators=3, edge=1 / 6)
    model.fit(np.zeros((3, 1)), y)
    assert model.errors_ == pytest.approx([1 / 3, 1 / 4, 1 / 5])
    weights = [member.weights_ for member in model.estimators_]
    assert weights[1] == pytest.approx(np.array([2, 1, 1]) / 4)
    assert weights[2] == pytest.approx(np.array([2, 2, 1]) / 5)
    assert (y * model.decision_function(np.zeros((3, 1)))).tolist() == [1.0, 1.0, 1.0]
    [certificate] = model.certificates()
    assert certificate.bound == pytest.approx(0.838052, abs=5e-7)
    assert {p.status for p in certificate.preconditions} == {"checked", "by-construction"}


def test_with_one_factor_a_round_above_the_promised_error_ends_the_run_and_says_so():
    X, y = noisy()
    with pytest.warns(UserWarning, match="where the guarantee lapses"):
        model = AdaBoostClassifier(n_estimators=200, edge=0.15).fit(X, y)
    assert 1 <= len(model.errors_) < 200
    assert (model.errors_ <= 0.35 + 1e-9).all()
    assert "above 1/2 - edge" in model.stop_reason_
    assert model.certificates()[0].status == "valid"


def test_the_vote_is_compared_with_zero_as_on_the_first_rows_of_breast_cancer():
    X, y = (a[:200] for a in load_breast_cancer(return_X_y=True))
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    model = AdaBoostClassifier(estimator=stump, n_estimators=30, random_state=0).fit(X, y)
    assert model.training_errors_ == 0
    halves = model.decision_function(X) / model.alphas_.sum() > 0.5  # the threshold once printed
    assert np.mean(halves != y) == pytest.approx(0.235)


def test_it_agrees_with_scikit_learn_given_the_same_stumps():
    X, y = (a[:200] for a in load_breast_cancer(return_X_y=True))
    stump = CARTClassifier(max_depth=1)
    ours = AdaBoostClassifier(estimator=stump, n_estimators=20).fit(X, y)
    peer = PeerAdaBoost(stump, n_estimators=20).fit(X, y)
    assert ours.estimator_weights_ == pytest.approx(peer.estimator_weights_, rel=1e-9)
    assert ours.estimator_errors_ == pytest.approx(peer.estimator_errors_, rel=1e-9)
    assert (ours.predict(X) == peer.predict(X)).all()


def test_many_classes_are_scikit_learns_samme():
    X, y = load_iris(return_X_y=True)
    stump = CARTClassifier(max_depth=1)
    ours = AdaBoostClassifier(estimator=stump, n_estimators=10, learning_rate=0.5).fit(X, y)
    peer = PeerAdaBoost(stump, n_estimators=10, learning_rate=0.5).fit(X, y)
    assert ours.estimator_weights_ == pytest.approx(peer.estimator_weights_, rel=1e-9)
    assert (ours.predict(X) == peer.predict(X)).all()
    [certificate] = ours.certificates()
    assert certificate.method == "boosting.plurality_training_error"
    assert certificate.observed <= certificate.bound


def test_stumps_of_many_classes_have_the_least_weighted_error():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 5, size=(40, 2)).astype(float)
    y = (X[:, 0] + rng.integers(0, 3, 40)).astype(int) % 3
    weights = rng.random(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AdaBoostClassifier(n_estimators=1).fit(X, y, weights)
    least = min(
        sum(
            weights[side].sum() - np.bincount(y[side], weights[side]).max(initial=0.0)
            for side in (X[:, j] <= cut, X[:, j] > cut)
        )
        for j in range(2)
        for cut in np.unique(X[:, j])
    )
    assert model.errors_[0] == pytest.approx(least / weights.sum(), rel=1e-9)


def test_a_member_without_error_is_kept_alone():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 1.0]])
    model = AdaBoostClassifier().fit(X, [0, 0, 1, 1])
    assert model.errors_.tolist() == [0.0]
    assert model.training_errors_ == 0
    assert "kept alone" in model.stop_reason_
    assert model.certificates()[0].bound == 0.0


def test_a_row_whose_weight_has_vanished_still_counts_as_wrong():
    codes, weights = np.array([0, 1, 1, 1]), np.array([1e-320, 1.0, 1.0, 1.0])
    answers = iter([[1, 1, 1, 1], [0, 1, 1, 0]])
    rounds = run_rounds(
        lambda _: (None, np.array(next(answers))), codes, weights, 2, VoteRule(2, 1.0, None)
    )
    assert len(rounds.members) == 2
    assert rounds.errors[0] > 0.0
    assert np.isfinite(rounds.alphas).all()


def test_a_first_member_no_better_than_chance_is_refused_with_a_sentence():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = AdaBoostClassifier().fit(TEN, SIGNS)
    before = model.errors_
    with pytest.raises(ValueError, match="the first member is no better than chance"):
        model.fit(X, [0, 1, 1, 0])
    assert model.errors_ is before


class Sulking(CARTClassifier):
    """A weak learner that answers at random from its third copy on."""

    calls = 0

    def fit(self, X, y, sample_weight=None):
        """Learn twice, then learn the opposite."""
        Sulking.calls += 1
        return super().fit(X, -y if Sulking.calls > 2 else y, sample_weight)


def test_a_later_member_no_better_than_chance_is_discarded_and_said():
    X, y = noisy()
    Sulking.calls = 0
    with pytest.warns(UserWarning, match=r"ended after 2 rounds: round 3 was discarded"):
        model = AdaBoostClassifier(estimator=Sulking(max_depth=1), n_estimators=9).fit(X, y)
    assert len(model.estimators_) == 2
    assert model.certificates()[0].status == "valid"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"n_estimators": 0}, "n_estimators"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"edge": 0.5}, "edge"),
        ({"edge": 0.1, "learning_rate": 0.5}, "leave learning_rate"),
        ({"estimator": KNeighborsClassifier()}, "takes no sample_weight"),
        ({"estimator": LinearRegression()}, "must be a classifier"),
        ({"estimator": CARTClassifier}, "must be a classifier"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(change, says):
    with pytest.raises((TypeError, ValueError), match=says):
        AdaBoostClassifier(**change).fit(TEN, SIGNS)


def test_weights_of_rows_are_refused_if_all_are_zero_and_count_as_copies():
    with pytest.raises(ValueError, match="zero everywhere"):
        AdaBoostClassifier().fit(TEN, SIGNS, np.zeros(10))
    weights = np.array([1, 2, 0, 1, 3, 1, 1, 0, 2, 1])
    weighted = AdaBoostClassifier(n_estimators=4).fit(TEN, SIGNS, weights)
    copies = np.repeat(np.arange(10), weights)
    repeated = AdaBoostClassifier(n_estimators=4).fit(TEN[copies], SIGNS[copies])
    assert weighted.errors_ == pytest.approx(repeated.errors_, rel=1e-12)
    assert weighted.training_error_ == pytest.approx(repeated.training_error_)
    assert "of the weight of its training rows" in weighted.certificates()[0].claim


def test_missing_cells_go_to_the_better_side_and_categories_have_answers_of_their_own():
    size = np.array([1.0, 2.0, 3.0, np.nan, np.nan, np.nan])
    model = AdaBoostClassifier(n_estimators=1).fit(size[:, np.newaxis], [0, 0, 0, 1, 1, 1])
    assert model.training_errors_ == 0
    assert model.predict([[9.0], [np.nan]]).tolist() == [0, 1]
    colour = pd.DataFrame({"colour": ["red", "blue", "green", "red", None, "blue"] * 3})
    y = np.tile(["yes", "no", "yes", "yes", "no", "no"], 3)
    model = AdaBoostClassifier(n_estimators=1).fit(colour, y)
    assert model.training_errors_ == 0
    new = pd.DataFrame({"colour": ["green", None, "mauve"]})
    assert model.predict(new).tolist()[:2] == ["yes", "no"]
    growth = next(c for c in model.certificates() if "growth" in c.method)
    assert growth.reproduce["inputs"]["n_features"] == 2**3


def test_a_category_that_no_row_of_weight_has_is_answered_as_one_that_was_not_there():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"kind": list("aabbccddee") * 8})
    y = np.where(rng.random(80) < 0.15, table["kind"] == "b", table["kind"] != "b")
    there = (table["kind"] != "e").to_numpy()
    weighted = AdaBoostClassifier(n_estimators=4).fit(table, y, sample_weight=there.astype(float))
    plain = AdaBoostClassifier(n_estimators=4).fit(table[there], y[there])
    np.testing.assert_allclose(weighted.decision_function(table), plain.decision_function(table))


def test_sparse_rows_are_those_of_the_dense_table():
    X, y = noisy()
    X = np.where(X > 0.5, X, 0.0)
    dense = AdaBoostClassifier(n_estimators=10).fit(X, y)
    thin = AdaBoostClassifier(n_estimators=10).fit(sparse.csr_array(X), y)
    assert (dense.decision_function(X) == thin.decision_function(sparse.csr_array(X))).all()
    Holdout(sparse.csr_array(noisy(seed=1)[0]), y, delta=0.05).certify(thin)
    with pytest.raises(ValueError, match="stand in the training data"):
        Holdout(sparse.csr_array(X), y, delta=0.05).certify(thin)


def test_margins_lie_between_minus_one_and_one_and_are_positive_where_it_is_right():
    X, y = noisy()
    model = AdaBoostClassifier(n_estimators=20).fit(X, y)
    margins = model.margins(X, y)
    assert np.abs(margins).max() <= 1.0
    assert ((margins > 0.0) == (model.predict(X) == y)).all()
    with pytest.raises(ValueError, match="rows and"):
        model.margins(X, y[:3])


def test_labels_by_coin_leave_the_training_error_below_its_bound_and_the_risk_unproved():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    for seed in range(20):
        y = np.random.default_rng(seed).integers(0, 2, 120)
        model = AdaBoostClassifier(n_estimators=40).fit(X, y)
        product, exponential, growth, margins = model.certificates()
        assert model.training_error_ <= product.bound <= exponential.bound
        assert growth.status == margins.status == "vacuous"


def test_a_bound_on_wrong_rounds_would_be_noticed():
    guarantee = boosting.adaboost_training_error(weighted_errors=[0.01] * 5)
    evidence = {key: checked("") for key in guarantee.assumes}
    with pytest.raises(BoundViolatedError):
        certify(
            guarantee, kind="training-error", subject="s", observed=0.3, n=10, evidence=evidence
        )


def test_stumps_certify_their_risk_where_there_are_many_rows():
    X, y = noisy(n=6000)
    model = AdaBoostClassifier(n_estimators=5).fit(X, y)
    growth = model.certificates(delta=0.05)[2]
    assert growth.status == "valid"
    direct = boosting.vote_growth_stumps(
        errors=model.training_errors_, n=6000, n_rounds=5, n_features=4, delta=0.025
    )
    assert growth.bound == direct.bound
    fresh_X, fresh_y = noisy(n=20000, seed=1)
    assert np.mean(model.predict(fresh_X) != fresh_y) <= growth.bound


def test_probabilities_are_the_logistic_function_of_twice_the_score():
    X, y = noisy()
    model = AdaBoostClassifier(n_estimators=7).fit(X, y)
    expected = 1.0 / (1.0 + np.exp(-2.0 * model.decision_function(X)))
    assert model.predict_proba(X)[:, 1] == pytest.approx(expected, rel=1e-12)


def test_steps_that_would_raise_the_loss_are_refused():
    X, y = np.arange(10.0)[:, np.newaxis], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    with pytest.raises(ValueError, match=r"learning_rate=1000 must be at most 2: beyond"):
        AdaBoostClassifier(learning_rate=1000).fit(X, y)
    model = AdaBoostClassifier(learning_rate=2.0, n_estimators=5).fit(X, y)
    assert np.isfinite(model.normalisers_).all()
