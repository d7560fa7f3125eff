"""How many of the rows are in bags that are drawn from them with replacement."""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem


@theorem
def mean_share(*, n_rows: int, n_draws: int, n_bags: int, delta: float) -> Guarantee:
    """Bound from below the share of the rows that a bag holds, averaged over the bags.

    The expected share is 1 - (1 - 1 / n_rows) ^ n_draws: 63.2% if a bag has as many draws as there
    are rows. Another row in one draw changes the number of rows in that bag by one at most.

    Examples
    --------
    >>> round(mean_share(n_rows=100, n_draws=100, n_bags=50, delta=0.05).bound, 4)
    0.6167
    """
    bags = _arguments.count("n_bags", n_bags, at_least=1)
    level = _arguments.open_fraction("delta", delta)
    rows = _arguments.count("n_rows", n_rows, at_least=1)
    draws = _arguments.count("n_draws", n_draws, at_least=1)
    expected = 1.0 if rows == 1 else -math.expm1(draws * math.log1p(-1.0 / rows))
    slack = math.sqrt(draws * -math.log(level) / (2.0 * bags)) / rows
    return Guarantee(
        quantity="the share of the rows in a bag, averaged over the bags",
        bound=_rounding.down(expected) - _rounding.up(slack),
        assumes={
            "draws": "every draw takes every row with the same probability, whatever others took"
        },
        reference="McDiarmid, Surveys in Combinatorics (1989)",
        confidence=_arguments.confidence_from(delta),
        direction="lower",
        validity="fixed-n",
        trivial=0.0,
    )
