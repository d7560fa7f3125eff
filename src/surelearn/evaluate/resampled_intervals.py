"""Intervals from resampling a table again and again: all of them approximate.

Random splits share rows, and so do folds; each method guesses in its own way what that does to the
variance. See `surelearn.evaluate.intervals` for what they are about, and why they are no
certificates.
"""

from functools import partial
from typing import Any

import numpy as np
from scipy import special

from surelearn import _arguments
from surelearn._typing import ArrayLike, Indices, Vector
from surelearn.evaluate._splits import Split
from surelearn.evaluate._task import LossName, PointwiseLoss, Task, in_parallel, make_task
from surelearn.evaluate.intervals import Interval, around, miss_rate, normal_quantile


def corrected_t_interval(  # noqa: PLR0913 - a resampling has as many settings
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_splits: int = 15,
    train_fraction: float = 0.9,
    loss: LossName | PointwiseLoss | None = None,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Interval:
    """Return the t interval of random splits, widened because they share rows.

    Nadeau and Bengio (2003): the variance of the splits' means is taken times 1/J + n₂/n₁.

    Parameters
    ----------
    model, X, y, loss, random_state, n_jobs
        As for `cross_validate`.
    n_splits, train_fraction
        The number J of random splits, and the fraction of rows each learns from.
    level
        The share of cases in which it should cover.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> interval = corrected_t_interval(DummyClassifier(), np.zeros((50, 1)), [0] * 40 + [1] * 10)
    >>> bool(interval.low < 0.2 < interval.high), interval.validity
    (True, 'approximate')
    """
    task, alpha = make_task(model, X, y, loss=loss), miss_rate(level)
    j = _arguments.count("n_splits", n_splits, at_least=2)
    n_train = _train_size(task.n, train_fraction)
    rng = _arguments.generator("random_state", random_state)
    pairs = [_random_split(np.arange(task.n), n_train, rng) for _ in range(j)]
    means = _split_means(task, pairs, n_jobs=n_jobs)
    widened = means.std(ddof=1) * np.sqrt(1.0 / j + (task.n - n_train) / n_train)
    reach = float(special.stdtrit(j - 1, 1.0 - alpha / 2.0) * widened)
    return around(float(means.mean()), reach, level, f"corrected t over {j} random splits")


def conservative_z_interval(  # noqa: PLR0913 - a resampling has as many settings
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_splits: int = 15,
    n_halvings: int = 10,
    train_fraction: float = 0.9,
    loss: LossName | PointwiseLoss | None = None,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Interval:
    """Return the normal interval of random splits with a variance from halves that share no row.

    Nadeau and Bengio (2003): the two halves of a table give independent estimates, each less
    precise than that of the whole, so their variance is too large rather than too small.

    Parameters
    ----------
    model, X, y, loss, random_state, n_jobs
        As for `cross_validate`.
    n_splits, train_fraction
        The number of random splits, and the fraction of rows each learns from.
    n_halvings
        How often the table is cut into halves.
    level
        The share of cases in which it should cover.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> rows, labels = np.zeros((60, 1)), [0] * 50 + [1] * 10
    >>> interval = conservative_z_interval(DummyClassifier(), rows, labels, n_halvings=4)
    >>> bool(interval.low < 1 / 6 < interval.high)
    True
    """
    task, alpha = make_task(model, X, y, loss=loss), miss_rate(level)
    j = _arguments.count("n_splits", n_splits, at_least=1)
    halvings = _arguments.count("n_halvings", n_halvings, at_least=1)
    n_train = _train_size(task.n, train_fraction)
    n_half, n_test = task.n // 2, task.n - n_train
    if n_half - n_test < 1:
        raise ValueError(
            f"half of {task.n} rows leaves none to learn from beside {n_test} test rows; raise "
            "train_fraction, or give more rows"
        )
    rng = _arguments.generator("random_state", random_state)
    pairs = [_random_split(np.arange(task.n), n_train, rng) for _ in range(j)]
    for _ in range(halvings):
        shuffled = rng.permutation(task.n)
        for half in (shuffled[:n_half], shuffled[n_half : 2 * n_half]):
            pairs += [_random_split(half, n_half - n_test, rng) for _ in range(j)]
    means = _split_means(task, pairs, n_jobs=n_jobs)
    halves = means[j:].reshape(halvings, 2, j).mean(axis=2)
    spread = float(np.square(halves[:, 0] - halves[:, 1]).sum()) / (2.0 * halvings)
    reach = normal_quantile(alpha) * float(np.sqrt(spread))
    method = f"conservative z over {j} random splits and {halvings} halvings"
    return around(float(means[:j].mean()), reach, level, method)


def nested_cv_interval(  # noqa: PLR0913 - a resampling has as many settings
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: int = 5,
    n_repeats: int = 50,
    loss: LossName | PointwiseLoss | None = None,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Interval:
    """Return the interval that estimates the error of cross-validation by one inside another.

    Bates, Hastie and Tibshirani (2023). It costs n_repeats · K (K + 1) / 2 fits. Nothing is tuned
    inside: to choose among models see `nested_cross_validate`.

    Parameters
    ----------
    model, X, y, loss, random_state, n_jobs
        As for `cross_validate`.
    cv
        The number K of folds, 3 or more.
    n_repeats
        How often new folds are drawn.
    level
        The share of cases in which it should cover.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> rows, labels = np.zeros((60, 1)), [0] * 50 + [1] * 10
    >>> interval = nested_cv_interval(DummyClassifier(), rows, labels, n_repeats=3)
    >>> bool(interval.low < 1 / 6 < interval.high)
    True
    """
    task, alpha = make_task(model, X, y, loss=loss), miss_rate(level)
    k = _arguments.count("cv", cv, at_least=3, at_most=task.n // 2)
    repeats = _arguments.count("n_repeats", n_repeats, at_least=1)
    rng = _arguments.generator("random_state", random_state)
    folds = [np.array_split(rng.permutation(task.n), k) for _ in range(repeats)]
    done = in_parallel(partial(_repeat, task), ((parts,) for parts in folds), n_jobs=n_jobs)
    rows = [row for repeat in done for row in repeat]
    inner = np.concatenate([inside for inside, _ in rows])
    outer = np.concatenate([outside for _, outside in rows])
    error = float(np.mean([_squared_error(*row) for row in rows]))
    shift = (1.0 + (k - 2) / k) * (inner.mean() - outer.mean())
    naive = float(inner.std(ddof=1)) / np.sqrt(task.n)
    wide = np.sqrt(max(0.0, (k - 1) / k * error))
    reach = normal_quantile(alpha) * float(min(max(wide, naive), np.sqrt(k) * naive))
    method = f"nested cross-validation ({repeats} times {k} folds)"
    return around(float(inner.mean() - shift), reach, level, method)


def _repeat(task: Task, parts: list[Indices]) -> list[tuple[Vector, Vector]]:
    """Return for each fold the losses of a cross-validation without it, and those on it."""
    k = len(parts)
    inside: list[list[Vector]] = [[] for _ in parts]
    outside: list[Vector] = []
    for i in range(k):
        for j in range(i):
            fitted = task.fit(_without(parts, i, j), "without two folds")
            inside[i].append(task.losses(fitted, parts[j]))
            inside[j].append(task.losses(fitted, parts[i]))
        fitted = task.fit(_without(parts, i), "without a fold")
        outside.append(task.losses(fitted, parts[i]))
    return [(np.concatenate(inside[i]), outside[i]) for i in range(k)]


def _squared_error(inside: Vector, outside: Vector) -> float:
    """Return an estimate of the squared error of a cross-validation, from a fold it left out."""
    gap = float(inside.mean() - outside.mean())
    return gap**2 - float(outside.var(ddof=1)) / len(outside)


def _without(parts: list[Indices], *left_out: int) -> Indices:
    return np.concatenate([part for i, part in enumerate(parts) if i not in left_out])


def _split_means(task: Task, pairs: list[Split], *, n_jobs: int | None) -> Vector:
    def mean(train: Indices, test: Indices) -> float:
        fitted = task.fit(train, f"to {len(train)} rows of a random split")
        return float(task.losses(fitted, test).mean())

    return np.array(in_parallel(mean, pairs, n_jobs=n_jobs))


def _random_split(rows: Indices, n_train: int, rng: np.random.Generator) -> Split:
    shuffled = rng.permutation(rows)
    return Split(shuffled[:n_train], shuffled[n_train:])


def _train_size(n: int, fraction: float) -> int:
    n_train = round(_arguments.open_fraction("train_fraction", fraction) * n)
    if not 1 <= n_train < n:
        raise ValueError(
            f"train_fraction={fraction} of {n} rows leaves nothing to learn or to test"
        )
    return n_train
