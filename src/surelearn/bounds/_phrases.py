"""Keys for assumptions that were stored as phrases alone, before assumptions had keys.

Reading such a file is the one place where a phrase is compared; all else goes by key.
"""

import inspect
import re
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, count
from typing import Any

from surelearn import bounds
from surelearn.bounds._within_limits import state_within_limits

_NO_COUNT = re.compile(r"(?<![\w.])(?:\d+\.\d+(?:e[+-]?\d+)?|\d+e[+-]?\d+)(?![\w.]*\d)")
_STANDING_IN: Mapping[str, Any] = {
    "errors": 0,
    "n": 1,
    "losses": [0.0],
    "residuals": [0.0],
    "alpha": 0.5,
}


def with_keys(phrases: Iterable[str], theorem: str, inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return phrases by key: that of the theorem which assumes it, or else made of its words.

    Examples
    --------
    >>> phrases = ["at least one expert never errs", "nobody cheats"]
    >>> list(with_keys(phrases, "mistakes.halving", {"n_experts": 8}))
    ['realizable', 'nobody_cheats']
    """
    today = {phrase: key for key, phrase in _assumptions(theorem, inputs).items()}
    own = {**{rounded(phrase): key for phrase, key in today.items()}, **today}
    taken, found = set(own.values()), dict[str, str]()
    for phrase in phrases:
        key = own.get(phrase)
        if key is None or key in found:
            key = _free(slug(phrase), taken | set(found))
        found[key] = phrase
    return found


def rounded(phrase: str) -> str:
    """Return a phrase as it was written when numbers fixed beforehand had six digits at most.

    Examples
    --------
    >>> rounded("no loss can exceed 1234567.0, which was known beforehand")
    'no loss can exceed 1.23457e+06, which was known beforehand'

    Counts stood there in all digits:

    >>> rounded("the number of wrong rows among the 1234567 of the table")
    'the number of wrong rows among the 1234567 of the table'
    """
    return _NO_COUNT.sub(lambda number: f"{float(number[0]):g}", phrase)


def _free(key: str, taken: Collection[str]) -> str:
    """Return the key, or the first of those numbered after it that nobody has."""
    numbered = (f"{key}_again{number}" for number in count(1))
    return next(k for k in chain([key], numbered) if k not in taken)


def slug(phrase: str) -> str:
    """Return the words of a phrase as a key.

    Examples
    --------
    >>> slug("the rows' order is random, and n >= 2")
    'the_rows_order_is_random_and_n_2'
    """
    return re.sub(r"[^a-z0-9]+", "_", phrase.lower().replace("'", "")).strip("_") or "assumption"


def _assumptions(theorem: str, inputs: Mapping[str, Any]) -> Mapping[str, str]:
    """Return what a theorem assumes given its inputs; nothing if they make no sense."""
    try:
        required = inspect.signature(bounds.find(theorem)).parameters
        # A gate that was not passed tells nothing of its numbers; the words are the same for all.
        filled = {name: value for name, value in _STANDING_IN.items() if name in required}
        return state_within_limits(theorem, {**filled, **inputs}).assumes
    except Exception:  # noqa: BLE001 - whatever a forged file makes a theorem do
        return {}
