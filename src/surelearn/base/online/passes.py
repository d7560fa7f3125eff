"""Passing over rows, once or again and again, and what `fit` leaves behind."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from surelearn import _arguments
from surelearn._jit import fingerprints, rows
from surelearn._jit.fingerprints import Hashes
from surelearn._jit.linear_scores import plus_or_minus
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Matrix, Vector
from surelearn.base.online.state import Learnt, side_by_side

_Learner = TypeVar("_Learner")


@stored("training-run")
@holds(
    training_rows="hash[kept]",
    n_rows="count",
    n_passes="count",
    records=tuple | None,
    pass_limit="count?",  # noqa: S106 - no password
    stopped_early="flag",
    training_errors="count?",
    compression_set="int[compressed]?",
)
@dataclass(frozen=True, eq=False)
class Run:
    """What one `fit` leaves behind; a learner that moves on drops it as a whole.

    Parameters
    ----------
    training_rows
        Fingerprints of the rows, by which a hold-out set recognises them.
    n_rows, n_passes
        The number of rows and the largest number of passes that a problem needed.
    records
        For each problem what its certificates need, if the learner issues any from a `fit`.
    pass_limit, stopped_early
        The passes that were allowed, and whether a callback ended the run before them.
    training_errors, compression_set
        The rows that the final model gets wrong, and those that ever changed it or are wrong: None
        where they say nothing about the model.
    """

    training_rows: Hashes
    n_rows: int
    n_passes: int
    records: tuple[Any, ...] | None = None
    pass_limit: int | None = None
    stopped_early: bool = False
    training_errors: int | None = None
    compression_set: Indices | None = None

    def _check_state(self) -> None:
        if self.n_rows < 1 or self.n_passes < 1 or (self.training_errors or 0) > self.n_rows:
            raise ValueError("a run has a row and a pass at least, and no more errors than rows")
        if len(self.training_rows) > self.n_rows:
            raise ValueError("it remembers more rows than it has passed over")
        for record in self.records or ():
            self._refuse_unlike(record)
        if self.compression_set is not None:
            _arguments.places("compression_set", self.compression_set, self.n_rows)
            if (np.diff(self.compression_set) <= 0).any():
                raise ValueError("a row stands twice in the compression set")

    def _refuse_unlike(self, record: Any) -> None:
        """Refuse a record of other rows, or of more rounds, than those of this run."""
        n_rounds = self.n_rows * self.n_passes
        counts = [getattr(record, name, 0) for name in ("n_rounds", "n_steps")]
        if max(counts) > n_rounds or getattr(record, "n_passes", 0) > self.n_passes:
            raise ValueError("a record has more rounds than its run")
        _arguments.places("updated", getattr(record, "updated", np.empty(0, int)), self.n_rows)


class Visits(NamedTuple):
    """How one problem went over its rows.

    Parameters
    ----------
    signs
        The label of each row, as +1 or -1.
    n_updates
        How often each row caused an update.
    n_passes
        The number of passes.
    places
        For a learner that keeps rows: those that caused an update, in order, pass by pass.
    """

    signs: Vector
    n_updates: Indices
    n_passes: int
    places: tuple[Indices, ...] = ()


def run_passes(
    visit: Callable[[], bool], *, limit: int, progress: Any, learner: Any
) -> tuple[int, bool]:
    """Visit all rows until a visit changes nothing, a callback says stop, or `limit` is reached.

    Return the number of passes and whether a callback stopped them.
    """
    for n_passes in range(1, limit + 1):
        task = progress.subcontext("pass").call_on_fit_task_begin(estimator=learner)
        changed = visit()
        stop = bool(task.call_on_fit_task_end(estimator=learner))
        if stop or not changed:
            return n_passes, stop
    return limit, False


def learn_problems(
    learner: Any, learnt: Learnt, X: Rows, index: Indices, states: tuple[Any, ...]
) -> tuple[Vector, dict[str, Any]]:
    """Let every problem learn from checked rows; return the scores and all that has changed.

    The states given are written to. The learner is not: it takes over what has changed at once.
    """
    begun, n_wrong, loss = learnt.begun, learner.n_mistakes_, learner.cumulative_loss_
    scores, visits = np.empty((len(states), len(index))), list[Visits]()
    for k, (state, row) in enumerate(zip(states, scores, strict=True)):
        signs = signs_of(index, k, len(states))
        begun._learn(X, signs, state, row)
        counted = begun._count(signs, row)
        n_wrong, loss = n_wrong + counted[0], loss + counted[1]
        if begun._keeps_rows:
            updates = begun._updates(signs, row)
            visits.append(Visits(signs, updates, 1, (np.flatnonzero(updates),)))
    moved = {
        "learnt_": learnt._replace(states=begun._keep(X, visits, states)),
        "n_rounds_": learner.n_rounds_ + len(index),
        "n_mistakes_": n_wrong,
        "cumulative_loss_": loss,
        "run_": None,
    }
    return scores[0] if len(scores) == 1 else np.ascontiguousarray(scores.T), moved


def heard_by_callbacks_of(learner: Any, fresh: _Learner) -> _Learner:
    """Return the copy that is fitted for a learner, heard by whoever listens to the learner.

    scikit-learn notes on an estimator what it tells while that is fitted, so that two threads that
    fit one learner would remove each other's notes. A copy belongs to one fit.
    """
    parent = vars(learner).get("_parent_callback_ctx")  # callbacks themselves are cloned
    if parent is not None:
        vars(fresh)["_parent_callback_ctx"] = parent
    return fresh


def train_classifier(fresh: Any, X: Any, index: Indices, progress: Any) -> None:
    """Run every two-class problem until a clean pass, and keep what certificates need.

    `fresh` is a copy of the learner that has learnt nothing; the callbacks of `progress` see it.
    """
    begun, view, held = fresh.begun_, rows.of(X), vars(fresh)
    states = side_by_side([begun._start_passes(X)] * len(held["learnt_"].states))
    held["learnt_"] = held["learnt_"]._replace(states=states)
    progress.call_on_fit_task_begin(estimator=fresh)
    stopped, visits = False, list[Visits]()
    for k, state in enumerate(states):
        signs = signs_of(index, k, len(states))
        visited, stop = _until_clean(fresh, view, signs, state, progress)
        if k == 0:
            held["n_rounds_"] = visited.n_passes * len(index)
        visits.append(visited)
        stopped = stopped or stop
    final = begun._final_scores(X, states)
    states = begun._keep(view, visits, states)
    held["learnt_"] = held["learnt_"]._replace(states=states)
    held["run_"] = _run_of(begun, X, index, visits, final, states=states, stopped=stopped)
    progress.call_on_fit_task_end(estimator=fresh)


def _until_clean(
    fresh: Any, X: Rows, signs: Vector, state: Any, progress: Any
) -> tuple[Visits, bool]:
    """Pass over the rows of one problem until a pass without updates, counting as it goes."""
    begun, scores, places = fresh.begun_, np.empty(len(signs)), list[Indices]()
    held = vars(fresh)
    n_updates = np.zeros(len(signs), dtype=np.int64)

    def visit() -> bool:
        begun._learn(X, signs, state, scores)
        updates = begun._updates(signs, scores)
        np.add(n_updates, updates, out=n_updates)
        if begun._keeps_rows:
            places.append(np.flatnonzero(updates))
        n_wrong, loss = begun._count(signs, scores)
        held["n_mistakes_"] += n_wrong
        held["cumulative_loss_"] += loss
        return bool(updates.any())

    n_passes, stop = run_passes(visit, limit=begun.max_iter, progress=progress, learner=fresh)
    return Visits(signs, n_updates, n_passes, tuple(places)), stop


def _run_of(
    begun: Any,
    X: Any,
    index: Indices,
    visits: list[Visits],
    final: Matrix,
    *,
    states: tuple[Any, ...],
    stopped: bool,
) -> Run:
    """Summarise a run, given the scores of the training rows after it."""
    wrong = predicted_index(final) != index
    if len(visits) == 1:  # in the two-class theorem a score of 0 is an error
        wrong = visits[0].signs * final[:, 0] <= 0.0
    used = np.any([visited.n_updates > 0 for visited in visits], axis=0)
    training_errors, compression_set = begun._outcome(X, wrong, used)
    each = zip(visits, final.T, states, strict=True)
    return Run(
        training_rows=fingerprints.sketch(fingerprints.row_hashes(rows.of(X))),
        n_rows=len(index),
        n_passes=max(visited.n_passes for visited in visits),
        records=tuple(begun._record(X, v.signs * scores, v, state) for v, scores, state in each),
        pass_limit=begun.max_iter,
        stopped_early=stopped,
        training_errors=training_errors,
        compression_set=compression_set,
    )


def signs_of(index: Indices, problem: int, n_problems: int) -> Vector:
    """Return the labels of one problem; a single one tells the second class from the first."""
    return plus_or_minus(index, 1 if n_problems == 1 else problem)


def predicted_index(scores: Matrix) -> Indices:
    """Return the place of the class that scores of one or more problems predict for each row."""
    if scores.ndim == 1 or scores.shape[1] == 1:
        return (np.ravel(scores) > 0.0).astype(np.int64)
    return np.argmax(scores, axis=1)
