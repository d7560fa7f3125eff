"""What a mistake-driven run leaves behind for its certificates."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from surelearn._typing import Indices, Vector
from surelearn._wording import percent, percent_outward
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import compression
from surelearn.certificate import Certificate, Precondition, certify

_ROWS_FOR_THE_CHOICE = 4096


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

        `length` is the radius of the rows times the norm of the final weights. Every comparator is
        allowed, so its choice may look at a part of the rows; its loss is summed over all.
        """
        updated = np.flatnonzero(n_updates)
        some = margins[:: max(1, len(margins) // _ROWS_FOR_THE_CHOICE)]

        def hinge_loss(scale: float, over: Vector) -> float:
            mean = float(np.maximum(0.0, 1.0 - scale * over).mean())
            return mean * len(margins) * n_passes

        def bound(log_scale: float) -> float:
            slope, loss = math.exp(log_scale) * length, hinge_loss(math.exp(log_scale), some)
            return (slope + math.sqrt(slope * slope + 4.0 * loss)) ** 2

        scale, typical = 0.0, float(np.abs(some).mean())
        if typical > 0.0:
            around = (-math.log(typical) - 12.0, -math.log(typical) + 12.0)
            scale = math.exp(float(minimize_scalar(bound, bounds=around, method="bounded").x))
        return cls(
            updated=updated,
            n_updates=n_updates[updated],
            n_passes=n_passes,
            smallest_margin=float(margins.min()),
            scale=scale,
            hinge_loss=hinge_loss(scale, margins),
        )

    @property
    def total_updates(self) -> int:
        """The number of updates, which for a mistake-driven learner is the number of mistakes."""
        return int(self.n_updates.sum())


def compression_certificate(model: Any, *, delta: float) -> Certificate:
    """Certify the risk of a mistake-driven learner by the examples that shaped it.

    The weights change only at the examples of the compression set, so dropping any others leaves
    the run, pass by pass, as it was; the set also holds every example the final model gets wrong.
    """
    n, n_compressed = model.n_training_rows_, len(model.compression_set_)
    guarantee = compression.campi_garatti(n_compressed=n_compressed, n=n, delta=delta)
    order = f"rows are visited in the order given, in at most max_iter={model.max_iter} passes"
    limit = percent_outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject="this fitted model",
        observed=model.training_errors_ / n,
        n=n,
        claim=f"With confidence {percent(1.0 - delta)}, this model errs on at most {limit} of new "
        "examples from the law of the training examples.",
        statuses=(
            ("violated", "a callback stopped the run")
            if model.stopped_early_
            else ("assumed", f"{order}; features, scaling and parameters must not come from them"),
            ("by-construction", f"only {n_compressed} examples ever changed the weights or err"),
            ("checked", f"the {model.training_errors_} training errors are in the set"),
            ("assumed", "cannot be verified from the data"),
        ),
        also=(Precondition("the labels that can occur were known beforehand", "assumed"),),
        reproduce={"model": fingerprint(model)},
    )
