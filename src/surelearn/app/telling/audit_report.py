"""From an audit to its report."""

import shlex
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from surelearn._wording import confidence, listing
from surelearn.app.audit import AuditRun
from surelearn.app.auditing.bundle import bundle_of
from surelearn.app.auditing.columns import Roles
from surelearn.app.telling.beside import claimed_of
from surelearn.app.telling.commands import as_file, command_line
from surelearn.app.telling.confusion import confusion_of
from surelearn.app.telling.figures import CURVES, draw_curve
from surelearn.plots import style
from surelearn.plots.claims import is_drawn, plot_claims
from surelearn.report import Figure, ModelView, Report, svg


def make_audit_report(run: AuditRun) -> Report:
    """Return the report of an audit."""
    return Report(
        title=f"Audit of the answers in {run.file.name}",
        certificate=run.certificate,
        claimed=tuple(map(claimed_of, run.claims)),
        joint=_joint(run),
        facts=_facts(run),
        warnings=run.warnings,
        notes=(*map(str, run.notes), *_left_out(run)),
        confusion=_confusion(run),
        figures=tuple(_figures(run)),
        reproduce=_reproduce(run),
    )


def _joint(run: AuditRun) -> str:
    """Say at which level all that is printed holds together."""
    if run.certificate.violated:
        return ""
    level = confidence(run.audit.delta)
    if len(run.audit.certificates) == 1:
        return f"It holds with confidence {level}, if what it rests on is true."
    return f"All of them hold together with confidence {level}, if what they rest on is true."


def _facts(run: AuditRun) -> dict[str, str]:
    roles = vars(Roles())
    named = {
        f"column of {role}": _names(run.options[role]) for role in roles if role in run.options
    }
    facts = {"file": run.file.name, "rows": f"{run.columns.rows.n:,}", **named}
    if run.columns.rows.positive is not None:
        facts["positive label"] = str(run.columns.rows.positive)
    if run.columns.n_without:
        facts["rows without an answer"] = f"{run.columns.n_without:,}: {run.columns.incomplete}"
    return facts


def _names(found: str | list[str]) -> str:
    return found if isinstance(found, str) else listing(found)


def _left_out(run: AuditRun) -> Iterator[str]:
    yield from (f"{name}: not claimed, because {why}" for name, why in run.audit.left_out.items())


def _confusion(run: AuditRun) -> ModelView | None:
    """Count for each true label what was answered."""
    rows = run.columns.rows
    if rows.task in {"regression", "results"}:
        return None
    return confusion_of(
        rows.truth.astype(str),
        rows.prediction.astype(str),
        title="What was answered",
        heads=("true label", "answered"),
    )


def _figures(run: AuditRun) -> Iterator[Figure]:
    drawn = sum(map(is_drawn, run.claims))
    if drawn:
        drawing, (ax,) = style.new_figure("")
        drawing.set_size_inches(6.4, 1.3 + 0.42 * drawn)
        plot_claims(run.audit, ax=ax)
        several = (
            "1 row, and what it proves"
            if run.columns.rows.n == 1
            else (f"{run.columns.rows.n:,} rows, and what they prove")
        )
        yield Figure(
            "Observed and guaranteed", f"What was seen in {several}.", svg(drawing, name="claims")
        )
    for outcome in run.claims:
        if type(outcome.claim) in CURVES and outcome.certificate is not None:
            share = float(outcome.certificate.delta or 0.0)
            yield draw_curve(run.columns.rows, outcome.claim, share)


def _reproduce(run: AuditRun) -> dict[str, str]:
    stored = run.certificate.reproduce
    return {
        "command": _command(run),
        "check it": "surelearn verify certificate.json --data "
        f"{shlex.quote(as_file(run.file.name))}",
        "what that leaves open": "whether the rows were drawn at random, and whether the model or "
        "its threshold was made or chosen with them: no file can show it",
        "claims": _tell_claims(run),
        "file (SHA-256)": run.file.sha256,
        "surelearn": version("surelearn"),
        **{name: str(found) for name, found in stored["versions"].items() if name != "surelearn"},
    }


def _tell_claims(run: AuditRun) -> str:
    """Return how many claims there are, and the hash over them that verifiers find again."""
    bundle = bundle_of(run.claims, run.audit.delta)
    return f"{len(bundle.outcomes):,}, with the SHA-256 {bundle.sha256}"


def _command(run: AuditRun) -> str:
    """Return the command line that does the same again."""
    options = dict(run.options)
    form: dict[str, Any] = options.pop("form", {})
    asked: dict[str, Any] = {"claims": options.pop("claims", [])}
    if options.pop("plan", None) is not None:
        options = {k: v for k, v in options.items() if k not in {"delta", "looks"}}
        options, asked = {"plan": "plan.toml", **options}, {}
    return command_line("audit", run.file.name, {**options, **asked, **form})
