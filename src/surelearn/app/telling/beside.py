"""What stands beside the headline of a report: the baseline, the worst class, what to do next."""

import math
import os
import shlex
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, cast

import numpy as np

from surelearn._wording import amount, confidence, outward
from surelearn.app import comparison
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.comparison import HARDLY, SEVERAL, Comparison
from surelearn.app.problem.held_out import ALPHA
from surelearn.app.tables.read import TableFile
from surelearn.bounds import find
from surelearn.certificate import Certificate
from surelearn.evaluate.audit import Outcome
from surelearn.report import Card, Claimed

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
        "distinct": "the distinct rows held out",
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


def claimed_of(outcome: Outcome) -> Claimed:
    """Return a claim as a report shows it."""
    return Claimed(
        title=outcome.claim.full_title,
        certificate=outcome.certificate,
        target="" if outcome.target is None else str(outcome.target),
        verdict=outcome.verdict,
        advice=outcome.advice,
    )


def together_of(run: CertifiedRun) -> str:
    """Say at which level the claims beside a certificate hold, by themselves and with the rest."""
    if not run.claims:
        return ""
    delta = float(run.options["delta"])
    parts = 2 + bool(run.by_class) + (run.choice.bound is not None)
    rest = "the certificate above" + (" and the rates of classes below" if run.by_class else "")
    rest += ", and that of the training rows alone" if run.choice.bound is not None else ""
    named = positive_of(run)
    told = "" if named is None else f" Positive means {run.problem.target} = {named}."
    both = (
        " Where two tables bound the same rate, they share out their confidence differently: both "
        "bounds hold."
    )
    both = both if run.by_class else ""
    return (
        f"All of this holds together with confidence {confidence(delta)}, under the same "
        f"conditions; together with {rest}, "
        f"with {confidence(min(1.0, round(parts * delta, 12)))}.{both}{told}{_not_shown(run)}"
    )


def _not_shown(run: CertifiedRun) -> str:
    """Say which claims share the confidence and are not there, since the rows cannot show them."""
    left_out = getattr(run.answers.beside, "left_out", {})
    if not left_out:
        return ""
    named = "; ".join(f"{title} ({why})" for title, why in left_out.items())
    return f" Planned, and so counted among them, but not possible with these rows: {named}."


def positive_of(run: CertifiedRun) -> Any:
    """Return which of two labels the claims call positive; None if they call none so."""
    return getattr(getattr(run.answers.beside, "rows", None), "positive", None)


def is_label(label: Any, named: Any) -> bool:
    """Return whether a class is the one that claims name, by its value or by its word."""
    return named is not None and str(label) == str(named)


def plan_of(run: CertifiedRun) -> str:
    """Say how many rows would bring the bound half as far from what was observed."""
    c = run.certificate
    n, about = c.reproduce.get("n_to_halve_slack"), ""
    if n is None and c.kind == "risk" and c.status == "valid":
        n, about = _rows_that_halve(c), "about "
    if n is None:
        return ""
    units = {"distinct": "distinct rows", "group": "groups"}.get(run.problem.split.kind, "rows")
    return (
        f"With {about}{n:,} {units} held out and the same error rate, the bound would be half as "
        "far from what was observed."
    )


def _rows_that_halve(certificate: Certificate) -> int:
    """Return about how many rows halve the gap, by the theorem itself on the same losses repeated.

    Where a certificate stores no losses one by one, four times as many: gaps shrink with the root.
    """
    c, inputs = certificate, certificate.reproduce["inputs"]
    if "losses" not in inputs:
        return 4 * c.n
    theorem, target = cast("Any", find(c.method)), (c.observed + c.bound) / 2.0
    low, high = c.n, 8 * c.n
    while high - low > max(1, c.n // 50):
        middle = (low + high) // 2
        repeated = np.resize(np.asarray(inputs["losses"]), middle)
        enough = theorem(**{**inputs, "losses": repeated}).bound <= target
        low, high = (low, middle) if enough else (middle, high)
    return high


def steps_of(run: CertifiedRun, file: TableFile) -> Iterator[str]:
    """Yield what to do next, and what would void the claim."""
    if run.certificate.violated:
        yield "Certify on rows that were never asked about: this certificate is void."
        return
    yield "Answer new rows: `surelearn predict model.surelearn NEW.csv`"
    checked = "surelearn verify certificate.json --model model.surelearn --data "
    yield f"Check the certificate: `{checked}{shlex.quote(file.name)}`"
    if plan := plan_of(run):
        share = float(run.options.get("holdout", 0.2))
        yield f"For a tighter bound: more rows, or a larger share of them than {share:.0%}. {plan}"
    yield (
        "The claim is void for any other model: one that is trained again, on more rows or with "
        "other settings; one that is chosen because of these numbers; and this one on rows of "
        "another population, read or measured in another way, or of a later time that differs."
    )


def untried_of(run: CertifiedRun) -> Iterator[str]:
    """Yield which learners were not tried or stopped at the edge of their settings."""
    for name, why in run.choice.untried.items():
        yield f"{name} was not tried: {why}. Name it with --learner to try it."
    if edge := ", ".join(run.choice.at_the_edge):
        yield (
            f"Best at the first or the last of the settings tried, so that one beyond them might "
            f"do better: {edge}."
        )


def signing_of(run: CertifiedRun, file: TableFile) -> dict[str, str]:
    """Return what stands above the line for a name and a signature."""
    versions = run.certificate.reproduce["versions"]
    made = ", ".join(f"{name} {found}" for name, found in versions.items() if name != "surelearn")
    return {
        "made on": today(),
        "with": f"surelearn {version('surelearn')} ({made})",
        "table": f"{file.name}, SHA-256 {file.sha256}",
        "model": f"{run.name}, fingerprint {run.certificate.reproduce['model']}",
    }


def today() -> str:
    """Return the day, in Greenwich; a build that must be the same again says which it is.

    Examples
    --------
    >>> len(today())
    10
    """
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    return datetime.fromtimestamp(moment, UTC).date().isoformat()
