"""What the theorems on online learning share: words and domains."""

import math

from surelearn import _arguments
from surelearn._wording import exactly

REGRET = "regret: the learner's weighted losses minus the losses of the best expert"
"""If the learner draws an expert instead of averaging, its losses are the conditional means."""

UNIT_LOSSES = "every loss lies in [0, 1]"
GAPS = "the mixability gaps are those of the run: weighted loss minus mix loss, each round"


def within(loss_range: float) -> str:
    """Say that the losses of one round lie within a range."""
    return f"in every round the losses of the experts differ by at most {exactly(loss_range)}"


def log_experts(n_experts: int) -> float:
    """Return ln K for K >= 1 experts."""
    return math.log(_arguments.count("n_experts", n_experts, at_least=1))


def rounds(n_rounds: int) -> int:
    """Return T >= 1."""
    return _arguments.count("n_rounds", n_rounds, at_least=1)


def prior_weight(prior: float) -> float:
    """Return the prior weight of an expert or of a set of experts, in (0, 1]."""
    weight = _arguments.fraction("prior", prior)
    if weight == 0.0:
        raise _arguments.refuse("prior", prior, "in (0, 1]")
    return weight
