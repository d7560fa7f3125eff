"""What is stated in the space of a kernel that this library does not know."""

import numpy as np
import pytest

from surelearn import (
    AveragedKernelPerceptron,
    BudgetedKernelPerceptron,
    KernelPegasos,
    KernelPerceptron,
    VotedKernelPerceptron,
)
from surelearn.kernels import Gaussian, Kernel

FAMILY = [
    KernelPerceptron(),
    KernelPerceptron(margin=0.3),
    AveragedKernelPerceptron(),
    VotedKernelPerceptron(),
    BudgetedKernelPerceptron(budget=7),
    KernelPegasos(),
]
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
