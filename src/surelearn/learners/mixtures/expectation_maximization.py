"""Expectation maximisation: the most likely parameters when part of every example is hidden.

    E:  s ← Σ_i E[T(x_i, z_i) | x_i, θ]       M:  θ ← the maximiser of E[ln p(x, z; θ)], given s

An E-step turns a block of rows into sums of expected statistics, the sums of blocks add, an M-step
solves for the parameters. No step lowers the likelihood of the rows. Dempster, Laird and Rubin
(1977).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Protocol

import numpy as np

from surelearn._typing import Vector
from surelearn.base.summarising import Record


class LikelihoodFellError(AssertionError):
    """A step lowered the likelihood: its M-step does not maximise what its E-step expects."""


@dataclass(frozen=True)
class Expectation:
    """What an E-step finds in some rows; the sum of two is that of the rows of both.

    Attributes
    ----------
    log_likelihood
        ln p(x; θ), summed over the rows.
    statistics
        The expected statistics, summed over the rows: an array, or any record that adds.

    Examples
    --------
    >>> first, second = Expectation(-1.0, np.array([1.0, 0.3])), Expectation(-2.0, np.ones(2))
    >>> (first + second).statistics
    array([2. , 1.3])
    """

    log_likelihood: float
    statistics: Record

    def __add__(self, other: "Expectation") -> "Expectation":
        """Return the expectation of all the rows."""
        return Expectation(
            self.log_likelihood + other.log_likelihood, self.statistics + other.statistics
        )


class Model(Protocol):
    """A model with hidden parts: all that `maximise` needs to know of it."""

    def e_step(self, parameters: Any, block: Any, /) -> Expectation:
        """Return the log-likelihood and the expected statistics of a block of rows."""
        ...

    def m_step(self, statistics: Any, /) -> Any:
        """Return the parameters that maximise the expected log-likelihood."""
        ...


@dataclass(frozen=True)
class Run:
    """Where an ascent ended, and how it went.

    Attributes
    ----------
    parameters
        The last parameters.
    statistics
        The expected statistics of all rows under them.
    log_likelihoods
        The log-likelihood of the start and after each iteration; it never falls.
    converged
        Whether the last gain was small enough.
    """

    parameters: Any
    statistics: Any
    log_likelihoods: Vector
    converged: bool


def maximise(
    model: Model,
    blocks: Sequence[Any],
    starts: Iterable[Any],
    *,
    max_iter: int = 200,
    tol: float = 1e-6,
    rounding: float = 1e-9,
    unit: float = 1.0,
    mapper: Callable[..., Iterable[Expectation]] = map,
) -> Run:
    """Climb from each start; return the run that ended at the largest likelihood.

    Parameters
    ----------
    model
        Its `e_step` and `m_step`.
    blocks
        The rows, in pieces of any kind that the E-step understands.
    starts
        The parameters to climb from; each must make the rows possible.
    max_iter
        The largest number of iterations from each start.
    tol
        Stop when the log-likelihood L gains no more than tol·max(unit, |L|).
    rounding
        How much of max(unit, |L|) a step may lose to rounding; a larger loss raises, except under
        `python -O`.
    unit
        How often a row counts on average: with it a weight common to all rows changes nothing.
    mapper
        Applies the E-step to all blocks, in order: `map`, or that of a pool or a cluster. The sums
        are added in the order of the blocks: the result does not depend on it.

    Examples
    --------
    The hidden part is which of two coins, a fair one or one that always shows heads, was tossed.

    >>> class FairOrNot:
    ...     def e_step(self, share, heads):
    ...         fair = 0.5 * share / (0.5 * share + (1.0 - share) * heads)
    ...         chances = 0.5 * share + (1.0 - share) * heads
    ...         return Expectation(np.log(chances).sum(), np.array([len(heads), fair.sum()]))
    ...
    ...     def m_step(self, statistics):
    ...         return statistics[1] / statistics[0]
    >>> run = maximise(FairOrNot(), [np.array([1.0, 1.0, 1.0, 0.0])], [0.9], tol=1e-12)
    >>> run.converged, float(run.parameters.round(4))
    (True, 0.5)
    """
    limits = Limits(max_iter, tol, rounding, unit)
    return best_run(model, partial(expect, model, blocks=blocks, mapper=mapper), starts, limits)


def best_run(
    model: Model, expectation: Callable[[Any], Expectation], starts: Iterable[Any], limits: "Limits"
) -> Run:
    """Climb from each start, given who finds the expectation of all rows under parameters."""
    runs = [_climb(model, expectation, start, limits) for start in starts]
    return max(runs, key=lambda run: run.log_likelihoods[-1])


def expect(
    model: Model,
    parameters: Any,
    blocks: Sequence[Any],
    mapper: Callable[..., Iterable[Expectation]] = map,
) -> Expectation:
    """Return the expectation of all blocks together."""
    return reduce(add, mapper(partial(model.e_step, parameters), blocks))


@dataclass(frozen=True)
class Limits:
    """When to stop, and what rounding excuses."""

    max_iter: int
    tol: float
    rounding: float
    unit: float

    def reached(self, before: float, after: float) -> bool:
        """Return whether the last step gained too little to go on."""
        gain, scale = after - before, max(self.unit, abs(before))
        if __debug__ and gain < -self.rounding * scale:
            raise LikelihoodFellError(
                f"a step lowered the log-likelihood from {before!r} to {after!r}: the M-step does "
                "not maximise what the E-step expects"
            )
        return bool(gain <= self.tol * scale)


def _climb(
    model: Model, expectation: Callable[[Any], Expectation], parameters: Any, limits: Limits
) -> Run:
    """Alternate M-steps and E-steps until one gains too little."""
    expected = expectation(parameters)
    path, converged = [expected.log_likelihood], False
    if not np.isfinite(path[0]):
        raise ValueError(
            f"the log-likelihood of the start is {path[0]}: under these parameters some row is "
            "impossible. Start where every row has a positive probability"
        )
    while not converged and len(path) <= limits.max_iter:
        parameters = model.m_step(expected.statistics)
        expected = expectation(parameters)
        path.append(expected.log_likelihood)
        converged = limits.reached(path[-2], path[-1])
    return Run(parameters, expected.statistics, np.array(path), converged)
