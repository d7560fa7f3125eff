""" "Checked: no row of the hold-out was used for training" is said only where it is so."""

from types import MethodType

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from surelearn import (
    AdaBoostClassifier,
    CARTClassifier,
    CARTRegressor,
    FiniteClass,
    GradientBoostingClassifier,
    Holdout,
    KernelHuberRegression,
    KernelLogisticRegression,
    LogisticRegression,
    MaximumEntropy,
    MaximumEntropyQuasiNewton,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    Perceptron,
    SupportVectorClassifier,
    SupportVectorRegressor,
)
from surelearn._jit import fingerprints
from surelearn.evaluate._row_by_row import is_ours
from surelearn.evaluate._training_memory import compare_with_training, training_memory

RNG = np.random.default_rng(0)
X, X_NEW = RNG.normal(size=(200, 3)), RNG.normal(size=(60, 3))
y, y_new = X[:, 0] > 0.0, X_NEW[:, 0] > 0.0
LEARNERS = [Perceptron(), CARTClassifier(), LogisticRegression(), NearestNeighborsClassifier()]


def unseen(model, rows):
    return compare_with_training(model, rows, allow_duplicates=True)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_learner_of_ours_that_saw_no_row_is_checked(learner):
    assert unseen(clone(learner).fit(X, y), X_NEW).status == "checked"


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
@pytest.mark.parametrize(
    ("learnt", "asked"), [("f4", "f8"), ("f8", "f4"), ("f4", "f4"), ("f8", "f8")]
)
def test_rows_learnt_in_another_precision_are_no_new_rows(learner, learnt, asked):
    model = clone(learner).fit(X.astype(learnt), y)
    assert unseen(model, X[:50].astype(asked)).status == "assumed"
    if (learnt, asked) != ("f8", "f4"):  # what was lost by rounding cannot be found again
        with pytest.raises(ValueError, match="50 of 50 hold-out rows also stand in the training"):
            Holdout(X[:50].astype(asked), y[:50]).certify(model)


def test_rows_of_whole_numbers_are_the_same_in_every_precision():
    whole = np.arange(300.0).reshape(100, 3)
    model = Perceptron().fit(whole[:50], np.arange(50) % 2)
    assert unseen(model, whole[50:].astype("f4")).status == "checked"


def test_rows_that_only_rounding_makes_alike_are_not_refused():
    times = 1.7e9 + np.arange(200.0)[:, np.newaxis]
    model = Perceptron().fit(times[::2], np.arange(100) % 2)
    found = training_memory(model, times[1::2])
    assert found.shared == 0
    assert not found.complete


def test_copies_of_one_row_leave_no_other_out_of_the_sketch():
    hashes = np.concatenate([np.zeros(8192), np.arange(1, 101)]).astype(np.uint64)
    assert len(fingerprints.sketch(hashes)) == 101


def test_copies_of_one_row_do_not_hide_another_that_was_learnt():
    many = np.repeat(X[:1], 9000, axis=0)
    model = Perceptron(max_iter=1).fit(
        np.concatenate([many, X]), np.append(np.repeat(y[:1], 9000), y)
    )
    with pytest.raises(ValueError, match="100 of 100 hold-out rows"):
        Holdout(X[100:], y[100:]).certify(model)


@pytest.mark.parametrize("make", [CARTClassifier, CARTRegressor])
@pytest.mark.parametrize("prune", ["prune_reduced_error", "prune_cross_validated"])
def test_rows_by_which_a_tree_was_pruned_count_as_training_rows(make, prune):
    model = make().fit(X, y)
    pruned = getattr(model, prune)(X_NEW, y_new)
    assert unseen(model, X_NEW).status == "checked"
    assert training_memory(pruned, X_NEW).shared == len(X_NEW)
    assert training_memory(pruned, X).shared == len(X)


def test_a_tree_is_not_snapped_to_other_rows_than_its_own():
    rows = np.arange(40.0)[:, np.newaxis]
    model = CARTClassifier().fit(rows, rows[:, 0] > 20.0)
    with pytest.raises(ValueError, match="not the rows this tree was fitted to"):
        model.snap(rows + 0.25, rows[:, 0] > 20.0)


def test_a_warm_start_remembers_the_rows_it_started_from():
    model = LogisticRegression(warm_start=True).fit(X_NEW, y_new)
    model.fit(X, y)
    assert training_memory(model, X_NEW).shared == len(X_NEW)
    assert training_memory(clone(model).fit(X, y), X_NEW).shared == 0


class Wrapper(ClassifierMixin, BaseEstimator):
    """Answers by a model that was given to it, and passes on what it is asked for."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y):  # noqa: ARG002 - it has learnt already
        return self

    def predict(self, X):
        return self.model.predict(X)

    def __getattr__(self, name):
        return getattr(vars(self)["model"], name)


class Other(Perceptron):
    """A class made from a learner may learn from what it likes."""


META = {
    "search": GridSearchCV(CARTClassifier(), {"max_depth": [1, 2]}, cv=2),
    "vote": VotingClassifier([("tree", CARTClassifier()), ("line", Perceptron())]),
    "stack": StackingClassifier([("tree", CARTClassifier())], cv=2),
    "calibrated": CalibratedClassifierCV(LogisticRegression(), cv=2),
    "bagging": BaggingClassifier(CARTClassifier(), n_estimators=3, random_state=0),
    "columns": BaggingClassifier(CARTClassifier(), n_estimators=3, max_features=2, random_state=0),
    "rest": OneVsRestClassifier(Perceptron()),
    "nested": make_pipeline(
        FunctionTransformer(), GridSearchCV(make_pipeline(Perceptron()), {}, cv=2)
    ),
    "scaled": GridSearchCV(make_pipeline(StandardScaler(), Perceptron()), {}, cv=2),
    "of numbers": TransformedTargetRegressor(CARTRegressor(), func=np.exp, inverse_func=np.log),
}


@pytest.mark.parametrize("model", META.values(), ids=META)
def test_a_model_of_models_is_never_checked_and_refused_the_rows_its_learners_saw(model):
    fitted = clone(model).fit(X, y.astype(float))
    assert unseen(fitted, X_NEW).status == "assumed"
    assert training_memory(fitted, X_NEW).shared == 0
    with pytest.raises(ValueError, match="hold-out rows also stand in the training data"):
        compare_with_training(fitted, X, allow_duplicates=False)


@pytest.mark.parametrize("make", [Wrapper, FrozenEstimator])
def test_a_model_that_passes_on_is_refused_the_rows_of_the_one_inside(make):
    with pytest.raises(ValueError, match="hold-out rows also stand in the training data"):
        compare_with_training(make(Perceptron().fit(X, y)), X, allow_duplicates=False)
    assert unseen(Wrapper(Perceptron().fit(X, y)), X_NEW).status == "assumed"


def test_the_template_of_a_fitted_model_was_not_trained_by_it():
    template = CARTClassifier().fit(X_NEW, y_new)
    fitted = BaggingClassifier(template, n_estimators=2, random_state=0).fit(X, y)
    assert training_memory(fitted, X_NEW).shared == 0


def test_a_model_that_holds_itself_is_looked_into_once():
    model = Wrapper(Perceptron().fit(X, y))
    model.itself_ = model
    assert training_memory(model, X_NEW).shared == 0


def test_a_learner_that_holds_itself_or_a_method_of_its_own_is_looked_into_once():
    """Who replaces a method for one object leaves the object in it."""
    learner = CARTClassifier().fit(X, y)
    learner.predict = MethodType(lambda _, rows: np.ones(len(rows), dtype=bool), learner)
    certificate = Holdout(X_NEW, y_new).certify(learner)
    assert {p.status for p in certificate.preconditions} == {"assumed"}
    learner = CARTClassifier().fit(X, y)
    learner.others = [learner]
    assert "changed after it was fitted" in training_memory(learner, X_NEW).evidence
    assert is_ours(learner)


def test_a_class_made_from_a_learner_is_not_checked():
    assert unseen(Other().fit(X, y), X_NEW).status == "assumed"


@pytest.mark.parametrize("go_on", ["partial_fit", "learn", "learn_one"])
def test_a_learner_that_learnt_more_remembers_nothing(go_on):
    model = Perceptron().fit(X, y)
    row, label = (X_NEW[0], y_new[0]) if go_on == "learn_one" else (X_NEW[:1], y_new[:1])
    getattr(model, go_on)(row, label)
    assert unseen(model, X_NEW).status == "assumed"


def test_a_learner_that_was_changed_by_hand_is_not_checked():
    model = LogisticRegression().fit(X, y)
    model.coef_[0, 0] += 1.0
    found = unseen(model, X_NEW)
    assert found.status == "assumed"
    assert "changed after it was fitted" in found.text


@pytest.mark.parametrize(
    ("learner", "attribute"),
    [
        (SupportVectorRegressor(), "dual_coef_"),
        (NearestNeighborsRegressor(), "targets_"),
        (KernelHuberRegression(), "dual_coef_"),
        (KernelLogisticRegression(), "dual_coef_"),
        (MaximumEntropyQuasiNewton(), "weights_"),
    ],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_a_learner_without_certificates_of_its_own_is_not_checked_either(learner, attribute):
    model = learner.fit(X, y.astype(int))
    model.predict(X_NEW)
    assert unseen(model, X_NEW).status == "checked"
    held = getattr(model, attribute)
    setattr(model, attribute, np.asarray(held) * -1.0)
    assert "changed after it was fitted" in unseen(model, X_NEW).text


def test_a_regression_tree_that_was_changed_by_hand_is_not_checked():
    model = CARTRegressor(max_depth=2).fit(X, X[:, 0])
    assert unseen(model, X_NEW).status == "checked"
    model.tree_.value[...] += 1.0
    assert unseen(model, X_NEW).status == "assumed"


class WellRead(ClassifierMixin, BaseEstimator):
    """A weak learner that has read other rows than it is given."""

    def fit(self, rows, labels, sample_weight=None):
        del rows, sample_weight
        self.classes_ = np.unique(labels)
        self.own_ = CARTClassifier().fit(X_NEW, y_new)
        return self

    def predict(self, rows):
        return self.own_.predict(rows)


def test_members_of_an_ensemble_may_know_rows_that_it_was_not_given():
    model = AdaBoostClassifier(estimator=WellRead(), n_estimators=1).fit(X, y)
    with pytest.raises(ValueError, match="60 of 60 hold-out rows"):
        compare_with_training(model, X_NEW, allow_duplicates=False)
    for weak, status in ((CARTClassifier(max_depth=1), "checked"), (None, "checked")):
        model = AdaBoostClassifier(estimator=weak, n_estimators=2).fit(X, y)
        assert unseen(model, X_NEW).status == status
    model = AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=1)).fit(X, y)
    assert "what else DecisionTreeClassifier learns from" in unseen(model, X_NEW).text
    assert unseen(model, X_NEW).status == "assumed"


def test_a_warm_start_does_not_forget_the_rows_before():
    model = GradientBoostingClassifier(n_estimators=2, warm_start=True).fit(X_NEW, y_new)
    model.set_params(n_estimators=4).fit(X, y)
    assert training_memory(model, X).shared == 200
    assert training_memory(model, X_NEW).shared == 60


def tells(rows):
    """Return the labels of rows by heart."""
    known = {row.tobytes(): label for row, label in zip(X_NEW, y_new, strict=True)}
    return np.array([known.get(row.tobytes(), False) for row in np.ascontiguousarray(rows)])


@pytest.mark.parametrize(
    "learner",
    [
        FiniteClass(hypotheses=[tells, lambda rows: rows[:, 0] > 9.0]),
        SupportVectorClassifier(kernel=lambda first, other: first @ other.T),
        MaximumEntropy(features=[lambda row, label: float((row[0] > 0.5) == (label == 1))]),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_what_functions_know_that_a_learner_was_given_is_not_known(learner):
    found = unseen(learner.fit(X, y.astype(int)), X_NEW)
    assert found.status == "assumed"
    assert f"functions given to {type(learner).__name__}" in found.text


def test_a_learner_that_asks_the_methods_of_a_model_is_refused_the_rows_it_saw():
    other = NearestNeighborsClassifier(n_neighbors=1).fit(X_NEW, y_new)
    model = FiniteClass(hypotheses=[other.predict, lambda rows: rows[:, 0] > 9.0]).fit(X, y)
    with pytest.raises(ValueError, match="60 of 60 hold-out rows"):
        Holdout(X_NEW, y_new).certify(model)
