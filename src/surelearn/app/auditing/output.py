"""The files of an audit: written aside, then put in place all at once."""

from pathlib import Path

from surelearn.app.audit import AuditRun
from surelearn.app.auditing.bundle import bundle_of, to_json
from surelearn.app.output import write_texts
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.audit_report import make_audit_report
from surelearn.report import render_html, render_json

NAMES = ("certificate.json", "report.html", "report.json")


def write_audit(run: AuditRun, file: TableFile, out: Path) -> tuple[Path, ...]:
    """Write the certificates and the report of an audit; all files or none."""
    report = make_audit_report(run, file)
    texts = (
        to_json(bundle_of(run.audit.outcomes, run.audit.delta)),
        render_html(report),
        render_json(report),
    )
    return write_texts(dict(zip(NAMES, texts, strict=True)), out)
