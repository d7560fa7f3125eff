"""The reviewed tables of what is stated about each assumption, made and written.

`make statuses` rewrites both tables beside this file. `statuses.json`: for each issuer, theorem and
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
from collections.abc import Iterator
from typing import Any

from contracts.bound_examples import THEOREMS, example_inputs
from contracts.certified_evaluations import evaluation_runs
from contracts.certified_runs import game_runs, learner_runs
from surelearn import bounds
from surelearn.bounds import Guarantee

_HERE = pathlib.Path(__file__).parent
STATUSES, ASSUMPTIONS = _HERE / "statuses.json", _HERE / "assumptions.json"
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


def tables() -> dict[pathlib.Path, Any]:
    """Return what each file should hold."""
    return {
        STATUSES: {"statuses": statuses(), "phrases of the issuers": issuers_phrases()},
        ASSUMPTIONS: assumptions(),
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
        for path, table in tables().items():
            path.write_text(as_text(table), encoding="utf-8")
    if asked.lines:
        asked.lines.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
