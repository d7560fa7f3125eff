"""The numbers in what is known of an assumption: those that other parts of the certificate hold.

Some stand in the inputs of the theorem, some follow from what was observed, some are the same in
every certificate. Of others no part tells; that what they stand in was not checked is always said.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from surelearn.app.verifying.finding import equal
from surelearn.app.verifying.shapes import without_numbers
from surelearn.certificate import Certificate, Precondition
from surelearn.certificate._reading import restored

_NUMBER = r"(-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)"
_INPUTS: Mapping[str, tuple[str, ...]] = {  # where a number stands, and which inputs it may be
    rf"^only {_NUMBER} (?:examples|rows) ": ("n_compressed",),
    rf" on any of {_NUMBER} rows$": ("n",),
    rf" of the {_NUMBER} rows repeat the features of others, ": ("n",),
    rf"^k = {_NUMBER}; ": ("k",),
    rf"^the {_NUMBER} rows of this sample estimate it; ": ("n_support",),
    rf"^one of {_NUMBER} literals has ": ("n_relevant",),
    rf" has {_NUMBER} attribute errors ": ("attribute_errors",),
    rf"^{_NUMBER} rows, decay ": ("budget",),
    rf"^\S+ rows, decay {_NUMBER}$": ("decay",),
    rf"^it is {_NUMBER} for every table$": ("alpha",),
    rf"^it is {_NUMBER} in every round$": ("learning_rate",),
    rf"^the best expert erred {_NUMBER} times$": ("best_mistakes",),
    rf"^the best expert lost {_NUMBER}$": ("best_loss",),
    rf"^the widest round spans {_NUMBER}$": ("loss_range",),
    rf"^the objective is within {_NUMBER} of its minimum$": ("duality_gap",),
    rf" achieves? {_NUMBER}$": ("margin",),
    rf"^the (?:largest norm|largest feature) is {_NUMBER}$": ("radius",),
    rf"^the longest row has norm {_NUMBER}$": ("radius", "input_norm"),
    rf"(?:^|; )the longest is {_NUMBER}$": ("radius", "input_norm"),
    rf"^the largest is {_NUMBER}$": ("target_bound",),
    rf"^(?:no norm exceeds|the radius is) {_NUMBER}(?: with this kernel$|, and )": (
        "kernel_radius",
    ),
}
_ALWAYS = {  # by their form: what stands so in every certificate
    without_numbers(text): text
    for text in (
        "a case is counted as 0 or 1",
        "a loss is 0 or 1",
        "a loss is 1 less the share of the right label",
        "a loss outside [0, 1] is refused",
        "a mean has pairs of the size 1",
        "all losses lie in [0, 1]",
        "an error counts 1",
        "the weights are divided by their sum; stumps answer -1 or +1",
    )
}
_LOSSES = re.compile(rf"^all losses lie in \({_NUMBER}, {_NUMBER}\)$")
_PARTS = re.compile(rf"(?:^|; ){_NUMBER} of (?:the )?{_NUMBER} (?:held-out )?rows ")
_LOOK = re.compile(r"^(?:question|look) (\S+) of (\S+) (?:to a hold-out|about these|at this table)")
_SIDES = re.compile(rf"^{_NUMBER} rows train, {_NUMBER} others are held out")
_OF_ALL = re.compile(rf"^(?:all|{_NUMBER} of) {_NUMBER} rows are distinct")


def are_explained(condition: Precondition, certificate: Certificate) -> bool:
    """Return whether the numbers in evidence are those that the certificate holds elsewhere."""
    text, inputs = condition.evidence, restored(dict(certificate.reproduce["inputs"]))
    fixed = _ALWAYS.get(without_numbers(text), text) == text
    looks = (
        tests(text, certificate) for tests in (_asked, _counted, _is_part, _in_range, _on_sides)
    )
    return fixed and _of_inputs(text, inputs) and all(looks)


def _of_inputs(text: str, inputs: Mapping[str, Any]) -> bool:
    """Return whether the inputs that a text tells are those of the theorem."""
    for place, keys in _INPUTS.items():
        held = [inputs[key] for key in keys if key in inputs]
        told = re.search(place, text)
        if told and held and not any(_is_written(told[1], value) for value in held):
            return False
    return True


def _is_written(told: str, value: Any) -> bool:
    """Return whether a number is told as issuers write it: whole, or in six or three digits."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return told in {str(value), f"{value:,}", f"{value:.6g}", f"{value:.3g}"}


def _asked(text: str, c: Certificate) -> bool:
    """Return whether the look that a text tells of is the one in the ledger entry."""
    told = _LOOK.match(text)
    if told is None or c.family is None:
        return True
    return told.groups() == (str(c.family.query), str(c.family.n_models))


def _counted(text: str, c: Certificate) -> bool:
    """Return whether errors are those observed, and other rows those not needed."""
    inputs = c.reproduce["inputs"]
    places: Mapping[str, Callable[[], int | str]] = {
        rf"^the {_NUMBER} training errors are in the set$": lambda: round(c.observed * c.n),
        rf"^without the other {_NUMBER} rows the minimum is the same$": lambda: (
            inputs["n"] - inputs["n_compressed"]
        ),
        r"^boxes have dimension (.*)$": lambda: f"2 · {inputs['vc_dimension'] // 2}",
    }
    found = ((re.search(place, text), count) for place, count in places.items())
    return all(told is None or told[1] == str(count()) for told, count in found)


def _is_part(text: str, c: Certificate) -> bool:
    """Return whether a part of some rows has no more rows than all of them."""
    del c
    parts = (map(_whole, told) for told in _PARTS.findall(text))
    return all(part <= whole for part, whole in parts)


def _in_range(text: str, c: Certificate) -> bool:
    """Return whether all losses lie in a range as wide as the one that is stored."""
    told = _LOSSES.match(text)
    if told is None or "loss_range" not in c.reproduce:
        return True
    low, high = map(float, told.groups())
    least, most = c.reproduce["loss_range"]
    return equal(high - low, (most - least) * c.reproduce["inputs"].get("loss_range", 1.0))


def _on_sides(text: str, c: Certificate) -> bool:
    """Return whether enough rows are held out for n, and all rows train or are held out."""
    told = _SIDES.match(text)
    if told is None:
        return True
    train, held = (_whole(number) for number in told.groups())
    wholes = (_OF_ALL.match(p.evidence) for p in c.preconditions if p.key == "copies")
    totals = [_whole(whole[2]) for whole in wholes if whole]
    return held >= c.n and all(train + held == total for total in totals)


def _whole(number: str) -> float:
    count = float(number.replace(",", ""))
    return count if f"{int(count):,}" == number else math.nan
