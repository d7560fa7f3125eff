"""Checking a certificate: by its own statistics, or from the model and the table once more."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from surelearn._wording import confidence, outward, percent_outward
from surelearn.app.certify import ask, pose
from surelearn.app.errors import TableError
from surelearn.app.problem.entry import Entry
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.base.fingerprint import fingerprint_as
from surelearn.bounds._phrases import slug
from surelearn.certificate import Certificate
from surelearn.persistence.model_files import load_model


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    name: str
    holds: bool
    evidence: str


def read_certificate(path: Path) -> Certificate:
    """Read a certificate, or raise `TableError` with one sentence."""
    try:
        return Certificate.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TableError(f"there is no file {path}") from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise TableError(f"{path} cannot be read: {error}") from None


def verify_certificate(
    certificate: Certificate, *, model: Path | None = None, table: Path | None = None, **form: Any
) -> tuple[Finding, ...]:
    """Check a certificate; with the model and the table, derive its statistics anew.

    Parameters
    ----------
    certificate
        The certificate.
    model, table
        The model file and the table it was made from; both or neither.
    **form
        How to read the table, if not as the certificate records: see `read_table_file`.
    """
    if (model is None) != (table is None):
        raise TableError("give both --model and --data, or neither: the statistics need both")
    findings = list(_alone(certificate))
    if model is not None and table is not None:
        findings.extend(_anew(certificate, model, table, form))
    return tuple(findings)


def _alone(certificate: Certificate) -> Iterator[Finding]:
    """Compare the parts of a certificate with each other."""
    if certificate.status == "void":
        reasons = "; ".join(p.name for p in certificate.violated)
        yield Finding("it states a bound", holds=False, evidence=f"it is void: {reasons}")
        return
    name = "the bound follows from the stored statistics"
    try:
        bound = certificate.recompute()
    except Exception as error:  # noqa: BLE001 - whatever a forged file makes a theorem do
        yield Finding(name, holds=False, evidence=f"they cannot be evaluated: {error}")
        return
    evidence = f"stated {certificate.bound:.12g}, recomputed {bound:.12g}"
    yield Finding(name, holds=_equal(bound, certificate.bound), evidence=evidence)
    yield _claim_agrees(certificate)
    inputs: dict[str, Any] = dict(certificate.reproduce["inputs"])
    seen = _observed(inputs)
    if seen is not None:
        agree = _equal(seen[0], certificate.observed) and seen[1] == certificate.n
        evidence = f"{seen[0]:.6g} on {seen[1]:,} examples"
        yield Finding("so does what was observed", holds=agree, evidence=evidence)
    if "delta" in inputs and certificate.delta is not None:
        spent = float(inputs["delta"])  # less than delta if it is shared out among classes of rules
        agree = spent < certificate.delta or _equal(spent, certificate.delta)
        yield Finding("so does delta", holds=agree, evidence=f"{certificate.delta:g}")


def _claim_agrees(certificate: Certificate) -> Finding:
    """Compare the sentence with the numbers it states."""
    c = certificate
    limits = percent_outward(c.bound, c.direction), outward(c.bound, c.direction)
    level = "" if c.delta is None or c.family is None else confidence(c.delta * c.family.n_models)
    evidence = f"{limits[0] if c.kind == 'risk' else limits[1]} with confidence {level}"
    holds = any(_says(c.claim, limit) for limit in limits) and _says(c.claim, level)
    return Finding("the claim states this bound", holds=holds, evidence=evidence)


def _says(claim: str, number: str) -> bool:
    """Return whether a number stands in a claim, and not only as the end or start of another."""
    return re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", claim) is not None


def _observed(inputs: Mapping[str, Any]) -> tuple[float, int] | None:
    """Return the value seen and the number of examples, as the inputs of a theorem have them."""
    if {"errors", "n"} <= set(inputs):
        return inputs["errors"] / inputs["n"], inputs["n"]
    if "losses" in inputs:
        return float(np.mean(inputs["losses"])), len(inputs["losses"])
    if {"residuals", "alpha"} <= set(inputs):
        residuals = inputs["residuals"]
        return float(np.quantile(residuals, 1.0 - inputs["alpha"])), len(residuals)
    return None


def _anew(
    certificate: Certificate, model: Path, table: Path, form: Mapping[str, Any]
) -> Iterator[Finding]:
    """Derive the certificate again from the model and the table."""
    stored: dict[str, Any] = dict(certificate.reproduce)
    if "options" not in stored:
        raise TableError("the certificate does not say how its table was split: it has no options")
    options = dict(stored["options"])
    given = {name: value for name, value in form.items() if value is not None}
    file = read_table_file(table, **{**options.pop("form", {}), **given})
    same = file.sha256 == stored["table"]
    yield Finding("the table is the one certified", holds=same, evidence=f"SHA-256 {file.sha256}")
    saved = load_model(model)
    schema, again = _ask_again(file, saved.model, options, stored.get("ledger"))
    found, alike = fingerprint_as(saved.model, stored["model"]), saved.schema == schema
    evidence = f"fingerprint {found}" + ("" if alike else "; its file reads tables in another way")
    same = alike and found == stored["model"]
    yield Finding("the model is the one certified", holds=same, evidence=evidence)
    same = again.reproduce["data"] == stored["data"]
    evidence = f"fingerprint {again.reproduce['data']}"
    yield Finding("the hold-out is the one certified", holds=same, evidence=evidence)
    evidence = f"stated {certificate.bound:.12g}, from the table {again.bound:.12g}"
    same = _equal(again.bound, certificate.bound)
    yield Finding("asked again, it gives the same bound", holds=same, evidence=evidence)
    halved = "n_to_halve_slack"
    same = _in_its_keys(again, certificate) == certificate
    same = same and again.reproduce.get(halved) == stored.get(halved)
    evidence = "claim, numbers, assumptions with their status, ledger"
    yield Finding("and the same certificate in every word", holds=same, evidence=evidence)


def _in_its_keys(again: Certificate, certificate: Certificate) -> Certificate:
    """Return a certificate asked again with what may differ from the one that is verified.

    That is how it came about and, in one read from schema 1, keys made from the words of a phrase.
    """
    keys = {condition.name: condition.key for condition in certificate.preconditions}
    conditions = tuple(
        replace(p, key=keys[p.name]) if keys.get(p.name) == slug(p.name) else p
        for p in again.preconditions
    )
    return replace(again, preconditions=conditions, reproduce=certificate.reproduce)


def _ask_again(
    file: TableFile, model: Any, options: dict[str, Any], ledger: Any
) -> tuple[Mapping[str, Any], Certificate]:
    """Return how tables are read for a model of this table, and what the hold-out says of it.

    No ledger is charged: which look it was is taken from the certificate.
    """
    for name in ("learners", "select"):
        options.pop(name, None)
    try:
        delta, looks = options.pop("delta"), options.pop("looks", 1)
        problem = pose(file, **options)
        again = partial(ask, problem, model, delta=delta, looks=looks)
        return problem.schema, again(entry=Entry.read(ledger)).certificate
    except TableError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(f"the model does not fit the table, or the options: {error}") from error


def _equal(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)
