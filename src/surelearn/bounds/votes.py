"""The risk of randomised classifiers, of majority votes, and of models tested outside their bags.

Every loss in [0, 1] is covered, so a soft vote (the mean of predicted probabilities) is certified
with 1 - probability of the right label in place of the indicator of an error, and with products of
these for pairs. Each function spends its own delta; `out_of_bag_vote` splits one delta.
"""

import math
from collections.abc import Mapping

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn.bounds import _pac_bayes, _rounding, inversions
from surelearn.bounds._guarantee import Guarantee, theorem, with_confidence
from surelearn.bounds._special import log_xi_all

_GIBBS = "the mean risk under the posterior"
_LOSSES = {
    "independent": "the examples are independent draws of one law",
    "range": "losses lie in [0, 1]",
}
_PRIOR = {**_LOSSES, "prior": "the prior was fixed before the data were seen"}
_BAGS = {
    **_LOSSES,
    "bags": "the bags were drawn without looking at the data",
    "unseen": "a voter saw nothing outside its bag and is tested on nothing inside it",
}
_FOLDS = {
    **_LOSSES,
    "folds": "the folds were drawn without looking at the data",
    "unseen": "a fold model saw nothing of its own fold",
}


@theorem(realised=("gibbs_loss", "divergence"))
def pac_bayes_kl(*, gibbs_loss: float, divergence: float, n: int, delta: float) -> Guarantee:
    """Bound the mean risk under any posterior by kl inversion of its mean training loss.

    `divergence` is KL(posterior, prior); all posteriors are covered at once.

    Examples
    --------
    >>> round(pac_bayes_kl(gibbs_loss=0.1, divergence=5.0, n=1000, delta=0.05).bound, 4)
    0.152
    """
    gibbs_loss = _arguments.fraction("gibbs_loss", gibbs_loss)
    bound = inversions.kl_upper(gibbs_loss, _pac_bayes.budget(divergence, n, delta))
    reference = "Seeger, JMLR 3 (2002); Maurer (2004)"
    return with_confidence(_GIBBS, bound, delta, _PRIOR, reference=reference)


@theorem(realised=("gibbs_loss", "divergence"))
def pac_bayes_lambda(
    *, gibbs_loss: float, divergence: float, n: int, delta: float, trade_off: float | None = None
) -> Guarantee:
    """Bound the mean risk under any posterior in closed form, linear in loss and divergence.

    Valid for all trade-offs in (0, 2) at once; by default the best one is taken.

    Examples
    --------
    >>> round(pac_bayes_lambda(gibbs_loss=0.1, divergence=5.0, n=1000, delta=0.05).bound, 4)
    0.1614
    """
    gibbs_loss = _arguments.fraction("gibbs_loss", gibbs_loss)
    price = _pac_bayes.budget(divergence, n, delta)
    if trade_off is None:
        half = 1.0 / (1.0 + math.sqrt(1.0 + 2.0 * gibbs_loss / price))
    elif 0.0 < trade_off < 2.0:
        half = trade_off / 2.0
    else:
        raise _arguments.refuse("trade_off", trade_off, "in (0, 2)")
    bound = _rounding.up((gibbs_loss + price / (2.0 * half)) / (1.0 - half))
    reference = "Thiemann, Igel, Wintenberger and Seldin, ALT (2017)"
    return with_confidence(_GIBBS, bound, delta, _PRIOR, reference=reference)


@theorem(realised=("losses", "sizes"))
def out_of_bag(*, losses: ArrayLike, sizes: ArrayLike, delta: float) -> Guarantee:
    """Bound the mean risk of voters by their mean loss on the examples outside their bags.

    `sizes` counts the examples outside each bag; their harmonic mean is what matters.

    Examples
    --------
    >>> round(out_of_bag(losses=[0.1, 0.2, 0.15], sizes=[180, 200, 190], delta=0.05).bound, 4)
    0.2523
    """
    _, upper = _mean_risk(losses, sizes, delta)
    return _out_of_bag("the mean risk of the voters", upper, delta)


@theorem(realised=("losses", "sizes", "weights"))
def out_of_bag_weighted(
    *,
    losses: ArrayLike,
    sizes: ArrayLike,
    weights: ArrayLike,
    delta: float,
    prior: ArrayLike | None = None,
) -> Guarantee:
    """Bound the weighted mean risk of voters for all weights at once, however they were found.

    The prior over the voters is fixed beforehand: by default in proportion to 1 / sizes, which
    makes equal weights free.

    Examples
    --------
    >>> weighted = out_of_bag_weighted(
    ...     losses=[0.1, 0.2, 0.15], sizes=[180, 200, 190], weights=[0.5, 0.2, 0.3], delta=0.05
    ... )
    >>> round(weighted.bound, 4)
    0.2358
    """
    tested, counts = _tested(losses, sizes)
    voting = _distribution("weights", weights, len(tested))
    believed = _harmonic(counts) if prior is None else _distribution("prior", prior, len(tested))
    mean, budget = min(1.0, float(voting @ tested)), _budget(counts, voting, believed, delta)
    return _out_of_bag(
        "the weighted mean risk of the voters", inversions.kl_upper(mean, budget), delta
    )


@theorem(realised=("losses", "sizes"))
def out_of_bag_tandem(*, losses: ArrayLike, sizes: ArrayLike, delta: float) -> Guarantee:
    """Bound the risk that two voters drawn at random, perhaps the same one, are both wrong.

    `losses[i][j]` is the mean of the product of the losses of voters i and j on the
    `sizes[i][j]` examples outside both bags.

    Examples
    --------
    >>> tandem = out_of_bag_tandem(
    ...     losses=[[0.10, 0.02], [0.02, 0.12]], sizes=[[90, 60], [60, 95]], delta=0.05
    ... )
    >>> round(tandem.bound, 4)
    0.2021
    """
    _, upper = _mean_risk(_pairs("losses", losses), _pairs("sizes", sizes), delta)
    return _out_of_bag("the risk that two voters drawn at random are both wrong", upper, delta)


@theorem(realised=("losses", "sizes", "tandem_losses", "tandem_sizes"))
def out_of_bag_vote(
    *,
    losses: ArrayLike,
    sizes: ArrayLike,
    tandem_losses: ArrayLike,
    tandem_sizes: ArrayLike,
    delta: float,
) -> Guarantee:
    """Bound the risk of the equal vote of voters tested outside their bags.

    delta / 2 pays for the mean risk, on both sides, and delta / 2 for the tandem risk; the smallest
    of the first-order, tandem and Cantelli bounds is then free.

    Examples
    --------
    >>> vote = out_of_bag_vote(
    ...     losses=[0.10, 0.12], sizes=[900, 950], delta=0.05,
    ...     tandem_losses=[[0.10, 0.02], [0.02, 0.12]], tandem_sizes=[[900, 600], [600, 950]],
    ... )
    >>> round(vote.bound, 4)
    0.307
    """
    half = _arguments.open_fraction("delta", delta) / 2.0
    low, high = _mean_risk(losses, sizes, half)
    pairs = _pairs("tandem_losses", tandem_losses), _pairs("tandem_sizes", tandem_sizes)
    if pairs[0].size != np.size(losses) ** 2:
        raise _arguments.refuse("tandem_losses", tandem_losses, "one row and column for each voter")
    _, tandem = _mean_risk(*pairs, half, prefix="tandem_")
    vote = vote_cantelli(gibbs_lower=low, gibbs_upper=high, tandem_upper=tandem)
    return _out_of_bag("the risk of the vote", vote.bound, delta)


@theorem(realised=("fold_losses",))
def cross_validation_mean_risk(
    *, fold_losses: ArrayLike, fold_sizes: ArrayLike, delta: float
) -> Guarantee:
    """Bound the mean risk of the models of a cross-validation, each tested on its own fold.

    It speaks of the fold models (deploy one drawn at random, or their vote), never of a model
    refitted on all the data, and has the strength of one fold's worth of examples.

    Examples
    --------
    >>> folds = cross_validation_mean_risk(fold_losses=[0.1] * 5, fold_sizes=[200] * 5, delta=0.05)
    >>> round(folds.bound, 4)
    0.1881
    """
    _, upper = _mean_risk(fold_losses, fold_sizes, delta, prefix="fold_")
    return _out_of_bag("the mean risk of the fold models", upper, delta, _FOLDS)


@theorem(realised=("gibbs_risk",))
def vote_first_order(*, gibbs_risk: float) -> Guarantee:
    """Bound the risk of a weighted vote by twice the weighted mean risk of its voters.

    Examples
    --------
    >>> vote_first_order(gibbs_risk=0.125).bound
    0.25
    """
    return _vote(
        2.0 * _arguments.fraction("gibbs_risk", gibbs_risk),
        "gibbs_risk bounds the mean risk of the voters under the weights of the vote",
        "Langford and Shawe-Taylor (2002)",
    )


@theorem(realised=("tandem_risk",))
def vote_tandem(*, tandem_risk: float) -> Guarantee:
    """Bound the risk of a weighted vote by four times the risk that two random voters both err.

    Examples
    --------
    >>> vote_tandem(tandem_risk=0.0625).bound
    0.25
    """
    return _vote(
        4.0 * _arguments.fraction("tandem_risk", tandem_risk),
        "tandem_risk bounds the tandem risk of the voters under the weights of the vote",
        "Masegosa, Lorenzen, Igel and Seldin, NeurIPS (2020)",
    )


@theorem(realised=("gibbs_lower", "gibbs_upper", "tandem_upper"))
def vote_cantelli(*, gibbs_lower: float, gibbs_upper: float, tandem_upper: float) -> Guarantee:
    """Bound the risk of a weighted vote from an interval for the mean risk and a tandem bound.

    The worst value of the C-bound over the box, or the first-order or tandem bound if smaller.

    Examples
    --------
    >>> round(vote_cantelli(gibbs_lower=0.2, gibbs_upper=0.25, tandem_upper=0.08).bound, 4)
    0.3077
    """
    low = _arguments.fraction("gibbs_lower", gibbs_lower)
    high = _arguments.fraction("gibbs_upper", gibbs_upper)
    tandem = _arguments.fraction("tandem_upper", tandem_upper)
    if low > high:
        raise _arguments.refuse("gibbs_lower", gibbs_lower, f"at most gibbs_upper={high:g}")
    return _vote(
        min(2.0 * high, 4.0 * tandem, _cantelli(low, high, tandem)),
        "the mean risk and the tandem risk of the voters, under the weights, lie within the limits",
        "surelearn theory pages; sharpens Germain et al., JMLR 16 (2015)",
    )


@theorem
def average_variance(*, variance: float, correlation: float, n_members: int) -> Guarantee:
    """Give the variance of the mean of members of equal variance and pairwise correlation.

    σ² (ρ + (1 − ρ)/T): more members remove the second term, never the first.

    Examples
    --------
    >>> round(average_variance(variance=1.0, correlation=0.3, n_members=10).bound, 10)
    0.37
    """
    spread = _arguments.non_negative("variance", variance)
    n = _arguments.count("n_members", n_members, at_least=1)
    share = _arguments.real("correlation", correlation)
    lowest = -1.0 / (n - 1) if n > 1 else -1.0
    if not lowest <= share <= 1.0:
        raise _arguments.refuse("correlation", correlation, f"in [{lowest:g}, 1]")
    return Guarantee(
        quantity="the variance of the mean of the members",
        bound=_rounding.up(spread * max(0.0, share + (1.0 - share) / n)),
        assumes={"members": "every member has this variance, and every two have this correlation"},
        reference="Breiman, Machine Learning 45 (2001)",
    )


def _cantelli(low: float, high: float, tandem: float) -> float:
    """Return the largest (T - G^2) / (T - G + 1/4) over T <= tandem, low <= G <= high, G^2 <= T."""
    contradictory = low * low > tandem
    if contradictory or (tandem >= 0.25 and high >= 0.5):
        return math.inf
    gibbs = min(max(2.0 * tandem, low), high)
    variance = tandem - gibbs * gibbs + 1e-16  # the difference may lose all its digits
    return _rounding.up(variance / (tandem - gibbs + 0.25))


def _vote(bound: float, limits: str, reference: str) -> Guarantee:
    return Guarantee(
        quantity="the risk of the vote",
        bound=bound,
        assumes={
            "vote": "the vote is wrong only if voters of half the weight are wrong",
            "voter_risks": limits,
        },
        reference=reference,
        trivial=1.0,
    )


def _out_of_bag(
    quantity: str, bound: float, delta: float, assumes: Mapping[str, str] = _BAGS
) -> Guarantee:
    reference = "surelearn theory pages; sharpens Lorenzen, Igel and Seldin (2019)"
    return with_confidence(quantity, bound, delta, assumes, reference=reference)


def _mean_risk(
    losses: ArrayLike, sizes: ArrayLike, delta: float, *, prefix: str = ""
) -> tuple[float, float]:
    """Return lower and upper bound on the mean risk of equal voters, together at level delta."""
    tested, counts = _tested(losses, sizes, prefix)
    equal = np.full(len(tested), 1.0 / len(tested))
    budget = _budget(counts, equal, _harmonic(counts), delta)
    mean = min(1.0, float(tested.mean()))
    return inversions.kl_lower(mean, budget), inversions.kl_upper(mean, budget)


def _budget(sizes: Vector, weights: Vector, prior: Vector, delta: float) -> float:
    """Return Z (KL(posterior, prior) + ln(sum prior xi(n) / delta)), Z = sum weights / sizes."""
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    total = float(np.sum(weights / sizes))
    posterior = weights / (sizes * total)
    divergence = max(0.0, float(np.sum(special.rel_entr(posterior, prior))))
    return total * (divergence + float(special.logsumexp(log_xi_all(sizes), b=prior)) + log_level)


def _harmonic(sizes: Vector) -> Vector:
    return (1.0 / sizes) / np.sum(1.0 / sizes)


def _tested(losses: ArrayLike, sizes: ArrayLike, prefix: str = "") -> tuple[Vector, Vector]:
    tested = _arguments.vector(f"{prefix}losses", losses, low=0.0, high=1.0)
    counts = _arguments.vector(f"{prefix}sizes", sizes, low=1.0)
    if len(counts) != len(tested) or np.any(np.floor(counts) != counts):
        domain = f"{len(tested)} integers >= 1, one for each of {prefix}losses"
        raise _arguments.refuse(f"{prefix}sizes", sizes, domain)
    return tested, counts


def _pairs(name: str, matrix: ArrayLike) -> Vector:
    array = _arguments.numbers(name, matrix)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise _arguments.refuse(name, f"array of shape {array.shape}", "a square matrix")
    return array.ravel()


def _distribution(name: str, values: ArrayLike, size: int) -> Vector:
    weights = _arguments.vector(name, values, low=0.0)
    if len(weights) != size or abs(float(weights.sum()) - 1.0) > 1e-9:
        raise _arguments.refuse(name, values, f"{size} weights that sum to 1")
    return weights / weights.sum()
