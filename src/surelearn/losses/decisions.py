"""Losses of a decision: the label itself is predicted."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Matrix, Vector
from surelearn.losses._loss import Box, Interval, Loss, check_shapes


@dataclass(frozen=True, kw_only=True)
class ZeroOne(Loss):
    """1 for a wrong prediction, 0 for a right one.

    Parameters
    ----------
    margin
        Read predictions as scores for labels -1 and +1; a score of 0, or NaN, is always wrong.

    Examples
    --------
    >>> loss = ZeroOne()
    >>> loss(["ham", "spam"], ["spam", "spam"])
    array([1., 0.])
    >>> ZeroOne(margin=True)([1, 1, -1], [0.5, 0.0, 0.0])
    array([0., 1., 1.])
    """

    margin: bool = False

    convex = False

    def __post_init__(self) -> None:
        """Read signs or anything."""
        object.__setattr__(self, "label_set", "signs" if self.margin else "classes")

    def _value(self, y: Vector, prediction: Vector) -> Vector:
        wrong = ~(y * prediction > 0.0) if self.margin else _differ(y, prediction)
        return np.asarray(wrong, dtype=np.float64)

    def _range(self, box: Box) -> Interval:
        if not self.margin:
            return 0.0, 1.0
        low, high = box.margins
        return float(high <= 0.0), float(low <= 0.0)

    def _read(self, y: ArrayLike, prediction: ArrayLike) -> tuple[Any, Any]:
        if self.margin:
            return super()._read(y, prediction)
        labels, guesses = _arguments.unmasked("y", y), _arguments.unmasked("prediction", prediction)
        check_shapes(labels, guesses)
        return labels, guesses


_EXACT = 2**53  # beyond it not every whole number is one of the floats


def _differ(labels: Any, guesses: Any) -> Any:
    """Return where two arrays differ; large whole numbers are not rounded to compare them."""
    kinds = {array.dtype.kind for array in (labels, guesses)}
    if "f" in kinds and kinds & set("iu"):
        whole = labels if labels.dtype.kind in "iu" else guesses
        if whole.size and (int(whole.max()) > _EXACT or int(whole.min()) < -_EXACT):
            return labels.astype(object) != guesses.astype(object)
    return labels != guesses


@dataclass(frozen=True, kw_only=True)
class CostMatrix(Loss):
    """What each confusion of labels costs.

    Parameters
    ----------
    costs
        `costs[i][j]` is the cost of deciding for label j when the truth is label i; 0 if i = j.
    labels
        The labels in the order of rows and columns; 0, 1, ... if left out.

    Examples
    --------
    >>> loss = CostMatrix(costs=[[0, 2], [1, 0]], labels=["ham", "spam"])
    >>> loss(["ham", "spam", "spam"], ["spam", "ham", "spam"])
    array([2., 1., 0.])
    >>> loss.decide([[0.4, 0.6], [0.3, 0.7]]).tolist()
    ['ham', 'spam']
    """

    costs: Sequence[Sequence[float]]
    labels: Sequence[Hashable] | None = None

    convex = False
    label_set = "classes"

    def __post_init__(self) -> None:
        """Check the costs and keep them as tuples, which never change."""
        costs = np.array(self.costs, dtype=np.float64)
        if costs.ndim != 2 or costs.shape[0] != costs.shape[1] or costs.shape[0] < 2:
            raise ValueError(f"costs of shape {costs.shape} must be a square table, 2 by 2 or more")
        if not (np.isfinite(costs).all() and (costs >= 0.0).all() and not costs.diagonal().any()):
            raise ValueError("costs must be finite and >= 0, and 0 for every right decision")
        labels = tuple(range(len(costs)) if self.labels is None else self.labels)
        if len(labels) != len(costs) or len(set(labels)) != len(costs):
            raise ValueError(f"labels={labels!r} must name each of the {len(costs)} rows once")
        object.__setattr__(self, "costs", tuple(map(tuple, costs.tolist())))
        object.__setattr__(self, "labels", labels)

    def expected_costs(self, probabilities: ArrayLike) -> Matrix:
        """Return the expected cost of each decision, given the probabilities of the labels.

        The last axis of `probabilities` runs over the labels, that of the result over decisions.
        """
        weights = _arguments.numbers("probabilities", probabilities)
        if weights.ndim == 0 or weights.shape[-1] != len(self.costs):
            raise ValueError(
                f"probabilities of shape {weights.shape} must have one column for each of the "
                f"{len(self.costs)} labels"
            )
        if not ((weights >= 0.0).all() and np.allclose(weights.sum(axis=-1), 1.0, atol=1e-8)):
            raise ValueError("probabilities must be >= 0 and sum to 1 over the last axis")
        return weights @ np.array(self.costs)

    def decide(self, probabilities: ArrayLike) -> NDArray[Any]:
        """Return the labels of least expected cost, the Bayes decisions; ties go to the first."""
        return np.array(self.labels)[np.argmin(self.expected_costs(probabilities), axis=-1)]

    def _value(self, y: NDArray[Any], prediction: NDArray[Any]) -> Vector:
        return np.array(self.costs)[y, prediction]

    def _range(self, box: Box) -> Interval:
        del box
        return 0.0, float(np.max(self.costs))

    def _read(self, y: ArrayLike, prediction: ArrayLike) -> tuple[Any, Any]:
        truth, decision = self._positions("y", y), self._positions("prediction", prediction)
        check_shapes(truth, decision)
        return truth, decision

    def _positions(self, name: str, values: ArrayLike) -> Indices:
        array = _arguments.unmasked(name, values)
        position = {label: i for i, label in enumerate(self.labels or ())}
        try:
            flat = [position[label] for label in array.ravel().tolist()]
        except KeyError as unknown:
            raise ValueError(f"{name} holds {unknown}, which is not among the labels") from None
        return np.array(flat, dtype=np.int64).reshape(array.shape)
