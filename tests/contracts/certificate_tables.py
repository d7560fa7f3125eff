"""The reviewed tables of what is stated about each assumption, made and written.

`make statuses` rewrites both tables beside this file, and `known.json`, by which `verify` knows
what issuers state: their sentences and statuses, in these runs and in files of format 1.
`statuses.json`: for each issuer, theorem and
assumption, the statuses that appear in the small runs with their evidence, and the sentences that
are the issuer's own.
`assumptions.json`: what each theorem calls its assumptions. Read the difference before you commit
it. `--lines FILE` writes a line for each certificate, to compare two versions of the code.
"""

import argparse
import functools
import json
import pathlib
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from contracts.bound_examples import THEOREMS, example_inputs
from contracts.certified_evaluations import evaluation_runs
from contracts.certified_runs import game_runs, learner_runs
from surelearn import bounds
from surelearn.app.verifying import known
from surelearn.app.verifying.rebuilt import rebuild, trivial_of
from surelearn.app.verifying.shapes import issuer_of, shape_of, without_numbers
from surelearn.bounds import Guarantee
from surelearn.certificate import Certificate
from surelearn.evaluate._monitoring import HOWEVER_OFTEN

_HERE = pathlib.Path(__file__).parent
STATUSES, ASSUMPTIONS = _HERE / "statuses.json", _HERE / "assumptions.json"
KNOWN = pathlib.Path(known.__file__).with_name("known.json")
FORMAT_1 = _HERE.parent / "fixtures" / "format_1"
_NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?")


def masked(text: str) -> str:
    """Return a text without its numbers: those belong to the run."""
    return _NUMBER.sub("#", text)


def all_runs() -> Iterator[tuple[str, Any]]:
    """Yield every certificate of the small runs with the name of its issuer."""
    for name, run in (*learner_runs(), *game_runs()):
        yield from ((name, certificate) for certificate in run())
    for name, issued in evaluation_runs():
        yield from ((name, certificate) for certificate in issued)


@functools.cache
def collected() -> tuple[tuple[str, Any], ...]:
    """Return all certificates of the small runs; they are made once."""
    return tuple(all_runs())


def statuses() -> dict[str, Any]:
    """Return issuer -> theorem -> assumption -> the statuses seen, each with its evidence.

    The evidence shows what a status alone would hide: two assumptions, both checked, whose
    evidence was exchanged.
    """
    found: dict[str, Any] = {}
    for issuer, certificate in collected():
        known = found.setdefault(issuer, {}).setdefault(certificate.method, {})
        for condition in certificate.preconditions:
            known.setdefault(condition.key, set()).add(
                f"{condition.status}: {masked(condition.evidence)}".removesuffix(": ")
            )
    return {
        issuer: {
            theorem: {key: sorted(seen) for key, seen in keys.items()}
            for theorem, keys in sorted(theorems.items())
        }
        for issuer, theorems in sorted(found.items())
    }


def issuers_phrases() -> dict[str, dict[str, list[str]]]:
    """Return issuer -> key -> the sentences that the issuer adds to those of the theorem."""
    found: dict[str, dict[str, set[str]]] = {}
    for issuer, certificate in collected():
        own = assumptions()[certificate.method]
        for condition in certificate.preconditions:
            phrase = masked(condition.name)
            if own.get(condition.key) != phrase:
                found.setdefault(issuer, {}).setdefault(condition.key, set()).add(phrase)
    return {
        issuer: {key: sorted(phrases) for key, phrases in sorted(keys.items())}
        for issuer, keys in sorted(found.items())
    }


@functools.cache
def assumptions() -> dict[str, dict[str, str]]:
    """Return theorem -> key -> phrase, from the example of each theorem."""
    results = {name: bounds.evaluate(name, **example_inputs(name)) for name in sorted(THEOREMS)}
    return {
        name: {key: masked(phrase) for key, phrase in result.assumes.items()}
        for name, result in results.items()
        if isinstance(result, Guarantee)
    }


def certificates() -> list[Certificate]:
    """Return all certificates of the small runs, as they are read from their files."""
    found = [c for _, c in collected() if isinstance(c, Certificate)]
    return [Certificate.from_json(c.to_json()) for c in found]


def certificates_of_format_1() -> list[Certificate]:
    """Return the certificates that an earlier version wrote."""
    paths = sorted(FORMAT_1.rglob("*.json"))
    texts = [path.read_text(encoding="utf-8") for path in paths if "certificate" in str(path)]
    return [Certificate.from_json(t) for t in texts if '"preconditions"' in t and '"method"' in t]


def known_statements() -> dict[str, Any]:
    """Return what issuers state with which theorem: kinds, subjects, claims, statuses."""
    ours = certificates()
    phrases: dict[str, set[str]] = {}
    for certificate in ours:
        own = bounds_assumptions(certificate)
        for p in certificate.preconditions:
            if p.key not in own:
                phrases.setdefault(p.key, set()).add(without_numbers(p.name))
    issuers: dict[str, dict[str, Any]] = {}
    for certificate in ours:
        of_theorem = issuers.setdefault(issuer_of(certificate), {})
        _note(certificate, of_theorem.setdefault(certificate.method, {"conditions": {}}))
    _add_scopes(issuers)
    _add_earlier(issuers)
    return {"issuers": _sorted(issuers), "phrases": _sorted(phrases)}


def _add_scopes(issuers: dict[str, dict[str, Any]]) -> None:
    """Let the bound from the training rows speak of all rows that a table may speak for."""
    start, about = "proved by the training rows alone", " This is about "
    claims = {c for own in issuers["certify_table"].values() for c in own["claims"] if "errs" in c}
    scopes = {claim.partition(about)[2] for claim in claims}
    for own in issuers[""].values():
        heads = {c.partition(about)[0] for c in own["claims"] if start in c}
        own["claims"] |= {f"{head}{about}{scope}" for head in heads for scope in scopes}


def _add_earlier(issuers: dict[str, dict[str, Any]]) -> None:
    """Keep how certificates told before of copies, groups, moments of a stream and low ranks."""
    told = {
        "of the copies of a row one counts, drawn at random": "copies of a row count as one, by "
        "their mean loss",
        "of each group one row counts, drawn at random": "the mean over groups of the mean loss in "
        "a group",
    }
    for own in issuers["certify_table"].values():
        for now, before in told.items():
            own["claims"] |= {c.replace(now, before) for c in own["claims"] if now in c}
    for own in (theorem for theorems in issuers.values() for theorem in theorems.values()):
        before = "at this and every other moment"
        own["claims"] |= {c.replace(HOWEVER_OFTEN, before) for c in own["claims"]}
        if "singular_values" in own["conditions"]:
            own["conditions"]["singular_values"] |= {"checked: all of them were computed"}


def bounds_assumptions(certificate: Certificate) -> set[str]:
    """Return the keys of the theorem's own assumptions."""
    return set(assumptions()[certificate.method])


def _note(certificate: Certificate, own: dict[str, Any]) -> None:
    own.setdefault("kinds", set()).add(certificate.kind)
    own.setdefault("subjects", set()).add(without_numbers(certificate.subject))
    own.setdefault("stored", set()).update(certificate.reproduce)
    own["always"] = own.get("always", set(certificate.reproduce)) & set(certificate.reproduce)
    own.setdefault("claims", set())
    own.setdefault("quantities", set())
    own.setdefault("trivials", set())
    if not certificate.violated:
        guarantee = rebuild(certificate)
        own["trivials"].add(trivial_of(certificate, guarantee))
        if certificate.quantity != guarantee.quantity:
            own["quantities"].add(certificate.quantity)
        stated = replace(guarantee, bound=certificate.bound, quantity=certificate.quantity)
        own["claims"].add(shape_of(certificate, stated))
    for p in certificate.preconditions:
        seen = f"{p.status}: {without_numbers(p.evidence)}"
        own["conditions"].setdefault(p.key, set()).add(seen)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return sorted(value)


def lines() -> list[str]:
    """Return a line for each certificate: the claim, its numbers and all evidence.

    Six digits of a number: a compiled sum may be added in another order for another address.
    """
    return [
        f"{issuer} | {c.method} | {getattr(c, 'bound', 0.0):.6g} | "
        f"{getattr(c, 'observed', 0.0):.6g} | {getattr(c, 'claim', '')} | "
        + " ;; ".join(f"{p.name} = {p.status} = {p.evidence}" for p in c.preconditions)
        for issuer, c in collected()
    ]


def tables() -> dict[pathlib.Path, Callable[[], Any]]:
    """Return for each file what makes its contents."""
    return {
        STATUSES: lambda: {"statuses": statuses(), "phrases of the issuers": issuers_phrases()},
        ASSUMPTIONS: assumptions,
        KNOWN: known_statements,
    }


def as_text(table: Any) -> str:
    """Return a table as it is written to its file."""
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="rewrite the reviewed tables")
    parser.add_argument("--lines", type=pathlib.Path, help="write all certificates to this file")
    asked = parser.parse_args()
    if asked.write:
        for path, make in tables().items():
            path.write_text(as_text(make()), encoding="utf-8")
    if asked.lines:
        asked.lines.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
