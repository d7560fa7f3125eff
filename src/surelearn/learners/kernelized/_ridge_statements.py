"""What stability says of kernel ridge regression, and what is known of its assumptions."""

from collections.abc import Mapping
from typing import Any

from surelearn import _arguments
from surelearn._wording import confidence, interval, outward
from surelearn.base.drawn_rows import drawn_independently
from surelearn.base.seal import fingerprint_of_fit
from surelearn.bounds import Guarantee, stability
from surelearn.certificate import (
    Certificate,
    Evidence,
    assumed,
    by_construction,
    certify,
    checked,
    violated,
)
from surelearn.kernels.norms import is_ours
from surelearn.learners.kernelized._kernel_expansion import known_radius

_ROUNDING = 1.0 + 1e-12


def guarantee(model: Any, label_bound: float, given: float | None, delta: float) -> Guarantee:
    """Return the theorem for a model that it covers; refuse numbers that the rows refute."""
    if model.outside_the_theorem_:
        raise ValueError(f"the theorem speaks of a model {model.outside_the_theorem_}")
    radius = _radius(model, given)
    for name, bound, seen, what in (
        ("label_bound", label_bound, model.largest_target_, "a label of size"),
        ("kernel_radius", radius, model.kernel_radius_, "a row of length"),
    ):
        if seen > _arguments.positive(name, bound) * _ROUNDING:
            raise ValueError(
                f"{name}={bound!r} is refuted by the training rows: there is {what} {seen:.6g}. It "
                "must hold for every row that can occur, and be known before any is seen"
            )
    return _theorem(model, label_bound, radius, delta)


def certificate(model: Any, label_bound: float, given: float | None, delta: float) -> Certificate:
    """Bind the theorem to a model; where it does not cover it, the certificate is void."""
    if model.alpha_ == 0.0:
        raise ValueError("without a price nothing is stable: give an alpha above 0")
    radius = _radius(model, given)
    stated = _theorem(model, label_bound, radius, delta)
    return certify(
        stated,
        kind="risk",
        subject="this fitted model",
        observed=float(stated.inputs["empirical_risk"]),
        n=model.n_training_rows_,
        claim=f"With confidence {confidence(delta)}, predictions of this model, clipped to "
        f"{interval(-label_bound, label_bound)}, have an expected squared loss of at most "
        f"{outward(stated.bound, 'upper')} on new examples from the law of the training examples.",
        evidence=_evidence(model, label_bound, radius),
        reproduce={"model": fingerprint_of_fit(model)},
    )


def _radius(model: Any, given: float | None) -> float:
    known = known_radius(model.kernel) if given is None else given
    if known is None:
        raise ValueError(
            f"{model.kernel!r} does not tell how long rows can be: give kernel_radius, a bound on "
            "sqrt(K(x, x)) of every row that can occur, or use kernel.normalised()"
        )
    return _arguments.positive("kernel_radius", known)


def _theorem(model: Any, label_bound: float, radius: float, delta: float) -> Guarantee:
    bound = _arguments.positive("label_bound", label_bound)
    return stability.kernel_ridge(
        empirical_risk=min(model.mean_squared_residual_, 4.0 * bound**2),
        regularization=model.alpha_ / model.n_training_rows_,
        label_bound=bound,
        kernel_radius=radius,
        n=model.n_training_rows_,
        delta=delta,
        duality_gap=model.suboptimality_,
    )


def _evidence(model: Any, label_bound: float, radius: float) -> Mapping[str, Evidence]:
    """Return what is known of each assumption of the theorem."""
    reached, chosen = model.largest_target_, hasattr(model, "path_")
    return {
        "independent": drawn_independently(model),
        "minimiser": _minimiser(model, chosen=chosen),
        "fixed_before": violated("alpha was chosen on the same rows")
        if chosen
        else assumed("true unless kernel, alpha or scaling were chosen by looking at the rows"),
        "radius": _lengths(model, radius),
        "labels": violated(f"a training label has size {reached:.6g}")
        if reached > label_bound * _ROUNDING
        else assumed(f"the training labels reach {reached:.6g}; future ones cannot be seen"),
    }


def _minimiser(model: Any, *, chosen: bool) -> Evidence:
    outside = model.outside_the_theorem_
    if outside and not (chosen and "chosen" in outside):
        return violated(f"the theorem speaks of a model {outside}")
    if isinstance(model.kernel, str):
        return assumed("true if the matrix given is that of a kernel")
    if not is_ours(model.kernel):
        return assumed("true if no Gram matrix of this kernel has a negative eigenvalue")
    return checked(f"the objective is within {model.suboptimality_:.3g} of its minimum")


def _lengths(model: Any, radius: float) -> Evidence:
    told, longest = known_radius(model.kernel), model.kernel_radius_
    if told is not None and told <= radius:
        return by_construction(f"the kernel gives every row at most {told:g}")
    if longest > radius * _ROUNDING:
        return violated(f"a training row has {longest:.6g}")
    return assumed(f"the training rows reach {longest:.6g}; future ones cannot be seen")
