"""Checking a certificate: by its own statistics, or from the model and the table once more."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from surelearn.app._notes import TableError
from surelearn.app.certify import ask
from surelearn.app.model_files import load_model
from surelearn.app.profile import understand
from surelearn.app.splits import split
from surelearn.app.tables import read_table_file
from surelearn.base.fingerprint import fingerprint
from surelearn.certificate import Certificate


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
    except (OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read: {error}") from error


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
        How to read the table, if it cannot be found out: see `read_table_file`.
    """
    if (model is None) != (table is None):
        raise TableError("give both --model and --data, or neither: the statistics need both")
    findings = list(_alone(certificate))
    if model is not None and table is not None:
        findings.extend(_anew(certificate, model, table, form))
    return tuple(findings)


def _alone(certificate: Certificate) -> Iterator[Finding]:
    """Recompute the bound from the stored statistics."""
    if certificate.status == "void":
        reasons = "; ".join(p.name for p in certificate.violated)
        yield Finding("it states a bound", holds=False, evidence=f"it is void: {reasons}")
        return
    bound = certificate.recompute()
    same = math.isclose(bound, certificate.bound, rel_tol=1e-9)
    told = f"stated {certificate.bound:.12g}, recomputed {bound:.12g}"
    yield Finding("the bound follows from the stored statistics", holds=same, evidence=told)
    inputs = certificate.reproduce["inputs"]
    if {"errors", "n"} <= set(inputs):
        rate = inputs["errors"] / inputs["n"]
        agree = math.isclose(rate, certificate.observed) and inputs["n"] == certificate.n
        told = f"{inputs['errors']} errors on {inputs['n']} rows"
        yield Finding("what was observed agrees with them", holds=agree, evidence=told)
    if "delta" in inputs and certificate.delta is not None:
        agree = math.isclose(inputs["delta"], certificate.delta)
        yield Finding("so does delta", holds=agree, evidence=f"{certificate.delta:g}")


def _anew(
    certificate: Certificate, model: Path, table: Path, form: dict[str, Any]
) -> Iterator[Finding]:
    """Derive the statistics again from the model and the table."""
    stored: dict[str, Any] = dict(certificate.reproduce)
    if "options" not in stored:
        raise TableError("the certificate does not say how its table was split: it has no options")
    saved, file = load_model(model), read_table_file(table, **form)
    same = file.sha256 == stored["table"]
    yield Finding("the table is the one certified", holds=same, evidence=f"SHA-256 {file.sha256}")
    found = fingerprint(saved.model)
    same = found == stored["model"]
    yield Finding("the model is the one certified", holds=same, evidence=f"fingerprint {found}")
    options = dict(stored["options"])
    options.pop("learners")
    delta = options.pop("delta")
    cut = partial(split, holdout=options.pop("holdout"), seed=options.pop("seed"))
    problem = understand(file, target=options.pop("target"), cut=cut, **options)
    again = ask(problem, saved.model, delta=delta)[0]
    same = again.reproduce["data"] == stored["data"]
    yield Finding(
        "the hold-out is the one certified", holds=same, evidence=str(again.reproduce["data"])
    )
    same = math.isclose(again.bound, certificate.bound, rel_tol=1e-9)
    told = f"stated {certificate.bound:.12g}, from the table {again.bound:.12g}"
    yield Finding("asked again, it gives the same bound", holds=same, evidence=told)
