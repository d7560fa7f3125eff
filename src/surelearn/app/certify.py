"""From a table to a certified model: split, choose on the training part, ask the hold-out once."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sklearn.base import clone

from surelearn.app._notes import TableError
from surelearn.app.asking import ask, refuse_if_too_few
from surelearn.app.candidates import find_candidates
from surelearn.app.parts import training_part
from surelearn.app.profile import Problem, understand
from surelearn.app.splits import split
from surelearn.app.tables import TableFile
from surelearn.app.trials import Trial, try_constant, try_learner
from surelearn.certificate import Certificate

_LARGEST_SEED = 2**32 - 1  # that scikit-learn takes

OnTrial = Callable[[Trial, int, int], object]
"""Called after each learner with its trial, its number and how many there are."""


@dataclass(frozen=True, eq=False)
class CertifiedRun:
    """A certified model and how it came about.

    Attributes
    ----------
    problem
        The table, the task and the split.
    model, name
        The model, fitted to the training part, and the learner it comes from.
    trials
        All learners tried, best first.
    constant
        The answer that needs no features, tried like them: what a learner must beat.
    certificate
        The certificate of the model, from the hold-out.
    by_class
        For each class, the certificate of the error rate among its rows; together they hold with
        the confidence of the certificate.
    options
        What was asked for: all that is needed to do it again.
    """

    problem: Problem
    model: Any
    name: str
    trials: tuple[Trial, ...]
    constant: Trial
    certificate: Certificate
    by_class: Mapping[str, Certificate]
    options: Mapping[str, Any]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should worry about."""
        if self.trials[0].estimate < self.constant.estimate:
            return self.problem.warnings
        useless = (
            f"no learner beats {self.constant.name}, which has a cross-validated loss of "
            f"{self.constant.estimate:.4g}: the features may tell nothing about the target"
        )
        return (useless, *self.problem.warnings)


def certify_table(
    file: TableFile,
    *,
    target: str,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
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
    learners
        The learners to try; all that fit if left out.
    form
        How `read_table_file` was told to read the file; stored, so that `verify` reads it alike.
    on_trial
        Called after each learner.
    **reading
        Options of `understand`: task, categorical, keep, drop, group, time.
    """
    check_rules(delta=delta, holdout=holdout, seed=seed)
    reading = _said(reading)
    asked = {"target": target, "delta": delta, "holdout": holdout, "seed": seed}
    problem = pose(file, target=target, holdout=holdout, seed=seed, **reading)
    refuse_if_too_few(problem, delta=delta, share=holdout)
    n_rows = len(problem.split.train)
    candidates = find_candidates(problem.task, n_rows=n_rows, names=learners)
    run = certify_problem(problem, candidates, delta=delta, seed=seed, on_trial=on_trial)
    options = {
        **asked,
        **_said({"learners": list(learners)}),
        **reading,
        **_said({"form": _said(form)}),
    }
    stored = {**run.certificate.reproduce, "table": file.sha256, "options": options}
    return replace(run, certificate=replace(run.certificate, reproduce=stored), options=options)


def check_rules(*, delta: float = 0.05, holdout: float = 0.2, seed: int = 0) -> None:
    """Refuse numbers that no certificate can be made with."""
    if not 0.0 < delta < 1.0:
        raise TableError(f"delta must lie between 0 and 1, not {delta:g}")
    if not 0.0 < holdout < 1.0:
        raise TableError(f"the hold-out must be a fraction between 0 and 1, not {holdout:g}")
    if not 0 <= seed <= _LARGEST_SEED:
        raise TableError(f"the seed must be a number from 0 to {_LARGEST_SEED}, not {seed}")


def pose(file: TableFile, *, target: str, holdout: float, seed: int, **reading: Any) -> Problem:
    """Find the problem in a table, split by the seed before anything is looked at."""
    cut = partial(split, holdout=holdout, seed=seed)
    return understand(file, target=target, cut=cut, **reading)


def certify_problem(
    problem: Problem,
    candidates: Mapping[str, Any],
    *,
    delta: float,
    seed: int,
    on_trial: OnTrial | None = None,
) -> CertifiedRun:
    """Choose among candidates on the training part of a problem, and certify the winner.

    Parameters
    ----------
    problem
        The problem with its split.
    candidates
        The estimators to try, by their names.
    delta, seed, on_trial
        See `certify_table`.
    """
    trials: list[Trial] = []
    for name, model in candidates.items():
        trials.append(try_learner(name, model, problem, seed=seed))
        if on_trial is not None:
            on_trial(trials[-1], len(trials), len(candidates))
    best, *others = sorted(trials, key=lambda trial: trial.estimate)
    if best.result is None:
        raise TableError(f"no learner could be trained: {best.note}")
    X, y = training_part(problem)
    model: Any = clone(candidates[best.name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its trial has told them
        model.fit(X, y)
    certificate, by_class = ask(problem, model, delta=delta)
    return CertifiedRun(
        problem=problem,
        model=model,
        name=best.name,
        trials=(best, *others),
        constant=try_constant(problem, seed=seed),
        certificate=certificate,
        by_class=by_class,
        options={"delta": delta, "seed": seed},
    )


def _said(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the options that say something."""
    given = (options or {}).items()
    return {name: value for name, value in given if value is False or value}
