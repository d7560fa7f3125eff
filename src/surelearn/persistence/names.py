"""From stored names back to classes, importing no more than the one that is asked for."""

import importlib
from typing import Any

from surelearn._stored import find_stored

# Other private classes are imported by the learner that holds them. These are models themselves, or
# stand in pipelines, so that nothing that was looked up before them imports them.
_MODULES = {
    "cut-back-tree": "surelearn.learners.trees._cut_back_tree",
    "entry-predictor": "surelearn.learners.decompositions._low_rank",
    "linear-model": "surelearn.evaluate._linear_run",
    "table-encoder": "surelearn.learners.encoders.table_encoder",
}


class StateError(ValueError):
    """Something that cannot be stored, or that was not stored by this library."""


def find_class(name: str) -> type[Any]:
    """Return the class of a stored name, or raise `StateError` with one sentence.

    Examples
    --------
    >>> find_class("RidgeRegression").__name__
    'RidgeRegression'
    >>> find_class("table-decoder")
    Traceback (most recent call last):
    surelearn.persistence.names.StateError: this version of surelearn has no 'table-decoder'
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - from a file
        raise StateError(f"{name!r} is not the name of a class")
    if name in _MODULES:
        importlib.import_module(_MODULES[name])
    found = find_stored(name)
    if found is not None:
        return found
    if name.replace("-", "_").isidentifier():
        raise StateError(f"this version of surelearn has no {name!r}")
    raise StateError(f"{name!r} is not a class of this library")
