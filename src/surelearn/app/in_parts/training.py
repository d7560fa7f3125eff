"""Training on all training rows of a table in parts, where a learner can; else on the sample."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from sklearn.base import clone

from surelearn.app.choosing.training import steps_of, to_compare_on
from surelearn.app.errors import TableError
from surelearn.app.in_parts.problem import ProblemInParts
from surelearn.app.in_parts.reading import RowReader
from surelearn.app.tables.notes import Note
from surelearn.app.tables.parted_file import only
from surelearn.base.parted import Block, PartedTable
from surelearn.scale import ClusterLostError, PartError, Parts

_Record = TypeVar("_Record")


class TrainingRows(PartedTable):
    """The training rows of a table in parts, as some steps of a pipeline pass them on."""

    def __init__(self, parts: Parts, reader: RowReader, steps: Sequence[Any] = ()) -> None:
        self._parts, self._reader, self._steps = parts, reader, tuple(steps)

    def map_reduce(
        self, task: Callable[[Block], _Record], merge: Callable[[_Record, _Record], _Record]
    ) -> _Record:
        """Return the sum of the records of all blocks that have training rows."""
        work = partial(_on_training_rows, self._reader, self._steps, task)
        found = self._parts.map_reduce(work, partial(_merge_some, merge))
        if found is None:
            raise TableError("no row is left for training: give a smaller --holdout")
        return found.record


class _Some(NamedTuple):
    """A record of some rows; of a block without training rows there is none."""

    record: Any


def _on_training_rows(
    reader: RowReader, steps: Sequence[Any], task: Callable[[Block], Any], block: Block
) -> _Some | None:
    _, X, y = reader.read(block, held_out=False)
    if len(y) == 0:
        return None
    for step in steps:
        X = step.transform(X)
    return _Some(task(Block(X, y)))


def _merge_some(
    merge: Callable[[Any, Any], Any], one: _Some | None, other: _Some | None
) -> _Some | None:
    if one is None or other is None:
        return other if one is None else one
    return _Some(merge(one.record, other.record))


class _Reached(Exception):  # noqa: N818 - no error: a learner went to work on parts
    """Raised where a learner asks for the rows of its parts."""


class _Probe(PartedTable):
    """Parts that are only there to see who would read them."""

    def map_reduce(self, task: Any, merge: Any) -> Any:
        del task, merge
        raise _Reached


def fits_parts(model: Any) -> bool:
    """Return whether a model, or each step of a pipeline, learns from a table in parts.

    It is asked, and stopped when it begins: no list of names could be complete.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> fits_parts(RidgeRegression()), fits_parts(DummyClassifier())
    (True, False)
    """
    return all(map(_fits_parts, steps_of(model)))


def _fits_parts(step: Any) -> bool:
    try:
        cast("Any", clone(step)).fit(_Probe())
    except _Reached:
        return True
    except Exception:  # noqa: BLE001 - a learner of others may raise anything
        return False
    return False


def train_in_parts(model: Any, problem: ProblemInParts) -> Any:
    """Fit a model to all training rows if it can, and to those of the sample if not."""
    if not fits_parts(model):
        return model.fit(*to_compare_on(problem).training)
    parts, reader = only(problem.file.parts, sorted(problem.reader.columns)), problem.reader
    steps = steps_of(model)
    try:
        for n_before, step in enumerate(steps):
            step.fit(TrainingRows(parts, reader, steps[:n_before]))
    except (PartError, ClusterLostError) as error:
        raise TableError(str(error)) from error
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{type(steps[-1]).__name__} was chosen and cannot learn from all training rows: "
            f"{error}; name other learners with --learner"
        ) from error
    return model


def notes_in_parts(problem: ProblemInParts, model: Any) -> tuple[Note, ...]:
    """Say on which rows learners were compared and the model was fitted.

    No model stands for one that was fitted when it was compared, and has its bound from there.
    """
    n, n_shown = problem.n_training, len(to_compare_on(problem).split.train)
    compared = f"compared on {n_shown:,} of the {n:,} training rows, drawn by the seed"
    fitted = f"fitted to all {n:,} training rows", "it learns part by part"
    if model is None or not fits_parts(model):
        reason = "they prove its bound" if model is None else "it does not learn part by part"
        fitted = f"fitted to the same {n_shown:,} rows", reason
    why = "as many as are compared on one machine"
    return Note("learners", compared, why), Note("the chosen one", *fitted)
