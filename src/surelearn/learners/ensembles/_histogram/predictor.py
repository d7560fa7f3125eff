"""The walk of binned rows through many trees, level by level and without branches."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surelearn import _threads
from surelearn._jit import jit
from surelearn._typing import Indices, Matrix, Vector
from surelearn.learners.ensembles._histogram.binning import Bins
from surelearn.learners.ensembles._histogram.cut_points import Codes
from surelearn.learners.ensembles._histogram.trees import HistogramTrees

_GROUP = 128  # rows that walk together: their cells and their places stay in the nearest cache
_BLOCK = 4096  # rows encoded together
_HALF = np.uint64(32)


class _Walk(NamedTuple):
    """The arrays of trees that a walk reads; the first has child and feature in one word."""

    words: NDArray[np.uint64]
    left: NDArray[np.uint64]
    values: Vector
    first_node: Indices
    depths: Indices

    @classmethod
    def of(cls, trees: HistogramTrees) -> "_Walk":
        """Return what a walk through some trees reads."""
        words = (trees.child.astype(np.uint64) << _HALF) | trees.feature.astype(np.uint64)
        return cls(words, trees.left, trees.value, trees.first_node, trees.depths)


def predict_scores(
    trees: HistogramTrees, bins: Bins, X: Any, baseline: Vector, n_jobs: int | None
) -> Matrix:
    """Return the baseline plus what the trees add, a row for each output and a column for each row.

    Tree t adds to output t modulo the number of outputs.
    """
    scores = np.repeat(baseline[:, np.newaxis], X.shape[0], axis=1)
    ready = _Walk.of(trees)

    def work(chunk: slice) -> None:
        for part in _threads.chunks(chunk.stop - chunk.start, _BLOCK):
            rows = slice(chunk.start + part.start, chunk.start + part.stop)
            own = np.ascontiguousarray(scores[:, rows])
            _walk(bins.encode(X[rows]), *ready, own)
            scores[:, rows] = own

    _threads.run_chunks(work, X.shape[0], n_jobs, largest=16 * _BLOCK)
    return scores


def add_values(trees: HistogramTrees, codes: Codes, scores: Matrix) -> None:
    """Add to the scores of encoded rows what the trees say of them."""
    _walk(codes, *_Walk.of(trees), scores)


@jit
def _walk(
    codes: Codes,
    words: NDArray[np.uint64],
    left: NDArray[np.uint64],
    values: Vector,
    first_node: Indices,
    depths: Indices,
    scores: Matrix,
) -> None:
    """Let groups of rows walk through one tree after the other; a leaf leads to itself."""
    places = np.empty(_GROUP, dtype=np.uint64)
    n_rows, n_outputs = codes.shape[1], scores.shape[0]
    for start in range(0, n_rows, _GROUP):
        n = min(_GROUP, n_rows - start)
        for tree in range(len(depths)):
            places[:n] = np.uint64(first_node[tree])
            for _ in range(depths[tree]):
                for i in range(n):
                    word = words[places[i]]
                    code = np.uint64(codes[word & np.uint64(0xFFFFFFFF), np.uint64(start + i)])
                    bits = left[places[i], code >> np.uint64(6)]
                    goes = (bits >> (code & np.uint64(63))) & np.uint64(1)
                    places[i] = (word >> _HALF) + (np.uint64(1) - goes)
            output = tree % n_outputs
            for i in range(n):
                scores[output, start + i] += values[places[i]]
