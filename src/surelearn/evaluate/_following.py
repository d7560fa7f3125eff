"""Following a run: at some of its rounds a learner is asked what it can certify by then."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from scipy import sparse
from sklearn.base import clone

from surelearn._typing import Indices, Matrix, Vector
from surelearn._wording import confidence
from surelearn.bounds import Guarantee, Validity
from surelearn.certificate import BoundViolatedError, Certificate

_N_ASKED, _N_SHARES = 60, 200  # rounds at which bounds and distributions are noted
_ROUNDING = 1e-9  # a sure bound may be attained; only more than this is a bug
_KNOWN_BEFOREHAND = frozenset(
    {
        "aggressiveness", "alpha", "beta", "delta", "diameter", "dimension", "exploration",
        "gradient_norm", "high", "initial_wealth", "input_norm", "learning_rate", "loss_range",
        "low", "n_arms", "n_experts", "n_features", "n_rounds", "n_switches",
        "n_variables", "norm", "prior", "promotion", "regularization", "strong_convexity",
        "switch_rate", "target_bound", "threshold", "widths",
    }
)  # fmt: skip


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

    @property
    def label(self) -> str:
        """The theorem, when it was known and how it holds."""
        name, when = self.method.rpartition(".")[2], ""
        if not self.realised:
            name, when = name.removesuffix("_realised").removesuffix("_apriori"), ", before the run"
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
            self.entries += [(n_played, said) for said in self._ask()]

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
    >>> in_rows(sparse.coo_array([[0.0, 1.0]]))[:1].shape
    (1, 2)
    """
    return cast("Any", X).tocsr() if sparse.issparse(X) else X


def curves(stated: Iterable[tuple[int, Statement, float]]) -> tuple[BoundCurve, ...]:
    """Join what one theorem said after different rounds; each bound is less its offset.

    A learner that quotes a theorem twice does so first with what the run showed, then with what was
    known before.
    """
    found: dict[tuple[str, str, int], list[tuple[int, Statement, float]]] = defaultdict(list)
    seen: Counter[tuple[int, str, str]] = Counter()
    for n_played, said, offset in stated:
        name = _name(said), getattr(said, "subject", "")
        seen[n_played, *name] += 1
        found[*name, seen[n_played, *name]].append((n_played, said, offset))
    return tuple(_curve(points, again=key[-1] > 1) for key, points in found.items())


def assert_sure(said: Statement, value: float, amount: float) -> None:
    """Raise if `value` exceeds a sure bound by more than the rounding of losses of that `amount`.

    Only where nothing is merely assumed: otherwise the assumption may be what failed.
    """
    if not isinstance(said, Certificate) or said.validity != "surely":
        return
    settled = all(p.status in {"checked", "by-construction"} for p in said.preconditions)
    if settled and value > said.bound + _ROUNDING * (1.0 + abs(said.bound) + amount):
        raise BoundViolatedError(
            f"{said.quantity} came to {value} in {said.n} rounds, beyond its sure bound "
            f"{said.bound} ({said.formula}): this is a bug of surelearn, please report it"
        )


def _name(said: Statement) -> str:
    return said.method if isinstance(said, Certificate) else said.theorem


def _was_known(said: Certificate) -> bool:
    """Return whether a bound follows from what was known before the run and its length."""
    inputs = said.reproduce["inputs"]
    worst = {"variance"} if inputs.get("variance") == said.n else set[str]()  # none is larger
    return set(inputs) - worst <= _KNOWN_BEFOREHAND


def _curve(points: list[tuple[int, Statement, float]], *, again: bool) -> BoundCurve:
    said = points[-1][1]
    delta, realised = None, False
    if isinstance(said, Certificate):
        delta = said.delta
        realised = not again and not _was_known(said)
    return BoundCurve(
        method=_name(said),
        validity=said.validity,
        delta=delta,
        realised=realised,
        rounds=np.array([n_played for n_played, _, _ in points]),
        bounds=np.array([said.bound - offset for _, said, offset in points]),
    )
