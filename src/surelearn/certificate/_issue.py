"""Binding a guarantee to the run its numbers came from."""

import inspect
import math
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from typing import Any, cast

import numpy as np
import scipy

from surelearn import bounds
from surelearn._wording import confidence, outward, shorten
from surelearn.bounds import Guarantee
from surelearn.certificate._certificate import (
    Certificate,
    Kind,
    LedgerEntry,
    Precondition,
    plain,
)
from surelearn.certificate._evidence import Evidence, assumed
from surelearn.certificate._rounding import is_beyond_rounding


class BoundViolatedError(AssertionError):
    """A value lies beyond a bound that holds surely: by definition a bug in this library."""


def certify(  # noqa: PLR0913 - as many arguments as a certificate has sources
    guarantee: Guarantee,
    *,
    kind: Kind,
    subject: str,
    observed: float,
    n: int,
    amount: float = 0.0,
    claim: str = "",
    evidence: Mapping[str, Evidence] | None = None,
    also: Iterable[Precondition] = (),
    family: LedgerEntry | None = None,
    reproduce: Mapping[str, Any] | None = None,
) -> Certificate:
    """Bind a guarantee to the run its numbers came from.

    Each assumption of the theorem appears among the preconditions: with the evidence given for its
    key, or as merely assumed; `also` adds what the issuer demands beyond the theorem. Evidence for
    an assumption that the theorem does not make is refused, and so is a quoted bound. A sure bound
    that the observed value exceeds raises `BoundViolatedError`: then this library has a bug.
    If `observed` is a difference of sums, `amount` is their size: so much may have been rounded.

    Examples
    --------
    >>> from surelearn.bounds import mistakes
    >>> certificate = certify(
    ...     mistakes.halving(n_experts=8), kind="mistakes", subject="the run", observed=2, n=50
    ... )
    >>> print(certificate.claim)
    With certainty, the number of mistakes is at most 3.
    """
    if guarantee.validity == "quoted":
        raise ValueError(f"{guarantee.theorem} is quoted, not proved: it cannot be certified")
    evidence = evidence or {}
    if unknown := set(evidence) - set(guarantee.assumes):
        raise ValueError(
            f"{guarantee.theorem} does not assume {', '.join(sorted(unknown))}; it assumes "
            f"{', '.join(guarantee.assumes)}"
        )
    stated = (
        Precondition(key, phrase, *evidence.get(key, assumed()))
        for key, phrase in guarantee.assumes.items()
    )
    certificate = Certificate(
        claim=claim or default_claim(guarantee),
        kind=kind,
        subject=subject,
        quantity=guarantee.quantity,
        bound=guarantee.bound,
        observed=float(observed),
        trivial=guarantee.trivial,
        n=n,
        delta=_delta(guarantee),
        validity=guarantee.validity,
        method=guarantee.theorem,
        **source(guarantee),
        preconditions=(*stated, *also),
        direction=guarantee.direction,
        family=family,
        reproduce={
            "inputs": plain(dict(guarantee.inputs)),
            **(reproduce or {}),
            "versions": versions(),
        },
    )
    _assert_sure(certificate, guarantee, amount)
    return certificate


def joint_delta(*certificates: Certificate) -> float:
    """Return the probability that at least one of several certificates fails, at most.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> one = certify(
    ...     concentration.clopper_pearson(errors=0, n=60, delta=0.05),
    ...     kind="risk", subject="this fitted model", observed=0.0, n=60,
    ... )
    >>> joint_delta(one, one)
    0.1
    """
    for given in certificates:
        if not isinstance(cast("object", given), Certificate):
            raise TypeError(f"{given!r} is no certificate")
    return min(1.0, math.fsum(c.delta or 0.0 for c in certificates))


def _delta(guarantee: Guarantee) -> float | None:
    if guarantee.validity in {"surely", "in-expectation"}:
        return None
    return float(guarantee.inputs["delta"])


def source(guarantee: Guarantee) -> dict[str, Any]:
    """Return what a certificate says of where its bound comes from."""
    name = guarantee.theorem
    told = inspect.getdoc(bounds.find(name))
    if not told:
        raise RuntimeError("python -OO leaves out the sentences of theorems; run it without")
    return {
        "theorem": told.partition("\n")[0],
        "reference": f"{guarantee.reference}; docs/theory/{name.replace('.', '.md#', 1)}",
        "formula": f"{name}({shorten(guarantee.inputs)})",
    }


def default_claim(guarantee: Guarantee) -> str:
    """Return the sentence of a certificate whose issuer has no words of its own."""
    side = "at most" if guarantee.direction == "upper" else "at least"
    limit = f"{guarantee.quantity} is {side} {outward(guarantee.bound, guarantee.direction)}"
    if guarantee.validity == "surely":
        return f"With certainty, {limit}."
    if guarantee.validity == "in-expectation":
        return f"On average over the data, {limit}."
    return f"With confidence {confidence(float(guarantee.inputs['delta']))}, {limit}."


def _assert_sure(certificate: Certificate, guarantee: Guarantee, amount: float) -> None:
    if guarantee.validity != "surely" or certificate.violated:
        return
    beyond = is_beyond_rounding(-certificate.slack, guarantee.bound, n=certificate.n, amount=amount)
    if beyond and all(p.status != "assumed" for p in certificate.preconditions):
        raise BoundViolatedError(
            f"{guarantee.quantity} is {certificate.observed}, beyond its sure bound "
            f"{guarantee.bound} ({certificate.formula}): this is a bug of surelearn, please "
            "report it"
        )


@cache  # to look it up takes longer than most bounds
def _own_version() -> str:
    return version("surelearn")


def versions() -> dict[str, str]:
    """Return the versions in use that a bound or a model may depend on."""
    return {
        "surelearn": _own_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }
