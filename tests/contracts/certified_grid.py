"""Hold-outs and tables over all rules that can be combined: which sentence is made of which."""

import itertools
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from pyarrow import parquet
from sklearn.dummy import DummyClassifier

from surelearn import Holdout, Perceptron, Quantile
from surelearn.app.certify import certify_table
from surelearn.app.in_parts.first_look import look_at_parts
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.claims._ranks import keeping_all
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate._holdout_claims import copies_by_their_means
from surelearn.evaluate.ledger import forget
from surelearn.learners.linear.linear_regression import LinearRegression

Issued = list[Any]

X, Y = Noisy(3, 0.1).draw(100, seed=5)
GROUPS = np.arange(100) // 2
WORDS = ("neg", "pos")
_MODES = (
    {"mode": "once"},
    {"mode": "family", "n_models": 2},
    {"mode": "gate", "n_models": 2, "target": 50.0},
)
_COPIES = ((1, "together"), (2, "together"), (2, "independent"))


def _quarter(labels: Any, predicted: Any) -> Any:
    """Return a loss of one's own."""
    return 0.25 * (labels != predicted)


LOSSES = (
    {"loss": "zero_one"},
    {"loss": "zero_one", "by_class": True},
    {"loss": _quarter},
    {"loss": Quantile(0.1), "delta": 0.2},
)


def holdout_grid(
    words: Iterable[str] = WORDS, losses: Iterable[dict[str, Any]] = LOSSES
) -> Iterator[Issued]:
    """Yield a hold-out of each loss, mode and sort of rows, given or split off.

    `words` are the names of the two classes.
    """
    labels = np.array(list(words))[(Y > 0).astype(int)]
    for loss, mode, groups in itertools.product(losses, _MODES, (None, GROUPS)):
        rules = {**loss, **mode, "groups": groups}
        targets = X[:, 0] if isinstance(loss["loss"], Quantile) else labels
        yield _given(targets, rules)
        for times, copies in _COPIES:
            yield _split(targets, rules, times=times, copies=copies)


def _given(targets: Any, rules: dict[str, Any]) -> Issued:
    forget()
    if rules["groups"] is not None and "by_class" in rules:
        rules = {**rules, "by_class": np.unique(targets)}
    held_out = Holdout(X, targets, **rules)
    new, _ = Noisy(3, 0.1).draw(100, seed=6)
    return _answers(held_out, new, np.roll(targets, 1))


def _split(targets: Any, rules: dict[str, Any], *, times: int, copies: str) -> Issued:
    """Certify on rows that stand there several times; independent copies are in other groups."""
    forget()
    if rules["groups"] is not None:
        apart = 100 if copies == "independent" else 0
        rules = {**rules, "groups": np.concatenate([GROUPS + k * apart for k in range(times)])}
    rows, answers = np.concatenate([X] * times), np.concatenate([targets] * times)
    train_x, train_y, held_out = Holdout.split(
        rows, answers, fraction=0.5, seed=0, copies=copies, **rules
    )
    return _answers(held_out, train_x, train_y)


def _answers(held_out: Holdout, X: Any, y: Any) -> Issued:
    """Ask about a model that remembers its rows; and, in a family, about one that does not."""
    numbers = np.asarray(y).dtype.kind == "f"
    models: list[Any] = [LinearRegression() if numbers else Perceptron(max_iter=2)]
    if held_out._rules.mode == "family" and not numbers:
        models.append(DummyClassifier())
    found = [held_out.answer(model.fit(X, y)) for model in models]
    return [c for a in found for c in (a.certificate, *a.by_class.values())]


def write_table(folder: pathlib.Path) -> TableFile:
    """Write a table with copies, if its column of lengths is dropped, and read it."""
    rng = np.random.default_rng(0)
    lines = ["owner,day,weight,length,price,kind"]
    lengths = rng.permutation(1080)[:540] / 8
    for i, weight in enumerate(rng.normal(4.0, 1.5, size=540).round(2)):
        kind = "cat" if weight + rng.normal(0.0, 0.5) > 4.0 else "dog"
        price = weight * 2 + rng.normal()
        lines.append(f"owner{i // 2},{i},{weight},{lengths[i]},{price:.2f},{kind}")
    path = folder / "grid.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_table_file(path)


_TARGETS = (
    {"target": "kind", "learners": ("AveragedPerceptron",), "drop": ("price",)},
    {"target": "price", "learners": ("RidgeRegression",), "drop": ("kind",)},
    {"target": "kind", "select": "structural-risk", "drop": ("price",)},
)
_PLANS = (  # what is dropped, and how it is asked; without lengths there are copies
    ((), {}),
    (("length",), {}),
    (("length",), {"copies": "independent"}),
    (("length",), {"looks": 2}),
)


def table_grid(
    folder: pathlib.Path,
    tasks: Iterable[dict[str, Any]] = _TARGETS,
    *,
    every: int = 1,
    plain: bool = False,
) -> Iterator[Issued]:
    """Yield what is certified of a table with and without copies, by groups and by time.

    Of all combinations every so manieth: of 2, any two choices still meet. `plain` leaves out
    copies and looks that are planned by groups or by time: they are told in the same words.
    """
    file = write_table(folder)
    arranged = ({}, {"group": "owner"}, {"time": "day"})
    axes = (list(enumerate(axis)) for axis in (tasks, arranged, _PLANS))
    for (i, task), (j, by), (k, (dropped, plan)) in itertools.product(*axes):
        if (i + j + k) % every or (plain and plan and by):
            continue
        if "select" in task and by:
            continue  # structural risk needs rows that are independent draws
        left = sorted({"owner", "day"} - set(by.values()))
        forget()
        yield certified(file, {**task, **by, **plan, "drop": (*task["drop"], *dropped, *left)})


def older_grid(folder: pathlib.Path) -> dict[str, list[Issued]]:
    """Return what was certified of numbers when certificates stored every residual.

    And of classes, when the mean loss of copies was bet on.
    """
    numbers = [task for task in _TARGETS if task["target"] == "price"]
    of_sizes = [one for one in LOSSES if isinstance(one["loss"], Quantile)]
    with keeping_all():
        holdouts = list(holdout_grid(losses=of_sizes))
        runs = list(table_grid(folder, numbers, plain=True))
    with copies_by_their_means():
        of_classes = itertools.product(LOSSES[:2], _MODES)
        rules = ({**loss, **mode, "groups": None} for loss, mode in of_classes)
        labels = np.array(WORDS)[(Y > 0).astype(int)]
        holdouts += [_split(labels, one, times=2, copies="together") for one in rules]
        runs += [*_runs_on_copies(folder), *parted_grid(folder, _TARGETS[:1])]
    return {"Holdout": holdouts, "certify_table": runs}


def _runs_on_copies(folder: pathlib.Path) -> Iterator[Issued]:
    file = write_table(folder)
    for plan in ({}, {"looks": 2}):
        forget()
        drop = ("price", "owner", "day", "length")
        yield certified(file, {**_TARGETS[0], **plan, "drop": drop})


_PLANS_IN_PARTS = (  # with lengths all rows are distinct; without them some are copies
    {"drop": ("owner", "day")},
    {"drop": ("owner", "day", "length")},
    {"drop": ("owner", "day", "length"), "looks": 2},
    {"drop": ("day",), "group": "owner"},
)


def parted_grid(
    folder: pathlib.Path, tasks: Iterable[dict[str, Any]] = _TARGETS
) -> Iterator[Issued]:
    """Yield what is certified of the same table in two files, a block of rows at a time."""
    whole, place = write_table(folder).table, folder / "parts"
    place.mkdir()
    for i in range(2):
        parquet.write_table(whole.slice(270 * i, 270), place / f"{i}.parquet", row_group_size=100)
    for task, plan in itertools.product(tasks, _PLANS_IN_PARTS):
        if "select" in task and "group" in plan:
            continue
        forget()
        file = look_at_parts(place, target=task["target"], seed=0, holdout=0.2)
        yield certified(file, {**task, **plan, "drop": (*task["drop"], *plan["drop"])})


def certified(file: TableFile, options: dict[str, Any]) -> Issued:
    """Return all certificates of a run: of all rows, of each class, of the training rows."""
    run = certify_table(file, **options)
    bound = getattr(run.choice, "bound", None)
    return [run.certificate, *run.by_class.values(), *([] if bound is None else [bound])]
