"""Sizes of errors: never smaller than they are, whatever the scale."""

import math
from fractions import Fraction

import numpy as np
import pytest

from surelearn import Holdout, claims
from surelearn.base.error_sizes import absolute_errors
from surelearn.evaluate.audit import audit_predictions
from surelearn.evaluate.holdout import Quantile
from surelearn.evaluate.ledger import forget

LARGEST = np.finfo(np.float64).max


def pairs(n=4000):
    """Numbers of all scales, near to each other and far, subnormal ones and the largest."""
    rng = np.random.default_rng(0)
    scale = 10.0 ** rng.uniform(-320, 307, size=n)
    one = rng.normal(size=n) * scale
    other = np.where(
        rng.random(n) < 0.5, one * (1 + rng.normal(size=n) * 1e-15), rng.normal(size=n) * scale
    )
    far = rng.random(n) < 0.3
    other[far] = rng.normal(size=far.sum()) * scale[far] * 1e-12
    ends = [LARGEST, -LARGEST, 0.0, 5e-324, -5e-324, 1.0, 1e-20, 1e9 + 0.1]
    grid = [(a, b) for a in ends for b in ends if abs(Fraction(a) - Fraction(b)) <= LARGEST]
    return np.append(one, [a for a, _ in grid]), np.append(other, [b for _, b in grid])


def test_they_are_rounded_outward_and_by_one_unit_at_most():
    one, other = pairs()
    up, down = (absolute_errors(one, other, side=side) for side in ("upper", "lower"))
    for a, b, high, low in zip(one, other, up, down, strict=True):
        exact = abs(Fraction(a) - Fraction(b))
        assert Fraction(low) <= exact
        assert exact <= Fraction(high)
        near = np.abs(a - b)
        assert low >= math.nextafter(near, 0.0)
        assert high <= math.nextafter(near, math.inf)
        if exact == Fraction(near):
            assert low == high == near


@pytest.mark.parametrize("dtype", [np.int64, np.longdouble])
def test_what_doubles_cannot_hold_is_moved_outward(dtype):
    truth = np.array([2**53 + 1, 2**53 + 3, -(2**62) - 1], dtype=dtype)
    said = np.array([2.0**53, 2.0**53, -(2.0**62)])
    up, down = (absolute_errors(truth, said, side=side) for side in ("upper", "lower"))
    exact = np.array([1, 3, 1])
    assert (up >= exact).all()
    assert (down <= exact).all()


def test_errors_beyond_all_numbers_are_a_sentence():
    for other in (-LARGEST, -1.0):  # the second is rounded to the largest double
        with pytest.raises(ValueError, match="give larger units"):
            absolute_errors(np.array([LARGEST]), np.array([other]))


def one_error(n=200):
    """A truth and an answer, the same in all rows, whose distance is rounded down by doubles."""
    truth, said = 1.0 + 2.0**-52, -(2.0**-54)
    assert Fraction(abs(truth - said)) < Fraction(truth) - Fraction(said)
    return np.full(n, truth), np.full(n, said), Fraction(truth) - Fraction(said)


class Says:
    def __init__(self, answer):
        self.answer = answer

    def predict(self, X):
        return np.full(len(X), self.answer)


def test_no_bound_on_errors_is_below_the_error_that_all_rows_have():
    truth, said, size = one_error()
    rows = claims.record(truth, said, task="regression")
    audited = audit_predictions(rows, asked=["error-quantile(alpha=0.1)"]).certificate
    assert Fraction(audited.bound) >= size
    tolerance = claims.BeyondTolerance(tolerance=float(abs(truth - said)[0]))
    assert tolerance.statistics(rows)["successes"] == len(truth)  # each of them is beyond
    width = claims.record(truth, said, task="regression", width=np.full(len(truth), 3.0))
    scaled = claims.ScaledErrorQuantile(alpha=0.1)
    found = scaled.guarantee(delta=0.05, **scaled.statistics(width)).bound
    assert Fraction(found) * 3 >= size
    forget()
    X = np.arange(200.0)[:, np.newaxis]
    held_out = Holdout(X, truth, loss=Quantile(0.1), claims=["error-quantile(alpha=0.2)"])
    answers = held_out.answer(Says(said[0]))
    for certificate in (answers.certificate, answers.claims[0].certificate):
        assert Fraction(certificate.bound) >= size


def test_claims_beside_do_not_round_large_whole_numbers():
    """Before, truths of 2^53 + 1 were 2^53 to them, and all errors 0."""
    forget()
    X, truth = np.arange(200.0)[:, np.newaxis], np.full(200, 2**53 + 1)
    held_out = Holdout(X, truth, loss=Quantile(0.1), claims=["error-quantile(alpha=0.2)"])
    answers = held_out.answer(Says(2**53))
    assert answers.certificate.bound >= 1.0
    assert answers.claims[0].certificate.bound >= 1.0


def test_the_baseline_wins_where_doubles_cannot_tell():
    truth = np.full(100, 2**53 + 1)
    rows = claims.Predictions(
        truth, np.full(100, 2**53), "regression", baseline=np.full(100, 2**53 + 2)
    )
    assert claims.CloserThanBaseline().count(rows) == (0, 100)
    truth, said, other = np.full((3, 9), [[1.0], [1.5], [3.0]])
    near = claims.record(truth, said, baseline=other, task="regression")
    assert claims.CloserThanBaseline().count(near) == (9, 9)


def test_longer_numbers_than_doubles_are_refused_by_an_audit():
    truth = np.full(50, np.longdouble(1) + np.finfo(np.longdouble).eps)
    if (truth == 1.0).all():
        pytest.skip("there are none here")
    with pytest.raises(ValueError, match="more digits than doubles have"):
        claims.record(truth, np.ones(50), task="regression")


ODD = {
    "text": (np.arange(60.0).astype(str), "no numbers"),
    "words": (np.array(["a", 1.0] * 30, dtype=object), "no numbers"),
    "complex": (np.arange(60.0) + 1j, "no numbers"),
    "complex objects": (np.array([1j] * 60, dtype=object), "doubles cannot hold"),
    "dates": (np.arange(60).astype("M8[D]"), "no numbers"),
    "spans": (np.arange(60).astype("m8[s]"), "no numbers"),
    "NaN": (np.where(np.arange(60) % 7, 1.0, np.nan), "are NaN"),
}


class Gives:
    def __init__(self, answers):
        self.answers = answers

    def predict(self, X):
        return self.answers[np.asarray(X)[:, 0].astype(int)]


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_what_has_no_distance_is_refused_and_costs_nothing(odd):
    """Dates were certified in units that nobody told, complex answers by their real part."""
    forget()
    values, why = ODD[odd]
    X, truth = np.arange(60.0)[:, np.newaxis], np.arange(60.0)
    held_out = Holdout(X, truth, loss=Quantile(0.1))
    with pytest.raises(ValueError, match=f"the answers.*{why}"):
        held_out.certify(Gives(values))
    assert held_out.ledger == ()
    if odd not in {"NaN", "words", "complex"}:  # those are refused at the door
        with pytest.raises(ValueError, match=f"the targets.*{why}"):
            Holdout(X, values, loss=Quantile(0.1)).certify(Gives(truth))
    assert held_out.certify(Gives(truth)).status == "valid"
