"""The files of a certified run or an audit: written aside, then put in place all at once."""

import json
import os
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import joblib

from surelearn.app import folder_swap
from surelearn.app.audit import AuditRun
from surelearn.app.auditing.bundle import bundle_of, to_json
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.foreign_learners import is_foreign
from surelearn.app.errors import TableError
from surelearn.app.monitor import StreamMonitor
from surelearn.app.predict import MODEL
from surelearn.app.tables.read import TableFile
from surelearn.app.tables.sources import STANDARD_INPUT
from surelearn.app.telling.audit_report import make_audit_report
from surelearn.app.telling.report import make_report
from surelearn.certificate._certificate import plain
from surelearn.persistence.model_files import save_model
from surelearn.report import render_html, render_json

NAMES = (MODEL, "certificate.json", "claims.json", "report.html", "report.json")
FOREIGN_MODEL = "model.joblib"
"""A model of another library: who loads it runs code from it, so it is not loaded by us."""

OF_AUDITS = ("certificate.json", "report.html", "report.json")
"""The files of an audit, which has no model."""

OF_MONITORS = ("certificate.json", "monitor.json", "monitor.svg")
"""The files of a stream that was watched."""


def fresh_folder(table: Path) -> Path:
    """Return the name of a folder for the results of a table that is not there yet.

    Examples
    --------
    >>> str(fresh_folder(Path("data/patients 2024.csv")))
    'patients-2024-certified'
    """
    name = table.name.partition(".")[0] if table.name != STANDARD_INPUT else ""
    stem = re.sub(r"[^\w-]+", "-", name).strip("-") or "table"
    return not_there_yet(f"{stem}-certified")


def not_there_yet(name: str) -> Path:
    """Return a path of this name in the working directory, with a number if there is one already.

    Examples
    --------
    >>> str(not_there_yet("audited"))
    'audited'
    """
    tried = (name + (f"-{n}" if n > 1 else "") for n in count(1))
    return next(path for path in map(Path, tried) if not path.exists())


def check_folder(out: Path, *, force: bool, names: Sequence[str] = NAMES) -> None:
    """Refuse a folder that cannot be written or holds a report already.

    What a run that was killed has left there is finished or undone before.

    Parameters
    ----------
    out, force
        The folder, and whether it may hold files of these names.
    names
        The files that will be written.
    """
    nearest = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise TableError(f"{nearest} is a file, not a folder: give another --out")
    with _aside(out, names):  # whether anything can be written
        folder_swap.clean_up(out, names)
    taken = [name for name in names if (out / name).is_dir()]
    if taken:
        raise TableError(f"{out / taken[0]} is a folder, where a file belongs: give another --out")
    there = [name for name in (*names, FOREIGN_MODEL) if (out / name).exists()]
    if there and not force:
        raise TableError(f"{out} already holds {there[0]}: give another --out, or --force")


def write_run(run: CertifiedRun, file: TableFile, out: Path) -> tuple[Path, ...]:
    """Write the model, the certificate and the report; all of them or none.

    The same run gives the same files, whenever and wherever it is written.
    """
    report, names = make_report(run, file), _names_of(run)
    with _aside(out, names) as made:
        folder_swap.clean_up(out, names)
        stored = run.certificate.reproduce
        known = {name: plain(stored[name]) for name in ("options", "versions") if name in stored}
        metadata = {"certificate": stored["model"], "learner": run.name, "made": known}
        metadata |= run.kept_intervals
        _save(run, made.new / names[0], metadata)
        _write(made.new / names[1], run.certificate.to_json() + "\n")
        beside = bundle_of(run.claims, run.claims_delta)
        _write(made.new / names[2], to_json(beside))
        _write(made.new / names[3], render_html(report))
        _write(made.new / names[4], render_json(report))
        folder_swap.put_in_place(made)
    return tuple(out / name for name in names)


def _names_of(run: CertifiedRun) -> tuple[str, ...]:
    """Return the files of a run; a learner of another library is in no file of ours."""
    return (FOREIGN_MODEL, *NAMES[1:]) if is_foreign(run.name) else NAMES


def _save(run: CertifiedRun, path: Path, metadata: Mapping[str, Any]) -> None:
    """Write the model: one of ours without pickle, one of another library as joblib writes it."""
    if path.name == FOREIGN_MODEL:
        joblib.dump({"model": run.model, "schema": dict(run.problem.schema), **metadata}, path)
    else:
        save_model(run.model, path, schema=run.problem.schema, metadata=metadata)


def write_audit(run: AuditRun, out: Path) -> tuple[Path, ...]:
    """Write the certificates and the report of an audit; all files or none."""
    report = make_audit_report(run)
    bundle = bundle_of(run.audit.outcomes, run.audit.delta)
    texts = (to_json(bundle), render_html(report), render_json(report))
    with _aside(out, OF_AUDITS) as made:
        folder_swap.clean_up(out, OF_AUDITS)
        for name, text in zip(OF_AUDITS, texts, strict=True):
            _write(made.new / name, text)
        folder_swap.put_in_place(made)
    return tuple(out / name for name in OF_AUDITS)


def write_monitor(monitor: StreamMonitor, out: Path) -> tuple[Path, ...]:
    """Write the certificate, the history and the drawings of a stream; all files or none."""
    content = json.dumps(monitor.content(), indent=2, ensure_ascii=False)
    texts = (f"{monitor.certificate.to_json()}\n", f"{content}\n", monitor.figure())
    with _aside(out, OF_MONITORS) as made:
        folder_swap.clean_up(out, OF_MONITORS)
        for name, text in zip(OF_MONITORS, texts, strict=True):
            _write(made.new / name, text)
        folder_swap.put_in_place(made)
    return tuple(out / name for name in OF_MONITORS)


def _write(path: Path, text: str) -> None:
    """Write a file that is on the disk before its name is."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _aside(out: Path, names: Sequence[str]) -> Generator[folder_swap.Aside]:
    """Make a folder in or beside the output, on the same disk, that is gone afterwards."""
    try:
        with folder_swap.aside(out, names) as made:
            yield made
    except OSError as error:
        raise TableError(f"nothing can be written to {out}: {error.strerror}") from error
