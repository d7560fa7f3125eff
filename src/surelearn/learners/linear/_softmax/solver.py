"""The optimum of a linear softmax model: found on few rows first, then on all.

Limited-memory BFGS in the metric of the Hessian, one block per score; with one score and all rows
the first step is Newton's. Both the start and the metric come from a sample of the rows when there
are many for each parameter.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np

from surelearn._jit import rows
from surelearn._threads import one_thread_products
from surelearn._typing import Vector
from surelearn.learners.linear._softmax.metric import (
    block_metric,
    diagonal_metric,
    is_narrow,
    refuse_overflow,
)
from surelearn.learners.linear._softmax.objective import CHUNK, SoftmaxObjective
from surelearn.optimizers import Function, Trace, limited_memory_bfgs

_THIN = 16  # rows for one of the sample that is solved first
_ROWS_TO_START = 40  # for each parameter of a score
DENSE_METRIC = 1500  # features up to which the metric is a matrix for each score
REFRESH, _PER_STEP = 10, 32  # steps after which the metric is computed anew; features for one more
_SMALL_PRODUCT = 4_000_000  # multiplications of a chunk of rows that take about a millisecond
ROUNDING = 64.0 * float(np.finfo(np.float64).eps)


def minimise(
    objective: SoftmaxObjective, start: Vector, *, tolerance: float, max_iter: int
) -> Trace:
    """Minimise the objective until its gradient has at most the norm `tolerance`.

    A tolerance finer than what sums over these rows can show is raised to that.
    """
    n, width = len(objective.codes), objective.X.shape[1] + 1
    norm = _typical_norm(objective)
    refuse_overflow(np.array(norm))
    tolerance = max(tolerance, ROUNDING * norm)
    many = n >= _THIN * _ROWS_TO_START * width and width <= DENSE_METRIC
    if many and not start.any():
        sample = objective.thinned(_THIN)
        noise = 0.05 * norm / np.sqrt(len(sample.codes))
        near = minimise(sample, start, tolerance=max(tolerance, noise), max_iter=max_iter).point
        start = near if objective(near)[0] < np.log(max(2, objective.n_scores)) else start
    return _descend(objective, start, tolerance, max_iter)


def _descend(objective: SoftmaxObjective, start: Vector, tolerance: float, max_iter: int) -> Trace:
    """Run quasi-Newton steps in a metric that is renewed every few steps."""
    d = objective.X.shape[1]
    dense, patience = d < DENSE_METRIC, REFRESH + min(REFRESH, d // _PER_STEP)
    metric = partial(block_metric if dense else diagonal_metric, objective)
    spans = repeat(patience if dense else max_iter)
    with products_alone(objective):
        refuse_overflow(objective(start)[1])  # what is not finite shows in the gradient
        return descend(objective, start, metric, spans, tolerance=tolerance, max_iter=max_iter)


def descend(
    objective: Function,
    start: Vector,
    metric: Callable[[Vector], Callable[[Vector], Vector]],
    spans: Iterable[int],
    *,
    tolerance: float,
    max_iter: int,
) -> Trace:
    """Run quasi-Newton steps; after each span of so many, in the metric of where they led."""
    traces: list[Trace] = []
    left = max_iter
    for span in spans:
        left = max_iter - sum(trace.n_steps for trace in traces)
        trace = limited_memory_bfgs(
            objective,
            start,
            precondition=metric(start),
            tolerance=tolerance,
            max_iter=min(left, span),
        )
        traces.append(trace)
        start = trace.point
        if trace.n_steps == left or trace.converged or trace.n_steps < span:
            break
    last = traces[-1]
    exhausted = last.n_steps == left and not last.converged
    norm = f"the gradient has norm {last.gradient_norms[-1]:.3g}"
    return replace(
        last,
        steps=np.concatenate([trace.steps for trace in traces]),
        reason=f"max_iter={max_iter} steps were taken and {norm}" if exhausted else last.reason,
    )


def products_alone(objective: SoftmaxObjective) -> AbstractContextManager[Any]:
    """Keep the threads of matrix products asleep where threads of our own do the work.

    Woken, they spin for a while after each product, however small, and are in the way. They are not
    woken for small products of many classes either: those take less time than waking them.
    """
    few = min(len(objective.codes), CHUNK) * objective.n_parameters <= _SMALL_PRODUCT
    return one_thread_products() if few or is_narrow(objective) else nullcontext()


def _typical_norm(objective: SoftmaxObjective) -> float:
    """Return the root mean square of some rows' norms, the constant 1 counted."""
    few: Any = rows.of(objective.X[:: max(1, len(objective.codes) // 1000)])
    values = few.data if isinstance(few, rows.SparseRows) else few
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(1.0 + (values**2).sum() / rows.count(few)))
