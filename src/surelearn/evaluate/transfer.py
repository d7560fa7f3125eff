"""A certificate carried to another model: refitted, exported or quantised, by where they differ.

Where two models agree they are right or wrong together. So the risk of a new model is that of the
certified one plus, at most, the probability that they differ, which rows without labels bound; or,
with the labels of the rows on which they differ, plus the difference of their risks.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._typing import ArrayLike
from surelearn._wording import confidence, percent_outward
from surelearn.base import check_certificate, data_fingerprint, fingerprint
from surelearn.base.cell_bits import to_single
from surelearn.base.chunks import in_chunks
from surelearn.base.fitting import missing
from surelearn.base.labels import comparable, exact, refuse_unlike
from surelearn.base.row_identity import RowSet, row_hashes
from surelearn.bounds import Guarantee
from surelearn.bounds import transfer as theorems
from surelearn.certificate import Certificate, Evidence, Precondition, assumed, certify, checked
from surelearn.evaluate import ledger
from surelearn.evaluate._holdout_claims import AS_ONE
from surelearn.evaluate._holdout_rules import refuse_other_kinds
from surelearn.evaluate._row_by_row import not_together, row_by_row
from surelearn.evaluate._task import refuse_no_model
from surelearn.evaluate._training_memory import training_memory

SUBJECT = "this fitted model"
_CARRIED = "concentration.clopper_pearson"  # an error rate of rows, each drawn by itself
_UNSEEN = "neither model learnt from the rows on which they were compared"
_NOT_CHOSEN = "the new model was not chosen by the rows on which they were compared"


class Pair(NamedTuple):
    """What two models answered for the same rows, in their order, and where they differ."""

    old: NDArray[Any]
    new: NDArray[Any]
    differ: NDArray[np.bool_]


def transfer(
    certificate: Certificate,
    old_model: Any,
    new_model: Any,
    X: Any,
    *,
    y: ArrayLike | None = None,
    delta: float = 0.05,
    allow_duplicates: bool = False,
) -> Certificate:
    """Carry a certificate of an error rate from one fitted classifier to another.

    R(new) <= R(old) + P(they differ): the rows need no labels, and the new model may have learnt
    from the rows of the hold-out that certified the old one, only not from these.

    Parameters
    ----------
    certificate
        The certificate of the old model: an error rate from a `Holdout`, or of `surelearn certify`.
    old_model, new_model
        Both models, fitted; the new one was fixed before it saw these rows.
    X
        Rows drawn at random from the same cases, from which neither model has learnt.
    y
        Labels, if the rows on which the models differ have them: then their errors count and not
        their number, which is sharper. Labels of other rows are not looked at and may be missing.
    delta
        The failure probability of the comparison. That of the certificate is added; for one of
        several models it is that of all of them, since the best may have been chosen.
    allow_duplicates
        Accept rows that also stand in training data: independent draws from a table of categories
        do coincide.

    Examples
    --------
    >>> from surelearn import Holdout, Perceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2400, 2))
    >>> y = X[:, 0] > 0.1
    >>> old = Perceptron(max_iter=5).fit(X[:200], y[:200])
    >>> certificate = Holdout(X[200:400], y[200:400]).certify(old)
    >>> new = Perceptron(max_iter=5).fit(X[:400], y[:400])  # all rows that have labels
    >>> carried = transfer(certificate, old, new, X[400:])
    >>> carried.status, round(certificate.bound, 3), round(carried.bound, 3)
    ('valid', 0.052, 0.077)
    """
    refuse_unless_carried(certificate)
    check_certificate(certificate, old_model)
    share = _arguments.open_fraction("delta", delta)
    both = spent_on(certificate) + share
    if not both < 1.0:
        raise ValueError(f"delta={delta:g} and that of the certificate leave no confidence at all")
    X = sound(X)
    pair = _ask(old_model, new_model, X)
    labels = None if y is None else _labels(y, pair)
    unseen = _compare_with_training((old_model, new_model), X, allow_duplicates=allow_duplicates)
    alone = row_by_row([not_together(old_model, X, pair.old), not_together(new_model, X, pair.new)])
    guarantee = state(certificate, count(pair, labels), both)  # what it refuses is no look yet
    models = [certificate.reproduce["model"], fingerprint(new_model)]
    chosen = _enter(X, models, delta=share, labelled=labels is not None)
    return issue(
        certificate,
        guarantee,
        also=(unseen, chosen, alone),
        stored={
            "model": models[1],
            "models": models,
            "data": data_fingerprint(X, np.zeros(len(pair.new))),
        },
    )


def refuse_unless_carried(certificate: Certificate) -> None:
    """Refuse a certificate whose statement does not follow a model's answers row by row."""
    c = certificate
    if not isinstance(c, Certificate):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{c!r} is no certificate")
    if c.status == "void":
        raise ValueError("a void certificate states nothing, so nothing can be carried over")
    if c.method.startswith("transfer."):
        raise ValueError(
            "this certificate was itself carried over: carry the first one to this model instead"
        )
    if AS_ONE in c.claim:
        raise ValueError(
            f"this certificate is about distinct rows, {AS_ONE}, and rows to compare models on are "
            "not: only the error rate of rows, each drawn by itself, can be carried over"
        )
    plain = c.kind == "risk" and c.subject == SUBJECT and "loss_range" not in c.reproduce
    if c.method != _CARRIED or not plain or "model" not in c.reproduce:
        raise ValueError(
            f"only the error rate of a model on a hold-out can be carried over; this certificate "
            f"bounds {c.quantity} of {c.subject} by {c.method}"
        )


def spent_on(certificate: Certificate) -> float:
    """Return the failure probability of a certificate and of all those it may be the best of."""
    n_models = 1 if certificate.family is None else certificate.family.n_models
    return float(certificate.delta or 0.0) * n_models


def count(pair: Pair, labels: NDArray[Any] | None) -> dict[str, int]:
    """Return how often the models differ; with labels, how often only one of them is wrong."""
    n = len(pair.differ)
    if labels is None:
        return {"disagreements": int(pair.differ.sum()), "n": n}
    wrong = [_differ(answers[pair.differ], labels) for answers in (pair.new, pair.old)]
    return {
        "only_new_wrong": int((wrong[0] & ~wrong[1]).sum()),
        "only_old_wrong": int((wrong[1] & ~wrong[0]).sum()),
        "n": n,
    }


def state(certificate: Certificate, counts: Mapping[str, int], delta: float) -> Guarantee:
    """Return the theorem applied to a certificate and to where the models differ."""
    theorem = theorems.unlabelled if "disagreements" in counts else theorems.labelled
    spent = spent_on(certificate)
    return theorem(risk=min(1.0, certificate.bound), risk_delta=spent, delta=delta, **counts)


def observed_in(certificate: Certificate, inputs: Mapping[str, Any]) -> float:
    """Return the error rate seen, plus what was seen of the difference."""
    more = inputs.get("disagreements")
    if more is None:
        more = inputs["only_new_wrong"] - inputs["only_old_wrong"]
    return certificate.observed + more / inputs["n"]


def tell_carried(certificate: Certificate) -> Evidence:
    """Return what the certificate that is carried over rests on, all of it."""
    rests = "; ".join(f"{p.name} ({p.status})" for p in certificate.preconditions)
    return assumed(f"its certificate is stored with this one and rests on: {rests}")


def issue(
    certificate: Certificate,
    guarantee: Guarantee,
    *,
    also: tuple[Precondition, ...],
    stored: Mapping[str, Any],
) -> Certificate:
    """Certify the new model."""
    limit = percent_outward(guarantee.bound, "upper")
    level = confidence(float(guarantee.inputs["delta"]))
    return certify(
        guarantee,
        kind="risk",
        subject=SUBJECT,
        observed=observed_in(certificate, guarantee.inputs),
        n=int(guarantee.inputs["n"]),
        claim=f"With confidence {level}, this model errs on at most {limit} of new examples such "
        "as the certificate of the model before it speaks of.",
        evidence={
            "carried": tell_carried(certificate),
            "independent": assumed("whoever drew the rows must know"),
            "fixed_before": assumed("what was fixed beforehand is yours to know"),
            **(
                {"all_labels": checked("a missing one is refused")}
                if "all_labels" in guarantee.assumes
                else {}
            ),
        },
        also=also,
        reproduce={**stored, "certificate": json.loads(certificate.to_json())},
    )


def _ask(old_model: Any, new_model: Any, X: Any) -> Pair:
    """Return what both models answer, one label for each row."""
    refuse_no_model(new_model)
    if X is None:
        raise TypeError("X is a table of rows that both models answer, not None")
    check_consistent_length(X)  # says so if it is no table
    old, new = (in_chunks(model.predict, X) for model in (old_model, new_model))
    if old.ndim != 1 or old.shape != new.shape or not len(old):
        raise ValueError(
            f"the models answered in shapes {old.shape} and {new.shape}: each must give one label "
            "for each of at least one row"
        )
    refuse_other_kinds(new_model, old, new)
    return Pair(old, new, _differ(old, new))


def _labels(y: ArrayLike, pair: Pair) -> NDArray[Any]:
    """Return the labels of the rows on which the models differ; a missing one is refused."""
    given = np.asarray(exact(y))
    if given.shape != pair.differ.shape:
        raise ValueError(
            f"y has shape {given.shape} for {len(pair.differ)} rows: give one value per row, where "
            "those on which the models agree may be missing"
        )
    labels = given[pair.differ]
    n_missing = sum(missing(label) for label in labels.tolist())
    if n_missing:
        raise ValueError(
            f"{n_missing} of the {len(labels)} rows on which the models differ have no label: find "
            "theirs, or leave y out"
        )
    if len(labels):
        refuse_unlike(labels, pair.new, ("labels", "answers"))
    return labels


def _differ(first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where labels differ; whole numbers are not rounded to compare."""
    if not len(first):
        return np.zeros(0, dtype=np.bool_)
    a, b = comparable(first, second)
    return np.asarray(a != b, dtype=np.bool_)


def _compare_with_training(
    models: tuple[Any, Any], X: Any, *, allow_duplicates: bool
) -> Precondition:
    memories = [training_memory(model, X) for model in models]
    shared = max(memory.shared for memory in memories)
    if shared and not allow_duplicates:
        raise ValueError(
            f"{shared} of these rows also stand in the training data of a model. Compare on rows "
            "that neither has seen: they need no labels; or, if rows of a table of categories "
            "coincide by chance, pass allow_duplicates=True"
        )
    known = all(memory.complete and not memory.shared for memory in memories)
    if known:
        found = checked("both models remember their training rows, and none of these is among them")
    else:
        found = assumed("; ".join(dict.fromkeys(memory.evidence for memory in memories)))
    return Precondition("unseen", _UNSEEN, *found)


def _enter(X: Any, models: list[str], *, delta: float, labelled: bool) -> Precondition:
    """Enter the comparison in the ledger of these rows; a second one is refused."""
    rules = f"transfer at {delta!r}{' with labels' if labelled else ''}"
    rows = RowSet.of(row_hashes(X, rounding=to_single))
    standing = ledger.ask([rows], ledger.Question(rules, " ".join(models)), n_models=1)
    if not standing.allowed:
        raise ValueError(
            "these rows, or most of them, were used before to carry a certificate to another "
            "model, or by other rules: draw fresh rows, which need no labels"
        )
    told = "the first comparison on these rows in this process; others are not seen"
    return Precondition("not_chosen_by_them", _NOT_CHOSEN, *assumed(told))
