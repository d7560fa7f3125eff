"""The way to search that suits the number of rows and their dimension."""

import math
from typing import Any, TypeAlias

from scipy import sparse

from surelearn.learners.neighbors._search.blocks import BlockIndex, TreeIndex
from surelearn.learners.neighbors._search.distances import Euclidean, Gower, Metric
from surelearn.learners.neighbors._search.product_index import MOST_FEATURES, ProductIndex
from surelearn.learners.neighbors._search.sparse_index import SparseIndex

_FEW_ROWS = 500  # are scanned as fast as anything else

Index: TypeAlias = BlockIndex | SparseIndex
"""Rows to be searched."""


def build_index(X: Any, metric: Metric) -> Index:
    """Return the index that suits the rows: sparse, tree, products, or a plain scan.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(2000, 20))
    >>> [type(build_index(part, Euclidean())).__name__ for part in (X, X[:, :3], X[:100])]
    ['ProductIndex', 'TreeIndex', 'BlockIndex']
    """
    if sparse.issparse(X):
        return SparseIndex(X, metric)
    n, d = X.shape
    if n < _FEW_ROWS or isinstance(metric, Gower):
        return BlockIndex.of(X, metric)
    by_products = isinstance(metric, Euclidean) and d <= MOST_FEATURES
    # Measured on normal rows: a tree beats products from 30 × 2.6^d rows on, scans from 20 × 1.9^d.
    if d <= (math.log(n / 30, 2.6) if by_products else math.log(n / 20, 1.9)):
        return TreeIndex.of(X, metric)
    return (ProductIndex if by_products else BlockIndex).of(X, metric)
