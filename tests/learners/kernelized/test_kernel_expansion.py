"""What all kernel machines that see their rows at once do with a kernel, and with odd numbers."""

import numpy as np
import pytest

from surelearn import (
    KernelHuberRegression,
    KernelLogisticRegression,
    KernelPegasos,
    KernelRidge,
    Pegasos,
)
from surelearn.kernels import Gaussian, Linear

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0.0).astype(int)


@pytest.mark.parametrize("kind", [KernelRidge, KernelLogisticRegression, KernelHuberRegression])
@pytest.mark.parametrize("other", [Linear(), "precomputed", 2.0, None])
def test_another_kernel_after_a_fit_is_for_the_next_one(kind, other):
    model = kind(kernel=Gaussian()).fit(X, Y)
    before = model.predict(X)
    np.testing.assert_array_equal(model.set_params(kernel=other).predict(X), before)


def test_a_price_beyond_all_floats_is_refused():
    with pytest.raises(ValueError, match="alpha="):
        KernelRidge(alpha=10**400).fit(X, Y)


@pytest.mark.parametrize("kind", [Pegasos, KernelPegasos])
def test_a_regularization_whose_inverse_has_no_square_is_refused(kind):
    with pytest.raises(ValueError, match="regularization=1e-300"):
        kind(regularization=1e-300).fit(X, Y)
