"""The regret of an online linear learner to the best fixed weights in hindsight."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_regressor

from surelearn import _arguments
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import exactly
from surelearn.certificate import Certificate
from surelearn.evaluate._best_in_ball import BestInBall, Comparison, best_in_ball
from surelearn.evaluate._following import (
    Diary,
    assert_sure,
    checkpoints,
    curves,
    fresh,
    in_rows,
    refuse_other_learners,
)
from surelearn.evaluate.mistakes import two_classes
from surelearn.evaluate.regret import Regret
from surelearn.learners.linear.online_ridge import OnlineRidge
from surelearn.losses import Loss, Square


class _Rules(NamedTuple):
    """By which rules fixed weights are compared: loss, ball or box, and what |u|²/2 is charged."""

    loss: Loss
    radius: float
    once: float = 0.0
    per_round: float = 0.0
    box: bool = False

    def __str__(self) -> str:
        if math.isinf(self.radius):
            return "weights"
        return f"weights {'up to' if self.box else 'of norm at most'} {exactly(self.radius)}"


def linear_regret(
    learner: Any,
    X: Any,
    y: ArrayLike,
    *,
    radius: float | None = None,
    tolerance: float = 1e-4,
) -> Regret:
    """Let a linear learner pass over the rows, and follow its regret to the best fixed weights.

    The best weights for the rows so far are found by convex optimisation. `best_losses` is a proven
    lower bound on what they pay, so that the regret shown is never too small; `gaps` says by how
    much it may be too large. A penalty on the weights that the learner's theorem charges is charged
    here too.

    Parameters
    ----------
    learner
        A classifier of two classes or a regressor with a convex loss; a copy that has learnt
        nothing plays.
    X, y
        Rows and targets, in order.
    radius
        The largest norm of the weights compared with, that of the constant feature included; left
        out, the learner's own. For a learner with a box it is the largest weight.
    tolerance
        How large a gap per round is good enough to stop.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
    >>> X, y = Noisy(n_features=3, bayes_risk=0.1).draw(500, seed=0)
    >>> result = linear_regret(OnlineGradientDescent(radius=2.0), X, y)
    >>> bool(0.0 < result.regret < result.bounds[0].bounds[-1]), bool(result.gaps[-1] < 0.05)
    (True, True)
    """
    refuse_other_learners(learner, takes="y", instead="experts_regret")
    player, given = fresh(learner), _arguments.labels("y", y)
    X = in_rows(X)
    classes, targets = _targets_of(player, given)
    rules = _rules_of(player, radius)
    covered = rules.radius <= _own_radius(player)
    diary = Diary(len(targets), lambda: _stated(player) if covered else ())
    predictions, paid = np.empty(len(targets)), list[float]()
    for block in diary.blocks():
        predictions[block] = player.learn(X[block], given[block], **classes)
        diary.note(block.stop)
        paid.append(_penalties(player, rules, targets[: block.stop], predictions[: block.stop]))
    losses = np.cumsum(rules.loss.value(targets, predictions))
    rounds = checkpoints(len(targets))
    learner_losses = losses[rounds - 1] + np.array(paid)
    best = _best_so_far(_with_constant(player, X), targets, rules, tolerance)
    for n, said in diary.entries:
        i = int(np.searchsorted(rounds, n))
        assert_sure(said, learner_losses[i] - best[i].loss, learner_losses[i])
    return Regret(
        learner=player,
        comparator=f"the best {rules} in hindsight",
        best=best[-1].weights,
        rounds=rounds,
        learner_losses=learner_losses,
        best_losses=np.array([b.at_least for b in best]),
        gaps=np.array([b.loss - b.at_least for b in best]),
        bounds=curves((n, said, 0.0) for n, said in diary.entries),
    )


def _best_so_far(X: Any, targets: Vector, rules: _Rules, tolerance: float) -> list[BestInBall]:
    """Return the best weights for the rows up to each checkpoint, each search begun at the last."""
    found, start = list[BestInBall](), np.zeros(X.shape[1])
    for n in checkpoints(len(targets)):
        penalty = rules.once + rules.per_round * n
        of = Comparison(X[:n], targets[:n], rules.loss, rules.radius, penalty, rules.box)
        if isinstance(rules.loss, Square) and math.isinf(rules.radius):
            start = _ridge(of)
        found.append(best_in_ball(of, start=start, tolerance=tolerance))
        start = found[-1].weights
    return found


def _ridge(of: Comparison) -> Vector:
    """Return the weights that square loss and penalty together make best, exactly."""
    gram = of.X.T @ of.X + of.penalty / 2.0 * np.eye(of.X.shape[1])
    return np.linalg.solve(np.asarray(gram), of.X.T @ of.y)


def _penalties(player: Any, rules: _Rules, targets: Vector, predictions: Vector) -> float:
    """Return the penalties that the learner has paid, if it pays any each round.

    It states its losses and penalties less the losses of zero weights.
    """
    if not rules.per_round:
        return 0.0
    stated = player.certificates()[0].observed
    beyond = rules.loss.value(targets, predictions) - rules.loss.value(targets, 0.0)
    return stated - float(beyond.sum())


def _rules_of(player: Any, radius: float | None) -> _Rules:
    if isinstance(player, OnlineRidge):
        radius = math.inf if radius is None else _arguments.positive("radius", radius)
        return _Rules(Square(), radius, once=2.0 * player.alpha)
    loss: Loss | None = getattr(player, "loss", None)
    if not isinstance(loss, Loss) or not loss.convex:
        raise ValueError(
            f"{type(player).__name__} has no convex loss, so there are no best weights to compare "
            "it with; mistakes_curve follows learners that count mistakes"
        )
    radius = _arguments.positive("radius", _own_radius(player) if radius is None else radius)
    per_round = getattr(getattr(player, "schedule", None), "penalty", 0.0)
    return _Rules(loss, radius, per_round=per_round, box=hasattr(player, "limit"))


def _own_radius(player: Any) -> float:
    """Return the size of the ball or box that the learner and its theorems keep to."""
    return getattr(player, "limit", getattr(player, "radius", math.inf))


def _targets_of(player: Any, y: NDArray[Any]) -> tuple[dict[str, Any], Vector]:
    """Return what `learn` must be told of the classes, and the targets as the loss reads them."""
    if is_regressor(player):
        return {}, y.astype(np.float64)
    classes = two_classes(y)
    return {"classes": classes}, np.where(y == classes[1], 1.0, -1.0)


def _with_constant(player: Any, X: Any) -> Any:
    """Return the rows with the feature 1 that an intercept is the weight of."""
    given = in_rows(X)
    rows: Any = given if sparse.issparse(given) else np.asarray(given, dtype=np.float64)
    if not getattr(player, "fit_intercept", False):
        return rows
    ones: Any = np.ones((rows.shape[0], 1))
    if isinstance(rows, np.ndarray):
        return np.hstack([rows, ones])
    return sparse.hstack([rows, ones]).tocsr()


def _stated(player: Any) -> list[Certificate]:
    return [certificate for certificate in player.certificates() if certificate.kind == "regret"]
