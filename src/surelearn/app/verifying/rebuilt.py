"""The statement that the stored inputs of a certificate give, as its issuer would have made it."""

import math
import re
from dataclasses import replace

from surelearn._wording import interval
from surelearn.app.verifying.finding import equal
from surelearn.app.verifying.shapes import without_numbers
from surelearn.bounds import Guarantee
from surelearn.bounds._phrases import rounded, slug
from surelearn.bounds._within_limits import state_within_limits
from surelearn.certificate import Certificate
from surelearn.certificate._reading import restored

CHARGED = "a sleeping expert is charged the learner's own loss"
MONITORED = "the average round of this stream"
_FORMER_SUBJECTS = {
    r"the (positive cases|negative cases|cases called positive|cases called negative) of this "
    "stream": r"this run of RateMonitor, the \1 of its stream",
    "two models on the same stream": "this run of ModelDifferenceMonitor",
    "this drift alarm": "this run of DriftAlarm",
}
_LOST = 1e-12  # of the larger end of a range


def rebuild(certificate: Certificate) -> Guarantee:
    """Return the theorem applied to the stored inputs, in the range of losses that is stored.

    Raises whatever forged inputs make a theorem raise.
    """
    c, stored = certificate, certificate.reproduce
    guarantee = state_within_limits(c.method, restored(stored["inputs"]))
    if guarantee.validity == "quoted":
        raise ValueError(f"{c.method} is quoted, not proved: it cannot be certified")
    low, high = stored.get("loss_range", (0.0, 1.0))
    quantity, assumes = guarantee.quantity, dict(guarantee.assumes)
    if any(p.name == CHARGED for p in c.preconditions):
        quantity += ", each on its awake rounds"
    if c.subject == MONITORED:
        assumes["range"] = f"every loss lies in {interval(low, high)}"
    quantity, assumes = _as_told(c, quantity, assumes)
    scaled = high > low or guarantee.trivial < math.inf  # no product of 0 and infinity
    return replace(
        guarantee,
        bound=low + (high - low) * guarantee.bound,
        trivial=low + (high - low) * guarantee.trivial if scaled else math.inf,
        quantity=quantity,
        assumes=assumes,
    )


def _as_told(c: Certificate, quantity: str, assumes: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Return the words of a theorem with the digits that the version had which issued it."""
    told = {p.name for p in c.preconditions}
    earlier = {key: rounded(phrase) for key, phrase in assumes.items()}
    words = {key: earlier[key] if earlier[key] in told else assumes[key] for key in assumes}
    return (rounded(quantity) if c.quantity == rounded(quantity) else quantity), words


def trivial_of(certificate: Certificate, guarantee: Guarantee) -> str:
    """Return what is known without data: by the theorem, n losses, or the loss of the run."""
    low, high = certificate.reproduce.get("loss_range", (0.0, 1.0))
    if equal_in_range(certificate.trivial, guarantee.trivial, certificate):
        return "theorem"
    return "rounds" if equal(certificate.trivial, certificate.n * (high - low)) else "run"


def with_todays_subject(certificate: Certificate) -> Certificate:
    """Return the certificate of a monitor with the subject that monitors have today.

    The first ones said of whom they speak, and not which monitor speaks.
    """
    subject = certificate.subject
    for earlier, monitor in _FORMER_SUBJECTS.items():
        if found := re.fullmatch(earlier, subject):
            subject = found.expand(monitor)
    return certificate if subject == certificate.subject else replace(certificate, subject=subject)


def equal_in_range(
    a: float, b: float, certificate: Certificate, *, usual: tuple[float, float] = (0.0, 0.0)
) -> bool:
    """Return whether two places in a range of losses, stored or usual, differ by rounding at most.

    Near 0 of a range from -1e6 on, as many digits of them are lost as lie between the two.
    """
    ends = certificate.reproduce.get("loss_range", usual)
    return equal(a, b) or abs(a - b) <= _LOST * max(map(abs, ends))


def with_keys_of_issuers(certificate: Certificate, keys: dict[str, str]) -> Certificate:
    """Return a certificate of schema 1, whose demands have keys made of words, with today's keys.

    `keys` has them by phrase, with its numbers or without.
    """
    conditions = tuple(
        replace(p, key=keys.get(p.name, keys.get(without_numbers(p.name), p.key)))
        if p.key == slug(p.name)
        else p
        for p in certificate.preconditions
    )
    if len({p.key for p in conditions}) < len(conditions):
        return certificate
    return replace(certificate, preconditions=conditions)
