"""The JSON twin of a report: the same content for machines, without the drawings."""

import json
from dataclasses import asdict
from typing import Any

from surelearn.certificate import Certificate
from surelearn.certificate._certificate import plain
from surelearn.report.content import ModelView, Report

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
        "beforehand": report.beforehand,
        "training": None if report.training is None else _certificate(report.training),
        "others": [_certificate(other) for other in report.others],
        "facts": dict(report.facts),
        "columns": [asdict(column) for column in report.columns],
        "warnings": list(report.warnings),
        "notes": list(report.notes),
        "choice": report.choice,
        "score_names": list(report.score_names),
        "candidates": plain([asdict(candidate) for candidate in report.candidates]),
        "untried": list(report.untried),
        "cards": [
            {"label": card.label, "value": card.value, "note": card.note} for card in report.cards
        ],
        "folds": plain([asdict(fold) for fold in report.folds]),
        "claimed": [
            {
                "title": found.title,
                "target": found.target,
                "verdict": found.verdict,
                "advice": found.advice,
                "certificate": None
                if found.certificate is None
                else _certificate(found.certificate),
            }
            for found in report.claimed
        ],
        "together": report.together,
        "curves": [{"title": f.title, "caption": f.caption} for f in report.curves],
        "classes": [
            {
                "label": found.label,
                "n": found.n,
                "errors": found.errors,
                "certificate": _certificate(found.certificate),
            }
            for found in report.classes
        ],
        "joint": report.joint,
        "in_percent": report.in_percent,
        "confusion": None if report.confusion is None else _view(report.confusion),
        "figures": [{"title": f.title, "caption": f.caption} for f in report.figures],
        "views": [_view(view) for view in report.views],
        "appendix": [{"title": f.title, "caption": f.caption} for f in report.appendix],
        "plan": report.plan,
        "steps": list(report.steps),
        "signing": dict(report.signing),
        "reproduce": dict(report.reproduce),
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _view(view: ModelView) -> dict[str, Any]:
    return {key: value for key, value in asdict(view).items() if key not in {"svg", "bars"}}


def _certificate(certificate: Certificate) -> Any:
    return json.loads(certificate.to_json())
