"""How often a prediction interval made by leaving examples out covers the next outcome.

The coverage is marginal, over training data and the next example together: there is no confidence
about one trained model. For that see `surelearn.bounds.holdout.quantile`.
"""

from collections.abc import Mapping

from surelearn import _arguments
from surelearn.bounds import _rounding
from surelearn.bounds._guarantee import Guarantee, theorem

_SYMMETRIC = "the fit does not depend on the order of its examples"
_REFERENCE = "Barber, Candès, Ramdas and Tibshirani, Annals of Statistics 49 (2021)"


@theorem
def jackknife_plus(*, n: int, alpha: float) -> Guarantee:
    """Bound from below the coverage of the jackknife+ interval from n leave-one-out fits.

    The interval ends at the floor(alpha (n + 1))-th smallest prediction minus residual and at the
    ceil((1 - alpha) (n + 1))-th smallest prediction plus residual.

    Examples
    --------
    >>> round(jackknife_plus(n=100, alpha=0.1).bound, 4)
    0.8099
    """
    n = _arguments.count("n", n, at_least=1)
    bound = _coverage(n, 1, _arguments.open_fraction("alpha", alpha))
    return _marginal(bound, {"exchangeable": "the n examples and the next are exchangeable"})


@theorem
def cv_plus(*, n: int, alpha: float, n_folds: int) -> Guarantee:
    """Bound from below the coverage of the CV+ interval from `n_folds` fits, one per fold left out.

    Examples
    --------
    >>> round(cv_plus(n=100, alpha=0.1, n_folds=10).bound, 4)
    0.7436
    """
    n = _arguments.count("n", n, at_least=2)
    folds = _arguments.count("n_folds", n_folds, at_least=2, at_most=n)
    if n % folds:
        raise _arguments.refuse("n_folds", n_folds, f"a divisor of n={n}")
    bound = _coverage(n, n // folds, _arguments.open_fraction("alpha", alpha))
    drawn = "the examples are i.i.d. and the folds do not depend on them"
    return _marginal(bound, {"independent": drawn})


def _coverage(n: int, fold_size: int, alpha: float) -> float:
    """Return 1 - (2 alpha (n + 1) + m - 2) / (n + m), and 1 where the interval is the whole line.

    Whoever counts alpha (n + 1) with other roundings may get a finite interval just below 1; the
    formula holds there too.
    """
    if alpha * (n + 1) < 1.0 - 1e-9:
        return 1.0
    return _rounding.down(1.0 - (2.0 * alpha * (n + 1) + fold_size - 2.0) / (n + fold_size))


def _marginal(bound: float, sample: Mapping[str, str]) -> Guarantee:
    return Guarantee(
        quantity="the probability that the interval covers the next outcome",
        bound=bound,
        assumes={
            **sample,
            "symmetric": _SYMMETRIC,
            "alpha": "alpha was fixed beforehand",
        },
        reference=_REFERENCE,
        confidence=None,
        direction="lower",
        validity="in-expectation",
        trivial=0.0,
    )
