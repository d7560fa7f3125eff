"""From a certified run to its report."""

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from importlib.metadata import version
from typing import Any

import pyarrow as pa
from sklearn.pipeline import Pipeline

from surelearn._wording import confidence
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.choice import Choice
from surelearn.app.problem.features import count_distinct
from surelearn.app.problem.held_out import ALPHA
from surelearn.app.tables.notes import latest
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.beside import (
    claimed_of,
    plan_of,
    signing_of,
    steps_of,
    together_of,
    untried_of,
)
from surelearn.app.telling.cards import cards_of
from surelearn.app.telling.commands import checking, command_line, left_open
from surelearn.app.telling.confusion import confusion_of
from surelearn.app.telling.figures import draw, draw_appendix, draw_curves
from surelearn.app.telling.model_views import show_model
from surelearn.certificate import Certificate
from surelearn.report import (
    Candidate,
    ClassErrors,
    ColumnSummary,
    FoldChoice,
    ModelView,
    Report,
)

_SPLITS = {
    "random": "by a random split",
    "distinct": "by a random split, copies of a row together",
    "group": "by a group split",
    "time": "by a time split",
}


def make_report(run: CertifiedRun, file: TableFile) -> Report:
    """Return the report of a certified run."""
    problem = run.problem
    return Report(
        title=f"{run.name} predicting {problem.target} in {file.name}",
        certificate=run.certificate,
        beforehand=f"{_seen_of(run)}{run.choice.beforehand}",
        training=run.choice.bound,
        others=_own(run),
        facts=_facts(run, file),
        columns=tuple(_columns(run, file)),
        warnings=run.warnings,
        notes=tuple(map(str, latest(file.notes, run.notes))),
        choice=run.choice.sentence,
        score_names=run.choice.columns,
        candidates=tuple(
            Candidate(line.name, line.numbers, line.chosen, line.note) for line in run.choice.lines
        ),
        folds=tuple(_folds(run.choice)),
        in_percent=problem.task != "regression",
        untried=tuple(untried_of(run)),
        cards=tuple(cards_of(run)),
        claimed=tuple(map(claimed_of, run.claims)),
        together=together_of(run),
        curves=tuple(draw_curves(run)),
        classes=tuple(_classes(run)),
        joint=_joint(run),
        confusion=_confusion(run),
        figures=tuple(draw(run)),
        views=tuple(show_model(run)),
        appendix=tuple(draw_appendix(run)),
        plan=plan_of(run),
        steps=tuple(steps_of(run, file)),
        reproduce=_reproduce(run, file),
        signing=signing_of(run, file),
    )


def _seen_of(run: CertifiedRun) -> str:
    """Say of which errors the number that was observed is the largest."""
    if run.problem.task != "regression":
        return ""
    whose = {
        "distinct": "the errors of one of the copies of each row",
        "group": "the errors of one row of each group",
    }.get(run.problem.split.kind, "their errors")
    return f"{confidence(ALPHA)} of {whose} are no larger. "


def _own(run: CertifiedRun) -> tuple[Certificate, ...]:
    """Return what the training run proves about itself with certainty: it costs no delta."""
    model = run.predictor
    learner: Any = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(learner, "certificates"):
        return ()
    stated = learner.certificates(delta=float(run.options["delta"]))
    return tuple(c for c in stated if c.validity == "surely" and c.status == "valid")


def _facts(run: CertifiedRun, file: TableFile) -> dict[str, str]:
    problem = run.problem
    facts = {
        "file": file.name,
        "rows": f"{problem.n_rows:,}",
        "target": f"{problem.target} ({problem.task})",
        "features": _features(len(problem.features), len(problem.categorical)),
        "training rows": f"{problem.n_training:,}",
        "rows held out": f"{len(problem.split.holdout):,}, {_SPLITS[problem.split.kind]}",
    }
    if problem.groups is not None:
        units = "distinct rows" if problem.split.kind == "distinct" else "groups"
        facts[f"{units} held out"] = f"{run.certificate.n:,}"
    if problem.dropped_rows:
        facts["rows left out"] = f"{problem.dropped_rows:,}, whose target is missing"
    return facts


def _features(n: int, n_categories: int) -> str:
    if n_categories in {0, n}:
        return f"{n:,} of {'categories' if n_categories else 'numbers'}"
    return f"{n - n_categories:,} of numbers, {n_categories:,} of categories"


def _columns(run: CertifiedRun, file: TableFile) -> Iterator[ColumnSummary]:
    problem = run.problem
    dates = _dates_among(problem.features)
    for name in file.table.column_names:
        column = file.table.column(name)
        n_values = count_distinct(column)
        kind = f"{'dates' if name in dates else _kind(column.type)}, {n_values:,} different"
        missing = column.null_count / max(1, len(column))
        reason = "it is the target" if name == problem.target else problem.left_out.get(name, "")
        yield ColumnSummary(name, kind, missing, reason)


def _dates_among(features: Iterable[str]) -> frozenset[str]:
    """Return the columns whose names features such as "sold: year" begin with."""
    return frozenset(
        feature[: found.start()] for feature in features for found in re.finditer(": ", feature)
    )


def _kind(found: Any) -> str:
    for is_kind, word in (
        (pa.types.is_dictionary, "text"),
        (pa.types.is_boolean, "truth values"),
        (pa.types.is_integer, "whole numbers"),
        (pa.types.is_floating, "numbers"),
        (pa.types.is_timestamp, "dates"),
    ):
        if is_kind(found):
            return word
    return str(found)


def _folds(choice: Choice) -> Iterator[FoldChoice]:
    """Yield what would have been chosen without each part, if that differs."""
    nested = choice.nested
    if nested is None or len(set(nested.chosen)) == 1:
        return
    seemed = nested.inner_estimates.min(axis=1).tolist()
    was = nested.outer.fold_means.tolist()
    yield from map(FoldChoice, nested.chosen, seemed, was)


def _classes(run: CertifiedRun) -> Iterator[ClassErrors]:
    y = run.problem.held_out.y
    wrong, words = run.answers.predicted != y, y.astype(str)
    for label, certificate in run.by_class.items():
        of_class = words == label
        yield ClassErrors(label, int(of_class.sum()), int(wrong[of_class].sum()), certificate)


_ALIKE = {
    "distinct": " Copies of a row count as one in rates, and each by itself in the other columns.",
    "group": " Rates are means over groups; the other columns count rows.",
}


def _joint(run: CertifiedRun) -> str:
    if not run.by_class:
        return ""
    delta = Decimal(repr(float(run.options["delta"])))
    n_delta, rest = 2, "the certificate above"
    if run.choice.bound is not None:
        n_delta, rest = 3, "the certificate above and that of the training rows alone"
    return (
        f"The rates of all classes hold together with confidence {confidence(float(delta))}; "
        f"together with {rest}, {confidence(float(min(Decimal(1), n_delta * delta)))}."
        f"{_ALIKE.get(run.problem.split.kind, '')}"
    )


def _confusion(run: CertifiedRun) -> ModelView | None:
    """Count for each class in the hold-out what was predicted."""
    if run.certificate.violated:
        return None
    if run.problem.task == "regression":
        return None
    return confusion_of(
        run.problem.held_out.y,
        run.answers.predicted,
        title="What was predicted for them",
        heads=("true class", "predicted"),
    )


def _reproduce(run: CertifiedRun, file: TableFile) -> dict[str, str]:
    stored = run.certificate.reproduce
    return {
        "command": _command(run, file),
        "check it": checking(run, file.name),
        "what that leaves open": left_open(run),
        "table (SHA-256)": file.sha256,
        "model": str(stored["model"]),
        "hold-out": str(stored["data"]),
        "method": run.certificate.formula,
        "surelearn": version("surelearn"),
        **{name: str(found) for name, found in stored["versions"].items() if name != "surelearn"},
    }


def _command(run: CertifiedRun, file: TableFile) -> str:
    """Return the command line that does the same again."""
    options = dict(run.options)
    at_the_end = {name: options.pop(name, []) for name in ("learners", "claims")}
    if options.get("dates") == "features":
        options.pop("dates")  # as the command reads them unless told otherwise
    if options.get("widths") == "adaptive":
        options.pop("widths")
    form: dict[str, Any] = options.pop("form", {})
    return command_line("certify", file.name, {**options, **at_the_end, **form})
