"""The columns of a file of predictions, by what they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from surelearn._wording import nearest
from surelearn.app.auditing.cells import failed, held, refuse_rounded, stand_in, values
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import listed_columns
from surelearn.app.tables.read import TableFile
from surelearn.certificate import Evidence, assumed
from surelearn.claims import Predictions, record, results
from surelearn.claims.coverage import within
from surelearn.claims.predictions import infer_task

Incomplete: TypeAlias = Literal["refuse", "errors", "exclude"]
"""What becomes of rows without an answer: refused, counted as errors, or left out."""

_RESULTS = ("passed", "baseline")
_LABELS = ("truth", "prediction", "baseline")
_ONE_COLUMN = "its lines were read as one cell each: say --delimiter if they hold more"
_NAMES = ("group", "cluster", "stratum", "id")
ANSWERS = (
    *("prediction", "passed", "score", "baseline", "low", "high", "set", "confidence", "width"),
    "challenger",
)
"""The roles of columns that another model would fill otherwise."""


@dataclass(frozen=True)
class Roles:
    """The name of the column for each role, where there is one; challengers may be several."""

    truth: str | None = None
    prediction: str | None = None
    passed: str | None = None
    score: str | None = None
    baseline: str | None = None
    low: str | None = None
    high: str | None = None
    set: str | None = None
    confidence: str | None = None
    width: str | None = None
    group: str | None = None
    cluster: str | None = None
    weight: str | None = None
    stratum: str | None = None
    time: str | None = None
    id: str | None = None
    challenger: tuple[str, ...] = ()

    def given(self) -> dict[str, str]:
        """Return the roles that one column has."""
        return {role: name for role, name in vars(self).items() if isinstance(name, str)}

    @property
    def answers(self) -> list[str]:
        """The columns that another model would fill otherwise."""
        return [*(name for role, name in self.given().items() if role in ANSWERS), *self.challenger]


@dataclass(frozen=True, eq=False)
class Columns:
    """What was read from the columns of a file.

    Attributes
    ----------
    rows
        The predictions.
    kept
        The places of the rows that count.
    n_without
        How many rows have no answer.
    incomplete
        What became of them.
    """

    rows: Predictions
    kept: NDArray[np.int64]
    n_without: int
    incomplete: Incomplete

    @property
    def evidence(self) -> Evidence:
        """What is known of whether every row is there."""
        return tell_complete(self.n_without, self.incomplete)


def tell_complete(n_without: int, incomplete: str) -> Evidence:
    """Return what is known of whether the file holds every row with its answer.

    Examples
    --------
    >>> tell_complete(2, "errors").text
    '2 rows without an answer count as errors; rows that were left out before leave no trace'
    """
    unseen = "rows that were left out before leave no trace"
    if not n_without:
        return assumed(f"every row here has its answer; {unseen}")
    several = "1 row" if n_without == 1 else f"{n_without:,} rows"
    if incomplete == "errors":
        counts = "counts as an error" if n_without == 1 else "count as errors"
        return assumed(f"{several} without an answer {counts}; {unseen}")
    return assumed(
        f"{several} without an answer left out, as asked: the claim is about cases that get one; "
        f"{unseen}"
    )


def read_columns(
    file: TableFile,
    roles: Roles,
    *,
    task: Any = None,
    positive: str | float | None = None,
    incomplete: Incomplete = "refuse",
) -> Columns:
    """Return the predictions in a file, or say in a sentence what is wrong with its columns.

    Parameters
    ----------
    file
        The file.
    roles
        Which column is what.
    task, positive
        What kind of truths there are, and the positive label, if not as found.
    incomplete
        What becomes of rows without an answer.
    """
    if incomplete not in get_args(Incomplete):
        told = ", ".join(get_args(Incomplete))
        raise TableError(f"incomplete may be {told}, not {incomplete!r}")
    table = _check_names(file, roles)
    refuse_rounded(table, [(role, roles.given().get(role)) for role in _NAMES])
    _refuse_twin_ids(table, roles)
    given = roles.given()
    without = _without(table, roles.answers)
    _refuse_missing(table, [given[r] for r in given if r not in (*ANSWERS, "id")])
    n_without = int(without.sum())
    if n_without and incomplete == "refuse":
        raise TableError(_incomplete(n_without, table.num_rows))
    exclude = incomplete == "exclude"
    kept = np.flatnonzero(~without) if exclude else np.arange(table.num_rows)
    if without.all():
        raise TableError("no row of the file has an answer")
    chosen = table.take(pa.array(kept)) if len(kept) < table.num_rows else table
    names = {role: name for role, name in given.items() if role != "id"}
    try:
        if n_without and not exclude:
            task = _task_of_the_rest(chosen, roles, without, task)
        columns: dict[str, Any] = {
            role: values(chosen.column(name)) for role, name in names.items() if role != "set"
        }
        if roles.set is not None:
            columns["set"] = held(columns["truth"], chosen.column(roles.set))
        if roles.challenger:
            columns["challengers"] = {n: values(chosen.column(n)) for n in roles.challenger}
        if "passed" in names and n_without and not exclude:
            columns |= {role: failed(columns[role]) for role in _RESULTS if role in names}
        rows = _record(columns, task, positive, without[kept])
        if rows.task in {"binary", "multiclass"} or roles.set is not None:
            labels = [(role, given.get(role)) for role in _LABELS]
            labels += [("challenger", name) for name in roles.challenger]
            refuse_rounded(table, labels)
    except (TypeError, ValueError) as error:
        raise TableError(str(error)) from None
    return Columns(rows, kept, n_without, incomplete)


def _task_of_the_rest(table: Any, roles: Roles, without: NDArray[np.bool_], task: Any) -> Any:
    """Return the task of rows that have an answer, if the others can be counted as errors."""
    names = roles.given()
    if "score" in names and _without(table, [names["score"]]).any():
        raise TableError("a missing score is no error that could be counted: --incomplete exclude")
    others = [*filter(None, [roles.baseline]), *roles.challenger]
    if _without(table, others).any():
        raise TableError(
            "an answer that the baseline or a challenger lacks would count for the model: "
            "--incomplete exclude"
        )
    if "prediction" not in names:
        return None
    true = values(table.column(names["truth"]))
    none = stand_in(true)
    if np.any(true == none):
        raise TableError(
            f"a truth is {none}, which stands for a missing answer here: such an answer would "
            "count as right. Give that label another name"
        )
    whole = table.filter(pa.array(~without))
    truth, prediction = (values(whole.column(names[role])) for role in ("truth", "prediction"))
    found = task or infer_task(truth, prediction)
    if found == "regression":
        raise TableError("a missing number is no error of any size: --incomplete exclude")
    return found


def _record(
    columns: Mapping[str, Any],
    task: Any,
    positive: str | float | None,
    without: NDArray[np.bool_],
) -> Predictions:
    columns = dict(columns)
    if "passed" in columns:
        return results(columns.pop("passed"), **columns)
    truth = columns.pop("truth")
    if "prediction" not in columns:
        if "set" in columns:
            inside = columns.pop("set")
        else:
            inside = within(truth, columns.pop("low"), columns.pop("high"), unless=without)
        return results(inside & ~without, covered=np.ones(len(inside)), **columns)
    prediction = columns.pop("prediction")
    return record(truth, prediction, task=task, positive=positive, **columns)


def _check_names(file: TableFile, roles: Roles) -> Any:
    """Return the table, if it has the columns that were named and they are enough."""
    _check_roles(roles, file.table.column_names)
    table = file.table
    if roles.set is not None and roles.set in file.lists:
        table = table.append_column(roles.set, file.lists[roles.set])
    names = table.column_names
    asked = [*roles.given().items(), *(("challenger", name) for name in roles.challenger)]
    for role, name in asked:
        if name not in names:
            why = next((note.why for note in file.notes if note.about == f"column {name!r}"), "")
            if why:
                raise TableError(f"column {name!r} for --{role} was not read: {why}")
            named = "" if file.header else "; if line 1 has the names, give --header"
            near = nearest(name, names)
            single = "" if len(names) > 1 or file.typed else f"; {_ONE_COLUMN}"
            raise TableError(f"there is no column {name!r} for --{role}{near}{named}{single}")
        if any(note.why == f"{name!r} is taken already" for note in file.notes):
            raise TableError(f"two columns are called {name!r}, the one for --{role}: rename one")
    by_class = ("group", roles.truth)  # groups may be the classes themselves
    used = [name for role, name in asked if role != "id" and (role, name) != by_class]
    if len(set(used)) < len(used):
        twice = next(name for name in used if used.count(name) > 1)
        raise TableError(f"column {twice!r} is named twice: each role needs a column of its own")
    return table


def _check_roles(roles: Roles, names: Sequence[str]) -> None:
    """Refuse roles that do not say what was true and what was answered, once."""
    answers = [role for role in ("prediction", "passed", "set") if getattr(roles, role)]
    if roles.low or roles.high:
        if not (roles.low and roles.high):
            raise TableError("an interval has two ends: name both columns, --low and --high")
        answers.append("low")
    if not answers or (roles.truth is None and roles.passed is None):
        raise TableError(
            "name the columns of truths and predictions with --truth and --prediction, or that of "
            f"results with --passed; the columns are {listed_columns(names)}"
        )
    if roles.passed is not None and (roles.truth or len(answers) > 1 or roles.score):
        raise TableError("--passed stands alone: results say themselves which answers were right")
    if len(answers) > 1:
        told = " and ".join(f"--{role}" for role in answers)
        raise TableError(f"{told} are different answers: audit them one by one")
    others = roles.baseline or roles.challenger
    if "prediction" not in answers and (roles.score or (others and not roles.passed)):
        raise TableError("sets and intervals have no score and no baseline: leave them out")
    if "prediction" not in answers and roles.width:
        raise TableError("a width belongs to an answer that is a number: name it with --prediction")


def _refuse_twin_ids(table: Any, roles: Roles) -> None:
    if roles.id is None:
        return
    ids = table.column(roles.id)
    n_twins = len(ids) - len(ids.unique())
    if n_twins:
        raise TableError(
            f"{n_twins:,} rows have an id in column {roles.id!r} that another row has: each case "
            "may stand in the file once; for several rows of a case name it with --cluster"
        )


def _without(table: Any, names: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows lack an answer."""
    lacking = np.zeros(table.num_rows, dtype=np.bool_)
    for name in names:
        column = table.column(name)
        lacking |= column.is_null(nan_is_null=True).to_numpy()
    return lacking


def _refuse_missing(table: Any, names: Sequence[str]) -> None:
    for name in names:
        n_missing = int(table.column(name).is_null(nan_is_null=True).to_numpy().sum())
        if n_missing:
            raise TableError(
                f"column {name!r} lacks {n_missing:,} of {table.num_rows:,} cells: only answers "
                "may be missing, and --incomplete says what becomes of them"
            )


def _incomplete(n_without: int, n: int) -> str:
    have = "has" if n_without == 1 else "have"
    return (
        f"{n_without:,} of {n:,} rows {have} no answer. Say what they are: --incomplete errors "
        "counts them as errors; --incomplete exclude leaves them out, and narrows the claim to "
        "cases that get an answer"
    )
