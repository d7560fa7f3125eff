"""The hold-out: it owns the data, the failure probability and the ledger of what was asked.

Asking a hold-out about many models and reporting the best is how most published error rates come to
be false. A `Holdout` is told beforehand how it will be asked, charges every question to its ledger,
and is the only thing that issues hold-out certificates: of all rows, of groups, of each class. The
ledger belongs to the rows: another `Holdout` on them goes on with it (`surelearn.evaluate.ledger`).
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import Hashes
from surelearn._jit.sound_matrices import sound
from surelearn._locks import in_turn
from surelearn._shown import Shown
from surelearn._typing import ArrayLike
from surelearn.base import data_fingerprint, fingerprint
from surelearn.base.cell_bits import cell_bits
from surelearn.base.chunks import in_chunks, some_rows
from surelearn.base.error_sizes import absolute_errors
from surelearn.base.row_identity import RowSet, labelled_hashes
from surelearn.certificate import (
    Certificate,
    Evidence,
    LedgerEntry,
    assumed,
)
from surelearn.evaluate import _holdout_rules
from surelearn.evaluate._claims_beside import (
    Asked,
    Stated,
    answered_beside,
    check_beside,
    state_beside,
)
from surelearn.evaluate._holdout_claims import (
    Answers,
    Claim,
    ClassErrorRate,
    ErrorSize,
    PointwiseLoss,
    Quantile,
    claim_about,
    is_zero_one,
    one_of_each,
    rows_counted,
)
from surelearn.evaluate._holdout_draws import Copies, draw
from surelearn.evaluate._holdout_identity import (
    digest_of_question,
    name_rules,
    rows_in_groups,
    what_counts,
)
from surelearn.evaluate._issuing import Question, issue
from surelearn.evaluate._recorded_truths import runs_of_truths
from surelearn.evaluate._row_by_row import answered_alone, worst_of
from surelearn.evaluate._task import refuse_no_model
from surelearn.evaluate._training_memory import compare_with_training
from surelearn.evaluate.audit import Audit
from surelearn.evaluate.ledger import Account, Standing
from surelearn.evaluate.recorded_holdout import RecordedHoldout, record_holdout
from surelearn.losses import Loss

__all__ = ["Answers", "Holdout", "Quantile"]


class Holdout(Shown, drawn_by="certificates.plot_certificates"):
    """A test set that certifies models and keeps account of how often its rows were asked.

    Parameters
    ----------
    X, y
        Rows and labels drawn at random, without looking at either, and never used for training.
    delta
        The probability that any certificate of this hold-out is false; certificates by class may
        fail with that probability once more, all of them together.
    mode
        "once": one model. "family": `n_models` models, all fixed before the first answer; the best
        may be reported. "gate": up to `n_models` models, each made after seeing that the ones
        before failed `target`; the first that passes is certified and the gate locks. "open":
        numbers without certificates.
    n_models
        How many models may be asked about.
    loss
        "zero_one" for classifiers, `Quantile(alpha)` for regressors, or a function of labels and
        predictions with values in [0, 1], such as an object of `surelearn.losses`.
    target
        In mode "gate": the risk that a model must be certified not to exceed.
    allow_duplicates
        Accept rows that also stand in the training data: independent draws from a table of
        categories do coincide.
    groups, random_state
        For each row its group, if rows of one group depend on each other: then a group is one draw,
        and the mean over groups is certified. For a `Quantile` one row of each counts, drawn so;
        and one of the copies of a row, where `split` found some.
    by_class
        Whether to certify the error rate of each class, too. With groups: the classes there are,
        known beforehand.
    claims, positive, baseline
        What else to certify, at delta once more for all of it: a list of claims and targets such as
        "sensitivity>=0.9" (see `surelearn.claims`), or True for all that is expected of the task;
        of two labels the positive one, if its own words do not say so; another model to compare
        with. `answer(model).claims` has what became of them. Of a model with `predict_width`, such
        as a `LocallyScaledRegressor`, how many widths hold most truths is claimed as well.

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

    def __init__(  # noqa: PLR0913 - an argument for each rule that is fixed beforehand
        self,
        X: Any,
        y: ArrayLike,
        *,
        delta: float = 0.05,
        mode: _holdout_rules.Mode = "once",
        n_models: int = 1,
        loss: Literal["zero_one"] | Quantile | Loss | PointwiseLoss = "zero_one",
        target: float | None = None,
        allow_duplicates: bool = False,
        groups: ArrayLike | None = None,
        random_state: int = 0,
        by_class: bool | ArrayLike = False,
        claims: bool | Sequence[Asked] = (),
        positive: Any = None,
        baseline: Any = None,
    ) -> None:
        self.X = sound(X)
        self.y = _holdout_rules.check_labels(self.X, y)
        self._rules = _holdout_rules.check_rules(
            delta=delta, mode=mode, n_models=n_models, target=target
        )
        self._groups = _holdout_rules.check_groups(groups, self.y)
        self._claim = claim_about(loss, self._groups, random_state=random_state)
        self._counted = rows_counted(self._claim)
        self._counts_errors = is_zero_one(loss)
        self._classes = _holdout_rules.check_classes(by_class, self.y, loss, self._groups)
        self._beside = check_beside(claims, positive, baseline, loss=loss)
        self._evidence = _holdout_rules.check_evidence(self._made_true(), self._claim)
        self.allow_duplicates = allow_duplicates
        self._drawn_at_random = False
        self.identity = self._fingerprint()
        self._loss, self._seed = loss, random_state
        self._table: tuple[RowSet, ...] = ()
        self._ledger: list[LedgerEntry] = []
        self._issued: dict[str, Answers] = {}

    def _made_true(self) -> Mapping[str, Evidence]:
        """Return evidence for what the maker of this hold-out makes true, by key: here nothing.

        Not an argument, because "by construction" must be true on every path: only code that draws
        the rows and trains the model can say it. Keys are "unseen" (no row was used for training),
        "blind_split" (how it was split off), "untouched" (nothing that shapes the model has seen
        it), "copies" (none of its rows was left for training), or assumptions of the theorem.
        """
        return {}

    @property
    def drawn_at_random(self) -> bool:
        """Whether `Holdout.split` drew the rows."""
        return self._drawn_at_random

    @property
    def ledger(self) -> tuple[LedgerEntry, ...]:
        """Every question asked so far, also those that ended in an error about the losses.

        Certificates by class have an entry each, with the number of the question they answer.
        """
        return tuple(self._ledger)

    @classmethod
    def split(
        cls,
        X: Any,
        y: ArrayLike,
        *,
        fraction: float = 0.2,
        seed: int,
        copies: Copies = "together",
        **rules: Any,
    ) -> tuple[Any, Any, "Holdout"]:
        """Split rows off at random, not looking at labels; return the rest, shuffled, and it.

        A split stratified on the labels is not offered: it voids every certificate.

        Parameters
        ----------
        X, y
            All rows and labels.
        fraction, seed
            The share of the rows to hold out, rounded, and the seed it is drawn by; `surelearn
            certify` draws the same rows.
        copies
            "together": equal rows go to the same side. If there are any, a distinct row is one
            draw, as a group is, and counts once. "independent": rows that coincide are taken as
            draws of their own.
        **rules
            As for a `Holdout`; of `groups`, given for all rows, whole ones are held out.

        Examples
        --------
        >>> X, y = np.arange(20.0).reshape(10, 2), np.arange(10) % 2
        >>> X_train, y_train, held_out = Holdout.split(X, y, fraction=0.3, seed=0)
        >>> len(X_train), len(held_out.y)
        (7, 3)
        """
        drawn = draw(X, y, fraction=fraction, seed=seed, copies=copies, rules=rules)
        held_out = cls(*drawn.held_out, **drawn.rules)
        held_out._drawn_at_random, held_out._table = True, (drawn.table,)
        held_out._evidence = {**drawn.evidence, **held_out._evidence}
        held_out.allow_duplicates |= "unseen" in drawn.evidence
        return *drawn.training, held_out

    @staticmethod
    def from_predictions(y_true: ArrayLike, y_pred: ArrayLike, **rules: Any) -> RecordedHoldout:
        """Return a hold-out of recorded predictions; `certify()` issues what an audit would.

        Parameters
        ----------
        y_true, y_pred
            What was true and what the model answered, row by row.
        **rules
            As for a `Holdout`: delta, mode ("once" or "family"), n_models, loss ("zero_one" or a
            `Quantile`), groups, by_class (of two classes); and positive, the positive label, and
            claims, as `surelearn.audit` takes them.

        Examples
        --------
        >>> held_out = Holdout.from_predictions([0, 1] * 100, [0, 1] * 99 + [1, 1])
        >>> round(held_out.certify().bound, 4)
        0.0235
        >>> Holdout.from_predictions([0, 1] * 100, [0, 1] * 100).certify().status  # another look
        'void'
        """
        return record_holdout(y_true, y_pred, **rules)

    def certify(self, model: Any) -> Certificate:
        """Certify a fitted model, or say why this hold-out may not be asked about it.

        A model asked about before gets the same certificate again. In mode "gate" a model that
        does not pass gets a void certificate without numbers: nothing but the failure may leak.
        """
        return self.answer(model).certificate

    @in_turn
    def answer(self, model: Any) -> Answers:
        """Return the certificate of a model, those of its classes, and its predictions.

        Examples
        --------
        >>> class Always:
        ...     def predict(self, X):
        ...         return np.zeros(len(X))
        >>> held_out = Holdout(np.ones((60, 1)), np.arange(60) % 3 == 0, by_class=True)
        >>> answers = held_out.answer(Always())
        >>> {label: c.observed for label, c in answers.by_class.items()}
        {'False': 0.0, 'True': 1.0}
        >>> [entry.delta_spent for entry in held_out.ledger]
        [0.05, 0.025, 0.025]
        """
        if self._rules.mode == "open":
            raise ValueError("an open hold-out gives numbers, not certificates: call score(model)")
        predicted, identity = self._predictions(model), fingerprint(model)
        stated = self._state_beside(model, self.X, predicted)
        said = (predicted,) if stated is None else (predicted, *stated.answers)
        asked = f"{identity} {digest_of_question(self._held, said)}"
        if asked in self._issued:
            return self._issued[asked]
        self._refuse_if_spent()
        evidence = self._demands(model, predicted, stated)
        # From here on it was asked, whatever comes of it; each claim is charged before it is made.
        standing, known = self._stand(asked)
        if known is not None:
            evidence["not_chosen_by_them"] = known
        demands = _holdout_rules.state_demands(evidence, self._rules.mode)
        question = Question(identity, predicted, demands, standing)
        certificate = self._issue(self._claim, question)
        self._issued[asked] = Answers(certificate, predicted)
        if not certificate.violated:  # of a model that failed the gate nothing else may leak
            by_class = self._issue_classes(question)
            beside = self._issue_beside(stated, certificate)
            self._issued[asked] = Answers(certificate, predicted, by_class, beside)
            if self._rules.mode == "gate":
                self._account.look("locked", identity)
        return self._issued[asked]

    def _refuse_if_spent(self) -> None:
        n_asked = self._ledger[-1].query if self._ledger else 0
        passed = any(a.certificate.status != "void" for a in self._issued.values())
        if self._rules.mode == "gate" and passed:
            raise ValueError("the gate is locked: a model has passed. Draw a fresh hold-out")
        if n_asked >= self._rules.n_models:
            raise ValueError(
                f"this hold-out has answered all {self._rules.n_models} questions it was set up "
                "for. Draw a fresh one, or plan more beforehand: Holdout(..., mode='family', "
                "n_models=K)"
            )

    def _stand(self, model: str) -> tuple[Standing, Evidence | None]:
        """Enter a question in the ledger of these rows; return where it stands, and the evidence.

        Where someone else keeps account of these rows, this is the place to ask them.
        """
        return self._account.ask(model)

    def _issue(self, claim: Claim, question: Question, n_classes: int = 1) -> Certificate:
        """Charge a claim its share of delta, then certify it."""
        rules, number = self._rules, question.standing.number
        share = rules.share / n_classes
        # From here on labels are looked at, and even an error about them tells something: it is
        # charged before, and says nothing in particular.
        entry = LedgerEntry(self.identity, rules.mode, rules.n_models, share, number)
        self._ledger.append(entry)
        evidence = {k: self._evidence.get(k, known) for k, known in claim.evidence.items()}
        return issue(
            claim, question, rules, self.y, entry=entry, evidence=evidence, n_classes=n_classes
        )

    def _issue_classes(self, question: Question) -> dict[str, Certificate]:
        """Certify the error rate of each class with rows here; all of them together at delta.

        A class that nobody announced has no share of delta, and no certificate.
        """
        here = set(np.unique(self.y).tolist() if self._classes else ())
        return {
            str(label): self._issue(
                ClassErrorRate(label, self._groups, self._seed), question, len(self._classes)
            )
            for label in self._classes
            if label in here
        }

    def _issue_beside(self, stated: Stated | None, certificate: Certificate) -> Audit | None:
        """Certify the claims beside a certificate, all of them together at delta once more."""
        if stated is None or certificate.family is None:
            return None
        self._ledger.append(certificate.family)
        return stated.issue(certificate, self._rules.share)

    def score(self, model: Any) -> float:
        """Return the average loss of a model, in mode "open" only: elsewhere a look costs.

        No certificate from these rows is valid after it, whichever `Holdout` it is asked of.
        """
        if self._rules.mode != "open":
            raise ValueError(
                f"a hold-out of mode {self._rules.mode!r} answers only through certify(model), "
                "which keeps the ledger; use mode='open' for numbers without certificates"
            )
        predicted = self._predictions(model)
        self._account.look("open", fingerprint(model))
        return self._claim.bound(self.y, predicted, delta=self._rules.share).observed

    @cached_property
    def _account(self) -> Account:
        """What this process remembers of these rows."""
        held, seed = self._held, None if self._groups is None else self._seed
        fixed = (self._classes, *what_counts(held, self._counted, self._beside, seed))
        return Account(
            rows=(RowSet.of(held), *self._table),
            rules=name_rules(self._rules, self._loss, fixed, rows_in_groups(self.X, self._groups)),
            n_models=self._rules.n_models,
            held=held,
            truths=tuple(runs_of_truths(cell_bits(np.asarray(self.y)))),
        )

    @cached_property
    def _held(self) -> Hashes:
        """A hash of each row with its label."""
        return labelled_hashes(self.X, self.y)

    def _fingerprint(self) -> str:
        """Return the hash of the rows and labels that count."""
        counted = self._claim.counted if isinstance(self._claim, ErrorSize) else None
        if counted is None:
            return data_fingerprint(self.X, self.y)
        return data_fingerprint(some_rows(self.X, counted), self.y[counted])

    def _predictions(self, model: Any) -> NDArray[Any]:
        """Return the model's predictions, if they can be compared with the labels at all."""
        if self._fingerprint() != self.identity:
            raise ValueError("the data of this hold-out were changed after it was set up")
        refuse_no_model(model)
        predicted = in_chunks(model.predict, self.X)
        _holdout_rules.check_predictions(model, self.y, predicted, labels=self._counts_errors)
        if isinstance(self._loss, Quantile):  # refused before anything is charged
            absolute_errors(self.y, predicted)
        return predicted

    def _demands(
        self, model: Any, predicted: NDArray[Any], stated: Stated | None
    ) -> dict[str, Evidence]:
        """Return the evidence for what must be true beyond the theorem: the worst of all asked."""
        evidence, others = dict(self._evidence), self._compared_with()
        alone = [answered_alone(model, self.X, predicted)]
        if stated is not None:
            alone += answered_beside(stated, model, self.X, others)
        evidence.setdefault("row_by_row", worst_of(alone))
        if "unseen" not in evidence or not self.allow_duplicates:
            allow = self.allow_duplicates
            asked = (model, *others)
            found = [compare_with_training(one, self.X, allow_duplicates=allow) for one in asked]
            evidence.setdefault("unseen", worst_of(found))
        evidence.setdefault("blind_split", assumed("a split stratified on labels voids it"))
        return evidence

    def _compared_with(self) -> tuple[Any, ...]:
        """Return other models of which it must be known how they came about and answer."""
        other = None if self._beside is None else self._beside.baseline
        return () if other is None else (other,)

    def _state_beside(self, model: Any, X: Any, predicted: NDArray[Any]) -> Stated | None:
        """Gather what the claims beside the certificate need; those that cannot be are refused."""
        if self._beside is None:
            return None
        places, units = self._counted, "rows" if self._groups is None else "groups"
        if places is None and self._groups is not None:
            places = one_of_each(self._groups.places, self._seed)
        return state_beside(
            self._beside,
            model,
            X,
            self.y,
            predicted,
            labels=None if isinstance(self._loss, Quantile) else self._labels(model, predicted),
            counted=("copies" if self._groups and self._groups.of_copies else units, places),
        )

    def _labels(self, model: Any, predicted: NDArray[Any]) -> list[Any]:
        """Return the classes there are: as the model knows them, or whoever made the hold-out."""
        known = getattr(model, "classes_", None)
        if known is None and self._beside is not None and not self._beside.asked:
            raise ValueError(
                "claims=True needs a model that knows its classes, by its attribute classes_: name "
                "the claims instead"
            )
        return (np.union1d(self.y, predicted) if known is None else np.asarray(known)).tolist()

    def _facts(self) -> Mapping[str, Any]:
        """Return the rules, and how often these rows were asked: nothing about their labels."""
        rules = self._rules
        facts = {"n_rows": len(self.y), "mode": rules.mode, "delta": rules.delta}
        return {**facts, "n_models": rules.n_models, "asked": len(self._issued)}

    def __str__(self) -> str:
        """Return how many rows there are, what was asked, and what may still be asked."""
        return self._rules.told(len(self.y), len(self._issued))

    def _picture(self) -> tuple[str, Any]:
        if not self._issued:
            raise ValueError("this hold-out has answered nothing yet: call certify(model) first")
        answers = [answered.certificate for answered in self._issued.values()]
        names = (
            ["this model"] if len(answers) == 1 else [f"model {i + 1}" for i in range(len(answers))]
        )
        return self._drawn_by, dict(zip(names, answers, strict=True))
