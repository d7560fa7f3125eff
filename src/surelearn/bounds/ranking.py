"""How well scores rank: the probability that a positive case scores above a negative one.

It is the area under the ROC curve, ties counted half. Blocks with rows of both classes are
independent draws of it, so bets on blocks bound it; a closed form needs the estimate alone.
"""

import math

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _rounding, _wealth, inversions
from surelearn.bounds._fresh_rows import IN_CLASS
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence

_CAP = 0.75
_MOST_PERMUTATIONS = 1000
_MOST_BLOCKS = 2 * 10**7  # in all permutations together, some gigabytes
_QUANTITY = "the probability that a positive case scores above a negative one, ties counted half"
_SCORE = {"fixed_score": "the score was fixed before these rows were seen, whatever the threshold"}
_ORDER = {
    "arrival": "the scores of each class are in their order of arrival",
    "seed": "the seed was chosen before the scores were seen",
}


@theorem(realised=("positive", "negative"))
def auc(
    *,
    positive: ArrayLike,
    negative: ArrayLike,
    delta: float,
    seed: int = 0,
    n_permutations: int = 20,
) -> Guarantee:
    """Bound an area under the ROC curve from below by bets on blocks of rows of both classes.

    Only the order of the scores matters, so their ranks may stand for them.

    Examples
    --------
    >>> guarantee = auc(positive=[3, 5, 6, 8] * 15, negative=[1, 2, 4, 7] * 15, delta=0.05)
    >>> round(guarantee.bound, 3)
    0.616
    """
    above = _arguments.vector("positive", positive)
    below = _arguments.vector("negative", negative)
    copies = _arguments.count(
        "n_permutations", n_permutations, at_least=1, at_most=_MOST_PERMUTATIONS
    )
    blocks = min(len(above), len(below))
    if copies * blocks > _MOST_BLOCKS:
        raise _arguments.refuse("n_permutations", copies, f"at most {_MOST_BLOCKS // blocks}")
    level = _arguments.open_fraction("delta", delta)
    rng = np.random.default_rng(_arguments.count("seed", seed))
    drawn = (_block_values(above, below, blocks, rng) for _ in range(copies))
    losses = 1.0 - np.array(list(drawn))
    bets = _wealth.plug_in_bets(losses, float(blocks), -math.log(level))
    wealth = _wealth.mean_final(losses, bets, _CAP)
    bound = 1.0 - _wealth.refuted_from(wealth, _wealth.log_level(level, blocks))
    reference = "Waudby-Smith and Ramdas, JRSS B 86 (2024); surelearn theory pages"
    return _at_least(bound, delta, _ORDER, reference)


@theorem(realised=("estimate", "n_positive", "n_negative"))
def auc_kl(*, estimate: float, n_positive: int, n_negative: int, delta: float) -> Guarantee:
    """Bound an area under the ROC curve from below by its estimate over all pairs.

    Examples
    --------
    >>> round(auc_kl(estimate=0.9, n_positive=100, n_negative=1000, delta=0.05).bound, 4)
    0.8112
    """
    found = _arguments.fraction("estimate", estimate)
    pairs = min(
        _arguments.count("n_positive", n_positive, at_least=1),
        _arguments.count("n_negative", n_negative, at_least=1),
    )
    budget = -math.log(_arguments.open_fraction("delta", delta)) / pairs
    reference = "Hoeffding, JASA 58 (1963), sections 2 and 5"
    return _at_least(inversions.kl_lower(found, budget), delta, {}, reference)


def _block_values(
    positive: Vector, negative: Vector, blocks: int, rng: np.random.Generator
) -> Vector:
    """Return the share of pairs in the right order, ties half, in each of so many blocks."""
    above = _in_blocks(rng.permutation(positive), blocks)[:, :, None]
    below = _in_blocks(rng.permutation(negative), blocks)[:, None, :]
    right = np.count_nonzero(above > below, axis=(1, 2))
    equal = np.count_nonzero(above == below, axis=(1, 2))
    return (right + 0.5 * equal) / (above.shape[1] * below.shape[2])


def _in_blocks(values: Vector, blocks: int) -> Vector:
    size = len(values) // blocks
    return values[: size * blocks].reshape(blocks, size)


def _at_least(bound: float, delta: float, assumes: dict[str, str], reference: str) -> Guarantee:
    bound, known = _rounding.down(max(bound, 0.0)), {**IN_CLASS, **_SCORE, **assumes}
    return with_confidence(_QUANTITY, bound, delta, known, reference=reference, direction="lower")
