"""What a theorem says once its numbers are filled in."""

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, ParamSpec, cast, overload

import numpy as np

from surelearn import _arguments
from surelearn._wording import shorten

Validity = Literal["surely", "fixed-n", "anytime", "in-expectation", "quoted"]
"""How a statement holds.

`surely`: on every sequence. `fixed-n`: with probability `confidence` at one sample size fixed
beforehand. `anytime`: with probability `confidence` at all sample sizes at once.
`in-expectation`: on average only, so there is no confidence. `quoted`: found in the literature
but not proved in these pages, so it is for comparison and never becomes a certificate.
"""

_Inputs = ParamSpec("_Inputs")


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """A theorem applied to numbers: what is bounded, by how much, and on what assumptions.

    Parameters
    ----------
    quantity
        What is bounded, in words or symbols.
    bound
        The value of the bound, rounded outward; it may be vacuous, it is never clipped.
    assumes
        The assumptions: a short key, by which evidence is given, and the phrase a reader sees.
    reference
        Where the proof stands.
    confidence
        The probability with which the statement holds; 1.0 if it holds surely, None if the
        statement is about an expectation.
    direction
        "upper" if the quantity is at most `bound`, "lower" if it is at least `bound`.
    validity
        How the statement holds: surely, at one n, at every n, in expectation, or only quoted.
    trivial
        The value known without the theorem; a bound no better than this says nothing.
    theorem, inputs
        The function of `surelearn.bounds` and the numbers it was given: enough to evaluate it
        again.

    Examples
    --------
    >>> from surelearn.bounds import mistakes
    >>> guarantee = mistakes.halving(n_experts=8)
    >>> guarantee.bound, guarantee.allows(3), guarantee.allows(4)
    (3.0, True, False)
    """

    quantity: str
    bound: float
    assumes: Mapping[str, str]
    reference: str
    confidence: float | None = 1.0
    direction: Literal["upper", "lower"] = "upper"
    validity: Validity = "surely"
    trivial: float = math.inf
    theorem: str = ""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        """Refuse a statement whose parts contradict each other."""
        if math.isnan(self.bound):
            raise ArithmeticError(f"the bound on {self.quantity} came out as NaN; this is a bug")
        expected = {"surely": self.confidence == 1.0, "in-expectation": self.confidence is None}
        has_level = self.confidence is not None and 0.0 < self.confidence < 1.0
        if not expected.get(self.validity, has_level or self.validity == "quoted"):
            raise ValueError(f"validity={self.validity!r} contradicts confidence={self.confidence}")

    @classmethod
    def _upgrade_state(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        """Give keys to the assumptions of a guarantee from a model file of format 1."""
        from surelearn.bounds._phrases import with_keys  # noqa: PLC0415 - it evaluates theorems

        names = ("assumes", "theorem", "inputs")
        return {**attributes, "assumes": with_keys(*(attributes[name] for name in names))}

    @property
    def vacuous(self) -> bool:
        """Whether the bound says no more than is known without it."""
        if self.direction == "upper":
            return self.bound >= self.trivial
        return self.bound <= self.trivial

    def allows(self, observed: float) -> bool:
        """Whether `observed` is compatible with the bound."""
        if not isinstance(cast("object", observed), Real):
            raise TypeError(f"observed={observed!r} is no number to compare with a bound")
        if observed != observed:  # noqa: PLR0124 - NaN; a whole number may be no float
            raise ValueError("observed=nan cannot be compared with a bound; pass a number")
        return observed <= self.bound if self.direction == "upper" else observed >= self.bound


def with_confidence(
    quantity: str,
    bound: float,
    delta: float,
    assumes: Mapping[str, str],
    *,
    reference: str,
    direction: Literal["upper", "lower"] = "upper",
    validity: Validity = "fixed-n",
    trivial: float | None = None,
) -> Guarantee:
    """Return the statement, with confidence 1 - delta, that a quantity is at most so much.

    `trivial` is what is known of it without a proof; of a share, 1, or 0 from below.
    """
    of_a_share = 1.0 if direction == "upper" else 0.0
    return Guarantee(
        quantity=quantity,
        bound=bound,
        assumes=assumes,
        reference=reference,
        confidence=_arguments.confidence_from(delta),
        direction=direction,
        validity=validity,
        trivial=of_a_share if trivial is None else trivial,
    )


@overload
def theorem(function: Callable[_Inputs, Guarantee], /) -> Callable[_Inputs, Guarantee]: ...


@overload
def theorem(
    *, realised: tuple[str, ...]
) -> Callable[[Callable[_Inputs, Guarantee]], Callable[_Inputs, Guarantee]]: ...


def theorem(
    function: Callable[..., Guarantee] | None = None, /, *, realised: tuple[str, ...] = ()
) -> Any:
    """Let a bound write its own name and inputs into the guarantee it returns.

    A certificate is then recomputed from stored numbers by calling the same function again.
    `realised` names the inputs that are read from the run or the data; all others are known
    beforehand.
    """
    if function is None:
        return functools.partial(_theorem, realised=realised)
    return _theorem(function, realised=realised)


def _theorem(
    function: Callable[_Inputs, Guarantee], *, realised: tuple[str, ...]
) -> Callable[_Inputs, Guarantee]:
    name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"
    defaults: dict[str, Any] = getattr(function, "__kwdefaults__", None) or {}
    if unknown := set(realised) - set(inspect.signature(function).parameters):
        raise TypeError(f"{name} has no input {', '.join(sorted(unknown))}")

    @functools.wraps(function)
    def evaluate(*args: _Inputs.args, **inputs: _Inputs.kwargs) -> Guarantee:
        given: dict[str, Any] = {key: _as_python(value) for key, value in inputs.items()}
        try:
            guarantee = cast("Callable[..., Guarantee]", function)(*args, **given)
        except (ArithmeticError, MemoryError) as error:
            raise ValueError(
                f"{name}({shorten(given)}) is beyond what floating-point numbers can do ({error}): "
                "an argument is too large or too small"
            ) from error
        return replace(guarantee, theorem=name, inputs={**defaults, **given})

    vars(evaluate)["realised"] = frozenset(realised)
    return evaluate


def _as_python(value: Any) -> Any:
    """Return NumPy scalars as Python's: single precision would round inward."""
    return value.item() if isinstance(value, np.generic) else value
