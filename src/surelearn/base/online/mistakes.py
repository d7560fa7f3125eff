"""What a mistake-driven run leaves behind for its certificates."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from surelearn._stored import stored
from surelearn._typing import Indices, Vector
from surelearn._wording import confidence, percent_outward
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import Guarantee, compression, mistakes
from surelearn.certificate import Certificate, Kind, Precondition, Status, certify

_ROWS_FOR_THE_CHOICE = 4096


@stored("mistake-record")
@dataclass(frozen=True, eq=False)
class MistakeRecord:
    """What the run on one two-class problem leaves behind for its certificates.

    Parameters
    ----------
    updated, n_updates
        The rows that ever caused an update, and how often each did.
    n_passes
        The number of passes made over the data.
    smallest_margin
        The smallest signed score of any training row under the final weights.
    scale, hinge_loss
        A multiple of the final weights that serves as comparator, and its hinge loss summed over
        all rows of all passes. On the rows of the mistakes alone the zero vector would do best and
        the bound would say that the mistakes are at most the mistakes.
    """

    updated: Indices
    n_updates: Indices
    n_passes: int
    smallest_margin: float
    scale: float
    hinge_loss: float

    @classmethod
    def of(
        cls, n_updates: Indices, margins: Vector, *, n_passes: int, length: float
    ) -> "MistakeRecord":
        """Summarise a run from the updates of each row and the final signed scores.

        `length` is the radius of the rows times the norm of the final weights.
        """
        updated = np.flatnonzero(n_updates)

        def hinge_loss(scale: float, part: slice) -> float:
            mean = float(np.maximum(0.0, 1.0 - scale * margins[part]).mean())
            return mean * len(margins) * n_passes

        def bound(scale: float, part: slice) -> float:
            slope = scale * length
            return (slope + math.sqrt(slope * slope + 4.0 * hinge_loss(scale, part))) ** 2

        scale = best_multiple(bound, margins)
        return cls(
            updated=updated,
            n_updates=n_updates[updated],
            n_passes=n_passes,
            smallest_margin=float(margins.min()),
            scale=scale,
            hinge_loss=hinge_loss(scale, slice(None)),
        )

    @property
    def total_updates(self) -> int:
        """The number of updates, which for a mistake-driven learner is the number of mistakes."""
        return int(self.n_updates.sum())


def best_multiple(bound: Callable[[float, slice], float], scores: Vector) -> float:
    """Return the multiple of the weights with the least `bound(multiple, part)`; 0.0 if none.

    `scores` are those of the final weights. Every comparator is allowed, so its choice may look at
    a part of the rows; its loss must then be summed over all.

    Examples
    --------
    >>> scores = np.array([0.5, 2.0])
    >>> def squares(scale, part):
    ...     return float(np.sum((1.0 - scale * scores[part]) ** 2))
    >>> round(best_multiple(squares, scores), 3)
    0.588
    """
    part = slice(None, None, max(1, len(scores) // _ROWS_FOR_THE_CHOICE))
    typical = float(np.abs(scores[part]).mean())
    if typical == 0.0:
        return 0.0
    found = minimize_scalar(
        lambda log_scale: bound(math.exp(log_scale), part),
        bounds=tuple(np.clip((-math.log(typical) - 12.0, -math.log(typical) + 12.0), -700, 700)),
        method="bounded",
    )
    return math.exp(float(found.x))


def of_all_problems(guarantee: Guarantee, n_problems: int) -> Guarantee:
    """Bound the mistakes of several two-class problems together, given the bound for each.

    Examples
    --------
    >>> of_all_problems(mistakes.halving(n_experts=8), 3).bound
    9.0
    """
    if n_problems == 1:
        return guarantee
    quantity = f"{guarantee.quantity} in all {n_problems} two-class problems"
    return replace(guarantee, quantity=quantity, bound=n_problems * guarantee.bound)


def certify_run(
    model: Any,
    problem: int,
    guarantee: Guarantee,
    *,
    kind: Kind = "mistakes",
    observed: float,
    n_rounds: int,
    statuses: Sequence[tuple[Status, str]],
) -> Certificate:
    """Bind a sure statement to the run of a learner on one of its two-class problems."""
    subject = f"this run of {type(model).__name__}"
    if len(getattr(model, "classes_", ())) > 2:
        subject += f", class {model.classes_.tolist()[problem]!r} against the rest"
    return certify(
        replace(guarantee, trivial=float(n_rounds)) if kind == "mistakes" else guarantee,
        kind=kind,
        subject=subject,
        observed=observed,
        n=n_rounds,
        statuses=statuses,
        reproduce={"model": fingerprint(model)},
    )


def perceptron_certificates(model: Any) -> list[Certificate]:
    """Certify the mistakes a Perceptron made in `fit`, in each of its two-class problems.

    Novikoff's bound with the margin that the final weights achieve, if they separate the rows, and
    the bound by the hinge loss of the best multiple of the final weights.
    """
    start: tuple[Status, str] = ("by-construction", "the code does exactly this")
    longest: tuple[Status, str] = ("checked", f"the longest row has norm {model.radius_:.6g}")
    return [
        certify_run(
            model,
            problem,
            guarantee,
            observed=record.total_updates,
            n_rounds=record.n_passes * model.n_training_rows_,
            statuses=[start, longest, ("checked", comparator)],
        )
        for problem, record in enumerate(model.records_)
        for guarantee, comparator in _of_perceptron(model, problem, record)
    ]


def _of_perceptron(
    model: Any, problem: int, record: MistakeRecord
) -> Iterator[tuple[Guarantee, str]]:
    """Yield what holds for the run of one problem, and how its comparator was found."""
    norm = math.hypot(float(np.linalg.norm(model.coef_[problem])), model.intercept_[problem])
    if record.smallest_margin > 0.0:
        margin = record.smallest_margin / norm
        novikoff = mistakes.novikoff(radius=model.radius_, margin=margin)
        yield novikoff, f"the final weights achieve {margin:.6g}"
    any_comparator = mistakes.perceptron(
        radius=model.radius_, norm=record.scale * norm, hinge_loss=record.hinge_loss
    )
    yield any_comparator, "the final weights, on all rounds of this run"


def compression_certificate(model: Any, *, delta: float) -> Certificate:
    """Certify the risk of a mistake-driven learner by the examples that shaped it.

    The weights change only at the examples of the compression set, so dropping any others leaves
    the run, pass by pass, as it was; the set also holds every example the final model gets wrong.
    """
    n, n_compressed = model.n_training_rows_, len(model.compression_set_)
    guarantee = compression.campi_garatti(n_compressed=n_compressed, n=n, delta=delta)
    order = f"rows are visited in the order given, in at most max_iter={model.pass_limit_} passes"
    limit = percent_outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=model.training_errors_ / n,
        n=n,
        claim=f"With confidence {confidence(delta)}, this model errs on at most {limit} of new "
        "examples from the law of the training examples.",
        statuses=(
            ("violated", "a callback stopped the run")
            if model.stopped_early_
            else ("assumed", f"{order}; features, scaling and parameters must not come from them"),
            ("by-construction", f"only {n_compressed} examples ever changed the weights or err"),
            ("checked", f"the {model.training_errors_} training errors are in the set"),
            ("assumed", "cannot be verified from the data"),
        ),
        also=(
            Precondition(
                "known_labels", "the labels that can occur were known beforehand", "assumed"
            ),
        ),
        reproduce={"model": fingerprint(model)},
    )
