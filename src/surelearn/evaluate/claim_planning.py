"""How many rows prove a claim? Exact searches over the bound that an audit prints."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from surelearn import _arguments, claims
from surelearn._shown import Shown
from surelearn._wording import confidence, percent_exactly
from surelearn.bounds import _rounding, inversions
from surelearn.bounds._special import binomial_cdf, kl
from surelearn.claims import Target
from surelearn.claims.rates import F1, Share
from surelearn.evaluate.planning import Curve, in_all_digits, sizes_around

_MOST_COUNTED = 4_000_000  # counts of errors that are tried
_MOST_ROWS = 10**11
_COUNTING = {
    "sensitivity": "positive rows",
    "specificity": "negative rows",
    "ppv": "rows called positive",
    "npv": "rows called negative",
    "f1": "rows that are positive, in truth or as answered",
}


@dataclass(frozen=True, kw_only=True)
class ClaimPlan(Shown, drawn_by="planning.plot_claim_plan"):
    """How many rows prove a target, if what is expected is seen.

    Attributes
    ----------
    target, expect, delta
        What is to be proved, the value expected to be seen, and the failure probability.
    n
        The smallest number of rows that count with which it is proved.
    n_always
        From here on every number of rows proves it: bounds are saw-tooths, and a row more may be
        an error more.
    share, probability
        The share of all rows that count, and how surely enough of them must be there.
    rows, rows_always
        How many rows in all have `n`, or `n_always`, rows that count with this probability.

    Examples
    --------
    >>> plan = plan_claim("sensitivity>=0.9", expect=0.95, share=0.1)
    >>> plan.n, plan.n_always, plan.rows
    (116, 142, 1333)
    """

    target: Target
    expect: float
    delta: float
    n: int
    n_always: int
    share: float
    probability: float
    rows: int
    rows_always: int

    @property
    def curve(self) -> Curve:
        """What a tenth to three times as many rows prove, if what is expected is seen."""
        misses, sizes = _misses(self.target, self.expect), sizes_around(self.n)
        guarantee = self.target.claim.guarantee
        bounds = [
            guarantee(delta=self.delta, **_statistics(self.target, math.ceil(misses * n), n)).bound
            for n in sizes.tolist()
        ]
        return Curve(sizes, np.array(bounds))

    def __str__(self) -> str:
        """Return the plan in sentences."""
        counting = _COUNTING.get(self.target.claim.name, "rows")
        seen = in_all_digits(self.expect)
        always = "and so does every larger number"
        if self.n_always > self.n:
            always = f"and every number from {self.n_always:,} on"
        text = (
            f"{self.target}: {self.n:,} {counting} prove it, with confidence "
            f"{confidence(self.delta)}, if {seen} is seen among them, {always}."
        )
        if self.share < 1.0:
            fewer = ""
            if self.rows < self.rows_always:
                fewer = f", and {self.rows:,} rows contain at least {self.n:,}"
            text += (
                f" If {percent_exactly(self.share)} of all rows count, {self.rows_always:,} rows "
                f"contain at least {self.n_always:,} of them with probability "
                f"{percent_exactly(self.probability)}{fewer}."
            )
        return text


def plan_claim(
    target: Target | str,
    *,
    expect: float,
    share: float = 1.0,
    delta: float = 0.05,
    probability: float = 0.95,
) -> ClaimPlan:
    """Return how many rows prove a target, if the value expected is seen, rounded to the worse.

    A model that truly has this value shows less on about every other set of rows: expect a
    little less than you hope for.

    Parameters
    ----------
    target
        A claim about a share of rows and its value, such as "sensitivity>=0.9": error, accuracy,
        pass-rate, sensitivity, specificity, ppv, npv or f1.
    expect
        The value expected to be seen: better than the target.
    share
        The share of all rows that count for it: how frequent positive cases are, for a sensitivity.
    delta
        The probability with which what is proved may be false.
    probability
        How surely enough rows must count.

    Examples
    --------
    >>> plan_claim("error<=0.01", expect=0.0).n
    299
    >>> print(plan_claim("sensitivity>=0.9", expect=0.95))
    sensitivity>=0.9: 116 positive rows prove it, with confidence 95%, if 95.00% is seen among \
them, and every number from 142 on.
    """
    aim = _target(target)
    expected = _arguments.fraction("expect", expect)
    if not _better(aim, expected):
        side = "below" if aim.direction == "upper" else "above"
        raise ValueError(f"expect={expect:g} must be {side} the target {aim}: else no rows do")
    level = _arguments.open_fraction("delta", delta)
    part = _arguments.fraction("share", share)
    if part <= 0.0:
        raise _arguments.refuse("share", share, "above 0: else no row counts")
    sure = _arguments.open_fraction("probability", probability)
    search = _Search(aim, _misses(aim, expected), _miss_rate(aim, aim.value), level)
    n, n_always = search.smallest(), search.always()
    return ClaimPlan(
        target=aim,
        expect=expected,
        delta=level,
        n=n,
        n_always=n_always,
        share=part,
        probability=sure,
        rows=_rows_with(n, part, sure),
        rows_always=_rows_with(n_always, part, sure),
    )


@dataclass(frozen=True)
class _Search:
    """Numbers of rows with a share of misses, rounded up, that prove a target.

    Attributes
    ----------
    target
        The target.
    misses
        The share of misses expected among the rows that count.
    tolerated
        The share of misses that is to be excluded.
    delta
        The failure probability.
    """

    target: Target
    misses: Fraction
    tolerated: float
    delta: float

    def proves(self, n: int) -> bool:
        """Return whether n rows prove it, by the bound that is printed."""
        missed = math.ceil(self.misses * n)
        found = self.target.claim.guarantee(delta=self.delta, **_statistics(self.target, missed, n))
        return self.target.is_met(found.bound)

    def ends(self, missed: int) -> tuple[int, int]:
        """Return the first and the last number of rows with so many misses, one or more."""
        return math.floor((missed - 1) / self.misses) + 1, math.floor(missed / self.misses)

    def smallest(self) -> int:
        """Return the smallest number of rows that proves it."""
        if not self.misses:
            return _rounding.smallest_integer(self.proves, 1, 2)
        last = self._of_intervals(last=True)
        missed = 1 + int(np.argmax(last))
        first, end = self.ends(missed)
        return _rounding.smallest_integer(self.proves, first, end)

    def always(self) -> int:
        """Return the number of rows from which on every number proves it."""
        if not self.misses:
            return self.smallest()
        fails = np.flatnonzero(~self._of_intervals(last=False))
        if not len(fails):
            return 1
        first, end = self.ends(1 + int(fails[-1]))
        if not self.proves(end):
            return end + 1
        return _rounding.smallest_integer(self.proves, first, end)

    def _of_intervals(self, *, last: bool) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return for 1, 2, ... misses whether their first or last number of rows proves it.

        Among numbers of rows with equally many misses, larger ones prove more.
        """
        missed = np.arange(1, self._enough() + 1)
        rows = np.array([self.ends(int(m))[last] for m in missed], dtype=np.float64)
        bounds = inversions.binomial_upper(missed, rows, self.delta)
        return np.asarray(bounds <= self.tolerated)

    def _enough(self) -> int:
        """Return a number of misses from which on every number of rows proves it.

        P(Bin(n, q) <= m) <= exp(-n kl(m/n, q)), m < misses n + 1, and n kl((misses n + 1)/n, q)
        does not fall in n, once its argument is below q.
        """
        share = float(self.misses)

        def certain(n: int) -> bool:
            rate = share + 1.0 / n
            return rate < self.tolerated and n * kl(rate, self.tolerated) >= -math.log(self.delta)

        gap = self.tolerated - share
        if share * 4.0 * -math.log(self.delta) / gap**2 > 1e13:
            raise self._too_near()
        most = math.ceil(share * _rounding.smallest_integer(certain, 1, 2)) + 1
        if most > _MOST_COUNTED:
            raise self._too_near()
        return most

    def _too_near(self) -> ValueError:
        return ValueError(
            f"what is expected is so near the target {self.target} that more than "
            f"{_MOST_COUNTED:,} errors would have to be seen: aim lower"
        )


def _target(given: Target | str) -> Target:
    found = claims.parse(given) if isinstance(given, str) else given
    if not isinstance(found, Target):
        raise ValueError(  # noqa: TRY004 - a text may be at fault
            f"{found} has no value to be proved: write {found}>=VALUE or <=VALUE"
        )
    if not isinstance(found.claim, Share | F1):
        raise ValueError(  # noqa: TRY004 - the claim may come from a text
            f"{found.claim} is no share of rows, so that its rows cannot be planned; there are "
            "error, accuracy, pass-rate, sensitivity, specificity, ppv, npv, f1"
        )
    if not 0.0 < _arguments.fraction("target", found.value) < 1.0:
        raise ValueError(f"{found} holds without any rows, or with no number of them")
    return found


def _better(target: Target, expected: float) -> bool:
    if target.direction == "upper":
        return expected < target.value
    return expected > target.value


def _miss_rate(target: Target, value: float) -> float:
    """Return the share of misses that a value means; F1 = 2J/(1+J) of Jaccard's index J."""
    if target.direction == "upper":
        return value
    return 1.0 - (value / (2.0 - value) if isinstance(target.claim, F1) else value)


def _misses(target: Target, expected: float) -> Fraction:
    """Return the share of misses expected; decimal numbers as they are written."""
    value = Fraction(repr(float(expected)))
    if target.direction == "upper":
        return value
    return 1 - (value / (2 - value) if isinstance(target.claim, F1) else value)


def _statistics(target: Target, missed: int, n: int) -> Mapping[str, int]:
    """Return counts with so many misses among n rows that count."""
    claim = target.claim
    if isinstance(claim, F1):
        return {"true_positives": n - missed, "false_positives": missed, "false_negatives": 0}
    assert isinstance(claim, Share)  # noqa: S101 - others were refused
    found = missed if target.direction == "upper" else n - missed
    return dict(zip(claim.takes, (found, n), strict=True))


def _rows_with(n: int, share: float, probability: float) -> int:
    """Return the smallest number of rows with n that count, with so much probability."""
    if share >= 1.0:
        return n
    if n / share > _MOST_ROWS:
        raise _arguments.refuse("share", share, f"larger: more than {_MOST_ROWS:,} rows are needed")

    def enough(rows: int) -> bool:
        return float(binomial_cdf(n - 1, rows, share)) <= 1.0 - probability

    return _rounding.smallest_integer(enough, n, math.ceil(n / share))
