"""Hashes by which a certificate recognises the model and the data it speaks of.

A model's fingerprint is made of its class and everything it holds: numbers by their values, not by
how memory happens to lay them out, so that a copy or a stored and loaded model has the same one.
Classes count by their stored name, so that moving their code changes no fingerprint; those that no
package has, and functions, count by their code and what it finds by name. The order of a mapping
counts, that of attributes does not. What cannot be told apart from others like it is refused: a
lock or a socket that code finds by name, too. What a model keeps elsewhere (files, variables of
packages, what its code reaches in other ways than by name) is not seen.
"""

from collections.abc import Mapping
from contextlib import suppress
from types import FunctionType
from typing import Any, cast

import narwhals as nw
import numpy as np
from scipy import sparse

from surelearn._jit.sound_matrices import sound
from surelearn.base._function_parts import Part, names_in_module, of_package
from surelearn.base._hasher import Hasher
from surelearn.base._object_parts import LAST_ASKED, is_search_tree, refusal
from surelearn.base.cell_bits import frame_cells
from surelearn.certificate import Certificate

_LAST_WITHOUT_ORDER = 2  # the schema of certificates whose fingerprints tell less apart
_former: dict[str, str] = {}  # by today's fingerprint, so that a model that changed has none


def fingerprint(model: object) -> str:
    """Return a hash of a model: its class, parameters and everything it learnt.

    Refitting or changing a model changes its fingerprint, which detaches certificates from it.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> before = fingerprint(model)
    >>> fingerprint(model) == before
    True
    >>> fingerprint(model.fit([[0.0], [1.0]], [0.0, 2.0])) == before
    False
    """
    with np.printoptions(legacy=False):  # numbers are written in full, whatever the user set
        try:
            hasher = _described(Hasher(), model)
            same = not hasher.asked_for_state or _described_anew(model) == hasher.hexdigest()
        except ValueError:
            raise
        except Exception:  # noqa: BLE001 - code of others, which may raise anything
            raise refusal(model) from None
    if not same:
        raise refusal(model)
    return hasher.hexdigest()


def _described(hasher: Hasher, model: object) -> Hasher:
    """Return a hasher that has described a model; refuse one whose parts lie too deep."""
    try:
        return hasher.add(model)
    except RecursionError:
        raise ValueError(
            f"this {type(model).__name__} cannot be recognised again: it holds things in things in "
            "things, deeper than Python can follow; keep it flatter"
        ) from None


def _described_anew(model: object) -> str:
    return Hasher().add(model).hexdigest()


def fingerprint_as(model: object, certificate: Certificate) -> str:
    """Return the fingerprint of a model in the form in which a certificate states one.

    That of a model read from a file of format 1 has two: certificates of its time state the former.
    Others may be of a time when the order of mappings and what a model would not store did not
    count, of one when coins did not and a count of queries did, or when an address of words or
    variables named like an attribute did.
    """
    found, stated = fingerprint(model), certificate.reproduce.get("model")
    if found == stated:
        return found
    old = certificate.schema <= _LAST_WITHOUT_ORDER
    known = [_former[found]] if old and found in _former else []
    for former in (_UnorderedHasher, _FormerHasher) if old else (_NamesakeHasher, _AddressHasher):
        with suppress(ValueError):  # it is too deep for a former one
            known.append(_described(former(), model).hexdigest())
    return found if stated not in known else cast("str", stated)


def remember_former_fingerprint(model: object, former: str) -> None:
    """Note by which fingerprint older certificates know a model, as long as it stays as it is."""
    _former[fingerprint(model)] = former


def data_fingerprint(X: Any, y: Any) -> str:
    """Return a hash of a table and its labels; of the table, whatever library holds it.

    Arrays and data frames of the same numbers, column by column, have the same one; a sparse matrix
    has its own. Labels of another type, or words with more room, are other labels.

    Examples
    --------
    >>> data_fingerprint([[1, 2]], ["a"]) == data_fingerprint(np.array([[1.0, 2.0]]), ["a"])
    True
    """
    hasher = Hasher()
    if nw.dependencies.is_into_dataframe(X):
        for column in nw.from_native(X, eager_only=True).iter_columns():
            hasher.add(_as_numbers(frame_cells(column)))
    elif sparse.issparse(X):
        hasher.add(sparse.csr_array(sound(X)))
    else:
        table = np.asarray(sound(X))
        if table.ndim == 0:
            raise ValueError(f"X is a {type(X).__name__}: it has no rows to be hashed")
        for column in table.T:
            hasher.add(_as_numbers(column))
    return hasher.add(np.asarray(y)).hexdigest()


def check_certificate(certificate: Certificate, model: object) -> None:
    """Raise unless the certificate speaks of exactly this model as it stands now.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron().fit([[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> certificate = model.certificates()[-1]
    >>> check_certificate(certificate, model)
    >>> check_certificate(certificate, model.partial_fit([[-0.5]], [1]))
    Traceback (most recent call last):
    ValueError: this certificate was issued for another model, or this one was refitted or changed
    since: certify it again on data it has not seen
    """
    if not isinstance(cast("object", certificate), Certificate):
        raise TypeError(f"{certificate!r} is no certificate")
    if fingerprint_as(model, certificate) != certificate.reproduce.get("model"):
        raise ValueError(
            "this certificate was issued for another model, or this one was refitted or changed "
            "since: certify it again on data it has not seen"
        )


class _NamesakeHasher(Hasher):
    """Describes objects as they were when variables counted that are named like an attribute."""

    def _names_in_module(self, function: Any) -> dict[str, Part]:
        return names_in_module(function, namesakes=True)


class _AddressHasher(_NamesakeHasher):
    """Describes objects as they were when the address of words last looked through counted."""

    def _attributes(self, value: Any) -> dict[str, Any]:
        held = super()._attributes(value)
        last = getattr(value, "__dict__", {}).get(LAST_ASKED)
        return held if last is None else {**held, LAST_ASKED: last}


class _UnorderedHasher(_AddressHasher):
    """Describes objects as certificates of schema 2 do: some that differ are alike for it."""

    def _order(self, places: list[int]) -> None:
        del places

    def _withheld(self, value: Any, state: Any) -> None:
        del value, state

    def _by_name(self, parts: Mapping[str, Part]) -> dict[str, Any]:
        return super()._by_name({name: part._replace(counts=False) for name, part in parts.items()})


class _FormerHasher(_UnorderedHasher):
    """Describes objects as the first version of format 2 did, where that told them apart."""

    def _cycle(self, depth: int) -> None:
        del depth
        self._text("<cycle>")

    def _function(self, value: Any) -> None:
        if not isinstance(value, FunctionType) or not of_package(value.__module__):
            super()._function(value)
            return
        code, closure = value.__code__, value.__closure__ or ()
        self._text(f"{value.__module__}.{value.__qualname__}{code.co_code.hex()}{code.co_consts!r}")
        self._all(cell.cell_contents for cell in closure)

    def _object(self, value: Any) -> None:
        if isinstance(value, np.random.Generator):
            self.add(None)
        elif is_search_tree(value):
            self.add(value.__getstate__())
        elif hasattr(type(value), "_former_attributes"):  # they are stored in another way since
            self.add(value._former_attributes())  # noqa: SLF001 - a hook for this
        else:
            super()._object(value)


def _as_numbers(column: Any) -> Any:
    """Return a column of numbers in double precision, unless that rounds; others as a list."""
    if column.dtype.kind in "iu" and column.size and _largest(column) > 2**53:
        return column
    return column.astype(np.float64) if column.dtype.kind in "biuf" else column.tolist()


def _largest(column: Any) -> int:
    return max(abs(int(column.max())), abs(int(column.min())))
