"""Is one model better than another? Exact answers from rows that neither has seen.

For the zero-one loss only the rows matter on which exactly one of the two is wrong: if the models
were equally good, each such row would be a toss of a fair coin (McNemar). For other losses in
[0, 1] a gambler bets on the differences.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surelearn import _arguments, losses
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Vector
from surelearn._wording import amount, confidence, exactly, outward, percent_outward
from surelearn.base.labels import answered
from surelearn.bounds import Guarantee, _wealth, holdout, regions, sequences
from surelearn.certificate import Evidence, Precondition
from surelearn.evaluate._row_by_row import not_together, row_by_row
from surelearn.evaluate._task import PointwiseLoss, RowLoss, check_labels, has_method, shown
from surelearn.evaluate._training_memory import training_memory
from surelearn.losses import ZeroOne

_NO_REGION = 0.5
_ASSUMED = (
    Precondition("independent", "the rows are independent draws from one law", "assumed"),
    Precondition(
        "fixed_order", "which model is the first was fixed before these rows were seen", "assumed"
    ),
    Precondition(
        "not_chosen_by_them",
        "neither model was chosen by these rows",
        "assumed",
        "no ledger is asked whether they were looked at before",
    ),
)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Comparison(Shown, drawn_by="comparison.plot_comparison"):
    """What fresh rows say of two models; `surelearn.plots` draws it.

    Attributes
    ----------
    names
        What the models are called.
    differences
        The loss of the first model minus that of the second, for each row.
    p_value
        The probability of so much in favour of the first model, or more, if it were not better.
    guarantee
        An upper bound on the risk of the first minus that of the second, with its assumptions.
    delta
        The probability of each of the two statements to be false: that the first is better when it
        is not, and the bound.
    preconditions
        What the statements rest on, and what is known of it.
    only_first_wrong, only_second_wrong
        On how many rows exactly one of the models is wrong; None for other losses.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> X, y = Noisy(n_features=5, bayes_risk=0.1).draw(1500, seed=0)
    >>> models = [kind().fit(X[:500], y[:500]) for kind in (AveragedPerceptron, Perceptron)]
    >>> result = compare(*models, X[500:], y[500:])
    >>> result.better, result.only_first_wrong, result.only_second_wrong
    (True, 66, 319)
    """

    names: tuple[str, str]
    differences: Vector
    p_value: float
    guarantee: Guarantee
    delta: float
    preconditions: tuple[Precondition, ...]
    only_first_wrong: int | None = None
    only_second_wrong: int | None = None

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.differences)

    @property
    def difference(self) -> float:
        """The mean loss of the first model minus that of the second on these rows."""
        return float(self.differences.mean())

    @property
    def better(self) -> bool:
        """Whether the first model is shown to be better, at level delta."""
        return self.p_value <= self.delta

    def __str__(self) -> str:
        """Return the answer in sentences, the numbers, then what they rest on."""
        first, second = self.names
        shown = "is better than" if self.better else "is not shown to be better than"
        apart = ""
        if self.only_first_wrong is not None:
            rows = "row" if self.only_first_wrong == 1 else "rows"
            apart = (
                f" Only {first} is wrong on {self.only_first_wrong:,} {rows}, only {second} on "
                f"{self.only_second_wrong:,}."
            )
        rests = "; ".join(f"{p.name} ({p.status})" for p in self.preconditions)
        return (
            f"At level {exactly(self.delta)}, {first} {shown} {second} (p = {self.p_value:.3g}, "
            f"{self.n:,} rows).{apart}\n{self._by_how_much()}\nThis rests on: {rests}.\nThese rows "
            "are used up for choosing between the two: certify the winner on others."
        )

    def _by_how_much(self) -> str:
        """Say by how much the risk of the first is lower than the other at least, or higher."""
        bound, seen = self.guarantee.bound, abs(self.difference)
        inward = "lower" if bound < 0.0 else "upper"  # what is at least so much is rounded down
        risk, limit, observed = "risk", outward(abs(bound), inward), amount(seen)
        if self.only_first_wrong is not None:
            share = percent_outward(abs(bound), inward).removesuffix("%")
            risk, limit, observed = "error rate", f"{share} points", f"{100.0 * seen:.3g} points"
        proved = f"lower by at least {limit}" if bound < 0.0 else f"higher by at most {limit}"
        side = "higher" if self.difference > 0.0 else "lower"
        return (
            f"With confidence {confidence(self.delta)}, the {risk} of {self.names[0]} is {proved} "
            f"than that of {self.names[1]}; observed: {observed} {side}."
        )


def compare(
    first: Any,
    second: Any,
    X: Any,
    y: ArrayLike,
    *,
    loss: Literal["zero_one"] | PointwiseLoss = "zero_one",
    delta: float = 0.05,
    allow_duplicates: bool = False,
) -> Comparison:
    """Test whether the first of two fitted models is better than the second, on fresh rows.

    Which one is the first, and the loss, must be fixed before looking at these rows.

    Parameters
    ----------
    first, second
        Fitted models; the question is whether the first is better.
    X, y
        Rows and labels drawn at random that neither model has learnt from.
    loss
        "zero_one", or a loss or function of labels and predictions with values in [0, 1].
    delta
        The level of the test, and the failure probability of the bound.
    allow_duplicates
        Accept rows that also stand in the training data: independent draws from a table of
        categories do coincide.

    Examples
    --------
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> from sklearn.dummy import DummyClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> y = X[:, 0] > 0
    >>> models = [m.fit(X[:100], y[:100]) for m in (GaussianNaiveBayes(), DummyClassifier())]
    >>> print(compare(*models, X[100:], y[100:]).p_value < 1e-6)
    True
    """
    _arguments.open_fraction("delta", delta)
    X = sound(X)
    labels = check_labels(X, y)
    seen = _unseen((first, second), X, allow_duplicates=allow_duplicates)
    judge = _judge(loss)
    judged = [_costs(judge, model, X, labels) for model in (first, second)]
    costs = [each for each, _ in judged]
    names = _names(first, second)
    if judge.counts_errors:
        alone = [int(((costs[i] == 1.0) & (costs[1 - i] == 0.0)).sum()) for i in (0, 1)]
        counts = {"only_first_wrong": alone[0], "only_second_wrong": alone[1]}
        p_value = holdout.mcnemar(**counts)
        guarantee = _difference(counts, len(labels), delta)
    else:
        counts = {}
        p_value, guarantee = _bet(costs[0] - costs[1], delta)
    return Comparison(
        names=names,
        differences=costs[0] - costs[1],
        p_value=p_value,
        guarantee=guarantee,
        delta=delta,
        preconditions=(*_ASSUMED, row_by_row(found for _, found in judged), seen),
        **counts,
    )


def _difference(counts: dict[str, int], n: int, delta: float) -> Guarantee:
    """Bound the difference of risks by a region of two rates, which is for a delta below 1/2."""
    if delta < _NO_REGION:
        return regions.error_difference(**counts, n=n, delta=delta)
    return holdout.error_difference(**counts, n=n, delta=delta)


def _bet(differences: Vector, delta: float) -> tuple[float, Guarantee]:
    """Bet on (difference + 1) / 2: the wealth against its mean being 1/2 or more is 1 / p."""
    halves = (differences + 1.0) / 2.0
    log_wealth = _wealth.stake_mixture(*np.unique(halves, return_counts=True))
    p_value = min(1.0, math.exp(-log_wealth(0.5)) * (1.0 + 1e-9))
    guarantee = sequences.betting_order_free(losses=halves, delta=delta)
    # Markov's inequality: a fair gambler multiplies his wealth by 1/p with probability p at most.
    shifted = replace(
        guarantee,
        quantity="the risk of the first model minus the risk of the second",
        bound=2.0 * guarantee.bound - 1.0,
    )
    return p_value, shifted


def _judge(loss: Any) -> RowLoss:
    if (isinstance(loss, str) and loss == "zero_one") or type(loss) is ZeroOne:
        return RowLoss(losses.of(loss))
    if not callable(loss):
        raise _arguments.refuse("loss", loss, "'zero_one' or a function with values in [0, 1]")

    def bounded(y: Any, predicted: Any) -> Vector:
        costs = _arguments.numbers("what the loss gave", loss(y, predicted))
        if not ((costs >= 0.0) & (costs <= 1.0)).all():
            raise ValueError("the loss must lie in [0, 1] for every row: clip or rescale it")
        return costs

    return RowLoss(bounded)


def _unseen(models: tuple[Any, Any], X: Any, *, allow_duplicates: bool) -> Precondition:
    memories = [training_memory(model, X) for model in models]
    shared = max(memory.shared for memory in memories)
    if shared and not allow_duplicates:
        raise ValueError(
            f"{shared} of these rows also stand in the training data of a model. Compare on rows "
            "neither has seen; or, if rows of a table of categories coincide by chance, pass "
            "allow_duplicates=True"
        )
    known = all(memory.complete and not memory.shared for memory in memories)
    evidence = "; ".join(dict.fromkeys(memory.evidence for memory in memories))
    name = "neither model learnt from these rows"
    return Precondition("unseen", name, "checked" if known else "assumed", evidence)


def _costs(judge: RowLoss, model: Any, X: Any, labels: NDArray[Any]) -> tuple[Vector, Evidence]:
    """Return what a fitted model's answers cost, and why each row is answered by itself."""
    if not has_method(model, "predict"):
        raise TypeError(f"{shown(model)} is no model: it has no method predict; pass fitted models")
    predicted = answered(model.predict(X))
    costs = judge.of(labels, predicted)
    return costs, not_together(model, X, predicted)


def _names(first: Any, second: Any) -> tuple[str, str]:
    names = type(first).__name__, type(second).__name__
    return names if names[0] != names[1] else (f"the first {names[0]}", f"the second {names[1]}")
