"""The kernel Perceptron against its plain self, the Perceptron, the catalogue, and its theorems."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from reference import kernel_perceptron as plain
from reference.streams import streams
from surelearn import Perceptron
from surelearn.bounds import mistakes_boolean
from surelearn.checks import ONLINE_CHECKS
from surelearn.datasets import adversaries
from surelearn.datasets.real import load
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.kernels import Agreement, Anova, Gaussian, Linear, Polynomial, Subsequence
from surelearn.learners.kernelized import _dual, kernel_perceptron
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron

FX_B = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), np.array([1, 1, -1])
CORNERS = np.array(list(itertools.product([-1.0, 1.0], repeat=2)))
ALL_SIX_BITS = np.array(list(itertools.product([0, 1], repeat=6)))

integer_rows = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=st.integers(-3, 3)
)


def both(seed, n):
    signs = np.where([(seed >> t) & 1 for t in range(n)], 1.0, -1.0)
    signs[:2] = -1.0, 1.0
    return signs


@pytest.fixture(params=[0, 2**24], ids=["block by block", "kept"])
def tiny_blocks(monkeypatch, request):
    """Cut the rows into blocks so small that every branch is taken; keep their values, or not."""
    monkeypatch.setattr(kernel_perceptron, "_KEPT_VALUES", request.param)
    monkeypatch.setattr(kernel_perceptron, "_BLOCK", 4)
    monkeypatch.setattr(_dual, "_VALUES_AT_ONCE", 8)


@pytest.mark.usefixtures("tiny_blocks")
@settings(deadline=None, max_examples=50)
@given(
    integer_rows,
    st.integers(0, 2**30 - 1),
    st.sampled_from([Linear(), Linear() + 1, Polynomial(degree=3), Anova()]),
)
def test_it_equals_the_plain_version_exactly_on_integers(X, seed, kernel):
    X, signs = X.astype(float), both(seed, len(X))
    scores, _ = plain.learn(kernel(X), signs)
    _, counts = plain.learn(kernel(X), signs, max_passes=5)
    for form in (X, sparse.csr_array(X)):
        np.testing.assert_array_equal(KernelPerceptron(kernel=kernel).learn(form, signs), scores)
        model = KernelPerceptron(kernel=kernel, max_iter=5).fit(form, signs)
        assert model.n_mistakes_ == counts.sum()
        np.testing.assert_array_equal(model.coef_[0], (signs * counts)[counts > 0])
        np.testing.assert_array_equal(model.decision_function(form), (signs * counts) @ kernel(X))


@pytest.mark.parametrize("intercept", [False, True])
def test_with_the_linear_kernel_it_is_the_perceptron(intercept):
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, size=(700, 3)).astype(float)
    y = np.array(["a", "b", "c"])[rng.integers(0, 3, 700)]
    for labels in (y, y == "a"):
        primal = Perceptron(fit_intercept=intercept, max_iter=4).fit(X, labels)
        dual = KernelPerceptron(kernel=Linear() + 1 if intercept else Linear(), max_iter=4)
        dual.fit(X, labels)
        assert primal.n_mistakes_ == dual.n_mistakes_
        np.testing.assert_array_equal(dual.coef_ @ dual.support_vectors_, primal.coef_)
        np.testing.assert_array_equal(dual.compression_set_, primal.compression_set_)
        for ours, theirs in zip(dual.certificates(), primal.certificates(), strict=True):
            assert ours.bound == pytest.approx(theirs.bound, rel=1e-6)


class CountedGaussian(Gaussian):
    """A Gaussian kernel that counts how often it is asked for a block."""

    n_blocks = 0

    def __call__(self, X, Z=None):
        CountedGaussian.n_blocks += 1
        return super().__call__(X, Z)


def test_a_fit_of_many_passes_computes_the_kernel_once():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 4, 40)
    X[30:] = X[:10]  # contradictory labels: no pass is ever clean
    CountedGaussian.n_blocks = 0
    model = KernelPerceptron(kernel=CountedGaussian(), max_iter=50).fit(sparse.csr_array(X), y)
    assert model.n_iter_ == 50
    assert CountedGaussian.n_blocks == 1


def test_the_catalogue_run_on_three_points():
    model = KernelPerceptron(kernel=Linear() + 1).fit(*FX_B)
    assert model.coef_.tolist() == [[2.0, -5.0]]
    assert model.support_vectors_.tolist() == [[3.0, 3.0], [1.0, 1.0]]
    assert model.n_mistakes_ == 7


def test_xor_takes_four_updates_of_the_quadratic_kernel():
    model = KernelPerceptron(kernel=Polynomial(degree=2)).fit(CORNERS, [-1, 1, 1, -1])
    assert np.abs(model.coef_).tolist() == [[1.0] * 4]
    assert model.n_mistakes_ == 4
    assert model.predict(CORNERS).tolist() == [-1, 1, 1, -1]


def test_the_quadratic_kernel_makes_the_updates_of_its_explicit_features():
    rng = np.random.default_rng(1)
    X, signs = rng.integers(-4, 5, size=(60, 2)).astype(float), rng.choice([-1.0, 1.0], 60)
    a, b, root = X[:, 0], X[:, 1], np.sqrt(2.0)
    features = np.column_stack([a * a, b * b, root * a * b, root * a, root * b, np.ones(60)])
    explicit = Perceptron(fit_intercept=False, max_iter=3).fit(features, signs)
    model = KernelPerceptron(kernel=Polynomial(degree=2), max_iter=3).fit(X, signs)
    assert model.n_mistakes_ == explicit.n_mistakes_


def test_breast_cancer_updates_per_pass_are_the_catalogues():
    table = load("breast_cancer")
    X = StandardScaler().fit_transform(table.X)
    model, counts = KernelPerceptron(kernel=Gaussian(gamma=1 / 30)), []
    for _ in range(6):
        before = getattr(model, "n_mistakes_", 0)
        model.learn(X, table.y)
        counts.append(model.n_mistakes_ - before)
    assert counts == [39, 22, 21, 13, 10, 12]
    trained = KernelPerceptron(kernel=Gaussian(gamma=1 / 30), max_iter=6).fit(X, table.y)
    assert trained.n_mistakes_ == sum(counts)
    np.testing.assert_allclose(trained.decision_function(X), model.decision_function(X), atol=1e-9)
    assert all(c.status == "valid" for c in trained.certificates())


def term(X, *literals):
    """Return the conjunction of variables, numbered from 1; a minus sign negates."""
    return np.prod([X[:, l - 1] if l > 0 else 1 - X[:, -l - 1] for l in literals], axis=0) > 0


@pytest.mark.parametrize(
    ("kernel", "terms", "n_mistakes"),
    [
        (Anova(), [(1, 2), (3, 4)], 24),
        (Anova(), [(1, 2, 3), (4, 5)], 27),
        (Agreement(), [(1, -2), (-3, 4)], 8),
        (Agreement(), [(1, -2, 3), (-4, 5)], 13),
    ],
)
def test_formulas_of_two_terms_over_six_bits_are_learnt_within_576_mistakes(
    kernel, terms, n_mistakes
):
    labels = np.any([term(ALL_SIX_BITS, *literals) for literals in terms], axis=0)
    model = KernelPerceptron(kernel=kernel).fit(ALL_SIX_BITS, labels)
    np.testing.assert_array_equal(model.predict(ALL_SIX_BITS), labels)
    assert model.n_mistakes_ == n_mistakes
    assert mistakes_boolean.kernel_dnf(n_variables=6, n_terms=2).allows(model.n_mistakes_)
    assert model.radius_ == 8.0
    assert model.certificates()[0].method == "mistakes.novikoff"


def test_the_three_term_formula_of_the_catalogue_is_learnt():
    X = np.array(list(np.ndindex((2,) * 7)))
    labels = np.any([term(X, *part) for part in ((1, 4, 7), (1, -2), (2, 5))], axis=0)
    assert labels.sum() == 68
    model = KernelPerceptron(kernel=Agreement()).fit(X, labels)
    np.testing.assert_array_equal(model.predict(X), labels)
    assert mistakes_boolean.kernel_dnf(n_variables=7, n_terms=3).allows(model.n_mistakes_)


def test_every_two_term_formula_tried_stays_within_its_bound():
    rng = np.random.default_rng(2)
    bound = mistakes_boolean.kernel_dnf(n_variables=6, n_terms=2)
    for _ in range(30):
        literals = [rng.choice([-1, 1], 3) * (1 + rng.permutation(6)[:3]) for _ in range(2)]
        labels = np.any([term(ALL_SIX_BITS, *part) for part in literals], axis=0)
        order = rng.permutation(64)
        model = KernelPerceptron(kernel=Agreement()).fit(ALL_SIX_BITS[order], labels[order])
        assert bound.allows(model.n_mistakes_)


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(gamma=0.3), Polynomial(degree=2)])
@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 60), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_sure_bounds_are_never_exceeded_on_many_streams(kernel, seeds):
    for seed in seeds:
        for X, signs in streams(seed):
            y = np.where(np.unique(signs).size == 2, signs, both(seed, len(signs)))
            model = KernelPerceptron(kernel=kernel, max_iter=2).fit(X, y)
            for certificate in model.certificates()[:-1]:
                assert certificate.observed <= certificate.bound * (1 + 1e-9)


def test_orthonormal_rows_attain_novikoffs_bound():
    X, signs = adversaries.orthonormal_stream(7)
    model = KernelPerceptron()
    model.learn(X, signs, classes=[-1.0, 1.0])
    assert model.n_mistakes_ == 7
    assert model.guarantee(margin=1 / np.sqrt(7)).bound == pytest.approx(7.0)


def test_an_achieved_margin_is_measured_in_the_space_of_the_kernel():
    X, signs = Separable(4, 0.3).draw(80, seed=0)
    model = KernelPerceptron(kernel=Gaussian(gamma=0.5)).fit(X, signs)
    gram = Gaussian(gamma=0.5)(model.support_vectors_)
    norm = float(np.sqrt(model.coef_[0] @ gram @ model.coef_[0]))
    assert model.norms_[0] == pytest.approx(norm)
    margin = (signs * model.decision_function(X)).min() / norm
    assert model.certificates()[0].bound == pytest.approx((model.radius_ / margin) ** 2)


def test_a_flipped_label_breaks_novikoff():
    X, signs = Separable(2, 0.5).draw(200, seed=0)
    signs[::7] *= -1.0
    model = KernelPerceptron(max_iter=50).fit(X, signs)
    assert not model.guarantee(margin=0.5).allows(model.n_mistakes_)
    assert all(c.method != "mistakes.novikoff" for c in model.certificates())


def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is():
    rng = np.random.default_rng(2)
    X = rng.integers(-4, 5, size=(80, 3)).astype(float)
    y = np.array(["a", "b", "c"])[rng.integers(3, size=80)]
    model = KernelPerceptron(kernel=Polynomial(degree=2), max_iter=3).fit(X, y)
    for _ in range(5):
        keep = rng.random(80) < 0.3
        keep[model.compression_set_] = True
        again = clone(model).fit(X[keep], y[keep])
        np.testing.assert_array_equal(again.coef_, model.coef_)
        np.testing.assert_array_equal(again.support_vectors_, model.support_vectors_)


@pytest.mark.parametrize("check", ONLINE_CHECKS, ids=lambda check: check.__name__)
def test_another_kernel_keeps_the_promises_of_learning_in_order(check):
    check(KernelPerceptron(kernel=Polynomial(degree=2)))


def test_it_remembers_no_more_than_its_mistakes_and_goes_on_after_fit():
    X, signs = Noisy(3, 0.1).draw(300, seed=5)
    model = KernelPerceptron(kernel=Gaussian(), max_iter=2).fit(X, signs)
    assert len(model.support_vectors_) <= model.n_mistakes_
    assert all(len(state.current) == 0 for state in model.states_)
    assert len(model.certificates()) >= 2
    twin = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own bytes
    more, more_signs = Noisy(3, 0.1).draw(100, seed=6)
    before = model.n_mistakes_
    np.testing.assert_array_equal(model.learn(more, more_signs), twin.learn(more, more_signs))
    stored = np.abs(model.coef_).sum()
    assert stored == model.n_mistakes_ > before
    assert model.certificates() == ()
    assert not hasattr(model, "norms_")


def test_sparse_rows_are_remembered_as_sparse_rows_and_may_follow_dense_ones():
    X, signs = Noisy(3, 0.1).draw(60, seed=5)
    thin = KernelPerceptron().partial_fit(sparse.csr_array(X[:30]), signs[:30], [-1.0, 1.0])
    assert sparse.issparse(thin.support_vectors_)
    mixed = KernelPerceptron().partial_fit(X[:30], signs[:30], [-1.0, 1.0])
    thin.partial_fit(X[30:], signs[30:])
    mixed.partial_fit(sparse.csr_array(X[30:]), signs[30:])
    np.testing.assert_array_equal(thin.coef_, mixed.coef_)
    np.testing.assert_array_equal(thin.support_vectors_.toarray(), mixed.support_vectors_)


@pytest.mark.parametrize("kernel", ["rbf", None, Subsequence()])
def test_what_is_no_kernel_on_tables_is_refused(kernel):
    with pytest.raises(ValueError, match="kernel"):
        KernelPerceptron(kernel=kernel).fit(*FX_B)


def test_rows_a_kernel_cannot_read_are_refused_and_leave_no_mark():
    model = KernelPerceptron(kernel=Agreement()).fit(ALL_SIX_BITS, ALL_SIX_BITS[:, 0])
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match="0 or 1"):
        model.learn(ALL_SIX_BITS * 2, ALL_SIX_BITS[:, 0])
    with pytest.raises(ValueError, match="0 or 1"):
        model.predict_one([0.5] * 6)
    assert pickle.dumps(model) == before
    high = KernelPerceptron(kernel=Polynomial(degree=9))
    with pytest.raises(ValueError, match="overflow"):
        high.fit([[1e40], [-1e40]], [0, 1])
    assert not hasattr(high, "classes_")


def test_the_guarantee_covers_the_mistakes_of_all_two_class_problems():
    model = KernelPerceptron().fit(np.eye(6), [0, 1, 2, 0, 1, 2])
    guarantee = model.guarantee(margin=6**-0.5)
    assert model.n_mistakes_ == 18
    assert guarantee.allows(model.n_mistakes_)
    assert "all 3 two-class problems" in guarantee.quantity
    assert max(c.bound for c in model.certificates() if c.kind == "mistakes") < 7.0
