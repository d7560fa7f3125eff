"""The hold-out: it owns the data, the failure probability and the ledger of what was asked.

Asking a hold-out about many models and reporting the best is how most published error rates come to
be false. A `Holdout` is told beforehand how it will be asked, charges every question to its ledger,
and is the only thing that issues hold-out certificates.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_regressor
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_consistent_length, column_or_1d

from surelearn import _arguments
from surelearn._wording import confidence, outward, percent_outward
from surelearn.base import data_fingerprint, fingerprint
from surelearn.base.chunks import in_blocks
from surelearn.bounds import Guarantee, concentration, holdout, sequences
from surelearn.certificate import Certificate, Kind, LedgerEntry, Precondition, Status, certify
from surelearn.evaluate._task import range_of_losses
from surelearn.evaluate._training_memory import training_memory

Mode: TypeAlias = Literal["once", "family", "gate", "open"]
PointwiseLoss: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], ArrayLike]

_OF_MODE = {
    "family": (
        Precondition(
            "fixed_family",
            "all models were fixed before the first answer",
            "assumed",
            "docs/theory/holdout.md#family",
        ),
    ),
    "gate": (
        Precondition(
            "blind_to_answers",
            "models were made knowing nothing but that earlier ones failed",
            "by-construction",
            "the gate tells nothing else and locks at the first pass: docs/theory/holdout.md#gate",
        ),
    ),
}
_NOT_PASSED = "This model did not pass the gate; nothing else may be said."


class _Rules(NamedTuple):
    """What was fixed before anyone looked."""

    delta: float
    mode: Mode
    n_models: int
    loss: Any
    target: float | None

    @property
    def share(self) -> float:
        """The failure probability of one question."""
        return self.delta / self.n_models


@dataclass(frozen=True)
class Quantile:
    """Ask how large the absolute error of all but a fraction `alpha` of new examples is.

    For regression: no loss need be bounded.

    Examples
    --------
    >>> Quantile(alpha=0.1).alpha
    0.1
    """

    alpha: float

    def __post_init__(self) -> None:
        """Refuse a fraction outside (0, 1)."""
        _arguments.open_fraction("alpha", self.alpha)


class Holdout:
    """A test set that certifies models and keeps account of how often it was asked.

    Parameters
    ----------
    X, y
        Rows and labels drawn at random, without looking at either, and never used for training.
    delta
        The probability that any certificate of this hold-out is false.
    mode
        "once": one model. "family": `n_models` models, all fixed before the first answer; the best
        may be reported. "gate": up to `n_models` models, each made after seeing that the ones
        before failed `target`; the first that passes is certified and the gate locks. "open":
        numbers without certificates.
    n_models
        How many models may be asked about.
    loss
        "zero_one" for classifiers, `Quantile(alpha)` for regressors, or a function of labels and
        predictions with values in [0, 1].
    target
        In mode "gate": the risk that a model must be certified not to exceed.
    allow_duplicates
        Accept rows that also stand in the training data: independent draws from a table of
        categories do coincide.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> y = X[:, 0] > 0.1
    >>> model = Perceptron(max_iter=5).fit(X[:300], y[:300])
    >>> certificate = Holdout(X[300:], y[300:], delta=0.05).certify(model)
    >>> certificate.status, certificate.n
    ('valid', 200)
    """

    def __init__(
        self,
        X: Any,
        y: ArrayLike,
        *,
        delta: float = 0.05,
        mode: Mode = "once",
        n_models: int = 1,
        loss: Literal["zero_one"] | Quantile | PointwiseLoss = "zero_one",
        target: float | None = None,
        allow_duplicates: bool = False,
    ) -> None:
        self.X, self.y = X, column_or_1d(y)
        check_consistent_length(X, self.y)
        if len(self.y) == 0:
            raise ValueError("the hold-out is empty: give at least one row")
        _refuse_missing_labels(self.y)
        if mode not in get_args(Mode):
            raise _arguments.refuse("mode", mode, "'once', 'family', 'gate' or 'open'")
        if not (loss == "zero_one" or isinstance(loss, Quantile) or callable(loss)):
            raise _arguments.refuse("loss", loss, "'zero_one', Quantile(alpha) or a function")
        if mode == "once" and n_models != 1:
            raise _arguments.refuse("n_models", n_models, "1 in mode 'once'; see mode 'family'")
        if (mode == "gate") != (target is not None):
            raise _arguments.refuse("target", target, "given in mode 'gate', and only there")
        self._rules = _Rules(
            delta=_arguments.open_fraction("delta", delta),
            mode=mode,
            n_models=_arguments.count("n_models", n_models, at_least=1),
            loss=loss,
            target=None if target is None else _arguments.positive("target", target),
        )
        self.allow_duplicates = allow_duplicates
        self.drawn_at_random = False
        self.identity = data_fingerprint(X, self.y)
        self._ledger: list[LedgerEntry] = []
        self._issued: dict[str, Certificate] = {}

    @property
    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Every question asked so far, also those that ended in an error about the losses."""
        return tuple(self._ledger)

    @classmethod
    def split(
        cls, X: Any, y: ArrayLike, *, fraction: float = 0.2, seed: int, **rules: Any
    ) -> tuple[Any, Any, "Holdout"]:
        """Split rows off at random, looking at neither rows nor labels; return the rest and it.

        A split stratified on the labels is not offered: it voids every certificate.

        Examples
        --------
        >>> X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
        >>> X_train, y_train, held_out = Holdout.split(X, y, fraction=0.3, seed=0)
        >>> len(X_train), len(held_out.y)
        (7, 3)
        """
        parts = train_test_split(X, np.asarray(y), test_size=fraction, random_state=seed)
        X_train, X_test, y_train, y_test = parts
        held_out = cls(X_test, y_test, **rules)
        held_out.drawn_at_random = True
        return X_train, y_train, held_out

    def certify(self, model: Any) -> Certificate:
        """Certify a fitted model, or say why this hold-out may not be asked about it.

        A model asked about before gets the same certificate again. In mode "gate" a model that
        does not pass gets a void certificate without numbers: nothing but the failure may leak.
        """
        rules = self._rules
        if rules.mode == "open":
            raise ValueError("an open hold-out gives numbers, not certificates: call score(model)")
        predicted = self._predictions(model)
        identity = fingerprint(model)
        if identity in self._issued:
            return self._issued[identity]
        self._refuse_if_spent()
        conditions = self._conditions(model)
        # From here on labels are looked at, and even an error about them tells something: it is
        # charged before, and says nothing in particular.
        n_asked = len(self._ledger) + 1
        entry = LedgerEntry(self.identity, rules.mode, rules.n_models, rules.share, n_asked)
        self._ledger.append(entry)
        guarantee, observed, kind = self._ask(predicted)
        failed = rules.target is not None and guarantee.bound > rules.target
        certificate = certify(
            _without_numbers(guarantee) if failed else guarantee,
            kind=kind,
            subject="this fitted model",
            observed=np.nan if failed else observed,
            n=len(self.y),
            claim=_NOT_PASSED if failed else self._claim(guarantee),
            statuses=self._statuses(),
            also=(*conditions, *self._gate_condition(failed=failed)),
            family=entry,
            reproduce={
                "model": identity,
                "data": self.identity,
                **({} if failed else _points_to_halve_slack(guarantee, observed)),
            },
        )
        self._issued[identity] = certificate
        return certificate

    def _statuses(self) -> list[tuple[Status, str]]:
        """Return what is known of the assumptions of the theorem that answers."""
        law: tuple[Status, str] = ("assumed", "rows of one population, each drawn independently")
        loss = self._rules.loss
        known = isinstance(loss, str | Quantile)
        return [law] if known else [range_of_losses(1.0, bounded=False), law]

    def score(self, model: Any) -> float:
        """Return the average loss of a model, in mode "open" only: elsewhere a look costs."""
        if self._rules.mode != "open":
            raise ValueError(
                f"a hold-out of mode {self._rules.mode!r} answers only through certify(model), "
                "which keeps the ledger; use mode='open' for numbers without certificates"
            )
        return self._ask(self._predictions(model))[1]

    def _predictions(self, model: Any) -> NDArray[Any]:
        """Return the model's predictions, if they can be compared with the labels at all."""
        if data_fingerprint(self.X, self.y) != self.identity:
            raise ValueError("the data of this hold-out were changed after it was set up")
        predicted = in_blocks(model.predict, self.X)
        if predicted.shape != self.y.shape:
            raise ValueError(
                f"the model's predictions have shape {predicted.shape}; a hold-out of "
                f"{len(self.y)} rows needs one prediction per row: {self.y.shape}"
            )
        if self._rules.loss == "zero_one":
            _refuse_other_kinds(model, self.y, predicted)
        return predicted

    def _ask(self, predicted: NDArray[Any]) -> tuple[Guarantee, float, Kind]:
        """Return the guarantee at this question's share of delta, the observed value, its kind.

        The method follows from the kind of loss, never from the size of the bound.
        """
        loss, share, n = self._rules.loss, self._rules.share, len(self.y)
        if isinstance(loss, Quantile):
            residuals = np.abs(np.asarray(self.y, dtype=np.float64) - predicted)
            guarantee = holdout.quantile(residuals=residuals, alpha=loss.alpha, delta=share)
            return guarantee, float(np.quantile(residuals, 1.0 - loss.alpha)), "quantile"
        if isinstance(loss, str):
            errors = int(np.count_nonzero(predicted != self.y))
            guarantee = concentration.clopper_pearson(errors=errors, n=n, delta=share)
            return guarantee, errors / n, "risk"
        losses = np.asarray(loss(self.y, predicted), dtype=np.float64)
        if losses.shape != (n,) or not ((losses >= 0.0) & (losses <= 1.0)).all():
            raise ValueError(
                f"the loss must give {n} values in [0, 1], one per row: clip or rescale it. Which "
                "row it was is not told, and this question is spent"
            )
        guarantee = sequences.betting_order_free(losses=losses, delta=share)
        return guarantee, float(losses.mean()), "risk"

    def _claim(self, guarantee: Guarantee) -> str:
        rules = self._rules
        together = "" if rules.n_models == 1 else f" for all {rules.n_models} models together"
        start = f"With confidence {confidence(rules.delta)}{together}, "
        if isinstance(rules.loss, Quantile):
            limit = outward(guarantee.bound, "upper")
            share = confidence(rules.loss.alpha)
            return f"{start}at least {share} of new examples have an absolute error <= {limit}."
        limit = percent_outward(guarantee.bound, "upper")
        if rules.loss == "zero_one":
            return f"{start}this model errs on at most {limit} of new examples from the same law."
        return f"{start}the expected loss of this model on a new example is at most {limit}."

    def _conditions(self, model: Any) -> list[Precondition]:
        memory = training_memory(model, self.X)
        if memory.shared and not self.allow_duplicates:
            raise ValueError(
                f"{memory.shared} of {len(self.y)} hold-out rows also stand in the training data "
                "of this model. Split again; or, if rows of a table of categories coincide by "
                "chance, pass allow_duplicates=True"
            )
        status = "checked" if memory.complete and not memory.shared else "assumed"
        unseen = Precondition(
            "unseen", "no row of the hold-out was used for training", status, memory.evidence
        )
        name = "the hold-out was split off without looking at rows or labels"
        split = Precondition(
            "blind_split", name, "assumed", "a split stratified on labels voids it"
        )
        if self.drawn_at_random:
            split = Precondition("blind_split", name, "by-construction", "Holdout.split drew it")
        return [unseen, split, *_OF_MODE.get(self._rules.mode, ())]

    def _gate_condition(self, *, failed: bool) -> tuple[Precondition, ...]:
        if self._rules.target is None:
            return ()
        name = f"the certified bound is at most the target {self._rules.target:g}"
        if failed:
            return (Precondition("gate", name, "violated", "the model did not pass the gate"),)
        return (Precondition("gate", name, "checked", "the gate is locked from now on"),)

    def _refuse_if_spent(self) -> None:
        passed = any(c.status != "void" for c in self._issued.values())
        if self._rules.mode == "gate" and passed:
            raise ValueError("the gate is locked: a model has passed. Draw a fresh hold-out")
        if len(self._ledger) >= self._rules.n_models:
            raise ValueError(
                f"this hold-out has answered all {self._rules.n_models} questions it was set up "
                "for. Draw a fresh one, or plan more beforehand: Holdout(..., mode='family', "
                "n_models=K)"
            )


def _without_numbers(guarantee: Guarantee) -> Guarantee:
    """Return the guarantee with everything that depends on the hold-out's answer removed."""
    return Guarantee(
        quantity=guarantee.quantity,
        bound=guarantee.trivial,
        assumes=guarantee.assumes,
        reference=guarantee.reference,
        confidence=guarantee.confidence,
        validity=guarantee.validity,
        trivial=guarantee.trivial,
        theorem=guarantee.theorem,
        inputs={"delta": guarantee.inputs["delta"]},
    )


def _points_to_halve_slack(guarantee: Guarantee, observed: float) -> dict[str, int]:
    """Return how large a hold-out with the same error rate would have half the slack."""
    if guarantee.theorem != "concentration.clopper_pearson" or guarantee.vacuous:
        return {}
    target = (observed + guarantee.bound) / 2.0
    n = holdout.plan_holdout(target=target, error=observed, delta=guarantee.inputs["delta"])
    return {"n_to_halve_slack": n}


def _refuse_missing_labels(y: NDArray[Any]) -> None:
    missing = np.array([label is None or label != label for label in y.tolist()])  # noqa: PLR0124
    if missing.any():
        raise ValueError(f"y has {int(missing.sum())} missing labels; leave those rows out")


def _refuse_other_kinds(model: Any, y: NDArray[Any], predicted: NDArray[Any]) -> None:
    if hasattr(model, "__sklearn_tags__") and is_regressor(model):
        raise ValueError(
            "the zero-one loss is for classifiers; for a regressor use loss=Quantile(alpha=0.1) or "
            "a loss with values in [0, 1]"
        )
    kinds = {"numbers" if array.dtype.kind in "biuf" else "words" for array in (y, predicted)}
    if len(kinds) > 1 and "O" not in {y.dtype.kind, predicted.dtype.kind}:
        raise ValueError(
            f"the labels are {y.dtype} and the predictions {predicted.dtype}: the model was "
            "trained on labels of another kind"
        )
