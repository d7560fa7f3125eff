"""The kernel Perceptron on a budget: it remembers a fixed number of rows, however long the stream.

On a mistake, y·f(x) ≤ 0, with B rows remembered:

    decay:   f ← (1 − φ)·f + y·K(x, ·), and the oldest term beyond the budget is dropped
    random:  a term drawn uniformly is removed if B are held, then f ← f + y·K(x, ·)

The first sharpens the Forgetron of Dekel, Shalev-Shwartz and Singer (2008); the second is by
Cavallanti, Cesa-Bianchi and Gentile (2007).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import tables
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Indices, Mask, Matrix, Vector
from surelearn.base import MistakeRecord
from surelearn.base.declared import refuse_unlike_declared
from surelearn.base.online.mistakes import Statement, sure_certificates
from surelearn.base.online.passes import Run, Visits
from surelearn.base.online.state import read_only
from surelearn.bounds import Guarantee, mistakes_perceptron
from surelearn.certificate import Certificate, by_construction, checked
from surelearn.kernels import Kernel, Linear
from surelearn.learners.kernelized._budget_loops import draws, learn_block
from surelearn.learners.kernelized._budget_state import State, gathered, spread_out
from surelearn.learners.kernelized._dual import KernelMachine, refuse_strange_rows

_LARGEST = 10_000_000  # rows remembered: memory for all of them is taken at once
_BLOCK = 256  # rows whose kernel values with each other fit a second-level cache


@stored("budgeted-kernel-perceptron-record")
@holds(
    norm="number",
    removed="number",
)
@dataclass(frozen=True, eq=False)
class BudgetRecord(MistakeRecord):
    """What the run on one problem leaves behind: the norm of f, and of all that was removed."""

    norm: float
    removed: float


class BudgetedKernelPerceptron(KernelMachine):
    """The kernel Perceptron that never remembers more than `budget` rows for a two-class problem.

    Parameters
    ----------
    budget
        The largest number of rows remembered, from 1 to ten million.
    kernel
        Any kernel, on tables or on strings.
    removal
        "decay" fades all terms on every mistake and drops the oldest; its mistakes are bounded
        surely. "random" removes a term drawn by lot; its mistakes are bounded on average.
    decay
        The share φ by which terms fade; ln(budget)/budget if left out.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without mistakes.
    random_state
        Draws the seed of the removals.

    Attributes
    ----------
    support_vectors_, coef_
        The rows that any problem remembers, and for each two-class problem their coefficients.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of the 0-1 losses.
    radius_
        The largest sqrt(K(x, x)) of a row seen.

    Examples
    --------
    >>> from surelearn.kernels import Gaussian
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 25, [0, 1, 0, 1] * 25
    >>> model = BudgetedKernelPerceptron(budget=8, kernel=Gaussian(gamma=2.0)).fit(X, y)
    >>> model.predict(X[:4]).tolist(), len(model.support_vectors_) <= 8
    ([0, 1, 0, 1], True)
    """

    _record_kind = BudgetRecord

    def __init__(
        self,
        *,
        budget: int = 100,
        kernel: Kernel = Linear(),  # noqa: B008 - frozen
        removal: Literal["decay", "random"] = "decay",
        decay: float | None = None,
        max_iter: int = 10,
        random_state: Any = None,
    ) -> None:
        self.budget = budget
        self.kernel = kernel
        self.removal = removal
        self.decay = decay
        self.max_iter = max_iter
        self.random_state = random_state

    def guarantee(self, *, norm: float, hinge_loss: float = 0.0) -> Guarantee:
        """Bound the mistakes of one two-class problem by any comparator u of the kernel's space.

        `norm` is that of u, `hinge_loss` the sum of its hinge losses over all rows. With "decay"
        the bound holds surely, with "random" on average over the removals, if neither the rows nor
        u depend on them. Infinite if the budget is too small for the comparator.
        """
        check_is_fitted(self)
        begun = self.begun_
        known = {"radius": self.radius_, "norm": norm, "hinge_loss": hinge_loss}
        if begun.removal == "random":
            return mistakes_perceptron.budget_random_removal(**known, budget=begun.budget)
        fade = begun._fade()  # noqa: SLF001 - its own copy
        return mistakes_perceptron.budget_decay(**known, budget=begun.budget, decay=fade)

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves of its mistakes; a learner that has moved on, nothing.

        For each two-class problem, against the best multiple of the final f: the bound by what the
        run kept and removed and, with "decay", the a-priori bound. Both hold surely. The bound on
        average of random removal is no statement about one run: see `guarantee`.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        return sure_certificates(self, delta)

    @property
    def coef_(self) -> Matrix:
        """For each two-class problem the coefficient of each row remembered."""
        return read_only(spread_out(self.states_, self.states_[0].support[0].shape[0]))

    def _fade(self) -> float:
        if self.removal == "random":
            return 0.0
        few = max(2, int(self.budget))  # ln(1) / 1 would be no decay at all
        return math.log(few) / few if self.decay is None else float(self.decay)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _arguments.count("budget", self.budget, at_least=1, at_most=_LARGEST)
        given = cast("object", self.removal)
        if not isinstance(given, str) or given not in {"decay", "random"}:
            raise ValueError(f'removal={given!r} must be "decay" or "random"')
        if self.decay is not None:
            _arguments.open_fraction("decay", self.decay)

    def _start(self, n_features: int) -> Any:
        slots, numbers = np.zeros(int(self.budget)), np.zeros(int(self.budget), dtype=np.int64)
        drawn = 0
        if self.removal == "random":
            drawn = int(check_random_state(self.random_state).randint(0, 2**31 - 1))
        counts, seed = np.zeros(3, dtype=np.int64), np.array([drawn], dtype=np.int64)
        table = (np.empty((0, n_features)),)
        return State(slots, numbers, counts, np.zeros(2), np.zeros(1), seed, table)

    def _statements(self, run: Run, state: State, record: BudgetRecord) -> Iterator[Statement]:
        n_rounds, radius = record.n_passes * run.n_rows, float(state.radius[0])
        norm = record.scale * record.norm
        known = {
            "start": by_construction("the code does exactly this"),
            "loss": checked("a multiple of f, on all rounds of this run"),
        }
        realised = mistakes_perceptron.budget_realised(
            hinge_loss=record.hinge_loss,
            norm=norm,
            weight_norm=record.norm,
            sum_removed_norms=record.removed,
        )
        step = {"step": by_construction("the code does exactly this")}
        yield Statement(realised, record.total_updates, n_rounds, known | step)
        if self.removal == "random":
            return
        budget, fade = int(self.budget), self._fade()
        a_priori = mistakes_perceptron.budget_decay(
            radius=radius, norm=norm, hinge_loss=record.hinge_loss, budget=budget, decay=fade
        )
        more = {
            "budget": by_construction(f"{budget} rows, decay {fade:.6g}"),
            "radius": checked(f"the largest norm is {radius:.6g}"),
        }
        yield Statement(a_priori, record.total_updates, n_rounds, known | more)

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        """Visit the rows block by block; the rows held are gathered for each block."""
        support = state.support[0]
        table, n_support = tables.of(X, support.shape[1]), support.shape[0]
        state.radius[0] = max(state.radius[0], math.sqrt(self._squares(table).max()))
        for part in gen_batches(len(signs), _BLOCK):
            n_held, base = int(state.counts[0]), n_support + part.start
            values = self._values(table[part])
            if n_held:
                known = gathered(support, table, state.held[:n_held])
                values = np.hstack([self._values(table[part], known), values])
            slots = np.vstack([state.held, np.arange(len(state.held))])
            rule = self._rule(state, n_held, base, part.stop - part.start)
            learn_block(
                values, signs[part], rule, slots, state.coef, state.counts, state.sums, scores[part]
            )
            state.held[:] = slots[0]

    def _rule(self, state: State, n_held: int, base: int, n: int) -> Vector:
        """Return the constants of a block, and a draw for each of its rows if removal is random."""
        n_dropped, budget = int(state.counts[2]), len(state.held)
        rule = np.array([self._fade(), n_held, base, state.radius[0], n_dropped], dtype=np.float64)
        if self.removal != "random":
            return rule
        return np.append(rule, draws(int(state.seed[0]), n_dropped, n, budget))

    def _keep(
        self, X: Rows, visits: Sequence[Visits], states: Sequence[State]
    ) -> tuple[State, ...]:
        """Remember the rows that some problem holds, and no others."""
        del visits
        support = states[0].support[0]
        used = np.unique(np.concatenate([state.held[: state.counts[0]] for state in states]))
        if len(used) == support.shape[0] and (not len(used) or used[-1] < len(used)):
            return tuple(states)
        table = gathered(support, tables.of(X, support.shape[1]), used)
        for state in states:
            n_held = int(state.counts[0])
            state.held[:n_held] = np.searchsorted(used, state.held[:n_held])
        return tuple(state._replace(support=(table,)) for state in states)

    def _scores(self, X: Any, states: Sequence[Any]) -> Matrix:
        support = states[0].support[0]
        return self._expansion(X, support, spread_out(states, support.shape[0]))

    def _final_scores(self, X: Any, states: Sequence[State]) -> Matrix:
        scores = np.zeros((X.shape[0], len(states)))
        for state, column in zip(states, scores.T, strict=True):
            n_held = int(state.counts[0])
            if n_held:
                rows = gathered(state.support[0], X, state.held[:n_held])
                column[:] = self._expansion(X, rows, state.coef[np.newaxis, :n_held])[:, 0]
        return scores

    def _record(self, X: Any, margins: Vector, visits: Visits, state: State) -> BudgetRecord:
        """Compare with f itself, measured in the space of the kernel: ‖f‖² = cᵀKc."""
        del X
        n_held, norm = int(state.counts[0]), 0.0
        if n_held:
            gram = self._values(state.support[0][state.held[:n_held]])
            coef = state.coef[:n_held]
            norm = math.sqrt(max(0.0, float(coef @ gram @ coef)))
        length, n_passes = float(state.radius[0]) * norm, visits.n_passes
        record = MistakeRecord.of(visits.n_updates, margins, n_passes=n_passes, length=length)
        removed = float(state.sums[1]) * (1.0 + 1e-12)  # a long sum, rounded
        return BudgetRecord(**vars(record), norm=norm, removed=removed)

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        n_wrong, _ = super()._outcome(X, wrong, used)
        return n_wrong, None  # what was forgotten shaped the model as well

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        """Refuse slots that hold rows which are not remembered, as a forged file may have them."""
        if type(state) is not State or len(state.support) != 1:
            raise ValueError("its state is that of another learner")
        refuse_unlike_declared(state)
        table, budget = state.support[0], int(self.begun_.budget)
        refuse_strange_rows(self, table, n_features)
        n_held, oldest, n_dropped = state.counts.tolist()
        if len(state.coef) != budget or not 0 <= n_held <= budget or not 0 <= oldest < budget:
            raise ValueError("it remembers more rows than its budget, or none in their order")
        if n_dropped < 0 or (state.sums < 0.0).any() or state.seed[0] < 0:
            raise ValueError("it has forgotten less than nothing")
        held = state.held[:n_held]
        if n_held and not 0 <= held.min() <= held.max() < table.shape[0]:
            raise ValueError("it holds rows that are not remembered")
