"""What is stated in the space of a kernel that this library does not know."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from surelearn import (
    AveragedKernelPerceptron,
    BudgetedKernelPerceptron,
    KernelHuberRegression,
    KernelLogisticRegression,
    KernelPegasos,
    KernelPerceptron,
    KernelRidge,
    SupportVectorClassifier,
    SupportVectorRegressor,
    VotedKernelPerceptron,
)
from surelearn.kernels import Gaussian, Kernel, Linear

FAMILY = [
    KernelPerceptron(),
    KernelPerceptron(margin=0.3),
    AveragedKernelPerceptron(),
    VotedKernelPerceptron(),
    BudgetedKernelPerceptron(budget=7),
    KernelPegasos(),
]
EVERYONE = [
    *FAMILY,
    KernelRidge(),
    KernelLogisticRegression(),
    KernelHuberRegression(),
    SupportVectorClassifier(),
    SupportVectorRegressor(),
]
WIDTHS = np.array([1.0, 3.0])
every_one = pytest.mark.parametrize("model", FAMILY, ids=lambda m: f"{m}"[:40])


class Lorentzian(Kernel):
    """The product of space and time, which is no inner product."""

    domain = "vectors"

    def __init__(self, shift=0.0):
        self.shift = shift

    def __call__(self, X, Z=None):
        Z = X if Z is None else Z
        same = np.equal.outer(X[:, 0], Z[:, 0])
        return X[:, :1] @ Z[:, :1].T - X[:, 1:] @ Z[:, 1:].T + self.shift * same

    def diagonal(self, X):
        return X[:, 0] ** 2 - (X[:, 1:] ** 2).sum(axis=1) + self.shift

    def _tiles(self, X, Z):
        raise NotImplementedError


def _table():
    X = np.random.default_rng(0).normal(size=(40, 2))
    return X, (X[:, 0] > 0.0).astype(int)


@every_one
def test_that_a_foreign_kernel_is_an_inner_product_is_assumed(model):
    X, y = _table()
    stated = model.set_params(kernel=Lorentzian(shift=20.0)).fit(X, y).certificates()
    sure = [c for c in stated if c.method != "compression.campi_garatti"]  # that needs no geometry
    assert sure
    for certificate in sure:
        assert {p.key: p.status for p in certificate.preconditions}["kernel"] == "assumed"
    known = model.set_params(kernel=Gaussian()).fit(X, y).certificates()
    assert not any(p.key == "kernel" for c in known for p in c.preconditions)


@every_one
def test_a_row_with_a_negative_square_is_refused(model):
    with pytest.raises(ValueError, match="not positive semidefinite"):
        model.set_params(kernel=Lorentzian()).fit(*_table())


@dataclass(frozen=True)
class Stretched(Linear):
    """The linear kernel of other rows than those given, though it inherits from it."""

    def _tiles(self, X, Z):
        return Linear().tiles(X * WIDTHS, None if Z is None else Z * WIDTHS)


@dataclass(frozen=True, kw_only=True)
class StretchedGaussian(Gaussian):
    """The same of a Gaussian."""

    def _tiles(self, X, Z):
        return Gaussian(gamma=self.gamma).tiles(X * WIDTHS, None if Z is None else Z * WIDTHS)


@pytest.mark.parametrize("learner", [SupportVectorClassifier, SupportVectorRegressor])
@pytest.mark.parametrize(
    ("kernel", "plain", "n"),
    [
        (Stretched(), Linear(), 60),
        (StretchedGaussian(gamma=0.3), Gaussian(gamma=0.3), 1100),  # fast tiles begin at 1,000
    ],
)
def test_a_kernel_is_not_taken_for_the_one_it_inherits_from(learner, kernel, plain, n):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + 0.2 * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0).astype(int)
    asked = rng.normal(size=(30, 2))
    model = learner(kernel=kernel, tol=1e-6).fit(X, y)
    same = learner(kernel=plain, tol=1e-6).fit(X * WIDTHS, y)
    score = "decision_function" if hasattr(model, "decision_function") else "predict"
    found, expected = getattr(model, score)(asked), getattr(same, score)(asked * WIDTHS)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert not hasattr(model, "coef_")


class Returning(Kernel):
    """A kernel whose values a function gives."""

    domain = "vectors"

    def __init__(self, values):
        self.values = values

    def __call__(self, X, Z=None):
        return self.values(X, X if Z is None else Z)

    def diagonal(self, X):
        return (X**2).sum(axis=1)

    def _tiles(self, X, Z):
        raise NotImplementedError


@pytest.mark.parametrize("model", EVERYONE, ids=lambda m: f"{m}"[:30])
@pytest.mark.parametrize(
    "values",
    [
        lambda X, Z: np.full((len(X), len(Z)), np.nan),
        lambda X, Z: np.ones((len(X), len(Z) + 3)),
        lambda *_: "kernel",
        lambda X, Z: np.ones((len(X), len(Z)), dtype="m8[s]"),
    ],
    ids=["NaN", "shape", "text", "times"],
)
def test_what_a_foreign_kernel_returns_is_looked_at(model, values):
    X, y = _table()
    with pytest.raises(ValueError, match="the kernel returned"):
        clone(model).set_params(kernel=Returning(values)).fit(X, y)


@pytest.mark.parametrize("model", EVERYONE, ids=lambda m: f"{m}"[:30])
def test_values_of_any_kind_are_as_good_as_floats_and_stay_what_they_are(model):
    X, y = _table()
    X = np.rint(3.0 * X)
    gram = pd.DataFrame(X @ X.T + np.eye(len(X))).astype(np.float32)
    kept = gram.copy()

    def values(A, B):
        return gram if len(A) == len(B) == len(X) else A @ B.T

    clone(model).set_params(kernel=Returning(values)).fit(X, y)
    pd.testing.assert_frame_equal(gram, kept)


def test_a_kernel_of_ones_own_that_is_not_symmetric_is_refused():
    with pytest.raises(ValueError, match="the kernel returns is not symmetric"):
        SupportVectorClassifier(kernel=Returning(lambda X, Z: X[:, :1] + 0 * Z[:, 0])).fit(
            *_table()
        )


@pytest.mark.parametrize("form", ["function", "precomputed"])
def test_a_large_indefinite_kernel_is_refused_by_the_values_of_two_rows(form):
    def closeness(A, B):  # convex where coefficients add up to 0, so no step meets it
        return 1.0 - np.abs(A[:, np.newaxis, 0] - B[:, 0])

    X = np.random.default_rng(0).normal(size=(1100, 1))
    given = (closeness, X) if form == "function" else ("precomputed", closeness(X, X))
    for model, y in (
        (SupportVectorClassifier, X[:, 0] > 0.0),
        (SupportVectorRegressor, X[:, 0]),
    ):
        with pytest.raises(ValueError, match="eigenvalue of -"):
            model(kernel=given[0]).fit(given[1], y)


@pytest.mark.parametrize(
    ("kernel", "status"),
    [(Linear(), "by-construction"), (Linear().of(lambda rows: rows - rows.mean()), "assumed")],
)
def test_compression_rests_on_a_kernel_that_reads_two_rows_alone(kernel, status):
    """A map that reads all rows of a table was said to leave the model as it is by construction."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    *_, certificate = KernelPerceptron(kernel=kernel).fit(X, X[:, 0] > 0.0).certificates()
    assert {p.key: p.status for p in certificate.preconditions}["stable"] == status
