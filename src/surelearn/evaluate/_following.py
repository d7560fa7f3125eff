"""Following a run: at some of its rounds a learner is asked what it can certify by then."""

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone

from surelearn import bounds
from surelearn._arguments import short
from surelearn._jit.sound_matrices import sound
from surelearn._typing import Indices, Matrix, Vector
from surelearn._wording import confidence
from surelearn.bounds import Guarantee, Validity
from surelearn.certificate import BoundViolatedError, Certificate, is_beyond_rounding

_N_ASKED, _N_SHARES = 60, 200  # rounds at which bounds and distributions are noted


def refuse_other_learners(learner: Any, *, takes: str, instead: str) -> None:
    """Refuse a learner that does not learn from what it would be given.

    Parameters
    ----------
    learner
        What is to play.
    takes
        What its method `learn` must be able to take.
    instead
        What to use such a learner with.

    Examples
    --------
    >>> from surelearn.learners.experts.hedge import Hedge
    >>> refuse_other_learners(Hedge(), takes="y", instead="experts_regret")
    Traceback (most recent call last):
    TypeError: Hedge does not learn from y: use experts_regret
    """
    name = type(learner).__name__
    if not callable(getattr(learner, "learn", None)):
        raise TypeError(f"{short(learner)} has no method learn: it is no online learner")
    known = inspect.signature(learner.learn).parameters.values()
    if not any(one.name == takes or one.kind is one.VAR_KEYWORD for one in known):
        raise TypeError(f"{name} does not learn from {takes}: use {instead}")


@dataclass(frozen=True, eq=False)
class BoundCurve:
    """One theorem's bound through a run, evaluated again at some of its rounds.

    Parameters
    ----------
    method
        The function of `surelearn.bounds`.
    validity, delta
        How each of the bounds holds, and with which probability it may fail, if with any.
    realised
        Whether it is computed from what happened in the run; otherwise it was known beforehand.
    rounds, bounds
        After how many rounds it was evaluated, and what it said.
    measured
        Which inputs of a theorem that is stated beforehand were taken from the run after all.

    Examples
    --------
    >>> curve = BoundCurve("regret.hedge", "surely", None, False, np.array([1, 9]), np.ones(2))
    >>> curve.label
    'hedge, before the run'
    """

    method: str
    validity: Validity
    delta: float | None
    realised: bool
    rounds: Indices
    bounds: Vector
    measured: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The theorem, when it was known and how it holds."""
        name, when = self.method.rpartition(".")[2], ""
        if not self.realised:
            name, when = name.removesuffix("_realised").removesuffix("_apriori"), ", before the run"
            if self.measured:
                when = f", given the {' and the '.join(self.measured)} seen".replace("_", " ")
        elif "realised" not in name:
            when = ", from the run"
        level = "" if self.delta is None else confidence(self.delta)
        how = {
            "surely": "",
            "anytime": f", {level} for all rounds at once",
            "fixed-n": f", {level} for each round alone",
            "in-expectation": ", on average",
        }.get(self.validity, "")
        return f"{name.replace('_', ' ')}{when}{how}"


@dataclass(frozen=True, eq=False)
class Shares:
    """The distribution a learner held after some rounds, over experts or arms: a row per round.

    Examples
    --------
    >>> Shares(rounds=np.array([10]), values=np.array([[0.25, 0.75]])).values.shape
    (1, 2)
    """

    rounds: Indices
    values: Matrix


Statement: TypeAlias = Certificate | Guarantee


class Diary:
    """What a learner says of itself while it plays, after each of `stops` rounds."""

    def __init__(
        self,
        n_rounds: int,
        ask: Callable[[], Iterable[Statement]],
        share: Callable[[], Vector] | None = None,
    ) -> None:
        self._ask, self._share = ask, share
        self._asked = checkpoints(n_rounds)
        even = np.linspace(1, n_rounds, _N_SHARES).astype(np.int64)
        self.stops: Indices = np.union1d(even, self._asked) if share else self._asked
        self._shares: list[Vector] = []
        self.entries: list[tuple[int, Any]] = []

    def blocks(self) -> Iterator[slice]:
        """Return the rounds of the run in order, cut where there is something to note."""
        for start, stop in zip([0, *self.stops[:-1]], self.stops, strict=True):
            yield slice(int(start), int(stop))

    def note(self, n_played: int) -> None:
        """Make the entries that are due after so many rounds."""
        if self._share is not None and n_played in self.stops:
            self._shares.append(np.array(self._share(), dtype=np.float64))
        if n_played in self._asked:
            self.entries += [(n_played, statement) for statement in self._ask()]

    @property
    def shares(self) -> Shares | None:
        """The distributions noted, if any."""
        return Shares(self.stops, np.array(self._shares)) if self._shares else None


def checkpoints(n_rounds: int) -> Indices:
    """Return at most sixty rounds, evenly spaced on a logarithmic scale, the last one included.

    Examples
    --------
    >>> checkpoints(5)
    array([1, 2, 3, 4, 5])
    """
    return np.unique(np.geomspace(1, n_rounds, _N_ASKED).round().astype(np.int64))


def fresh(learner: Any) -> Any:
    """Return a copy that has not played yet: what is evaluated is never changed.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> hasattr(fresh(Perceptron().fit([[0.0], [1.0]], [0, 1])), "coef_")
    False
    """
    copy: Any = clone(learner, safe=False)
    if getattr(copy, "n_rounds_", 0) > 0:
        raise ValueError(
            f"this {type(learner).__name__} has already played {copy.n_rounds_} rounds: regret is "
            "counted from the first, so give a new one"
        )
    return copy


def in_rows(X: Any) -> Any:
    """Return rows that can be cut into blocks: of sparse matrices only some kinds can.

    Examples
    --------
    >>> from scipy import sparse
    >>> in_rows(sparse.coo_array([[0.0, 1.0]]))[:1].shape
    (1, 2)
    """
    rows = sound(X)
    no_rows = not hasattr(rows, "__getitem__") or getattr(rows, "ndim", 2) == 0
    if no_rows or isinstance(rows, str | bytes | dict | type):
        raise TypeError(f"X is a {type(X).__name__}, and rows are needed: give a matrix")
    return rows


def curves(stated: Iterable[tuple[int, Statement, float]]) -> tuple[BoundCurve, ...]:
    """Join what one theorem said after different rounds; each bound is less its offset.

    A learner that quotes a theorem twice does so first with what the run showed, then with what was
    known before.
    """
    found: dict[tuple[str, str, int], list[tuple[int, Statement, float]]] = defaultdict(list)
    seen: Counter[tuple[int, str, str]] = Counter()
    for n_played, statement, offset in stated:
        name = _name(statement), getattr(statement, "subject", "")
        seen[n_played, *name] += 1
        found[*name, seen[n_played, *name]].append((n_played, statement, offset))
    return tuple(_curve(points, again=key[-1] > 1) for key, points in found.items())


def assert_sure(statement: Statement, value: float, amount: float) -> None:
    """Raise if `value` exceeds a sure bound by more than the rounding of losses of that `amount`.

    Only where nothing is merely assumed: otherwise the assumption may be what failed.
    """
    if not isinstance(statement, Certificate) or statement.validity != "surely":
        return
    settled = all(p.status in {"checked", "by-construction"} for p in statement.preconditions)
    beyond = value - statement.bound
    if settled and is_beyond_rounding(beyond, statement.bound, n=statement.n, amount=amount):
        raise BoundViolatedError(
            f"{statement.quantity} came to {value} in {statement.n} rounds, beyond its sure bound "
            f"{statement.bound} ({statement.formula}): this is a bug of surelearn, please report it"
        )


def _name(statement: Statement) -> str:
    return statement.method if isinstance(statement, Certificate) else statement.theorem


def _was_known(certificate: Certificate) -> bool:
    """Return whether a bound follows from what was known before the run and its length."""
    inputs = certificate.reproduce["inputs"]
    # An optional input that was left out was not read from anything.
    read = {name for name in bounds.realised(certificate.method) if inputs.get(name) is not None}
    # The squares of n regrets of at most 1 sum to at most n: at that value Squint states its bound
    # before the run, and the input is the length of the run in disguise.
    if inputs.get("variance") == certificate.n:
        read.discard("variance")
    return not read


def _curve(points: list[tuple[int, Statement, float]], *, again: bool) -> BoundCurve:
    statement = points[-1][1]
    delta, realised, measured = None, False, ()
    if isinstance(statement, Certificate):
        delta, measured = statement.delta, tuple(statement.reproduce.get("measured", ()))
        realised = not again and not measured and not _was_known(statement)
    return BoundCurve(
        method=_name(statement),
        validity=statement.validity,
        delta=delta,
        realised=realised,
        rounds=np.array([n_played for n_played, _, _ in points]),
        bounds=np.array([statement.bound - offset for _, statement, offset in points]),
        measured=measured,
    )
