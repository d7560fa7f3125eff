"""From the run of an online learner to one model with a certificate.

Each model that the learner passes through is judged on the next row, which it has not seen. That
certifies the average of the models if the loss is convex, and a random pick of them for any loss;
never the last one, which may be worse.
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import confidence, outward
from surelearn.base import fingerprint
from surelearn.bounds import inversions
from surelearn.bounds.online_to_batch import (
    last_iterate_suffix,
    progressive_validation,
    suffix_snapshots,
)
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    assumed,
    certify,
)
from surelearn.evaluate._linear_run import LinearModel, Run, model_of
from surelearn.evaluate._run_evidence import convexity, frozen_before, judged_before
from surelearn.evaluate._seen_rows import seen_in
from surelearn.evaluate._task import range_of_losses
from surelearn.losses import Loss, ZeroOne

_LAST = (
    "the last model of an online run cannot be certified from the run itself: what was judged is "
    "the average of the models, and the last may be worse. Certify it on new rows with Holdout, or "
    "use certify_suffix, which tests three earlier models on the rows that came after them (see "
    "bounds.online_to_batch.last_iterate_suffix)"
)
_IID = Precondition("independent", "the rows are independent draws from one law", "assumed")
_ONCE = Precondition("picked_once", "the model is picked once, by coins alone", "assumed")
_LABELS = Precondition("known_labels", "the labels that can occur were known beforehand", "assumed")


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class OnlineToBatch(Shown, drawn_by="online_to_batch.plot_online_to_batch"):
    """The average of the models of one pass, and what the pass certifies.

    Parameters
    ----------
    average
        The model whose weights are the mean of those held before each row.
    last
        The model after the last row; it has no certificate.
    losses
        The loss of each row under the model held before it.
    certificate
        About `average` if the loss is convex, else about `pick(seed)`: its `subject` says which.
    run
        The untrained learner and the data, by which a model of the run can be made again.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = Noisy(n_features=3, bayes_risk=0.05).draw(1000, seed=0)
    >>> result = online_to_batch(Perceptron(), X, y)
    >>> result.certificate.subject
    'a model picked at random among the 1000 of the run'
    >>> model = result.pick(seed=7)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    average: LinearModel
    last: LinearModel
    losses: Vector
    certificate: Certificate
    run: Run

    def pick(self, seed: int | np.random.Generator) -> LinearModel:
        """Return one of the models held before each row, drawn at random; draw once only.

        Picking again until a model looks good would void the certificate.
        """
        return self.run.model(int(_arguments.generator("seed", seed).integers(len(self.losses))))

    def certify_last(self) -> Certificate:
        """Refuse to certify the last model and say what to do instead."""
        raise ValueError(_LAST)


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedSnapshot(Shown, drawn_by="certificates.plot_certificates"):
    """A model of an online run that was tested on the rows after it.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = Noisy(n_features=3, bayes_risk=0.05).draw(1000, seed=0)
    >>> snapshot = certify_suffix(Perceptron(), X, y)
    >>> snapshot.n_learnt, snapshot.certificate.quantity
    (500, 'the risk of the model after 500 examples')
    """

    model: LinearModel
    n_learnt: int
    certificate: Certificate

    def _picture(self) -> tuple[str, Any]:
        return self._drawn_by, {f"the model after {self.n_learnt:,} rows": self.certificate}


def online_to_batch(
    learner: Any,
    X: Any,
    y: ArrayLike,
    *,
    loss: Literal["zero_one"] | Loss = "zero_one",
    largest_loss: float = 1.0,
    delta: float = 0.05,
    allow_duplicates: bool = False,
) -> OnlineToBatch:
    """Pass over the rows once, average the models held before each and certify what can be.

    Parameters
    ----------
    learner
        A linear learner of this library; a copy that has learnt nothing runs.
    X, y
        Rows and targets, independent draws in the order in which they are learnt.
    loss
        "zero_one", for classifiers: the certificate is about a random pick of the models. Or a
        convex loss of a score, for a regressor or two classes: it is about their average.
    largest_loss
        The largest loss possible, known beforehand; a larger one is refused. That none of all
        examples has a larger one is assumed, unless errors are counted.
    delta
        The probability that the certificate is false.
    allow_duplicates
        Accept rows that come again with the same label, as in `progressive_validate`.

    Examples
    --------
    >>> from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescentRegressor
    >>> from surelearn.losses import Absolute
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(2000, 1))
    >>> y = X[:, 0] / 2.0
    >>> learner = OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False)
    >>> result = online_to_batch(learner, X, y, loss=Absolute(), largest_loss=1.5)
    >>> result.certificate.subject, round(result.certificate.bound, 3)
    ('the average of the 2000 models of the run', 0.032)
    """
    run = Run.of(learner, X, y)
    counted = isinstance(loss, str | ZeroOne) and loss in ("zero_one", ZeroOne())
    judge, scale = (
        _judge_of(run, ZeroOne() if counted else loss),
        _arguments.positive("largest_loss", largest_loss),
    )
    player, losses = deepcopy(run.start), np.empty(len(run.targets))
    total, offset = np.zeros_like(player.coef_), np.zeros_like(player.intercept_)
    for t, target in enumerate(run.targets):
        row = run.row(t)
        losses[t] = judge(player.coef_ @ row + player.intercept_, t)
        total, offset = total + player.coef_, offset + player.intercept_
        player.learn_one(row, target)
    n, last = len(losses), model_of(player)
    average = replace(last, coef=total / n, intercept=offset / n)
    shares = _arguments.vector("losses", losses, low=0.0, high=scale) / scale
    certified = None if counted else average
    conditions = [_IID] if run.classes is None else [_IID, _LABELS]
    evidence = {
        "judged_before": judged_before(run, seen_in(X, y), allow_duplicates=allow_duplicates),
        "range": range_of_losses(scale, bounded=counted),
    }
    how = _ONCE if counted else convexity(loss)
    certificate = _certificate(shares, scale, delta, certified, (evidence, [*conditions, how]))
    return OnlineToBatch(
        average=average, last=last, losses=losses, certificate=certificate, run=run
    )


def certify_suffix(
    learner: Any,
    X: Any,
    y: ArrayLike,
    *,
    delta: float = 0.05,
    allow_duplicates: bool = False,
) -> CertifiedSnapshot:
    """Certify the best of three models of a run, each tested on the rows that came after it.

    The models are those after a half, three quarters and seven eighths of the rows; that the best
    of them is chosen has been paid for.

    Parameters
    ----------
    learner
        A linear classifier of this library; a copy that has learnt nothing runs.
    X, y
        Rows and labels, independent draws in the order in which they are learnt.
    delta
        The probability that the certificate is false.
    allow_duplicates
        Accept rows that come again with the same label, as in `progressive_validate`.
    """
    run = Run.of(learner, X, y)
    n, starts = len(run.targets), suffix_snapshots(n=len(run.targets))
    models = [run.model(start) for start in starts]
    if models[0].classes is None:
        raise ValueError("errors are counted for classifiers; use Holdout for a regressor")
    errors = [
        int(np.count_nonzero(model.predict(run.rows[start:]) != run.targets[start:]))
        for model, start in zip(models, starts, strict=True)
    ]
    guarantee = last_iterate_suffix(errors=errors, n=n, delta=delta)
    sizes = n - np.array(starts)
    best = int(np.argmin(inversions.binomial_upper(np.array(errors), sizes, delta / len(starts))))
    again = seen_in(X, y).judged_before(allow_duplicates=allow_duplicates)
    certificate = certify(
        guarantee,
        kind="risk",
        subject=f"the model after the first {starts[best]} rows",
        observed=errors[best] / int(sizes[best]),
        n=int(sizes[best]),
        evidence={
            "independent": again
            if again.status == "violated"
            else assumed("cannot be verified from the data"),
            "fixed_before": frozen_before(run),
        },
        also=[_LABELS],  # each snapshot has a score for labels that may come after it alone
        reproduce={"model": fingerprint(models[best])},
    )
    return CertifiedSnapshot(models[best], starts[best], certificate)


def _certificate(
    losses: Vector,
    scale: float,
    delta: float,
    average: LinearModel | None,
    known: tuple[Mapping[str, Evidence], list[Precondition]],
) -> Certificate:
    """Certify the average of the models, or a random pick of them if there is none to certify."""
    n, mean = len(losses), scale * float(losses.mean())
    guarantee = progressive_validation(total_loss=float(losses.sum()), n_rounds=n, delta=delta)
    guarantee = replace(guarantee, bound=scale * guarantee.bound, trivial=scale)
    who = f"the average of the {n} models of the run"
    if average is None:
        who = f"a model picked at random among the {n} of the run"
    limit = outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject=who,
        observed=mean,
        n=n,
        claim=f"With confidence {confidence(delta)}, the expected loss of {who} on a new "
        f"example is at most {limit}{'' if average else ', over the pick too'}.",
        evidence=known[0],
        also=known[1],
        reproduce={
            "loss_range": [0.0, scale],
            **({} if average is None else {"model": fingerprint(average)}),
        },
    )


def _judge_of(run: Run, loss: Any) -> Callable[[Vector, int], float]:
    """Return the loss of the scores that the model before round t gives to its row."""
    if isinstance(loss, ZeroOne) and loss == ZeroOne():
        if run.classes is None:
            raise ValueError("the zero-one loss is for classifiers; give a convex loss")
        index = np.searchsorted(run.classes, run.targets)
        return lambda scores, t: float(_chosen(scores) != index[t])
    if not isinstance(loss, Loss) or not loss.convex:
        raise _arguments.refuse(
            "loss",
            loss,
            "'zero_one' or a convex loss: only then is the average "
            "of the models no worse than their average loss",
        )
    if run.classes is not None and len(run.classes) > 2:
        raise ValueError("a convex loss of one score is for two classes; use loss='zero_one'")
    targets = run.targets
    if run.classes is not None:
        targets = np.where(run.targets == run.classes[1], 1.0, -1.0)
    return lambda scores, t: float(loss.value(targets[t], scores.item()))


def _chosen(scores: Vector) -> int:
    return int(scores[0] > 0.0) if len(scores) == 1 else int(scores.argmax())
