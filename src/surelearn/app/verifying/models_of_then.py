"""Models trained again as earlier versions kept them: without what learners only count since."""

import copy
from collections.abc import Iterator
from typing import Any, cast

from surelearn.base.fingerprint import fingerprint

_COUNTED_SINCE = "n_distinct_rows_"  # for the certificates of trees and bags; no answer rests on it


def fingerprint_as_stated(model: Any, stated: str | None) -> str:
    """Return the fingerprint of a model; the one it had in earlier versions if that is stated."""
    found = fingerprint(model)
    if found == stated:
        return found
    then = copy.deepcopy(model)
    for part in _parts_of(then):
        vars(part).pop(_COUNTED_SINCE, None)
    former = fingerprint(then)
    return former if former == stated else found


def _parts_of(model: Any) -> Iterator[Any]:
    """Yield a model and the models inside it."""
    if isinstance(model, list | tuple):
        for one in cast("list[Any]", model):
            yield from _parts_of(one)
    elif hasattr(model, "get_params") and hasattr(model, "__dict__"):
        yield model
        yield from _parts_of([*vars(model).values()])
