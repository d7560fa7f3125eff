"""Ways to look at a model: its tree, its rules, its coefficients, the columns it rests on."""

import heapq
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from sklearn.pipeline import Pipeline

from surelearn._typing import Matrix
from surelearn._wording import amount
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.choosing.choice import loss_of
from surelearn.app.choosing.foreign_learners import is_foreign
from surelearn.app.telling.beside import is_label, positive_of
from surelearn.plots.tree import plot_tree
from surelearn.report import ModelView, svg

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_LEAVES = 24  # in a drawing that can still be read
_WIDEST = 7.4  # inches, at which its words stay as large as they are on paper
_MOST_LINES = 80  # of a tree as text
_SET = re.compile(r"\{([^{}]*)\}")  # categories in a line of it
_LONGEST_SET, _FIRST_OF_SET = 60, 3  # signs of such a set, and categories shown of a longer one
_LEAST_POINT = 5e-4  # rises below it would be shown as +0.0 points
_MOST_ROWS = 15  # of a table about features
_MOST_CLASSES = 6  # in a table of coefficients
_MOST_ASKED = 128  # times that a model is asked about shuffled columns
_SAMPLE = 1000  # rows whose cells are shuffled


def show_model(run: CertifiedRun) -> Iterator[ModelView]:
    """Yield ways to look at the model, by what it offers."""
    model = run.predictor
    learner = model[-1] if isinstance(model, Pipeline) else model
    if hasattr(learner, "tree_") and not is_foreign(run.name):
        yield from _tree(learner)
    if isinstance(model, Pipeline):
        encoder: Any = model[0]
        names = list(encoder.get_feature_names_out())
        yield from _coefficients(learner, names, positive_of(run))
    yield from _widths(run)
    yield from _importances(run)


def _tree(learner: Any) -> Iterator[ModelView]:
    n_leaves, depth = int(learner.n_leaves_), int(learner.tree_.depth.max())
    drawn = _largest_that_fits(learner, depth)
    if drawn is not None:
        drawing, shown = drawn
        note = "" if shown == depth else f"The first {shown} of {depth} questions; … asks more."
        title = f"The tree, {n_leaves} leaves"
        yield ModelView(title, note=note, svg=svg(drawing, name="tree"))
    yield ModelView(f"The tree in words, {n_leaves} leaves", text=_in_words(learner))


def _in_words(tree: Any, *, digits: int = 6) -> str:
    lines = [_SET.sub(_first_of_set, line) for line in tree.to_text(digits=digits).splitlines()]
    rest = len(lines) - _MOST_LINES
    if rest > 0:
        lines = [*lines[:_MOST_LINES], f"... and {rest:,} lines more: see model.surelearn"]
    return "\n".join(lines)


def _first_of_set(found: re.Match[str]) -> str:
    """Return the first categories of a set that is too long for a line, and how many more."""
    words = found[1].split(", ")
    if len(found[1]) <= _LONGEST_SET or len(words) <= _FIRST_OF_SET + 1:
        return found[0]
    shown = ", ".join(words[:_FIRST_OF_SET])
    return f"{{{shown} and {len(words) - _FIRST_OF_SET:,} more}}"


def _widths(run: CertifiedRun) -> Iterator[ModelView]:
    """Yield the tree that tells where intervals are wide, if there is one with questions."""
    tree = getattr(run.model, "width_learner_", None)
    if tree is None or tree.n_leaves_ < 2:
        return
    average = amount(run.model.average_error_)
    yield ModelView(
        f"Where it errs more, {tree.n_leaves_} leaves",
        note="A tree fitted to the errors on training rows that the model had not seen. A leaf "
        f"says how large they are there, in multiples of their average, {average}."
        + ("" if run.intervals is None else " The widths of the intervals follow it."),
        text=_in_words(tree, digits=4),
    )


def _largest_that_fits(learner: Any, depth: int) -> "tuple[Figure, int] | None":
    """Return the drawing of as many questions as stand beside each other on a sheet of paper."""
    if learner.n_leaves_ > _MOST_LEAVES:
        return None
    for shown in range(depth, 0, -1):
        for downwards in (True, False):
            drawing = cast(
                "Figure", plot_tree(learner, max_depth=shown, downwards=downwards).figure
            )
            if drawing.get_size_inches()[0] <= _WIDEST:
                drawing.suptitle("")
                return drawing, shown
    return None


def _coefficients(learner: Any, names: list[str], positive: Any) -> Iterator[ModelView]:
    """Yield the largest coefficients, one column for each class if there are more than two.

    Of two classes they point towards the positive one, as all else in a report does.
    """
    table: Matrix = np.atleast_2d(getattr(learner, "coef_", np.empty((0, 0))))
    n_outputs, n_features = table.shape
    if n_features != len(names) or not 1 <= n_outputs <= _MOST_CLASSES:
        return
    order = np.argsort(-np.abs(table).max(axis=0), kind="stable")[:_MOST_ROWS]
    classes = getattr(learner, "classes_", None)
    heads = ("coefficient",)
    if classes is not None:
        towards = classes[-1:] if n_outputs == 1 else classes
        if n_outputs == 1 and is_label(classes[0], positive):
            towards, table = classes[:1], -table
        heads = tuple(f"towards {label}" for label in towards.tolist())
    largest = float(np.abs(table).max()) or 1.0
    yield ModelView(
        f"The {len(order)} largest of {n_features} coefficients",
        note="Columns of numbers were scaled to mean 0 and standard deviation 1, so that their "
        "coefficients can be compared; a category counts as 1 where it occurs, else as 0.",
        header=("feature", *heads),
        rows=tuple(
            (names[i], *(_signed(float(f"{value:.3g}")) for value in table[:, i])) for i in order
        ),
        bars=tuple(float(table[0, i]) / largest for i in order) if n_outputs == 1 else (),
    )


def _importances(run: CertifiedRun) -> Iterator[ModelView]:
    """Yield how much the loss on training rows rises when the cells of a column are shuffled."""
    problem, (loss, what) = run.problem, loss_of(run.problem.task)
    X, y = problem.sample_training(most=_SAMPLE)
    rng = np.random.default_rng(int(run.options["seed"]))
    places = rng.permutation(len(y))
    before = float(loss(y, run.model.predict(X)).mean())

    def rise_of(columns: range) -> float:
        cells = list(X.columns)
        for i in columns:
            cells[i] = cells[i].take(places)
        shuffled = pa.table(cells, schema=X.schema)
        return float(loss(y, run.model.predict(shuffled)).mean()) - before

    rise, sought = _rises(X.column_names, rise_of)
    least = _LEAST_POINT if problem.task != "regression" else 1e-4 * before
    telling = sorted((name for name in rise if rise[name] >= least), key=lambda name: -rise[name])
    if not telling:
        yield ModelView(
            "The columns it rests on",
            note=f"On none by itself: the {what} on {len(y):,} training rows does not rise if the "
            "cells of any one column are shuffled.",
        )
        return
    first, points = telling[:_MOST_ROWS], problem.task != "regression"
    shown = [f"{100 * rise[name]:+.1f} points" if points else _signed(rise[name]) for name in first]
    yield ModelView(
        "The columns it rests on",
        note=f"By how much the {what} rises on {len(y):,} training rows if the cells of a column "
        "are shuffled, others left as they are. Columns that say the same hide each other."
        + (sought or _others(len(rise), len(telling), len(first))),
        header=("column", f"rise of the {what}"),
        rows=tuple(zip(first, shown, strict=True)),
        bars=tuple(rise[name] / rise[first[0]] for name in first),
    )


def _others(n_columns: int, n_telling: int, n_shown: int) -> str:
    """Say what became of the columns that are not in the list."""
    if n_shown < n_telling:
        return f" These are the {n_shown} largest of {n_columns}."
    n_left = n_columns - n_shown
    return f" The other columns ({n_left}) do not raise it, or hardly." if n_left else ""


def _signed(value: float) -> str:
    return amount(value) if value < 0.0 else f"+{amount(value)}"


def _rises(names: list[str], rise_of: Callable[[range], float]) -> tuple[dict[str, float], str]:
    """Return the rise of each column; of very many, of those that halving the largest rise finds.

    To ask a model about each column takes time that grows with their number squared.
    """
    if len(names) <= _MOST_ASKED:
        return {name: rise_of(range(i, i + 1)) for i, name in enumerate(names)}, ""
    found: dict[str, float] = {}
    halves = [(0.0, 0, len(names))]
    for _ in range(_MOST_ASKED // 2):
        if not halves:
            break
        _, start, stop = heapq.heappop(halves)
        middle = (start + stop) // 2
        for part in (range(start, middle), range(middle, stop)):
            rise = rise_of(part)
            if len(part) == 1:
                found[names[part.start]] = rise
            else:
                heapq.heappush(halves, (-rise, part.start, part.stop))
    return found, (
        f" Of the {len(names):,} columns those were sought that matter most, by shuffling half of "
        "them, then half of these, and so on; others may matter as much."
    )
