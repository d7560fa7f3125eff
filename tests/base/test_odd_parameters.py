"""Parameters of odd types and sizes: taken for what they are, or refused by name."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from surelearn import (
    AdaBoostClassifier,
    BaggingClassifier,
    BudgetedKernelPerceptron,
    CARTClassifier,
    CARTRegressor,
    Conservative,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    ID3Classifier,
    KernelPegasos,
    LocallyScaledRegressor,
    LogisticRegression,
    NearestNeighborsClassifier,
    Pegasos,
    Perceptron,
    RandomForestClassifier,
    checks,
)

REFUSED = [
    (AdaBoostClassifier, "estimator", Decimal("sNaN")),
    (CARTClassifier, "class_weight", Decimal("sNaN")),
    (GradientBoostingClassifier, "monotonic_cst", Decimal("sNaN")),
    (LogisticRegression, "C", Fraction(10**400)),
    (CARTClassifier, "max_depth", np.uint64(2**63)),
    (CARTClassifier, "min_samples_leaf", np.uint64(2**63)),
    (GradientBoostingClassifier, "interactions", np.uint64(2**63)),
    (RandomForestClassifier, "min_samples_split", np.uint64(2**64 - 1)),
    (RandomForestClassifier, "max_features", np.timedelta64(2, "s")),
    (CARTClassifier, "max_depth", 2.5),
    (CARTClassifier, "thresholds", ""),
    (ID3Classifier, "most_categories", -1),
    (CARTClassifier, "most_categories", float("nan")),
    (BudgetedKernelPerceptron, "removal", []),
    (BudgetedKernelPerceptron, "removal", np.array([2])),
    (KernelPegasos, "average", np.array([])),
    (Conservative, "estimator", {}),
    (Conservative, "estimator", set()),
    (Pegasos, "batch_size", 10**6),
]


@pytest.mark.parametrize(("learner", "name", "value"), REFUSED)
def test_what_a_parameter_cannot_be_is_refused_by_its_name(learner, name, value):
    X, y = checks.small_table(Perceptron())
    with pytest.raises((TypeError, ValueError), match=name[:5]):
        learner(**{name: value}).fit(X, y)


@pytest.mark.parametrize("name", ["max_depth", "max_leaf_nodes", "max_nodes", "min_samples_leaf"])
def test_a_whole_float_counts_wherever_whole_numbers_do(name):
    X, y = checks.small_table(CARTRegressor())
    odd, plain = (CARTRegressor(**{name: value}).fit(X, y) for value in (3.0, 3))
    np.testing.assert_array_equal(odd.predict(X), plain.predict(X))
    assert odd.get_params()[name] == 3.0


@pytest.mark.parametrize("n_jobs", [2.0, np.float32(-1.0)])
def test_a_forest_answers_by_as_many_jobs_as_it_was_fitted_by(n_jobs):
    X, y = checks.small_table(RandomForestClassifier())
    odd, plain = (
        RandomForestClassifier(n_estimators=5, n_jobs=jobs, random_state=0).fit(X, y)
        for jobs in (n_jobs, int(n_jobs))
    )
    np.testing.assert_array_equal(odd.predict(X), plain.predict(X))


@pytest.mark.parametrize("n_jobs", ["two", 2.5, 0, float("nan")])
@pytest.mark.parametrize(
    "learner",
    [
        NearestNeighborsClassifier(),
        GradientBoostingClassifier(n_estimators=2),
        BaggingClassifier(n_estimators=2),
        RandomForestClassifier(n_estimators=2),
    ],
)
def test_a_number_of_jobs_set_after_fit_is_refused_by_its_name(learner, n_jobs):
    X = np.arange(12.0)[:, np.newaxis]
    model = clone(learner).fit(X, [0, 1] * 6).set_params(n_jobs=n_jobs)
    with pytest.raises(ValueError, match="n_jobs must be a whole number of jobs"):
        model.predict(X)


def test_more_folds_than_rows_are_one_for_each():
    X, y = checks.small_table(LocallyScaledRegressor())
    odd, plain = (LocallyScaledRegressor(cv=cv).fit(X, y) for cv in (1e308, len(y)))
    np.testing.assert_array_equal(odd.predict(X), plain.predict(X))


@pytest.mark.parametrize("rate", [1e9, 1e308])
def test_boosting_that_goes_beyond_floats_says_so(rate):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = GradientBoostingRegressor(learning_rate=rate)
    with pytest.raises(ValueError, match="lower learning_rate"):
        model.fit(X, X[:, 0])
    assert not hasattr(model, "trees_")


class StopAfterOnePass:
    """A callback that ends a run before its first batch is full."""

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):  # noqa: ARG002
        return True


def test_a_batch_that_was_never_full_proves_nothing():
    X, y = checks.small_table(Pegasos())
    model = Pegasos(batch_size=2 * len(y)).set_callbacks(StopAfterOnePass()).fit(X, y)
    assert model.n_steps_ == 0
    assert model.certificates() == ()
