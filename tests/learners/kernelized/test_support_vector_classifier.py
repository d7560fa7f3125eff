import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reference import support_vector_dual
from surelearn import SupportVectorClassifier
from surelearn.evaluate.leave_one_out import leave_one_out
from surelearn.kernels import Anova, Gaussian, Linear, Polynomial, Subsequence
from surelearn.learners.kernelized import _solved_problems
from surelearn.learners.kernelized._dual_solver import kernel_values
from surelearn.learners.kernelized._dual_solver.hulls import NotSeparableError
from surelearn.persistence.model_files import load_model, save_model

FX_B = (np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, 0]))
FX_C = (np.array([[-2.0], [-1.0], [0.5], [-0.5], [1.0], [2.0]]), np.array([0, 0, 0, 1, 1, 1]))


def noisy(n, d, seed=0, flips=0.1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] * X[:, 1] + X @ rng.normal(size=d) > 0.0) ^ (rng.random(n) < flips)
    return X, y.astype(int)


def alphas(model, y):
    found = np.zeros(len(y))
    found[model.support_] = np.where(y[model.support_] == 1, 1, -1) * model.dual_coef_[0]
    return found


def test_the_hard_margin_of_three_points():
    X, y = FX_B
    model = SupportVectorClassifier(kernel=Linear(), C=np.inf).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, [-2.0], rtol=1e-8)
    np.testing.assert_allclose(alphas(model, y), [0.25, 0.0, 0.25], rtol=1e-8)
    np.testing.assert_allclose(model.geometric_margin(X, y), np.sqrt(2.0), rtol=1e-8)
    np.testing.assert_allclose(model.signed_distance([[4.0, 3.0]]), [2.1213203436], rtol=1e-8)
    np.testing.assert_allclose([model.primal_values_[0], model.dual_values_[0]], 0.25, rtol=1e-8)


@pytest.mark.parametrize(("C", "weight"), [(0.2, 0.4), (0.25, 0.5), (3.0, 0.5)])
def test_a_soft_margin_becomes_the_hard_one_at_its_largest_multiplier(C, weight):
    model = SupportVectorClassifier(kernel=Linear(), C=C).fit(*FX_B)
    np.testing.assert_allclose(model.coef_, [[weight, weight]], rtol=1e-8)


@pytest.mark.parametrize(
    ("C", "value", "weight"),
    [(0.1, 0.475, 0.5), (0.5, 1.875, 0.5), (1.0, 3.5, 1.0), (10.0, 30.5, 1)],
)
def test_the_soft_margin_of_overlapping_points(C, value, weight):
    model = SupportVectorClassifier(kernel=Linear(), C=C).fit(*FX_C)
    found = [model.primal_values_[0], model.dual_values_[0], model.coef_[0, 0]]
    np.testing.assert_allclose(found, [value, value, weight], rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, 0.0, atol=1e-8)


def fx_r():
    X = np.random.default_rng(1).normal(size=(30, 2))
    X[:15] += 0.7
    X[15:] -= 0.7
    return X, np.repeat([1, 0], 15)


def test_the_gaussian_machine_of_the_catalogue():
    X, y = fx_r()
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.5)).fit(X, y)
    np.testing.assert_allclose(model.dual_values_, 9.8798091333, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, -0.3379516, atol=1e-7)
    assert len(model.support_) == 15
    found = model.leave_one_out_estimates()
    np.testing.assert_allclose([found.support_fraction, found.xi_alpha], [0.5, 0.4333], atol=1e-4)
    machine = SupportVectorClassifier(kernel=Gaussian(gamma=0.5))
    assert leave_one_out(machine, X, y).estimate == pytest.approx(0.2)


def test_coefficients_are_affine_in_the_price_where_nothing_changes_sides():
    X, y = fx_r()
    machines = [
        SupportVectorClassifier(kernel=Gaussian(gamma=0.5), C=C).fit(X, y)
        for C in (1.5, 1.51, 1.52, 1.53, 1.54)
    ]
    found = [alphas(model, y) for model in machines]
    assert np.abs(np.diff(found, n=2, axis=0)).max() < 1e-10


def test_every_row_has_its_karush_kuhn_tucker_class():
    model = SupportVectorClassifier(kernel=Linear(), C=10.0).fit(*FX_C)
    wrong, on, inside = "misclassified", "on the margin", "inside"
    assert model.kkt_classes().tolist() == [inside, on, wrong, wrong, on, inside]
    slack = SupportVectorClassifier(kernel=Linear(), C=0.1).fit([[-1.0], [1.0]], [0, 1])
    assert slack.kkt_classes().tolist() == ["slack", "slack"]


def test_without_free_support_vectors_the_intercept_is_the_smallest_that_is_optimal():
    model = SupportVectorClassifier(kernel=Linear(), C=0.1).fit([[-1.0], [1.0]], [0, 1])
    np.testing.assert_allclose(model.intercept_, 0.0, atol=1e-12)
    # b may be anything from 1.2 to 2.8 here: two rows as before, but two units to the left
    moved = SupportVectorClassifier(kernel=Linear(), C=0.1).fit([[-11.0], [-9.0]], [0, 1])
    np.testing.assert_allclose(moved.coef_, [[0.2]])
    np.testing.assert_allclose(moved.intercept_, [10.0 * 0.2 - 0.8])


def test_the_homogeneous_hard_margin():
    X, y = [[2.0, 0.0], [0.0, 2.0], [-1.0, -1.0], [3.0, 3.0]], [1, 1, 0, 1]
    model = SupportVectorClassifier(kernel=Linear(), C=np.inf, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[0.5, 0.5]], rtol=1e-8)
    assert model.intercept_.tolist() == [0.0]
    np.testing.assert_allclose(model.functional_margin(X, y), 1.0, rtol=1e-8)


def test_a_penalised_intercept_is_a_constant_feature():
    X, y = noisy(80, 3)
    ours = SupportVectorClassifier(kernel=Linear(), penalize_intercept=True).fit(X, y)
    wide = np.column_stack([X, np.ones(len(X))])
    twin = SupportVectorClassifier(kernel=Linear(), fit_intercept=False).fit(wide, y)
    np.testing.assert_allclose(ours.coef_[0], twin.coef_[0, :3], atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, twin.coef_[0, 3:], atol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), twin.decision_function(wide), atol=1e-8)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=0.5), Polynomial(degree=2)])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_equals_a_general_optimiser(kernel, intercept):
    X, y = noisy(24, 2, seed=3)
    model = SupportVectorClassifier(kernel=kernel, C=1.5, fit_intercept=intercept).fit(X, y)
    signs, K = 2.0 * y - 1.0, kernel(X)
    expected = support_vector_dual.classifier(K, signs, 1.5, balanced=intercept)
    value = expected.sum() - 0.5 * (signs * expected) @ K @ (signs * expected)
    np.testing.assert_allclose(model.dual_values_, value, rtol=1e-7)
    np.testing.assert_allclose(alphas(model, y), expected, atol=1e-4)


problems = st.tuples(
    st.integers(0, 2**31),
    st.integers(4, 60),
    st.integers(1, 4),
    st.floats(-3.0, 3.0),
    st.floats(-2, 2),
)


@given(problems)
@settings(max_examples=25, deadline=None)
def test_optimality_conditions_hold_on_random_problems(drawn):
    seed, n, d, log_C, log_gamma = drawn
    X, y = noisy(n, d if d > 1 else 2, seed=seed)
    y[:2] = [0, 1]
    C, kernel = 10.0**log_C, Gaussian(gamma=10.0**log_gamma)
    model = SupportVectorClassifier(kernel=kernel, C=C).fit(X, y)
    signs = 2.0 * y - 1.0
    alpha, margins = alphas(model, y), signs * model.decision_function(X)
    assert abs(alpha @ signs) <= 1e-9 * C
    assert (alpha >= 0.0).all()
    assert (alpha <= C).all()
    assert (margins[alpha == 0.0] >= 1.0 - 1e-3).all()
    assert (margins[alpha == C] <= 1.0 + 1e-3).all()
    free = (alpha > 0.0) & (alpha < C)
    np.testing.assert_allclose(margins[free], 1.0, atol=1e-3)
    assert model.kkt_violation_[0] <= 1e-3


SHIPPED = {
    "iris": load_iris,
    "wine": load_wine,
    "cancer": load_breast_cancer,
    "digits": load_digits,
}


@pytest.mark.parametrize("name", SHIPPED)
def test_objectives_and_decisions_are_those_of_libsvm(name):
    X, y = SHIPPED[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = SupportVectorClassifier().fit(X, y)
    peer = SVC(tol=1e-6, break_ties=True, gamma=ours.kernel_.gamma).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), peer.predict(X))
    pairs = itertools.combinations(range(len(ours.classes_)), 2)
    for value, pair in zip(ours.dual_values_, pairs, strict=True):
        rows = np.isin(y, pair)
        own = SVC(tol=1e-8, gamma=ours.kernel_.gamma).fit(X[rows], y[rows])
        beta = own.dual_coef_[0]
        expected = np.abs(beta).sum() - 0.5 * beta @ ours.kernel_(own.support_vectors_) @ beta
        np.testing.assert_allclose(value, expected, rtol=1e-6)
    assert (ours.duality_gap_ < 1e-3).all()


def test_large_problems_are_solved_block_by_block_to_the_objective_of_libsvm():
    X, y = noisy(3000, 4)
    ours = SupportVectorClassifier(kernel=Gaussian(gamma=0.3)).fit(X, y)
    peer = SVC(gamma=0.3).fit(X, y)
    signs = 2.0 * y - 1.0
    beta = np.zeros(len(X))
    beta[peer.support_] = peer.dual_coef_[0]
    value = np.abs(beta).sum() - 0.5 * beta @ Gaussian(gamma=0.3)(X) @ beta
    assert ours.dual_values_[0] >= value * (1.0 - 1e-6)
    assert ours.kkt_violation_[0] <= 1e-3
    assert 0.0 <= ours.duality_gap_[0] < 1e-3
    assert np.mean(ours.predict(X) == peer.predict(X)) > 0.999
    alone = [ours.decision_function(X[i : i + 1])[0] for i in range(5)]
    np.testing.assert_array_equal(ours.decision_function(X)[:5], alone)
    np.testing.assert_allclose(ours.training_errors_, np.sum(ours.predict(X) != y), atol=1)
    margins = signs * ours.decision_function(X)
    assert set(np.flatnonzero(margins <= 1.0 - 1e-4)) <= set(ours.compression_set_)


def test_weights_are_repeated_rows():
    X, y = noisy(60, 3)
    counts = np.random.default_rng(1).integers(0, 4, size=60)
    weighted = SupportVectorClassifier(kernel=Gaussian(gamma=0.4)).fit(X, y, sample_weight=counts)
    repeated = SupportVectorClassifier(kernel=Gaussian(gamma=0.4)).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )


def test_class_weights_multiply_sample_weights():
    X, y = noisy(60, 3)
    kernel = Gaussian(gamma=0.3)
    one = SupportVectorClassifier(kernel=kernel, class_weight={0: 3.0, 1: 0.5}).fit(X, y)
    weights = np.where(y == 0, 3.0, 0.5)
    other = SupportVectorClassifier(kernel=kernel).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-8)
    assert one.weighted_


def test_the_order_of_rows_does_not_matter():
    X, y = noisy(150, 3)
    order = np.random.default_rng(5).permutation(len(X))
    one = SupportVectorClassifier(C=3.0).fit(X, y)
    other = SupportVectorClassifier(C=3.0).fit(X[order], y[order])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-7)


def test_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    model = SupportVectorClassifier(multiclass="one-vs-rest").fit(X, y)
    for k in range(3):
        alone = SupportVectorClassifier(kernel=model.kernel_).fit(X, y == k)
        np.testing.assert_allclose(
            model.decision_function(X)[:, k], alone.decision_function(X), atol=1e-7
        )
    assert model.training_errors_ == np.sum(model.predict(X) != y)


def test_dense_sparse_single_precision_and_text_labels_agree():
    X, y = noisy(1300, 6)
    X = np.where(np.abs(X) < 1.0, 0.0, X.round(1))
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.2)).fit(X, y)
    thin = SupportVectorClassifier(kernel=Gaussian(gamma=0.2)).fit(sparse.csr_array(X), y)
    words = SupportVectorClassifier(kernel=Gaussian(gamma=0.2)).fit(
        X.astype(np.float32), np.where(y == 1, "yes", "no")
    )
    expected = model.decision_function(X)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), expected, atol=2e-3)
    np.testing.assert_allclose(words.decision_function(X), expected, atol=2e-3)
    assert set(words.predict(X)) == {"yes", "no"}


@pytest.mark.parametrize("gamma", [1e-3, 50.0])
def test_steep_and_flat_kernels_are_solved_to_the_tolerance(gamma):
    X, y = noisy(1500, 3)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=gamma), C=100.0).fit(1e3 + X, y)
    assert model.kkt_violation_[0] <= 1e-3
    K = Gaussian(gamma=gamma)(X)
    signs, beta = 2.0 * y - 1.0, np.zeros(len(X))
    beta[model.support_] = model.dual_coef_[0]
    f = K @ beta - signs
    low, high = np.where(signs > 0, 0.0, -100.0), np.where(signs > 0, 100.0, 0.0)
    assert f[beta > low].max() - f[beta < high].min() <= 1.1e-3


def test_a_function_and_a_precomputed_matrix_do_what_the_kernel_does():
    X, y = noisy(70, 3)
    kernel = Gaussian(gamma=0.3)
    model = SupportVectorClassifier(kernel=kernel).fit(X, y)
    called = SupportVectorClassifier(kernel=kernel.__call__).fit(X, y)
    gram = kernel(X)
    gram.flags.writeable = False
    given_values = SupportVectorClassifier(kernel="precomputed").fit(gram, y)
    alone = SupportVectorClassifier(kernel="precomputed", fit_intercept=False).fit(gram, y)
    assert alone.intercept_.tolist() == [0.0]
    new = X[:7] + 0.1
    expected = model.decision_function(new)
    np.testing.assert_allclose(called.decision_function(new), expected, atol=1e-7)
    np.testing.assert_allclose(given_values.decision_function(kernel(new, X)), expected, atol=1e-7)
    assert given_values.support_vectors_.shape == (0, 70)


def test_strings_and_bits():
    kernel = Subsequence(order=2, decay=0.5).normalised()
    model = SupportVectorClassifier(kernel=kernel).fit(["cat", "car", "dog", "dig"], list("aadd"))
    assert model.predict(["cart", "dug"]).tolist() == ["a", "d"]
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    boolean = SupportVectorClassifier(kernel=Anova(), C=100.0).fit(bits, [0, 1, 1, 0])
    assert boolean.predict(bits).tolist() == [0, 1, 1, 0]


def test_a_warm_start_ends_at_the_same_optimum_in_fewer_steps():
    X, y = noisy(400, 4)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.2), C=1.0, warm_start=True).fit(X, y)
    model.set_params(C=1.1).fit(X, y)
    cold = SupportVectorClassifier(kernel=Gaussian(gamma=0.2), C=1.1).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-6)
    assert model.n_iter_[0] < cold.n_iter_[0]


def test_probabilities_come_from_calibration_alone():
    X, y = noisy(90, 2)
    model = SupportVectorClassifier()
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="CalibratedClassifierCV"):
        model.fit(X, y).predict_proba(X)
    calibrated = CalibratedClassifierCV(SupportVectorClassifier(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (90, 2)


def test_a_search_that_is_cut_short_says_so():
    X, y = noisy(200, 3)
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = SupportVectorClassifier(max_iter=5).fit(X, y)
    assert model.kkt_violation_[0] > 1e-3
    assert model.duality_gap_[0] > 0.0


def test_classes_that_cannot_be_separated_are_refused_with_a_point_where_they_meet():
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(NotSeparableError, match="cannot be separated") as caught:
        SupportVectorClassifier(kernel=Linear(), C=np.inf).fit(corners, [0, 0, 1, 1])
    rows, weights = caught.value.rows, caught.value.weights
    np.testing.assert_allclose(weights[weights > 0].sum(), 1.0)
    np.testing.assert_allclose(weights @ corners[rows], 0.0, atol=1e-5)


@pytest.mark.parametrize(
    ("setting", "X", "y"),
    [
        ({"fit_intercept": False}, [[1, 0], [2, 1], [1.5, 1], [3, 0.5], [2, 0]], [0, 1, 0, 1, 1]),
        ({"penalize_intercept": True}, [[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1]),
    ],
)
def test_a_hard_margin_without_a_free_intercept_is_refused_with_a_witness(setting, X, y):
    X = np.array(X, dtype=float)
    machine = SupportVectorClassifier(kernel=Linear(), C=np.inf, max_iter=100_000, **setting)
    with pytest.raises(NotSeparableError, match="cannot be separated") as caught:
        machine.fit(X, y)
    rows, weights = caught.value.rows, caught.value.weights
    np.testing.assert_allclose(weights @ X[rows], 0.0, atol=2e-5)
    assert (weights > 0.0).any()
    assert (weights < 0.0).any()
    together = "fit_intercept" in setting
    assert ("without an intercept" in str(caught.value)) == together
    np.testing.assert_allclose(np.abs(weights).sum(), 1.0 if together else 2.0)


def test_the_witness_names_no_row_without_weight():
    X = np.array([[0.0], [2.0], [1.0], [5.0], [0.5]])
    machine = SupportVectorClassifier(kernel=Linear(), C=np.inf)
    with pytest.raises(NotSeparableError) as caught:
        machine.fit(X, [1, 1, 0, 0, 1], sample_weight=[1.0, 1.0, 1.0, 1.0, 0.0])
    assert 4 not in caught.value.rows
    weights = dict(zip(caught.value.rows.tolist(), caught.value.weights, strict=True))
    assert weights[0] * weights[1] > 0.0 > weights[0] * weights[2]


def test_the_witness_of_many_classes_names_rows_of_the_whole_table():
    X = np.array([[9.0], [8.0], [0.0], [2.0], [1.0], [3.0]])
    with pytest.raises(NotSeparableError) as caught:
        SupportVectorClassifier(kernel=Linear(), C=np.inf).fit(X, [0, 0, 1, 1, 2, 2])
    assert set(caught.value.rows) <= {2, 3, 4, 5}


def test_contradictory_copies_cannot_be_separated_by_any_kernel():
    X, y = [[0.0], [1.0], [1.0]], [0, 0, 1]
    with pytest.raises(ValueError, match="row 2"):
        SupportVectorClassifier(kernel=Gaussian(gamma=1.0), C=np.inf).fit(X, y)
    soft = SupportVectorClassifier(kernel=Gaussian(gamma=1.0)).fit(X, y)
    assert soft.kkt_violation_[0] <= 1e-3


def test_rows_that_are_all_the_same_are_learnt_from():
    model = SupportVectorClassifier().fit(np.ones((6, 2)), [0, 1, 0, 1, 1, 1])
    assert model.predict([[1.0, 1.0]]).tolist() == [1]


BAD = {
    "C is 0": ({"C": 0.0}, None, "C=0.0 must be"),
    "C is negative": ({"C": -1.0}, None, "must be a number above 0"),
    "C is NaN": ({"C": np.nan}, None, "must be a number above 0"),
    "tol is 0": ({"tol": 0.0}, None, "tol=0.0 must be"),
    "a short name": ({"kernel": "rbf"}, None, "write kernel=Gaussian"),
    "no kernel": ({"kernel": 3}, None, "must be a kernel"),
    "a word": ({"multiclass": "all"}, None, "one-vs-rest"),
    "no intercept to penalise": (
        {"fit_intercept": False, "penalize_intercept": True},
        None,
        "needs",
    ),
    "not square": ({"kernel": "precomputed"}, np.ones((4, 3)), "square"),
    "not symmetric": ({"kernel": "precomputed"}, np.triu(np.ones((4, 4))), "symmetric"),
    "not a kernel": (
        {"kernel": "precomputed"},
        np.ones((4, 4)) - 2 * np.eye(4),
        "eigenvalue|itself",
    ),
    "strings": ({"kernel": Linear()}, np.array([["a"], ["b"], ["c"], ["d"]]), "could not convert"),
    "a list of strings": ({"kernel": Linear()}, ["a", "b", "c", "d"], "X holds strings"),
    "numbers for strings": ({"kernel": Subsequence()}, np.ones((4, 2)), "reads strings"),
    "wrong shape": ({"kernel": lambda A, B: np.ones(3)}, np.ones((4, 2)), "returned shape"),  # noqa: ARG005
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_leaves_the_model_as_it_was(name):
    parameters, X, message = BAD[name]
    model = SupportVectorClassifier().fit(*FX_C)
    before = model.decision_function(FX_C[0])
    model.set_params(**parameters)
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(np.arange(8.0).reshape(4, 2) if X is None else X, [0, 1, 0, 1])
    np.testing.assert_array_equal(model.decision_function(FX_C[0]), before)


def test_a_function_that_is_no_kernel_is_refused_by_its_smallest_eigenvalue(monkeypatch):
    def distance(A, B):
        return ((A[:, None] - B[None]) ** 2).sum(axis=2)

    with pytest.raises(ValueError, match="eigenvalue -"):
        SupportVectorClassifier(kernel=distance).fit(*noisy(40, 2))
    with pytest.raises(ValueError, match="eigenvalue of -"):
        SupportVectorClassifier(kernel=distance).fit(*noisy(700, 2))
    monkeypatch.setattr(kernel_values, "WHOLE", 600)  # then no value is kept
    with pytest.raises(ValueError, match="squared distance -"):
        SupportVectorClassifier(kernel=distance).fit(*noisy(700, 2))


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class"):
        SupportVectorClassifier().fit([[0.0], [1.0]], [1, 1])
    with pytest.raises(ValueError, match="weight 0"):
        SupportVectorClassifier().fit([[0.0], [1.0]], [0, 1], sample_weight=[1.0, 0.0])


def test_a_linear_kernel_on_many_rows_is_solved_through_the_weights():
    X, y = noisy(6100, 2, flips=0.02)
    for chosen in ({}, {"penalize_intercept": True}):
        model = SupportVectorClassifier(kernel=Linear(), C=0.1, **chosen).fit(X, y)
        assert model.duality_gap_[0] <= 1e-3
        scores = X @ model.coef_[0] + model.intercept_[0]
        hinge = np.maximum(0.0, 1.0 - (2.0 * y - 1.0) * scores).sum()
        length = 0.5 * (model.coef_[0] @ model.coef_[0])
        length += 0.5 * model.intercept_[0] ** 2 * bool(chosen)
        np.testing.assert_allclose(model.primal_values_, length + 0.1 * hinge, rtol=1e-8)


def test_a_hopeless_price_ends_in_time_with_what_was_asked_for():
    X, y = noisy(150, 3, flips=0.3)
    model = SupportVectorClassifier(kernel=Linear(), C=1e3).fit(X, y)
    assert model.kkt_violation_[0] <= 1e-3
    assert model.n_iter_[0] < 10_000_000


def test_a_hard_margin_that_is_cut_short_has_no_finite_gap():
    model = SupportVectorClassifier(kernel=Gaussian(gamma=1.0), C=np.inf, max_iter=2)
    with pytest.warns(ConvergenceWarning):
        model.fit(*noisy(60, 2))
    assert model.duality_gap_[0] == np.inf


def test_a_path_of_more_than_a_thousand_rows():
    X, y = noisy(1010, 2)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.1), C=0.01)
    path = model.regularization_path(X, y, C_max=0.0101)
    assert path.violations.max() < 1e-4


def test_a_function_as_kernel_cannot_be_stored(tmp_path):
    model = SupportVectorClassifier(kernel=Gaussian(gamma=1.0).__call__).fit(*FX_C)
    with pytest.raises((TypeError, ValueError)):
        save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})


def test_leaving_rows_out_equals_refitting():
    X, y = noisy(40, 2, seed=2)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.5))
    fast, slow = (leave_one_out(model, X, y, shortcut=use) for use in (True, False))
    assert fast.shortcut == "refitting for support vectors alone"
    assert slow.shortcut is None
    np.testing.assert_array_equal(fast.predictions, slow.predictions)
    assert "with one fit" not in str(fast)
    iris_X, iris_y = (part[::4] for part in load_iris(return_X_y=True))
    fast, slow = (leave_one_out(model, iris_X, iris_y, shortcut=use) for use in (True, False))
    np.testing.assert_array_equal(fast.predictions, slow.predictions)


def test_leave_one_out_of_overlapping_points():
    result = leave_one_out(SupportVectorClassifier(kernel=Linear()), *FX_C)
    assert np.flatnonzero(result.losses).tolist() == [2, 3]
    found = SupportVectorClassifier(kernel=Linear()).fit(*FX_C).leave_one_out_estimates()
    assert result.estimate <= found.support_fraction == 4 / 6


def test_xi_alpha_is_never_below_the_leave_one_out_error():
    X, y = noisy(50, 2, seed=4)
    kernel = Gaussian(gamma=0.5)
    for C in (0.1, 1.0, 10.0):
        model = SupportVectorClassifier(kernel=kernel, C=C).fit(X, y)
        loo = leave_one_out(SupportVectorClassifier(kernel=kernel, C=C), X, y).estimate
        assert loo <= model.leave_one_out_estimates().xi_alpha


def test_the_path_of_overlapping_points_is_affine_between_breaks():
    path = SupportVectorClassifier(kernel=Linear(), C=0.1).regularization_path(*FX_C, C_max=30.0)
    for C in (1.0, 2.0, 4.0, 8.0, 20.0):
        coef, b = path.at(C)
        half = C / 2 + 0.5
        np.testing.assert_allclose(coef, [0.0, -half, -C, C, half, 0.0], atol=1e-8)
        np.testing.assert_allclose(b, 0.0, atol=1e-8)
    with pytest.raises(ValueError, match="from 0"):
        path.at(31.0)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_path_passes_through_the_machines_of_all_its_settings(intercept):
    X, y = noisy(60, 2, seed=1)
    base = SupportVectorClassifier(kernel=Gaussian(gamma=0.5), C=0.05, fit_intercept=intercept)
    path = base.regularization_path(X, y, C_max=50.0)
    assert path.violations.max() < 1e-6
    assert len(path.C) > 20
    for C in (0.06, 0.3, 1.0, 7.0, 49.0):
        model = base.set_params(C=C).fit(X, y)
        coef, b = path.at(C)
        scores = Gaussian(gamma=0.5)(X) @ coef + b
        np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-5)


def test_a_model_file_gives_the_same_scores(tmp_path):
    X, y = noisy(50, 3)
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.5)).fit(X, y)
    save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    loaded = load_model(tmp_path / "model.surelearn").model
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    twin = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(twin.decision_function(X), model.decision_function(X))


def test_many_sparse_rows_are_solved_like_dense_ones(monkeypatch):
    monkeypatch.setattr(_solved_problems, "WHOLE", 1_000)  # so that no values are kept
    X = sparse.random_array((1_200, 900), density=0.02, rng=0).tocsr()
    y = np.asarray(X.sum(axis=1)).ravel() > 9.0
    thin = SupportVectorClassifier(kernel=Gaussian(gamma=1.0)).fit(X, y)
    full = SupportVectorClassifier(kernel=Gaussian(gamma=1.0)).fit(X.toarray(), y)
    assert thin.duality_gap_.max() < 1e-3
    np.testing.assert_allclose(thin.dual_values_, full.dual_values_, rtol=1e-6)
    np.testing.assert_allclose(
        thin.decision_function(X[:50]), full.decision_function(X[:50].toarray()), atol=2e-3
    )


@pytest.mark.parametrize("C", [1e9, 1e12, 1e20, 1e99])
def test_a_box_that_is_far_too_wide_does_not_make_small_coefficients_vanish(C):
    X, y = noisy(60, 3, flips=0.0)
    hard = SupportVectorClassifier(C=np.inf, kernel=Gaussian(gamma=1.0), tol=1e-9).fit(X, y)
    wide = SupportVectorClassifier(C=C, kernel=Gaussian(gamma=1.0), tol=1e-9).fit(X, y)
    assert np.allclose(alphas(wide, y), alphas(hard, y), rtol=1e-5, atol=1e-7)
    assert wide.kkt_violation_[0] < 1e-8
    assert (wide.predict(X) == y).all()


def test_a_box_that_floats_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="asks for a hard margin"):
        SupportVectorClassifier(C=1e308).fit(*FX_B)
