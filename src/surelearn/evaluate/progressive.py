"""Progressive validation: every row tests the model first and teaches it afterwards.

All rows serve for both, and the certificate holds at every moment of the stream at once, under
drift too. It is about the average of the models that the learner passed through, not the last one.
"""

from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import confidence, outward
from surelearn.base import validation
from surelearn.base.chunks import rows_at
from surelearn.base.labels import answered, exact
from surelearn.bounds.online_to_batch import progressive_validation
from surelearn.certificate import (
    Certificate,
    Evidence,
    Precondition,
    assumed,
    certify,
    violated,
)
from surelearn.evaluate._monitoring import HOWEVER_OFTEN
from surelearn.evaluate._row_by_row import answered_alone, is_ours, row_by_row
from surelearn.evaluate._seen_rows import SeenRows
from surelearn.evaluate._task import PointwiseLoss, range_of_losses
from surelearn.evaluate._training_memory import training_memory
from surelearn.losses import ZeroOne, of


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ProgressiveValidation(Shown, drawn_by="progressive_validation.plot_progressive_validation"):
    """The loss of each row before the learner had learnt from it, and what it certifies.

    Parameters
    ----------
    learner
        The learner after the last row.
    losses
        The loss of each row, in [0, 1].
    certificate
        The bound on the average risk of the models that judged the rows.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> result = progressive_validate(Perceptron(), [[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> result.losses, result.mean_losses
    (array([0., 1., 0.]), array([0.        , 0.5       , 0.33333333]))
    """

    learner: Any
    losses: Vector
    certificate: Certificate

    @property
    def mean_losses(self) -> Vector:
        """The mean loss of the first 1, 2, ... n rows."""
        return np.cumsum(self.losses) / np.arange(1, len(self.losses) + 1)

    @property
    def mean_loss(self) -> float:
        """The mean loss of all rows."""
        return float(self.losses.mean())


def progressive_validate(
    learner: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    loss: Literal["zero_one"] | PointwiseLoss = "zero_one",
    delta: float = 0.05,
    classes: ArrayLike | None = None,
    allow_duplicates: bool = False,
) -> ProgressiveValidation:
    """Test a learner on each row before it learns from it; certify its average risk.

    A learner of this library is tested row by row, by what it would have predicted. One that only
    has `partial_fit` is tested on a chunk, then learns the chunk; it must have learnt something
    before, and answer each row by itself, which is tried on some rows of the first chunk.

    Parameters
    ----------
    learner
        What learns; a copy is taken, and goes on from where the learner stands.
    X, y
        Rows and labels; or, without `y`, a stream: any iterable of pairs (rows, labels).
    loss
        "zero_one" for classifiers, or a loss or function of labels and predictions with values in
        [0, 1].
    delta
        The probability that the certificate is false at any moment of the stream.
    classes
        All labels that will ever come; needed for a stream whose first chunk does not show them.
    allow_duplicates
        Accept rows that come again with the same label: independent draws from a table of
        categories do coincide. Otherwise they void the certificate, as a second pass does.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = Noisy(n_features=3, bayes_risk=0.05).draw(2000, seed=0)
    >>> stream = ((X[i : i + 100], y[i : i + 100]) for i in range(0, 2000, 100))
    >>> result = progressive_validate(Perceptron(), stream)
    >>> round(result.mean_loss, 3), round(result.certificate.bound, 3)
    (0.159, 0.186)
    """
    if isinstance(learner, type) or not hasattr(learner, "partial_fit"):
        raise TypeError(f"{learner!r} has no method partial_fit: it cannot learn chunk by chunk")
    judge = _judge_of(learner, loss)
    if y is not None and classes is None and not is_regressor(learner):
        classes = validation.distinct(column_or_1d(exact(y)))
    player, chunks, n_known = deepcopy(learner), list[Vector](), 0
    seen, alone = SeenRows(), list[Evidence]()
    for rows, labels in _chunks(X, y):
        n_known += training_memory(learner, rows).shared
        seen.add(rows, labels)
        if not alone and len(labels) > 1 and not hasattr(player, "learn"):
            alone.append(answered_alone(player, rows, answered(player.predict(rows))))
        predicted = _test_then_learn(player, rows, labels, classes)
        chunks.append(_arguments.vector("losses", judge(labels, predicted), low=0.0, high=1.0))
        if len(chunks[-1]) != len(labels):
            raise ValueError(f"loss gave {len(chunks[-1])} values for {len(labels)} rows; one each")
    if not chunks:
        raise ValueError("the stream is empty: there is nothing to certify")
    losses = np.concatenate(chunks)
    evidence = {
        "judged_before": _before(learner, n_known, seen, allow_duplicates=allow_duplicates),
        "range": range_of_losses(1.0, bounded=type(judge) is ZeroOne),
    }
    certificate = _certificate(losses, delta, evidence, _demands(learner, alone))
    return ProgressiveValidation(learner=player, losses=losses, certificate=certificate)


def _before(learner: Any, n_known: int, seen: SeenRows, *, allow_duplicates: bool) -> Evidence:
    """Return what is known of the rows: each must be new to the model that is tested on it."""
    if n_known:
        return violated(f"{n_known} of them are among the rows it had been fitted to")
    found = seen.judged_before(allow_duplicates=allow_duplicates)
    if found.status != "violated" and not _is_new(learner):
        return assumed("what it had learnt before must have been other rows")
    return found


def _is_new(learner: Any) -> bool:
    """Return whether a learner is one of this library that holds nothing but its parameters."""
    return is_ours(learner) and vars(learner).keys() <= learner.get_params(deep=False).keys()


def _demands(learner: Any, alone: list[Evidence]) -> list[Precondition]:
    """Return what must be true beyond the theorem: of chunks, that their rows are told apart."""
    known = Precondition(
        "known_labels", "the labels that can occur were known beforehand", "assumed"
    )
    return [*([] if is_regressor(learner) else [known]), *([row_by_row(alone)] if alone else [])]


def _certificate(
    losses: Vector, delta: float, evidence: Mapping[str, Evidence], demands: list[Precondition]
) -> Certificate:
    n = len(losses)
    guarantee = progressive_validation(total_loss=float(losses.sum()), n_rounds=n, delta=delta)
    limit = outward(guarantee.bound, "upper")
    return certify(
        guarantee,
        kind="risk",
        subject="the average of the models that judged the rows; not the last one",
        observed=float(losses.mean()),
        n=n,
        claim=f"With confidence {confidence(delta)}, {HOWEVER_OFTEN}, the risks that the models "
        f"had in their rounds, given the past, average to at most {limit}.",
        evidence=evidence,
        also=demands,
    )


def _chunks(X: Any, y: ArrayLike | None) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Return the stream as pairs of rows and labels that belong together."""
    if y is None and hasattr(X, "shape"):
        raise ValueError("these rows have no labels: give y, or a stream of pairs of both")
    pairs: Iterable[tuple[Any, Any]] = X if y is None else [(X, y)]
    for given, labels in pairs:
        rows = sound(given)
        column = column_or_1d(exact(labels))
        check_consistent_length(rows, column)
        if len(column):
            yield rows, column


def _test_then_learn(
    player: Any, rows: Any, labels: NDArray[Any], classes: ArrayLike | None
) -> NDArray[Any]:
    """Return what was predicted for each row before it was learnt."""
    if not hasattr(player, "learn"):
        predicted = answered(player.predict(rows))
        player.partial_fit(rows, labels)
        return predicted
    if is_regressor(player):
        return player.learn(rows, labels)
    if is_ours(player) and not getattr(player, "_learns_by_other_weights", True):
        return _chosen(player, player.learn(rows, labels, classes=classes))
    known = validation.distinct(labels) if classes is None else classes
    each = (np.array([k]) for k in range(len(labels)))
    return np.concatenate([_one_by_one(player, rows_at(rows, k), labels[k], known) for k in each])


def _one_by_one(player: Any, row: Any, label: NDArray[Any], classes: ArrayLike) -> NDArray[Any]:
    """Do so for one row, of a learner that may predict by others than its running weights."""
    if not _has_begun(player):
        return _chosen(player, player.learn(row, label, classes=classes))  # nothing predicts yet
    predicted = answered(player.predict(row))
    player.learn(row, label)
    return predicted


def _has_begun(player: Any) -> bool:
    try:
        check_is_fitted(player)
    except NotFittedError:
        return False
    return True


def _chosen(player: Any, scores: Vector) -> NDArray[Any]:
    """Return the labels that the scores of learning stand for."""
    chosen = (scores > 0.0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
    return player.classes_[chosen]


def _judge_of(learner: Any, loss: str | PointwiseLoss) -> PointwiseLoss:
    """Return the loss as a function of labels and predictions, if the learner can be judged so."""
    if isinstance(loss, str) and loss != "zero_one":
        raise _arguments.refuse("loss", loss, "'zero_one' or a function with values in [0, 1]")
    judge = of(loss) if isinstance(loss, str) else _arguments.function("loss", loss)
    if isinstance(judge, ZeroOne) and judge == ZeroOne() and is_regressor(learner):
        raise ValueError(
            "the zero-one loss is for classifiers; give a function of labels and predictions with "
            "values in [0, 1]"
        )
    return judge
