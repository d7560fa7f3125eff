"""The theorems by name: which there are, and what one of them says about given numbers."""

import inspect
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from surelearn import bounds
from surelearn._wording import confidence, outward
from surelearn.app.errors import ArgumentError
from surelearn.bounds import Guarantee


class Evaluation(NamedTuple):
    """What a theorem says about given numbers.

    Attributes
    ----------
    quantity, side, bound
        What is bounded, "at most" or "at least", and the bound, rounded outward.
    level
        With which confidence, or in which other way, that holds.
    assumptions
        What must be true for it.
    source
        Who proved it, and where the proof stands.
    """

    quantity: str
    side: str
    bound: str
    level: str
    assumptions: tuple[str, ...]
    source: str


def find_theorems(word: str = "") -> dict[str, str]:
    """Return the theorems that mention a word, each with what it says; all if there is no word.

    Examples
    --------
    >>> list(find_theorems("halving"))
    ['mistakes.halving']
    """
    known = {name: inspect.getdoc(bounds.find(name)) or "" for name in sorted(bounds.theorems())}
    lines = {name: text.partition("\n")[0] for name, text in known.items()}
    found = {name: line for name, line in lines.items() if word.lower() in f"{name} {line}".lower()}
    if not found:
        raise ArgumentError(f"no theorem mentions {word!r}")
    return found


def evaluate_theorem(name: str, numbers: Mapping[str, Any]) -> Evaluation | Any:
    """Return what a theorem says about numbers; a planner, which bounds nothing, returns a number.

    Examples
    --------
    >>> found = evaluate_theorem("mistakes.halving", {"n_experts": 8})
    >>> found.quantity, found.side, found.bound, found.level
    ('the number of mistakes', 'at most', '3', 'surely')
    """
    if name not in bounds.theorems():
        near = get_close_matches(name, list(bounds.theorems()), n=3, cutoff=0.4)
        raise ArgumentError(f"there is no theorem {name!r}; near it: {', '.join(near) or 'none'}")
    try:
        found = bounds.evaluate(name, **numbers)
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(str(error.args[0] if error.args else error)) from None
    return _in_words(found, name) if isinstance(found, Guarantee) else found


def _in_words(guarantee: Guarantee, name: str) -> Evaluation:
    delta = guarantee.inputs.get("delta")
    known = guarantee.validity if delta is None else f"with confidence {confidence(float(delta))}"
    return Evaluation(
        quantity=guarantee.quantity,
        side="at most" if guarantee.direction == "upper" else "at least",
        bound=outward(guarantee.bound, guarantee.direction),
        level=known,
        assumptions=tuple(guarantee.assumes.values()),
        source=f"{guarantee.reference}; docs/theory/{name.replace('.', '.md#', 1)}",
    )
