"""Structural risk minimisation: choose by the training error plus a price for the class.

Every class of rules, from small to large, has its share of the failure probability. All bounds then
hold together, so the class with the smallest may be taken, and its bound is a certificate: of the
very model that was chosen, with all rows used for learning.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import confidence, percent_outward
from surelearn.certificate import Certificate, Precondition
from surelearn.evaluate.rule_class import BEFORE, FittedRule, RuleClass

__all__ = ["RuleClass", "StructuralRisk", "minimize_structural_risk", "take_smallest"]

Criterion: TypeAlias = Literal["bound", "square-root"]

_ROUNDING = 1e-12  # of shares that sum to 1

_FIXED = Precondition(
    "fixed_classes", "the classes and their weights were fixed before the data were seen", *BEFORE
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StructuralRisk(Shown, drawn_by="structural_risk.plot_structural_risk"):
    """Training errors and bounds of all classes, and the certified choice; plots draw it.

    Attributes
    ----------
    names
        The classes, in the order given.
    training_errors, bounds
        For each class the training error of its rule, and the bound on the rule's risk; all bounds
        hold together with confidence 1 - delta. A class that could not be bounded has infinity.
    criterion
        For each class what was minimised.
    chosen, model
        The class of least criterion, of equals the first; its fitted model.
    certificate
        The bound on the risk of that model.
    delta
        The probability with which any of the bounds may fail.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.concepts.finite_class import FiniteClass
    >>> X, y = Noisy(n_features=1, bayes_risk=0.1).draw(400, seed=0)
    >>> def thresholds(k):
    ...     return [lambda X, t=t: X[:, 0] > t for t in np.linspace(-1.0, 1.0, k)]
    >>> classes = {
    ...     f"{k} thresholds": RuleClass(
    ...         model=FiniteClass(hypotheses=thresholds(k)), n_hypotheses=k)
    ...     for k in (2, 5, 200)
    ... }
    >>> result = minimize_structural_risk(classes, X, y)
    >>> result.chosen, result.training_errors.round(3).tolist(), result.bounds.round(3).tolist()
    ('5 thresholds', [0.345, 0.068, 0.068], [0.398, 0.111, 0.132])
    """

    names: tuple[str, ...]
    training_errors: Vector
    bounds: Vector
    criterion: Vector
    chosen: str
    model: Any
    certificate: Certificate
    delta: float

    @property
    def penalties(self) -> Vector:
        """How far each bound lies above its training error: the price of the class."""
        return self.bounds - self.training_errors

    def __str__(self) -> str:
        """Return the choice, then its certificate."""
        place = self.names.index(self.chosen)
        error, price = self.training_errors[place], self.penalties[place]
        chosen = f"{self.chosen} is chosen among {len(self.names)} classes"
        return f"{chosen}: training error {error:.4g}, price {price:.4g}.\n{self.certificate}"


def minimize_structural_risk(
    classes: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    delta: float = 0.05,
    weights: ArrayLike | None = None,
    criterion: Criterion = "bound",
) -> StructuralRisk:
    """Fit a rule in each class, and take the one whose risk is bounded best.

    Parameters
    ----------
    classes
        Classes of rules by name, from small to large: each a `RuleClass`, or a model whose
        `certificates` bound its risk from the training rows, such as a tree.
    X, y
        Rows and labels; all of them are learnt from.
    delta
        The probability with which any of the bounds may fail.
    weights
        The share of delta of each class, summing to at most 1. In proportion to 1 / (k (k + 1)) for
        the k-th class if None. Classes priced in bits have theirs in the code.
    criterion
        "bound": the certified bound itself. "square-root": training error plus the textbook's
        √((bits ln 2 + ln(2/δ)) / 2n), for classes with `bits` or `n_hypotheses`; then
        `bounds.pac.structural_risk` says how near the choice is to the best rule of any class, if
        each model makes the fewest training errors of its class. The certificate is the same.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.trees.cart_classifier import CARTClassifier
    >>> X, y = Noisy(n_features=1, bayes_risk=0.05).draw(500, seed=0)
    >>> trees = {f"depth {d}": CARTClassifier(max_depth=d) for d in (1, 2, 4, 8)}
    >>> result = minimize_structural_risk(trees, X, y)
    >>> result.chosen, result.certificate.status
    ('depth 1', 'valid')
    """
    _arguments.open_fraction("delta", delta)
    if not isinstance(cast("object", classes), Mapping):
        raise TypeError(f"classes={classes!r} must be a mapping from names to classes of rules")
    if not isinstance(cast("object", criterion), str) or criterion not in {"bound", "square-root"}:
        raise _arguments.refuse("criterion", criterion, "'bound' or 'square-root'")
    priced: dict[str, RuleClass] = {
        name: value if isinstance(value, RuleClass) else RuleClass(model=value)
        for name, value in classes.items()
    }
    shares = _shares(priced, weights)
    fitted = {
        name: FittedRule.of(rules, float(share), delta, X, y)
        for (name, rules), share in zip(priced.items(), shares, strict=True)
    }
    return take_smallest(fitted, delta=delta, criterion=criterion)


def take_smallest(
    fitted: Mapping[str, FittedRule], *, delta: float, criterion: Criterion = "bound"
) -> StructuralRisk:
    """Take of several rules the one whose risk is bounded best.

    Parameters
    ----------
    fitted
        The rules, each at the share of delta of its class.
    delta, criterion
        As for `minimize_structural_risk`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> rules = RuleClass(model=DummyClassifier(), n_hypotheses=2)
    >>> one = FittedRule.of(rules, 1.0, 0.05, np.zeros((100, 1)), [0] * 95 + [1] * 5)
    >>> take_smallest({"constants": one}, delta=0.05).bounds.round(4)
    array([0.1128])
    """
    _refuse_overspent(fitted, delta)
    found = [one.certificate for one in fitted.values()]
    bounds = np.array([math.inf if c.status == "void" else c.bound for c in found])
    textbook = criterion == "square-root"
    prices = np.array([one.textbook() for one in fitted.values()]) if textbook else bounds
    best = int(np.argmin(prices))  # of equals the first, which is the smallest
    if not math.isfinite(bounds[best]):
        reason = found[best].headline[0]
        raise ValueError(f"no class is bounded by its training rows: {reason} Give RuleClass(...)")
    names = tuple(fitted)
    return StructuralRisk(
        names=names,
        training_errors=np.array([one.errors / one.n for one in fitted.values()]),
        bounds=bounds,
        criterion=prices,
        chosen=names[best],
        model=fitted[names[best]].model,
        certificate=_of_the_choice(found[best], delta, len(names)),
        delta=delta,
    )


def _refuse_overspent(fitted: Mapping[str, FittedRule], delta: float) -> None:
    """Refuse rules whose bounds do not hold together at delta."""
    _arguments.count("the number of classes", len(fitted), at_least=1)
    spent = math.fsum(one.share for one in fitted.values() if one.rules.bits is None)
    if spent > 1.0 + _ROUNDING or any(one.delta != delta for one in fitted.values()):
        raise ValueError(
            f"the shares of the classes sum to {spent:g}: they must sum to at most 1, each of "
            f"delta={delta:g}"
        )
    weight = math.fsum(2.0**-bits for _, bits in _words(fitted))
    if weight > 1.0 + _ROUNDING:
        raise ValueError(
            f"these are no lengths in one code: the weights 2^-bits of the rules that were found "
            f"sum to {weight:g}, and those of all rules must sum to at most 1 (Kraft's "
            "inequality). Give longer codes; if classes share rules, bits must be a function of "
            "the fitted model"
        )


def _words(fitted: Mapping[str, FittedRule]) -> set[tuple[str, float]]:
    """Return the words of a code that are known to differ: of other rules, or of other lengths.

    Rules that err on the same rows may be one rule, which two classes share if their bits are read
    off the model.
    """
    words: set[tuple[str, float]] = set()
    for name, one in fitted.items():
        if one.rules.bits is not None and one.bits is not None:
            rule = one.wrong if callable(one.rules.bits) else ""
            words.add((rule or name, _arguments.non_negative("bits", one.bits)))
    return words


def _of_the_choice(certificate: Certificate, delta: float, n_classes: int) -> Certificate:
    """Return the certificate as a statement about all classes, from which one was chosen."""
    limit = percent_outward(certificate.bound, "upper")
    return replace(
        certificate,
        delta=delta,
        claim=f"With confidence {confidence(delta)}, paid for the choice among {n_classes} "
        f"classes, this model errs on at most {limit} of new examples from the law of the training "
        "examples.",
        preconditions=(*certificate.preconditions, _FIXED),
    )


def _shares(classes: Mapping[str, RuleClass], weights: ArrayLike | None) -> Vector:
    """Return the share of delta of each class; a code for all rules shares it out by itself."""
    k = _arguments.count("the number of classes", len(classes), at_least=1)
    coded = [rules.bits is not None for rules in classes.values()]
    if any(coded):
        if not all(coded) or weights is not None:
            raise ValueError(
                "bits measure rules of all classes in one code, whose weights sum to 1 by "
                "themselves: give bits for every class and no weights, or for none"
            )
        return np.ones(k)
    if weights is None:
        places = np.arange(1.0, k + 1.0)
        return (k + 1) / k / (places * (places + 1.0))
    shares = _arguments.vector("weights", weights, low=0.0, high=1.0)
    if len(shares) != k or not shares.all() or math.fsum(shares) > 1.0 + _ROUNDING:
        raise _arguments.refuse(
            "weights", shares.tolist(), f"{k} numbers > 0 that sum to at most 1"
        )
    return shares
