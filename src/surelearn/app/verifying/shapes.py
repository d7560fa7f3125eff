"""The sentences of certificates without their numbers, and the numbers that may stand in them.

A shape is a claim in which what the fields of its certificate determine is named: {level},
{percent}, {limit}, {kept}. Other numbers are #, names that come from the data are *.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from surelearn._wording import confidence, outward, percent_outward
from surelearn.certificate import Certificate
from surelearn.certificate._issue import default_claim
from surelearn.evaluate._holdout_claims import AS_ONE

_ANY_NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"(?<![\w.]){_ANY_NUMBER}")
_OF_TABLES = ". This is about "
_MISSING = " Rows whose target is missing are not meant."
_TOGETHER = re.compile(r" for (?:all (\d+) models)?(?: and )?(?:all (\d+) classes)? together(?=,)")
_LABELS = (  # what stands before the name of a class, and what may end the text after it
    (" of class ", (" in a new group that has some, on average.",)),
    (" of new rows of class ", (f", {AS_ONE}.", ".")),
    (", class ", (" against the rest",)),
)
_CHECKED = "), checked"


class Together(NamedTuple):
    """A claim without the words that say of what else it holds at once, and their numbers."""

    claim: str
    n_models: int
    n_classes: int


def issuer_of(certificate: Certificate) -> str:
    """Return who issued a certificate, as far as its fields tell: a use case, a learner, or ""."""
    if "options" in certificate.reproduce:
        return "certify_table"
    if certificate.family is not None:
        return "Holdout"
    run = re.match(r"this run of (\w+)(,|$)", certificate.subject)
    return run[1] if run else ""


def without_numbers(text: str) -> str:
    """Return a text with # for its numbers and * for the name of a class or loss.

    Examples
    --------
    >>> without_numbers("the average of the 20 models of the run")
    'the average of the # models of the run'
    """
    return _NUMBER.sub("#", _without_names(text))


def read_together(claim: str) -> Together:
    """Split off the words "for all 20 models and all 2 classes together".

    Examples
    --------
    >>> read_together("With confidence 95% for all 2 classes together, it errs.")
    Together(claim='With confidence 95%, it errs.', n_models=1, n_classes=2)
    """
    if _OF_TABLES in claim:  # elsewhere no rows are left out
        claim = claim.removesuffix(_MISSING)
    found = _TOGETHER.search(claim)
    if found is None:
        return Together(claim, 1, 1)
    n_models, n_classes = (int(number or 1) for number in found.groups())
    return Together(_TOGETHER.sub("", claim, count=1), n_models, n_classes)


def shape_of(certificate: Certificate, guarantee: Any) -> str:
    """Return the shape of a claim; {default} if it is the sentence that the theorem gives."""
    if certificate.claim == default_claim(guarantee):
        return "{default}"
    text = _without_names(read_together(certificate.claim).claim)
    for slot, values in _slots(certificate).items():
        for value in sorted(values, key=len, reverse=True):
            place = rf"(?<![\d.]){re.escape(value)}(?!\d|\.\d)"
            text = re.sub(place, f"{{{slot}}}", text, count=1)  # another may be there by chance
    return _NUMBER.sub("#", text)


def has_shape(certificate: Certificate, shape: str, guarantee: Any) -> bool:
    """Return whether a claim is of a shape, word by word, with the numbers of its certificate."""
    if shape == "{default}":
        return certificate.claim == default_claim(guarantee)
    label = certificate.reproduce.get("class")
    words = r"(?:(?!\. ).)+" if label is None else re.escape(str(label))  # no sentence of its own
    pattern = re.escape(shape).replace(r"\#", _ANY_NUMBER).replace(r"\*", words)
    for slot, values in _slots(certificate).items():
        pattern = pattern.replace(rf"\{{{slot}\}}", f"(?:{'|'.join(map(re.escape, values))})")
    return re.fullmatch(pattern, read_together(certificate.claim).claim, re.DOTALL) is not None


def _without_names(text: str) -> str:
    """Return a text with * for the name of a class or loss; in one pass, however long it is."""
    for before, endings in _LABELS:
        start = text.find(before) + len(before)
        for end in endings:
            if start >= len(before) and text.endswith(end) and start < len(text) - len(end):
                text = f"{text[:start]}*{end}"
                break
    if text.endswith(_CHECKED) and "\n" not in text:  # the loss of an AggregatingAlgorithm
        name = re.match(r"\w+\(", text)
        end = text.rfind(") on (", 0, -len(_CHECKED))
        if name is not None and name.end() <= end:
            text = f"*{text[end + 1 :]}"
    return text


def _slots(certificate: Certificate) -> dict[str, set[str]]:
    """Return what may stand in each place of a claim, given the fields of its certificate."""
    c, inputs = certificate, certificate.reproduce.get("inputs", {})
    slots = {
        "percent": {percent_outward(c.bound, c.direction)},
        "limit": {outward(c.bound, c.direction)},
    }
    if c.delta is not None:
        _, n_models, n_classes = read_together(c.claim)
        slots = {"level": set(_levels(c.delta * n_models * n_classes)), **slots}
    alpha = inputs.get("alpha")
    if type(alpha) is float and 0.0 < alpha < 1.0:
        slots["kept"] = {confidence(alpha)}
    return slots


def _levels(delta: float) -> Iterable[str]:
    """Yield a confidence in words; a share of delta times the number of shares may differ a bit."""
    for value in (delta, float(f"{delta:.12g}")):
        if 0.0 < value < 1.0:
            yield confidence(value)
    if delta >= 1.0:
        yield "0%"
