"""From a table to a certified model: split, choose on the training part, ask the hold-out once."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from sklearn.base import clone

from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.candidates import find_candidates
from surelearn.app.choosing.choice import Choice, OnTrial
from surelearn.app.choosing.nested import choose_by_nesting
from surelearn.app.choosing.rule_classes import find_rules
from surelearn.app.choosing.structural import choose_by_structural_risk
from surelearn.app.choosing.training import to_compare_on, train, training_notes
from surelearn.app.errors import TableError
from surelearn.app.problem.held_out import refuse_if_too_few, set_up_holdout
from surelearn.app.problem.problem import Problem, understand
from surelearn.app.problem.split import split
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.wording import claim_about_rows
from surelearn.evaluate.holdout import Answers

SELECTIONS = ("nested", "structural-risk")
"""Ways to choose a learner: nested cross-validation, or the smallest bound."""

_LARGEST_SEED = 2**32 - 1  # that scikit-learn takes


def certify_table(  # noqa: PLR0913 - an argument for each option of the command
    file: TableFile,
    *,
    target: str,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
    select: str = "nested",
    learners: Sequence[str] = (),
    form: Mapping[str, Any] | None = None,
    on_trial: OnTrial | None = None,
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
    form
        How `read_table_file` was told to read the file; stored, so that `verify` reads it alike.
    on_trial
        Called after each learner.
    **reading
        Options of `understand`: task, categorical, keep, drop, group, time.
    """
    check_rules(delta=delta, holdout=holdout, seed=seed, select=select)
    reading = _given(reading)
    asked = {"target": target, "delta": delta, "holdout": holdout, "seed": seed, "select": select}
    problem = pose(file, target=target, holdout=holdout, seed=seed, **reading)
    refuse_if_too_few(problem, delta=delta, share=holdout)
    shown = to_compare_on(problem)
    if select == "nested":
        n_rows = len(shown.split.train)
        candidates = find_candidates(shown.task, n_rows=n_rows, names=learners)
        choice = choose_by_nesting(shown, candidates, seed=seed, on_trial=on_trial)
    else:
        rules = find_rules(shown, delta=delta, names=learners)
        choice = choose_by_structural_risk(shown, rules, delta=delta, on_trial=on_trial)
    run = certify_choice(problem, choice, delta=delta, seed=seed)
    options = {
        **asked,
        **_given({"learners": list(learners)}),
        **reading,
        **_given({"form": _given(form)}),
    }
    stored = {**run.certificate.reproduce, "table": file.sha256, "options": options}
    certificate = replace(run.certificate, reproduce=stored)
    return replace(run, answers=replace(run.answers, certificate=certificate), options=options)


def check_rules(
    *, delta: float = 0.05, holdout: float = 0.2, seed: int = 0, select: str = "nested"
) -> None:
    """Refuse rules that no certificate can be made by."""
    if not 0.0 < delta < 1.0:
        raise TableError(f"delta must lie between 0 and 1, not {delta:g}")
    if not 0.0 < holdout < 1.0:
        raise TableError(f"the hold-out must be a fraction between 0 and 1, not {holdout:g}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise TableError(f"the seed must be a number from 0 to {_LARGEST_SEED}, not {seed}")
    if select not in SELECTIONS:
        raise TableError(f"there is no selection {select!r}; there are {', '.join(SELECTIONS)}")


def pose(file: TableFile, *, target: str, holdout: float, seed: int, **reading: Any) -> Problem:
    """Find the problem in a table, split by the seed before anything is looked at."""
    cut = partial(split, holdout=holdout, seed=seed)
    return understand(file, target=target, cut=cut, **reading)


def certify_choice(problem: Problem, choice: Choice, *, delta: float, seed: int) -> CertifiedRun:
    """Fit what was chosen to the training part of a problem, and ask the hold-out about it.

    Parameters
    ----------
    problem
        The problem with its split.
    choice
        What was chosen on its training part.
    delta, seed
        See `certify_table`.
    """
    model: Any = choice.model  # a bound from the training rows speaks of the model that has it
    if model is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its trial has told them
            model = train(cast("Any", clone(choice.learner)), problem)
    return CertifiedRun(
        problem=problem,
        model=model,
        choice=choice,
        answers=ask(problem, model, delta=delta),
        training_notes=training_notes(problem, choice.learner if choice.model is None else None),
        options={"delta": delta, "seed": seed},
    )


def ask(problem: Problem, model: Any, *, delta: float) -> Answers:
    """Ask the hold-out of a problem about a fitted model; `verify` asks again, and compares."""
    answers = set_up_holdout(problem, delta=delta).answer(model)
    claim = claim_about_rows(answers.certificate, problem)
    return replace(answers, certificate=replace(answers.certificate, claim=claim))


def _given(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options that were given; False was, None and nothing were not."""
    asked = (options or {}).items()
    return {name: value for name, value in asked if value is False or value}
