"""Drawing a hold-out: from a number and a seed alone, in the same way everywhere."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable

from surelearn import _arguments
from surelearn._jit.fingerprints import Hashes
from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike, Indices
from surelearn.base.chunks import some_rows
from surelearn.base.row_identity import (
    RowSet,
    count_distinct,
    count_rounded,
    count_shared,
    number_copies,
    rounded_hashes,
    row_hashes,
    rows_of,
)
from surelearn.certificate import Evidence, assumed, by_construction, checked
from surelearn.evaluate._holdout_claims import Groups
from surelearn.evaluate._holdout_rules import check_groups, check_labels

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
    """A table split by a seed: which rows train, in an order drawn, and which are held out.

    With the rules of the hold-out that follow from how it was drawn, and what that makes true.
    """

    X: Any
    y: NDArray[Any]
    train: Indices
    holdout: Indices
    rules: dict[str, Any]
    evidence: dict[str, Evidence]

    @property
    def table(self) -> RowSet:
        """All rows with their labels."""
        return rows_of(self.X, self.y)

    @property
    def training(self) -> tuple[Any, NDArray[Any]]:
        """The rows and labels to train on, shuffled for learners that go by their order."""
        return some_rows(self.X, self.train), self.y[self.train]

    @property
    def held_out(self) -> tuple[Any, NDArray[Any]]:
        """The rows and labels of the hold-out, in their order."""
        return some_rows(self.X, self.holdout), self.y[self.holdout]


def draw(
    X: Any, y: ArrayLike, *, fraction: float, seed: int, copies: Copies, rules: Mapping[str, Any]
) -> Drawn:
    """Split rows by the seed; equal ones stay on the same side if they are to stay together.

    `rules` are those of the hold-out; where they name groups, whole ones are drawn.
    """
    X = sound(X)
    _arguments.open_fraction("fraction", fraction)
    if X is None:
        raise ValueError("X is None: give the rows")
    (X,) = indexable(X)
    y = check_labels(X, y)
    groups = check_groups(rules.get("groups"), y)
    if copies not in get_args(Copies):
        raise _arguments.refuse("copies", copies, "'together' or 'independent'")
    if len(y) < 2:
        raise ValueError("a split into two parts needs two rows at least")
    hashes = row_hashes(X)
    places, drew = _what_is_drawn(hashes, groups, copies)
    if places is None:
        held_out = draw_some(len(y), fraction=fraction, seed=seed)
    elif len(np.unique(places)) < 2:
        raise ValueError("all rows are copies of one row, or one group: nothing can be split")
    else:
        held_out = draw_groups(places, fraction=fraction, seed=seed)
    train = np.delete(np.arange(len(y)), held_out)
    known = {"blind_split": by_construction(drew), **_compare_parts(X, hashes, train, held_out)}
    rules = dict(rules)
    if places is not None:
        rules["groups"] = Groups(places[held_out], of_copies=groups is None)
        if rules.get("by_class") is True:
            # Groups are drawn with their labels: the hold-out cannot tell which classes exist.
            rules["by_class"] = np.unique(y[train])
    return Drawn(X, y, np.random.default_rng(seed).permutation(train), held_out, rules, known)


def _what_is_drawn(
    hashes: Hashes, groups: Groups | None, copies: Copies
) -> tuple[Indices | None, str]:
    """Return which rows are drawn as one, if some are, and the words for it."""
    if groups is not None:
        return groups.places, "Holdout.split drew whole groups"
    places = number_copies(hashes) if copies == "together" else None
    if places is None:
        return None, "Holdout.split drew it"
    return places, "Holdout.split drew it, copies of a row together"


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
