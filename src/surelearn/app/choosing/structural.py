"""Choosing by structural risk: the smallest bound that the training rows alone can prove."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from surelearn._wording import confidence, percent_outward
from surelearn.app.choosing.choice import Choice, Line, OnTrial, attempt, try_each
from surelearn.app.choosing.rule_classes import Rules, reading_bits
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Problem
from surelearn.certificate import Certificate, Precondition
from surelearn.evaluate._holdout_claims import ONE_OF_COPIES, ROWS
from surelearn.evaluate.rule_class import FittedRule
from surelearn.evaluate.structural_risk import take_smallest
from surelearn.learners.trees._cut_back_tree import CutBackTree


@dataclass(frozen=True, eq=False)
class BoundTrial:
    """One learner on the training part, and what bounds its rule.

    Attributes
    ----------
    name
        The learner with its setting.
    rule
        The rule it found; None if it could not be trained.
    seconds
        How long that took.
    note
        Why there is no rule, or no bound.
    """

    name: str
    rule: FittedRule | None
    seconds: float
    note: str = ""

    @property
    def rates(self) -> bool:
        """Whether scores are shares of rows: bounds on the risk are."""
        return True

    @property
    def score(self) -> float:
        """The bound on the risk of the rule; infinite if there is none."""
        if self.rule is None or self.rule.certificate.status == "void":
            return math.inf
        return self.rule.certificate.bound


def choose_by_structural_risk(
    problem: Problem,
    candidates: Mapping[str, Rules],
    *,
    delta: float,
    on_trial: OnTrial | None = None,
) -> Choice:
    """Choose the rule whose risk is bounded best by the training rows.

    Parameters
    ----------
    problem
        The problem, whose training part alone is looked at.
    candidates
        What `find_rules` returned.
    delta
        The probability with which any of the bounds may fail.
    on_trial
        Called after each learner.
    """
    trials = try_each(
        candidates, lambda name, own: _try_rules(name, own, problem, delta=delta), on_trial
    )
    best = min(trials, key=lambda trial: trial.score)  # of equals the first
    if best.rule is None or not math.isfinite(best.score):
        raise TableError(f"no rule is bounded by its training rows ({best.note}): --select nested")
    result = take_smallest({t.name: t.rule for t in trials if t.rule is not None}, delta=delta)
    model = result.model.tree_ if isinstance(result.model, CutBackTree) else result.model
    certificate = _worded(result.certificate, problem)
    return Choice(
        name=best.name,
        learner=best.rule.rules.model,
        title="Rules from the training rows: their error there, the price of their class, and "
        f"bounds that hold together with confidence {confidence(delta)}",
        columns=("error", "price", "bound"),
        lines=tuple(_lines(problem, trials, best)),
        sentence=_sentence(trials, best, certificate),
        beforehand=_beforehand(certificate),
        warnings=_warn(problem, best.rule),
        bound=certificate,
        model=model,
    )


def _try_rules(name: str, candidate: Rules, problem: Problem, *, delta: float) -> BoundTrial:
    """Find a rule and its bound; what a learner cannot do is told, and does not stop the others."""
    start = time.perf_counter()
    X, y = problem.training

    def find() -> tuple[FittedRule, Certificate]:
        rule = FittedRule.of(candidate.rules, candidate.share, delta, X, y)
        return rule, rule.certificate

    found, note = attempt(find)
    if found is None:
        return BoundTrial(name, None, time.perf_counter() - start, note)
    rule, certificate = found
    doubts = [*(doubt.evidence for doubt in certificate.violated), note]
    return BoundTrial(name, rule, time.perf_counter() - start, doubts[0])


def _worded(certificate: Certificate, problem: Problem) -> Certificate:
    """Say what the claim is about, and what is true because of how the rule came about."""
    limit = percent_outward(certificate.bound, "upper")
    return replace(
        certificate,
        claim=f"With confidence {confidence(certificate.delta or 0.0)}, this model errs on at most "
        f"{limit} of new rows: proved by the training rows alone, the choice among all rules "
        f"included. {problem.scope}",
        preconditions=tuple(_known(p, problem) for p in certificate.preconditions),
    )


def _known(condition: Precondition, problem: Problem) -> Precondition:
    """Return an assumption with what this use case knows of it, by its key."""
    words = f" and the categories of {len(problem.categorical)} columns"
    of_copies = problem.split.kind == "distinct"
    match condition.key:
        case "independent":
            return replace(condition, evidence=(ONE_OF_COPIES if of_copies else ROWS).text)
        case "fixed_before":
            read = (
                "which columns are used, and as what, is paid for with "
                f"{reading_bits(problem):.1f} bits; the labels"
                f"{words if problem.categorical else ''} were read off these rows: it holds if "
                "there are no others"
            )
            return replace(condition, evidence=read)
        case "affine":  # the candidates of `rule_classes` are what they are declared to be
            return replace(condition, status="by-construction")
        case "fixed_classes":
            quarter = "four classes, a quarter of delta each, whatever the table"
            return replace(condition, status="by-construction", evidence=quarter)
        case _:
            return condition


def _lines(problem: Problem, trials: Sequence[BoundTrial], best: BoundTrial) -> list[Line]:
    """Return the lines of the table: the rules, and the constant answer."""

    def line(trial: BoundTrial) -> Line:
        if trial.rule is None:
            return Line(trial.name, (math.nan,) * 3, trial.seconds, trial.note)
        error = trial.rule.errors / trial.rule.n
        bound = trial.score if math.isfinite(trial.score) else math.nan
        numbers = (error, bound - error, bound)
        return Line(trial.name, numbers, trial.seconds, trial.note, chosen=trial is best)

    constant = (_constant_error(problem), math.nan, math.nan)
    return [
        *(line(trial) for trial in sorted(trials, key=lambda trial: trial.score)),
        Line("always the commonest class", constant, note="for comparison"),
    ]


def _constant_error(problem: Problem) -> float:
    """Return the fraction of the training rows that are not of the commonest class."""
    _, y = problem.training
    return 1.0 - float(np.unique(y, return_counts=True)[1].max()) / len(y)


def _sentence(trials: Sequence[BoundTrial], best: BoundTrial, certificate: Certificate) -> str:
    return (
        f"{len(trials)} ways to find a rule were compared by structural risk on the training rows "
        f"alone: the training error plus what the class of the rule costs. {best.name} has the "
        f"smallest bound. All bounds of the table hold together with confidence "
        f"{confidence(certificate.delta or 0.0)}, so the choice is paid for. The hold-out was "
        "asked about the winner only."
    )


def _beforehand(certificate: Certificate) -> str:
    delta = certificate.delta or 0.0
    return (
        f"Structural risk had proved at most {percent_outward(certificate.bound, 'upper')} from "
        f"the training rows alone, with confidence {confidence(delta)}; both bounds hold together "
        f"with confidence {confidence(min(1.0, 2.0 * delta))}."
    )


def _warn(problem: Problem, rule: FittedRule) -> tuple[str, ...]:
    constant = _constant_error(problem)
    useless = (
        "no rule that its training rows can pay for beats always answering the commonest class, "
        f"which errs on {100 * constant:.3g}% of them: the features may tell nothing about "
        "the target"
    )
    return () if rule.errors / rule.n < constant else (useless,)
