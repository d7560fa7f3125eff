"""Training on all training rows of a table in parts, where a learner can; else on the sample."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from surelearn.app.choosing.training import one_of_each_copy, steps_of, to_compare_on
from surelearn.app.errors import TableError
from surelearn.app.in_parts.problem import ProblemInParts
from surelearn.app.in_parts.training_rows import TrainingRows
from surelearn.app.problem.problem import Problem
from surelearn.app.tables.notes import Note
from surelearn.app.tables.parted_file import only
from surelearn.base.labels import joined_classes
from surelearn.base.parted import Block, PartedTable
from surelearn.base.validation import distinct
from surelearn.scale import ClusterLostError, PartError


class _Reached(Exception):  # noqa: N818 - no error: a learner went to work on parts
    """Raised where a learner asks for the rows of its parts."""


class _Probe(PartedTable):
    """Parts that are only there to see who would read them."""

    def map_reduce(self, task: Any, merge: Any) -> Any:
        del task, merge
        raise _Reached


class _NumberedProbe(_Probe):
    """The same for learners that number the parts."""

    def map_parts(self, task: Any, merge: Any, items: Any = None, *, quick: bool = False) -> Any:
        del task, merge, items, quick
        raise _Reached

    def map_passes(self, task: Any, merge: Any, items: Any) -> Any:
        del task, merge, items
        raise _Reached


def fits_parts(model: Any, *, numbered: bool = True) -> bool:
    """Return whether a model, or each step of a pipeline, learns from a table in parts.

    It is asked, and stopped when it begins: no list of names could be complete. Learners that go
    through rows in their order may do so in one process.

    Parameters
    ----------
    model
        The model.
    numbered
        Whether parts have numbers, and an order; runs from before they had are done again.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> fits_parts(RidgeRegression()), fits_parts(DummyClassifier())
    (True, False)
    """
    *before, last = steps_of(model)
    in_order = numbered and hasattr(last, "partial_fit")
    able = all(_fits(step, numbered=numbered) for step in before)
    return able and (in_order or _fits(last, numbered=numbered))


def _fits(step: Any, *, numbered: bool) -> bool:
    try:
        cast("Any", clone(step)).fit(_NumberedProbe() if numbered else _Probe())
    except _Reached:
        return True
    except Exception:  # noqa: BLE001 - a learner of others may raise anything
        return False
    return False


def train_in_parts(model: Any, problem: ProblemInParts) -> Any:
    """Fit a model to all training rows if it can, and to those of the sample if not."""
    numbered, shown = problem.file.numbered, to_compare_on(problem)
    if _is_learnt_at_once(model, problem, shown):
        return model.fit(*shown.training)  # in memory it is much faster
    model = _settled(model, shown) if numbered else model
    if not fits_parts(model, numbered=numbered):
        return model.fit(*shown.training)
    parts, reader = only(problem.file.parts, sorted(problem.reader.columns)), problem.reader
    steps = steps_of(model)
    try:
        for n_before, step in enumerate(steps):
            rows = TrainingRows(parts, reader, steps[:n_before])
            if _fits(step, numbered=numbered):
                step.fit(rows)
            else:
                _learn_in_order(step, rows)
    except (PartError, ClusterLostError) as error:
        raise TableError(str(error)) from error
    except (TypeError, ValueError) as error:
        raise TableError(
            f"{type(steps[-1]).__name__} was chosen and cannot learn from all training rows: "
            f"{error}; name other learners with --learner"
        ) from error
    return model


def _settled(model: Any, shown: Problem) -> Any:
    """Return a model with settings by which it can learn part by part; the sample decides them.

    A tree of a forest is grown from as many rows as it was compared with: the forest is no larger
    than the one that was compared, and each tree has rows of its own. A boosting that stops early
    stops after as many rounds as on the sample.
    """
    last = steps_of(model)[-1]
    asked = _settings(last)
    if asked.get("early_stopping") is True:
        clear = {"early_stopping": False}
        if _fits(cast("Any", clone(last)).set_params(**clear), numbered=True):
            tried = steps_of(cast("Any", clone(model)).fit(*shown.training))[-1]
            last.set_params(**clear, n_estimators=tried.n_estimators_)
    if asked.get("max_samples", "no forest") is None and _fits(last, numbered=True):
        last.set_params(max_samples=len(shown.split.train))
    return model


def _is_learnt_at_once(model: Any, problem: ProblemInParts, shown: Problem) -> bool:
    """Return whether learners were compared on all training rows, and this one had better be."""
    whole = problem.file.table.num_rows == problem.file.n_known
    whole = whole and len(shown.split.train) == len(problem.split.train)
    return whole and problem.file.numbered and not fits_parts(model, numbered=False)


def _learn_in_order(step: Any, rows: TrainingRows) -> None:
    """Let a learner see all training rows once, as on one machine."""
    more = {"classes": rows.map_reduce(_labels, joined_classes)} if is_classifier(step) else {}
    for block in rows.in_order():
        step.partial_fit(block.X, block.y, **more)


def _labels(block: Block) -> NDArray[Any]:
    return distinct(np.asarray(block.y))


def notes_in_parts(problem: ProblemInParts, learner: Any, model: Any = None) -> tuple[Note, ...]:
    """Say on which rows learners were compared and the model was fitted.

    Parameters
    ----------
    problem
        The problem, after its hold-out was asked.
    learner
        What was chosen; None, if it was fitted when it was compared and has its bound from there.
    model
        What it became.
    """
    n, shown = problem.n_training, problem if learner is not None else one_of_each_copy(problem)
    shown = to_compare_on(shown)
    same = f"the same {len(shown.split.train):,} rows"
    compared = f"{len(shown.split.train):,} of the {n:,} training rows, drawn by the seed"
    if len(shown.split.train) < len(to_compare_on(problem).split.train):
        compared += ", one of the copies of each"
    first = Note("learners", f"compared on {compared}", "as many as are compared on one machine")
    if learner is None:
        return first, Note("the chosen one", f"fitted to {same}", "they prove its bound")
    fitted = learner if model is None else model
    where, why = same, "it does not learn part by part"
    if _is_learnt_at_once(fitted, problem, shown):
        where, why = f"all {n:,} training rows", "they fit into memory"
    elif fits_parts(fitted, numbered=problem.file.numbered):
        where, why = f"all {n:,} training rows", "it learns part by part"
    return first, Note("the chosen one", f"fitted to {where}", why), *_decided(learner, fitted)


def _decided(learner: Any, model: Any) -> Iterator[Note]:
    """Say which settings the sample decided."""
    asked, used = (_settings(steps_of(each)[-1]) for each in (learner, model))
    if asked.get("max_samples") != used.get("max_samples"):
        grown = f"each grown from {used['max_samples']:,} rows of its own, drawn from all"
        yield Note("trees", grown, "as many as they had when learners were compared")
    if asked.get("early_stopping") != used.get("early_stopping"):
        why = "that many it took to stop early, on the rows that learners were compared on"
        yield Note("rounds", f"{used['n_estimators']:,}", why)


def _settings(step: Any) -> Mapping[str, Any]:
    return step.get_params(deep=False) if hasattr(step, "get_params") else {}
