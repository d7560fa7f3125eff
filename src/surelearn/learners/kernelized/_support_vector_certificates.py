"""What the training rows of a support vector machine prove of its risk.

With penalised weights and no unpenalised intercept the objective has one minimum f^*, and rows
whose margin is above 1 can be dropped without moving it. The machine that was found is within
κ√(2G) of f^*, κ² ≥ k(x, x) and G its duality gap; the start, the order of steps and the precision
of the search do not matter then. See docs/theory/compression.md, stability.md and margin.md.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._wording import confidence, percent_outward
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.fingerprint import fingerprint
from surelearn.base.seal import refuse_changed
from surelearn.bounds import Guarantee, compression, margin, stability, vc
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    assumed,
    by_construction,
    certify,
    checked,
    verified,
    violated,
)
from surelearn.kernels import Gaussian, Linear
from surelearn.kernels.norms import largest_square
from surelearn.learners.kernelized._fixed_beforehand import FixedBeforehand
from surelearn.learners.kernelized._inner_products import inner_product
from surelearn.learners.kernelized._training_margins import gap, rounding

_NORM = "every feature vector, future ones included, has norm at most the radius"
_LABELS = Precondition("known_labels", "the labels that can occur were known beforehand", "assumed")


def certificates(
    model: Any, *, delta: float, radius: float | None, within: Any = None
) -> tuple[Certificate, ...]:
    """State what is proved of the risk; all statements with a confidence share `delta`."""
    _arguments.open_fraction("delta", delta)
    refuse_changed(model)
    _refuse_other_settings(model)
    found = _Machine.of(model, radius, within)
    ways: list[Callable[[float], Certificate]] = [found.by_compression]
    two = len(model.classes_) == 2
    if type(model.kernel_) is Linear and (two or model.multiclass == "one-vs-rest"):
        ways.insert(0, found.by_counting)
    if two:
        ways.append(found.by_margins)
        if math.isfinite(model.C):
            ways.append(found.by_stability)
    return (*(way(delta / len(ways)) for way in ways), found.left_out())


def _refuse_other_settings(model: Any) -> None:
    """Refuse settings that cannot have led to this solution, as in a forged model file."""
    sums, sizes = model.dual_coef_.sum(axis=1), np.abs(model.dual_coef_).sum(axis=1)
    none = not model.fit_intercept and model.intercept_.any()
    other = model.penalize_intercept and (np.abs(model.intercept_ - sums) > 1e-6 * sizes).any()
    if model.kernel is None:
        kernel = type(model.kernel_) is Gaussian
    else:
        kernel = fingerprint(model.kernel) == fingerprint(model.kernel_)
    if none or other or not kernel or float(model.C) != model.C_:
        raise ValueError(
            "this machine is none of its settings: another kernel, C or intercept. Fit it again"
        )


@dataclass(frozen=True)
class _Machine:
    """A fitted machine, how far from the minimum it may be, and what that does to a score."""

    model: Any
    radius: float
    bounded: Evidence
    gap: float
    room: float
    fingerprint: str
    fixed: FixedBeforehand

    @classmethod
    def of(cls, model: Any, radius: float | None, within: Any) -> "_Machine":
        kappa, bounded = _kernel_radius(model, radius)
        excess = gap(model)
        room = kappa * math.sqrt(2.0 * excess) + rounding(model)
        fixed = FixedBeforehand.of(model, within)
        return cls(model, kappa, bounded, excess, room, fingerprint(model), fixed)

    @property
    def n_compressed(self) -> int:
        """How many rows are needed, or lie where they may be."""
        return int(np.count_nonzero(~(self.model.training_margins_ > 1.0 + self.room)))

    def by_compression(self, delta: float) -> Certificate:
        """Bound the risk by the rows that may lie on their margin or beyond it."""
        n, k = self.model.n_training_rows_, self.n_compressed
        return self._risk(
            compression.campi_garatti(n_compressed=k, n=n, delta=delta),
            {
                "fixed_before": self.fixed.whole(),
                "stable": self._near(
                    f"without the other {n - k} rows the minimum is the same", room=self.room
                ),
                "consistent": checked(f"the other rows have a margin above 1 + {self.room:.3g}"),
                "independent": drawn_independently(self.model),
            },
            (Precondition("radius", _NORM, *self.bounded), *self._demands(), _LABELS),
        )

    def by_stability(self, delta: float) -> Certificate:
        """Bound the risk by how little one row can move the minimum."""
        ramp = float(np.clip(1.0 - self.model.training_margins_, 0.0, 1.0).mean())
        guarantee = stability.svm(
            ramp_loss=min(1.0, ramp + rounding(self.model)),
            C=float(self.model.C),
            kernel_radius=self.radius,
            n=self.model.n_training_rows_,
            delta=delta,
            duality_gap=self.gap,
        )
        evidence = {
            "independent": drawn_independently(self.model),
            "minimiser": self._near(f"the objective is within {self.gap:.3g} of its minimum"),
            "fixed_before": self.fixed.whole(),
            "radius": self.bounded,
        }
        return self._risk(guarantee, evidence, self._demands())

    def by_margins(self, delta: float) -> Certificate:
        """Bound the risk by the margins, however the weights were found."""
        guarantee = margin.pac_bayes_margin(margins=self.model.normalized_margins_, delta=delta)
        evidence = {
            "independent": drawn_independently(self.model),
            "fixed_before": self.fixed.feature_map(),
        }
        return self._risk(guarantee, evidence, (inner_product(self.model.kernel_),))

    def by_counting(self, delta: float) -> Certificate:
        """Bound the risk of a linear rule by the number of ways to cut the rows."""
        model = self.model
        counts: dict[str, Any] = {
            "errors": model.training_errors_,
            "n": model.n_training_rows_,
            "dimension": model.n_features_in_,
            "delta": delta,
        }
        many = len(model.classes_) > 2
        guarantee = (
            vc.linear_multiclass(**counts, n_classes=len(model.classes_))
            if many
            else vc.linear(**counts)
        )
        affine = by_construction("whatever the penalty and the weights of the rows")
        evidence = {
            "independent": drawn_independently(self.model),
            "fixed_before": self.fixed.columns(),
            "affine": affine,
        }
        return self._risk(guarantee, evidence)

    def left_out(self) -> Certificate:
        """State what the number of rows needed says on average; it has no confidence."""
        guarantee = compression.leave_one_out_support_vectors(
            n_support=self.n_compressed, n=self.model.n_training_rows_
        )
        count = assumed(
            f"the {self.n_compressed} rows of this sample estimate it; each run must be as close "
            "to its minimum as this one"
        )
        fixed, near = self.fixed.whole(), self._near("", room=self.room)
        broken = next((e for e in (fixed, near) if e.status == "violated"), count)
        evidence = {
            "n_support": broken,
            "consistent": checked(f"the other rows have a margin above 1 + {self.room:.3g}"),
            "independent": drawn_independently(self.model),
        }
        also = (Precondition("radius", _NORM, *self.bounded), *self._demands(), _LABELS)
        subject = "the learner, on average over samples"
        return self._certify(guarantee, subject, "", evidence, also)

    def _risk(
        self,
        guarantee: Guarantee,
        evidence: Mapping[str, Evidence],
        also: Sequence[Precondition] = (),
    ) -> Certificate:
        level = confidence(float(guarantee.inputs["delta"]))
        limit = percent_outward(guarantee.bound, "upper")
        claim = (
            f"With confidence {level}, this model errs on at most {limit} of new examples from the "
            "law of the training examples."
        )
        return self._certify(guarantee, "this fitted model", claim, evidence, also)

    def _certify(
        self,
        guarantee: Guarantee,
        subject: str,
        claim: str,
        evidence: Mapping[str, Evidence],
        also: Sequence[Precondition],
    ) -> Certificate:
        n = self.model.n_training_rows_
        return certify(
            guarantee,
            kind="risk",
            subject=subject,
            observed=self.model.training_errors_ / n,
            n=n,
            claim=claim,
            evidence=evidence,
            also=also,
            reproduce={"model": self.fingerprint},
        )

    def _near(self, text: str, *, room: float = 0.0) -> Evidence:
        """Say whether this is the minimum, up to a gap, and if asked scores are less than 1 off."""
        if math.isinf(self.model.C):
            return violated("the error of a hard margin is not bounded: give a finite C")
        if self.model.fit_intercept and not self.model.penalize_intercept:
            return violated(
                "the error of an intercept that is not penalised is not bounded: set "
                "penalize_intercept=True, or fit_intercept=False"
            )
        if not room < 1.0:
            return violated(
                f"scores may be {room:.3g} from those of the minimum, which must be below 1: "
                "fit again with a smaller tol"
            )
        return checked(text)

    def _demands(self) -> tuple[Precondition, Precondition]:
        alike = self.model.class_weight is None and not self.model.weighted_
        text = "no weights were given" if alike else "rows or classes were given weights"
        weights = Precondition("equal_weights", "all rows count alike", *verified(alike, text))
        return inner_product(self.model.kernel_), weights


def _kernel_radius(model: Any, radius: float | None) -> tuple[float, Evidence]:
    """Return κ, a penalised intercept's feature 1 included, and what is known of it."""
    kernel, offset = model.kernel_, float(bool(model.penalize_intercept))
    seen = math.sqrt(max(model.largest_diagonal_, 0.0))
    if radius is not None:
        kappa = math.hypot(_arguments.positive("radius", radius), math.sqrt(offset))
        if seen > kappa * (1.0 + 1e-12):
            return kappa, violated(f"a training row has norm {seen:.6g}")
        return kappa, assumed(f"the radius is {kappa:.6g}, and training rows reach {seen:.6g}")
    square = largest_square(kernel)
    if math.isinf(square):
        return max(seen, 1e-300), violated(
            "no radius is known: if one was fixed before the rows were seen, ask for "
            "certificates(radius=...)"
        )
    kappa = math.sqrt(square + offset) * (1.0 + 1e-12)
    if seen > kappa * (1.0 + 1e-12):
        return kappa, violated(f"a training row has norm {seen:.6g}")
    return kappa, by_construction(f"no norm exceeds {kappa:.6g} with this kernel")
