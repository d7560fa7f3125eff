"""The contracts of learners; anyone's learner may be held to them.

`check_online_learner(MyLearner())` and, for one that sees all rows at once,
`check_batch_learner(MyLearner())` raise an AssertionError that says which promise is broken.
scikit-learn's own checks (`sklearn.utils.estimator_checks`) are the other half of the contract.
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from surelearn._typing import Matrix


def check_online_learner(learner: Any) -> None:
    """Hold a learner to every promise of this file.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> check_online_learner(Perceptron())
    """
    for check in ONLINE_CHECKS:
        check(_copy(learner))


def check_blocks_do_not_matter(learner: Any) -> None:
    """Require that learning in blocks, or row by row, equals learning in one call."""
    X, y = small_table(learner)
    other, single = _copy(learner), _copy(learner)
    whole = learner.learn(X, y)
    parts = [_first(other, X[:5], y[:5], y), other.learn(X[5:], y[5:])]
    _first(single, X[:1], y[:1], y)
    for x, target in zip(X[1:], y[1:], strict=True):
        single.learn_one(x, target)
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    for twin in (other, single):
        np.testing.assert_array_equal(learner.coef_, twin.coef_)
        np.testing.assert_equal(twin.n_rounds_, len(X))
        np.testing.assert_allclose(twin.cumulative_loss_, learner.cumulative_loss_, rtol=1e-12)


def check_pickle_mid_stream(learner: Any) -> None:
    """Require that a learner stored and loaded in mid-stream goes on as before."""
    X, y = small_table(learner)
    learner.learn(X[:20], y[:20])
    loaded = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(learner.learn(X[20:], y[20:]), loaded.learn(X[20:], y[20:]))
    np.testing.assert_array_equal(learner.coef_, loaded.coef_)


def check_inputs_untouched(learner: Any) -> None:
    """Require that the caller's arrays are not changed and may be read-only."""
    X, y = small_table(learner)
    X_before, y_before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    learner.learn(X, y)
    learner.predict(X)
    _copy(learner).fit(X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


def check_sparse_equals_dense(learner: Any) -> None:
    """Require that a sparse matrix gives the dense scores, to rounding."""
    X, y = small_table(learner)
    twin = _copy(learner)
    rows = sparse.csr_array(X)
    np.testing.assert_allclose(learner.learn(X, y), twin.learn(rows, y), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(learner.coef_, twin.coef_, rtol=1e-9, atol=1e-12)
    read = "predict" if is_regressor(learner) else "decision_function"
    dense, thin = getattr(learner, read)(X), getattr(twin, read)(rows)
    np.testing.assert_allclose(dense, thin, rtol=1e-9, atol=1e-12)


def check_single_precision(learner: Any) -> None:
    """Require that single precision gives exactly the same scores on integer data."""
    X, y = small_table(learner)
    twin = _copy(learner)
    np.testing.assert_array_equal(learner.learn(X, y), twin.learn(X.astype(np.float32), y))


def check_more_than_two_classes(learner: Any) -> None:
    """Require a score per class when there are three, and that blocks do not matter."""
    if is_regressor(learner):
        return
    X, _ = small_table(learner)
    y = np.array(["red", "green", "blue"])[np.argmax(X[:, :3], axis=1)]
    twin = _copy(learner)
    whole = learner.learn(X, y)
    np.testing.assert_equal(whole.shape, (len(X), 3))
    twin.learn(X[:9], y[:9], classes=["red", "green", "blue"])
    twin.learn(X[9:], y[9:])
    np.testing.assert_array_equal(learner.coef_, twin.coef_)
    np.testing.assert_allclose(twin.cumulative_loss_, learner.cumulative_loss_, rtol=1e-12)


def check_bad_input_changes_nothing(learner: Any) -> None:
    """Require that a refused input leaves the learner exactly as it was."""
    X, y = small_table(learner)
    learner.fit(X, y)
    before = pickle.dumps(learner)
    broken = X.copy()
    broken[3, 1] = np.nan
    bad: list[Callable[[], Any]] = [
        lambda: learner.learn(broken, y),
        lambda: learner.fit(broken, y),
        lambda: learner.fit(X[:, :2], np.full(len(X), np.nan)),
        lambda: learner.learn(X, np.full(len(X), "unheard-of")),
        lambda: learner.learn_one(X[0, :2], y[0]),
        lambda: learner.learn_one(broken[3], y[0]),
    ]
    for call in bad:
        try:
            call()
        except ValueError:
            np.testing.assert_equal(pickle.dumps(learner), before, "a bad input left its mark")
        else:
            raise AssertionError("a bad input was accepted")


ONLINE_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_bad_input_changes_nothing,
    check_blocks_do_not_matter,
    check_inputs_untouched,
    check_more_than_two_classes,
    check_pickle_mid_stream,
    check_single_precision,
    check_sparse_equals_dense,
)


def check_batch_learner(learner: Any) -> None:
    """Hold a learner that sees all rows at once to every promise it can keep.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> check_batch_learner(Halfspace())
    """
    for check in BATCH_CHECKS:
        check(_copy(learner))


def check_fit_leaves_inputs_untouched(learner: Any) -> None:
    """Require that the caller's arrays are not changed and may be read-only."""
    X, y = small_table(learner)
    X_before, y_before = X.copy(), y.copy()
    X.flags.writeable = y.flags.writeable = False
    answer(learner.fit(X, y), X)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


def check_fit_takes_single_precision(learner: Any) -> None:
    """Require that integers in single precision give the same model, to rounding."""
    X, y = small_table(learner)
    single = X.astype(np.float32)
    twin = _copy(learner).fit(single, y)
    expected = answer(learner.fit(X, y), X)
    _close(answer(twin, single), expected, rtol=1e-4, atol=1e-6)


def check_fit_takes_sparse_rows_or_says_so(learner: Any) -> None:
    """Require the dense model from a sparse matrix, or a refusal that speaks of sparse rows."""
    X, y = small_table(learner)
    rows = sparse.csr_array(X)
    if getattr(learner, "_sparse_zeros", "zeros") == "unknown":
        return  # sparse and dense rows say different things
    if get_tags(learner).input_tags.sparse:
        twin = _copy(learner).fit(rows, y)
        _close(answer(twin, rows), answer(learner.fit(X, y), X), rtol=1e-6, atol=1e-8)
        return
    try:
        learner.fit(rows, y)
    except (TypeError, ValueError) as error:
        if "sparse" not in str(error).lower():
            raise AssertionError(f"the refusal does not speak of sparse rows: {error}") from error
    else:
        raise AssertionError("sparse rows were accepted against the learner's own tags")


def check_fit_is_deterministic(learner: Any) -> None:
    """Require that two fits with the same seed give the same model."""
    X, y = small_table(learner)
    twin = _copy(learner)
    for model in (learner, twin):
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
    np.testing.assert_array_equal(answer(learner.fit(X, y), X), answer(twin.fit(X, y), X))


def check_a_stored_model_is_the_same(learner: Any) -> None:
    """Require that a model stored and loaded answers as before."""
    X, y = small_table(learner)
    learner.fit(X, y)
    loaded = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(answer(learner, X), answer(loaded, X))


def check_a_bad_fit_changes_nothing(learner: Any) -> None:
    """Require that a refused input leaves the fitted model exactly as it was."""
    X, y = small_table(learner)
    learner.fit(X, y)
    before = pickle.dumps(learner)
    endless = X.copy()
    endless[3, 1] = np.inf
    bad: list[Callable[[], Any]] = [
        lambda: learner.fit(endless, y),
        lambda: learner.fit(X[0], y),
        lambda: learner.fit(X[:0], y[:0]),
    ]
    if is_classifier(learner) or is_regressor(learner):
        bad.extend(
            [lambda: learner.fit(X, y[:-1]), lambda: learner.fit(X, np.full(len(X), np.nan))]
        )
    if hasattr(learner, "partial_fit"):
        bad.append(lambda: learner.partial_fit(X[:, :2], y))
    for call in bad:
        try:
            call()
        except (TypeError, ValueError):
            np.testing.assert_equal(pickle.dumps(learner), before, "a bad input left its mark")
        else:
            raise AssertionError("a bad input was accepted")


def check_blocks_add_up(learner: Any) -> None:
    """Require that a learner that summarises finds one model, whole or in blocks."""
    if not hasattr(learner, "_summarise"):
        return
    X, y = small_table(learner)
    parts = _copy(learner)
    for start, stop in ((0, 30), (30, 31), (31, len(X))):
        parts.partial_fit(X[start:stop], y[start:stop])
    _close(answer(parts, X), answer(learner.fit(X, y), X), rtol=1e-10, atol=1e-10)


BATCH_CHECKS: tuple[Callable[[Any], None], ...] = (
    check_a_bad_fit_changes_nothing,
    check_a_stored_model_is_the_same,
    check_blocks_add_up,
    check_fit_is_deterministic,
    check_fit_leaves_inputs_untouched,
    check_fit_takes_single_precision,
    check_fit_takes_sparse_rows_or_says_so,
)


def answer(model: Any, X: Any) -> Any:
    """Return what a fitted model says of some rows: probabilities, predictions or new features.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> answer(Halfspace().fit([[0.0], [1.0]], [0, 1]), [[2.0]]) > 0.0
    array([ True])
    """
    for method in ("predict_proba", "decision_function", "predict", "transform", "score_samples"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(X))
    raise AssertionError(f"{type(model).__name__} says nothing of new rows")


def _close(found: Any, expected: Any, *, rtol: float, atol: float) -> None:
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)
    else:
        np.testing.assert_array_equal(found, expected)


def _copy(learner: Any) -> Any:
    return clone(learner)


def _first(learner: Any, X: Matrix, y: Any, all_targets: Any) -> Any:
    """Learn the first block; a classifier is told all its classes."""
    if is_regressor(learner):
        return learner.learn(X, y)
    return learner.learn(X, y, classes=np.unique(all_targets))


def small_table(learner: Any) -> tuple[Matrix, Any]:
    """Return integer-valued rows, bits if the learner reads only those, and targets it can learn.

    Sums of integers are exact, so equal learners give equal scores to the last bit.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> X, y = small_table(Halfspace())
    >>> X.shape, sorted(set(y.tolist()))
    ((60, 5), ['no', 'yes'])
    """
    rng = np.random.default_rng(7)
    X = rng.integers(-3, 4, size=(60, 5)).astype(np.float64)
    if getattr(learner, "_features", "numbers") == "bits":
        X = (X > 0.0).astype(np.float64)
    if get_tags(learner).input_tags.positive_only:
        X -= X.min()
    noisy = X @ np.array([2.0, -1.0, 1.0, 0.0, 3.0]) + rng.integers(-3, 4, size=60)
    return X, noisy / 16.0 if is_regressor(learner) else np.where(noisy > 0, "yes", "no")
