"""The JSON twin of a report: the same content for machines, without the drawings."""

import json
from dataclasses import asdict
from typing import Any

from surelearn.certificate import Certificate
from surelearn.certificate._certificate import plain
from surelearn.report.content import Report

_SCHEMA = 1


def render_json(report: Report) -> str:
    """Return the report as JSON text; certificates stand in it as their own files have them.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> from surelearn.certificate import certify
    >>> guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    >>> certificate = certify(guarantee, kind="risk", subject="s", observed=0.05, n=100)
    >>> json.loads(render_json(Report(title="A model", certificate=certificate)))["title"]
    'A model'
    """
    content: dict[str, Any] = {
        "schema": _SCHEMA,
        "title": report.title,
        "certificate": _certificate(report.certificate),
        "others": [_certificate(other) for other in report.others],
        "joint": report.joint,
        "facts": dict(report.facts),
        "columns": [asdict(column) for column in report.columns],
        "warnings": list(report.warnings),
        "notes": list(report.notes),
        "choice": report.choice,
        "score_name": report.score_name,
        "candidates": plain([asdict(candidate) for candidate in report.candidates]),
        "classes": [
            {
                "label": found.label,
                "n": found.n,
                "errors": found.errors,
                "certificate": _certificate(found.certificate),
            }
            for found in report.classes
        ],
        "figures": [{"title": f.title, "caption": f.caption} for f in report.figures],
        "views": [
            {"title": view.title, "text": view.text, "header": view.header, "rows": view.rows}
            for view in report.views
        ],
        "plan": report.plan,
        "reproduce": dict(report.reproduce),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _certificate(certificate: Certificate) -> Any:
    return json.loads(certificate.to_json())
