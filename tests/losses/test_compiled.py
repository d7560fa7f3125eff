"""Losses in compiled code against the losses themselves."""

import math

import numpy as np
import pytest

from surelearn import losses
from surelearn.losses import (
    Absolute,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logistic,
    PerceptronLoss,
    QuantileLoss,
    Square,
    compiled,
)

LOSSES = [
    Hinge(),
    PerceptronLoss(),
    Logistic(),
    Logistic(base=2.0),
    Square(),
    Absolute(),
    EpsilonInsensitive(epsilon=0.5),
    Huber(threshold=0.7),
    QuantileLoss(level=0.8),
]


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_compiled_losses_are_those_of_the_library(loss):
    y, predictions = (a.ravel() for a in np.meshgrid([-1.0, 1.0], np.linspace(-3.0, 3.0, 61)))
    pairs, form = list(zip(y, predictions, strict=True)), loss.compiled()
    found = [compiled.slope(form, *pair) for pair in pairs]
    np.testing.assert_allclose(found, loss.gradient(y, predictions), rtol=1e-14)
    found = compiled.values(form, y, predictions)
    np.testing.assert_allclose(found, loss.value(y, predictions), rtol=1e-14)
    assert found[3] == compiled.value(form, *pairs[3])
    assert compiled.total(form, y, predictions) == pytest.approx(found.sum(), rel=1e-12)


def test_every_loss_has_a_compiled_form_or_refuses_with_a_sentence():
    kinds = [kind for kind in vars(losses).values() if isinstance(kind, type)]
    made = [kind() for kind in kinds if issubclass(kind, losses.Loss) and not _abstract(kind)]
    forms = {type(loss) for loss in LOSSES}
    assert forms < {type(loss) for loss in made}
    for loss in made:
        if type(loss) not in forms:
            with pytest.raises(ValueError, match=r"none of those compiled here; use Hinge\(\)"):
                loss.compiled()


def _abstract(kind):
    return bool(getattr(kind, "__abstractmethods__", ())) or kind is losses.CostMatrix


def test_a_logistic_slope_neither_overflows_nor_vanishes_too_soon():
    form = Logistic().compiled()
    found = [compiled.slope(form, 1.0, score) for score in (-1e4, 0.0, 700.0, 1e4)]
    np.testing.assert_allclose(found, [-1.0, -0.5, -math.exp(-700.0), 0.0], rtol=1e-12)


def test_the_exponential_loss_has_no_compiled_form():
    with pytest.raises(ValueError, match="Exponential"):
        Exponential().compiled()
