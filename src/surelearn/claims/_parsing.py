"""Claims as the command line and plans write them: `sensitivity>=0.9`, `cost(miss=10)<=0.2`."""

import importlib
import math
import pkgutil
import re
from dataclasses import MISSING, fields
from functools import cache
from typing import cast

from surelearn._arguments import short
from surelearn._wording import nearest
from surelearn.claims._claim import Claim, Target
from surelearn.claims._parameter_text import read_parameters

_ALIASES = {
    "recall": "sensitivity",
    "precision": "ppv",
    "error-rate": "error",
    "jaccard": "f1",
}
_CLAIM = re.compile(
    r"(?P<name>[\w+-]++)\s*+(?:\((?P<given>.*)\))?\s*+(?:(?P<sign>[<>]=?|=)\s*+(?P<value>\S+))?",
    re.DOTALL,
)
_LONGEST = 2**20  # characters of a claim


@cache
def known() -> dict[str, type[Claim]]:
    """Return every claim by its name.

    Examples
    --------
    >>> known()["sensitivity"].__name__
    'Sensitivity'
    """
    package = importlib.import_module("surelearn.claims")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"surelearn.claims.{module.name}")
    found: dict[str, type[Claim]] = {}
    waiting = list(Claim.__subclasses__())
    while waiting:
        one = waiting.pop()
        waiting.extend(one.__subclasses__())
        if one.__module__.startswith("surelearn.claims.") and hasattr(one, "name"):
            found[one.name] = one
    return dict(sorted(found.items()))


def parse(text: str) -> Claim | Target:
    """Return the claim or the target that a text names.

    Parameters
    ----------
    text
        A name, parameters in brackets if it has some, and a target if there is one: a number, or
        a percentage.

    Examples
    --------
    >>> str(parse("sensitivity >= 90%")), str(parse("accuracy"))
    ('sensitivity>=0.9', 'accuracy')
    >>> parse("sensitivty>=0.9")
    Traceback (most recent call last):
    ValueError: there is no claim 'sensitivty'; did you mean 'sensitivity'?
    """
    if not isinstance(cast("object", text), str):
        raise TypeError(f"{short(text)} is no text of a claim, such as sensitivity>=0.9")
    found = _CLAIM.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if found is None:
        raise ValueError(f"{short(text)} is no claim: write one such as sensitivity>=0.9")
    name = found["name"].lower().replace("_", "-")
    name = _ALIASES.get(name, name)
    if name not in known():
        raise ValueError(f"there is no claim {short(name)}{nearest(name[:80], known())}")
    claim = _make(known()[name], found["given"] or "")
    if found["sign"] is None:
        return claim
    if not found["sign"].endswith("=") or found["sign"] == "=":
        raise ValueError(f"{short(text)} has no target: write {claim}>=VALUE or {claim}<=VALUE")
    return Target(claim, "lower" if found["sign"] == ">=" else "upper", _number(found["value"]))


def _make(claim: type[Claim], given: str) -> Claim:
    """Return a claim with the parameters in its brackets."""
    values = read_parameters(given, {one.name: one.type for one in fields(claim)}, claim.name)
    needed = (one.name for one in fields(claim) if one.default is MISSING)
    if lacking := ", ".join(f"{name}=..." for name in needed if name not in values):
        raise ValueError(f"{claim.name} needs parameters: {claim.name}({lacking})")
    try:
        return claim(**values)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _number(text: str) -> float:
    body, percent = (text[:-1], 0.01) if text.endswith("%") else (text, 1.0)
    try:
        value = float(body)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{short(text)} is no number for a target to be compared with")
    return float(f"{value * percent:.12g}") if percent != 1.0 else value
