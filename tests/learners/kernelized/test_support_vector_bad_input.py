"""What support vector machines are given by mistake ends in a sentence, and changes no answer."""

import numpy as np
import pytest
from scipy import sparse

from surelearn import SupportVectorClassifier, SupportVectorRegressor
from surelearn.kernels import Gaussian, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] > 0.0).astype(int)
THIN = sparse.csr_array(X * (np.abs(X) > 0.5))
KINDS = [SupportVectorClassifier, SupportVectorRegressor]


@pytest.mark.parametrize("n_classes", [3, 4])
def test_another_multiclass_after_a_fit_is_for_the_next_one(n_classes):
    y = np.digitize(X[:, 0], np.linspace(-1.0, 1.0, n_classes + 1)[1:-1])
    model = SupportVectorClassifier(kernel=Gaussian()).fit(X, y)
    before = model.predict(X), model.decision_function(X)
    model.set_params(multiclass="one-vs-rest")
    np.testing.assert_array_equal(model.predict(X), before[0])
    np.testing.assert_array_equal(model.decision_function(X), before[1])


@pytest.mark.parametrize("C", ["1", None, 10**400, [1.0]])
def test_another_parameter_after_a_fit_is_told_before_certificates_read_it(C):
    model = SupportVectorClassifier(kernel=Gaussian()).fit(X, Y).set_params(C=C)
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.certificates()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_jobs", [np.inf, -np.inf, np.nan, 1.5, 0])
def test_threads_are_counted_in_whole_numbers(kind, n_jobs):
    with pytest.raises(ValueError, match="n_jobs"):
        kind(n_jobs=n_jobs).fit(X, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_may_read_sparse_rows_and_return_sparse_values(kind):
    product = kind(kernel=lambda A, B: A @ B.T).fit(THIN, Y)
    plain = kind(kernel=Linear()).fit(THIN, Y)
    np.testing.assert_allclose(product.predict(THIN), plain.predict(THIN), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [X, THIN])
@pytest.mark.parametrize(
    "values",
    [
        lambda A, B: "x",  # noqa: ARG005
        lambda A, B: None,  # noqa: ARG005
        lambda A, B: [[1.0], [1.0, 2.0]],  # noqa: ARG005
        lambda A, B: np.full((A.shape[0], B.shape[0]), 1j),
        lambda A, B: np.zeros((2, 2)),  # noqa: ARG005
        lambda A, B: np.full((A.shape[0], B.shape[0]), np.nan),
    ],
)
def test_a_function_that_returns_no_values_is_told(kind, rows, values):
    with pytest.raises(ValueError, match="the function given as kernel returned"):
        kind(kernel=values).fit(rows, Y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("values", "told"),
    [
        (lambda A, B: A @ B.T + 0.05 * (A[:, :1] - B[:, :1].T), "not symmetric"),
        (lambda A, B: np.ma.masked_greater(A @ B.T, 1.0), "masked values"),
    ],
)
def test_a_function_that_is_no_kernel_is_told(kind, values, told):
    with pytest.raises(ValueError, match=told):
        kind(kernel=values).fit(X, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_precomputed_values_are_dense_when_they_are_predicted_as_well(kind):
    model = kind(kernel="precomputed").fit(X @ X.T, Y)
    with pytest.raises(TypeError, match="must be dense"):
        model.predict(sparse.csr_array(X @ X.T))


@pytest.mark.parametrize(
    "weight", [[1.0], [1.0, 1.0], (), "heavy", 2.0, {0: "x"}, {0: np.nan}, {0: 10**400}]
)
def test_weights_of_classes_are_a_dict_of_numbers_or_balanced(weight):
    with pytest.raises(ValueError, match="class_weight"):
        SupportVectorClassifier(class_weight=weight).fit(X, Y)


def test_support_vectors_that_were_made_narrower_by_hand_are_told():
    rows = RNG.normal(size=(1500, 4))
    model = SupportVectorClassifier(kernel=Gaussian(gamma=0.01), C=0.1)
    model.fit(rows, RNG.integers(0, 2, len(rows)))
    model.support_vectors_ = model.support_vectors_[:, :1].copy()  # NumPy spreads one column
    with pytest.raises(ValueError, match=r"not as wide|one width"):
        model.predict(rows)
