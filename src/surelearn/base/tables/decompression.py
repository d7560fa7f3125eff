"""How large compressed content may become: a few megabytes can hold terabytes."""

import os

LIMIT = "SURELEARN_MOST_BYTES"
"""The environment variable that says how many bytes a pipe or a compressed file may become."""

FLOOR, RATIO = 2**29, 200
"""Compressed content may take so many bytes, or so many times those of its file."""


def most_bytes(otherwise: int) -> int:
    """Return how many bytes content may take: what the environment says, or else the number given.

    Examples
    --------
    >>> most_bytes(1000)
    1000
    """
    said = os.environ.get(LIMIT)
    if said is None:
        return otherwise
    if not said.isdecimal():
        raise ValueError(f"{LIMIT}={said!r} must be a whole number of bytes")
    return int(said)


def most_decompressed(n_compressed: int, floor: int | None = None) -> int:
    """Return how many bytes a file may take when it is decompressed; a floor may be lower.

    Examples
    --------
    >>> most_decompressed(10), most_decompressed(2**30) == 200 * 2**30
    (536870912, True)
    """
    return most_bytes(max(FLOOR if floor is None else floor, RATIO * n_compressed))


def too_large(path: object, n_compressed: int, most: int) -> str:
    """Return the sentence about a file that grows too much."""
    return (
        f"{path} has {n_compressed:,} bytes, but holds more than {most:,} when it is decompressed, "
        f"as files do that are made to fill memory: if it is a table all the same, allow more "
        f"bytes in the environment variable {LIMIT}"
    )
