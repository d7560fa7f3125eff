"""The best rule of a finite joint law: Bayes decisions, conditional risks and the Bayes risk.

f^*(x) = argmin over decisions d of E[loss(Y, d) | X = x]
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments, losses
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.losses import Absolute, CostMatrix, Entropic, Logarithmic, Loss, Square, ZeroOne


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BayesRule(Shown, drawn_by="bayes_rule.plot_bayes_rule"):
    """The rule of least risk, for a law that is known.

    Attributes
    ----------
    decisions
        What it decides at each point; a tie goes to the first decision.
    conditional_risks
        The expected loss of its decision, given each point.
    risk
        The Bayes risk: their mean over the points.
    candidates, candidate_risks
        The decisions compared and the expected loss of each at each point, a row per point; None
        where the best decision follows from a formula.

    Examples
    --------
    >>> rule = bayes_rule([[0.4, 0.1], [0.05, 0.45]], labels=[-1, 1])
    >>> rule.decisions.tolist(), round(rule.risk, 12)
    ([-1, 1], 0.15)
    """

    decisions: NDArray[Any]
    conditional_risks: Vector
    risk: float
    candidates: NDArray[Any] | None = None
    candidate_risks: Matrix | None = None


def bayes_rule(
    joint: ArrayLike,
    labels: Sequence[Any] | NDArray[Any],
    *,
    loss: str | Loss | Callable[[Any, Any], float] = "zero_one",
    decisions: Sequence[Any] | NDArray[Any] | None = None,
) -> BayesRule:
    """Return the rule of least risk under a finite joint law, and its risk.

    Parameters
    ----------
    joint
        `joint[i][j]` is the probability of point i with label j; the sum of all is 1.
    labels
        The label of each column.
    loss
        "zero_one", "squared", "absolute", a loss of `surelearn.losses` such as `CostMatrix`, or a
        function of a label and a decision.
    decisions
        What may be decided. If None: the labels for decisions about labels; any number for the
        square (the conditional mean), the absolute (a conditional median) and the logarithmic loss
        (the conditional probability of label 1). Other losses need them.

    Examples
    --------
    >>> joint = [[0.4, 0.1], [0.05, 0.45]]  # P(Y = 1 | x) is 0.2 and 0.9
    >>> square = bayes_rule(joint, [-1, 1], loss="squared")
    >>> square.decisions.round(12).tolist(), round(square.risk, 12)
    ([-0.6, 0.8], 0.5)
    """
    law, names = _law(joint, labels)
    points = law.sum(axis=1)
    given = _conditional(law, points)
    found = losses.of(loss) if isinstance(loss, str | Loss) else loss
    if decisions is None and isinstance(found, Square | Absolute | Logarithmic | Entropic):
        best = _formula(found, given, names)
        y, decided = np.broadcast_arrays(names, best[:, np.newaxis])
        return _rule(best, _expected(given, found(y, decided)), points)
    options = _options(found, names, decisions)
    costs = _costs(found, names, options)
    table = np.array([_expected(given, costs[d]) for d in range(len(options))]).T
    first = table.argmin(axis=1)
    chosen = table[np.arange(len(table)), first]
    return _rule(options[first], chosen, points, candidates=options, candidate_risks=table)


def _rule(best: NDArray[Any], each: Vector, points: Vector, **more: Any) -> BayesRule:
    risk = math.fsum(points[points > 0.0] * each[points > 0.0])
    return BayesRule(decisions=best, conditional_risks=each, risk=risk, **more)


def _formula(loss: Any, given: Matrix, labels: NDArray[Any]) -> Vector:
    """Return the conditional mean, or a conditional median: of several the smallest."""
    numbers = np.asarray(labels, dtype=np.float64)
    if not isinstance(loss, Absolute):  # rounding must not carry a mean beyond the labels
        return np.clip(given @ numbers, numbers.min(), numbers.max())
    order = np.argsort(numbers, kind="stable")
    below = np.cumsum(given[:, order], axis=1)
    return numbers[order][(below >= 0.5 * below[:, -1:] * (1.0 - 1e-15)).argmax(axis=1)]


def _costs(loss: Any, labels: NDArray[Any], options: NDArray[Any]) -> Matrix:
    """Return what each decision costs at each label, a row for each decision."""
    if isinstance(loss, Loss):
        decided, y = np.repeat(options, len(labels)), np.tile(labels, len(options))
        return loss(y, decided).reshape(len(options), len(labels))
    _arguments.function("loss", loss)
    return np.array([[float(loss(y, d)) for y in labels.tolist()] for d in options.tolist()])


def _expected(given: Matrix, costs: Matrix) -> Vector:
    """Return the expected cost at each point; what cannot happen costs nothing, infinite or not."""
    weighed = np.zeros(given.shape)
    np.multiply(given, costs, out=weighed, where=given > 0.0)
    expected = weighed.sum(axis=1)
    if np.isnan(expected).any():
        raise ValueError("the loss of some decision is NaN for a label that occurs")
    return expected


def _options(loss: Any, labels: NDArray[Any], decisions: Any) -> NDArray[Any]:
    """Return the decisions that may be made."""
    if decisions is not None:
        if not isinstance(decisions, np.ndarray | list | tuple):
            raise TypeError(f"decisions={decisions!r} must be a list of decisions")
        given = list(
            np.atleast_1d(decisions).tolist() if isinstance(decisions, np.ndarray) else decisions
        )
        if any(isinstance(each, list) for each in given):
            raise TypeError(f"decisions={decisions!r} must be numbers or words")
        if not given:
            raise ValueError("decisions must name one decision or more")
        return _array(given)
    if isinstance(loss, CostMatrix):
        return _array(list(loss.labels or ()))
    if isinstance(loss, ZeroOne) or not isinstance(loss, Loss):
        return labels
    raise ValueError(f"loss={loss!r} needs decisions=[...]: those that may be made")


def _array(options: list[Any]) -> NDArray[Any]:
    """Return decisions as an array that keeps each as it is: numbers beside words, too."""
    array = np.array(options)
    if array.ndim == 1 and array.tolist() == options:
        return array
    kept = np.empty(len(options), dtype=object)
    kept[:] = options
    return kept


def _law(joint: ArrayLike, labels: Any) -> tuple[Matrix, NDArray[Any]]:
    """Return a joint law as a table that sums to 1, and the label of each column."""
    law, names = _arguments.numbers("joint", joint), _arguments.labels("labels", labels)
    if law.ndim != 2 or law.size == 0:
        raise ValueError(f"joint of shape {law.shape} must be a table: a row for each point")
    if not (np.isfinite(law).all() and (law >= 0.0).all() and abs(law.sum() - 1.0) <= 1e-9):
        raise ValueError("joint must hold probabilities: 0 or more, and 1 in all")
    if names.shape != (law.shape[1],) or len(set(names.tolist())) < len(names):
        raise ValueError(f"labels must name each of the {law.shape[1]} columns once")
    return law, names


def _conditional(law: Matrix, points: Vector) -> Matrix:
    """Return the law of the label given each point; at a point that never occurs, all alike."""
    occurs = points > 0.0
    given = np.full(law.shape, 1.0 / law.shape[1])
    given[occurs] = law[occurs] / points[occurs, np.newaxis]
    return given
