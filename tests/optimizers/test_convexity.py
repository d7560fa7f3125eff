"""Convexity refuted by points, decided for quadratic forms, and never proved by a search."""

import numpy as np
import pytest

from surelearn import losses
from surelearn.optimizers import (
    check_convex,
    check_convex_quadratic,
    check_convex_set,
    check_midpoint,
)

SADDLE = np.array([[1.0, 2.0], [2.0, 1.0]])
BOX = {"low": [-1.0, -1.0], "high": [1.0, 1.0]}


@pytest.mark.parametrize("check", [check_convex, check_midpoint])
@pytest.mark.parametrize("seed", range(5))
def test_the_saddle_of_the_catalogue_is_refuted_within_a_hundred_draws(check, seed):
    found = check(lambda x: x @ SADDLE @ x, **BOX, n_segments=100, random_state=seed)
    assert found.verdict == "not convex"
    witness = found.witness
    assert witness.value > witness.chord
    assert witness.value == pytest.approx(witness.between @ SADDLE @ witness.between)
    assert str(found).startswith("not convex: between")


@pytest.mark.parametrize("check", [check_convex, check_midpoint])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x @ x,
        lambda x: np.abs(x).max(),
        lambda _: 3.0,
        lambda x: x.sum() * 1e12,
        lambda x: np.inf if x @ x > 0.5 else x @ x,
        lambda x: float(losses.Logistic()(1.0, x[0])),
    ],
)
def test_convex_functions_are_never_refuted_and_nothing_is_said_to_be_proved(check, function):
    found = check(function, **BOX, n_segments=300)
    assert (found.verdict, found.witness) == ("no violation found", None)
    assert "proves nothing" in str(found)


def test_a_domain_that_is_not_convex_refutes_the_function():
    assert check_midpoint(lambda x: np.inf if x @ x < 0.3 else 0.0, **BOX).verdict == "not convex"


def test_quadratic_forms_are_decided_by_their_eigenvalues():
    assert check_convex_quadratic(np.eye(3)).verdict == "convex"
    saddle = check_convex_quadratic(SADDLE)
    assert saddle.verdict == "not convex"
    assert saddle.witness.chord == pytest.approx(-1.0)  # the eigenvalue of a unit vector
    assert np.array([1, -1]) @ SADDLE @ [1, -1] == -2
    # Only the symmetric part counts: x'Mx of this one is x0².
    assert check_convex_quadratic([[1.0, 5.0], [-5.0, 1.0]]).verdict == "convex"
    assert check_convex_quadratic([[1.0, 1.0], [1.0, 1.0]]).verdict == "undecided"
    assert check_convex_quadratic(np.zeros((2, 2))).verdict == "undecided"


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_verdicts_on_random_forms_are_true_whatever_their_scale(scale):
    rng = np.random.default_rng(0)
    for n in (1, 2, 5, 20):
        A = rng.normal(size=(n, n))
        gram = A @ A.T
        least = np.linalg.eigvalsh(gram)[0]
        assert check_convex_quadratic((gram + np.eye(n)) * scale).verdict == "convex"
        shifted = gram - (least + 1e-6) * np.eye(n)
        assert check_convex_quadratic(shifted * scale).verdict == "not convex"
        barely = gram - (least - 1e-6) * np.eye(n)
        assert check_convex_quadratic(barely * scale).verdict == "convex"


def test_a_level_set_is_not_convex_and_a_sublevel_set_is_not_refuted():
    # The source calls {f = c} convex: x² = 1 holds at -1 and 1 and not between.
    level = check_convex_set(lambda x: abs(x @ x - 1.0) < 0.2, low=[-1.2] * 2, high=[1.2] * 2)
    assert level.verdict == "not convex"
    below = check_convex_set(lambda x: x @ x <= 1.0, low=[-1.2] * 2, high=[1.2] * 2)
    assert below.verdict == "no violation found"
    assert 0 < below.n_tried < 1000  # only pairs inside count
    never = check_convex_set(lambda _: False, **BOX)
    assert never.n_tried == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: check_convex(lambda _: np.nan, **BOX), "nan"),
        (lambda: check_convex(lambda _: -np.inf, **BOX), "-inf"),
        (lambda: check_convex(lambda _: 0.0, low=[0.0], high=[0.0]), "corners"),
        (lambda: check_convex(lambda _: 0.0, low=[0.0, 1.0], high=[1.0]), "corners"),
        (lambda: check_convex(lambda _: 0.0, **BOX, n_segments=0), "n_segments"),
        (lambda: check_convex(lambda _: 0.0, **BOX, tolerance=-1.0), "tolerance"),
        (lambda: check_convex_quadratic([[1.0, 2.0]]), "square"),
        (lambda: check_convex_quadratic([[np.nan]]), "finite"),
    ],
)
def test_what_cannot_be_checked_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call()
