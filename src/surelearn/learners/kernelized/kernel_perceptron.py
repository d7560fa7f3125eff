"""The kernel Perceptron: remember every example it gets wrong, and how often.

    f ← f + y·K(x, ·)   whenever   y·f(x) ≤ margin

The dual form of the Perceptron: f = Σ c_s K(x_s, ·) with whole numbers c_s, and with the linear
kernel Σ c_s x_s are the Perceptron's weights. Aizerman, Braverman and Rozonoer (1964).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._jit import jit, tables
from surelearn._jit.rows import Rows
from surelearn._stored import holds, stored
from surelearn._typing import Mask, Matrix, Vector
from surelearn.base import MistakeRecord
from surelearn.base.online.mistakes import (
    Found,
    Statement,
    of_all_problems,
    perceptron_statements,
    run_and_risk_certificates,
)
from surelearn.base.online.passes import Run, Visits
from surelearn.bounds import Guarantee, mistakes, mistakes_perceptron
from surelearn.certificate import Certificate, Evidence, by_construction, checked
from surelearn.kernels import Kernel, Linear
from surelearn.kernels.norms import is_ours
from surelearn.learners.kernelized._dual import KernelMachine, State, with_support

_FOUND = Found("f achieves {:.6g}", "a multiple of f, on all rounds of this run")
_BLOCK = 256  # rows whose kernel values with each other fit a second-level cache
_KEPT_VALUES = (
    2**24
)  # kernel values of the rows of a `fit` with each other that are kept for all passes


@stored("kernel-perceptron-record")
@holds(
    norm="number",
)
@dataclass(frozen=True, eq=False)
class KernelPerceptronRecord(MistakeRecord):
    """What the run on one problem leaves behind, with the norm of f in the kernel's space."""

    norm: float


@jit
def _learn_rows(
    gram: Matrix, signs: Vector, margin: float, current: Vector, updates: Mask, scores: Vector
) -> None:
    """Score each row, then learn from it; `current` holds the scores of all as they change."""
    for t in range(len(signs)):
        scores[t] = current[t]
        updates[t] = signs[t] * scores[t] <= margin  # a tie counts, or f = 0 would never move
        if updates[t]:
            for s in range(len(signs)):
                current[s] += signs[t] * gram[t, s]


class KernelPerceptron(KernelMachine):
    """The Perceptron in the space of a kernel; there is no learning rate to tune.

    Parameters
    ----------
    kernel
        Any kernel, on tables or on strings. Add 1 to it for a constant feature: `Linear() + 1`
        makes this the `Perceptron` with its intercept. `Anova()` and `Agreement()` learn formulas
        of bits.
    margin
        Learn from a row whose signed score is at most this much, mistake or not. The default, 0,
        learns from mistakes alone; more asks for a rule with room to spare.
    max_iter
        The largest number of passes `fit` makes; it stops at the first pass without updates.

    Attributes
    ----------
    support_vectors_, coef_
        The rows that f remembers, and for each two-class problem how often each was added, with its
        sign. A row that `learn` met twice may stand there twice.
    n_mistakes_, n_rounds_, cumulative_loss_
        Mistakes made so far, over all two-class problems; rows visited; the sum of
        the 0-1 losses.
    radius_
        The largest sqrt(K(x, x)) of a row seen.
    norms_
        After `fit`: the norm of f in the kernel's space, for each two-class problem.
    compression_set_
        After `fit`: the training rows that f remembers or gets wrong.

    Examples
    --------
    >>> from surelearn.kernels import Polynomial
    >>> corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    >>> model = KernelPerceptron(kernel=Polynomial(degree=2)).fit(corners, [0, 1, 1, 0])
    >>> model.coef_.tolist(), model.predict(corners).tolist()
    ([[-1.0, 1.0, 1.0, -1.0]], [0, 1, 1, 0])
    """

    _record_kind = KernelPerceptronRecord
    margin: float = 0.0  # of the class, so that models stored without it are what they were

    def __init__(
        self,
        *,
        kernel: Kernel = Linear(),  # noqa: B008 - frozen
        margin: float = 0.0,
        max_iter: int = 1000,
    ) -> None:
        self.kernel = kernel
        if not (isinstance(margin, float) and margin == 0.0):
            self.margin = margin
        self.max_iter = max_iter

    def guarantee(self, *, margin: float) -> Guarantee:
        """Bound `n_mistakes_`, if a unit vector of the kernel's space separates by `margin`.

        With more than two classes, if one does in each two-class problem.
        """
        check_is_fitted(self)
        of_one = mistakes.novikoff(radius=self.radius_, margin=margin)
        if self.begun_.margin > 0.0:
            of_one = mistakes_perceptron.perceptron_margin(
                radius=self.radius_,
                threshold=self.begun_.margin,
                norm=1.0 / _arguments.positive("margin", margin),
                hinge_loss=0.0,
            )
        return of_all_problems(of_one, len(self.states_))

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves; a learner that has moved on since proves nothing.

        For each two-class problem: Novikoff's bound with the margin that f achieves in the kernel's
        space (if it separates the training rows), and the bound by the hinge loss of the best
        multiple of f. Then the risk of the model by stable compression.

        Parameters
        ----------
        delta
            The probability with which the statement about the risk may fail.
        """
        only_if = "" if is_ours(self.kernel) else "the kernel reads two examples and nothing else"
        return run_and_risk_certificates(self, delta, only_if=only_if)

    @property
    def norms_(self) -> Vector:
        """After `fit`: the norm of f in the kernel's space, for each two-class problem."""
        return np.array([record.norm for record in self.records_])

    def _statements(
        self, run: Run, state: State, record: KernelPerceptronRecord
    ) -> Iterator[Statement]:
        longest = checked(f"the largest norm is {state.radius[0]:.6g}")
        if self.margin > 0.0:
            return self._margin_statements(run, state, record, longest)
        return perceptron_statements(
            run, state, record, norm=record.norm, radius=longest, found=_FOUND
        )

    def _margin_statements(
        self, run: Run, state: State, record: KernelPerceptronRecord, radius: Evidence
    ) -> Iterator[Statement]:
        """Bound the updates by a multiple of f with no loss, if there is one, and by the best."""
        comparators = [(record.scale, record.hinge_loss)]
        if record.smallest_margin > 0.0:
            comparators.insert(0, (1.0 / record.smallest_margin, 0.0))
        for scale, loss in comparators:
            bound = mistakes_perceptron.perceptron_margin(
                radius=float(state.radius[0]),
                threshold=self.margin,
                norm=scale * record.norm,
                hinge_loss=loss,
            )
            evidence = {
                "start_margin": by_construction("the code does exactly this"),
                "radius": radius,
                "loss_updates": checked(_FOUND.loss),
            }
            yield Statement(bound, record.total_updates, record.n_passes * run.n_rows, evidence)

    def _updates(self, signs: Vector, scores: Vector) -> Mask:
        return signs * scores <= self.margin

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _arguments.non_negative("margin", self.margin)

    def _start_passes(self, X: Any) -> State:
        state, n = self._start(X.shape[1]), X.shape[0]
        state.radius[0] = self._largest(X)
        # Computed once for all passes of all problems; too many are computed block by block.
        kept = (self._values(X),) if n * n <= _KEPT_VALUES else ()
        # f = 0 scores every row 0.
        return state._replace(current=np.zeros(n), support=(*state.support, *kept))

    def _largest(self, X: Any) -> float:
        return math.sqrt(self._squares(X).max())

    def _learn(self, X: Rows, signs: Vector, state: State, scores: Vector) -> None:
        """Visit the rows; f changes only when all problems have seen them (`_keep`)."""
        support, *kept = state.support
        table, current = tables.of(X, support.shape[1]), state.current
        if kept:
            updates = np.empty(len(signs), dtype=np.bool_)
            _learn_rows(kept[0], signs, float(self.margin), current, updates, scores)
            return
        again = len(current) > 0  # a `fit`, which will visit these rows in the next pass
        if not again:
            state.radius[0] = max(state.radius[0], self._largest(table))
            current = self._expansion(table, support, state.coef[np.newaxis])[:, 0]
        self._visit(table, signs, current, scores, again=again)

    def _visit(
        self, X: Any, signs: Vector, current: Vector, scores: Vector, *, again: bool
    ) -> None:
        """Learn from the rows chunk by chunk, keeping `current`, their scores, up to date.

        Of rows that have been visited only if they will be visited again.
        """
        n = len(signs)
        for part in gen_batches(n, _BLOCK):
            if (signs[part] * current[part] > self.margin).all():
                scores[part] = current[part]
                continue
            updates = np.empty(part.stop - part.start, dtype=np.bool_)
            gram, margin = self._values(X[part]), float(self.margin)
            _learn_rows(gram, signs[part], margin, current[part], updates, scores[part])
            new = part.start + np.flatnonzero(updates)
            for others in (slice(0, part.start if again else 0), slice(part.stop, n)):
                added = self._expansion(X[others], X[new], signs[new][np.newaxis])
                current[others] += added[:, 0]

    def _keep(
        self, X: Rows, visits: Sequence[Visits], states: Sequence[State]
    ) -> tuple[State, ...]:
        """Remember the rows of the mistakes, with how often each was added, and its sign."""
        coef = np.array([v.signs * v.n_updates for v in visits])
        return with_support(states, tables.of(X, states[0].support[0].shape[1]), coef)

    def _final_scores(self, X: Any, states: Sequence[State]) -> Matrix:
        del X  # the scores are known from the last pass
        return np.column_stack([state.current for state in states])

    @classmethod
    def _old_state(cls, old: dict[str, Any], problem: int, begun: Any) -> State:
        del begun
        radius, coef = np.array([old["radius_"]]), old["coef_"][problem].copy()
        return State(coef, radius, np.empty(0), (old["support_vectors_"],))

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> KernelPerceptronRecord:
        return KernelPerceptronRecord(**vars(record), norm=float(old["norms_"][problem]))

    def _record(
        self, X: Any, margins: Vector, visits: Visits, state: State
    ) -> KernelPerceptronRecord:
        """Compare with f itself, measured in the space of the kernel: ‖f‖² = Σ c_s·f(x_s)."""
        del X
        norm = float(np.sqrt(np.maximum(0.0, (visits.n_updates * margins).sum())))
        length, n_passes = float(state.radius[0]) * norm, visits.n_passes
        record = MistakeRecord.of(visits.n_updates, margins, n_passes=n_passes, length=length)
        return KernelPerceptronRecord(**vars(record), norm=norm)
