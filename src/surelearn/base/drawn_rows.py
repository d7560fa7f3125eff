"""What training rows show of how they were drawn: only whether some repeat others."""

from typing import Any, cast

from surelearn._jit.fingerprints import SKETCH_SIZE, Hashes
from surelearn.certificate import Evidence, assumed

_NOT_SEEN = "cannot be verified from the data"
_SEVERAL = 0.05  # of the rows; the number of different ones in a large table is only estimated


def drawn_independently(model: Any) -> Evidence:
    """Return what is known of the assumption that a model's training rows are independent draws."""
    names = "training_rows_", "n_distinct_rows_", "n_training_rows_"
    hashes, n_distinct, n_rows = (getattr(model, name, None) for name in names)
    if n_rows is None or (hashes is None and n_distinct is None):
        return _NOTHING
    if n_distinct is not None:  # the sketch may leave rows out, or hold others
        return _repeated(int(n_distinct), int(n_rows))
    return independent_rows(cast("Any", hashes), int(n_rows))


def independent_rows(hashes: Hashes, n_rows: int) -> Evidence:
    """Return the same for a sketch of the rows and their number.

    Equal rows prove nothing: draws from few values coincide. But if they are copies, what is stated
    from training rows is false, and the reader should know that there are some.

    Examples
    --------
    >>> import numpy as np
    >>> independent_rows(np.arange(300, dtype=np.uint64), 1200).text
    'cannot be verified from the data; 900 of the 1,200 rows repeat the features of others, and are
    taken as independent draws'
    """
    n_distinct, about = len(hashes), ""
    if n_distinct >= SKETCH_SIZE:  # those are the smallest: how dense they lie tells how many
        n_distinct, about = round((SKETCH_SIZE - 1) * 2.0**64 / float(hashes[-1])), "about "
        if n_distinct > (1.0 - _SEVERAL) * n_rows:
            return _NOTHING
    return _repeated(n_distinct, n_rows, about)


def _repeated(n_distinct: int, n_rows: int, about: str = "") -> Evidence:
    """Return what is known of rows of which so many are different."""
    if n_distinct >= n_rows:
        return _NOTHING
    copies = f"{about}{n_rows - n_distinct:,} of the {n_rows:,} rows"
    return assumed(
        f"{_NOT_SEEN}; {copies} repeat the features of others, and are taken as independent draws"
    )


_NOTHING = assumed(_NOT_SEEN)
