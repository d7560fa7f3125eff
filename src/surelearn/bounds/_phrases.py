"""Keys for assumptions that were stored as phrases alone, before assumptions had keys.

Reading such a file is the one place where a phrase is compared; all else goes by key.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from surelearn.bounds._within_limits import state_within_limits


def with_keys(phrases: Iterable[str], theorem: str, inputs: Mapping[str, Any]) -> dict[str, str]:
    """Return phrases by key: that of the theorem which assumes it, or else made of its words.

    Examples
    --------
    >>> phrases = ["at least one expert never errs", "nobody cheats"]
    >>> list(with_keys(phrases, "mistakes.halving", {"n_experts": 8}))
    ['realizable', 'nobody_cheats']
    """
    own = {phrase: key for key, phrase in _assumptions(theorem, inputs).items()}
    found: dict[str, str] = {}
    for phrase in phrases:
        key = own.pop(phrase, None) or slug(phrase)
        n_before = sum(known == key or known.startswith(f"{key}_again") for known in found)
        found[key if n_before == 0 else f"{key}_again{n_before}"] = phrase
    return found


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
        return state_within_limits(theorem, inputs).assumes
    except Exception:  # noqa: BLE001 - whatever a forged file makes a theorem do
        return {}
