"""What a model answers to the rows held out, asked in one pass over all parts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn._typing import Vector
from surelearn.app.errors import TableError
from surelearn.app.in_parts.first_look import summed
from surelearn.app.in_parts.reading import RowReader
from surelearn.app.tables.memory_mapped import array_on_disk, too_many
from surelearn.base.chunks import in_chunks
from surelearn.base.parted import Block
from surelearn.evaluate._rows_beside import gives_widths, widths_of
from surelearn.scale import Parts

_FEW = 256  # different labels that fit into one byte


class Piece(NamedTuple):
    """What was answered to the rows held out of a block.

    Attributes
    ----------
    hashes
        What each row is known by.
    labels, truth, predicted
        The labels there are, and the places of those that are true and that were answered; of
        numbers there are no labels, and these are the numbers.
    score, width
        How likely the model holds the second of two classes, and how wide it says that its errors
        are, if it says so.
    """

    hashes: Hashes
    labels: NDArray[Any] | None
    truth: NDArray[Any]
    predicted: NDArray[Any]
    score: Vector | None
    width: Vector | None = None


@dataclass(frozen=True, eq=False)
class Answered:
    """The answers of some blocks, in their order, and how many rows have a target in all."""

    n_known: int
    pieces: tuple[Piece, ...]

    def __add__(self, other: "Answered") -> "Answered":
        """Return the answers of both."""
        return Answered(self.n_known + other.n_known, self.pieces + other.pieces)


class HeldOut(NamedTuple):
    """The rows held out, as far as certificates need them: no feature is among it."""

    hashes: Hashes
    y: NDArray[Any]
    predicted: NDArray[Any]
    score: Vector | None
    width: Vector | None = None


def ask_parts(parts: Parts, reader: RowReader, model: Any) -> HeldOut:
    """Ask a model about all rows held out, part by part."""
    found = summed(parts, partial(_answer, reader, model))
    if not found.pieces:
        raise TableError("no row is held out: give a larger --holdout, or more rows")
    pieces: Sequence[Piece] = found.pieces
    return HeldOut(
        _whole([piece.hashes for piece in pieces]),
        _whole([_named(piece.labels, piece.truth) for piece in pieces]),
        _whole([_named(piece.labels, piece.predicted) for piece in pieces]),
        _whole_of([piece.score for piece in pieces]),
        _whole_of([piece.width for piece in pieces]),
    )


def _answer(reader: RowReader, model: Any, block: Block) -> Answered:
    hashes, X, y = reader.read(block, held_out=True)
    if len(y) == 0:
        return Answered(0, ())
    predicted = in_chunks(model.predict, X)
    if predicted.shape != y.shape:
        raise ValueError(
            f"the model's predictions have shape {predicted.shape}; {len(y)} rows need one each"
        )
    piece = _piece(hashes, y, predicted, _score(model, X))
    if y.dtype.kind == "f" and gives_widths(model):
        piece = piece._replace(width=widths_of(model, X, len(y)))
    return Answered(len(y), (piece,))


def _piece(hashes: Hashes, y: NDArray[Any], predicted: NDArray[Any], score: Vector | None) -> Piece:
    """Return answers in few bytes: labels by their places."""
    if y.dtype.kind == "f" or predicted.dtype.kind not in "biuUS":
        return Piece(hashes, None, y, predicted, score)
    labels = np.union1d(y, predicted) if y.dtype.kind == predicted.dtype.kind else None
    if labels is None:
        return Piece(hashes, None, y, predicted, score)
    small = np.uint8 if len(labels) <= _FEW else np.int32
    truth, answers = (np.searchsorted(labels, column).astype(small) for column in (y, predicted))
    return Piece(hashes, labels, truth, answers, score)


def _named(labels: NDArray[Any] | None, places: NDArray[Any]) -> NDArray[Any]:
    return places if labels is None else labels[places]


def _whole(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return columns one after the other, in a file if they are large."""
    dtype = np.result_type(*{column.dtype for column in columns})
    n_bytes = sum(len(column) for column in columns) * dtype.itemsize
    if dtype.hasobject or not too_many(n_bytes):
        return np.concatenate(columns)
    return array_on_disk(column.astype(dtype) for column in columns)


def _whole_of(columns: Sequence[Vector | None]) -> Vector | None:
    """Return columns one after the other, if all are there."""
    there = [column for column in columns if column is not None]
    return _whole(there) if len(there) == len(columns) else None


def _score(model: Any, X: Any) -> Vector | None:
    """Return how likely the second of two classes is, if the model says so."""
    known = getattr(model, "classes_", ())
    if len(known) != 2 or not callable(getattr(model, "predict_proba", None)):
        return None
    return np.ascontiguousarray(in_chunks(model.predict_proba, X)[:, 1], dtype=np.float64)
