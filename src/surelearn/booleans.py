"""Boolean functions of bits: and, or, not, parity, thresholds, truth tables and normal forms.

Bits are 0 and 1. The last axis of an array runs over the variables: a table with a row for each
assignment gives a bit for each row. A *literal* is a variable or its negation; a function written
without negations is *monotone*.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Mask

_MOST_VARIABLES = 20  # a table of a million rows


def conjunction(bits: ArrayLike) -> Indices:
    """Return the "and" of each row, the product of its bits; 1 if there are none.

    Examples
    --------
    >>> conjunction([[0, 1], [1, 1]])
    array([0, 1])
    """
    return np.asarray(_bits(bits).all(axis=-1), dtype=np.int64)


def disjunction(bits: ArrayLike) -> Indices:
    """Return the "or" of each row, 1 where the sum of its bits is positive; 0 if there are none.

    Examples
    --------
    >>> disjunction([[0, 1], [0, 0]])
    array([1, 0])
    """
    return np.asarray(_bits(bits).any(axis=-1), dtype=np.int64)


def negation(bits: ArrayLike) -> Indices:
    """Return 1 less each bit.

    Examples
    --------
    >>> negation([0, 1])
    array([1, 0])
    """
    return np.asarray(~_bits(bits), dtype=np.int64)


def parity(bits: ArrayLike) -> Indices:
    """Return 1 for each row with an odd number of ones.

    Examples
    --------
    >>> parity([[1, 1], [1, 0]])
    array([0, 1])
    """
    return np.asarray(_bits(bits).sum(axis=-1) % 2, dtype=np.int64)


def threshold(bits: ArrayLike, *, at_least: int) -> Indices:
    """Return 1 for each row with so many ones or more.

    Examples
    --------
    >>> threshold([[1, 1, 0], [1, 0, 0]], at_least=2)
    array([1, 0])
    """
    fewest = _arguments.count("at_least", at_least)
    return np.asarray(_bits(bits).sum(axis=-1) >= fewest, dtype=np.int64)


def assignments(n_variables: int) -> Indices:
    """Return all 2^n rows of n bits; row i holds the binary digits of i, the largest first.

    Examples
    --------
    >>> assignments(2).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    n = _arguments.count("n_variables", n_variables, at_most=_MOST_VARIABLES)
    return (np.arange(2**n)[:, np.newaxis] >> np.arange(n)[::-1]) & 1


def truth_table(function: Callable[[Indices], ArrayLike], n_variables: int) -> Indices:
    """Return the value of a Boolean function at each of the 2^n rows of `assignments`.

    Parameters
    ----------
    function
        Takes a table of bits, a row for each assignment, and returns a bit for each row.
    n_variables
        The number of variables, 20 at most.

    Examples
    --------
    >>> truth_table(parity, 2)
    array([0, 1, 1, 0])
    >>> both = truth_table(lambda X: negation(conjunction(X)), 3)
    >>> bool((both == truth_table(lambda X: disjunction(negation(X)), 3)).all())  # De Morgan
    True
    """
    rows = assignments(n_variables)
    given = _arguments.function("function", function)(rows)
    values = _bits(given, name="what the function returned")
    if values.shape != (len(rows),):
        raise ValueError(
            f"the function returned an array of shape {values.shape}; it is given {len(rows)} rows "
            "and must return one bit for each"
        )
    return values.astype(np.int64)


@dataclass(frozen=True)
class NormalForm:
    """A formula in normal form: an "or" of "and"s of literals, or an "and" of "or"s.

    Attributes
    ----------
    kind
        "disjunctive" (DNF: an "or" of conjunctions) or "conjunctive" (CNF: an "and" of clauses).
    terms
        The conjunctions or clauses, each the numbers of its literals: j for variable j, n + j for
        its negation.
    n_variables
        The number n of variables.

    Examples
    --------
    >>> formula = NormalForm("disjunctive", ((0, 4), (2,)), 3)
    >>> print(formula)
    (x0 and not x1) or x2
    >>> formula.holds([[1, 0, 0], [1, 1, 0]])
    array([ True, False])
    """

    kind: Literal["disjunctive", "conjunctive"]
    terms: tuple[tuple[int, ...], ...]
    n_variables: int

    def __post_init__(self) -> None:
        """Refuse literals of variables that there are not."""
        if self.kind not in {"disjunctive", "conjunctive"}:
            raise ValueError(f"kind={self.kind!r} must be 'disjunctive' or 'conjunctive'")
        n_literals = 2 * _arguments.count("n_variables", self.n_variables)
        unknown = [j for term in self.terms for j in term if not 0 <= j < n_literals]
        if unknown:
            raise ValueError(f"literal {unknown[0]} is none of the {n_literals} literals")

    def holds(self, X: ArrayLike) -> Mask:
        """Return which rows satisfy the formula."""
        table = _bits(X)
        if table.ndim == 0 or table.shape[-1] != self.n_variables:
            raise ValueError(
                f"X of shape {table.shape} must have a column for each of the {self.n_variables} "
                "variables"
            )
        literals = np.concatenate([table, ~table], axis=-1)
        inner, outer = np.logical_and, np.logical_or
        if self.kind == "conjunctive":
            inner, outer = outer, inner
        held = [inner.reduce(literals[..., list(term)], axis=-1) for term in self.terms]
        start = np.full(table.shape[:-1], self.kind == "conjunctive")
        return np.asarray(outer.reduce([start, *held], axis=0))

    def __str__(self) -> str:
        """Return the formula as text; "true" and "false" where nothing is left to ask."""
        inner, outer = (" and ", " or ") if self.kind == "disjunctive" else (" or ", " and ")
        always = "true" if self.kind == "disjunctive" else "false"  # of an empty term
        if not self.terms:
            return "false" if self.kind == "disjunctive" else "true"
        if not all(self.terms):
            return always
        texts = [inner.join(map(self._literal, term)) for term in self.terms]
        if len(texts) == 1:
            return texts[0]
        pairs = zip(texts, self.terms, strict=True)
        return outer.join(f"({text})" if len(term) > 1 else text for text, term in pairs)

    def _literal(self, number: int) -> str:
        n = self.n_variables
        return f"x{number}" if number < n else f"not x{number - n}"


def disjunctive_normal_form(values: ArrayLike) -> NormalForm:
    """Return the DNF of a truth table: a conjunction of all variables for each row that is true.

    Examples
    --------
    >>> print(disjunctive_normal_form(truth_table(parity, 2)))
    (not x0 and x1) or (x0 and not x1)
    """
    table, rows = _whole_table(values)
    n = rows.shape[1]
    terms = tuple(_literals(row, n) for row in rows[table])
    return NormalForm("disjunctive", terms, n)


def conjunctive_normal_form(values: ArrayLike) -> NormalForm:
    """Return the CNF of a truth table: for each row that is false, a clause false there alone.

    Examples
    --------
    >>> print(conjunctive_normal_form(truth_table(parity, 2)))
    (x0 or x1) and (not x0 or not x1)
    """
    table, rows = _whole_table(values)
    n = rows.shape[1]
    return NormalForm("conjunctive", tuple(_literals(1 - row, n) for row in rows[~table]), n)


def sets_of_variables(n_variables: int, n_literals: int) -> Indices:
    """Return all sets of so many of n variables, a row each, in lexicographic order.

    Examples
    --------
    >>> sets_of_variables(3, 2).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    n = _arguments.count("n_variables", n_variables)
    k = _arguments.count("n_literals", n_literals, at_most=n)
    chosen = list(itertools.combinations(range(n), k))
    return np.array(chosen, dtype=np.int64).reshape(len(chosen), k)


def _literals(row: Indices, n: int) -> tuple[int, ...]:
    """Return the literals that are true in a row and speak of every variable."""
    return tuple(int(j) if bit else int(n + j) for j, bit in enumerate(row))


def _whole_table(values: ArrayLike) -> tuple[Mask, Indices]:
    """Return a truth table as a mask, and the rows that it speaks of."""
    table = _bits(values, name="values")
    n = max(0, table.size.bit_length() - 1)
    if table.ndim != 1 or table.size != 2**n:
        raise ValueError(
            f"values of shape {table.shape} must be a truth table: 2^n bits, one for each row of "
            "assignments(n)"
        )
    return table, assignments(n)


def _bits(values: ArrayLike, *, name: str = "bits") -> Mask:
    """Return an array of zeros and ones as a mask; anything else is refused."""
    try:
        array: NDArray[Any] = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise ValueError(f"{name} must be an array of zeros and ones") from None
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.bool_)
    if array.dtype.kind not in "biuf" or not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must hold only 0 and 1; for signs pass (1 + s) / 2")
    return array == 1
