"""From a table to a certified model: split, choose on the training part, ask the hold-out once."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from surelearn._typing import Indices
from surelearn._wording import confidence, percent_outward
from surelearn.app._notes import TableError
from surelearn.app.candidates import find_candidates
from surelearn.app.profile import Problem, understand
from surelearn.app.splits import split
from surelearn.app.tables import TableFile
from surelearn.bounds import holdout as theorems
from surelearn.certificate import Certificate, Precondition, certify
from surelearn.evaluate.cross_validation import CrossValidation, cross_validate
from surelearn.evaluate.holdout import Holdout, Quantile

ALPHA = 0.1  # of new rows may have a larger error than the one certified for a regression
_FOLDS = 5
_USEFUL = 0.5  # a bound above says nothing of use; more rows are needed


class Trial(NamedTuple):
    """One learner on the training part."""

    name: str
    result: CrossValidation | None
    seconds: float
    problem: str = ""

    @property
    def estimate(self) -> float:
        """The cross-validated loss; infinite if the learner could not be tried."""
        return math.inf if self.result is None else self.result.estimate

    @property
    def spread(self) -> float:
        """The standard error over the folds; NaN if the learner could not be tried."""
        if self.result is None:
            return math.nan
        means = self.result.fold_means
        return float(means.std(ddof=1) / math.sqrt(len(means)))


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
    certificate: Certificate
    by_class: Mapping[str, Certificate]
    options: Mapping[str, Any]

    @property
    def train(self) -> tuple[Any, NDArray[Any]]:
        """The rows and targets the model was fitted to."""
        return part(self.problem, self.problem.split.train)

    @property
    def held_out(self) -> tuple[Any, NDArray[Any]]:
        """The rows and targets of the hold-out."""
        return part(self.problem, self.problem.split.holdout)


def part(problem: Problem, rows: Indices) -> tuple[Any, NDArray[Any]]:
    """Return some rows of a problem and their targets."""
    return _safe_indexing(problem.X, rows), problem.y[rows]


def certify_table(
    file: TableFile,
    *,
    target: str,
    delta: float = 0.05,
    holdout: float = 0.2,
    seed: int = 0,
    learners: Sequence[str] = (),
    on_trial: Callable[[Trial, int, int], object] | None = None,
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
    on_trial
        Called after each learner with the trial, its number and how many there are.
    **reading
        Options of `understand`: task, categorical, keep, drop, group, time.
    """
    if not 0.0 < delta < 1.0:
        raise TableError(f"delta must lie between 0 and 1, not {delta:g}")
    cut = partial(split, holdout=holdout, seed=seed)
    problem = understand(file, target=target, cut=cut, **reading)
    if too_few := rows_needed(problem, delta=delta, holdout=holdout):
        raise TableError(too_few)
    X, y = part(problem, problem.split.train)
    candidates = find_candidates(problem.task, n_rows=len(y), names=learners)
    trials = [
        _try(name, model, X, y, problem=problem, seed=seed, report=(on_trial, i, len(candidates)))
        for i, (name, model) in enumerate(candidates.items())
    ]
    best = min(trials, key=lambda trial: trial.estimate)
    if best.result is None:
        raise TableError(f"no learner could be trained: {best.problem}")
    model: Any = clone(candidates[best.name])
    model.fit(X, y)
    options = {
        "target": target,
        "delta": delta,
        "holdout": holdout,
        "seed": seed,
        "learners": list(candidates),
        **{name: value for name, value in reading.items() if value},
    }
    certificate, by_class = ask(problem, model, delta=delta)
    certificate = replace(
        certificate,
        reproduce={**certificate.reproduce, "table": file.sha256, "options": options},
    )
    ordered = tuple(sorted(trials, key=lambda trial: trial.estimate))
    return CertifiedRun(problem, model, best.name, ordered, certificate, by_class, options)


def _try(
    name: str,
    model: Any,
    X: Any,
    y: NDArray[Any],
    *,
    problem: Problem,
    seed: int,
    report: tuple[Callable[[Trial, int, int], object] | None, int, int],
) -> Trial:
    """Cross-validate one learner; what it cannot do is told, and does not stop the others."""
    start = time.perf_counter()
    rows = problem.split.train
    groups = None if problem.groups is None else problem.groups[rows]
    loss = "squared" if problem.task == "regression" else "zero_one"
    try:
        result: CrossValidation | None = cross_validate(
            model,
            X,
            y,
            cv=_FOLDS,
            loss=loss,
            groups=groups,
            ordered=problem.times is not None,
            random_state=seed,
        )
        said = ""
    except (ValueError, TypeError, np.linalg.LinAlgError) as error:
        result, said = None, str(error).partition("\n")[0]
    trial = Trial(name, result, time.perf_counter() - start, said)
    if report[0] is not None:
        report[0](trial, report[1] + 1, report[2])
    return trial


def ask(
    problem: Problem, model: Any, *, delta: float
) -> tuple[Certificate, dict[str, Certificate]]:
    """Ask the hold-out of a problem about a fitted model: its one question."""
    X, y = part(problem, problem.split.holdout)
    loss: Any = Quantile(ALPHA) if problem.task == "regression" else "zero_one"
    if problem.groups is not None:
        return _ask_about_groups(problem, model, delta=delta), {}
    held_out = Holdout(X, y, delta=delta, loss=loss, allow_duplicates=True)
    held_out.drawn_at_random = problem.split.kind == "random"
    certificate = _worded(held_out.certify(model), problem)
    if problem.task == "regression":
        return certificate, {}
    return certificate, _by_class(y, np.asarray(model.predict(X)), certificate, delta=delta)


def _worded(certificate: Certificate, problem: Problem) -> Certificate:
    """Say what the claim is about; a split by time is not one at random."""
    about = f"The claim is {problem.split.wording}."
    if problem.dropped_rows:
        about += " It is about rows whose target is known."
    conditions = certificate.preconditions
    if problem.split.kind == "time":
        name = "the hold-out was split off without looking at rows or labels"
        seen = Precondition(name, "by-construction", "the last rows in the order of time")
        conditions = tuple(seen if p.name == name else p for p in conditions)
    return replace(certificate, claim=f"{certificate.claim} {about}", preconditions=conditions)


def _by_class(
    y: NDArray[Any], predicted: NDArray[Any], whole: Certificate, *, delta: float
) -> dict[str, Certificate]:
    """Certify the error rate among the rows of each class; all of them together at delta."""
    labels = np.unique(y)
    found: dict[str, Certificate] = {}
    for label in labels.tolist():
        rows = y == label
        n, errors = int(rows.sum()), int(np.count_nonzero(predicted[rows] != label))
        guarantee = theorems.class_conditional(
            errors=errors, n_in_class=n, delta=delta / len(labels)
        )
        certificate = certify(
            guarantee,
            kind="risk",
            subject="this fitted model",
            observed=errors / n,
            n=n,
            claim=f"With confidence {confidence(delta)} for all {len(labels)} classes together, "
            f"this model errs on at most {percent_outward(guarantee.bound, 'upper')} of new rows "
            f"of class {label}.",
            statuses=[("assumed", "rows of one population, each drawn independently")],
            also=whole.preconditions[len(guarantee.assumes) :],
            family=whole.family,
            reproduce={key: whole.reproduce[key] for key in ("model", "data")},
        )
        found[str(label)] = certificate
    return found


class _MeanLosses:
    """A model seen group by group: its prediction for a group is its mean loss there."""

    def __init__(self, model: Any, problem: Problem) -> None:
        self.model = model
        X, self.y = part(problem, problem.split.holdout)
        wrong = np.asarray(model.predict(X)) != self.y
        names, membership = np.unique(
            cast("Any", problem.groups)[problem.split.holdout], return_inverse=True
        )
        sizes = np.bincount(membership)
        self.names, self.means = names, np.bincount(membership, weights=wrong) / sizes

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the mean loss in each group."""
        return self.means[np.asarray(X)[:, 0].astype(np.int64)]


def _ask_about_groups(problem: Problem, model: Any, *, delta: float) -> Certificate:
    """Certify the mean over groups of the mean loss in a group, by betting: a group is one draw."""
    if problem.task == "regression":
        raise TableError(
            "a regression on groups is not certified yet: certify without --group one row of each "
            "group, or a classification"
        )
    groups = _MeanLosses(model, problem)
    n = len(groups.names)
    places, zeros = np.arange(n)[:, np.newaxis], np.zeros(n)
    held_out = Holdout(places, zeros, delta=delta, loss=lambda _, losses: losses)
    held_out.drawn_at_random = True
    certificate = held_out.certify(groups)
    limit = percent_outward(certificate.bound, "upper")
    claim = (
        f"With confidence {confidence(delta)}, this model errs on at most {limit} of the rows of a "
        "new group, on average over groups."
    )
    return _worded(replace(certificate, claim=claim), problem)


def rows_needed(problem: Problem, *, delta: float, holdout: float) -> str:
    """Say how many rows would certify anything useful, if this table has too few."""
    n = len(problem.split.holdout)
    least = theorems.plan_holdout(target=_USEFUL, error=0.0, delta=delta)
    if n >= least:
        return ""
    whole = math.ceil(least / holdout)
    return (
        f"the hold-out has {n} rows, and even without an error {least} are needed to certify an "
        f"error of at most {_USEFUL:.0%}: give {whole} rows or more, or a larger --holdout"
    )
