"""What holds for the certificates of every learner, in worlds that do and do not suit it."""

import functools

import numpy as np
import pytest

from surelearn import check_certificate
from surelearn.app.registry import find_learners
from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.kernels import Gaussian

CERTIFYING = {n: cls for n, cls in find_learners().items() if hasattr(cls, "certificates")}
SUITED = {"SupportVectorClassifier": {"kernel": Gaussian(), "penalize_intercept": True}}
"""Parameters without which a learner proves nothing: by default its kernel comes from the rows."""
WORLDS = {
    "separable": Separable(4, 0.1).draw(150, seed=0),
    "noisy": Noisy(4, 0.2).draw(150, seed=0),
    "pure noise": Noisy(4, 0.5).draw(150, seed=0),
    "copies of two rows": (
        np.tile([[1.0, 0.0, 0, 0], [0, 1.0, 0, 0]], (40, 1)),
        np.tile([1.0, -1.0], 40),
    ),
    "one point, both labels": (np.ones((60, 4)), np.tile([1.0, -1.0], 30)),
    "zero rows": (np.zeros((20, 4)), np.tile([1.0, -1.0], 10)),
    "huge and tiny": (
        np.outer(np.geomspace(1e-8, 1e8, 60), [1, -1, 2, 0.5]),
        np.tile([1.0, -1.0], 30),
    ),
}


@functools.cache
def trained(learner, world):
    """Return a learner that has seen a world; it is trained once, and tests only ask it."""
    X, y = WORLDS[world]
    if getattr(learner(), "_features", "numbers") == "bits":
        X = (X > 0).astype(float)
    return learner().fit(X, y)


NOTHING_TO_BOOST = {"one point, both labels", "zero rows"}


@pytest.mark.parametrize("world", sorted(NOTHING_TO_BOOST))
def test_rows_that_are_all_alike_cannot_be_boosted(world):
    with pytest.raises(ValueError, match="no better than chance"):
        trained(CERTIFYING["AdaBoostClassifier"], world)


@pytest.mark.parametrize(
    ("world", "name"),
    [
        pytest.param(world, name, id=f"{world}-{name}")
        for world in WORLDS
        for name in CERTIFYING
        if name != "AdaBoostClassifier" or world not in NOTHING_TO_BOOST
    ],
)
def test_certificates_are_complete_recomputable_and_never_below_what_was_seen(name, world):
    model = trained(CERTIFYING[name], world)
    issued = model.certificates(delta=0.1)
    assert issued
    for certificate in issued:
        assert certificate.preconditions
        if certificate.status != "void":
            assert certificate.recompute() == certificate.bound
        assert Certificate.from_json(certificate.to_json()).status == certificate.status
        check_certificate(certificate, model)
        if certificate.status != "void" and certificate.direction == "upper":
            assert certificate.observed <= certificate.bound * (1 + 1e-9)


@pytest.mark.parametrize("name", CERTIFYING)
def test_some_world_suits_the_learner(name):
    learner = functools.partial(CERTIFYING[name], **SUITED.get(name, {}))
    found = (c for world in WORLDS for c in trained(learner, world).certificates())
    assert any(c.status != "void" and c.observed <= c.bound for c in found)


@pytest.mark.parametrize("name", CERTIFYING)
@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, np.nan])
def test_a_delta_outside_zero_and_one_is_refused(name, delta):
    model = trained(CERTIFYING[name], "noisy")
    with pytest.raises(ValueError, match="delta"):
        model.certificates(delta=delta)
