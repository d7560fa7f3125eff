"""Forgeries that stay plausible: arrays exchanged, counts that contradict each other, keys twice.

`python -m persistence.structured_forgeries SEED N` (with `tests` on the path) is `forgeries` with
these changes instead of its own.
"""

import io
import json
import sys

import numpy as np

from persistence import forgeries

SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7e308]


def forged(members, rng):
    """Return the bytes of a file in which one to three things contradict the others."""
    members = dict(members)
    for _ in range(rng.integers(1, 4)):
        change = _CHANGES[rng.integers(len(_CHANGES))]
        change(members, rng)
    return forgeries.packed(members)


def _arrays(members):
    found = {}
    for name in members:
        if name.endswith(".npy"):
            found[name] = np.load(io.BytesIO(members[name]), allow_pickle=False)
    return found


def _put(members, name, array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    members[name] = buffer.getvalue()


def _exchange(members, rng):
    """Let two arrays of the same length, or of any, take each other's place."""
    arrays = _arrays(members)
    if len(arrays) < 2:
        return
    names = list(arrays)
    one = names[rng.integers(len(names))]
    alike = [n for n in names if n != one and arrays[n].shape[:1] == arrays[one].shape[:1]]
    pool = alike if alike and rng.random() < 0.8 else [n for n in names if n != one]
    other = pool[rng.integers(len(pool))]
    members[one], members[other] = members[other], members[one]


def _of_another_model(members, rng):
    """Take an array from another file, of the same type if there is one."""
    arrays = _arrays(members)
    if not arrays:
        return
    one = list(arrays)[rng.integers(len(arrays))]
    files = list(forgeries.originals().values())
    for _ in range(20):
        others = _arrays(files[rng.integers(len(files))])
        fitting = [a for a in others.values() if a.dtype == arrays[one].dtype]
        if fitting:
            _put(members, one, fitting[rng.integers(len(fitting))])
            return


def _shifted(members, rng):
    """Change whole numbers by little, all or one; or their order."""
    whole = {n: a for n, a in _arrays(members).items() if a.dtype.kind in "iu" and a.size}
    if not whole:
        return
    name = list(whole)[rng.integers(len(whole))]
    array, how = whole[name].copy(), rng.integers(7)
    flat = array.reshape(-1)
    place = rng.integers(len(flat))
    with np.errstate(all="ignore"):
        if how < 3:
            flat[place] += [1, -1, len(flat)][how]
        elif how == 3:
            array = array[::-1].copy()
        elif how == 4:
            array = np.sort(array, axis=0)
        elif how == 5:
            array = array + np.array(1, array.dtype)
        else:
            array[...] = flat[place]
    _put(members, name, array)


def _special(members, rng):
    floats = {n: a for n, a in _arrays(members).items() if a.dtype.kind == "f" and a.size}
    if not floats:
        return
    name = list(floats)[rng.integers(len(floats))]
    array = floats[name].copy()
    value = SPECIAL[rng.integers(len(SPECIAL))]
    with np.errstate(all="ignore"):
        if rng.random() < 0.2:
            array[...] = value
        else:
            array.reshape(-1)[rng.integers(array.size)] = value
    _put(members, name, array)


def _other_count(members, rng):
    """Change a number of the description by little, or its sign, or the array that is meant."""
    told = json.loads(members["model.json"])
    places = [p for p in forgeries._places(told, ()) if p[0] != "format"]
    numbers = [p for p in places if type(_at(told, p)) in {int, float}]
    if not numbers:
        return
    path = numbers[rng.integers(len(numbers))]
    parent, old = _at(told, path[:-1]), _at(told, path)
    parent[path[-1]] = [old + 1, old - 1, -old, 2 * old, 0, old + 0.5, 10 * old][rng.integers(7)]
    members["model.json"] = json.dumps(told).encode()


def _key_twice(members, rng):
    """Say something twice, and differently: JSON takes the last."""
    text = members["model.json"].decode()
    told = json.loads(text)
    maps = [p for p in forgeries._places(told, ()) if isinstance(_at(told, p), dict)]
    known = [p for p in maps if _at(told, p)]
    if not known:
        return
    inner = _at(told, known[rng.integers(len(known))])
    key = list(inner)[rng.integers(len(inner))]
    value = forgeries.JUNK[rng.integers(len(forgeries.JUNK))]
    before = json.dumps(inner)
    after = before[:-1] + f", {json.dumps(key)}: {json.dumps(value)}}}"
    members["model.json"] = json.dumps(told).replace(before, after, 1).encode()


def _nested(members, rng):
    """Put a value into containers in each other, as deep as Python reads them."""
    told = json.loads(members["model.json"])
    places = list(forgeries._places(told, ()))
    path = places[rng.integers(len(places))]
    depth = int(rng.choice([3, 100, 900]))
    begin, end = [('{"$tuple": [', "]}"), ("[", "]"), ('{"$dict": [[1, ', "]]}")][rng.integers(3)]
    value = json.dumps(_at(told, path))
    _at(told, path[:-1])[path[-1]] = "the place"
    text = begin * depth + value + end * depth
    members["model.json"] = json.dumps(told).replace('"the place"', text, 1).encode()


def _at(told, path):
    for step in path:
        told = told[step]
    return told


_CHANGES = [
    _exchange,
    _exchange,
    _of_another_model,
    _shifted,
    _shifted,
    _special,
    _other_count,
    _other_count,
    _key_twice,
    _nested,
]


def run(seed, n):
    """Forge n files; return what did not end in a sentence, and how many were used."""
    return forgeries.run(seed, n, forge=_tried)


def _tried(members, rng):
    try:
        return forged(members, rng)
    except (
        ValueError,
        RecursionError,
        LookupError,
        TypeError,
        OverflowError,
    ):  # forged beyond reading
        return forgeries.packed(members)


if __name__ == "__main__":
    faults, n_used = run(int(sys.argv[1]), int(sys.argv[2]))
    print("\n".join(faults))  # noqa: T201
    print(f"{len(faults)} faults; {n_used} forgeries were loaded and used")  # noqa: T201
    sys.exit(bool(faults))
