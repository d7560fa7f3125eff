"""The mistakes of a learner through a run, beside what the theorems allow."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices
from surelearn.base import validation
from surelearn.certificate import Certificate
from surelearn.evaluate._following import (
    BoundCurve,
    Diary,
    Statement,
    assert_sure,
    curves,
    fresh,
    in_rows,
    refuse_other_learners,
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Mistakes(Shown, drawn_by="mistakes.plot_mistakes"):
    """How often a learner had erred after each round; `surelearn.plots` draws it.

    Parameters
    ----------
    learner
        The learner after the run.
    counts
        The number of mistakes after round 1, 2, ... n; a score of exactly 0 counts.
    bounds
        What theorems said of that number at some rounds, each on the rows seen by then.

    Examples
    --------
    >>> Mistakes(learner=None, counts=np.array([1, 1, 2]), bounds=()).n_mistakes
    2
    """

    learner: Any
    counts: Indices
    bounds: tuple[BoundCurve, ...]

    @property
    def n_mistakes(self) -> int:
        """The number of mistakes in the whole run."""
        return int(self.counts[-1])


def mistakes_curve(
    learner: Any, X: Any, y: ArrayLike, *, classes: ArrayLike | None = None, **unobservable: float
) -> Mistakes:
    """Let a learner of two classes pass over the rows once and count its mistakes.

    A sure bound that is exceeded raises `BoundViolatedError`.

    Parameters
    ----------
    learner
        A mistake-driven classifier; a copy that has learnt nothing plays.
    X, y
        Rows and labels, in order.
    classes
        The two labels, if not both occur.
    **unobservable
        What `learner.guarantee` asks for, such as `margin`: then the bound known before the run is
        followed too.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Separable
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = Separable(3, margin=0.2).draw(400, seed=0)
    >>> result = mistakes_curve(Perceptron(fit_intercept=False), X, y, margin=0.2)
    >>> [curve.label for curve in result.bounds]
    ['novikoff, before the run', 'novikoff, from the run', 'perceptron, from the run']
    >>> all(result.n_mistakes <= curve.bounds[-1] for curve in result.bounds)
    True
    """
    refuse_other_learners(learner, takes="classes", instead="linear_regret or experts_regret")
    player, labels = fresh(learner), _arguments.labels("y", y)
    X = in_rows(X)
    pair = two_classes(labels if classes is None else _arguments.labels("classes", classes))
    wrong = np.empty(len(labels), dtype=np.bool_)
    diary = Diary(len(labels), lambda: _stated(player, X, labels, unobservable))
    for block in diary.blocks():
        scores = player.learn(X[block], labels[block], classes=pair)
        wrong[block] = np.where(labels[block] == pair[1], 1.0, -1.0) * scores <= 0.0
        diary.note(block.stop)
    counts = np.cumsum(wrong, dtype=np.int64)
    for n_played, said in diary.entries:
        assert_sure(said, counts[n_played - 1], counts[n_played - 1])
    bounds = curves((n_played, said, 0.0) for n_played, said in diary.entries)
    return Mistakes(learner=player, counts=counts, bounds=bounds)


def two_classes(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the two labels in order; more are refused."""
    classes = validation.two_or_more(validation.distinct(labels))
    if len(classes) > 2:
        raise ValueError(
            f"y has {len(classes)} classes: theorems speak of one two-class problem at a time; ask "
            "for one class against the rest"
        )
    return classes


def _stated(
    player: Any, X: Any, labels: Any, unobservable: dict[str, float]
) -> Iterator[Statement]:
    """Return what is known of the mistakes so far: beforehand, then from the run."""
    if unobservable:
        yield player.guarantee(**unobservable)
    stated = player.certificates()
    if not stated:
        stated = _of_one_pass(player, X[: player.n_rounds_], labels[: player.n_rounds_])
    yield from (certificate for certificate in stated if certificate.kind == "mistakes")


def _of_one_pass(player: Any, X: Any, labels: Any) -> tuple[Certificate, ...]:
    """Return what the learner certifies after `fit`: some keep what it takes only there."""
    if len(validation.distinct(labels)) < 2:
        return ()
    once = {"max_iter": 1} if "max_iter" in player.get_params() else {}
    return fresh(player).set_params(**once).fit(X, labels).certificates()
