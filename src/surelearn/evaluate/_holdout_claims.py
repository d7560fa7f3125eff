"""The claims that a hold-out certifies: what is bounded, by which theorem, in which sentence.

A claim is one object. It knows the theorem that bounds its quantity, what is known of each
assumption of that theorem, and the words for the bound. Which claim is made follows from the loss
and the groups alone, never from the size of a bound.
"""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from surelearn import _arguments
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn._wording import confidence, outward, percent_outward
from surelearn.base.error_sizes import absolute_errors
from surelearn.bounds import Guarantee, concentration, holdout, sequences
from surelearn.certificate import Certificate, Evidence, Kind, assumed, by_construction
from surelearn.claims import _ranks
from surelearn.evaluate._task import range_of_losses
from surelearn.evaluate.audit import Audit, Outcome
from surelearn.losses import ZeroOne

AS_ONE = "where copies of a row count as one"
"""What a claim about distinct rows adds."""

PointwiseLoss = TypeAliasType("PointwiseLoss", Callable[[NDArray[Any], NDArray[Any]], ArrayLike])

ROWS = assumed("rows of one population, each drawn independently")
_GROUPS = assumed("groups of one population, each drawn independently")
_COPIES = assumed("distinct rows of one population, each drawn independently of the others")
ONE_OF_COPIES = assumed(f"one of the copies of each row; {_COPIES.text}")
"""What is assumed of rows that are draws of their own: all of them, or one of each row's copies."""

_by_means = ContextVar("_by_means", default=False)


@contextmanager
def copies_by_their_means() -> Generator[None]:
    """Bet on the mean loss of copies, as certificates did before: to make such a one again.

    Examples
    --------
    >>> copies = Groups(np.array([0, 0, 1]), of_copies=True)
    >>> type(claim_about("zero_one", copies, random_state=0)).__name__
    'ErrorRate'
    >>> with copies_by_their_means():
    ...     type(claim_about("zero_one", copies, random_state=0)).__name__
    'MeanLoss'
    """
    token = _by_means.set(True)
    try:
        yield
    finally:
        _by_means.reset(token)


class Found(NamedTuple):
    """What the labels say: the guarantee, the value observed, and how many draws it rests on."""

    guarantee: Guarantee
    observed: float
    n: int


class Groups(NamedTuple):
    """Rows that count as one draw: the number of each row's group; or of its row, if of copies.

    Where there are very many, certificates store how often each loss was seen: `counted`.
    """

    places: Indices
    of_copies: bool = False
    counted: bool = False

    @property
    def law(self) -> Evidence:
        """What is assumed of their draw."""
        return _COPIES if self.of_copies else _GROUPS


class Claim(Protocol):
    """What a hold-out may say of a model."""

    @property
    def kind(self) -> Kind:
        """What sort of quantity is bounded."""
        ...

    @property
    def evidence(self) -> dict[str, Evidence]:
        """What is known of every assumption of the theorem, unless the caller knows better."""
        ...

    def bound(self, y: NDArray[Any], predicted: NDArray[Any], *, delta: float) -> Found:
        """Bound the quantity from labels and predictions."""
        ...

    def sentence(self, bound: float) -> str:
        """Return the claim in words; it goes on after "With confidence 95%, "."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Answers(Shown, drawn_by="certificates.plot_certificates"):
    """What a hold-out said of a model.

    Attributes
    ----------
    certificate
        The certificate of the model.
    predicted
        The model's predictions for the rows of the hold-out, made once.
    by_class
        For each class with rows in the hold-out, the certificate of the error rate among its rows,
        if they were asked for; together they hold with the confidence of the certificate.
    beside
        The claims beside it, if some were asked for; together they hold with that confidence, too.
    """

    certificate: Certificate
    predicted: NDArray[Any]
    by_class: Mapping[str, Certificate] = field(default_factory=dict[str, Certificate])
    beside: Audit | None = None

    def _picture(self) -> tuple[str, Any]:
        each = {f"rows of {label}": found for label, found in self.by_class.items()}
        return self._drawn_by, {"all rows": self.certificate, **each}

    @property
    def claims(self) -> tuple[Outcome, ...]:
        """What became of each claim beside the certificate."""
        return () if self.beside is None else self.beside.outcomes


@dataclass(frozen=True)
class Quantile:
    """Ask how large the absolute error of all but a fraction `alpha` of new examples is.

    For regression: no loss need be bounded.

    Examples
    --------
    >>> Quantile(alpha=0.1).alpha
    0.1
    """

    alpha: float

    def __post_init__(self) -> None:
        """Refuse a fraction outside (0, 1)."""
        _arguments.open_fraction("alpha", self.alpha)


@dataclass(frozen=True)
class ErrorRate:
    """The fraction of new rows that a classifier gets wrong.

    Of copies one counts, drawn at random: it is wrong with their mean loss as its probability, so
    that the rows drawn are trials of one probability, which is the expectation of that mean.
    """

    counted: Indices | None = None  # one of the copies of each row; all rows if copies are draws
    kind: Kind = "risk"

    @property
    def evidence(self) -> dict[str, Evidence]:
        """Rows are draws, or one of the copies of each is."""
        return {"independent": ROWS if self.counted is None else ONE_OF_COPIES}

    def bound(self, y: NDArray[Any], predicted: NDArray[Any], *, delta: float) -> Found:
        """Invert the binomial law of the number of errors."""
        if self.counted is not None:
            y, predicted = y[self.counted], predicted[self.counted]
        errors, n = int(ZeroOne()(y, predicted).sum()), len(y)
        guarantee = concentration.clopper_pearson(errors=errors, n=n, delta=delta)
        return Found(guarantee, errors / n, n)

    def sentence(self, bound: float) -> str:
        """Return the claim in words."""
        limit = percent_outward(bound, "upper")
        which = " from the same law" if self.counted is None else f", {AS_ONE}"
        return f"this model errs on at most {limit} of new examples{which}."


@dataclass(frozen=True)
class ErrorSize:
    """The absolute error that all but a fraction alpha of new rows stay within.

    Of rows in groups only one of each counts, because the others are no draws of their own.
    """

    alpha: float
    counted: Indices | None = None  # one row of each group; all rows if there are no groups
    of_copies: bool = False
    kind: Kind = "quantile"

    @property
    def evidence(self) -> dict[str, Evidence]:
        """Rows are draws, or one row of each group is."""
        if self.counted is None:
            return {"independent": ROWS, "alpha": assumed()}
        one = assumed(f"one row of each group; {_GROUPS.text}")
        return {"independent": ONE_OF_COPIES if self.of_copies else one, "alpha": assumed()}

    def bound(self, y: NDArray[Any], predicted: NDArray[Any], *, delta: float) -> Found:
        """Take an order statistic of the residuals."""
        residuals = absolute_errors(y, predicted)
        if self.counted is not None:
            residuals = residuals[self.counted]
        kept = _ranks.statistics_of(residuals, alpha=self.alpha, delta=delta)
        guarantee = _ranks.guarantee_of(kept, alpha=self.alpha, delta=delta)
        return Found(guarantee, *_ranks.seen_in(kept, self.alpha))

    def sentence(self, bound: float) -> str:
        """Return the claim in words."""
        which = "new examples" if self.counted is None else "new examples, each of a new group,"
        which = f"new examples, {AS_ONE}," if self.of_copies else which
        return (
            f"at least {confidence(self.alpha)} of {which} have an absolute error <= "
            f"{outward(bound, 'upper')}."
        )


@dataclass(frozen=True)
class MeanLoss:
    """The expectation of a loss with values in [0, 1]; of groups, that of the mean in a group.

    A group is one draw: its rows may depend on each other in any way, and count together as one.
    """

    loss: PointwiseLoss | ZeroOne
    groups: Groups | None = None
    kind: Kind = "risk"

    @property
    def evidence(self) -> dict[str, Evidence]:
        """An error rate lies in [0, 1]; that of another loss is the caller's to know."""
        inside = Evidence(*range_of_losses(1.0, bounded=False))
        if type(self.loss) is ZeroOne:
            inside = by_construction("the loss of a group is its error rate")
        return {"range": inside, "same_mean": ROWS if self.groups is None else self.groups.law}

    def bound(self, y: NDArray[Any], predicted: NDArray[Any], *, delta: float) -> Found:
        """Bet against every larger mean; the order of the losses is irrelevant."""
        losses: Vector = np.asarray(self.loss(y, predicted), dtype=np.float64)
        if losses.shape != y.shape or not ((losses >= 0.0) & (losses <= 1.0)).all():
            raise ValueError(
                f"the loss must give {len(y)} values in [0, 1], one per row: clip or rescale it. "
                "Which row it was is not told, and this question is spent"
            )
        if self.groups is not None:
            losses = _means(losses, self.groups.places)
        return Found(self._guarantee(losses, delta), float(losses.mean()), len(losses))

    def _guarantee(self, losses: Vector, delta: float) -> Guarantee:
        if self.groups is None or not self.groups.counted:
            return sequences.betting_order_free(losses=losses, delta=delta)
        values, counts = np.unique(losses, return_counts=True)
        return sequences.betting_counted(values=values, counts=counts, delta=delta)

    def sentence(self, bound: float) -> str:
        """Return the claim in words."""
        limit = percent_outward(bound, "upper")
        if self.groups is None:
            return f"the expected loss of this model on a new example is at most {limit}."
        if self.groups.of_copies:
            if type(self.loss) is ZeroOne:
                return f"this model errs on at most {limit} of new examples, {AS_ONE}."
            return f"the expected loss on a new example, {AS_ONE}, is at most {limit}."
        average = "of a new group, on average over groups."
        if type(self.loss) is ZeroOne:
            return f"this model errs on at most {limit} of the rows {average}"
        return f"the mean loss of this model on the rows is at most {limit} {average}"


@dataclass(frozen=True)
class ClassErrorRate:
    """The error rate among the rows of one class.

    Given the labels of a hold-out, rows of one class err independently. Groups that have rows of a
    class are independent draws given which groups those are, for one class at a time. Of the copies
    of a row with one label one counts, drawn at random: a model may read columns by which copies
    were not told apart, and the first of them may be the one that it knows best.
    """

    label: Any
    groups: Groups | None = None
    random_state: int = 0
    kind: Kind = "risk"

    @property
    def evidence(self) -> dict[str, Evidence]:
        """As for all rows together."""
        if self.groups is None:
            return ErrorRate().evidence
        if _one_counts(self.groups):
            return {"independent": ONE_OF_COPIES}
        return MeanLoss(ZeroOne(), self.groups).evidence

    def bound(self, y: NDArray[Any], predicted: NDArray[Any], *, delta: float) -> Found:
        """Bound the rate among the rows of the class, or its mean over groups that have some."""
        of_class = y == self.label
        y, predicted = y[of_class], predicted[of_class]
        if self.groups is not None and _one_counts(self.groups):
            drawn = _some_of_each(self.groups.places[of_class], self.random_state)
            y, predicted = y[drawn], predicted[drawn]
        elif self.groups is not None:
            places = np.unique(self.groups.places[of_class], return_inverse=True)[1]
            found = MeanLoss(ZeroOne(), self.groups._replace(places=places))
            return found.bound(y, predicted, delta=delta)
        errors, n = int(ZeroOne()(y, predicted).sum()), len(y)
        guarantee = holdout.class_conditional(errors=errors, n_in_class=n, delta=delta)
        return Found(guarantee, errors / n, n)

    def sentence(self, bound: float) -> str:
        """Return the claim in words."""
        rows = f"of new rows of class {self.label}"
        if self.groups is not None:
            rows = f"of the rows of class {self.label} in a new group that has some, on average"
        if self.groups is not None and self.groups.of_copies:
            rows = f"of new rows of class {self.label}, {AS_ONE}"
        return f"this model errs on at most {percent_outward(bound, 'upper')} {rows}."


def claim_about(loss: Any, groups: Groups | None, *, random_state: int) -> Claim:
    """Return the claim that a loss asks for."""
    if isinstance(loss, Quantile):
        if groups is None:
            return ErrorSize(loss.alpha)
        counted = one_of_each(groups.places, random_state)
        return ErrorSize(loss.alpha, counted, groups.of_copies)
    if not (is_zero_one(loss) or callable(loss)):
        raise _arguments.refuse("loss", loss, "'zero_one', Quantile(alpha) or a function")
    if not is_zero_one(loss):
        return MeanLoss(cast("PointwiseLoss", loss), groups)
    if groups is None:
        return ErrorRate()
    if _one_counts(groups):
        return ErrorRate(one_of_each(groups.places, random_state))
    return MeanLoss(ZeroOne(), groups)


def rows_counted(claim: Claim) -> Indices | None:
    """Return one row of each group, if the claim counts no others."""
    return claim.counted if isinstance(claim, ErrorRate | ErrorSize) else None


def _one_counts(groups: Groups) -> bool:
    """Return whether one row of each group counts, where errors are: of copies."""
    return groups.of_copies and not _by_means.get()


def is_zero_one(loss: Any) -> bool:
    """Return whether a loss counts wrong labels: by its name, or as an object.

    A class made from `ZeroOne` may count otherwise, so it is a loss like any other.
    """
    return (isinstance(loss, str) and loss == "zero_one") or type(loss) is ZeroOne


def _means(losses: Vector, groups: Indices) -> Vector:
    """Return the mean loss of each group, the groups counted from 0."""
    return np.bincount(groups, weights=losses) / np.bincount(groups)


def one_of_each(groups: Indices, random_state: int) -> Indices:
    """Return the place of one row of each group, drawn by the seed group after group."""
    rng = np.random.default_rng(random_state)
    order, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    found = order[starts]
    for group in np.flatnonzero(sizes > 1):  # of one row there is no choice, and no draw
        found[group] = rng.choice(order[starts[group] : starts[group] + sizes[group]])
    return found


def _some_of_each(groups: Indices, random_state: int) -> Indices:
    """Return the place of one row of each group that has any: the first in an order drawn."""
    order = np.random.default_rng(random_state).permutation(len(groups))
    return order[np.unique(groups[order], return_index=True)[1]]
