"""Several certificates in one file: what each counted, and in what two such files differ."""

import inspect
from collections.abc import Iterator
from typing import Any

from surelearn import bounds
from surelearn.app.auditing.bundle import Bundle
from surelearn.certificate import Certificate
from surelearn.certificate._canonical import canonical
from surelearn.certificate._certificate import plain
from surelearn.certificate._reading import restored
from surelearn.evaluate.audit import IN_ORDER


def statistics_of(certificate: Certificate) -> dict[str, Any]:
    """Return the inputs of a theorem that come from rows; what has a default keeps it.

    A seed that could be chosen would be chosen until the bound is good.
    """
    inputs: dict[str, Any] = dict(restored(certificate.reproduce["inputs"]))
    method = certificate.method
    if method == IN_ORDER:
        inputs, method = dict(inputs["statistics"]), inputs["method"]
    takes = inspect.signature(bounds.find(method)).parameters
    fixed = {k for k, one in takes.items() if one.default is not inspect.Parameter.empty}
    return {k: v for k, v in inputs.items() if k not in {"delta", *fixed}}


def differences(one: Bundle, other: Bundle) -> Iterator[str]:
    """Yield what differs between two audits, in words."""
    if one.delta != other.delta:
        yield "delta"
    if one.verdict != other.verdict:
        yield "the verdict"
    if len(one.outcomes) != len(other.outcomes):
        yield "the number of claims"
    versions = [c.reproduce.get("versions") for c in one.certificates]
    if any(own != versions[0] for own in versions):  # those of one file are of one run
        yield "the versions"
    for a, b in zip(one.outcomes, other.outcomes, strict=False):
        for part in ("claim", "target", "verdict", "advice"):
            if getattr(a, part) != getattr(b, part):
                yield f"the {part} of {a.claim}"
        yield from (f"{part} of {a.claim}" for part in _parts(a.certificate, b.certificate))


def _parts(a: Certificate | None, b: Certificate | None) -> Iterator[str]:
    if a is None or b is None:
        if a is not b:
            yield "the certificate"
        return
    first, second = _content(a), _content(b)
    yield from (part for part in first if _written(first[part]) != _written(second.get(part)))


def _written(value: Any) -> bytes | str:
    """Return a value as JSON writes it: true is not 1, and 1.0 is."""
    try:
        return canonical(value)
    except ValueError:  # a number beyond those that readers agree on
        return repr(value)


def _content(certificate: Certificate) -> dict[str, Any]:
    """Return all that a certificate says, but the versions it was made with."""
    found = dict(vars(certificate))
    found["reproduce"] = {k: v for k, v in found["reproduce"].items() if k != "versions"}
    found["preconditions"] = [vars(p) for p in certificate.preconditions]
    return plain(found)
