"""What the issuers of this library state: a reviewed table, made by running every one of them.

`make statuses` rewrites it. A certificate that states anything else was not issued like that. What
issuers stated up to schema 2 stands in a table of its own, which does not change any more.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Any, NamedTuple

from surelearn.app.verifying import assumed_words
from surelearn.app.verifying.shapes import issuer_of, without_numbers
from surelearn.certificate import Certificate, Precondition
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED, ALSO_ROUNDED_BEFORE

FIXED = 3
"""The schema from which on all that a certificate must list is fixed."""

_HOLDOUTS = ("Holdout", "certify_table")  # that may demand the same whatever the theorem


class Known(NamedTuple):
    """What one issuer has been seen to state with one theorem.

    Attributes
    ----------
    kinds, subjects, claims
        What is bounded, of whom, and in which sentence; without numbers.
    conditions
        For each key the statuses with their evidence, such as "assumed: cannot be verified".
    stored, always
        What may be stored beside the inputs, and what always is.
    quantities, trivials
        What is bounded, if not in the theorem's words; what is known without data: by the theorem,
        from the number of rounds, or from the loss of the run.
    strict
        Whether all words for what is assumed are known.
    """

    kinds: tuple[str, ...]
    subjects: tuple[str, ...]
    claims: tuple[str, ...]
    conditions: Mapping[str, tuple[str, ...]]
    stored: tuple[str, ...]
    always: tuple[str, ...]
    quantities: tuple[str, ...]
    trivials: tuple[str, ...]
    strict: bool

    def statuses(self, key: str) -> set[str]:
        """Return the statuses that an assumption may have."""
        return {text.partition(": ")[0] for text in self.conditions.get(key, ())}

    def contradicts(self, condition: Precondition) -> bool:
        """Return whether the evidence is none for this status, or that for another one.

        Why something is merely assumed may be put in other words, except by hold-outs: learners
        name columns and seeds, and up to schema 2 nothing was fixed.
        """
        said = condition.evidence.replace(ALSO_ROUNDED_BEFORE, ALSO_ROUNDED)
        evidence = without_numbers(said)
        stated = (text.partition(": ") for text in self.conditions[condition.key])
        owners = {status for status, _, words in stated if words == evidence}
        unknown = not owners and not self._may_be_assumed(condition)
        return unknown or (bool(owners) and condition.status not in owners)

    def _may_be_assumed(self, condition: Precondition) -> bool:
        if condition.status != "assumed":
            return False
        known = assumed_words.is_known(condition.key, condition.evidence)
        return known or not self.strict


def known_of(certificate: Certificate) -> Known | None:
    """Return what the issuer of a certificate states with its theorem; None if it never does."""
    issuer, known = issuer_of(certificate), table(certificate.schema)
    own: dict[str, Any] | None = known["issuers"].get(issuer, {}).get(certificate.method)
    if own is None:
        return None
    conditions = dict(own["conditions"])
    if issuer in _HOLDOUTS:
        for other in known["issuers"][issuer].values():
            for key, seen in other["conditions"].items():
                if key in known["phrases"]:  # a demand, not an assumption of another theorem
                    conditions[key] = sorted({*conditions.get(key, ()), *seen})
    return Known(
        kinds=tuple(own["kinds"]),
        subjects=tuple(own["subjects"]),
        claims=tuple(own["claims"]),
        conditions={key: tuple(seen) for key, seen in conditions.items()},
        stored=tuple(own["stored"]),
        always=tuple(own["always"]),
        quantities=tuple(own["quantities"]),
        trivials=tuple(own["trivials"]),
        strict=issuer in _HOLDOUTS and certificate.schema >= FIXED,
    )


def kinds_of(certificate: Certificate) -> set[str]:
    """Return of what kind anybody's statement with a theorem is; empty if nobody makes one."""
    issuers = table(certificate.schema)["issuers"].values()
    each: Iterator[Any] = (own.get(certificate.method, {}) for own in issuers)
    return {kind for found in each for kind in found.get("kinds", ())}


def phrases_of(key: str, schema: int) -> list[str]:
    """Return how issuers put what they demand beside their theorem, without numbers."""
    return table(schema)["phrases"].get(key, [])


def keys_by_phrase(schema: int) -> dict[str, str]:
    """Return the keys of the issuers' demands by their phrases."""
    return {phrase: key for key, phrases in table(schema)["phrases"].items() for phrase in phrases}


@functools.cache
def table(schema: int) -> dict[str, Any]:
    """Return the reviewed table for certificates of a schema."""
    name = "known.json" if schema >= FIXED else "known_to_schema_2.json"
    path = resources.files("surelearn.app.verifying").joinpath(name)
    return json.loads(path.read_text(encoding="utf-8"))
