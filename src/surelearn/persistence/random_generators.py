"""Generators of random numbers as JSON: a game that is loaded draws on as it would have drawn."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator

from surelearn.persistence.names import StateError

_KIND = "PCG64"  # what NumPy makes of a seed
_WORD = re.compile(r"[0-9a-f]{1,32}")  # of 128 bits


def describe_coins(coins: Generator) -> dict[str, Any]:
    """Return where a generator stands; one that was not made of a seed is refused.

    Examples
    --------
    >>> told = describe_coins(np.random.default_rng(7))
    >>> told["$coins"], make_coins(told).random() == np.random.default_rng(7).random()
    ('PCG64', True)
    """
    if type(coins) is not Generator or type(coins.bit_generator) is not PCG64:
        raise StateError("it draws from a generator that was not made of a seed: give a number")
    held: Any = coins.bit_generator.state
    words = {name: f"{held['state'][name]:x}" for name in ("state", "inc")}
    return {"$coins": _KIND, **words, "half": held["uinteger"] if held["has_uint32"] else None}


def make_coins(piece: Mapping[str, Any]) -> Generator:
    """Return the generator that stands where a description says, if one can stand there."""
    kind, state, stream, half = (piece.get(name) for name in ("$coins", "state", "inc", "half"))
    words = all(isinstance(word, str) and _WORD.fullmatch(word) for word in (state, stream))
    fits = half is None or (type(half) is int and 0 <= half < 2**32)
    if kind != _KIND or len(piece) != 4 or not words or not fits:
        raise StateError("its generator of random numbers makes no sense")
    if not int(str(stream), 16) & 1:  # an even one may return the same number for ever
        raise StateError("its generator of random numbers is one that no seed makes")
    bits = PCG64(0)
    bits.state = {
        "bit_generator": _KIND,
        "state": {"state": int(str(state), 16), "inc": int(str(stream), 16)},
        "has_uint32": int(half is not None),
        "uinteger": half or 0,
    }
    return np.random.Generator(bits)
