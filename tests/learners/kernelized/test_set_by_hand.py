"""Attributes of fitted kernel machines that someone set by hand."""

from contextlib import suppress

import numpy as np
import pytest

from surelearn import KernelRidge, SupportVectorClassifier, SupportVectorRegressor, kernels

BY_HAND = [
    ("tol", "x"),
    ("kernel_", None),
    ("kernel_", "rbf"),
    ("kernel_", 3),
    ("support_vectors_", None),
    ("support_vectors_", np.ones((2, 2))),
    ("dual_coef_", None),
    ("dual_coef_", np.array([[None, "a"]], dtype=object)),
    ("dual_coef_", np.ones((3, 7))),
    ("intercept_", None),
    ("intercept_", np.ones(5)),
    ("classes_", None),
    ("classes_", np.arange(4)),
    ("_seal", np.ones(2)),
]


@pytest.mark.parametrize(("name", "value"), BY_HAND)
@pytest.mark.parametrize("kind", [SupportVectorClassifier, SupportVectorRegressor, KernelRidge])
def test_what_was_set_by_hand_is_used_or_refused_in_a_sentence(kind, name, value):
    X = np.random.default_rng(0).normal(size=(30, 3))
    y = (X[:, 0] > 0.0).astype(float)
    model = kind(kernel=kernels.Gaussian()).fit(X, y)
    setattr(model, name, value)
    uses = [lambda: model.predict(X)]
    if hasattr(model, "certificates"):
        uses.append(model.certificates)
    for use in uses:
        with suppress(ValueError):
            use()
    if name == "dual_coef_":
        with pytest.raises(ValueError, match=r"[Ff]it it again"):
            model.predict(X)
