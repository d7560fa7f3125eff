"""The certificates of an audit in one file: all claims, with what became of each target."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from surelearn.certificate import Certificate
from surelearn.certificate._reading import parse_json
from surelearn.certificate._several import Told, digest_of_lines, lines_of
from surelearn.evaluate.audit import Outcome, verdict_of

FORMAT = "surelearn audit"
SCHEMA = 1
_VERDICTS = ("stated", "proved", "not proved", "refuted", "not tried")
_KEYS = {"claim", "target", "verdict", "advice", "certificate"}


@dataclass(frozen=True)
class Stored:
    """What a file says became of one claim."""

    claim: str
    target: str | None
    verdict: str
    advice: str
    certificate: Certificate | None


@dataclass(frozen=True)
class Bundle:
    """What the file of an audit holds."""

    delta: float
    verdict: str
    outcomes: tuple[Stored, ...]

    @property
    def certificates(self) -> tuple[Certificate, ...]:
        """The certificates in it."""
        return tuple(o.certificate for o in self.outcomes if o.certificate is not None)

    @cached_property
    def sha256(self) -> str:
        """The hash over all claims, which a report states, too."""
        told = (Told(o.target or "", o.verdict, o.advice, o.certificate) for o in self.outcomes)
        return digest_of_lines(lines_of(told))


def bundle_of(outcomes: Sequence[Outcome], delta: float) -> Bundle:
    """Return what the file of an audit holds."""
    stored = (
        Stored(
            claim=str(o.claim),
            target=None if o.target is None else str(o.target),
            verdict=o.verdict,
            advice=o.advice,
            certificate=o.certificate,
        )
        for o in outcomes
    )
    return Bundle(delta, verdict_of(outcomes), tuple(stored))


def bundle_of_one(certificate: Certificate) -> Bundle | None:
    """Return the file of an audit that a certificate is all of; None if it had other claims."""
    claim = certificate.reproduce["audit"]["claim"]
    if certificate.reproduce["options"].get("claims") != [claim]:
        return None
    found = Stored(claim, target=None, verdict="stated", advice="", certificate=certificate)
    return Bundle(certificate.reproduce["audit"]["delta"], found.verdict, (found,))


def to_json(bundle: Bundle) -> str:
    """Return the file as text."""
    content = {
        "format": FORMAT,
        "schema": SCHEMA,
        "delta": bundle.delta,
        "verdict": bundle.verdict,
        "outcomes": [
            {
                "claim": o.claim,
                "target": o.target,
                "verdict": o.verdict,
                "advice": o.advice,
                "certificate": None
                if o.certificate is None
                else json.loads(o.certificate.to_json()),
            }
            for o in bundle.outcomes
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def is_bundle(text: str) -> bool:
    """Return whether a file looks like that of an audit."""
    return FORMAT in text[:200]


def from_json(text: str) -> Bundle:
    """Return what the file of an audit holds, or raise `ValueError`."""
    content = parse_json(text, what="an audit of surelearn")
    known = {"format", "schema", "delta", "verdict", "outcomes"}
    if not isinstance(content, dict) or set(cast("dict[str, Any]", content)) != known:
        raise ValueError("the audit is damaged: it lacks a part, or has one too many")
    if content["format"] != FORMAT or type(content["schema"]) is not int:
        raise ValueError("the audit is damaged: it is of another format")
    if content["schema"] != SCHEMA:
        raise ValueError(
            f"the audit has schema {content['schema']}, this version reads {SCHEMA}: install the "
            "version of surelearn that wrote it"
        )
    outcomes = content["outcomes"]
    if type(content["delta"]) is not float or not isinstance(outcomes, list):
        raise ValueError("the audit is damaged: it has no delta or no outcomes")
    if not outcomes:
        raise ValueError(
            "it claims nothing, as beside a void certificate: there is nothing to verify"
        )
    found = Bundle(content["delta"], _verdict(content["verdict"]), tuple(map(_stored, outcomes)))
    _ = found.sha256  # refuses what readers of JSON differ on
    return found


def _stored(one: Any) -> Stored:
    if not isinstance(one, dict) or set(cast("dict[str, Any]", one)) != _KEYS:
        raise ValueError("the audit is damaged: an outcome lacks a part, or has one too many")
    texts = (one["claim"], one["advice"], *([] if one["target"] is None else [one["target"]]))
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("the audit is damaged: an outcome has no words")
    found = one["certificate"]
    certificate = None if found is None else Certificate.from_json(json.dumps(found))
    return Stored(one["claim"], one["target"], _verdict(one["verdict"]), one["advice"], certificate)


def _verdict(word: Any) -> str:
    if word not in _VERDICTS:
        raise ValueError(f"the audit is damaged: {word!r} is no verdict")
    return word
