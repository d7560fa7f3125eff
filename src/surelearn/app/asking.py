"""The one question put to the hold-out of a problem, and the certificates that answer it."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Indices
from surelearn._wording import confidence, outward, percent_outward
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Problem
from surelearn.app.problem.rows import held_out_part, take
from surelearn.base import data_fingerprint, fingerprint
from surelearn.base.chunks import in_blocks
from surelearn.bounds import Guarantee, sequences
from surelearn.bounds import holdout as theorems
from surelearn.certificate import Certificate, LedgerEntry, Precondition, certify
from surelearn.evaluate.holdout import Holdout, Quantile

ALPHA = 0.1  # of new rows may have a larger error than the one certified for a regression
_USEFUL = 0.25  # an error rate; if not even this can be certified, there are too few rows

_UNSEEN = "no row of the hold-out was used for training"
_BLIND = "the hold-out was split off without looking at rows or labels"
_DRAWN_GROUPS = "groups of one population, each drawn independently"
_DRAWN = {
    "random": "drawn from the number of rows and seed {seed} alone",
    "group": "whole groups, drawn from their number and seed {seed} alone",
    "time": "the last rows, by their time alone",
}


class Answer(NamedTuple):
    """What the hold-out said of a model.

    Attributes
    ----------
    certificate
        The certificate of the model.
    by_class
        For each class with rows in the hold-out, the certificate of the error rate among its rows;
        together they hold with the confidence of the certificate.
    """

    certificate: Certificate
    by_class: dict[str, Certificate]


def ask(problem: Problem, model: Any, *, delta: float) -> Answer:
    """Ask the hold-out of a problem about a fitted model."""
    if problem.groups is not None and problem.task != "regression":
        certificate = _ask_groups(problem, model, delta=delta)
        return Answer(certificate, _by_class(problem, model, certificate, delta=delta))
    X, y = take(problem, _rows_to_ask(problem))
    loss: Any = Quantile(ALPHA) if problem.task == "regression" else "zero_one"
    held_out = Holdout(X, y, delta=delta, loss=loss, allow_duplicates=True)
    certificate = held_out.certify(model)
    limit = percent_outward(certificate.bound, "upper")
    claim = f"this model errs on at most {limit} of new rows"
    if problem.task == "regression":
        most, limit = confidence(ALPHA), outward(certificate.bound, "upper")
        claim = f"at least {most} of new rows have an absolute error of at most {limit}"
    certificate = _worded(certificate, claim, problem)
    if problem.groups is not None:
        drawn, *others = certificate.preconditions
        drawn = replace(drawn, evidence=f"one row of each group; {_DRAWN_GROUPS}")
        certificate = replace(certificate, preconditions=(drawn, *others))
    if problem.task == "regression":
        return Answer(certificate, {})
    return Answer(certificate, _by_class(problem, model, certificate, delta=delta))


def refuse_if_too_few(problem: Problem, *, delta: float, share: float) -> None:
    """Say how many rows would certify anything useful, if the hold-out has too few."""
    unit = "rows" if problem.groups is None else "groups"
    n = len(_rows_to_ask(problem)) if problem.groups is None else len(_group_rows(problem))
    if problem.task == "regression":
        least = math.ceil(math.log(delta) / math.log1p(-ALPHA))
        aim = f"a limit on {1 - ALPHA:.0%} of the errors"
    else:
        least = _first(lambda n: _bound_without_errors(problem, n, delta) <= _USEFUL)
        aim = f"an error rate of at most {_USEFUL:.0%}, even if none of them is wrong"
    if n < least:
        raise TableError(
            f"the hold-out has {n} {unit}, and {least} are needed to certify {aim}: give "
            f"{math.ceil(least / share):,} {unit} or more, or a larger --holdout"
        )


def what_is_meant(problem: Problem) -> str:
    """Say which new rows a claim about a model of this problem speaks of."""
    about = f"This is {problem.split.wording}."
    if problem.dropped_rows:
        about += " Rows whose target is missing are not meant."
    return about


def _worded(certificate: Certificate, claim: str, problem: Problem) -> Certificate:
    """Say what the claim is about, and what is true because of how it came about."""
    level, about = confidence(certificate.delta or 0.0), what_is_meant(problem)
    return replace(
        certificate,
        claim=f"With confidence {level}, {claim}. {about}",
        preconditions=(certificate.preconditions[0], *_known(certificate, problem)),
    )


def _known(certificate: Certificate, problem: Problem) -> tuple[Precondition, ...]:
    """Return what this use case makes true, where a hold-out alone would have to assume it."""
    parts = problem.split
    drawn = _DRAWN[parts.kind].format(seed=parts.seed)
    apart = f"{len(parts.train):,} rows train, {len(parts.holdout):,} others are held out"
    settled = {
        _UNSEEN: Precondition("unseen", _UNSEEN, "by-construction", apart),
        _BLIND: Precondition("blind_split", _BLIND, "by-construction", drawn),
    }
    fixed = "alpha was fixed beforehand"
    settled[fixed] = Precondition(
        "alpha", fixed, "by-construction", f"it is {ALPHA:g} for every table"
    )
    also = Precondition(
        "untouched",
        "nothing that shapes the model has seen the hold-out",
        "by-construction",
        "types, features and learner were decided on the training rows; it was asked once",
    )
    rest = certificate.preconditions[1:]
    return (*(settled.get(p.name, p) for p in rest), also)


def _by_class(
    problem: Problem, model: Any, whole: Certificate, *, delta: float
) -> dict[str, Certificate]:
    """Certify the error rate among the rows of each class; all of them together at delta.

    Given the labels of the hold-out, the number of classes in it is fixed, and so is each share;
    rows of one class then err independently. Groups that have rows of a class are independent draws
    given which groups those are, for one class at a time. So the number of classes comes from the
    training rows there; a class that they lack has errors only, and the bound 1.
    """
    X, y = held_out_part(problem)
    wrong, labels = in_blocks(model.predict, X) != y, np.unique(y)
    known = labels if problem.groups is None else np.unique(problem.y[problem.split.train])
    share, level = delta / len(known), confidence(delta)
    together = "" if len(known) == 1 else f" for all {len(known)} classes together"
    found: dict[str, Certificate] = {}
    for label in labels.tolist():
        guarantee, rate, n = _of_class(problem, wrong, y == label, delta=share)
        limit, n_assumed = percent_outward(guarantee.bound, "upper"), len(guarantee.assumes)
        rows = f"of new rows of class {label}"
        if problem.groups is not None:
            rows = f"of the rows of class {label} in a new group that has some, on average"
        found[str(label)] = certify(
            guarantee,
            kind="risk",
            subject="this fitted model",
            observed=rate,
            n=n,
            claim=f"With confidence {level}{together}, this model errs on at most {limit} {rows}.",
            statuses=[(p.status, p.evidence) for p in whole.preconditions[:n_assumed]],
            also=whole.preconditions[n_assumed:],
            family=None if whole.family is None else replace(whole.family, delta_spent=share),
            reproduce={key: whole.reproduce[key] for key in ("model", "data")},
        )
    return found


def _of_class(
    problem: Problem, wrong: NDArray[np.bool_], of_class: NDArray[np.bool_], *, delta: float
) -> tuple[Guarantee, float, int]:
    """Return the bound on the error rate among the rows of a class, that rate and its number."""
    if problem.groups is None:
        n, errors = int(of_class.sum()), int(wrong[of_class].sum())
        guarantee = theorems.class_conditional(errors=errors, n_in_class=n, delta=delta)
        return guarantee, errors / n, n
    groups = np.unique(_held_out_groups(problem)[of_class], return_inverse=True)[1]
    rates = np.bincount(groups, weights=wrong[of_class]) / np.bincount(groups)
    guarantee = sequences.betting_order_free(losses=rates, delta=delta)
    return guarantee, float(rates.mean()), len(rates)


def _ask_groups(problem: Problem, model: Any, *, delta: float) -> Certificate:
    """Certify the mean over groups of the error rate in a group: a group is one draw."""
    X, y = held_out_part(problem)
    groups = _held_out_groups(problem)
    losses = np.bincount(groups, weights=in_blocks(model.predict, X) != y) / np.bincount(groups)
    guarantee = sequences.betting_order_free(losses=losses, delta=delta)
    limit = percent_outward(guarantee.bound, "upper")
    data = data_fingerprint(X, y)
    certificate = certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=float(losses.mean()),
        n=len(losses),
        statuses=[
            ("by-construction", "the loss of a group is its error rate"),
            ("assumed", _DRAWN_GROUPS),
        ],
        also=[
            Precondition("unseen", _UNSEEN, "by-construction"),
            Precondition("blind_split", _BLIND, "by-construction"),
        ],
        family=LedgerEntry(data, mode="once", n_models=1, delta_spent=delta, query=1),
        reproduce={"model": fingerprint(model), "data": data},
    )
    claim = f"this model errs on at most {limit} of the rows of a new group, on average over groups"
    return _worded(certificate, claim, problem)


def _rows_to_ask(problem: Problem) -> Indices:
    """Return the rows of the hold-out that are independent draws: of each group only one."""
    if problem.groups is None:
        return problem.split.holdout
    rng = np.random.default_rng(problem.split.seed)
    return np.array([rng.choice(rows) for rows in _group_rows(problem)])


def _group_rows(problem: Problem) -> list[Indices]:
    """Return the rows of each group of the hold-out."""
    held_out, groups = problem.split.holdout, _held_out_groups(problem)
    order = np.argsort(groups, kind="stable")
    return np.split(held_out[order], np.cumsum(np.bincount(groups))[:-1])


def _held_out_groups(problem: Problem) -> Indices:
    """Return the group of each row held out, counted from 0."""
    groups: Any = problem.groups
    return np.unique(groups[problem.split.holdout], return_inverse=True)[1]


def _bound_without_errors(problem: Problem, n: int, delta: float) -> float:
    """Return what a hold-out of n rows or groups certifies if nothing is wrong."""
    if problem.groups is None:
        return theorems.class_conditional(errors=0, n_in_class=n, delta=delta).bound
    return sequences.betting_order_free(losses=np.zeros(n), delta=delta).bound


def _first(enough: Callable[[int], bool]) -> int:
    """Return the smallest number from which on something is enough."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
