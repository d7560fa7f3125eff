"""From a table to a certified model: split, choose on the training part, ask the hold-out once.

What "once" means across runs only a ledger can know: see `surelearn.app.ledger`.
"""

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any, cast

from sklearn.base import clone

from surelearn.app.asked_claims import in_one_form, refuse_claims
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.candidates import find_candidates, skipped
from surelearn.app.choosing.choice import Choice, OnBegin, OnTrial
from surelearn.app.choosing.foreign_learners import telling_of_foreign
from surelearn.app.choosing.nested import choose_by_nesting
from surelearn.app.choosing.rule_classes import find_rules
from surelearn.app.choosing.structural import choose_by_structural_risk
from surelearn.app.choosing.training import (
    one_of_each_copy,
    spread_of_targets,
    to_compare_on,
    train,
    training_notes,
)
from surelearn.app.choosing.widths import with_widths
from surelearn.app.errors import TableError
from surelearn.app.in_parts.held_out import (
    HoldoutInParts,
    as_chosen_on,
    refuse_sample_of_copies,
)
from surelearn.app.in_parts.problem import ProblemInParts, pose_in_parts
from surelearn.app.in_parts.training import notes_in_parts, train_in_parts
from surelearn.app.ledger import PROCESS, Ledger, enter_look
from surelearn.app.options import (
    check_columns,
    check_dates,
    check_options,
    check_widths,
    given,
)
from surelearn.app.problem.held_out import refuse_if_too_few, set_up_holdout
from surelearn.app.problem.ledger_entry import NOT_KEPT, Entry
from surelearn.app.problem.problem import Problem, understand
from surelearn.app.problem.split import split
from surelearn.app.tables.notes import Note
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.wording import claim_about_rows
from surelearn.claims import Claim, Target
from surelearn.evaluate.holdout import Answers


@telling_of_foreign
def certify_table(  # noqa: PLR0913 - an argument for each option of the command
    file: TableFile,
    *,
    target: str,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
    select: str = "nested",
    learners: Sequence[str] = (),
    copies: str | None = "together",
    dates: str | None = "features",
    widths: str | None = "adaptive",
    looks: int = 1,
    claims: Sequence[Claim | Target | str] = (),
    positive: str | None = None,
    ledger: Ledger | None = None,
    form: Mapping[str, Any] | None = None,
    on_trial: OnTrial | None = None,
    on_begin: OnBegin | None = None,
    among: Collection[str] | None = None,
    **reading: Any,
) -> CertifiedRun:
    """Choose a model on the training part of a table and certify it on the rest, asked once.

    Parameters
    ----------
    file
        The table.
    target
        The column to predict.
    delta
        The probability that the certificate is false.
    holdout
        The fraction of the rows, or groups, that is held out.
    seed
        Of the split and the folds; the same seed gives the same model and certificate.
    select
        How the learner is chosen: "nested", by cross-validation with a nested estimate of what that
        delivers; or "structural-risk", by the smallest bound from the training rows.
    learners
        The learners to try; all that fit if left out.
    copies
        "together": copies of a row stay on one side of the split and count as one; "independent":
        rows that coincide are draws of their own. None does a run again that was made before copies
        were looked at, which its options tell: they do not speak of copies.
    dates
        "features": what dates tell (year, month, weekday, hour, time elapsed) is learnt from;
        "left-out": columns of dates are no features. None does a run again that was made before
        dates, and quantities such as `$1,200`, were read.
    widths
        Of a regression: "adaptive", an interval for each row, wide where the model errs much;
        "constant", one width for all. None does a run again that was made before there were any.
    looks
        How many models of this table will be certified, fixed before the first: they share delta.
        Another model beyond them gets a void certificate.
    claims, positive
        Claims and targets to certify beside the error rate, at delta once more for all of them: all
        that is expected of the task if left out; and which of two labels they call positive, if not
        the one whose own words say so, or else the rarer one among the training rows.
    ledger
        Remembers which models were certified before; that of this process if left out.
    form
        How `read_table_file` was told to read the file; stored, so that `verify` reads it alike.
    on_trial, on_begin
        Called after each learner, and before.
    among
        Where no learners were asked for: try no others than these, as an older version did.
    **reading
        Options of `understand`: task, categorical, keep, drop, group, time, zeros.
    """
    check_options(
        delta=delta, holdout=holdout, seed=seed, select=select, copies=copies, looks=looks
    )
    check_dates(dates)
    check_widths(widths)
    roles = {"target": target, "learners": learners, **reading}
    check_columns(roles, {"learners", *signature(understand).parameters})
    reading, share = given({"dates": dates, **reading}), delta / looks
    asked = {"target": target, "delta": delta, "holdout": holdout, "seed": seed, "select": select}
    asked |= given({"copies": copies}) | ({"looks": looks} if looks > 1 else {})
    options = {**asked, **given({"learners": list(learners)}), **reading}
    asked_for = in_one_form(claims)
    beside = given({"claims": list(asked_for), "positive": positive})
    options |= given({"form": given(form)}) | beside
    if isinstance(file, PartedFile):
        options |= {"in_parts": file.how}
    problem = pose(file, target=target, holdout=holdout, seed=seed, copies=copies, **reading)
    problem.copies.refuse_unlike()
    widths = widths if problem.task == "regression" else None
    options |= given({"widths": widths})
    refuse_claims(problem, asked_for, positive, widths=widths == "adaptive")
    shown = _to_choose_on(problem, select)
    if select == "nested":
        candidates = find_candidates(
            shown.task,
            n_rows=len(shown.split.train),
            names=learners,
            among=among,
            spread=spread_of_targets(shown),
        )
        options |= {} if learners else {"tried": list(candidates)}  # later versions know more
        refuse_if_too_few(problem, delta=share, share=holdout)
        choice = choose_by_nesting(
            shown, candidates, seed=seed, on_trial=on_trial, on_begin=on_begin
        )
        if not learners:
            n_rows = len(shown.split.train)
            untried = skipped(shown.task, n_rows=n_rows, found=list(candidates))
            choice = replace(choice, untried=untried)
    else:
        rules = find_rules(shown, delta=share, names=learners)
        refuse_if_too_few(problem, delta=share, share=holdout)
        choice = choose_by_structural_risk(shown, rules, delta=share, on_trial=on_trial)
    enter = partial(
        enter_look, PROCESS if ledger is None else ledger, file, problem, choice.name, options
    )
    rules = {"delta": delta, "looks": looks, **beside}
    run = certify_choice(problem, choice, seed=seed, enter=enter, widths=widths, **rules)
    stored = {**run.certificate.reproduce, "table": file.sha256, "options": options}
    certificate = replace(run.certificate, reproduce=stored)
    return replace(run, answers=replace(run.answers, certificate=certificate), options=options)


def _to_choose_on(problem: Problem, select: str) -> Problem:
    """Return the problem with the training rows that learners are compared on."""
    shown = as_chosen_on(problem)
    if select != "nested":
        refuse_sample_of_copies(shown)
        shown = one_of_each_copy(shown)  # first: a sample has more of the rows with many copies
    return to_compare_on(shown)


def pose(
    file: TableFile,
    *,
    target: str,
    holdout: float,
    seed: int,
    copies: Any = None,
    dates: Any = None,
    **reading: Any,
) -> Problem:
    """Find the problem in a table, split by the seed before anything is looked at.

    Certificates written before copies, or dates, were looked at do not say what became of them:
    None.
    """
    if isinstance(file, PartedFile):
        asked = {"target": target, "holdout": holdout, "seed": seed, "copies": copies}
        return pose_in_parts(file, **asked, dates=dates, **reading)
    cut = partial(split, holdout=holdout, seed=seed)
    return understand(file, target=target, cut=cut, copies=copies, dates=dates, **reading)


def certify_choice(
    problem: Problem,
    choice: Choice,
    *,
    delta: float,
    seed: int,
    enter: Callable[[Any], Entry] = lambda _: NOT_KEPT,
    widths: str | None = None,
    **rules: Any,
) -> CertifiedRun:
    """Fit what was chosen to the training part of a problem, and ask the hold-out about it.

    Parameters
    ----------
    problem
        The problem with its split.
    choice
        What was chosen on its training part.
    delta, seed
        See `certify_table`.
    enter
        Enters the question about the model in a ledger, before it is answered.
    widths
        See `certify_table`.
    **rules
        What else is fixed beforehand: looks, claims, positive.
    """
    model: Any = choice.model  # a bound from the training rows speaks of the model that has it
    trained: Any = None
    told: tuple[Note, ...] = ()
    if model is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its trial has told them
            trained = _trained(cast("Any", clone(choice.learner)), problem)
            errors = choice.errors if widths == "adaptive" else None
            model, told = with_widths(trained, choice.learner, errors)
    entry = enter(model)
    asked = asked_about(problem, model)
    return CertifiedRun(
        problem=asked,
        model=model,
        choice=choice,
        answers=ask(asked, model, delta=delta, entry=entry, **rules),
        training_notes=(*_notes(asked, choice, trained), *told),
        options={"delta": delta, "seed": seed},
    )


def asked_about(problem: Problem, model: Any) -> Problem:
    """Return a problem with all that its hold-out needs: of one in parts, the model's answers."""
    return problem.asked(model) if isinstance(problem, ProblemInParts) else problem


def _trained(model: Any, problem: Problem) -> Any:
    if isinstance(problem, ProblemInParts):
        return train_in_parts(model, problem)
    return train(model, problem)


def _notes(problem: Problem, choice: Choice, trained: Any) -> tuple[Note, ...]:
    learner = choice.learner if choice.model is None else None
    if isinstance(problem, ProblemInParts):
        return notes_in_parts(problem, learner, trained)
    return training_notes(problem, learner)


def ask(
    problem: Problem,
    model: Any,
    *,
    delta: float,
    looks: int = 1,
    entry: Entry = NOT_KEPT,
    **beside: Any,
) -> Answers:
    """Ask the hold-out of a problem about a fitted model; `verify` asks again, and compares."""
    make = HoldoutInParts if isinstance(problem, ProblemInParts) else None
    rules = {"delta": delta, "looks": looks, "entry": entry}
    held_out = set_up_holdout(problem, make=make, **rules, **beside)
    try:
        answers = held_out.answer(model)
    except ValueError as error:
        if not beside.get("claims"):
            raise
        raise TableError(str(error)) from None  # only now is it known what the model answers
    found = answers.certificate
    if problem.copies.mode is not None:
        found = replace(found, reproduce={**found.reproduce, "ledger": entry.stored()})
    if not found.violated:
        claim = claim_about_rows(found, problem, delta=delta, looks=looks)
        found = replace(found, claim=claim)
    return replace(answers, certificate=found)
