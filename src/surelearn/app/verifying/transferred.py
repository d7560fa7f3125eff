"""A certificate that was carried to another model: the one it rests on is stored with it."""

import json
from collections.abc import Callable, Iterator

from surelearn.app.verifying.finding import Finding, equal
from surelearn.certificate import Certificate
from surelearn.certificate._reading import restored
from surelearn.evaluate.transfer import (
    observed_in,
    refuse_unless_carried,
    spent_on,
    tell_carried,
)

PREFIX = "transfer."
DEMANDS = ("unseen", "not_chosen_by_them", "row_by_row")
"""What is demanded beside the theorem."""
_NAME = "the certificate that it carries over holds and is the one it tells of"


def observed_of(certificate: Certificate) -> float:
    """Return what a certificate that was carried over must have observed."""
    inputs = restored(dict(certificate.reproduce["inputs"]))
    return observed_in(_stored_in(certificate), inputs)


def check_carried(
    certificate: Certificate, check: Callable[[Certificate], tuple[Finding, ...]]
) -> Iterator[Finding]:
    """Check the certificate that another one carries over, by itself and against the other.

    Parameters
    ----------
    certificate
        The certificate of the new model.
    check
        How a certificate is checked by itself.
    """
    try:
        old = _stored_in(certificate)
        refuse_unless_carried(old)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        yield Finding(_NAME, holds=False, evidence=f"it cannot be read: {str(error)[:200]}")
        return
    failed = [finding.name for finding in check(old) if not finding.holds]
    failed += _differing(certificate, old)
    evidence = f"not: {', '.join(failed)}" if failed else f"a bound of {old.bound:.6g}"
    yield Finding(_NAME, holds=not failed, evidence=evidence)


def _differing(c: Certificate, old: Certificate) -> Iterator[str]:
    """Yield what the new certificate says otherwise than the one that is stored with it."""
    inputs, stored = restored(dict(c.reproduce["inputs"])), c.reproduce
    told = {p.key: (p.status, p.evidence) for p in c.preconditions}
    if not equal(float(inputs["risk"]), min(1.0, old.bound)):
        yield "its bound is the risk"
    if not equal(float(inputs["risk_delta"]), spent_on(old)):
        yield "its delta is the part spent on the risk"
    if told["carried"] != tuple(tell_carried(old)):
        yield "its preconditions are those told"
    models = stored["models"]
    if models[0] != old.reproduce.get("model") or models[1:] != [stored["model"]]:
        yield "the models are the one certified before and the one certified now"
    if stored["model"] == models[0] and c.observed != old.observed:
        yield "one model does not differ from itself"


def _stored_in(certificate: Certificate) -> Certificate:
    return Certificate.from_json(json.dumps(certificate.reproduce["certificate"]))
