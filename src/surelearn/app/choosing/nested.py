"""Learners tried on the training rows of a table: nested estimates, no certificates.

The training rows are cut into parts, as the hold-out was split off: at random, by groups or by
time. Every learner is cross-validated with each of its settings, and the best setting of the best
learner is chosen. Its estimate is optimistic, because it was picked for being lowest. So the whole
choice is made again without each part and tested there: the nested estimate, also of each learner
with its settings.
"""

import math
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import KFold

from surelearn._wording import amount
from surelearn.app.choosing.candidates import ORDERED
from surelearn.app.choosing.choice import (
    Choice,
    Line,
    OnBegin,
    OnTrial,
    attempt,
    loss_of,
    try_each,
    with_setting,
)
from surelearn.app.choosing.widths import errors_outside
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Problem
from surelearn.evaluate.intervals import Interval, around, normal_quantile, wald_interval
from surelearn.evaluate.nested_cross_validation import NestedCrossValidation
from surelearn.evaluate.paired_folds import PairedFolds, cross_validate_in_pairs, nest

FOLDS = 5
_LEVEL = 0.95  # of the approximate intervals
_FEWEST = 3  # settings, of which the outer ones are an edge

Candidates = Mapping[str, Mapping[str, Any]]
"""Estimators by the name of the learner and the setting."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One learner on the training part, with each of its settings.

    Attributes
    ----------
    name
        The learner.
    results
        How it did with each setting; a setting that could not be tried is missing.
    seconds
        How long that took.
    note
        Why something could not be tried, or what the learner warned of.
    rates
        Whether scores are shares of rows.
    """

    name: str
    results: Mapping[str, PairedFolds]
    seconds: float
    note: str = ""
    rates: bool = False

    @property
    def setting(self) -> str:
        """The setting of least cross-validated loss, of equals the first."""
        return min(self.results, key=lambda setting: self.results[setting].outer.estimate)

    @property
    def score(self) -> float:
        """The cross-validated loss with that setting; infinite if the learner was not tried."""
        return self.results[self.setting].outer.estimate if self.results else math.inf

    @cached_property
    def nested(self) -> NestedCrossValidation:
        """The nested cross-validation of choosing the setting."""
        return nest(self.results)


def choose_by_nesting(
    problem: Problem,
    candidates: Candidates,
    *,
    seed: int,
    on_trial: OnTrial | None = None,
    on_begin: OnBegin | None = None,
) -> Choice:
    """Choose the learner and setting of least cross-validated loss; estimate what that delivers.

    Parameters
    ----------
    problem
        The problem, whose training part alone is looked at.
    candidates
        The estimators to try, by learner and setting.
    seed
        Of the folds.
    on_trial, on_begin
        Called after each learner, and before.
    """
    trials = try_each(
        candidates,
        lambda name, own: try_learner(name, own, problem, seed=seed),
        on_trial,
        on_begin,
    )
    best = min(trials, key=lambda trial: trial.score)  # of equals the first
    if not best.results:
        raise TableError(f"no learner could be trained: {best.note}")
    whole = nest(
        {
            with_setting(trial.name, setting): result
            for trial in trials
            for setting, result in trial.results.items()
        }
    )
    constant = _try_constant(problem, seed=seed)
    loss = loss_of(problem.task).in_words
    return Choice(
        name=with_setting(best.name, best.setting),
        learner=candidates[best.name][best.setting],
        title=f"Learners on the training rows: estimates of the {loss}, no certificates; nested: "
        f"the choice of settings included; ±: approximate, {_LEVEL:.0%}",
        columns=("estimate", "nested", "±"),
        lines=tuple(_lines(problem, trials, best, whole, constant)),
        sentence=_sentence(problem, best, whole, n_ways=sum(map(len, candidates.values()))),
        beforehand=_beforehand(problem, whole),
        warnings=_warn(problem, whole, constant),
        at_the_edge=tuple(_at_the_edge(trials)),
        nested=whole,
        errors=errors_outside(problem, best.results[best.setting].outer),
    )


def try_learner(name: str, settings: Mapping[str, Any], problem: Problem, *, seed: int) -> Trial:
    """Cross-validate a learner; what it cannot do is told, and does not stop the others."""
    start = time.perf_counter()
    X, y = problem.training
    how = {**cross_validation_arguments(problem, seed=seed), "row_weight": _row_weights(problem)}
    results: dict[str, PairedFolds] = {}
    notes: list[str] = []
    for setting, model in settings.items():
        found, note = attempt(partial(cross_validate_in_pairs, model, X, y, **how))
        if found is not None:
            results[setting] = found
        if note:
            notes.append(note if len(settings) == 1 else f"{setting}: {note}")
    seconds, rates = time.perf_counter() - start, problem.task != "regression"
    return Trial(name, results, seconds, notes[0] if notes else "", rates)


def cross_validation_arguments(
    problem: Problem, *, seed: int, folds: int = FOLDS
) -> dict[str, Any]:
    """Return the arguments of `cross_validate` for a problem: folds as the hold-out was split."""
    rows = problem.training_rows
    cv: Any = folds
    if problem.split.kind == "random" and _rarest(problem) < folds:
        cv = KFold(folds, shuffle=True, random_state=seed)  # too rare a class for each fold
    return {
        "cv": cv,
        "loss": loss_of(problem.task).loss,
        "groups": None if problem.groups is None else problem.groups[rows],
        "ordered": problem.times is not None,
        "random_state": seed,
    }


def _row_weights(problem: Problem) -> Any:
    """Return how much each row counts: groups count alike, in the certificate as here."""
    if problem.groups is None:
        return None
    _, places, sizes = np.unique(
        problem.groups[problem.training_rows], return_inverse=True, return_counts=True
    )
    return 1.0 / sizes[places]


def _rarest(problem: Problem) -> float:
    """Return the number of training rows of the rarest class."""
    if problem.task == "regression":
        return math.inf
    return float(np.unique(problem.y[problem.split.train], return_counts=True)[1].min())


def _try_constant(problem: Problem, *, seed: int) -> Trial:
    """Cross-validate the answer that needs no features: what a learner must beat."""
    if problem.task == "regression":
        name, model = "always the median", DummyRegressor(strategy="median")
    else:
        name, model = "always the commonest class", DummyClassifier(strategy="most_frequent")
    return try_learner(name, {"": model}, problem, seed=seed)


def interval_around(problem: Problem, nested: NestedCrossValidation) -> Interval | None:
    """Return an approximate interval around a nested estimate, where losses tell how wide."""
    outer = nested.outer
    if problem.times is not None or not outer.losses.any():
        return None
    if problem.groups is None:
        return wald_interval(outer, level=_LEVEL)
    tested = np.concatenate([fold.test for fold in outer.folds])
    groups = problem.groups[problem.training_rows][tested]
    places = np.unique(groups, return_inverse=True)[1]
    means = np.bincount(places, weights=outer.losses) / np.bincount(places)
    reach = normal_quantile(1.0 - _LEVEL) * float(means.std()) / math.sqrt(len(means))
    return around(float(means.mean()), reach, _LEVEL, f"Wald over {len(means)} groups")


def _lines(
    problem: Problem,
    trials: list[Trial],
    best: Trial,
    whole: NestedCrossValidation,
    constant: Trial,
) -> list[Line]:
    """Return the lines of the table: learners, the choice among them, the constant answer."""

    def numbers(score: float, nested: NestedCrossValidation) -> tuple[float, ...]:
        interval = interval_around(problem, nested)
        reach = math.nan if interval is None else interval.width / 2.0
        return score, nested.estimate, reach

    def line(trial: Trial, note: str) -> Line:
        if not trial.results:
            return Line(trial.name, (math.nan,) * 3, trial.seconds, note)
        name = with_setting(trial.name, trial.setting)
        found = numbers(trial.score, trial.nested)
        return Line(name, found, trial.seconds, note, chosen=trial is best)

    tried = [line(trial, trial.note) for trial in sorted(trials, key=lambda trial: trial.score)]
    if len(trials) > 1:
        tried.append(Line("choosing among them", numbers(math.nan, whole), note="all together"))
    return [*tried, line(constant, "for comparison")]


def _sentence(problem: Problem, best: Trial, whole: NestedCrossValidation, *, n_ways: int) -> str:
    """Say how the choice was made, and what its numbers are not."""
    chosen = with_setting(best.name, best.setting)
    trust = f"± is an approximate {_LEVEL:.0%} interval. None of these numbers is a certificate."
    if len(whole.names) == 1:
        tried = "was the only way to learn that was tried"
        if n_ways > 1:
            tried = f"was the only one of {n_ways} ways to learn that could be trained"
        return f"{chosen} {tried}. {trust}"
    result = best.results[best.setting].outer
    alike = " Each group counts alike." if problem.groups is not None else ""
    scheme = result.scheme
    if problem.split.kind == "distinct":
        alike, scheme = " Copies of a row count as one.", "folds that keep copies of a row together"
    left_out = "after the parts before it" if problem.times is not None else "without it"
    votes = Counter(whole.chosen).most_common()
    ways_chosen = ", ".join(f"{name} {times}×" for name, times in votes)
    return (
        f"{len(whole.names)} ways to learn were compared by cross-validation in "
        f"{len(result.folds)} {scheme}, on the training rows alone, and {chosen} has the lowest "
        f"estimate. That number is optimistic, because it was picked for being lowest. "
        f"Nested estimates are not: each part of the rows is answered by what would have "
        f"been chosen {left_out} ({ways_chosen}).{alike} {trust} "
        "The hold-out was asked about the winner only."
    )


def _beforehand(problem: Problem, whole: NestedCrossValidation) -> str:
    shown = partial(_shown, problem=problem)
    interval = interval_around(problem, whole)
    around_it = ""
    if interval is not None:
        reach = f"{shown(interval.low)} to {shown(interval.high)}"
        around_it = f"; approximate {_LEVEL:.0%} interval: {reach}"
    loss = loss_of(problem.task).in_words
    return (
        f"Nested cross-validation on the training rows had put the {loss} at "
        f"{shown(whole.estimate)} (an estimate, not a guarantee{around_it})."
    )


def _at_the_edge(trials: list[Trial]) -> Iterator[str]:
    """Yield learners that did best at the first or the last of settings that grow."""
    for trial in trials:
        settings = list(trial.results)
        edges = {settings[0], settings[-1]} if len(settings) >= _FEWEST else set[str]()
        if trial.name in ORDERED and edges and trial.setting in edges:
            yield with_setting(trial.name, trial.setting)


def _shown(value: float, problem: Problem) -> str:
    return amount(value) if problem.task == "regression" else f"{100 * max(0.0, value):.3g}%"


def _warn(problem: Problem, whole: NestedCrossValidation, constant: Trial) -> tuple[str, ...]:
    limit = constant.nested.estimate
    useless = (
        f"the winner is not expected to beat always answering "
        f"{constant.name.removeprefix('always ')} ({_shown(whole.estimate, problem)} against "
        f"{_shown(limit, problem)}, both estimated on the training rows): the columns may tell too "
        "little about the target"
    )
    return () if whole.estimate < limit else (useless,)
