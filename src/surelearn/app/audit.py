"""From a file of predictions to certified claims; the model itself is not needed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from surelearn._shown import Shown
from surelearn.app.asked_claims import in_one_form
from surelearn.app.auditing.columns import ANSWERS, Columns, Incomplete, Roles, read_columns
from surelearn.app.auditing.copies import count_copies, tell_drawn, warn_of_copies
from surelearn.app.auditing.identity import rows_in
from surelearn.app.auditing.in_parts import challengers_in
from surelearn.app.auditing.plan import Plan, as_plan, tell_fixed
from surelearn.app.errors import TableError
from surelearn.app.ledger import PROCESS, Ledger, name_rules
from surelearn.app.ledger_files import Look
from surelearn.app.options import check_options, given
from surelearn.app.problem.ledger_entry import Entry
from surelearn.app.tables.notes import Note, without_option
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile
from surelearn.base import data_fingerprint
from surelearn.certificate import Certificate
from surelearn.evaluate._recorded_truths import digest_of_answers
from surelearn.evaluate.audit import THEN, Audit, Gathered, Outcome, gather
from surelearn.evaluate.ledger import Question

__all__ = ["AuditRun", "Outcome", "audit_table"]


@dataclass(frozen=True, eq=False, repr=False)
class AuditRun(Shown, drawn_by="claims.plot_claims"):
    """An audit of a file, and how it came about.

    Attributes
    ----------
    audit
        The claims with their certificates.
    columns
        What was read from the file.
    options
        What was asked for: all that is needed to do it again.
    notes, warnings
        What was inferred, and what a reader should worry about.
    file
        What was audited.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"truth": ["a", "b"] * 60, "said": ["a", "b"] * 59 + ["b", "b"]})
    >>> file = TableFile.of_table(table)
    >>> run = audit_table(file, truth="truth", prediction="said", claims=["accuracy"])
    >>> round(run.certificate.bound, 3), [str(outcome.claim) for outcome in run.claims]
    (0.961, ['accuracy'])
    """

    audit: Audit
    columns: Columns
    options: Mapping[str, Any]
    file: TableFile
    notes: tuple[Note, ...] = ()
    warnings: tuple[str, ...] = ()

    def _facts(self) -> Mapping[str, Any]:
        facts = {"n_rows": len(self.audit.rows.truth), "claims": len(self.claims)}
        return {**facts, "verdict": self.verdict, "warnings": len(self.warnings)}

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, self.audit

    @property
    def certificate(self) -> Certificate:
        """The certificate of the first claim."""
        return self.audit.certificate

    @property
    def claims(self) -> tuple[Outcome, ...]:
        """What became of each claim."""
        return self.audit.outcomes

    @property
    def verdict(self) -> str:
        """What became of all targets together."""
        return self.audit.verdict

    @property
    def premise(self) -> str:
        """What every claim rests on: the first words of each sentence, up to its confidence."""
        return self.certificate.claim.partition(THEN)[0] + THEN

    def __str__(self) -> str:
        """Return the claims, a line each, what became of targets, and what to worry about."""
        targets = [f"{o.verdict}: {o.target}" for o in self.claims if o.target is not None]
        return "\n".join([str(self.audit), *targets, *(f"Warning: {w}" for w in self.warnings)])


def audit_table(  # noqa: PLR0913 - an argument for each option of the command
    file: TableFile,
    *,
    claims: Sequence[str] = (),
    delta: float = 0.05,
    looks: int = 1,
    task: str | None = None,
    positive: str | float | None = None,
    incomplete: Incomplete = "refuse",
    by_label: bool = False,
    plan: Plan | str | Path | None = None,
    ledger: Ledger | None = None,
    form: Mapping[str, Any] | None = None,
    **columns: str | Sequence[str] | None,
) -> AuditRun:
    """Certify what a file of predictions shows.

    Parameters
    ----------
    file
        The file.
    claims
        Claims and targets as text; all that the columns can show, if left out.
    delta, looks
        The probability that anything certified is false, for all `looks` models together.
    task, positive
        "classification" or "regression", and the positive label, if not as found.
    incomplete
        What becomes of rows without an answer: "refuse", "errors" or "exclude".
    by_label
        Whether the rows were drawn by their label, such as cases and controls.
    plan
        What was fixed beforehand, or its file; then claims, delta and looks are the plan's.
    ledger
        Remembers earlier looks at these rows; that of this process if left out.
    form
        How the file was read; stored, so that `verify` reads it alike.
    **columns
        The column of each role: truth, prediction, passed, score, baseline, low, high, set,
        confidence, width, group, cluster, weight, stratum, time, id; and a list of columns as
        challenger.
    """
    delta, looks, by_label = _plain(delta), _plain(looks), bool(by_label)
    positive = _label(positive)
    if plan is not None:
        plan = as_plan(plan)
        claims, delta, looks = plan.claims, plan.delta, plan.looks
    check_options(delta=delta, looks=looks)
    claims = in_one_form(claims)
    roles = _roles(columns)
    read = read_columns(file, roles, task=_task(task), positive=positive, incomplete=incomplete)
    options = _options(roles, delta) | given(
        {
            "claims": list(claims),
            "looks": looks if looks > 1 else None,
            "task": task,
            "positive": positive,
            "incomplete": incomplete if incomplete != "refuse" else None,
            "by_label": by_label or None,
            "plan": plan.sha256 if plan else None,
            "form": given(form),
            "in_parts": isinstance(file, PartedFile) or None,
        }
    )
    gathered = _gathered(read, claims, by_label=by_label, delta=delta / looks)
    entry = _enter(PROCESS if ledger is None else ledger, file, read, roles, options)
    named = [*gathered.plain, *(target.claim for target in gathered.targets)]
    n_copies = count_copies(file, read, roles, named)
    evidence = {
        "independent": tell_drawn(n_copies, read.rows.n),
        "complete": read.evidence,
        "fixed_before": tell_fixed(options.get("plan")),
        "not_chosen_by_them": entry.evidence(looks),
    }
    stored = {**_identity(file, read, options), "ledger": entry.stored()}
    stored |= {} if n_copies is None else {"n_copies": n_copies}
    found = gathered.issue(delta / looks, evidence=evidence, stored=stored)
    notes = without_option(file.notes, "--categorical")
    return AuditRun(found, read, options, file, notes, warn_of_copies(n_copies, read.rows.n))


def _plain(value: Any) -> Any:
    """Return a number of NumPy as one that JSON knows."""
    return value.item() if isinstance(value, np.generic) else value


def _label(positive: Any) -> Any:
    """Return the positive label as JSON knows it, if it is one."""
    found = _plain(positive)
    if found is not None and not isinstance(found, str | int | float):
        raise TypeError(f"positive is a label, such as 1 or 'ill', no {type(positive).__name__}")
    return found


def _options(roles: Roles, delta: float) -> dict[str, Any]:
    """Return the columns that were named, and delta, as they are stored."""
    several = {"challenger": list(roles.challenger)} if roles.challenger else {}
    return {**roles.given(), **several, "delta": delta}


def _gathered(read: Columns, claims: Sequence[str], *, by_label: bool, delta: float) -> Gathered:
    """Return what is claimed of rows; what cannot be certified is refused before it is a look."""
    exclude = read.incomplete == "exclude"
    try:
        found = gather(
            read.rows, claims, by_label=by_label, n_without=read.n_without, exclude=exclude
        )
        found.issue(delta)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from None
    return found


def _identity(file: TableFile, read: Columns, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what certificates keep of the file and of how it was read."""
    answers = read.rows.prediction.astype(str).reshape(-1, 1)
    return {
        "data": data_fingerprint(answers, read.rows.truth),
        "n_without": read.n_without,
        "options": dict(options),
        "table": file.sha256,
    }


def _roles(columns: Mapping[str, str | Sequence[str] | None]) -> Roles:
    """Return the columns by their roles; one that does not exist is refused."""
    known = vars(Roles())
    if unknown := sorted(set(columns) - set(known)):
        raise TypeError(f"audit has no option {unknown[0]!r}; columns are {', '.join(known)}")
    single: dict[str, Any] = dict(columns)
    several = challengers_in(single.pop("challenger", None))
    for role, name in (*single.items(), *(("challenger", one) for one in several)):
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{role} is the name of a column, no {type(name).__name__}")
    return Roles(**single, challenger=several)


def _task(task: str | None) -> str | None:
    """Return the task that rows have, if one was asked for."""
    if task not in {None, "classification", "regression"}:
        raise TableError(f"the task may be classification or regression, not {task!r}")
    return task


def _enter(
    ledger: Ledger, file: TableFile, read: Columns, roles: Roles, options: Mapping[str, Any]
) -> Entry:
    """Enter the look at these rows in a ledger, before anything is claimed of them."""
    looks, delta = int(options.get("looks", 1)), float(options["delta"])
    answers = digest_of_answers(read.rows)
    asked = hashlib.sha256(json.dumps(options, sort_keys=True).encode()).hexdigest()[:16]
    named = next(name for role, name in roles.given().items() if role in ANSWERS)
    about = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "file": file.name,
        "target": roles.truth or named,
        "learner": f"answers in column {named}",
        "looks": looks,
        "delta": delta,
        "options": dict(options),
    }
    question = Question(name_rules(delta, looks), f"{answers} {asked}")
    rows, *also = rows_in(file, read, roles)
    return ledger.enter(Look(rows, question, about, tuple(also)))
