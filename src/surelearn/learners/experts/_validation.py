"""Tables of losses, advice and confidences as checked arrays, or a clear refusal."""

import math
import sys
from typing import NamedTuple

import numpy as np
from scipy import sparse

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.learners.experts import _loops, _units
from surelearn.losses import Interval, Loss

_LARGEST = sys.float_info.max


class Advice(NamedTuple):
    """What the experts predicted, what came true, and what a prediction costs."""

    predictions: Matrix
    outcomes: Vector
    loss: Loss

    def chunk(self, rows: slice) -> "Advice":
        """Return some consecutive rounds."""
        return Advice(self.predictions[rows], self.outcomes[rows], self.loss)

    def expert_losses(self) -> Matrix:
        """Return what each expert loses in each round."""
        truth = np.broadcast_to(self.outcomes[:, np.newaxis], self.predictions.shape)
        return np.asarray(self.loss(truth, self.predictions))


class Table(NamedTuple):
    """The rounds of one call: losses, who is awake if not all are, and advice if there was any."""

    losses: Matrix
    awake: Matrix | None
    advice: Advice | None

    def chunk(self, rows: slice) -> "Table":
        """Return some consecutive rounds; nothing is copied."""
        return Table(
            self.losses[rows],
            None if self.awake is None else self.awake[rows],
            None if self.advice is None else self.advice.chunk(rows),
        )


def table(name: str, values: ArrayLike) -> Matrix:
    """Return a table of floats, rows one after the other in memory.

    Examples
    --------
    >>> table("losses", [[0, 1]])
    array([[0., 1.]])
    """
    if sparse.issparse(values):
        raise ValueError(f"{name} is a sparse matrix; give {name}.toarray()")
    cells = _arguments.numbers(name, sound(values))
    if cells.ndim != 2:
        raise ValueError(
            f"{name} has shape {cells.shape}; give a table with a row for each round and a "
            "column for each expert, or one row to `update` and `predict`"
        )
    return np.ascontiguousarray(cells)


def outcomes(values: ArrayLike, n_rounds: int) -> Vector:
    """Return one finite outcome for each round."""
    truth = _arguments.numbers("outcomes", sound(values))
    if truth.shape != (n_rounds,):
        raise ValueError(f"outcomes have shape {truth.shape}; give one per round: ({n_rounds},)")
    if not np.isfinite(truth).all():
        raise ValueError("an outcome is NaN or infinite; leave that round out")
    return truth


def bits(name: str, values: Matrix | Vector) -> Matrix | Vector:
    """Return the values if each is 0 or 1."""
    if not ((values == 0.0) | (values == 1.0)).all():
        raise ValueError(
            f"{name} must be 0 or 1 everywhere for a learner that votes; Hedge takes any numbers"
        )
    return values


def confidences(awake: ArrayLike, shape: tuple[int, ...]) -> Matrix:
    """Return what part each expert takes in each round, in [0, 1]."""
    mask = np.ascontiguousarray(_arguments.numbers("awake", awake))
    if mask.shape != shape:
        raise ValueError(f"awake has shape {mask.shape}; the table has shape {shape}")
    if not ((mask >= 0.0) & (mask <= 1.0)).all():
        raise ValueError("awake must hold truth values, or confidences in [0, 1]")
    return mask


def read_advice(
    predictions: Matrix, truth: ArrayLike, loss: Loss | None, awake: Matrix | None, *, convex: bool
) -> Advice:
    """Return advice for a loss; what a sleeping expert says is replaced by the outcome."""
    if not isinstance(loss, Loss) or (convex and not loss.convex):
        raise ValueError(
            f"loss={loss!r}: say what a prediction costs by a convex loss of surelearn.losses, "
            "for example learn(advice, outcomes, loss=Absolute())"
        )
    came_true = outcomes(truth, len(predictions))
    if awake is not None:
        predictions = np.where(awake > 0.0, predictions, came_true[:, np.newaxis])
    if not np.isfinite(predictions).all():
        raise ValueError("advice is NaN or infinite; let an expert that says nothing sleep")
    return Advice(predictions, came_true, loss)


def check_range(loss_range: Interval) -> None:
    """Refuse a declared range that is not a pair of finite numbers, low < high."""
    low, high = (
        _arguments.real("loss_range", end) for end in _arguments.interval("loss_range", loss_range)
    )
    if not low < high:
        raise _arguments.refuse("loss_range", loss_range, "a pair (low, high) with low < high")
    _units.unit_of(high - low)  # refuses a width that floats cannot do with


def check_losses(losses: Matrix, loss_range: Interval, first: int = 0) -> None:
    """Refuse a loss that is not finite or not in the declared range; name the first.

    `first` is the number of the first row.
    """
    low, high = loss_range
    if _loops.lie_within(losses, max(low, -_LARGEST), min(high, _LARGEST)):
        return
    t, k = np.argwhere(~(np.isfinite(losses) & (losses >= low) & (losses <= high)))[0]
    wanted = "a finite number" if math.isinf(low) else f"in loss_range=({low:g}, {high:g})"
    raise ValueError(
        f"the loss of expert {k} in row {first + t} is {losses[t, k]:g}; it must be {wanted}"
    )
