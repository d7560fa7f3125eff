"""Does a bound hold as often as it says? Ask a world where the truth is known."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import Vector
from surelearn.bounds import Guarantee


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Shown, drawn_by="coverage.plot_coverage"):
    """Truth and bound in many independent repetitions of one experiment.

    Parameters
    ----------
    truths
        The quantity bounded, one value per repetition.
    bounds
        The bound computed from the data of that repetition.
    delta
        How often the bound may miss.

    Examples
    --------
    >>> result = Coverage(truths=np.full(100, 0.5), bounds=np.linspace(0.49, 0.6, 100), delta=0.05)
    >>> result.misses, result.refuted()
    (9, False)
    """

    truths: Vector
    bounds: Vector
    delta: float
    direction: str = "upper"

    @property
    def misses(self) -> int:
        """The number of repetitions in which the truth lay beyond the bound."""
        beyond = (
            self.truths > self.bounds if self.direction == "upper" else self.truths < self.bounds
        )
        return int(np.count_nonzero(beyond))

    @property
    def miss_rate(self) -> float:
        """The fraction of repetitions in which the truth lay beyond the bound."""
        return self.misses / len(self.bounds)

    @property
    def p_value(self) -> float:
        """The probability of so many misses if each has probability `delta`: P(Bin >= misses)."""
        n = len(self.bounds)
        return float(special.bdtrc(self.misses - 1, n, self.delta)) if self.misses > 0 else 1.0

    def refuted(self, *, level: float = 1e-4) -> bool:
        """Whether a one-sided binomial test at `level` refutes that misses are at most `delta`."""
        return self.p_value <= _arguments.fraction("level", level)


def simulate_coverage(
    experiment: Callable[[np.random.Generator], tuple[float, Guarantee]],
    *,
    repetitions: int,
    seed: int = 0,
) -> Coverage:
    """Repeat an experiment that returns the truth and the guarantee computed from its data.

    Examples
    --------
    >>> from surelearn.bounds import concentration
    >>> def fair_coin(rng):
    ...     heads = int(rng.binomial(50, 0.5))
    ...     return 0.5, concentration.clopper_pearson(errors=heads, n=50, delta=0.1)
    >>> simulate_coverage(fair_coin, repetitions=200).refuted()
    False
    """
    rng = _arguments.generator("seed", seed)
    n = _arguments.count("repetitions", repetitions, at_least=1)
    _arguments.function("experiment", experiment)
    pairs = [experiment(rng) for _ in range(n)]
    first = pairs[0][1]
    if first.confidence is None:
        raise ValueError(f"{first.theorem} holds in expectation: it has no coverage to simulate")
    return Coverage(
        truths=np.array([truth for truth, _ in pairs]),
        bounds=np.array([guarantee.bound for _, guarantee in pairs]),
        delta=1.0 - first.confidence,
        direction=first.direction,
    )
