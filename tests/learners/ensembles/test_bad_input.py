"""What ensembles refuse, and what they survive."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from surelearn import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    CARTClassifier,
    CARTRegressor,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from surelearn.persistence.model_files import load_model, save_model

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0.0).astype(int)
OF_ANY = {
    BaggingClassifier: CARTRegressor,
    BaggingRegressor: CARTClassifier,
    ForwardStagewiseClassifier: CARTRegressor,
    ForwardStagewiseRegressor: CARTClassifier,
}


@pytest.mark.parametrize("kind", OF_ANY)
def test_members_that_are_no_learners_of_the_kind_are_refused_by_a_sentence(kind):
    for member in ("tree", 5, object(), OF_ANY[kind](), CARTClassifier):
        with pytest.raises(TypeError, match=r"estimator=.* must be a (classifier|regressor)"):
            kind(estimator=member).fit(X, Y)


class AnswersAColumn(BaseEstimator):
    """A member whose answers are a column, as those of some libraries are."""

    def fit(self, X, y, sample_weight=None):
        del X, sample_weight
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, :1] > 0.0, self.classes_[-1], self.classes_[0])


class ColumnOfClasses(ClassifierMixin, AnswersAColumn):
    """A classifier of that kind, which also knows no probability."""

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


class ColumnOfNumbers(RegressorMixin, AnswersAColumn):
    """A regressor of that kind."""


@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(estimator=ColumnOfClasses()),
        BaggingClassifier(ColumnOfClasses(), voting="hard"),
        ForwardStagewiseClassifier(estimator=ColumnOfClasses()),
    ],
)
def test_answers_that_are_not_one_for_each_row_are_refused(model):
    with pytest.raises(ValueError, match=r"answered 60 rows by an array of shape \(60, 1\)"):
        model.fit(X, Y)


def test_numbers_that_are_not_one_for_each_row_are_refused():
    with pytest.raises(ValueError, match=r"answered 60 rows by an array of shape \(60, 1\)"):
        ForwardStagewiseRegressor(estimator=ColumnOfNumbers()).fit(X, X[:, 0])
    model = BaggingRegressor(ColumnOfNumbers()).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"answered 60 rows by an array of shape \(60, 1\)"):
        model.predict(X)


def test_probabilities_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match=r"probabilities of ColumnOfClasses .* no finite numbers"):
        BaggingClassifier(ColumnOfClasses()).fit(X, Y)


def test_classes_that_all_weigh_nothing_are_refused():
    model = GradientBoostingClassifier(class_weight={0: 0.0, 1: 0.0})
    with pytest.raises(ValueError, match="sum to 0"):
        model.fit(X, Y)


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, RandomForestRegressor])
def test_weights_that_sum_to_infinity_are_refused(kind):
    with pytest.raises(ValueError, match="sample_weight sums to inf"):
        kind(n_estimators=2).fit(X, Y, sample_weight=np.full(60, 1e308))


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
@pytest.mark.parametrize("weight", [5e-324, 1e-308, 1e297])
def test_forests_of_tiny_and_of_huge_weights_are_those_of_ones(kind, weight):
    plain = kind(n_estimators=3).fit(X, Y)
    model = kind(n_estimators=3).fit(X, Y, sample_weight=np.full(60, weight))
    assert np.array_equal(model.predict(X), plain.predict(X))


def test_gains_of_huge_targets_are_finite_and_can_be_stored(tmp_path):
    model = GradientBoostingRegressor(n_estimators=3, min_samples_leaf=1).fit(X, X[:, 0] * 1e200)
    assert np.isfinite(model.feature_importances_).all()
    save_model(model, tmp_path / "m", schema={}, metadata={})
    assert np.array_equal(load_model(tmp_path / "m").model.predict(X), model.predict(X))


@pytest.mark.parametrize("learner", [AdaBoostClassifier, GradientBoostingClassifier])
def test_one_class_is_refused_without_advice_that_the_learner_cannot_follow(learner):
    with pytest.raises(ValueError, match=r"needs examples of two$"):
        learner().fit(np.arange(6.0)[:, np.newaxis], np.zeros(6))


def test_one_tree_may_be_asked_for_by_a_truth_value_as_elsewhere():
    X = np.arange(8.0)[:, np.newaxis]
    assert RandomForestClassifier(n_estimators=True).fit(X, X[:, 0] > 3).trees_.n_trees == 1


class _Stranger(ClassifierMixin, BaseEstimator):
    def fit(self, _, y, sample_weight=None):
        self.classes_, self.weights_ = np.unique(y), sample_weight
        return self

    def predict(self, X):
        return np.full(len(X), 7)


def test_a_member_that_answers_an_unknown_label_is_named():
    with pytest.raises(ValueError, match="_Stranger answered labels that are not among"):
        AdaBoostClassifier(estimator=_Stranger()).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_trees_of_bins_refuse_more_classes_than_their_words_have_room_for():
    y = np.arange(2**16 + 1)
    forest = RandomForestClassifier(n_estimators=1, bootstrap=False, max_depth=1)
    with pytest.raises(ValueError, match="y has 65537 classes, and trees of bins take 65536: set"):
        forest.fit((y > 9).astype(float)[:, np.newaxis], y)
