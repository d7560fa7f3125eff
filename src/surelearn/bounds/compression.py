"""A risk from the number of examples the model needs.

A model that a few of its training examples determine has been tested on all the others. Use
`campi_garatti` when dropping unneeded examples leaves the model as it is (mistake-driven learners,
support vector machines with a fixed C), `littlestone_warmuth` when the model can only be rebuilt
from the few; the leave-one-out bounds speak of averages over samples and carry no confidence.
"""

import math

from scipy import special

from surelearn import _arguments
from surelearn.bounds import _rounding, inversions
from surelearn.bounds._guarantee import Guarantee, theorem
from surelearn.bounds._special import kl, log_choose, log_choose_padding

_SAMPLE = "the examples are independent draws of one law"
_PERCEPTRON = "the Perceptron starts at 0 and passes over n examples in order until one clean pass"
_STABLE = {
    "fixed_before": "the learner is one map fixed beforehand, whatever the number of examples",
    "stable": "dropping any examples outside the compressed set leaves the model as it is",
    "consistent": "the model is right on every example outside the compressed set",
    "independent": _SAMPLE,
}


@theorem(realised=("n_compressed",))
def campi_garatti(*, n_compressed: int, n: int, delta: float) -> Guarantee:
    """Bound the risk of a model that n_compressed of its n training examples determine.

    The size may depend on the data and is paid for by no union bound. Put the training errors of
    the final model into the compressed set: counting too many examples is safe.

    Examples
    --------
    >>> round(campi_garatti(n_compressed=5, n=1000, delta=0.05).bound, 6)
    0.014016
    """
    n = _arguments.count("n", n, at_least=1)
    k = _arguments.count("n_compressed", n_compressed, at_most=n)
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    # ln C(n, k) is a difference of numbers of this size: allow for their rounding error.
    log_level += 1e-10 + log_choose_padding(n)

    def risk_is_compatible(risk: float) -> bool:
        return _log_stable_test(risk, k, n) < log_level

    return Guarantee(
        quantity="the probability that the model is wrong",
        bound=1.0 if k == n else _rounding.last_true(risk_is_compatible, k / n, 1.0),
        assumes=_STABLE,
        reference="surelearn theory pages; sharpens Campi and Garatti, JMLR 24 (2023)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("n_compressed",))
def campi_garatti_single(*, n_compressed: int, n: int, block: int, delta: float) -> Guarantee:
    """Bound the same risk in closed form, with all the weight on subsamples of one size `block`.

    The block is fixed beforehand, below n; n // 2 is a good choice. A compressed set larger than
    the block gives 1.

    Examples
    --------
    >>> round(campi_garatti_single(n_compressed=5, n=1000, block=500, delta=0.05).bound, 6)
    0.012943
    """
    n = _arguments.count("n", n, at_least=1)
    k = _arguments.count("n_compressed", n_compressed, at_most=n)
    m = _arguments.count("block", block, at_most=n - 1)
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    if k > m:
        bound = 1.0
    else:
        log_sets = log_choose(n, k) - log_choose(m, k) + 2.0 * log_choose_padding(n)
        bound = _rounding.up((log_sets + log_level) / (n - m))
    return Guarantee(
        quantity="the probability that the model is wrong",
        bound=bound,
        assumes={**_STABLE, "fixed_block": "the size of the block is fixed beforehand"},
        reference="surelearn theory pages; sharpens Hanneke and Kontorovich, ALT (2021)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem
def hanneke_kontorovich(*, n_compressed: int, n: int, delta: float) -> Guarantee:
    """Bound the same risk by (2 / (n - 2k)) (k ln 4 + ln(1/delta)), k = n_compressed fixed first.

    Here to be cited and compared with; `campi_garatti` is smaller and lets the data choose k.

    Examples
    --------
    >>> round(hanneke_kontorovich(n_compressed=5, n=1000, delta=0.05).bound, 4)
    0.0201
    """
    n = _arguments.count("n", n, at_least=1)
    k = _arguments.count("n_compressed", n_compressed, at_most=(n - 1) // 2)
    log_level = -math.log(_arguments.open_fraction("delta", delta))
    return Guarantee(
        quantity="the probability that the model is wrong",
        bound=_rounding.up(2.0 * (k * math.log(4.0) + log_level) / (n - 2 * k)),
        assumes={
            **_STABLE,
            "compressed_size": (
                "the size of the compressed set is at most n_compressed, set beforehand"
            ),
        },
        reference="Hanneke and Kontorovich, ALT (2021)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("n_compressed", "errors", "bits"))
def littlestone_warmuth(
    *, n_compressed: int, errors: int, n: int, delta: float, bits: float = 0.0
) -> Guarantee:
    """Bound the risk of a model rebuilt from a set of n_compressed examples and a message.

    `errors` counts the model's errors on the other examples; the message takes `bits` bits of a
    prefix code. No stability is needed.

    Examples
    --------
    >>> round(littlestone_warmuth(n_compressed=5, errors=3, n=1000, delta=0.05).bound, 6)
    0.048726
    """
    n = _arguments.count("n", n, at_least=1)
    k = _arguments.count("n_compressed", n_compressed, at_most=n)
    return Guarantee(
        quantity="the probability that the model is wrong",
        bound=_rebuilt(k, errors, n, delta, bits, log_choose(n, k)),
        assumes={
            "compression": (
                "the model is a function, fixed beforehand, of the compressed set and the message"
            ),
            "independent": _SAMPLE,
        },
        reference="Littlestone and Warmuth (1986); Langford, JMLR 6 (2005)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("n_compressed", "errors", "bits"))
def littlestone_warmuth_ordered(
    *, n_compressed: int, errors: int, n: int, delta: float, bits: float = 0.0
) -> Guarantee:
    """Bound the risk of a model rebuilt from n_compressed examples whose order matters.

    Examples
    --------
    >>> round(littlestone_warmuth_ordered(n_compressed=5, errors=3, n=1000, delta=0.05).bound, 4)
    0.0536
    """
    n = _arguments.count("n", n, at_least=1)
    k = _arguments.count("n_compressed", n_compressed, at_most=n)
    return Guarantee(
        quantity="the probability that the model is wrong",
        bound=_rebuilt(k, errors, n, delta, bits, math.lgamma(n + 1) - math.lgamma(n - k + 1)),
        assumes={
            "compression": (
                "the model is a function, fixed beforehand, of the ordered examples and the message"
            ),
            "independent": _SAMPLE,
        },
        reference="Littlestone and Warmuth (1986); Langford, JMLR 6 (2005)",
        confidence=_arguments.confidence_from(delta),
        validity="fixed-n",
        trivial=1.0,
    )


@theorem(realised=("n_support",))
def leave_one_out_support_vectors(*, n_support: float, n: int) -> Guarantee:
    """Bound the expected risk after n - 1 examples by the expected n_support / n.

    An example counts as support if the model changes without it. The count of one sample only
    estimates its expectation: for a statement with a confidence use `campi_garatti`.

    Examples
    --------
    >>> round(leave_one_out_support_vectors(n_support=15, n=30).bound, 6)
    0.5
    """
    n = _arguments.count("n", n, at_least=1)
    n_support = _arguments.non_negative("n_support", n_support)
    if n_support > n:
        raise _arguments.refuse("n_support", n_support, f"at most n={n}")
    return Guarantee(
        quantity="the expected risk of the learner after n - 1 examples",
        bound=_rounding.up(n_support / n),
        assumes={
            "n_support": (
                "n_support is the expected number of examples without which the model would change"
            ),
            "consistent": "the model is right on every other example",
            "independent": _SAMPLE,
        },
        reference="Vapnik and Chervonenkis (1974); Luntz and Brailovsky (1969)",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


@theorem(realised=("n_mistakes",))
def perceptron_leave_one_out(
    *, n_mistakes: float, radius: float, margin: float, n: int
) -> Guarantee:
    """Bound the expected risk of a converged Perceptron by min(n_mistakes, (radius/margin)^2) / n.

    The radius is that of the smallest ball around the origin, not of the smallest ball.

    Examples
    --------
    >>> guarantee = perceptron_leave_one_out(n_mistakes=7, radius=2.0, margin=0.5, n=100)
    >>> round(guarantee.bound, 4)
    0.07
    """
    n = _arguments.count("n", n, at_least=1)
    n_mistakes = _arguments.non_negative("n_mistakes", n_mistakes)
    novikoff = (_arguments.positive("radius", radius) / _arguments.positive("margin", margin)) ** 2
    return Guarantee(
        quantity="the expected risk of the Perceptron after n - 1 examples",
        bound=_rounding.up(min(n_mistakes, novikoff) / n),
        assumes={
            "start": _PERCEPTRON,
            "n_mistakes": "n_mistakes is the expected number of its updates",
            "separable": (
                "almost surely some unit vector separates n examples of norm <= radius by margin"
            ),
            "independent": _SAMPLE,
        },
        reference="Freund and Schapire (1999); Mohri et al. (2012), theorem 7.9",
        confidence=None,
        validity="in-expectation",
        trivial=1.0,
    )


def _log_stable_test(risk: float, k: int, n: int) -> float:
    """Return ln g(risk), g = (1/n) sum_{m=k}^{n-1} C(m,k)/C(n,k) (1-risk)^(m-n), k < n, risk > k/n.

    By the negative binomial law the sum is P(Bin(n, risk) > k) / (n risk P(Bin(n, risk) = k)).
    """
    if risk >= 1.0:
        return math.inf
    frequency = k / n
    modal = log_choose(n, k) + special.xlogy(k, frequency) + special.xlog1py(n - k, -frequency)
    above = math.log(special.betainc(k + 1.0, n - k, risk))
    return above - math.log(n * risk) - float(modal) + n * kl(frequency, risk)


def _rebuilt(k: int, errors: int, n: int, delta: float, bits: float, log_sets: float) -> float:
    """Return the binomial inversion at delta 2^-bits / (n times the number of compressed sets)."""
    errors = _arguments.count("errors", errors, at_most=n - k)
    bits = _arguments.non_negative("bits", bits)
    penalty = math.log(n) + log_sets + log_choose_padding(n) + bits * math.log(2.0)
    log_level = math.log(_arguments.open_fraction("delta", delta)) - _rounding.up(penalty)
    return inversions.binomial_upper_at_log_level(errors, n - k, log_level)
