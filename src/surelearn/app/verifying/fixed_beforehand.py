"""The numbers of a claim that were fixed before the run: those of the inputs, as far as these tell.

A learner says against whom its regret is, and what is charged; a monitor says what it tolerates.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from surelearn._wording import exactly
from surelearn.certificate import Certificate
from surelearn.certificate._reading import restored

_PLACES: Mapping[str, str] = {  # where a number stands in a claim, and what it is
    r"mean hinge loss plus ([^\s‖]+)‖": "half the regularization",
    r"fixed weights of norm at most (\S+?)[,;] ": "the radius",
    r"both charged ([^\s‖]+)‖": "half the strong convexity",
    r"fixed weights within \[(\S+), (\S+)\]": "the limit of the weights",
    r"what is observed is against weights of (\S+)\.$": "the weights",
    r"above the least of ([^\s‖]+)‖": "the regularization",
    r"clipped to \[(\S+), (\S+)\]": "the bound on labels",
    r"their intervals differs from (\S+) by": "alpha",
    r"of these (\S+) rows lay outside": "the number of rounds",
    r"losses are expected to be at most (\S+), this": "what is tolerated",
    r" times in (\S+) rows\.$": "the number of rows",
    r"paid for the choice among (\S+) classes": "the number of classes",
}

_INPUTS: Mapping[str, tuple[tuple[str, float], ...]] = {  # by which inputs, and parts of them
    "half the regularization": (("regularization", 0.5),),
    "half the strong convexity": (("strong_convexity", 0.5),),
    "the radius": (("diameter", 0.5), ("norm", 1.0)),
    "the limit of the weights": (("widths", 0.5),),
    "the regularization": (("regularization", 1.0),),
    "the bound on labels": (("label_bound", 1.0),),
    "alpha": (("alpha", 1.0),),
    "what is tolerated": (("tolerated", 1.0),),
}
_COUNTS = {"the number of rounds": "n_rounds", "the number of rows": "n_rows"}


def are_explained(certificate: Certificate) -> bool:
    """Return whether what a claim says was fixed beforehand is what the inputs say.

    Counts and today's numbers stand there in all digits, those of older claims in six.
    """
    return all(_is_told(told, number) for _, told, number in _found(certificate))


def unexplained(certificate: Certificate) -> Iterator[str]:
    """Yield what a claim says was fixed beforehand and no input tells."""
    for name, told, number in _found(certificate):
        if number is None:
            yield f"that {name} is {told[-1]}"


def _found(certificate: Certificate) -> Iterator[tuple[str, tuple[str, ...], float | None]]:
    """Yield what was fixed, how the claim tells it, and the number if the inputs tell it."""
    for place, name in _PLACES.items():
        if told := re.search(place, certificate.claim):
            yield name, told.groups(), _number(name, certificate)


def _is_told(told: tuple[str, ...], number: float | None) -> bool:
    if number is None:
        return True
    words = {str(number)} if type(number) is int else {exactly(number), f"{number:g}"}
    whole = len(told) == 1 or told[0] == f"-{told[1]}"
    return whole and told[-1] in words


def _number(name: str, certificate: Certificate) -> float | None:
    stored: dict[str, Any] = restored(dict(certificate.reproduce["inputs"]))
    stored["tolerated"] = certificate.reproduce.get("tolerated")
    if name == "the weights":
        return 0
    if name in _COUNTS:
        return stored.get(_COUNTS[name])  # a whole number; another theorem has none
    for key, part in _INPUTS.get(name, ()):
        if stored.get(key) is not None:
            value: Any = stored[key]
            return float(value[0] if key == "widths" else value) * part
    return None
