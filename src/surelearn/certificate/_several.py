"""One hash for several certificates that belong together, with what became of each target."""

import hashlib
import json
from collections.abc import Iterable
from typing import NamedTuple

from surelearn.certificate._canonical import canonical
from surelearn.certificate._certificate import Certificate


class Told(NamedTuple):
    """What is told of one claim: its target, its verdict and advice, and its certificate."""

    target: str
    verdict: str
    advice: str
    certificate: Certificate | None


def digest_of_one(certificate: Certificate) -> str:
    """Return the SHA-256 of a certificate in canonical form."""
    return hashlib.sha256(canonical(json.loads(certificate.to_json()))).hexdigest()


def lines_of(told: Iterable[Told]) -> list[list[str | None]]:
    """Return a line for each claim: target, verdict, advice, the hash of its certificate."""
    return [
        [one.target, one.verdict, one.advice, one.certificate and digest_of_one(one.certificate)]
        for one in told
    ]


def digest_of_lines(lines: list[list[str | None]]) -> str:
    """Return the SHA-256 of such lines in canonical form: none can be left out or exchanged.

    Examples
    --------
    >>> digest_of_lines([["error<=0.1", "not tried", "", None]])[:16]
    '4acd3f9420dc5c44'
    """
    return hashlib.sha256(canonical(lines)).hexdigest()
