"""Operations on kernels: the numbers of the catalogue and what is refused."""

import math

import numpy as np
import pytest
from sklearn.svm import SVC

from surelearn import kernels
from surelearn.kernels import Agreement, Gaussian, Linear, Polynomial, Subsequence

X = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
A, B = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]])


def test_a_kernel_of_a_map_needs_no_inverse():
    gram = Linear().of(np.abs)([[-1.0], [2.0]])
    assert gram.tolist() == [[1.0, 2.0], [2.0, 4.0]]
    assert np.linalg.eigvalsh(gram) == pytest.approx([0.0, 5.0], abs=1e-15)


def test_a_rotation_of_the_features_is_the_same_kernel_and_a_stretch_is_not():
    turn = math.pi / 6
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    assert Linear().of(lambda p: p @ rotation)(X) == pytest.approx(Linear()(X), abs=1e-14)
    assert Linear().of(lambda p: p * [2.0, 1.0])(A, B).item() == 20.0
    assert Linear()(A, B).item() == 11.0


def test_the_generalised_inner_product_is_the_kernel_of_a_linear_map():
    root = np.linalg.cholesky([[2.0, 1.0], [1.0, 1.0]])
    assert Linear().of(lambda p: p @ root)(A, B).item() == pytest.approx(24.0, rel=1e-14)
    skew = np.array([[1.0, 2.0], [0.0, 1.0]])
    assert ((A @ skew @ B.T).item(), (B @ skew @ A.T).item()) == (19.0, 23.0)


def test_an_exponential_series_converges_to_the_exponential():
    def truncated(terms):
        return sum((0.5 * 11.0) ** i / math.factorial(i) for i in range(terms + 1))

    value = (0.5 * Linear()).exp()(A, B).item()
    assert value == pytest.approx(244.691932264, abs=5e-10)
    assert truncated(10) == pytest.approx(238.513154976, abs=5e-10)
    assert truncated(20) == pytest.approx(244.691840591, abs=5e-10)


def test_the_printed_features_of_the_exponential_series_miss_it():
    a, x, t = 0.5, 1.2, -0.7
    correct = [math.sqrt(a**i / math.factorial(i)) for i in range(30)]
    printed = [1.0, math.sqrt(2.0), math.sqrt(a / 2), math.sqrt(a**3 / 6)]

    def series(weights):
        return sum(w**2 * (x * t) ** i for i, w in enumerate(weights))

    assert (0.5 * Linear()).exp()([[x]], [[t]]).item() == pytest.approx(0.6570468198, abs=5e-11)
    assert series(correct) == pytest.approx(0.6570468198, abs=5e-11)
    assert series(printed) == pytest.approx(-0.515948, abs=5e-7)


def test_sums_and_products_of_the_catalogue_are_positive():
    rng = np.random.default_rng(4)
    points = rng.standard_normal((12, 2))
    for kernel in (Gaussian() + Polynomial(), Gaussian() * Polynomial()):
        assert np.linalg.eigvalsh(kernel(points))[0] > 0.0
    product = np.array([[2.0, 1.0], [1.0, 1.0]]) * np.array([[1.0, -1.0], [-1.0, 3.0]])
    assert np.linalg.eigvalsh(product) == pytest.approx([1.3819660113, 3.6180339887], abs=5e-11)


def test_differences_and_negative_multiples_are_refused():
    with pytest.raises(TypeError):
        Gaussian() - Linear()
    for factor in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="factor="):
            factor * Linear()


def test_numbers_of_numpy_multiply_kernels_too():
    assert np.float64(2.0) * Linear() == Linear() * 2.0 == 2.0 * Linear()
    assert 1.0 + Linear() == Linear() + 1.0


def test_zero_times_a_kernel_is_zero_and_its_cosine_too():
    assert not (0.0 * Gaussian())(X).any()
    assert not (0.0 * Gaussian()).normalised()(X).any()


def test_strings_and_vectors_do_not_add():
    with pytest.raises(ValueError, match="different points"):
        Subsequence() + Linear()
    assert (Agreement() + Linear()).domain == "bits"
    assert (Linear().of(np.abs) * Linear()).domain == "vectors"


def test_a_map_lets_strings_and_vectors_add_after_all():
    def lengths(words):
        return [[float(len(word))] for word in words]

    kernel = Subsequence(order=1, decay=1.0) + Linear().of(lengths)
    assert kernel(["ab"], ["a", "bb"]).tolist() == [[3.0, 6.0]]
    assert kernel.domain == "strings"


def test_the_norm_of_a_function_is_a_quadratic_form_in_the_gram_matrix():
    kernel, weights = Gaussian(gamma=1.0), np.array([1.0, -1.0])
    centres = np.array([[0.0], [1.0]])
    assert weights @ kernel(centres) @ weights == pytest.approx(1.264241, abs=5e-7)
    assert (kernel([[0.0]], centres) @ weights).item() == pytest.approx(0.632121, abs=5e-7)


def test_a_support_vector_machine_of_scikit_learn_takes_our_kernels():
    rng = np.random.default_rng(5)
    x = rng.standard_normal((80, 2))
    y = np.sign((x**2).sum(axis=1) - 1.5)
    ours = SVC(kernel=Gaussian(gamma=0.5)).fit(x, y)
    theirs = SVC(kernel="rbf", gamma=0.5).fit(x, y)
    assert ours.decision_function(x) == pytest.approx(theirs.decision_function(x), abs=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: kernels.Exponentiated(3),
        lambda: kernels.Sum(kernels.Linear(), "x"),
        lambda: kernels.PullBack(None, abs),
        lambda: kernels.PullBack(kernels.Linear(), 3),
    ],
)
def test_what_is_no_kernel_is_refused_at_once(make):
    with pytest.raises(TypeError, match=r"is no kernel|must be a function"):
        make()
