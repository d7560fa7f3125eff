"""Experts that sleep: the regret on the rounds in which an expert is awake.

Every learner of experts becomes one of sleeping experts: it predicts with its weights times the
confidences, and is fed the losses of the awake and its own loss in place of the sleeping. Its
regret to an expert is then the regret on the rounds in which the expert was awake.
"""

from dataclasses import replace

from surelearn._typing import ArrayLike
from surelearn.bounds import regret_adaptive
from surelearn.bounds._guarantee import Guarantee, theorem


@theorem
def sleeping_adahedge(*, n_experts: int, n_rounds: int, loss_range: float = 1.0) -> Guarantee:
    """Bound the regret of AdaHedge on an expert's awake rounds before the run.

    Examples
    --------
    >>> round(sleeping_adahedge(n_experts=10, n_rounds=1500).bound, 1)
    59.8
    """
    return _awake(
        regret_adaptive.adahedge(n_experts=n_experts, n_rounds=n_rounds, loss_range=loss_range)
    )


@theorem(realised=("sum_mixability_gaps", "previous_sum_mixability_gaps"))
def sleeping_adahedge_realised(
    *, sum_mixability_gaps: float, previous_sum_mixability_gaps: float
) -> Guarantee:
    """Bound the regret of AdaHedge on an expert's awake rounds by the mixability gaps of the run.

    Examples
    --------
    >>> round(
    ...     sleeping_adahedge_realised(
    ...         sum_mixability_gaps=2.0, previous_sum_mixability_gaps=1.5
    ...     ).bound,
    ...     6,
    ... )
    3.5
    """
    return _awake(
        regret_adaptive.adahedge_realised(
            sum_mixability_gaps=sum_mixability_gaps,
            previous_sum_mixability_gaps=previous_sum_mixability_gaps,
        )
    )


@theorem(realised=("variance", "learning_rates", "rate_weights"))
def sleeping_squint(
    *, variance: float, prior: float, learning_rates: ArrayLike, rate_weights: ArrayLike
) -> Guarantee:
    """Bound the regret of Squint on an expert's awake rounds: about the root of their number.

    `variance` sums the squares of confidence x (learner's loss - expert's loss).

    Examples
    --------
    >>> bound = sleeping_squint(
    ...     variance=0.8005497, prior=0.5, learning_rates=[0.5, 0.25], rate_weights=[0.5, 0.5]
    ... ).bound
    >>> round(bound, 6)
    3.172864
    """
    return _awake(
        regret_adaptive.squint_realised(
            variance=variance, prior=prior, learning_rates=learning_rates, rate_weights=rate_weights
        )
    )


def _awake(fed: Guarantee) -> Guarantee:
    """Read a bound on the losses fed to the learner as one on the awake rounds."""
    return replace(
        fed,
        quantity="regret to one expert over its awake rounds, weighted by its confidences",
        assumes={**fed.assumes, "awake": "a sleeping expert is fed the learner's own loss"},
        reference="Freund et al., STOC (1997); Gaillard, Stoltz and van Erven, COLT (2014)",
    )
