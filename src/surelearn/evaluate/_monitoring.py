"""What monitors share: the looks they were asked for, and blocks of rows that arrive together."""

from array import array
from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from datetime import date
from numbers import Number
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._locks import CopiedInTurn, in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Mask, Vector
from surelearn.base.fitting import missing
from surelearn.bounds import Guarantee

HOWEVER_OFTEN = "however often one looks"
"""What an anytime bound promises, in the words of its claim; another moment has another bound."""

MOST_LOOKS = 200
"""How many moments of its history a monitor evaluates."""


class FixedBeforehand(CopiedInTurn):
    """Settings of a monitor stay what they were when the first row came, or nothing is certified.

    Examples
    --------
    >>> from surelearn.evaluate.risk_monitor import RiskMonitor
    >>> RiskMonitor(delta=0.05).delta = 0.5
    Traceback (most recent call last):
    AttributeError: delta is fixed when a RiskMonitor is made: make another one
    """

    @in_turn
    def __copy__(self) -> Self:
        """Return a monitor that goes on without changing this one."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            own = isinstance(value, array | deque | list | dict)
            vars(twin)[name] = copy(value) if own else value
        return twin

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to replace what was set; counts are private, and read as properties."""
        if not name.startswith("_") and name in vars(self):
            kind = type(self).__name__
            raise AttributeError(f"{name} is fixed when a {kind} is made: make another one")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        """Refuse to remove what was set, which would make room for something else."""
        setattr(self, name, None)
        super().__delattr__(name)


@dataclass(frozen=True, eq=False, repr=False)
class MonitorHistory(Shown, drawn_by="monitor.plot_monitor"):
    """What a monitor showed, moment by moment: the mean so far and the bound on it.

    Parameters
    ----------
    rows
        How many rows had counted by then.
    observed, bounds
        The mean of these rows and the bound on its expectation; all bounds hold together.
    direction
        Whether the bounds are "upper" or "lower" ones.
    quantity
        What is bounded.
    share
        Whether it is a share, which is drawn in percent.

    Examples
    --------
    >>> from surelearn.evaluate.risk_monitor import RiskMonitor
    >>> history = RiskMonitor().update([0, 1, 0]).update([0] * 97).history()
    >>> history.rows.tolist(), history.observed.round(2).tolist()
    ([3.0, 100.0], [0.33, 0.01])
    """

    rows: Vector
    observed: Vector
    bounds: Vector
    direction: Literal["upper", "lower"]
    quantity: str
    share: bool = True


def history_of(
    looks: list[tuple[int, float]],
    guarantee_of: Callable[[int, float], Guarantee],
    scale: Callable[[float], float],
    *,
    share: bool = True,
) -> MonitorHistory:
    """Return the bounds at the moments remembered, at no more than MOST_LOOKS of them."""
    if not looks:
        raise ValueError("nothing was seen yet: call update before asking for the history")
    places = np.unique(np.linspace(0, len(looks) - 1, MOST_LOOKS).astype(np.int64))
    chosen = [looks[place] for place in places]
    found = [guarantee_of(n, total) for n, total in chosen]
    return MonitorHistory(
        rows=np.array([n for n, _ in chosen], dtype=np.float64),
        observed=np.array([scale(total / n) for n, total in chosen]),
        bounds=np.array([guarantee.bound for guarantee in found]),
        direction=found[-1].direction,
        quantity=found[-1].quantity,
        share=share,
    )


def pair_of_labels(y_true: Any, y_pred: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return truths and predictions as arrays of one length; a missing one is refused."""
    truth, answer = _arguments.labels("y_true", y_true), _arguments.labels("y_pred", y_pred)
    if len(truth) != len(answer):
        raise ValueError(f"y_true has {len(truth)} rows and y_pred has {len(answer)}")
    for name, values in (("y_true", truth), ("y_pred", answer)):
        if any(map(missing, values.tolist())):
            raise ValueError(
                f"{name} has missing values: a monitor that leaves rows out watches other rows; "
                "wait until the label of every row is known, or count missing ones as errors"
            )
    return truth, answer


def is_label(values: NDArray[Any], label: Any) -> Mask:
    """Return where an array holds a label; labels of another kind, and scores, are refused.

    Examples
    --------
    >>> is_label(np.array(["yes", "no"]), "yes")
    array([ True, False])
    >>> is_label(np.array([0.2, 0.7]), 1)
    Traceback (most recent call last):
    ValueError: 0.2 looks like a score, not like a label: compare it with a threshold first
    """
    kind = values.dtype.kind
    kinds = {type(value): value for value in (values if kind == "O" else values[:1])}
    if not all(_are_alike(value, label) for value in kinds.values()):
        shown = _arguments.short(values[:1].tolist())
        raise ValueError(f"positive={label!r} is another kind of label than those given: {shown}")
    if kind == "f" and not (whole := np.floor(values) == values).all():
        score = float(values[int(np.argmin(whole))])
        raise ValueError(
            f"{score:g} looks like a score, not like a label: compare it with a threshold first"
        )
    return np.asarray(values == label, dtype=np.bool_)


def a_label(name: str, value: Any) -> Any:
    """Return one label; lists, gaps and what cannot be compared are refused.

    Examples
    --------
    >>> a_label("positive", "yes")
    'yes'
    """
    if not isinstance(value, str | bytes | Number | np.generic | date) or missing(value):
        raise ValueError(
            f"{name}={_arguments.short(value)} is no label: give one of those answered"
        )
    return value


def _are_alike(value: Any, label: Any) -> bool:
    """Return whether two labels are of kinds that can be equal: words, numbers, or moments."""
    kinds = (str, bytes, Number | np.bool_, date | np.datetime64)
    return any(isinstance(value, kind) and isinstance(label, kind) for kind in kinds)


def pair_of_losses(first: ArrayLike, second: ArrayLike) -> tuple[Vector, Vector]:
    """Return the losses of two models on the same rows, in [0, 1]."""
    one = _arguments.vector("first", first, low=0.0, high=1.0)
    other = _arguments.vector("second", second, low=0.0, high=1.0)
    if len(one) != len(other):
        raise ValueError(
            f"first has {len(one)} losses and second {len(other)}: score both models on every row"
        )
    return one, other
