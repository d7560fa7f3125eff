"""FlatBuffers, in which Arrow and Feather files tell where their columns lie.

Offsets may be damaged, so all that is read must lie in the bytes: beyond them there is struct.error
or ValueError (https://flatbuffers.dev/internals).
"""

import struct


def follow(metadata: bytes, place: int) -> int:
    """Return where an offset leads.

    Examples
    --------
    >>> follow(struct.pack("<II", 7, 9), 4)
    13
    """
    return place + number_at(metadata, place, "<I")


def field_of(metadata: bytes, table: int, place: int) -> int:
    """Return where a field of a table is, 0 if it is absent.

    Examples
    --------
    >>> metadata = struct.pack("<HHHHi", 8, 8, 4, 0, 8)  # the places of two fields, and a table
    >>> [field_of(metadata, 8, place) for place in range(3)]
    [12, 0, 0]
    """
    vtable = table - number_at(metadata, table, "<i")
    if vtable < 0:
        raise ValueError("its messages point before their beginning")
    size = number_at(metadata, vtable, "<H")
    if 4 + 2 * place >= size:
        return 0
    offset = number_at(metadata, vtable + 4 + 2 * place, "<H")
    return table + offset if offset else 0


def number_at(metadata: bytes, place: int, form: str) -> int:
    """Return a whole number, in one of the forms of `struct`.

    Examples
    --------
    >>> number_at(b"abc", 1, "<H") == 256 * ord("c") + ord("b")
    True
    """
    return int(struct.unpack_from(form, metadata, place)[0])
