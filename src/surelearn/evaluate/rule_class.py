"""Classes of rules: the rule that a learner finds in one, and what bounds its risk.

What fixes the price of a class decides which theorem is used: its size or a code for its rules
(Occam), its VC dimension, the number of features that its rules are affine functions of, or what
the learner states of its own run.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from surelearn import _arguments
from surelearn._typing import ArrayLike
from surelearn.base.fingerprint import fingerprint
from surelearn.bounds import Guarantee, pac, vc
from surelearn.certificate import Certificate, Evidence, Status, assumed, certify
from surelearn.evaluate._task import make_task

BEFORE = assumed("neither classes nor weights may come from these rows")
"""What is known of a class unless something else is said."""


@dataclass(frozen=True, kw_only=True)
class RuleClass:
    """A class of rules, how to find one in it, and what fixes its price.

    Without any of the four prices the model's own `certificates` are asked.

    Attributes
    ----------
    model
        A classifier whose fitted rule belongs to the class.
    n_hypotheses
        The number of rules of a finite class.
    vc_dimension
        The VC dimension of the class: d + 1 for linear rules with an intercept.
    affine_features
        The number of features that the scores of the rules are affine functions of: a number, or a
        function of the fitted model. Two classes are told apart by the sign of one score, more by
        the largest of theirs.
    bits
        The length of a rule in one code for the rules of all classes: a number, if no other class
        has these rules, or a function of the fitted model.
    fixed
        Whether the class was fixed before the rows were seen, and how that is known.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> RuleClass(model=Halfspace(), affine_features=2).affine_features
    2
    """

    model: Any
    n_hypotheses: int | None = None
    vc_dimension: int | None = None
    affine_features: int | Callable[[Any], int] | None = None
    bits: float | Callable[[Any], float] | None = None
    fixed: Evidence | tuple[Status, str] = BEFORE

    def __post_init__(self) -> None:
        """Refuse two prices for one class."""
        given = [self.n_hypotheses, self.vc_dimension, self.affine_features, self.bits]
        if sum(price is not None for price in given) > 1:
            raise ValueError(
                "give one of n_hypotheses, vc_dimension, affine_features and bits, not several"
            )


@dataclass(frozen=True)
class FittedRule:
    """The rule that a learner found in a class, and the share of delta that the class has.

    Attributes
    ----------
    rules
        The class.
    share, delta
        The share, and the probability with which any statement about any class may fail.
    model
        The fitted model.
    errors, n
        How many of the training rows it gets wrong, and their number.
    wrong
        A digest of which rows these are, by which different rules are told apart; "" if unknown.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> rules = RuleClass(model=DummyClassifier(), n_hypotheses=2)
    >>> fitted = FittedRule.of(rules, 1.0, 0.05, np.zeros((100, 1)), [0] * 95 + [1] * 5)
    >>> fitted.errors, round(fitted.certificate.bound, 4)
    (5, 0.1128)
    """

    rules: RuleClass
    share: float
    delta: float
    model: Any
    errors: int
    n: int
    wrong: str = ""

    @classmethod
    def of(cls, rules: RuleClass, share: float, delta: float, X: Any, y: ArrayLike) -> "FittedRule":
        """Let the learner of a class find a rule in it."""
        task = make_task(rules.model, X, y, loss="zero_one")
        model = task.fit(np.arange(task.n), "to all rows")
        losses = task.losses(model, np.arange(task.n))
        wrong = hashlib.sha256(np.packbits(losses > 0.0).tobytes()).hexdigest()
        return cls(rules, share, delta, model, int(losses.sum()), task.n, wrong)

    @property
    def bits(self) -> float | None:
        """The length of the rule in a code for the rules of all classes, if there is one."""
        if self.rules.n_hypotheses is not None:
            size = _arguments.count("n_hypotheses", self.rules.n_hypotheses, at_least=1)
            return math.log2(size) - math.log2(self.share)
        length = self.rules.bits
        return length(self.model) if callable(length) else length

    @cached_property
    def certificate(self) -> Certificate:
        """The bound on the risk of the rule at the share of its class."""
        counts: dict[str, Any] = {"errors": self.errors, "n": self.n}
        fixed = Evidence(*self.rules.fixed)
        if self.bits is not None:
            guarantee = pac.occam(**counts, bits=self.bits, delta=self.delta)
            return self._certify(guarantee, code=fixed)
        share = self.share * self.delta
        if self.rules.vc_dimension is not None:
            guarantee = vc.moment(**counts, vc_dimension=self.rules.vc_dimension, delta=share)
            return self._certify(guarantee, fixed_before=fixed)
        if self.rules.affine_features is not None:
            declared = assumed("that is how the class was declared")
            guarantee = self._of_affine_rules(counts, share)
            return self._certify(guarantee, fixed_before=fixed, affine=declared)
        return _own_certificate(self.model, share)

    def textbook(self) -> float:
        """Return the training error plus the square-root penalty."""
        if self.bits is None:
            raise ValueError("criterion='square-root' needs classes with n_hypotheses or bits")
        penalty = pac.occam_hoeffding(n=self.n, bits=self.bits, delta=self.delta)
        return self.errors / self.n + penalty.bound

    def _of_affine_rules(self, counts: dict[str, Any], delta: float) -> Guarantee:
        features = self.rules.affine_features
        counts["dimension"] = features(self.model) if callable(features) else features
        n_classes = len(self.model.classes_)
        if n_classes <= 2:
            return vc.linear(**counts, delta=delta)
        return vc.linear_multiclass(**counts, n_classes=n_classes, delta=delta)

    def _certify(self, guarantee: Guarantee, **evidence: Evidence) -> Certificate:
        return certify(
            guarantee,
            kind="risk",
            subject="this fitted model",
            observed=self.errors / self.n,
            n=self.n,
            evidence={"independent": assumed("cannot be verified from the data"), **evidence},
            reproduce={"model": fingerprint(self.model)},
        )


def _own_certificate(model: Any, delta: float) -> Certificate:
    """Return the first bound on its risk that a learner states from its own run."""
    state = getattr(model, "certificates", None)
    found = [c for c in state(delta=delta) if c.kind == "risk" and c.delta] if state else []
    if not found:
        raise ValueError(
            f"{type(model).__name__} does not bound its own risk from its training rows; say what "
            "class it belongs to: RuleClass(model=..., n_hypotheses=..., vc_dimension=..., "
            "affine_features=... or bits=...)"
        )
    return found[0]
