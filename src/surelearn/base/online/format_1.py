"""Online learners as model files of format 1 hold them: attributes, made into states.

There each array was an attribute with a row per problem, `coef_` and `intercept_` among them, the
copy that remembers the parameters was `_begun_as`, and what a `fit` left behind lay beside it.
"""

from typing import Any

import numpy as np

from surelearn.base.online.passes import Run
from surelearn.base.online.state import Learnt

_OTHER_NAMES = {"bias": "intercept_"}
_OF_RUN = {
    "training_rows": "training_rows_",
    "n_rows": "n_training_rows_",
    "n_passes": "n_iter_",
    "pass_limit": "pass_limit_",
    "training_errors": "training_errors_",
    "compression_set": "compression_set_",
}
_KEPT = ("n_features_in_", "feature_names_in_", "n_rounds_", "cumulative_loss_", "n_mistakes_")


def upgraded(cls: Any, old: dict[str, Any]) -> dict[str, Any]:
    """Return what a learner of today holds, given the attributes of one in a file of format 1."""
    if "_read_row" not in old:
        return old  # it had not learnt
    begun, classes = old["_begun_as"], old.get("classes_")
    n_problems = 1 if classes is None or len(classes) == 2 else len(classes)
    states = tuple(cls._old_state(old, problem, begun) for problem in range(n_problems))
    learnt = Learnt(begun, old["_read_row"], classes, old.get("_positions", {}), states)
    parameters = {name: old[name] for name in begun.get_params(deep=False) if name in old}
    kept = {name: old[name] for name in _KEPT if name in old}
    return {**parameters, **kept, "learnt_": learnt, "run_": _run(cls, old)}


def old_state(start: Any, old: dict[str, Any], problem: int) -> Any:
    """Return the state of one problem: the attribute of each field is called as it, with a `_`.

    What all problems shared is as large as the field; of the rest each has its row.
    """
    parts: list[Any] = []
    for name, like in zip(start._fields, start, strict=True):
        values = np.asarray(old[_OTHER_NAMES.get(name, f"{name}_")], dtype=like.dtype)
        own = values if values.size == like.size else values[problem]
        parts.append(own.reshape(like.shape).copy())
    return type(start)(*parts)


def _run(cls: Any, old: dict[str, Any]) -> Run | None:
    if "training_rows_" not in old:
        return None
    known = {name: old[attribute] for name, attribute in _OF_RUN.items() if attribute in old}
    known.setdefault("n_rows", old["n_rounds_"] // old["n_iter_"])
    records: Any = old.get("records_")
    if records is not None:
        records = tuple(cls._old_record(record, old, k) for k, record in enumerate(records))
    return Run(**known, records=records, stopped_early=bool(old.get("stopped_early_", False)))
