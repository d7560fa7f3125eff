"""What a model remembers of its training rows, and whether a hold-out shares any."""

from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.pipeline import Pipeline

from surelearn._jit import fingerprints, rows
from surelearn.base import validation
from surelearn.base.chunks import in_chunks
from surelearn.base.tables.table import read_table
from surelearn.certificate import Evidence, assumed, checked


class TrainingMemory(NamedTuple):
    """What a model remembers of its training rows, compared with the rows of a hold-out."""

    shared: int
    complete: bool  # whether finding none proves that there is none
    evidence: str


def training_memory(model: Any, X: Any) -> TrainingMemory:
    """Compare the hold-out's rows with those the model was trained on, as far as it remembers.

    A model that keeps sums of its rows only, and one of a table with categories, whose rows may
    coincide by chance, remembers none.
    """
    learner: Any = model[-1] if isinstance(model, Pipeline) else model
    kept = getattr(learner, "training_rows_", None)
    if kept is None:
        return TrainingMemory(
            0, complete=False, evidence="the model does not remember its training rows"
        )
    transformed = isinstance(model, Pipeline) and len(model) > 1
    seen = cast("Pipeline", model)[:-1].transform if transformed else _same
    hashes = in_chunks(lambda chunk: _hashes(learner, seen(chunk)), X)
    shared = fingerprints.shared_rows(kept, hashes)
    if transformed:
        # Rounding may hide a row that was seen, and a transform may make different rows equal.
        merged = len(np.unique(hashes)) < len(hashes)
        evidence = f"{shared} rows coincide after the transforms of the pipeline"
        return TrainingMemory(0 if merged else shared, complete=False, evidence=evidence)
    complete = len(kept) < fingerprints.SKETCH_SIZE
    evidence = f"{shared} of them are among the {len(kept)} training rows remembered"
    return TrainingMemory(shared, complete=complete, evidence=evidence)


def compare_with_training(model: Any, X: Any, *, allow_duplicates: bool) -> Evidence:
    """Say what speaks for rows that the model has not seen; refuse a hold-out that shares some."""
    memory = training_memory(model, X)
    if memory.shared and not allow_duplicates:
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        raise ValueError(
            f"{memory.shared} of {n_rows} hold-out rows also stand in the training data "
            "of this model. Split again; or, if rows of a table of categories coincide by "
            "chance, pass allow_duplicates=True"
        )
    proved = memory.complete and not memory.shared
    return checked(memory.evidence) if proved else assumed(memory.evidence)


def _same(X: Any) -> Any:
    return X


def _hashes(learner: Any, X: Any) -> fingerprints.Hashes:
    """Return the hashes of rows as the learner reads them."""
    if hasattr(learner, "categories_"):
        return fingerprints.table_hashes(read_table(learner, X))
    return fingerprints.row_hashes(rows.of(validation.check_rows(learner, X)))
