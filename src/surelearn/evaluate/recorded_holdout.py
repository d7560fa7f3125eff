"""A hold-out of recorded predictions: there is no model to ask, only what it answered.

It issues what an audit would, since nothing else can be known: that the rows were drawn at random,
unseen and all of them recorded stands inside the sentence and among what is assumed. What it adds
is the ledger of the process: the same truths with other predictions are another look.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from surelearn import _arguments, claims
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn.base import data_fingerprint
from surelearn.base.cell_bits import cell_bits
from surelearn.base.row_identity import RowSet, with_labels
from surelearn.certificate import Certificate, Evidence, assumed, violated
from surelearn.claims import Claim, Predictions, Target
from surelearn.evaluate import ledger
from surelearn.evaluate._holdout_claims import Answers, Quantile, is_zero_one
from surelearn.evaluate._recorded_truths import digest_of_answers, rows_of_truths
from surelearn.evaluate.audit import Audit, gather
from surelearn.losses import ZeroOne

PROCESS = "process"
"""The memory that keeps its ledger."""

_COMPLETE = assumed("every row here has its answer; rows that were left out before leave no trace")


class RecordedHoldout(Shown, drawn_by="claims.plot_claims"):
    """Truths and what a model answered, asked once or as often as was planned.

    `Holdout.from_predictions` makes it.

    Parameters
    ----------
    rows
        The predictions; see `surelearn.claims.record`.
    asked
        What is claimed of them.
    delta
        The probability that anything certified is false, for all models together.
    n_models
        How many models may be asked about on these truths. Each is certified at its share of delta;
        the best of them may be reported at the whole delta, at which all hold together.

    Examples
    --------
    >>> from surelearn import Holdout
    >>> held_out = Holdout.from_predictions([1] * 100 + [0] * 900, [1] * 90 + [0] * 910)
    >>> print(held_out.certify().claim)
    If these 1,000 rows are independent draws from the cases the model will be used on, and were \
not used to make or choose it, then with confidence 95% it errs on at most 1.70% of such cases.
    """

    def __init__(
        self,
        rows: Predictions,
        asked: Sequence[Claim | Target | str],
        *,
        delta: float = 0.05,
        n_models: int = 1,
    ) -> None:
        self.rows = rows
        self.delta = _arguments.open_fraction("delta", delta)
        self.n_models = _arguments.count("n_models", n_models, at_least=1)
        self._gathered = gather(rows, asked)
        self._options = {
            "claims": [str(one) for one in asked],
            "delta": self.delta,
            **({"looks": self.n_models} if self.n_models > 1 else {}),
        }
        self._gathered.issue(self.delta / self.n_models)  # what it refuses is no look
        self._issued: Audit | None = None

    @in_turn
    def audit(self) -> Audit:
        """Certify all claims, or say that these truths may not be asked about; once and for all."""
        if self._issued is None:
            standing = self._enter()
            stored = {
                "data": data_fingerprint(
                    self.rows.prediction.astype(str).reshape(-1, 1), self.rows.truth
                ),
                "ledger": {"memory": PROCESS, **standing._asdict()},
                "n_without": 0,
                "options": self._options,
            }
            evidence = {
                "complete": _COMPLETE,
                "not_chosen_by_them": tell_asked(standing, self.n_models),
            }
            self._issued = self._gathered.issue(
                self.delta / self.n_models, evidence=evidence, stored=stored
            )
        return self._issued

    def _facts(self) -> Mapping[str, Any]:
        facts = {"n_rows": len(self.rows.truth), "delta": self.delta, "n_models": self.n_models}
        return {**facts, "asked": self._issued is not None}

    def _picture(self) -> tuple[str, Any]:
        if self._issued is None:  # drawing must not be a look
            raise ValueError("this hold-out has answered nothing yet: call certify() first")
        return self._drawn_by, self._issued

    def certify(self) -> Certificate:
        """Return the certificate of the first claim; it is void if the truths were used up."""
        return self.audit().certificate

    def answer(self) -> Answers:
        """Return the certificate, the predictions, and what is certified of each of two classes.

        Examples
        --------
        >>> from surelearn import Holdout
        >>> truth, said = ["ill"] * 50 + ["well"] * 250, ["ill"] * 48 + ["well"] * 252
        >>> held_out = Holdout.from_predictions(truth, said, positive="ill", by_class=True)
        >>> found = held_out.answer().by_class
        >>> {label: round(certificate.bound, 3) for label, certificate in found.items()}
        {'ill': 0.854, 'well': 0.984}
        """
        found = {
            str(outcome.claim): outcome.certificate
            for outcome in self.audit().outcomes
            if outcome.certificate is not None
        }
        labels = np.unique(self.rows.truth).tolist()
        by_class = {
            str(label): found[name] for label in labels if (name := self._claim_of(label)) in found
        }
        return Answers(self.certify(), self.rows.prediction, by_class)

    def _claim_of(self, label: Any) -> str:
        return "sensitivity" if label == self.rows.positive else "specificity"

    def _enter(self) -> ledger.Standing:
        """Enter the look in the ledger of this process."""
        answers, named = digest_of_answers(self.rows), {"positive": str(self.rows.positive)}
        options = json.dumps(self._options | named, sort_keys=True)
        asked = hashlib.sha256(options.encode()).hexdigest()[:16]
        rules = f"recorded: {self.n_models} looks at {self.delta!r}"
        question = ledger.Question(rules, f"{answers} {asked}", recorded=True)
        return ledger.ask(_identify(self.rows), question, n_models=self.n_models)


def tell_asked(standing: ledger.Standing, n_models: int) -> Evidence:
    """Return what is known of whether the model was chosen by these rows.

    Examples
    --------
    >>> tell_asked(ledger.Standing(number=1, before=0, allowed=True), 1).text
    'question 1 of 1 about these truths in this process; what was asked elsewhere is not seen'
    """
    if not standing.allowed:
        several = "1 look" if standing.before == 1 else f"{standing.before} looks"
        return violated(
            f"{several} at these truths came before in this process, and the rules do not cover "
            "another one: use fresh rows, or plan mode='family', n_models=K before the first"
        )
    which = f"question {standing.number} of {n_models} about these truths in this process"
    return assumed(f"{which}; what was asked elsewhere is not seen")


def record_holdout(  # noqa: PLR0913 - an argument for each rule that is fixed beforehand
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    delta: float = 0.05,
    mode: Literal["once", "family"] = "once",
    n_models: int = 1,
    loss: Any = "zero_one",
    groups: ArrayLike | None = None,
    by_class: bool = False,
    positive: Any = None,
    claims: Sequence[Claim | Target | str] = (),
) -> RecordedHoldout:
    """Return a hold-out of recorded predictions; see `Holdout.from_predictions`."""
    if mode not in {"once", "family"}:
        raise ValueError(
            f"mode={_arguments.short(mode)} needs a model to ask: recorded predictions are asked "
            "'once', or in a 'family' of n_models; a gate is a claim such as claims=['error<=0.1']"
        )
    if mode == "once" and n_models != 1:
        raise ValueError("mode='once' is for one model; use mode='family' for n_models of them")
    regression = isinstance(loss, Quantile)
    rows = _record(y_true, y_pred, positive, groups, regression=regression)
    if claims and (by_class or not is_zero_one(loss)):
        raise ValueError("claims say what is claimed: leave loss and by_class as they are")
    asked = tuple(claims) or _claims_of(loss, rows, by_class=_arguments.flag("by_class", by_class))
    return RecordedHoldout(rows, asked, delta=delta, n_models=n_models)


def _record(
    y_true: Any, y_pred: Any, positive: Any, groups: ArrayLike | None, *, regression: bool
) -> Predictions:
    task = "regression" if regression else "classification"
    return claims.record(y_true, y_pred, task=task, positive=positive, cluster=groups)


def _claims_of(loss: Any, rows: Predictions, *, by_class: bool) -> tuple[str, ...]:
    """Return what a loss claims: an error rate, of groups if there are some, or a quantile."""
    if isinstance(loss, Quantile):
        if by_class:
            raise ValueError("by_class is for classes, which numbers have none of")
        return (f"error-quantile(alpha={loss.alpha!r})",)
    if not is_zero_one(cast("str | ZeroOne", loss)):
        raise ValueError(
            "recorded predictions are counted as wrong (loss='zero_one') or measured "
            "(loss=Quantile(alpha)); for another loss give the model and its rows to Holdout, or "
            "claims=['mean-error(largest=...)']"
        )
    error = "error-per-cluster" if "cluster" in rows.columns else "error"
    if not by_class:
        return (error,)
    if rows.task != "binary":
        raise ValueError(
            "by_class is for two classes here, of which one is positive; of more, give the model "
            "and its rows to Holdout"
        )
    return (error, "sensitivity", "specificity")


def _identify(rows: Predictions) -> list[RowSet]:
    """Return by what the truths are known again; with the answers, if they tell too little."""
    truth = cell_bits(rows.truth)
    found = rows_of_truths(truth)
    return found or [RowSet.of(with_labels(truth, cell_bits(rows.prediction)))]
