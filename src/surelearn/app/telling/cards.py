"""The cards beside the headline of a report: the baseline, the worst class, sizes of errors."""

import math
from collections.abc import Iterator

import numpy as np

from surelearn._wording import amount, confidence, outward
from surelearn.app import comparison
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.comparison import HARDLY, SEVERAL, Comparison
from surelearn.app.problem.held_out import ALPHA
from surelearn.certificate import Certificate
from surelearn.report import Card

_MOST_NAMED = 5  # classes that are named in a sentence
_LONGEST_LIST = 80  # signs of their names


def cards_of(run: CertifiedRun) -> Iterator[Card]:
    """Yield the numbers beside the headline; a void certificate has none."""
    if run.certificate.violated:
        return
    found = comparison.compare(run.problem, run.answers)
    if run.problem.task == "regression":
        yield from _of_numbers(run, found)
        return
    rate = comparison.mean_of(found.baseline_losses, run.problem)
    where = comparison.of_which(run.problem)
    where += "," if where.endswith("on average") else ""
    yield Card(
        "Without a model",
        f"{100 * rate:.3g}%",
        f"{where} are wrong when {found.baseline.name}, the commonest class",
    )
    yield from _better(found.proof, run)
    yield from _worst_class(run)
    yield from _hardly_seen(run)


def _better(proof: Certificate | None, run: CertifiedRun) -> Iterator[Card]:
    """Yield by how much the model is proved to err less often than the baseline."""
    if proof is None:
        return
    which = _rows_of(proof, run)
    better = "better" if proof.observed <= 0.0 else "worse"
    seen = f"{100 * abs(proof.observed):.3g} points {better} on {which}"
    if proof.bound >= 0.0:
        yield Card("Better than that", "not proved", seen, proof, in_words=True)
        return
    points = math.floor(-1e4 * proof.bound) / 100  # rounded down: at least so many
    yield Card("Better than that", f"by at least {points:g} points", seen, proof, in_words=True)


def _rows_of(proof: Certificate, run: CertifiedRun) -> str:
    """Return on which rows a claim was seen; means elsewhere are over all rows."""
    return {
        "distinct": "one of the copies of each row held out",
        "group": f"one row of each of the {proof.n:,} groups held out",
    }.get(run.problem.split.kind, "the rows held out")


def _worst_class(run: CertifiedRun) -> Iterator[Card]:
    """Yield the class with the largest error rate on the rows held out, and its bound."""
    if len(run.by_class) < 2:
        return
    label, worst = classes_by_error(run)[0]
    if worst.bound >= 1.0:  # "at most 100%" says nothing
        y = run.problem.held_out.y
        lost = (run.answers.predicted != y)[y.astype(str) == label]  # rows, not groups or copies
        wrong = f"wrong on {int(lost.sum()):,} of {len(lost):,}"
        yield Card(f"Worst class: {label}", wrong, "rows held out, too few to prove more")
        return
    where = f"of the {worst.n:,}"
    if run.problem.split.kind == "distinct":
        where = f"on average over the {worst.n:,} distinct rows"
    elif run.problem.split.kind == "group":
        where = f"on average over the {worst.n:,} groups"
    yield Card(
        f"Worst class: {label}",
        "wrong on at most",
        f"of its rows; {100 * worst.observed:.3g}% {where} held out",
        worst,
    )


def classes_by_error(run: CertifiedRun) -> list[tuple[str, Certificate]]:
    """Return the classes, the worst first.

    Of many, those of a few rows come last, which tell hardly anything; of two, the rare one is what
    a small error rate hides.
    """
    many = len(run.by_class) > 2
    return sorted(
        run.by_class.items(),
        key=lambda item: (many and item[1].n < SEVERAL, -item[1].observed, -item[1].bound),
    )


def _hardly_seen(run: CertifiedRun) -> Iterator[Card]:
    """Yield the classes of which the hold-out has hardly any rows."""
    y, split = run.problem.y, run.problem.split
    here = dict(zip(*np.unique(y[split.holdout].astype(str), return_counts=True), strict=True))
    counts = {label: int(here.get(label, 0)) for label in np.unique(y[split.train].astype(str))}
    few = {label: n for label, n in counts.items() if n < HARDLY}
    if not few:
        return
    ordered = sorted(few.items(), key=lambda item: item[1])
    named = [f"{label} ({n} {'row' if n == 1 else 'rows'})" for label, n in ordered]
    shown = [named[0]]
    for name in named[1:_MOST_NAMED]:
        if len(", ".join([*shown, name])) > _LONGEST_LIST:
            break
        shown.append(name)
    more = f" and {len(few) - len(shown):,} more" if len(few) > len(shown) else ""
    several, have = ("1 class", "has") if len(few) == 1 else (f"{len(few):,} classes", "have")
    told = f"{have} too few rows held out to say much: {', '.join(shown)}{more}"
    yield Card("Hardly seen", several, told)


def _of_numbers(run: CertifiedRun, found: Comparison) -> Iterator[Card]:
    """Yield how large the errors of a regression are, and those of the baseline."""
    ours, others = found.model_losses, found.baseline_losses
    limit = float(np.quantile(others, 1.0 - ALPHA))
    yield Card(
        "Without a model",
        f"±{amount(limit)}",
        f"holds {confidence(ALPHA)} of the errors on the rows held out when "
        f"{found.baseline.name}, "
        "the median",
    )
    if found.proof is not None:
        share = f"{100 * found.proof.observed:.3g}%"
        seen = f"of new rows; {share} seen on {_rows_of(found.proof, run)}"
        yield Card("Closer than that", "on at least", seen, found.proof)
    yield from _interval_of_each(run)
    y = run.problem.held_out.y
    spread = float(np.sum((y - y.mean()) ** 2))
    explained = 1.0 - float(np.sum(ours**2)) / spread if spread > 0.0 else math.nan
    yield Card(
        "On the rows held out",
        amount(float(ours.mean())),
        f"is the mean absolute error; the root mean squared error is "
        f"{amount(math.sqrt(float(np.mean(ours**2))))}, R² is {explained:.3g} (observed: no bound "
        "exists without a limit on errors)",
    )


def _interval_of_each(run: CertifiedRun) -> Iterator[Card]:
    """Yield how wide the intervals of single rows are, beside the one for all rows."""
    if run.intervals is None:
        return
    reach = run.intervals.n_widths * run.problem.widths(run.model)
    half, most = (
        f"±{outward(float(np.quantile(reach, share, method='higher')), 'upper')}"
        for share in (0.5, 0.9)
    )
    alike = f"±{outward(run.certificate.bound, 'upper')}"
    inside = f"at least {confidence(run.intervals.alpha)} of new rows lie inside theirs"
    if np.ptp(reach) == 0.0:
        told = f"for every row alike, because no column tells where the errors are larger; {inside}"
    else:
        told = (
            f"or less for half of the rows held out, {most} or less for nine in ten; {inside}. "
            f"With one width for all rows it would be {alike}"
        )
    yield Card("An interval for each row", half, told)
