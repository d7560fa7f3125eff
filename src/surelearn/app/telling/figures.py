"""The figures of a report: bounds, calibration, errors, mistakes, the learning curve."""

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from surelearn._wording import confidence, outward
from surelearn.app import comparison
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.candidates import find_candidates
from surelearn.app.choosing.choice import loss_of
from surelearn.app.choosing.nested import cross_validation_arguments
from surelearn.app.problem.held_out import ALPHA
from surelearn.app.problem.rows import sample
from surelearn.app.telling.beside import is_label, positive_of
from surelearn.app.telling.cards import classes_by_error
from surelearn.bounds import concentration, sequences
from surelearn.claims import (
    Claim,
    DecisionCurve,
    ErrorSizes,
    PrecisionBand,
    Predictions,
    RiskCoverage,
    RocBand,
)
from surelearn.evaluate._claims_beside import ENDINGS
from surelearn.evaluate.calibration import calibration_curve
from surelearn.evaluate.curves import (
    CurveBand,
    benefit_band,
    precision_band,
    risk_band,
    roc_band,
    size_band,
)
from surelearn.evaluate.learning_curve import LearningCurve, learning_curve
from surelearn.evaluate.mistakes import mistakes_curve
from surelearn.learners.ensembles.locally_scaled_regressor import interval_around
from surelearn.plots import style
from surelearn.plots.bands import (
    plot_benefit_band,
    plot_precision_band,
    plot_risk_band,
    plot_roc_band,
    plot_size_band,
)
from surelearn.plots.calibration import plot_calibration
from surelearn.plots.guarantees import plot_guarantees
from surelearn.plots.intervals import plot_intervals
from surelearn.plots.learning_curve import plot_learning_curve
from surelearn.plots.mistakes import plot_mistakes
from surelearn.plots.predictions import plot_predictions
from surelearn.plots.rates import Rate, plot_rates
from surelearn.report import Figure, svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_MOST_POINTS = 1000  # in a figure that opens at once
_MOST_INTERVALS = 60  # that stand beside each other on a phone
_MOST_ROWS = 50_000  # for which a learning curve is cheap
_MISTAKEN = "AveragedPerceptron"  # the learner whose mistakes theorems bound
_EXACT = "Clopper-Pearson (certified)"
_MOST_CLASSES = 8  # in a figure that is taken in at a glance
_LONGEST = 26  # signs of a name beside a bar

_ANY_THRESHOLD = "Any threshold may be chosen by this line, which holds for all of them at once."
CURVES: Mapping[type[Claim], tuple[str, Callable[..., CurveBand], Callable[..., Any], str]] = {
    RocBand: ("The ROC curve at every threshold", roc_band, plot_roc_band, _ANY_THRESHOLD),
    PrecisionBand: (
        "Precision at every threshold", precision_band, plot_precision_band, _ANY_THRESHOLD,
    ),
    RiskCoverage: ("Risk over coverage", risk_band, plot_risk_band, _ANY_THRESHOLD),
    DecisionCurve: ("Net benefit of decisions", benefit_band, plot_benefit_band, _ANY_THRESHOLD),
    ErrorSizes: (
        "Sizes of errors", size_band, plot_size_band,
        "Any size may be read off this line, which holds for all of them at once.",
    ),
}  # fmt: skip
"""How the claims about all thresholds are drawn."""


def draw(run: CertifiedRun) -> Iterator[Figure]:
    """Yield the figures that a run gives reason for."""
    task = run.problem.task
    if not run.certificate.violated:  # else the hold-out has nothing to say
        yield from _of_holdout(run)
    if task == "binary" and _MISTAKEN in {run.name, *run.options.get("learners", ())}:
        yield _mistakes(run)
    curve = _learn_from_more(run)
    if curve is not None:
        yield _curve(run, curve)


def _of_holdout(run: CertifiedRun) -> Iterator[Figure]:
    task = run.problem.task
    if task != "regression":
        yield _rates(run)
    if task == "regression":
        yield _errors(run)
        yield from _intervals(run)
    if task == "binary" and hasattr(run.model, "predict_proba"):
        yield _calibration(run)


def _rates(run: CertifiedRun) -> Figure:
    """Draw the model beside the baseline, and its classes, for someone who knows no theorem."""
    found = comparison.compare(run.problem, run.answers)
    without = comparison.mean_of(found.baseline_losses, run.problem)
    whole = run.certificate
    worst = classes_by_error(run)[:_MOST_CLASSES]
    rates = [
        Rate("this model", whole.observed, whole.bound),
        Rate(_brief(found.baseline.name), without),
        *(Rate(f"of class {_brief(label)}", c.observed, c.bound) for label, c in worst),
    ]
    drawing, ax = _new_figure(height=1.0 + 0.36 * len(rates))
    plot_rates(rates, ax=ax)
    some = (
        f" {len(worst)} of {len(run.by_class)} classes are drawn: the worst of several rows first."
    )
    some = some if len(run.by_class) > len(worst) else ""
    n, level = len(run.problem.split.holdout), confidence(float(run.options["delta"]))
    where = f"on the {n:,} rows held out"
    if run.problem.split.kind == "distinct":
        where = (
            f"on one of the copies of each of the {whole.n:,} distinct rows held out; without a "
            "model, on average over them"
        )
    elif run.problem.groups is not None:
        where = f"on average over the {whole.n:,} groups held out"
    caption = (
        f"How often the model is wrong. Bars: {where}. Lines: how often at most "
        f"on new rows, with confidence {level} for the model, and once more for its classes "
        f"together.{some}"
    )
    title = "Observed and guaranteed" if run.problem.groups is None else "How often it is wrong"
    return Figure(title, caption, svg(drawing, name="rates"))


def _brief(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def draw_appendix(run: CertifiedRun) -> Iterator[Figure]:
    """Yield what only those want to see who know the theorems."""
    found = run.certificate
    if not found.violated and found.method == "concentration.clopper_pearson":
        yield _bounds(run)


def draw_curves(run: CertifiedRun) -> Iterator[Figure]:
    """Yield curves over all thresholds, each at its share of delta."""
    beside = run.answers.beside
    for outcome in run.claims:
        if type(outcome.claim) in CURVES and outcome.certificate is not None and beside is not None:
            yield draw_curve(beside.rows, outcome.claim, float(outcome.certificate.delta or 0.0))


def draw_curve(rows: Predictions, claim: Claim, delta: float) -> Figure:
    """Draw a curve over all thresholds with the line of its claim, at its share of delta."""
    title, band, plot, caption = CURVES[type(claim)]
    drawing, ax = _new_figure()
    plot(band(rows, delta=delta), ax=ax)
    return Figure(title, caption, svg(drawing, name=claim.name))


def _bounds(run: CertifiedRun) -> Figure:
    """Draw the certificate beside other theorems on the same numbers."""
    inputs = run.certificate.reproduce["inputs"]
    n, errors, delta = int(inputs["n"]), int(inputs["errors"]), float(inputs["delta"])
    mean = errors / n
    others = {
        _EXACT: concentration.clopper_pearson(errors=errors, n=n, delta=delta),
        "kl (Chernoff)": concentration.kl_chernoff(mean=mean, n=n, delta=delta),
        "valid at every n": sequences.progressive_mixture(total=errors, n=n, delta=delta),
        "Hoeffding": concentration.hoeffding(mean=mean, n=n, delta=delta),
    }
    drawing, ax = _new_figure(height=2.5)
    plot_guarantees(run.certificate.observed, others, certified=_EXACT, ax=ax)
    ax.set_xlabel(f"{confidence(delta)} upper bounds on the error rate")
    caption = (
        "What other theorems would prove from the same numbers. The method was fixed beforehand; "
        "the others are drawn for comparison only."
    )
    return Figure("how theorems compare", caption, svg(drawing, name="bounds"))


def _calibration(run: CertifiedRun) -> Figure:
    y = run.problem.held_out.y
    other, event = np.asarray(run.model.classes_)
    chances = np.clip(run.problem.chances(run.model), 0.0, 1.0)
    if is_label(other, positive_of(run)):
        event, chances = other, 1.0 - chances
    result = calibration_curve(chances, y == event, delta=float(run.options["delta"]))
    drawing, ax = _new_figure()
    plot_calibration(result, ax=ax)
    n_refuted = int(result.refuted.sum())
    found = (
        ("No bin is refuted", "One bin is refuted")[n_refuted]
        if n_refuted < 2
        else (f"{n_refuted} bins are refuted")
    )
    if run.problem.groups is not None:
        alike = "copies of a row" if run.problem.split.kind == "distinct" else "rows of one group"
        found += f" (if the rows were independent, which {alike} are not)"
    caption = (
        f"Of the rows held out: how often {event} came true, by the probability that the model "
        f"stated for it. {found}."
    )
    return Figure("Calibration", caption, svg(drawing, name="calibration"))


def _errors(run: CertifiedRun) -> Figure:
    rows, limit = run.problem.split.holdout, run.certificate.bound
    shown = sample(np.arange(len(rows)), most=_MOST_POINTS, seed=run.problem.split.seed)
    y, predicted = run.problem.held_out.y[shown], run.answers.predicted[shown]
    drawing, ax = _new_figure()
    plot_predictions(y, predicted, limit=limit, ax=ax)
    some = f" {len(y):,} of {len(rows):,} are drawn." if len(y) < len(rows) else ""
    caption = (
        f"Rows held out. With confidence {confidence(float(run.options['delta']))} at least "
        f"{1 - ALPHA:.0%} of {_new_rows(run)} lie in the band of ±{outward(limit, 'upper')}.{some}"
    )
    return Figure("Errors", caption, svg(drawing, name="errors"))


def _new_rows(run: CertifiedRun) -> str:
    """Say of which new rows most errors are bounded."""
    ending = {"distinct": ENDINGS["copies"], "group": ENDINGS["groups"]}
    which = ending.get(run.problem.split.kind, "")
    return f"new rows{which}{',' if which else ''}"


def _intervals(run: CertifiedRun) -> Iterator[Figure]:
    """Draw the intervals of a few rows, if they have widths of their own."""
    if run.intervals is None or run.model.width_learner_.n_leaves_ < 2:
        return
    held_out, seed = run.problem.held_out, run.problem.split.seed
    shown = sample(np.arange(len(held_out.y)), most=_MOST_INTERVALS, seed=seed)
    widths = run.problem.widths(run.model, shown)
    predicted = run.answers.predicted[shown]
    ends = interval_around(predicted, widths, n_widths=run.intervals.n_widths)
    drawing, ax = _new_figure()
    plot_intervals(held_out.y[shown], ends, limit=run.certificate.bound, ax=ax)
    ax.set_ylabel(_brief(run.problem.target))
    level, most = confidence(run.claims_delta), confidence(run.intervals.alpha)
    caption = (
        f"{len(shown):,} of the rows held out, those with small predictions first. With confidence "
        f"{level}, at least {most} of {_new_rows(run)} lie inside their interval; it is wide where "
        "the model errs much. Dashed: intervals of one width for all rows."
    )
    yield Figure("An interval for each row", caption, svg(drawing, name="intervals"))


def _mistakes(run: CertifiedRun) -> Figure:
    """Draw the mistakes of one pass over the training rows beside what the theorems allow."""
    X, y = run.problem.sample_training(most=_MOST_ROWS)
    encoder, learner = find_candidates(run.problem.task, n_rows=0, names=[_MISTAKEN])[_MISTAKEN][""]
    result = mistakes_curve(learner, encoder.fit_transform(X), y)
    drawing, ax = _new_figure()
    plot_mistakes(result, ax=ax)
    ends = [curve.bounds[-1] for curve in result.bounds if curve.rounds[-1] == len(y)]
    most = f"; theorems allow {min(ends):,.0f}" if ends else ""
    caption = (
        f"One pass of {_MISTAKEN} over {len(y):,} training rows, each answered before its label is "
        f"seen: {result.n_mistakes:,} mistakes{most}. These bounds hold surely, for every table."
    )
    return Figure("Mistakes against bounds", caption, svg(drawing, name="mistakes"))


def _learn_from_more(run: CertifiedRun) -> LearningCurve | None:
    """Return the learning curve of the winner, if the training part is small enough for one."""
    if len(run.problem.split.train) > _MOST_ROWS:
        return None
    X, y = run.problem.training
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows make learners warn
        try:
            seed = int(run.options["seed"])
            arguments = cross_validation_arguments(run.problem, seed=seed, folds=3)
            return learning_curve(run.choice.learner, X, y, **arguments)
        except (ValueError, ArithmeticError):
            return None


def _curve(run: CertifiedRun, curve: LearningCurve) -> Figure:
    drawing, ax = _new_figure()
    plot_learning_curve(curve, ax=ax)
    ax.set_ylabel(loss_of(run.problem.task).in_words)
    gains = curve.validation[:, -2] - curve.validation[:, -1]
    noise = float(gains.std(ddof=1)) / math.sqrt(len(gains))
    caption = (
        f"{run.name} on ever more training rows, {len(gains)} folds: estimates, no certificates. "
        f"{_of_last_step(float(gains.mean()), noise)}"
    )
    return Figure("Learning curve", caption, svg(drawing, name="curve"))


def _of_last_step(gain: float, noise: float) -> str:
    """Say what the last step of a learning curve tells.

    Examples
    --------
    >>> _of_last_step(-0.03, 0.01)
    'It rises in its last step, by more than the noise of the folds: more rows did not help here.'
    """
    if gain > 2.0 * noise:
        return "The curve still falls at its end: more rows would probably help."
    if gain < -2.0 * noise:
        return (
            "It rises in its last step, by more than the noise of the folds: more rows did not "
            "help here."
        )
    return "Its last step is within the noise of the folds: more rows may help little."


def _new_figure(*, height: float = 3.3) -> "tuple[Drawing, Axes]":
    """Return a figure small enough that its words can be read on a phone."""
    drawing, (ax,) = style.new_figure("")
    drawing.set_size_inches(5.2, height)
    return drawing, ax
