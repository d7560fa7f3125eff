"""The hold-out of a table in parts: its answers were gathered part by part, and are asked once."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn._typing import Vector
from surelearn.app.errors import TableError
from surelearn.app.in_parts.problem import ProblemInParts
from surelearn.app.problem.copies import feature_hashes
from surelearn.app.problem.held_out import ALPHA, DECIDED, HoldoutOfProblem
from surelearn.app.problem.problem import Problem
from surelearn.base.chunks import in_chunks
from surelearn.base.row_identity import count_distinct
from surelearn.certificate import Evidence, assumed, by_construction
from surelearn.evaluate import _holdout_rules
from surelearn.evaluate._claims_beside import Stated
from surelearn.evaluate._holdout_draws import ROUNDED
from surelearn.evaluate._row_by_row import answered_alone, not_together, worst_of

_DRAWN = {
    "random": "each row by a hash of its features and seed {seed} alone",
    "distinct": "each distinct row by a hash of its features and seed {seed} alone",
    "group": "each group by a hash of its name and seed {seed} alone",
}
_TOGETHER = "the cells of a row decide on which side it stands, so that its copies stand there, too"
_SEVERAL = "rows that differ only in columns that are no features may stand on both sides"


class _Recorded:
    """A model as its answers show it: its classes, and how likely it held the second one."""

    def __init__(self, model: Any, score: Vector | None) -> None:
        self.classes_: Any = () if score is None else model.classes_

    def predict_proba(self, X: Vector) -> NDArray[Any]:
        """Return what was recorded: the rows are the probabilities themselves."""
        return np.column_stack([1.0 - X[:, 0], X[:, 0]])


class _RecordedWidths:
    """A model as its answers show it: how wide it said that its errors were."""

    def predict_width(self, X: Vector) -> NDArray[Any]:
        """Return what was recorded: the rows are the widths themselves."""
        return X[:, 0]


class HoldoutInParts(HoldoutOfProblem):
    """The rows that were held out of a table in parts, known by their hashes."""

    _problem: ProblemInParts

    def _made_true(self) -> dict[str, Evidence]:
        return evidence_in_parts(self._problem)

    def _predictions(self, model: Any) -> NDArray[Any]:
        """Return what the model has answered; it was asked about these rows alone."""
        found = self._problem.answered
        assert found is not None  # noqa: S101 - made by `asked`
        _holdout_rules.check_predictions(model, self.y, found.predicted, labels=self._counts_errors)
        return found.predicted

    def _demands(
        self, model: Any, predicted: NDArray[Any], stated: Stated | None
    ) -> dict[str, Evidence]:
        """Return the evidence; whether rows are answered alone shows in the training rows."""
        del predicted
        X = self._problem.training.X
        found = [answered_alone(model, X, in_chunks(model.predict, X))]
        if stated is not None and stated.rows.score is not None:
            ask = partial(in_chunks, model.predict_proba)
            found.append(not_together(model, X, ask(X)[:, 1], lambda rows: ask(rows)[:, 1]))
        if stated is not None and stated.origin.widths:
            widths = in_chunks(model.predict_width, X)
            found.append(not_together(model, X, widths, model.predict_width))
        return {**self._evidence, "row_by_row": worst_of(found)}

    def _state_beside(self, model: Any, X: Any, predicted: NDArray[Any]) -> Stated | None:
        """Gather what claims need; a run from before scores were used uses them if asked."""
        del X
        found = self._problem.answered
        if self._beside is None or found is None:
            return None
        if found.width is not None:
            rows = found.width.reshape(-1, 1)
            return super()._state_beside(_RecordedWidths(), rows, predicted)
        score = found.score if self._beside.asked or self._problem.file.scored else None
        rows = np.zeros(len(self.y)) if score is None else score
        return super()._state_beside(_Recorded(model, score), rows.reshape(-1, 1), predicted)


def evidence_in_parts(problem: ProblemInParts) -> dict[str, Evidence]:
    """Return what this use case makes true of a table in parts."""
    sides, n_held = problem.reader.sides, len(problem.held_out.y)
    apart = f"{problem.n_training:,} rows train, {n_held:,} others are held out"
    evidence = {
        "unseen": by_construction(apart),
        "blind_split": by_construction(_DRAWN[problem.split.kind].format(seed=sides.seed)),
        "untouched": by_construction(DECIDED),
        "copies": by_construction(_TOGETHER),
    }
    if problem.task == "regression":
        evidence["alpha"] = by_construction(f"it is {ALPHA:g} for every table")
    if (why := _why_assumed(problem)) is None:
        return evidence
    return {**evidence, "unseen": assumed(f"{apart}; {why}"), "copies": assumed(why)}


def _why_assumed(problem: ProblemInParts) -> str | None:
    """Return why copies may stand on both sides, if they may."""
    copies = problem.copies
    if problem.split.kind == "group":
        return "whether rows of different groups are equal was not looked at"
    if problem.unsplit:
        return _SEVERAL
    if copies.n_rounded:
        return f"of those that were compared {copies.n_rounded:,} {ROUNDED}"
    return None


def as_chosen_on(problem: Problem) -> Problem:
    """Return the problem as learners are compared on it: rows without copies are single draws."""
    rows = problem.split.train
    groups = problem.groups
    if not isinstance(problem, ProblemInParts) or problem.split.kind != "distinct":
        return problem
    if groups is None or len(np.unique(groups[rows])) < len(rows):
        return problem
    return replace(problem, groups=None, split=replace(problem.split, kind="random"))


def refuse_sample_of_copies(problem: Problem) -> None:
    """Refuse to prove a bound on distinct rows from a sample in which some are likelier to stand.

    Rows are sampled by all their columns, so that copies which differ in a column that is no
    feature are sampled one by one: a row with many of them is in the sample more often.
    """
    if not isinstance(problem, ProblemInParts) or problem.groups is None:
        return
    table = problem.file.table
    whole = table.num_rows == problem.file.n_known
    rows = feature_hashes(table.drop_columns([problem.target]))
    if problem.split.kind != "distinct" or whole:
        return
    if count_distinct(rows) > len(np.unique(problem.groups)):
        raise TableError(
            "some rows differ only in columns that are no features, and only a sample of the rows "
            "is compared, in which a row with many such copies stands more often: it proves "
            "nothing of distinct rows. Say --select nested, or leave those columns out of the files"
        )
