"""What a mistake-driven run leaves behind for its certificates."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Vector
from surelearn._wording import confidence, percent_outward
from surelearn.base.drawn_rows import independent_rows
from surelearn.base.hyperplanes import length_of
from surelearn.base.online.passes import Run
from surelearn.base.online.state import BEYOND_FLOATS
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, compression, mistakes
from surelearn.certificate import (
    Certificate,
    Evidence,
    Kind,
    Precondition,
    assumed,
    by_construction,
    certify,
    checked,
    violated,
)

_ROWS_FOR_THE_CHOICE = 4096


@stored("mistake-record")
@holds(
    updated="int[updated]",
    n_updates="int[updated]",
    n_passes="count",
    smallest_margin="number",
    scale="number",
    hinge_loss="number",
)
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

    def _check_state(self) -> None:
        if len(self.updated) and (self.updated.min() < 0 or self.n_updates.min() < 0):
            raise ValueError("it counts updates below 0")
        if len(self.updated) and self.n_updates.max() > self.n_passes:
            raise ValueError("it counts more updates by a row than passes")
        if self.n_passes < 1 or not (math.isfinite(self.scale) and self.hinge_loss >= 0.0):
            raise ValueError("its passes, its comparator or the comparator's loss make no sense")
        norm = float(getattr(self, "norm", 1.0))  # of f, where a record has one
        if not 0.0 <= norm < math.inf or (self.smallest_margin > 0.0 and norm == 0.0):
            raise ValueError("a margin needs a norm, and no norm is below 0")


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
    if not math.isfinite(typical):
        raise ValueError(BEYOND_FLOATS)
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


class Statement(NamedTuple):
    """What holds surely of the run on one problem, beside what was observed there.

    Parameters
    ----------
    guarantee
        The theorem, applied to numbers of the run.
    observed
        The value that it bounds, as it came out.
    n_rounds
        The rows visited, over all passes.
    evidence
        What is known of each assumption, by its key.
    kind
        What the bound is about.
    """

    guarantee: Guarantee
    observed: float
    n_rounds: int
    evidence: Mapping[str, Evidence]
    kind: Kind = "mistakes"


def certify_run(model: Any) -> list[Certificate]:
    """Certify what a learner states of the last `fit`, in each of its two-class problems.

    The learner as it began is asked for `_statements(run, state, record)`.
    """
    begun, run, records = model.begun_, model.run_, model.records_
    names = [f"this run of {type(model).__name__}"]
    if len(records) > 1:
        names = [f"{names[0]}, class {c!r} against the rest" for c in model.classes_.tolist()]
    each = zip(names, model.states_, records, strict=True)
    known = {"model": fingerprint_of_fit(model)}
    return [
        _certify(statement, subject=name, reproduce=known, also=demands_of(begun))
        for name, state, record in each
        for statement in begun._statements(run, state, record)
    ]


def sure_certificates(model: Any, delta: Any) -> tuple[Certificate, ...]:
    """Certify the last `fit` of a learner whose statements all hold surely: nothing needs `delta`.

    A learner that has moved on since states nothing.
    """
    check_is_fitted(model)
    _arguments.open_fraction("delta", delta)
    return () if model.run_ is None else tuple(certify_run(model))


def run_and_risk_certificates(
    model: Any, delta: float, *, only_if: str = ""
) -> tuple[Certificate, ...]:
    """Certify the last `fit` of a mistake-driven learner: its run, then its risk by compression.

    A learner that has moved on since states nothing; `compression_certificate` has `only_if`.
    """
    check_is_fitted(model)
    if model.run_ is None:
        return ()
    return (*certify_run(model), compression_certificate(model, delta=delta, only_if=only_if))


def demands_of(begun: Any) -> tuple[Precondition, ...]:
    """Return what a learner's statements need beside their theorems: `_also()`, if it has that."""
    return begun._also() if hasattr(begun, "_also") else ()


def _certify(statement: Statement, **stated: Any) -> Certificate:
    guarantee, observed, n_rounds, evidence, kind = statement
    return certify(
        replace(guarantee, trivial=float(n_rounds)) if kind == "mistakes" else guarantee,
        kind=kind,
        observed=observed,
        n=n_rounds,
        evidence=evidence,
        **stated,
    )


class Found(NamedTuple):
    """The words for how a comparator was found; the margin achieved is filled in."""

    separable: str
    loss: str


def perceptron_statements(
    run: Any, state: Any, record: MistakeRecord, *, norm: float, radius: Evidence, found: Found
) -> Iterator[Statement]:
    """State Novikoff's bound, if the final weights separate the rows, and that by hinge losses.

    `norm` is that of the final weights, `found` says how each comparator was found.
    """
    longest = float(state.radius[0])
    start = by_construction("the code does exactly this")
    observed, n_rounds = record.total_updates, record.n_passes * run.n_rows
    known = {"start": start, "radius": radius}
    if record.smallest_margin > 0.0:
        margin = record.smallest_margin / norm
        separable = checked(found.separable.format(margin))
        novikoff = mistakes.novikoff(radius=longest, margin=margin)
        yield Statement(novikoff, observed, n_rounds, known | {"separable": separable})
    any_comparator = mistakes.perceptron(
        radius=longest, norm=record.scale * norm, hinge_loss=record.hinge_loss
    )
    yield Statement(any_comparator, observed, n_rounds, known | {"loss": checked(found.loss)})


_FINAL_WEIGHTS = Found(
    "the final weights achieve {:.6g}", "the final weights, on all rounds of this run"
)


def of_linear_perceptron(run: Any, state: Any, record: MistakeRecord) -> Iterator[Statement]:
    """State what is proved of the mistakes of a Perceptron with these final weights."""
    norm = math.hypot(length_of(state.coef), state.bias[0])
    longest = checked(f"the longest row has norm {state.radius[0]:.6g}")
    return perceptron_statements(
        run, state, record, norm=norm, radius=longest, found=_FINAL_WEIGHTS
    )


def compression_certificate(model: Any, *, delta: float, only_if: str = "") -> Certificate:
    """Certify the risk of a mistake-driven learner by the examples that shaped it.

    The weights change only at the examples of the compression set, so dropping any others leaves
    the run, pass by pass, as it was; the set also holds every example the final model gets wrong.
    If examples meet in code of others, `only_if` says what must be true of it.
    """
    run: Run = model.run_
    n_compressed, n_errors = len(model.compression_set_), model.training_errors_
    guarantee = compression.campi_garatti(n_compressed=n_compressed, n=run.n_rows, delta=delta)
    order = f"rows are visited in the order given, in at most max_iter={run.pass_limit} passes"
    shaped = f"only {n_compressed} examples ever changed the weights or err"
    limit = percent_outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=n_errors / run.n_rows,
        n=run.n_rows,
        claim=f"With confidence {confidence(delta)}, this model errs on at most {limit} of new "
        "examples from the law of the training examples.",
        evidence={
            "fixed_before": violated("a callback stopped the run")
            if run.stopped_early
            else assumed(f"{order}; features, scaling and parameters must not come from them"),
            "stable": assumed(f"{shaped}, but this is true only if {only_if}")
            if only_if
            else by_construction(shaped),
            "consistent": checked(f"the {n_errors} training errors are in the set"),
            "independent": independent_rows(run.training_rows, run.n_rows),
        },
        also=(
            Precondition(
                "known_labels", "the labels that can occur were known beforehand", "assumed"
            ),
        ),
        reproduce={"model": fingerprint_of_fit(model)},
    )
