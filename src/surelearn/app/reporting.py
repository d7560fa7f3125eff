"""From a certified run to its report: figures, views of the model, how to do it again."""

import math
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

from surelearn._wording import confidence
from surelearn.app.certify import CertifiedRun, Trial
from surelearn.app.tables import TableFile
from surelearn.bounds import concentration, sequences
from surelearn.certificate import Certificate
from surelearn.evaluate.calibration import calibration_curve
from surelearn.plots import style
from surelearn.plots.calibration import plot_calibration
from surelearn.plots.guarantees import plot_guarantees
from surelearn.plots.tree import plot_tree
from surelearn.report import (
    Candidate,
    ClassErrors,
    ColumnSummary,
    Figure,
    ModelView,
    Report,
    svg,
)

_MOST_LEAVES = 24  # in a drawing that can still be read
_MOST_COEFFICIENTS = 20


def make_report(run: CertifiedRun, file: TableFile) -> Report:
    """Return the report of a certified run."""
    problem, certificate = run.problem, run.certificate
    loss = "squared error" if problem.task == "regression" else "error rate"
    return Report(
        title=f"{run.name} predicting {problem.target} in {file.path.name}",
        certificate=certificate,
        facts=_facts(run, file),
        columns=tuple(_columns(run, file)),
        warnings=problem.warnings,
        notes=tuple(str(note) for note in (*file.notes, *problem.notes)),
        choice=_choice(run),
        score_name=f"cross-validated {loss}",
        candidates=tuple(_candidate(trial, run.name) for trial in run.trials),
        classes=tuple(_classes(run)),
        joint=_joint(run),
        figures=tuple(_figures(run)),
        views=tuple(_views(run)),
        plan=_plan(certificate),
        reproduce=_reproduce(run, file),
    )


def _facts(run: CertifiedRun, file: TableFile) -> dict[str, str]:
    problem = run.problem
    facts = {
        "file": file.path.name,
        "rows": f"{len(problem.y):,}",
        "target": f"{problem.target} ({problem.task})",
        "features": f"{len(problem.features)}, {len(problem.categorical)} of them categories",
        "training rows": f"{len(problem.split.train):,}",
        "rows held out": f"{len(problem.split.holdout):,}, by a {problem.split.kind} split",
    }
    if problem.dropped_rows:
        facts["rows left out"] = f"{problem.dropped_rows:,}, whose target is missing"
    return facts


def _columns(run: CertifiedRun, file: TableFile) -> Iterator[ColumnSummary]:
    problem = run.problem
    for name in file.table.column_names:
        column = file.table.column(name)
        text = pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)
        kind = f"{len(column.unique()):,} words" if text else str(column.type)
        missing = column.null_count / max(1, len(column))
        reason = "it is the target" if name == problem.target else problem.left_out.get(name, "")
        yield ColumnSummary(name, kind, missing, reason)


def _choice(run: CertifiedRun) -> str:
    tried = [trial for trial in run.trials if trial.result is not None]
    if len(tried) == 1:
        return f"{run.name} was the only learner tried; the hold-out was not looked at."
    return (
        f"{len(tried)} learners were compared by cross-validation on the training rows alone, and "
        f"{run.name} has the least estimate. The estimates are no certificates, and the winner's "
        "is too small on average because it won. The hold-out was asked once, about the winner."
    )


def _candidate(trial: Trial, chosen: str) -> Candidate:
    known = trial.result is not None
    score = trial.estimate if known else math.nan
    return Candidate(
        trial.name, score, trial.spread, chosen=trial.name == chosen, note=trial.problem
    )


def _classes(run: CertifiedRun) -> Iterator[ClassErrors]:
    for label, certificate in run.by_class.items():
        errors = int(certificate.reproduce["inputs"]["errors"])
        yield ClassErrors(label, certificate.n, errors, certificate)


def _joint(run: CertifiedRun) -> str:
    if not run.by_class:
        return ""
    level = confidence(min(1.0, 2.0 * float(run.options["delta"])))
    return f"The certificate above and those of all classes hold together with confidence {level}."


def _plan(certificate: Certificate) -> str:
    n = certificate.reproduce.get("n_to_halve_slack")
    return "" if n is None else f"With {n:,} rows held out the slack would be half as large."


def _figures(run: CertifiedRun) -> Iterator[Figure]:
    X, y = run.held_out
    if run.problem.task != "regression" and run.problem.groups is None:
        yield _bounds(run.certificate)
    if run.problem.task == "binary" and hasattr(run.model, "predict_proba"):
        classes = np.asarray(run.model.classes_)
        chances = np.asarray(run.model.predict_proba(X))[:, 1]
        drawing, (ax,) = style.new_figure("Are the stated probabilities true?")
        plot_calibration(calibration_curve((y == classes[1]).astype(int), chances), ax=ax)
        caption = f"Of the rows held out: how often {classes[1]} came, by the probability stated."
        yield Figure("Calibration", caption, svg(drawing, name="calibration"))
    if run.problem.task == "regression":
        drawing, (ax,) = style.new_figure("Predictions and outcomes on the rows held out")
        predicted = np.asarray(run.model.predict(X))
        ends = [min(y.min(), predicted.min()), max(y.max(), predicted.max())]
        ax.plot(ends, ends, color=style.MUTED)
        shown = slice(None, 2000)
        ax.plot(predicted[shown], y[shown], ".", ms=3, alpha=0.5, color=style.OBSERVED)
        ax.set(xlabel="predicted", ylabel="true")
        caption = "Points near the line are predicted well; at most 2,000 are drawn."
        yield Figure("Errors", caption, svg(drawing, name="errors"))


def _bounds(certificate: Certificate) -> Figure:
    """Draw the certificate beside other theorems on the same numbers."""
    inputs = certificate.reproduce["inputs"]
    n, errors, delta = int(inputs["n"]), int(inputs["errors"]), float(inputs["delta"])
    exact = "Clopper-Pearson (certified)"
    others = {
        exact: concentration.clopper_pearson(errors=errors, n=n, delta=delta),
        "kl (Chernoff)": concentration.kl_chernoff(mean=errors / n, n=n, delta=delta),
        "valid at every n": sequences.progressive_mixture(total=errors, n=n, delta=delta),
        "Hoeffding": concentration.hoeffding(mean=errors / n, n=n, delta=delta),
    }
    drawing, (ax,) = style.new_figure(f"What {n} rows never seen prove about this model")
    plot_guarantees(certificate.observed, others, certified=exact, ax=ax)
    ax.set_xlabel(f"probability of an error on a new row ({confidence(delta)} upper bounds)")
    caption = "The method was fixed beforehand; the others are drawn for comparison only."
    return Figure("Observed and guaranteed", caption, svg(drawing, name="bounds"))


def _views(run: CertifiedRun) -> Iterator[ModelView]:
    """Yield ways to look at the model, by what it offers."""
    learner, names = _learner(run.model), _names(run.model)
    if hasattr(learner, "tree_"):
        if learner.n_leaves_ <= _MOST_LEAVES:
            drawing, (ax,) = style.new_figure("The tree")
            plot_tree(learner, ax=ax)
            yield ModelView("The tree", svg=svg(drawing, name="tree"))
        yield ModelView("The tree as text", text=learner.to_text())
    coefficients = np.atleast_2d(getattr(learner, "coef_", np.empty((2, 0))))
    if len(coefficients) == 1 and coefficients.shape[1] == len(names):
        order = np.argsort(-np.abs(coefficients[0]))[:_MOST_COEFFICIENTS]
        rows = tuple((names[i], f"{coefficients[0, i]:+.4g}") for i in order)
        title = f"The {len(rows)} largest coefficients (columns of numbers have one scale)"
        yield ModelView(title, header=("feature", "coefficient"), rows=rows)


def _learner(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def _names(model: Any) -> list[str]:
    if not isinstance(model, Pipeline):
        return []
    encoder: Any = model[0]
    return list(encoder.get_feature_names_out())


def _reproduce(run: CertifiedRun, file: TableFile) -> dict[str, str]:
    options = run.options
    plain = {"target", "delta", "holdout", "seed", "learners"}
    extra = "".join(f" --{name} {value}" for name, value in options.items() if name not in plain)
    command = (
        f"surelearn certify {file.path.name} --target {options['target']} "
        f"--delta {options['delta']:g} --holdout {options['holdout']:g} "
        f"--seed {options['seed']}{extra}"
    )
    return {
        "command": command,
        "table (SHA-256)": file.sha256,
        "model": str(run.certificate.reproduce["model"]),
        "hold-out": str(run.certificate.reproduce["data"]),
        "method": run.certificate.formula,
        "surelearn": version("surelearn"),
        **{name: str(v) for name, v in run.certificate.reproduce["versions"].items()},
        "check it": "surelearn verify certificate.json --model model.surelearn --data TABLE",
    }
