"""By what a hold-out and a question to it are known again: by rows, rules and answers."""

import hashlib
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Indices
from surelearn.base import fingerprint
from surelearn.base.cell_bits import cell_bits, spread, to_single
from surelearn.base.row_identity import RowSet, row_hashes, with_labels
from surelearn.evaluate._claims_beside import Beside
from surelearn.evaluate._holdout_claims import Groups, is_zero_one
from surelearn.evaluate._holdout_rules import Rules


def digest_of_question(held: Hashes, answers: Iterable[NDArray[Any]]) -> str:
    """Return a hash of rows and of what was answered to them, whatever their order.

    A model may depend on what its fingerprint does not see, and a part of the rows may be
    chosen by what was wrong in all of them: either is another question.
    """
    for column in answers:
        held = with_labels(spread(held), cell_bits(column, rounding=to_single))
    return RowSet.of(held).digest


def name_rules(rules: Rules, loss: Any, fixed: tuple[Any, ...], groups: RowSet | None) -> str:
    """Return a name for all that was fixed before anyone looked: other rules, another name."""
    try:
        named = "zero_one" if is_zero_one(loss) else loss
        return fingerprint((tuple(rules), named, fixed, groups))
    except ValueError:  # a loss that cannot be recognised again is like no other
        return uuid4().hex


def rows_in_groups(X: Any, groups: Groups | None) -> RowSet | None:
    """Return which rows count as one, whatever their order."""
    if groups is None:
        return None
    return RowSet.of(with_labels(row_hashes(X), cell_bits(groups.places)))


def what_counts(
    held: Hashes, counted: Indices | None, beside: Beside | None, seed: int | None
) -> tuple[Any, ...]:
    """Return what else is fixed: claims, and the draw by order or by the seed, if there is one.

    One row of each group is drawn, and some claims go by the order of rows. Whoever drew again
    until the bound is good would have chosen it by these rows.
    """
    drawn = None if counted is None else RowSet.of(held[counted]).digest
    if beside is None:
        return (drawn,)
    order = hashlib.sha256(held.tobytes()).hexdigest()
    return (drawn, beside.named, beside.baseline, (order, seed))
