"""What stands beside the certificate in a report: other claims, and what to do next."""

import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, cast

import numpy as np

from surelearn._wording import confidence
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.foreign_learners import is_foreign
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.commands import checking
from surelearn.bounds import find
from surelearn.certificate import Certificate
from surelearn.evaluate.audit import Outcome
from surelearn.report import Claimed


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
    if n is None and c.kind == "risk" and c.status == "valid" and c.slack > 0.0:
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
    if is_foreign(run.name):
        yield (
            "Answer new rows: joblib.load reads model.joblib where its library is installed; "
            "surelearn predict loads no code of other libraries"
        )
    else:
        yield "Answer new rows: `surelearn predict model.surelearn NEW.csv`"
    yield f"Check the certificate: `{checking(run, file.name)}`"
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
