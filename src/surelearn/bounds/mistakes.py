"""How often a learner errs on any sequence whatever: experts who vote, and the Perceptron.

A score of exactly 0 counts as a mistake. The theorems on the Perceptron hold as they stand for the
kernel Perceptron: the norm of a row is then sqrt(K(x, x)) and the comparator is a function of the
kernel's space. `mistakes_perceptron` has its other forms, `mistakes_boolean` learners of Boolean
concepts, `mistakes_linear` the other linear learners.
"""

import math

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._mistakes import (
    LOSS,
    MARGIN,
    MISTAKES,
    PERCEPTRON,
    RADIUS,
    UNIT_STEP,
    largest_count,
    realised,
    slope,
)


@theorem
def halving(*, n_experts: int) -> Guarantee:
    """Bound the mistakes of a majority vote among the experts that never erred by log2 of them.

    Examples
    --------
    >>> halving(n_experts=8).bound
    3.0
    """
    return Guarantee(
        quantity=MISTAKES,
        bound=float(_arguments.count("n_experts", n_experts, at_least=1).bit_length() - 1),
        assumes={
            "realizable": "at least one expert never errs",
            "vote": "the vote is the majority of the experts still in the pool, ties broken anyhow",
            "update": "after a mistake the experts that erred leave the pool",
        },
        reference="Angluin, Machine Learning 2 (1988); Littlestone, Machine Learning 2 (1988)",
    )


@theorem(realised=("vc_dimension",))
def littlestone_lower(*, vc_dimension: int) -> Guarantee:
    """Bound from below the mistakes a class of concepts can force on any deterministic learner.

    Examples
    --------
    >>> guarantee = littlestone_lower(vc_dimension=3)
    >>> guarantee.bound, guarantee.direction
    (3.0, 'lower')
    """
    return Guarantee(
        quantity="the mistakes of the best deterministic learner on its worst sequence",
        bound=_rounding.up_integer(_arguments.count("vc_dimension", vc_dimension)),
        assumes={
            "shattered": "the class shatters a set of that size",
            "realizable": "every label agrees with the class",
        },
        reference="Littlestone, Machine Learning 2 (1988)",
        direction="lower",
        trivial=0.0,
    )


@theorem(realised=("best_mistakes",))
def weighted_majority(*, best_mistakes: int, n_experts: int, beta: float) -> Guarantee:
    """Bound the mistakes of a weighted vote in which an expert that errs keeps beta of its weight.

    The bound is (ln(1/beta) best_mistakes + ln n_experts) / ln(2 / (1 + beta)).

    Examples
    --------
    >>> round(weighted_majority(best_mistakes=5, n_experts=16, beta=0.5).bound, 3)
    21.685
    """
    cost = -math.log(_arguments.open_fraction("beta", beta))
    total = cost * _arguments.count("best_mistakes", best_mistakes)
    total += math.log(_arguments.count("n_experts", n_experts, at_least=1))
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(total / -math.log1p((beta - 1.0) / 2.0)),
        assumes={
            "best_expert": "some expert errs at most best_mistakes times",
            "vote": (
                "the weights start equal and the side of the larger weight wins, ties broken anyhow"
            ),
            "update": (
                "wrong experts lose weight in every round, or in every round the vote is wrong"
            ),
        },
        reference="Littlestone and Warmuth, Information and Computation 108 (1994)",
    )


@theorem
def deterministic_lower(*, n_rounds: int) -> Guarantee:
    """Bound from below the regret an adversary forces on any deterministic predictor of bits.

    Examples
    --------
    >>> deterministic_lower(n_rounds=20).bound
    10.0
    """
    return Guarantee(
        quantity="mistakes minus those of the better constant prediction, on the worst sequence",
        bound=_rounding.up_integer((_arguments.count("n_rounds", n_rounds) + 1) // 2),
        assumes={"deterministic": "the predictor is deterministic and predicts 0 or 1"},
        reference="Cover, Transactions of the Fourth Prague Conference (1965)",
        direction="lower",
        trivial=0.0,
    )


@theorem(realised=("radius", "margin"))
def novikoff(*, radius: float, margin: float) -> Guarantee:
    """Bound the updates of the Perceptron on separable rows by (radius / margin)^2.

    It counts all updates, over however many passes.

    Examples
    --------
    >>> round(novikoff(radius=5.0990195136, margin=0.4714045208).bound, 4)
    117.0
    """
    ratio = _arguments.non_negative("radius", radius) / _arguments.positive("margin", margin)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(ratio * ratio),
        assumes={"start": PERCEPTRON, "radius": RADIUS, "separable": MARGIN},
        reference="Novikoff, Symposium on the Mathematical Theory of Automata (1962)",
    )


@theorem(realised=("radius", "hinge_loss"))
def perceptron(*, radius: float, norm: float, hinge_loss: float) -> Guarantee:
    """Bound the mistakes of the Perceptron by its radius and the hinge loss of any comparator.

    The bound is the largest M with M <= hinge_loss + radius norm sqrt(M): the sharpest of the
    forms that know only these three numbers.

    Examples
    --------
    >>> round(perceptron(radius=1.0, norm=2.0, hinge_loss=3.0).bound, 10)
    9.0
    """
    loss = _arguments.non_negative("hinge_loss", hinge_loss)
    return Guarantee(
        quantity=MISTAKES,
        bound=_rounding.up(largest_count(slope(radius, norm), loss)),
        assumes={"start": PERCEPTRON, "radius": RADIUS, "loss": LOSS},
        reference="Freund and Schapire, Machine Learning 37 (1999); Mohri and Rostamizadeh (2013)",
    )


@theorem(realised=("hinge_loss", "weight_norm"))
def perceptron_norm(*, hinge_loss: float, norm: float, weight_norm: float) -> Guarantee:
    """Bound the mistakes of a Perceptron's run by the norm of the weights it ended with.

    The sharpest realised form, and it holds under any delay; it is convex in the comparator.

    Examples
    --------
    >>> round(perceptron_norm(hinge_loss=3.0, norm=2.0, weight_norm=2.5).bound, 10)
    8.0
    """
    return Guarantee(
        quantity=MISTAKES,
        bound=realised(hinge_loss, norm, _arguments.non_negative("weight_norm", weight_norm)),
        assumes={"start": PERCEPTRON, "step": UNIT_STEP, "loss": LOSS},
        reference="Novikoff (1962); Mohri and Rostamizadeh (2013)",
    )


@theorem(realised=("hinge_loss", "sum_squared_norms"))
def perceptron_squared_norms(
    *, hinge_loss: float, norm: float, sum_squared_norms: float
) -> Guarantee:
    """Bound the mistakes of a Perceptron's run by the squared norms of the rows it erred on.

    Examples
    --------
    >>> round(perceptron_squared_norms(hinge_loss=3.0, norm=2.0, sum_squared_norms=9.0).bound, 10)
    9.0
    """
    length = math.sqrt(_arguments.non_negative("sum_squared_norms", sum_squared_norms))
    return Guarantee(
        quantity=MISTAKES,
        bound=realised(hinge_loss, norm, length),
        assumes={
            "start": PERCEPTRON,
            "loss": LOSS,
            "measured": "the squared norms are summed over the mistakes",
        },
        reference="Mohri and Rostamizadeh, Perceptron mistake bounds (2013)",
    )
