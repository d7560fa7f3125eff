"""What rows outside the bags say of an ensemble: losses and sizes, as `bounds.votes` takes them.

A member is tested on rows outside its bag, among some that were drawn without looking at the data;
a pair of members on those outside both bags.
"""

from typing import Any, NamedTuple

import numpy as np

from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector

MOST_TESTED = 20_000
"""How many rows test the members: pairs of many members on many rows would take too long."""

_MOST_CORRELATED = 5000  # rows by which a correlation is estimated
_BLOCK = 2048
_TESTED = 3  # what these random numbers are for
_ROUNDING = 1e-12  # a variance of losses below it may be an error of rounding


@stored("out-of-bag")
@holds(
    losses="finite[members]",
    sizes="int[members]",
    tandem_losses="finite[members, members]",
    tandem_sizes="int[members, members]",
    n_rows="count",
    n_errors="count",
)
class OutOfBag(NamedTuple):
    """How the members did on rows outside their bags.

    Attributes
    ----------
    losses, sizes
        The mean loss of each member on the rows outside its bag, and how many these are.
    tandem_losses, tandem_sizes
        The mean product of the losses of each pair on the rows outside both bags; their number.
    n_rows, n_errors
        The rows that some member has not seen, and on how many of them the vote of these errs.
    """

    losses: Vector
    sizes: Indices
    tandem_losses: Matrix
    tandem_sizes: Indices
    n_rows: int
    n_errors: int

    def _check_state(self) -> None:
        for losses in (self.losses, self.tandem_losses):
            if losses.size and not (losses.min() >= 0.0 and losses.max() <= 1.0):
                raise ValueError("a loss is outside [0, 1]")
        if (self.sizes < 0).any() or (self.tandem_sizes < 0).any():
            raise ValueError("a member was tested on fewer than no rows")
        if not 0 <= self.n_errors <= self.n_rows:
            raise ValueError("the vote errs on more rows than there are")


def rows_for_tests(seed: int, n_rows: int, references: Indices | None) -> Indices:
    """Return the rows that may test members: none by which bins were found, and not too many.

    Examples
    --------
    >>> rows_for_tests(0, 5, np.array([1, 3])).tolist()
    [0, 2, 4]
    """
    taken = np.empty(0, dtype=np.int64) if references is None else references
    n_free = n_rows - len(taken)
    places = np.arange(min(n_free, MOST_TESTED))
    if n_free > MOST_TESTED:
        rng = np.random.default_rng([_TESTED, 0, seed])
        places = np.sort(rng.choice(n_free, size=MOST_TESTED, replace=False, shuffle=False))
    # Before the i-th row that is taken stand as many free ones as its place less i.
    return places + np.searchsorted(taken - np.arange(len(taken)), places, side="right")


def summarise(losses: Matrix, outside: Mask, votes: Matrix, labels: Indices) -> OutOfBag:
    """Return what the tests say, given the loss of each member on each row, and where it counts.

    `votes` holds for each row and class the sum of what the members that have not seen it say.

    Examples
    --------
    >>> outside = np.array([[True, True, False], [False, True, True]])
    >>> losses = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    >>> votes, labels = np.array([[1.0, 0], [0, 2], [1, 0]]), np.array([0, 0, 0])
    >>> found = summarise(losses, outside, votes, labels)
    >>> found.losses.tolist(), found.tandem_sizes.tolist(), found.n_errors
    ([0.5, 0.5], [[2, 1], [1, 2]], 1)
    """
    n_members = len(losses)
    tandem, sizes = np.zeros((n_members, n_members)), np.zeros((n_members, n_members))
    for start in range(0, losses.shape[1], _BLOCK):
        there = outside[:, start : start + _BLOCK].astype(np.float64)
        lost = losses[:, start : start + _BLOCK] * there
        tandem += lost @ lost.T
        sizes += there @ there.T
    alone = sizes.diagonal()
    singles = (losses * outside).sum(axis=1)
    seen = outside.any(axis=0)
    wrong = votes.argmax(axis=1) != labels
    return OutOfBag(
        losses=_means(singles, alone),
        sizes=alone.astype(np.int64),
        tandem_losses=_means(tandem, sizes),
        tandem_sizes=sizes.astype(np.int64),
        n_rows=int(seen.sum()),
        n_errors=int((wrong & seen).sum()),
    )


def _means(sums: Matrix, sizes: Matrix) -> Matrix:
    """Return sums over sizes, 0 where there is no row; rounding does not lead out of [0, 1]."""
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0.0)
    return np.clip(means, 0.0, 1.0)


def correlation(losses: Matrix, outside: Mask) -> float | None:
    """Return the mean correlation of the losses of two members, on the rows outside both bags.

    Means, squares and products of a pair are all of these rows. A pair of which one has the same
    loss on all of them has no correlation and is left out; None if every pair is. Of many rows an
    even share is looked at: it is an estimate, and nothing is proved by it.

    Examples
    --------
    >>> outside = np.array([[True, True, True, True], [True, True, True, False]])
    >>> losses = np.array([[0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    >>> correlation(losses, outside)
    0.5
    """
    step = -(-losses.shape[1] // _MOST_CORRELATED)
    losses, outside = losses[:, ::step], outside[:, ::step]
    n_members = len(losses)
    products, sums, squares, sizes = np.zeros((4, n_members, n_members))
    # Rounding is least where losses are small: each is told from the member's own mean.
    middles = _means((losses * outside).sum(axis=1), outside.sum(axis=1))[:, np.newaxis]
    for start in range(0, losses.shape[1], _BLOCK):
        there = outside[:, start : start + _BLOCK].astype(np.float64)
        lost = (losses[:, start : start + _BLOCK] - middles) * there
        products += lost @ lost.T
        sums += lost @ there.T  # of the losses of the first on the rows outside both
        squares += lost**2 @ there.T
        sizes += there @ there.T
    sizes = np.maximum(sizes, 1.0)
    means = sums / sizes
    variances = squares / sizes - means**2
    pairs = np.triu((variances > _ROUNDING) & (variances.T > _ROUNDING), 1)
    if not pairs.any():
        return None
    covariances = (products / sizes - means * means.T)[pairs]
    found = covariances / np.sqrt(variances[pairs] * variances.T[pairs])
    return float(np.clip(np.mean(found), -1.0, 1.0))


def refuse_no_correlation(model: Any) -> None:
    """Refuse what a forged model file may hold in place of a correlation."""
    found: float | None = getattr(model, "correlation_of_losses_", None)
    if found is not None and not -1.0 <= found <= 1.0:
        raise ValueError(f"{found} is no correlation of losses")
