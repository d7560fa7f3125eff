"""Impurities: how far a node of a tree is from holding one label, and what a split gains.

On two classes, with fraction p of the first, the four classical functions are ordered:
min(p, 1-p) <= 2p(1-p) <= H(p)/2 <= sqrt(p(1-p)), all 0 at p = 0 and 1 and 1/2 at p = 1/2.
`psi` gives them on this common scale. Called with counts (any number of classes, on the last axis)
they have the scale of the literature, which differs for the entropy alone: in bits it is 2 psi.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.impurities import compiled


class Impurity(ABC):
    """A concave function of the class fractions that is 0 exactly at a pure node.

    Counts may be weights; a node without any has impurity 0.
    """

    scale: ClassVar[float] = 1.0
    """The impurity of two classes divided by `psi`."""
    alias: ClassVar[str] = ""
    """The name that learners accept in place of the object."""
    code: ClassVar[int] = -1
    """What compiled loops know it by; -1 if they do not."""

    def psi(self, p: ArrayLike) -> Vector:
        """Return the impurity of two classes, scaled to be 1/2 at p = 1/2."""
        fraction = _arguments.numbers("p", p)
        if not ((fraction >= 0.0) & (fraction <= 1.0)).all():
            raise ValueError("p must lie in [0, 1]")
        both = np.stack([fraction, 1.0 - fraction], axis=-1)
        return (self._of_fractions(both) / self.scale)[()]

    def __call__(self, counts: ArrayLike) -> Vector:
        """Return the impurity of each vector of counts; the last axis runs over the classes."""
        return self._of_counts(_counts(counts, axes=1))[()]

    def gain(self, children: ArrayLike) -> Vector:
        """Return how much a split lowers the mean impurity, never below 0.

        The last axis of `children` runs over the classes, the one before over the children.
        """
        table = _counts(children, axes=2)
        share = _fractions(table.sum(axis=-1))
        after = (share * self._of_counts(table)).sum(axis=-1)
        # By concavity a split gains 0 or more; what is less is rounding.
        return np.maximum(0.0, self._of_counts(table.sum(axis=-2)) - after)[()]

    @abstractmethod
    def _of_fractions(self, fractions: Vector) -> Vector: ...

    def _of_counts(self, counts: Vector) -> Vector:
        return self._of_fractions(_fractions(counts))


@dataclass(frozen=True)
class Misclassification(Impurity):
    """1 - max p: the training error of a leaf; blind to many splits, so use it to prune.

    Examples
    --------
    >>> impurity = Misclassification()
    >>> impurity([5, 3, 2])
    np.float64(0.5)
    """

    alias = "misclassification"
    code = compiled.MISCLASSIFICATION

    def _of_fractions(self, fractions: Vector) -> Vector:
        return np.sort(fractions, axis=-1)[..., :-1].sum(axis=-1)  # exact where 1 - max rounds


@dataclass(frozen=True)
class Gini(Impurity):
    """1 - sum p²: the chance that two draws from the node differ; scikit-learn's "gini".

    Examples
    --------
    >>> impurity = Gini()
    >>> impurity([[5, 5], [10, 0]])
    array([0.5, 0. ])
    >>> round(float(impurity.gain([[3, 1], [1, 3]])), 12)
    0.125
    """

    alias = "gini"
    code = compiled.GINI

    def _of_fractions(self, fractions: Vector) -> Vector:
        return (fractions * (1.0 - fractions)).sum(axis=-1)


@dataclass(frozen=True)
class Entropy(Impurity):
    """-sum p log2 p, in bits: twice `psi`; scikit-learn's "entropy".

    Examples
    --------
    >>> impurity = Entropy()
    >>> impurity([1] * 8), impurity.psi(0.5)
    (np.float64(3.0), np.float64(0.5))
    """

    scale = 2.0
    alias = "entropy"
    code = compiled.ENTROPY

    def _of_fractions(self, fractions: Vector) -> Vector:
        return special.entr(fractions).sum(axis=-1) / np.log(2.0)


@dataclass(frozen=True)
class SquareRoot(Impurity):
    """Sum over pairs of classes of sqrt(p q): the steepest at a nearly pure node.

    On two classes it is sqrt(p (1-p)), for which Kearns and Mansour (1999) prove the fastest
    growth of a tree. For more classes the literature has no agreed form; this one is ours.

    Examples
    --------
    >>> impurity = SquareRoot()
    >>> impurity.psi([0.0, 0.2, 0.5])
    array([0. , 0.4, 0.5])
    """

    alias = "sqrt"
    code = compiled.SQUARE_ROOT

    def _of_fractions(self, fractions: Vector) -> Vector:
        roots = np.sqrt(fractions)
        before = np.cumsum(roots, axis=-1)[..., :-1]  # no difference, so nothing cancels
        return (before * roots[..., 1:]).sum(axis=-1)


_KNOWN: tuple[Impurity, ...] = (Gini(), Entropy(), Misclassification(), SquareRoot())

ALIASES = tuple(impurity.alias for impurity in _KNOWN)
"""The names of the impurities that a tree can be grown by."""


def of(criterion: str | Impurity) -> Impurity:
    """Return the impurity that a tree is to be grown by, given the object or its alias.

    Examples
    --------
    >>> of("gini"), of(Entropy())
    (Gini(), Entropy())
    """
    for impurity in _KNOWN:
        named = isinstance(
            cast("object", criterion), str | Impurity
        )  # an array would compare cell by cell
        if named and criterion in (impurity, impurity.alias):
            return impurity
    raise ValueError(f"criterion={criterion!r} must be one of {ALIASES}")


def information_gain(children: ArrayLike) -> Vector:
    """Return the mutual information, in bits, between the label and the branch it takes.

    The last axis of `children` runs over the classes, the one before over the branches.

    Examples
    --------
    >>> outlook = [[2, 3], [4, 0], [3, 2]]
    >>> round(float(information_gain(outlook)), 10)
    0.2467498198
    """
    return Entropy().gain(children)


def split_information(children: ArrayLike) -> Vector:
    """Return the entropy, in bits, of the branch alone.

    Examples
    --------
    >>> outlook = [[2, 3], [4, 0], [3, 2]]
    >>> round(float(split_information(outlook)), 10)
    1.5774062829
    """
    return Entropy()(_counts(children, axes=2).sum(axis=-1))


def gain_ratio(children: ArrayLike) -> Vector:
    """Return information gain over split information: C4.5's answer to many-valued features.

    NaN where all examples take one branch: there is no split to judge, so skip it.

    Examples
    --------
    >>> outlook, constant = [[2, 3], [4, 0], [3, 2]], [[9, 5], [0, 0], [0, 0]]
    >>> gain_ratio([outlook, constant])
    array([0.15642756,        nan])
    """
    information = np.asarray(split_information(children))
    splits = information > 0.0
    ratio = np.full(information.shape, np.nan)
    np.divide(information_gain(children), information, out=ratio, where=splits)
    return ratio[()]


def conditional_entropy(children: ArrayLike) -> Vector:
    """Return the mean entropy of the label, in bits, once its branch is known.

    Examples
    --------
    >>> round(float(conditional_entropy([[2, 3], [4, 0], [3, 2]])), 10)
    0.6935361389
    """
    table = _counts(children, axes=2)
    return (_fractions(table.sum(axis=-1)) * Entropy()(table)).sum(axis=-1)[()]


def variance(values: ArrayLike, *, weights: ArrayLike | None = None) -> Vector:
    """Return the (weighted) mean squared distance to the mean, over the last axis.

    Examples
    --------
    >>> variance([1.0, 2.0, 3.0, 6.0])
    np.float64(3.5)
    >>> variance([1.0, 3.0], weights=[3.0, 1.0])
    np.float64(0.75)
    """
    array = _arguments.numbers("values", values)
    shares = _fractions(_counts(np.ones_like(array) if weights is None else weights, axes=1))
    if shares.shape != array.shape:
        raise ValueError(f"weights of shape {shares.shape} must go with values of {array.shape}")
    centred = array - (shares * array).sum(axis=-1, keepdims=True)
    return (shares * centred**2).sum(axis=-1)[()]


def variance_gain(weights: ArrayLike, sums: ArrayLike) -> Vector:
    """Return how much a split lowers the mean variance, from each child's weight and sum of y.

    The last axis runs over the children. It equals the variance between the children's means, which
    is a sum of squares: nothing cancels, and it is never below 0.

    Examples
    --------
    >>> variance_gain([2, 2], [3.0, 9.0])  # children (1, 2) and (3, 6)
    np.float64(2.25)
    """
    sizes = _counts(weights, axes=1)
    totals = _arguments.numbers("sums", sums)
    if totals.shape != sizes.shape:
        raise ValueError(f"sums of shape {totals.shape} must go with weights of {sizes.shape}")
    means = np.divide(totals, sizes, out=np.zeros(totals.shape), where=sizes > 0.0)
    return variance(means, weights=sizes)


def _counts(counts: ArrayLike, *, axes: int) -> Vector:
    """Return counts as floats, refusing what cannot be one."""
    array = _arguments.numbers("counts", counts)
    if array.ndim < axes or array.shape[-1] == 0:
        raise ValueError(f"counts of shape {array.shape} must have {axes} axes or more, none empty")
    if not (np.isfinite(array).all() and (array >= 0.0).all()):
        raise ValueError("counts must be finite and >= 0")
    return array


def _fractions(counts: Vector) -> Vector:
    """Return counts divided by their sum over the last axis; nothing divided by nothing is 0."""
    total = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0.0)
