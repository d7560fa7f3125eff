"""Mercer kernels and their algebra: sums, products, powers, exponentials, pull-backs.

A kernel is called with one list of points for its Gram matrix, with two for a block of it. What is
built from kernels by `+`, `*`, `**`, `.exp()`, `.of(map)` and `.normalised()` is a kernel again.
"""

from surelearn.kernels._kernel import (
    Exponentiated,
    Kernel,
    Normalised,
    Power,
    Product,
    PullBack,
    Scaled,
    Shifted,
    Sum,
)
from surelearn.kernels._points import Domain
from surelearn.kernels.booleans import Agreement, Anova
from surelearn.kernels.strings import Subsequence
from surelearn.kernels.validity import is_positive_semidefinite
from surelearn.kernels.vectors import Gaussian, Linear, Polynomial

__all__ = [
    "Agreement",
    "Anova",
    "Domain",
    "Exponentiated",
    "Gaussian",
    "Kernel",
    "Linear",
    "Normalised",
    "Polynomial",
    "Power",
    "Product",
    "PullBack",
    "Scaled",
    "Shifted",
    "Subsequence",
    "Sum",
    "is_positive_semidefinite",
]
