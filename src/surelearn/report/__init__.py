"""A certificate with its figures: one self-contained HTML file and its JSON twin."""

from surelearn.report.content import (
    Candidate,
    Card,
    Claimed,
    ClassErrors,
    ColumnSummary,
    Figure,
    FoldChoice,
    ModelView,
    Report,
    svg,
)
from surelearn.report.page import render_html
from surelearn.report.twin import render_json

__all__ = [
    "Candidate",
    "Card",
    "Claimed",
    "ClassErrors",
    "ColumnSummary",
    "Figure",
    "FoldChoice",
    "ModelView",
    "Report",
    "render_html",
    "render_json",
    "svg",
]
