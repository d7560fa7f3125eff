"""What online learners have learnt, as values: copied, compared, widened, put back.

The state of one two-class problem, or of one regression, is a NamedTuple. Its arrays are written in
place while rows are learnt; a tuple in it is history (rows kept, votes cast), which is never
written to but replaced, so that copies may share it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from surelearn._stored import holds, stored
from surelearn.base.row_reader import RowReader
from surelearn.base.states import copy_of

State: TypeAlias = tuple[Any, ...]
"""What one problem has learnt: arrays, and tuples of arrays or sparse matrices."""

History: TypeAlias = tuple[Any, ...]
"""Rows, or columns of numbers, in blocks that shrink towards the end."""

_State = TypeVar("_State", bound=State)
_Array = TypeVar("_Array", bound=NDArray[Any])

BEYOND_FLOATS = (
    "the weights grew beyond what floats can say: give a smaller learning rate (of Winnow, a "
    "smaller promotion), or scale the features"
)
"""What is said of rows whose scores are no numbers, though the rows are."""


@stored("learnt")
@holds(
    begun=BaseEstimator,
    read=RowReader,
    classes="classes?",
    positions=dict,
    states=tuple,
)
class Learnt(NamedTuple):
    """All that belongs together in a learner: read once, and replaced as a whole.

    Another thread sees all of the old or all of the new, so rows of one width never meet weights of
    another.

    Parameters
    ----------
    begun
        A copy of the learner with the parameters as they were at the first row.
    read
        Reads single rows of the width, and by the names, of that row.
    classes, positions
        The labels of a classifier, and the place of each among them.
    states
        One state for each two-class problem; a regressor has one.
    """

    begun: Any
    read: RowReader
    classes: NDArray[Any] | None
    positions: dict[Any, int]
    states: tuple[Any, ...]


def copies_of(states: Sequence[_State]) -> tuple[_State, ...]:
    """Return the states of a learner with arrays of their own, side by side."""
    return (copy_of(states[0]),) if len(states) == 1 else side_by_side(states)


def read_only(array: _Array) -> _Array:
    """Return an array that nobody else holds, after which writing to it says that it is a copy.

    Examples
    --------
    >>> read_only(np.zeros(2))[0] = 1.0
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    array.flags.writeable = False
    return array


def side_by_side(states: Sequence[_State]) -> tuple[_State, ...]:
    """Return the states of a learner so that the arrays of several lie together in memory.

    Each array of a state is then a row of one that holds those of all problems, so that compiled
    code can read them in one call. Nothing depends on it but speed: a stored and loaded learner has
    states that lie apart.

    Examples
    --------
    >>> class Sum(NamedTuple):
    ...     total: NDArray[np.float64]
    >>> first, second = side_by_side([Sum(np.zeros(2)), Sum(np.ones(2))])
    >>> first.total.base is second.total.base, first.total.base.tolist()
    (True, [[0.0, 0.0], [1.0, 1.0]])
    """
    if len(states) == 1:
        return tuple(states)
    columns: Any = zip(*states, strict=True)
    held = [np.array(c) if isinstance(c[0], np.ndarray) else c for c in columns]
    return tuple(cast("Any", type(states[0]))(*parts) for parts in zip(*held, strict=True))


def snapshot(learner: Any) -> dict[str, Any]:
    """Return all that a learner has learnt; what it learns later does not change it.

    Examples
    --------
    >>> from surelearn.base.states import same
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron().partial_fit([[1.0], [2.0]], [0, 1])
    >>> before = snapshot(model)
    >>> put_back(model.partial_fit([[-3.0]], [1]), before)
    >>> model.n_rounds_, same(model.states_, before["learnt_"].states)
    (2, True)
    """
    return _with_own_states({n: v for n, v in vars(learner).copy().items() if n.endswith("_")})


def put_back(learner: Any, kept: dict[str, Any]) -> None:
    """Make a learner what it was when the snapshot was taken; the snapshot may serve again."""
    parameters = {
        name: value for name, value in vars(learner).copy().items() if not name.endswith("_")
    }
    learner.__dict__ = parameters | _with_own_states(kept)


def _with_own_states(kept: dict[str, Any]) -> dict[str, Any]:
    """Return what was kept, with copies of the states, which a learner would write to."""
    if "learnt_" not in kept:
        return kept
    learnt: Learnt = kept["learnt_"]
    return kept | {"learnt_": learnt._replace(states=tuple(map(copy_of, learnt.states)))}


def widened(state: _State, narrow: _State, wide: _State) -> _State | None:
    """Return a state at a new width, given how it starts at the old and at the new one.

    A feature that comes late was 0 in every row until now, so its part of the state is still as it
    started: the new state is the wide start with the old state in its corner. None if there is no
    such corner: what is kept depends on the width, or holds rows of the old one.
    """
    parts = [_widened(*part) for part in zip(state, narrow, wide, strict=True)]
    return None if any(part is None for part in parts) else cast("Any", type(state))(*parts)


def _widened(part: Any, narrow: Any, wide: Any) -> NDArray[Any] | None:
    if not isinstance(part, np.ndarray):
        return None
    if np.array_equal(narrow, wide):
        return part.copy()
    corner = tuple(slice(length) for length in narrow.shape)
    fits = part.shape == narrow.shape != wide.shape
    if not (fits and np.array_equal(wide[corner], narrow)):
        return None
    grown = wide.copy()
    grown[corner] = part
    return grown


def appended(history: History, block: Any) -> History:
    """Return a history with one more block of rows at its end.

    Blocks that are no longer than the new one are joined with it, as in a binary counter: a row is
    copied only as often as the history doubles, and no block that others may share is written to.

    Examples
    --------
    >>> history = ()
    >>> for t in range(6):
    ...     history = appended(history, np.array([[t]]))
    >>> [len(block) for block in history], together(history).ravel().tolist()
    ([4, 2], [0, 1, 2, 3, 4, 5])
    """
    blocks = list(history)
    while blocks and blocks[-1].shape[0] <= block.shape[0]:
        block = together((blocks.pop(), block))
    return (*blocks, block)


def together(history: History) -> Any:
    """Return all rows of a history in one table, which is sparse if any block is."""
    if len(history) == 1:
        return history[0]
    if any(sparse.issparse(block) for block in history):
        return sparse.vstack([sparse.csr_array(block) for block in history], format="csr")
    return np.concatenate(history)
