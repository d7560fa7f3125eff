"""Drawing a hold-out: from a number and a seed alone, in the same way everywhere."""

from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices
from surelearn.base.row_identity import (
    count_distinct,
    count_rounded,
    count_shared,
    number_copies,
    rounded_hashes,
    row_hashes,
)
from surelearn.certificate import Evidence, assumed, by_construction, checked
from surelearn.evaluate._holdout_claims import Groups

Copies: TypeAlias = Literal["together", "independent"]
"""What becomes of equal rows: they stay together, or each is a draw of its own."""

ROUNDED = (
    "coincide with training rows once fractions are rounded to single or half precision; they are "
    "taken as independent draws"
)
ALSO_ROUNDED = "; none is one of the other side with fractions rounded to single or half precision"
"""What is said of rows that coincide if they are rounded, and of a split without any."""

ALSO_ROUNDED_BEFORE = (
    "; none on both sides coincide once fractions are rounded to single or half precision"
)
"""What certificates said of it before: as if both sides were rounded."""


def draw_some(n: int, *, fraction: float, seed: int) -> Indices:
    """Return which of n rows are held out, in their order: the fraction rounded, never all or none.

    Examples
    --------
    >>> draw_some(10, fraction=0.3, seed=1).tolist()
    [4, 7, 8]
    """
    n_held_out = min(max(round(fraction * n), 1), n - 1)
    return np.sort(np.random.default_rng(seed).permutation(n)[:n_held_out])


def draw_groups(groups: NDArray[Any], *, fraction: float, seed: int) -> Indices:
    """Return the rows of the groups that are held out; how many groups is fixed beforehand.

    Examples
    --------
    >>> draw_groups(np.array(["a", "a", "b", "b", "c", "c"]), fraction=0.3, seed=0).tolist()
    [4, 5]
    """
    names, membership = np.unique(groups, return_inverse=True)
    held_out = draw_some(len(names), fraction=fraction, seed=seed)
    return np.flatnonzero(np.isin(membership, held_out))


class Drawn(NamedTuple):
    """A split: the places of its rows, what counts as one draw, and what that makes true."""

    train: Indices
    holdout: Indices
    groups: Indices | None
    of_copies: bool
    evidence: dict[str, Evidence]

    def shuffled(self, seed: int) -> Indices:
        """Return the training rows in an order drawn by the seed, for learners that go by it."""
        return np.random.default_rng(seed).permutation(self.train)

    def rules(self, y: NDArray[Any], by_class: Any) -> dict[str, Any]:
        """Return the rules of the hold-out that follow from how it was drawn."""
        if self.groups is None:
            return {}
        rules: dict[str, Any] = {"groups": Groups(self.groups[self.holdout], self.of_copies)}
        # Groups are drawn with their labels, so that the hold-out cannot tell which classes exist.
        return rules | ({"by_class": np.unique(y[self.train])} if by_class is True else {})


def draw(
    X: Any, n: int, *, fraction: float, seed: int, copies: Any, groups: NDArray[Any] | None
) -> Drawn:
    """Split rows by the seed; equal ones stay on the same side if they are to stay together."""
    if copies not in get_args(Copies):
        raise _arguments.refuse("copies", copies, "'together' or 'independent'")
    if n < 2:
        raise ValueError("a split into two parts needs two rows at least")
    hashes = row_hashes(X)
    places, drew = groups, "Holdout.split drew whole groups"
    if groups is None and copies == "together":
        places, drew = number_copies(hashes), "Holdout.split drew it, copies of a row together"
    if places is None:
        held_out, drew = draw_some(n, fraction=fraction, seed=seed), "Holdout.split drew it"
    else:
        if len(np.unique(places)) < 2:
            raise ValueError("all rows are copies of one row, or one group: nothing can be split")
        held_out = draw_groups(places, fraction=fraction, seed=seed)
    train = np.delete(np.arange(n), held_out)
    found = {
        "blind_split": by_construction(drew),
        **_compare_parts(X, hashes, train, held_out),
    }
    return Drawn(train, held_out, places, groups is None and places is not None, found)


def _compare_parts(
    X: Any, hashes: Hashes, train: Indices, held_out: Indices
) -> dict[str, Evidence]:
    """Say whether rows stand on both sides of a split, as they are or rounded."""
    n, n_distinct = len(hashes), count_distinct(hashes)
    across = count_shared(hashes[held_out], hashes[train]) if n_distinct < n else 0
    if across:
        told = f"{across:,} of {len(held_out):,} held-out rows coincide with training rows and are "
        independent = assumed(f"{told}taken as independent draws")
        return {"unseen": independent, "copies": independent}
    rounded = count_rounded(hashes, rounded_hashes(X), train=train, held_out=held_out)
    if rounded:
        alike = assumed(f"{rounded:,} of {len(held_out):,} held-out rows {ROUNDED}")
        return {"unseen": alike, "copies": alike}
    told = f"all {n:,} rows are distinct"
    if n_distinct < n:
        told = f"{n_distinct:,} of {n:,} rows are distinct, and no copies stand on both sides"
    return {"copies": checked(f"{told}{ALSO_ROUNDED}")}
