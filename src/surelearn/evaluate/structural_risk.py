"""Structural risk minimisation: choose by the training error plus a price for the class.

Every class of rules, from small to large, has its share of the failure probability. All bounds then
hold together, so the class with the smallest may be taken, and its bound is a certificate: of the
very model that was chosen, with all rows used for learning.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from surelearn._typing import Vector
from surelearn._wording import confidence, percent_outward
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import Guarantee, _domain, pac, vc
from surelearn.certificate import Certificate, Precondition, Status, certify
from surelearn.evaluate._task import make_task

_INDEPENDENT: tuple[Status, str] = ("assumed", "cannot be verified from the data")
_BEFORE: tuple[Status, str] = ("assumed", "neither classes nor weights may come from these rows")
_FIXED = Precondition(
    "the classes and their weights were fixed before the data were seen", *_BEFORE
)


@dataclass(frozen=True, kw_only=True)
class RuleClass:
    """A class of rules, how to find one in it, and what fixes its price.

    Without any of the last three the model's own `certificates` are asked.

    Attributes
    ----------
    model
        A classifier whose fitted rule belongs to the class.
    n_hypotheses
        The number of rules of a finite class.
    vc_dimension
        The VC dimension of the class: d + 1 for linear rules with an intercept.
    bits
        The length of a rule in one code for the rules of all classes: a number, or a function of
        the fitted model.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> RuleClass(model=Halfspace(), vc_dimension=3).vc_dimension
    3
    """

    model: Any
    n_hypotheses: int | None = None
    vc_dimension: int | None = None
    bits: float | Callable[[Any], float] | None = None

    def __post_init__(self) -> None:
        """Refuse two prices for one class."""
        given = [self.n_hypotheses, self.vc_dimension, self.bits]
        if sum(price is not None for price in given) > 1:
            raise ValueError("give one of n_hypotheses, vc_dimension and bits, not several")


@dataclass(frozen=True, eq=False, kw_only=True)
class StructuralRisk:
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
    criterion: Literal["bound", "square-root"] = "bound",
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
    _domain.open_fraction("delta", delta)
    if criterion not in {"bound", "square-root"}:
        raise _domain.refuse("criterion", criterion, "'bound' or 'square-root'")
    priced: dict[str, RuleClass] = {
        name: value if isinstance(value, RuleClass) else RuleClass(model=value)
        for name, value in classes.items()
    }
    shares = _shares(priced, weights)
    fitted = [
        _Fitted.of(rules, float(share), delta, X, y)
        for rules, share in zip(priced.values(), shares, strict=True)
    ]
    found = [one.bounded() for one in fitted]
    bounds = np.array([math.inf if c.status == "void" else c.bound for c in found])
    prices = bounds if criterion == "bound" else np.array([one.textbook() for one in fitted])
    best = int(np.argmin(prices))  # of equals the first, which is the smallest
    if not math.isfinite(bounds[best]):
        reason = found[best].headline[0]
        raise ValueError(f"no class is bounded by its training rows: {reason} Give RuleClass(...)")
    names = tuple(priced)
    return StructuralRisk(
        names=names,
        training_errors=np.array([one.errors / one.n for one in fitted]),
        bounds=bounds,
        criterion=prices,
        chosen=names[best],
        model=fitted[best].model,
        certificate=_of_the_choice(found[best], delta, len(names)),
        delta=delta,
    )


@dataclass(frozen=True)
class _Fitted:
    """A class with its rule for these rows."""

    rules: RuleClass
    share: float
    delta: float
    model: Any
    errors: int
    n: int

    @classmethod
    def of(cls, rules: RuleClass, share: float, delta: float, X: Any, y: ArrayLike) -> "_Fitted":
        task = make_task(rules.model, X, y, loss="zero_one")
        model = task.fit(np.arange(task.n), "to all rows")
        errors = int(task.losses(model, np.arange(task.n)).sum())
        return cls(rules, share, delta, model, errors, task.n)

    @property
    def bits(self) -> float | None:
        """The length of the rule in a code for the rules of all classes, if there is one."""
        if self.rules.n_hypotheses is not None:
            size = _domain.count("n_hypotheses", self.rules.n_hypotheses, at_least=1)
            return math.log2(size) - math.log2(self.share)
        length = self.rules.bits
        return length(self.model) if callable(length) else length

    def bounded(self) -> Certificate:
        """Return the bound on the risk of the rule at the share of its class."""
        if self.bits is not None:
            counted = {"errors": self.errors, "n": self.n}
            guarantee = pac.occam(**counted, bits=self.bits, delta=self.delta)
            return self._certificate(guarantee)
        share = self.share * self.delta
        if self.rules.vc_dimension is not None:
            guarantee = vc.moment(
                errors=self.errors, n=self.n, vc_dimension=self.rules.vc_dimension, delta=share
            )
            return self._certificate(guarantee)
        return _own_certificate(self.model, share)

    def textbook(self) -> float:
        """Return the training error plus the square-root penalty."""
        if self.bits is None:
            raise ValueError("criterion='square-root' needs classes with n_hypotheses or bits")
        penalty = pac.occam_hoeffding(n=self.n, bits=self.bits, delta=self.delta)
        return self.errors / self.n + penalty.bound

    def _certificate(self, guarantee: Guarantee) -> Certificate:
        return certify(
            guarantee,
            kind="risk",
            subject="this fitted model",
            observed=self.errors / self.n,
            n=self.n,
            statuses=[_INDEPENDENT, _BEFORE],
            reproduce={"model": fingerprint(self.model)},
        )


def _own_certificate(model: Any, delta: float) -> Certificate:
    """Return the first bound on its risk that a learner states from its own run."""
    state = getattr(model, "certificates", None)
    found = [c for c in state(delta=delta) if c.kind == "risk" and c.delta] if state else []
    if not found:
        raise ValueError(
            f"{type(model).__name__} does not bound its own risk from its training rows; say what "
            "class it belongs to: RuleClass(model=..., n_hypotheses=..., vc_dimension=... or "
            "bits=...)"
        )
    return found[0]


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
    k = _domain.count("the number of classes", len(classes), at_least=1)
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
    shares = _domain.vector("weights", weights, low=0.0, high=1.0)
    if len(shares) != k or not shares.all() or math.fsum(shares) > 1.0 + 1e-12:
        raise _domain.refuse("weights", shares.tolist(), f"{k} numbers > 0 that sum to at most 1")
    return shares
