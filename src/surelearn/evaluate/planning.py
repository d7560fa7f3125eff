"""How many rows? Before any are drawn: to test with, and to learn from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import Indices, Vector
from surelearn._wording import confidence, percent_exactly, percent_outward
from surelearn.bounds import (
    Guarantee,
    _rounding,
    concentration,
    holdout,
    pac,
    sample_size,
    sequences,
    vc,
)

_LEAST_TARGET, _LEAST_ERROR, _MOST_MODELS = 1e-6, 1e-9, 10**18


class Curve(NamedTuple):
    """What is certified over the number of rows."""

    sizes: Indices
    bounds: Vector


@dataclass(frozen=True, kw_only=True)
class HoldoutPlan(Shown, drawn_by="planning.plot_holdout_plan"):
    """How large a hold-out must be, and what it will certify then.

    Attributes
    ----------
    n
        The smallest sufficient number of rows.
    errors
        How many of them may be wrong.
    target, error, delta, n_models
        What was asked for.
    bound
        What is certified if exactly so many are wrong.

    Examples
    --------
    >>> plan_holdout(target=0.01).n
    299
    """

    n: int
    errors: int
    target: float
    error: float
    delta: float
    n_models: int
    bound: float

    @property
    def curve(self) -> Curve:
        """What hold-outs from a tenth to three times the size certify, at the expected error."""
        share = self.delta / self.n_models
        sizes = sizes_around(self.n)
        bounds = [
            concentration.clopper_pearson(errors=round(self.error * n), n=n, delta=share).bound
            for n in sizes.tolist()
        ]
        return Curve(sizes, np.array(bounds))

    def __str__(self) -> str:
        """Return the plan in sentences."""
        together = "" if self.n_models == 1 else f" for {self.n_models} models together"
        wrong = f"at most {self.errors} of them are" if self.errors else "none of them is"
        return (
            f"{self.n} test rows certify, with confidence {confidence(self.delta)}{together}, an "
            f"error of at most {percent_outward(self.target, 'upper')} if {wrong} wrong. Draw them "
            "at random, without looking at rows or labels, and keep them from every model."
        )


def plan_holdout(
    *, target: float, error: float = 0.0, delta: float = 0.05, n_models: int = 1
) -> HoldoutPlan:
    """Return the smallest hold-out that certifies an error rate, if a fraction of it is wrong.

    Parameters
    ----------
    target
        The error rate to certify.
    error
        The fraction of test rows that you expect to be wrong, below the target.
    delta
        The probability with which a certificate may be false.
    n_models
        How many models will be asked about, all fixed beforehand.

    Examples
    --------
    >>> plan_holdout(target=0.06, error=0.05).n
    1580
    >>> plan_holdout(target=0.06, error=0.05, n_models=20).n
    4340
    """
    models = _arguments.count("n_models", n_models, at_least=1, at_most=_MOST_MODELS)
    share = _arguments.open_fraction("delta", delta) / models
    n = holdout.plan_holdout(target=target, error=error, delta=share)
    errors = _allowed_errors(n, target, error, share)
    bound = concentration.clopper_pearson(errors=errors, n=n, delta=share).bound
    return HoldoutPlan(
        n=n, errors=errors, target=target, error=error, delta=delta, n_models=models, bound=bound
    )


def plan_groups(*, target: float, delta: float = 0.05) -> int:
    """Return the smallest number of groups that certifies an error rate, if no row is wrong.

    Examples
    --------
    >>> plan_groups(target=0.25)
    19
    """
    if _arguments.open_fraction("target", target) < _LEAST_TARGET:
        domain = f"at least {_LEAST_TARGET:g}: below, tens of millions of groups would be needed"
        raise _arguments.refuse("target", target, domain)

    def certifies(n: int) -> bool:
        return sequences.betting_order_free(losses=np.zeros(n), delta=delta).bound <= target

    return _rounding.smallest_integer(certifies, 1, 1)


@dataclass(frozen=True, kw_only=True)
class SamplePlan(Shown, drawn_by="planning.plot_sample_plan"):
    """How many rows are enough to learn from, whatever their law, and how many are too few.

    Attributes
    ----------
    n
        The smallest number of rows at which the theorem promises the error.
    too_few
        With fewer rows than this every learner fails on some law; 0 if no theorem says so.
    error, delta
        What was asked for.
    agnostic
        Whether the error is counted beyond the best rule of the class, which may err too.
    guarantee
        What the theorem says at n rows, with its assumptions.

    Examples
    --------
    >>> plan = plan_sample(error=0.1, vc_dimension=3)
    >>> plan.n, plan.guarantee.theorem
    (186, 'vc.moment_realizable')
    """

    n: int
    too_few: int
    error: float
    delta: float
    agnostic: bool
    guarantee: Guarantee

    @property
    def curve(self) -> Curve:
        """What the theorem promises from a tenth to three times so many rows."""
        theorem = _THEOREMS[self.guarantee.theorem]
        sizes = sizes_around(self.n)
        inputs = dict(self.guarantee.inputs)
        bounds = [theorem(**{**inputs, "n": n}).bound for n in sizes.tolist()]
        return Curve(sizes, np.array(bounds))

    def __str__(self) -> str:
        """Return the plan in sentences."""
        beyond = " above that of the best rule of the class" if self.agnostic else ""
        fewer = f" Fewer than {self.too_few} rows are never enough." if self.too_few > 1 else ""
        assumptions = "; ".join(self.guarantee.assumes.values())
        return (
            f"{self.n} training rows are enough, with confidence {confidence(self.delta)} and "
            f"whatever their law, for a risk of at most {in_all_digits(self.error)}"
            f"{beyond}, if: {assumptions}.{fewer} Real laws are kinder than "
            "the worst: a learning curve shows how many rows are needed here."
        )


def plan_sample(
    *,
    error: float,
    delta: float = 0.05,
    vc_dimension: int | None = None,
    n_hypotheses: int | None = None,
    box_dimension: int | None = None,
    agnostic: bool = False,
) -> SamplePlan:
    """Return how many rows are enough to learn a class of rules, whatever the law of the rows.

    Exactly one of `vc_dimension`, `n_hypotheses` and `box_dimension` says what is learnt.

    Parameters
    ----------
    error
        The risk aimed at.
    delta
        The probability with which it may be missed.
    vc_dimension
        For rules of that VC dimension: d + 1 for linear ones with an intercept.
    n_hypotheses
        For a finite number of rules.
    box_dimension
        For the tightest box around the positive rows, in that many dimensions.
    agnostic
        False if some rule of the class never errs, and the learner finds one without training
        errors; True if the learner finds one with the fewest.

    Examples
    --------
    >>> plan_sample(error=0.1, n_hypotheses=1000).n
    94
    >>> plan_sample(error=0.1, n_hypotheses=1000, agnostic=True).n
    2120
    """
    if _arguments.open_fraction("error", error) < _LEAST_ERROR:
        raise _arguments.refuse("error", error, f"at least {_LEAST_ERROR:g}")
    named = {
        "vc_dimension": vc_dimension,
        "n_hypotheses": n_hypotheses,
        "box_dimension": box_dimension,
    }
    given = {name: value for name, value in named.items() if value is not None}
    if len(given) != 1:
        raise ValueError(
            f"say what is learnt by exactly one of {', '.join(named)}; given: "
            f"{', '.join(given) or 'none'}"
        )
    (kind, size), *_ = given.items()
    agnostic = _arguments.flag("agnostic", agnostic)
    if kind == "box_dimension" and agnostic:
        raise ValueError("the tightest box is for labels that a box explains: agnostic=False")
    first_guess, theorem = _PLANS[kind, agnostic]
    name = "dimension" if kind == "box_dimension" else kind
    asked: dict[str, Any] = {name: size, "delta": delta}
    enough = first_guess(error=error, **asked)
    n = _rounding.smallest_integer(lambda m: theorem(n=m, **asked).bound <= error, 1, enough)
    return SamplePlan(
        n=n,
        too_few=_too_few(kind, size, error, delta),
        error=error,
        delta=delta,
        agnostic=agnostic,
        guarantee=theorem(n=n, **asked),
    )


_PLANS: dict[tuple[str, bool], tuple[Callable[..., int], Callable[..., Guarantee]]] = {
    ("vc_dimension", False): (sample_size.plan_realizable, vc.moment_realizable),
    ("vc_dimension", True): (sample_size.plan_agnostic, vc.agnostic_excess),
    ("n_hypotheses", False): (sample_size.plan_finite_class, pac.finite_class_realizable_exact),
    ("n_hypotheses", True): (sample_size.plan_finite_class_agnostic, pac.erm_excess),
    ("box_dimension", False): (sample_size.plan_rectangle, pac.rectangle_exact),
}


_THEOREMS = {
    f"{theorem.__module__.rpartition('.')[2]}.{theorem.__name__}": theorem
    for _, theorem in _PLANS.values()
}


def in_all_digits(share: float) -> str:
    """Return a share that a plan was asked about: of another one its numbers are not true.

    Examples
    --------
    >>> in_all_digits(0.95), in_all_digits(0.03001)
    ('95.00%', '3.001%')
    """
    low, high = (percent_outward(share, side) for side in ("lower", "upper"))
    return low if low == high else percent_exactly(share)


def sizes_around(n: int) -> Indices:
    """Return numbers of rows from a tenth of n to three times n, n among them."""
    return np.unique([*np.geomspace(max(1.0, n / 10.0), 3.0 * n, 40).astype(np.int64), n])


def _too_few(kind: str, size: int, error: float, delta: float) -> int:
    """Return a number of rows below which no learner succeeds, as far as theorems say so."""
    dimension = {"vc_dimension": size, "box_dimension": 2 * size}.get(kind, 0)
    if dimension >= 2 and error <= 1.0 / 8.0 and delta < 1.0 / 14.0:
        return sample_size.lower_vc(vc_dimension=dimension, error=error)
    return 0


def _allowed_errors(n: int, target: float, error: float, delta: float) -> int:
    """Return the number of errors with which the plan was made."""
    wrong = round(error * n)
    while concentration.clopper_pearson(errors=wrong, n=n, delta=delta).bound > target:
        wrong -= 1
    while concentration.clopper_pearson(errors=wrong + 1, n=n, delta=delta).bound <= target:
        wrong += 1
    return wrong
