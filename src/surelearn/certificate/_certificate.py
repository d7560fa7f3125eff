"""The certificate: its fields, its status, its way to JSON and back."""

import importlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

import numpy as np

from surelearn import bounds
from surelearn._shown import Shown
from surelearn._wording import printable
from surelearn.bounds import Validity
from surelearn.bounds._phrases import with_keys
from surelearn.certificate._evidence import Status
from surelearn.certificate._reading import SCHEMAS, parse, restored
from surelearn.certificate._text import (
    claim_in_one_unit,
    headline,
    html,
    sentences,
    void_claim,
)

Kind = Literal[
    "risk",
    "rate",
    "value",
    "quantile",
    "difference",
    "regret",
    "mistakes",
    "training-error",
    "approximation",
]

_SCHEMA = SCHEMAS[-1]
_KEYED = 2  # the first schema whose preconditions have keys


@dataclass(frozen=True)
class Precondition:
    """One assumption of a theorem and what is known about it in this run.

    Parameters
    ----------
    key
        The name by which the theorem, or the issuer, knows the assumption.
    name
        The assumption, as the theorem states it.
    status
        "checked" (verified on this run), "by-construction" (the code makes it true), "assumed"
        (cannot be verified from the data) or "violated".
    evidence
        What was checked, or why it holds, or what to keep in mind.

    Examples
    --------
    >>> Precondition("independent", "the rows are independent", "assumed").status
    'assumed'
    """

    key: str
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate(Shown, drawn_by="certificates.plot_certificates"):
    """A bound evaluated on one run, with every assumption and the means to check it.

    `str()` reads as plain sentences; `to_json` and `from_json` round-trip; `recompute` evaluates
    the theorem again from the stored statistics alone.

    Parameters
    ----------
    claim
        The statement in one sentence; of a void certificate, why nothing is claimed.
    kind
        What sort of quantity is bounded.
    subject
        Who is certified: this fitted model, the average iterate, a vote, the run of an algorithm.
    quantity, bound, observed, trivial, direction
        What is bounded, the bound, the value seen in this run, the value known without data.
        The bound of a void certificate is NaN.
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
    schema
        Which assumptions its issuer knew of: one read from a file may be older than those made now.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> from surelearn.certificate import certify
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
    schema: int = _SCHEMA

    def __post_init__(self) -> None:
        """Refuse a certificate that contradicts itself: read from a file, it may be forged."""
        allowed = {
            "kind": (self.kind, get_args(Kind)),
            "direction": (self.direction, ("upper", "lower")),
            "validity": (self.validity, get_args(Validity)),
            **{f"status of {p.name!r}": (p.status, get_args(Status)) for p in self.preconditions},
        }
        for name, (value, known) in allowed.items():
            if value not in known:
                raise ValueError(f"the certificate's {name} is {value!r}, not one of {known}")
        keys = [p.key for p in self.preconditions]
        if not all(keys) or len(set(keys)) < len(keys):
            raise ValueError(f"the certificate's preconditions need a key each, not {keys}")
        has_level = self.validity in {"fixed-n", "anytime"}
        if (
            not self.preconditions
            or (math.isnan(self.bound) and not self.violated)
            or has_level != (self.delta is not None)
        ):
            raise ValueError("the certificate lacks its preconditions, its bound or its delta")
        if self.delta is not None and not 0.0 < self.delta < 1.0:
            raise ValueError(f"the certificate's delta={self.delta} is outside (0, 1)")
        if math.isnan(self.observed) and not self.violated:
            raise ValueError("the observed value is NaN: a certificate needs what was seen")
        if self.violated:  # neither words nor number may read as if something were claimed
            object.__setattr__(self, "claim", void_claim(self))
            object.__setattr__(self, "bound", math.nan)

    @property
    def slack(self) -> float:
        """How far the bound lies beyond the observed value."""
        sign = 1.0 if self.direction == "upper" else -1.0
        return sign * (self.bound - self.observed)

    @property
    def is_share(self) -> bool:
        """Whether the quantity is a share of cases or a mean loss in [0, 1]: shown in percent."""
        return self.kind in {"risk", "rate", "training-error"} and tuple(
            self.reproduce.get("loss_range", (0.0, 1.0))
        ) == (0.0, 1.0)

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
        if self.status == "void":
            raise ValueError("a void certificate states no bound, so there is none to recompute")
        guarantee = bounds.state(self.method, restored(self.reproduce["inputs"]))
        low, high = self.reproduce.get("loss_range", (0.0, 1.0))
        return low + (high - low) * guarantee.bound

    def verify(self) -> None:
        """Raise unless the stored bound is what the stored statistics give.

        Examples
        --------
        >>> from surelearn.bounds import concentration
        >>> from surelearn.certificate import certify
        >>> guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
        >>> honest = certify(guarantee, kind="risk", subject="s", observed=0.05, n=100)
        >>> honest.verify()
        """
        bound = self.recompute()
        if not math.isclose(bound, self.bound, rel_tol=1e-9):
            raise ValueError(
                f"the certificate states a bound of {self.bound}, but its own statistics give "
                f"{bound}: it was changed after it was issued, or a version differs"
            )

    def transfer(self, new_model: Any, X: Any, *, old_model: Any, **how: Any) -> "Certificate":
        """Carry this certificate from the model it speaks of to another; see `surelearn.transfer`.

        Parameters
        ----------
        new_model, X
            The other model, and rows from which neither model has learnt; they need no labels.
        old_model
            The model that this certificate speaks of.
        **how
            Labels and other options of `surelearn.transfer`.

        Examples
        --------
        >>> from surelearn import Holdout, Perceptron
        >>> X, new_X = np.eye(60)[:, :2] + 1.0, np.eye(500)[:, :2] + 1.0
        >>> old = Perceptron().fit([[0.0, 0.0], [3.0, 3.0]], [0, 1])
        >>> certificate = Holdout(X, np.ones(60)).certify(old)
        >>> new = Perceptron().fit([[0.0, 0.0], [2.5, 3.0]], [0, 1])
        >>> certificate.transfer(new, new_X, old_model=old).status
        'valid'
        """
        # By name, because evaluation rests on certificates and not the other way round.
        evaluate: Any = importlib.import_module("surelearn.evaluate.transfer")
        return evaluate.transfer(self, old_model, new_model, X, **how)

    def to_json(self) -> str:
        """Return the certificate as JSON text; floats keep every digit."""
        content: dict[str, Any] = {"schema": self.schema, "status": self.status}
        content |= {one.name: getattr(self, one.name) for one in fields(self)}
        content["preconditions"] = [asdict(p) for p in self.preconditions]
        content["family"] = None if self.family is None else asdict(self.family)
        return json.dumps(plain(content), indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """Return the certificate written by `to_json`; a newer or damaged one is refused.

        One of schema 1, whose preconditions have no keys, gets them from its theorem.
        """
        content = parse(text)
        schema, status = content.pop("schema"), content.pop("status")
        try:
            if schema == 1:
                content["preconditions"] = _with_keys(content)
            conditions = tuple(Precondition(**p) for p in content.pop("preconditions"))
            family = content.pop("family")
            entry = None if family is None else LedgerEntry(**family)
            # With keys it is one of schema 2, and is written as one.
            loaded = cls(
                preconditions=conditions, family=entry, schema=max(schema, _KEYED), **content
            )
        except (TypeError, ValueError) as error:
            raise ValueError(f"the certificate is damaged: {error}") from error
        if loaded.status != status:
            raise ValueError(
                f"the certificate is damaged: it calls itself {status!r} but is {loaded.status!r}"
            )
        return loaded

    @property
    def headline(self) -> tuple[str, ...]:
        """The claim and the numbers, a sentence or two each; the reasons, if it is void."""
        return tuple(headline(self))

    def __str__(self) -> str:
        """Return the certificate in sentences: the claim, the numbers, then what it rests on."""
        return sentences(self)

    def __repr__(self) -> str:
        """Return the status and the claim in one line; `str` has it all, `to_json` every digit."""
        return f"<{self.status} certificate: {printable(claim_in_one_unit(self))}>"

    def _repr_html_(self) -> str:
        """Return a card for notebooks: no scripts, no network."""
        return html(self)

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, {self.quantity: self}


def _with_keys(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the preconditions of a certificate of schema 1 with keys."""
    conditions: list[dict[str, Any]] = content["preconditions"]
    inputs = content["reproduce"].get("inputs", {})
    names = [condition["name"] for condition in conditions]
    keys = with_keys(names, content["method"], restored(inputs))
    return [{**condition, "key": key} for key, condition in zip(keys, conditions, strict=True)]


def plain(value: Any) -> Any:
    """Return `value` made of what JSON knows; infinities and NaN become words."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.floating):  # for one of 80 bits `tolist` would be itself
        return plain(float(value))
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
