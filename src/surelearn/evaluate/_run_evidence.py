"""What the run of an online learner makes true of the rows that test its models."""

from typing import Any, cast

from surelearn._stored import stored_name
from surelearn.certificate import Evidence, Precondition, assumed, by_construction
from surelearn.evaluate._linear_run import Run
from surelearn.evaluate._row_by_row import is_ours
from surelearn.evaluate._seen_rows import SeenRows


def judged_before(run: Run, seen: SeenRows, *, allow_duplicates: bool) -> Evidence:
    """Say whether each row was new to the model that is tested on it."""
    found = seen.judged_before(allow_duplicates=allow_duplicates)
    if found.status == "by-construction" and not is_ours(run.start):
        return assumed(_of_others(run))
    return found


def frozen_before(run: Run) -> Evidence:
    """Say whether the models of a run were fixed before the rows that test them."""
    if is_ours(run.start):
        return by_construction("each model was frozen before the rows it is tested on")
    return assumed(_of_others(run))


def _of_others(run: Run) -> str:
    return f"what else {type(run.start).__name__} learns from is not known"


def convexity(loss: Any) -> Precondition:
    """Say whether a loss is convex; one of others says so itself."""
    known = stored_name(cast("type[Any]", type(loss))) is not None
    status, why = ("checked", "") if known else ("assumed", "that is how the loss was declared")
    return Precondition("convex", "the loss is convex in the prediction", status, why)
