"""A guarantee bound to one run: the bound beside the observed value, and what it rests on.

A `Guarantee` is a theorem applied to numbers. A `Certificate` says which run the numbers came from,
whether each assumption was checked, holds by construction, is merely assumed or was violated, and
stores what is needed to compute the bound again. One violated assumption voids it.
"""

import inspect
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from importlib.metadata import version
from itertools import zip_longest
from typing import Any, Literal, cast

import numpy as np
import scipy

from surelearn import bounds
from surelearn._wording import outward, percent, shorten
from surelearn.bounds import Guarantee, Validity

Status = Literal["checked", "by-construction", "assumed", "violated"]
Kind = Literal["risk", "quantile", "difference", "regret", "mistakes", "training-error"]

_SCHEMA = 1
_ROUNDING = 1e-9  # sure bounds are attained with equality; only more than this is a bug


class BoundViolatedError(AssertionError):
    """A value lies beyond a bound that holds surely: by definition a bug in this library."""


@dataclass(frozen=True)
class Precondition:
    """One assumption of a theorem and what is known about it in this run.

    Parameters
    ----------
    name
        The assumption, as the theorem states it.
    status
        "checked" (verified on this run), "by-construction" (the code makes it true), "assumed"
        (cannot be verified from the data) or "violated".
    evidence
        What was checked, or why it holds, or what to keep in mind.

    Examples
    --------
    >>> Precondition("the rows are independent", "assumed").status
    'assumed'
    """

    name: str
    status: Status
    evidence: str = ""


@dataclass(frozen=True)
class LedgerEntry:
    """Which share of a hold-out's failure probability a certificate has spent.

    Examples
    --------
    >>> LedgerEntry(holdout="a1b2", mode="family", n_models=20, delta_spent=0.0025, query=1).mode
    'family'
    """

    holdout: str
    mode: str
    n_models: int
    delta_spent: float
    query: int


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """A bound evaluated on one run, with every assumption and the means to check it.

    `str()` reads as plain sentences; `to_json` and `from_json` round-trip; `recompute` evaluates
    the theorem again from the stored statistics alone.

    Parameters
    ----------
    claim
        The statement in one sentence.
    kind
        What sort of quantity is bounded.
    subject
        Who is certified: this fitted model, the average iterate, a vote, the run of an algorithm.
    quantity, bound, observed, trivial, direction
        What is bounded, the bound, the value seen in this run, the value known without data.
    n
        The number of examples or rounds the statement rests on.
    delta
        The failure probability, or None if the statement holds surely or in expectation.
    validity
        How the statement holds; see `surelearn.bounds.Validity`.
    method, theorem, reference, formula
        The function of `surelearn.bounds`, what it says, who proved it, and the call itself.
    preconditions
        Every assumption with its status.
    family
        The hold-out's ledger entry, if the certificate came from a hold-out.
    reproduce
        The inputs of the theorem, fingerprints of model and data, and versions.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> certificate = certify(
    ...     concentration.clopper_pearson(errors=5, n=100, delta=0.05),
    ...     kind="risk", subject="this fitted model", observed=0.05, n=100,
    ... )
    >>> certificate.status, round(certificate.bound, 4)
    ('valid', 0.1023)
    >>> Certificate.from_json(certificate.to_json()).recompute() == certificate.bound
    True
    """

    claim: str
    kind: Kind
    subject: str
    quantity: str
    bound: float
    observed: float
    trivial: float
    n: int
    delta: float | None
    validity: Validity
    method: str
    theorem: str
    reference: str
    formula: str
    preconditions: tuple[Precondition, ...]
    direction: Literal["upper", "lower"] = "upper"
    family: LedgerEntry | None = None
    reproduce: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def slack(self) -> float:
        """How far the bound lies beyond the observed value."""
        sign = 1.0 if self.direction == "upper" else -1.0
        return sign * (self.bound - self.observed)

    @property
    def violated(self) -> tuple[Precondition, ...]:
        """The assumptions known to be false in this run."""
        return tuple(p for p in self.preconditions if p.status == "violated")

    @property
    def vacuous(self) -> bool:
        """Whether the bound says no more than is known without data."""
        upper = self.direction == "upper"
        return self.bound >= self.trivial if upper else self.bound <= self.trivial

    @property
    def status(self) -> Literal["valid", "vacuous", "void"]:
        """`void` if an assumption is violated, `vacuous` if nothing is said, else `valid`."""
        if self.violated:
            return "void"
        return "vacuous" if self.vacuous else "valid"

    def recompute(self) -> float:
        """Evaluate the theorem again from the stored inputs and return its bound."""
        guarantee = bounds.evaluate(self.method, **self.reproduce["inputs"])
        low, high = self.reproduce.get("loss_range", (0.0, 1.0))
        return low + (high - low) * cast("Guarantee", guarantee).bound

    def to_json(self) -> str:
        """Return the certificate as JSON text; floats keep every digit."""
        content = {"schema": _SCHEMA, "status": self.status, **asdict(self)}
        return json.dumps(_plain(content), indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """Return the certificate written by `to_json`; a newer or damaged one is refused."""
        try:
            content: dict[str, Any] = json.loads(text)
            schema = content.pop("schema")
            content.pop("status")
        except (json.JSONDecodeError, KeyError, AttributeError, TypeError) as error:
            raise ValueError(f"this is not a certificate of surelearn: {error!r}") from error
        if schema != _SCHEMA:
            raise ValueError(
                f"the certificate has schema {schema!r}, this version reads {_SCHEMA}: "
                "install the version of surelearn that wrote it"
            )
        try:
            numbers = {k: float(content.pop(k)) for k in ("bound", "observed", "trivial")}
            conditions = tuple(Precondition(**p) for p in content.pop("preconditions"))
            family = content.pop("family")
            entry = None if family is None else LedgerEntry(**family)
            return cls(**numbers, preconditions=conditions, family=entry, **content)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"the certificate is damaged: {error}") from error

    def __str__(self) -> str:
        """Return the certificate in sentences: the claim, the numbers, then what it rests on."""
        return "\n".join([*self._headline(), *self._assumptions(), f"Proof: {self.reference}."])

    def _headline(self) -> list[str]:
        if self.status == "void":
            reasons = "; ".join(f"{p.name} ({p.evidence})" for p in self.violated)
            return [f"No guarantee: an assumption is violated. {reasons}."]
        lines = [self.claim]
        if self.status == "vacuous":
            known = f"{self.trivial:g} is known without data"
            lines = [f"The bound is vacuous: it is {self._bound_text} and {known}."]
        where = f"{self.n} {'rounds' if self.kind in {'regret', 'mistakes'} else 'examples'}"
        return [*lines, f"Observed on {where}: {self.observed:.4g}. Bound: {self._bound_text}."]

    @property
    def _bound_text(self) -> str:
        return outward(self.bound, self.direction)

    def _assumptions(self) -> list[str]:
        titles = {
            "checked": "Checked",
            "by-construction": "True by construction",
            "assumed": "Assumed, not checked",
        }
        lines: list[str] = []
        for status, title in titles.items():
            names = [p.name for p in self.preconditions if p.status == status]
            if names:
                lines.append(f"{title}: {'; '.join(names)}.")
        return lines

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: no scripts, no network."""
        rows = "".join(
            f"<tr><td>{escape(p.status)}</td><td>{escape(p.name)}</td>"
            f"<td>{escape(p.evidence)}</td></tr>"
            for p in self.preconditions
        )
        headline = "<br>".join(escape(line) for line in self._headline())
        return (
            f"<div><p><strong>{escape(self.status)}</strong> {headline}</p><table><thead><tr>"
            f"<th>status</th><th>assumption</th><th>evidence</th></tr></thead><tbody>{rows}"
            f"</tbody></table><p><code>{escape(self.formula)}</code><br>"
            f"{escape(self.reference)}</p></div>"
        )


def certify(  # noqa: PLR0913 - as many arguments as a certificate has sources
    guarantee: Guarantee,
    *,
    kind: Kind,
    subject: str,
    observed: float,
    n: int,
    claim: str = "",
    statuses: Sequence[tuple[Status, str]] = (),
    also: Iterable[Precondition] = (),
    family: LedgerEntry | None = None,
    reproduce: Mapping[str, Any] | None = None,
) -> Certificate:
    """Bind a guarantee to the run its numbers came from.

    Each assumption of the theorem appears among the preconditions: with the status and evidence
    given for it in `statuses`, in the theorem's order, or as merely assumed; `also` adds what the
    issuer demands beyond the theorem. A quoted bound is refused, and a sure bound that the observed
    value exceeds raises `BoundViolatedError`, because then this library has a bug.

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
    if len(statuses) > len(guarantee.assumes):
        raise ValueError(f"{guarantee.theorem} has only {len(guarantee.assumes)} assumptions")
    settled = zip_longest(guarantee.assumes, statuses, fillvalue=("assumed", ""))
    stated = (Precondition(str(name), *status) for name, status in settled)
    certificate = Certificate(
        claim=claim or _default_claim(guarantee),
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
        theorem=_first_line(guarantee.theorem),
        reference=f"{guarantee.reference}; docs/theory/{guarantee.theorem.replace('.', '.md#', 1)}",
        formula=f"{guarantee.theorem}({shorten(guarantee.inputs)})",
        preconditions=(*stated, *also),
        direction=guarantee.direction,
        family=family,
        reproduce={
            "inputs": _plain(dict(guarantee.inputs)),
            **(reproduce or {}),
            "versions": _versions(),
        },
    )
    _assert_sure(certificate, guarantee)
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
    return min(1.0, math.fsum(c.delta or 0.0 for c in certificates))


def _delta(guarantee: Guarantee) -> float | None:
    if guarantee.validity in {"surely", "in-expectation"}:
        return None
    return float(guarantee.inputs["delta"])


def _default_claim(guarantee: Guarantee) -> str:
    side = "at most" if guarantee.direction == "upper" else "at least"
    limit = f"{guarantee.quantity} is {side} {outward(guarantee.bound, guarantee.direction)}"
    if guarantee.validity == "surely":
        return f"With certainty, {limit}."
    if guarantee.validity == "in-expectation":
        return f"On average over the data, {limit}."
    return f"With confidence {percent(1.0 - float(guarantee.inputs['delta']))}, {limit}."


def _first_line(theorem: str) -> str:
    return (inspect.getdoc(bounds.find(theorem)) or "").partition("\n")[0]


def _assert_sure(certificate: Certificate, guarantee: Guarantee) -> None:
    if guarantee.validity != "surely" or certificate.violated:
        return
    tolerance = _ROUNDING * (1.0 + abs(guarantee.bound))
    beyond = -certificate.slack
    if beyond > tolerance and all(p.status != "assumed" for p in certificate.preconditions):
        raise BoundViolatedError(
            f"{guarantee.quantity} is {certificate.observed}, beyond its sure bound "
            f"{guarantee.bound} ({certificate.formula}): this is a bug of surelearn, please "
            "report it"
        )


def _versions() -> dict[str, str]:
    return {
        "surelearn": version("surelearn"),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _plain(value: Any) -> Any:
    """Return `value` made of what JSON knows; infinities and NaN become words."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
