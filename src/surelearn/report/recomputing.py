"""What lets a page check itself: the certificates as data, places for marks, the script."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from surelearn.certificate import Certificate
from surelearn.certificate._several import Told, digest_of_lines, lines_of
from surelearn.report.content import Report

_LONGEST = 2_000_000  # characters of a certificate that a page carries whole
# In a script element only "<" could end the data; the others are escaped for good measure.
_ESCAPED = {sign: f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"} | {"/": "\\/"}


@cache
def verifier() -> str:
    """Return the script that recomputes certificates: in a page, or under Node.

    Examples
    --------
    >>> "BigInt" in verifier()
    True
    """
    return resources.files("surelearn.report").joinpath("verifier.js").read_text("utf-8")


def digest_of(text: str) -> str:
    """Return a text's hash as a policy of a page names it.

    Examples
    --------
    >>> digest_of("")
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
    """
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def certificates_of(report: Report) -> tuple[Certificate, ...]:
    """Return all certificates of a report in the order in which its page numbers them."""
    training = () if report.training is None else (report.training,)
    classes = (found.certificate for found in report.classes)
    claimed = (one.certificate for one in report.claimed if one.certificate is not None)
    audited = (c for c in claimed if c is not report.certificate)
    return (report.certificate, *audited, *classes, *training, *report.others)


def scripts(report: Report, told: Mapping[str, Any]) -> str:
    """Return the certificates as data and the script that reads them, for the end of a page.

    Parameters
    ----------
    report, told
        The report, and what its page tells beside certificates.
    """
    content = [_embedded(certificate) for certificate in certificates_of(report)]
    claims = _data("claims", _claims(report)) if report.claimed else ""
    beside = _data("told", told)
    return f"{_data('certificates', content)}{claims}{beside}<script>{verifier()}</script>"


def _data(name: str, content: Any) -> str:
    """Return data for the script; in ASCII, so that no sign turns the direction of reading."""
    text = json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    data = text.translate(str.maketrans(_ESCAPED))
    return f'<script type="application/json" id="{name}">{data}</script>'


def _claims(report: Report) -> dict[str, Any]:
    """Return what became of each claim, the place of its certificate, and the hash over all."""
    certificates = certificates_of(report)
    lines = lines_of(Told(o.target, o.verdict, o.advice, o.certificate) for o in report.claimed)
    names = ("target", "verdict", "advice", "sha256")
    told = [
        {**dict(zip(names, line, strict=True)), "place": place_of(certificates, one.certificate)}
        for line, one in zip(lines, report.claimed, strict=True)
    ]
    return {"lines": told, "sha256": digest_of_lines(lines)}


def place_of(certificates: Sequence[Certificate], certificate: Certificate | None) -> int | None:
    """Return the number of a certificate in a page; None if it has none."""
    return next((i for i, each in enumerate(certificates) if each is certificate), None)


class Places:
    """The numbers of a report's certificates in its page, by which the script finds its places.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> from surelearn.certificate import certify
    >>> guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    >>> one = certify(guarantee, kind="risk", subject="s", observed=0.05, n=100)
    >>> Places([one]).shows(one, "bound")
    ' data-of="0" data-shows="bound"'
    """

    def __init__(self, certificates: Sequence[Certificate]) -> None:
        self._certificates = certificates

    def _number(self, certificate: Certificate) -> int:
        place = place_of(self._certificates, certificate)
        if place is None:
            raise ValueError("the page does not carry this certificate")
        return place

    def shows(self, certificate: Certificate, what: str) -> str:
        """Return attributes that tell the script what of a certificate an element shows."""
        return f' data-of="{self._number(certificate)}" data-shows="{what}"'

    def mark(self, certificate: Certificate) -> str:
        """Return the place where the script writes what it found; unseen without scripts."""
        return f'<span class="recomputed" data-of="{self._number(certificate)}" hidden></span>'

    def of_all(self) -> str:
        """Return the place for what the script finds of all claims of an audit together."""
        return '<p class="recomputed" data-of="all" hidden></p>'


def shown_as(of: str, what: str) -> str:
    """Return attributes of an element that belongs to a table of certificates, not to one of them.

    Examples
    --------
    >>> shown_as("claims", "head")
    ' data-of="claims" data-shows="head"'
    """
    return f' data-of="{of}" data-shows="{what}"'


def _embedded(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate for a page; one with very many numbers comes without them."""
    text = certificate.to_json()
    content: dict[str, Any] = json.loads(text)
    if len(text) > _LONGEST:
        content["reproduce"] = {k: v for k, v in content["reproduce"].items() if k != "inputs"}
    return content
