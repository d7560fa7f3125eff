"""A claim: one number that people are asked for, with its theorem and its sentence.

A claim turns recorded predictions into statistics, a theorem turns these into a bound, and a
sentence says what the bound means. What was seen follows from the statistics, too, so that whoever
has them can make the whole certificate again.
"""

import functools
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, ClassVar, Literal, NamedTuple, cast

from surelearn import _arguments
from surelearn._wording import outward, percent_outward
from surelearn.bounds import Guarantee
from surelearn.certificate import Kind
from surelearn.claims._parameter_text import written
from surelearn.claims.predictions import Predictions

Direction = Literal["upper", "lower"]
Design = Literal["rows", "cluster", "weight", "stratum", "time", "table"]
"""How rows were drawn: one by one, in clusters, with weights, by strata, in time, of a table."""


class Seen(NamedTuple):
    """The value of a quantity in the rows, and the number of rows it rests on."""

    value: float
    n: int


_TAKES: dict[str, tuple[int, type, str]] = {
    **dict.fromkeys(
        ("lacks", "names", "statistics", "count", "counts"),
        (0, Predictions, "predictions, as claims.record makes them"),
    ),
    "sentence": (1, Mapping, "the names in a sentence, by what they name"),
}
"""For methods of claims: the place of an argument, its type, and that type in words."""


def _given(method: Callable[..., Any], place: int, wanted: type, words: str) -> Callable[..., Any]:
    """Return a method that says what it takes where it is given something else."""
    names = list(inspect.signature(method).parameters)[1:]

    @functools.wraps(method)
    def checked(self: Any, *args: Any, **named: Any) -> Any:
        found = args[place] if len(args) > place else named.get(names[place])
        if not isinstance(found, wanted):
            raise TypeError(f"{method.__name__} takes {words}, no {type(found).__name__}")
        try:
            return method(self, *args, **named)
        except (KeyError, IndexError) as error:
            if wanted is not Mapping:
                raise
            raise ValueError(f"{method.__name__} takes {words}; it lacks {error}") from None

    return checked


@dataclass(frozen=True)
class Claim(ABC):
    """One thing that can be claimed of recorded predictions.

    `claim >= 0.9` or `claim <= 0.1`, as its direction has it, makes a target of it.

    Attributes
    ----------
    name, title
        What it is called on the command line and in a table.
    direction
        Whether its bound is an upper or a lower one.
    kind
        How numbers are shown: a "rate" or a "risk" in percent, a "value" as it is.
    given_labels
        Whether it also holds for rows that were drawn by their label: it speaks of one class, or of
        each by itself.
    design
        How the rows must have been drawn.
    of_answers
        Whether it counts cases by how they were answered, so that those without an answer do not.
    at_every_threshold
        Whether it says more than one number, such as a curve or a list: it can be no target beside
        others.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    direction: ClassVar[Direction]
    kind: ClassVar[Kind] = "rate"
    given_labels: ClassVar[bool] = False
    design: ClassVar[Design] = "rows"
    of_answers: ClassVar[bool] = False
    at_every_threshold: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Let methods of a claim say what they take, whatever they are given."""
        super().__init_subclass__(**options)
        for name, wanted in _TAKES.items():
            if name in cls.__dict__:
                setattr(cls, name, _given(cls.__dict__[name], *wanted))

    @property
    def scale(self) -> float:
        """How many units of the claim one unit of its theorem is."""
        return 1.0

    @abstractmethod
    def statistics(self, rows: Predictions) -> dict[str, Any]:
        """Return the numbers its theorem takes, all but delta."""

    @abstractmethod
    def guarantee(self, *, delta: float, **statistics: Any) -> Guarantee:
        """Return its theorem applied to statistics."""

    @abstractmethod
    def seen(self, **statistics: Any) -> Seen:
        """Return what the rows show, from the statistics alone."""

    @abstractmethod
    def sentence(self, limit: str, about: Mapping[str, str]) -> str:
        """Return the claim in words, after "with confidence ...,".

        Parameters
        ----------
        limit
            The bound, rounded outward.
        about
            Names that statistics do not have, as `names` gave them, and those of `told`.
        """

    def lacks(self, rows: Predictions) -> str:
        """Return why these rows cannot show it; nothing if they can."""
        return "" if rows.task in {"binary", "multiclass"} else "there are no classes"

    def names(self, rows: Predictions) -> dict[str, str]:  # noqa: ARG002 - most have none
        """Return the names that its sentence needs: of the positive class, of groups."""
        return {}

    def told(self, *, delta: float, **statistics: Any) -> dict[str, str]:  # noqa: ARG002
        """Return names in its sentence that statistics give at a level, such as what passes."""
        return {}

    def stored(self) -> dict[str, Any]:
        """Return what its certificate must keep beside the inputs of the theorem."""
        return {}

    def larger(self, factor: float, **statistics: Any) -> dict[str, Any] | None:  # noqa: ARG002
        """Return statistics of so many times the rows with the same rates, where that is clear."""
        return None

    def refuting(self, *, delta: float, **statistics: Any) -> float | None:  # noqa: ARG002
        """Return a bound on the same quantity from the other side, where there is one."""
        return None

    def limit(self, bound: float) -> str:
        """Return the bound as it is printed, rounded outward."""
        shown = percent_outward if self.kind in {"rate", "risk"} else outward
        return shown(_number(bound), self.direction)

    def parameters(self) -> dict[str, Any]:
        """Return what was fixed beforehand besides the name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __str__(self) -> str:
        """Return the claim as the command line takes it."""
        given = ", ".join(f"{name}={written(value)}" for name, value in self.parameters().items())
        return f"{self.name}({given})" if given else self.name

    @property
    def full_title(self) -> str:
        """Its title with its parameters, which tell two claims of one kind apart.

        Examples
        --------
        >>> from surelearn import claims
        >>> claims.BeyondTolerance(tolerance=2.0).full_title, claims.Sensitivity().full_title
        ('Errors beyond the tolerance (tolerance=2.0)', 'Sensitivity')
        """
        given = str(self).removeprefix(self.name)
        return f"{self.title} {given}" if given else self.title

    def __ge__(self, value: float) -> "Target":
        """Return the target that the quantity is at least `value`."""
        return Target(self, "lower", _value(value))

    def __le__(self, value: float) -> "Target":
        """Return the target that the quantity is at most `value`."""
        return Target(self, "upper", _value(value))


@dataclass(frozen=True)
class Target:
    """A claim with the value that is to be proved.

    Examples
    --------
    >>> from surelearn import claims
    >>> str(claims.Sensitivity() >= 0.9)
    'sensitivity>=0.9'
    """

    claim: Claim
    direction: Direction
    value: float

    def __post_init__(self) -> None:
        """Refuse a target that the bound of the claim cannot reach."""
        if self.direction != self.claim.direction:
            sign, other = (">=", "<=") if self.claim.direction == "lower" else ("<=", ">=")
            raise ValueError(
                f"{self.claim} is bounded from {'below' if sign == '>=' else 'above'}, so a target "
                f"is {self.claim}{sign}{self.value:g}, not {other}"
            )
        if self.claim.kind in {"rate", "risk"} and abs(self.value) > 1.0:
            raise ValueError(
                f"{self.claim} is a share, which is 1 at most: {self.value:g} is no target for it, "
                f"and in percent it is written {self.value:g}%"
            )

    def is_met(self, bound: float) -> bool:
        """Return whether a bound proves the target."""
        bound = _number(bound)
        return bound <= self.value if self.direction == "upper" else bound >= self.value

    def is_refuted(self, bound: float) -> bool:
        """Return whether a bound from the other side proves that the target is missed."""
        bound = _number(bound)
        return bound > self.value if self.direction == "upper" else bound < self.value

    def __str__(self) -> str:
        """Return the target as the command line takes it."""
        return f"{self.claim}{'<=' if self.direction == 'upper' else '>='}{self.value!r}"


def _value(value: float) -> float:
    return _arguments.real("value", value)


def _number(bound: float) -> float:
    """Return a bound, which may be infinite."""
    if isinstance(cast("object", bound), bool) or not isinstance(cast("object", bound), Real):
        raise TypeError(f"a bound is a number, no {type(bound).__name__}")
    try:
        return float(bound)
    except OverflowError:
        raise ValueError("a bound of so many digits is beyond floating-point numbers") from None


for _name in ("lacks", "names"):  # of the base itself
    setattr(Claim, _name, _given(getattr(Claim, _name), *_TAKES[_name]))
