"""The promises of learners that see all their rows at once."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from surelearn import checks
from surelearn.app.registry import find_learners

BATCH = {name: cls for name, cls in find_learners().items() if not hasattr(cls, "learn")}
every_batch_learner = pytest.mark.parametrize("name", BATCH)


def applies(name, check):
    """Whether a check says anything of a learner: not all add up, nor read zeros as such."""
    if check is checks.check_blocks_add_up:
        return hasattr(BATCH[name], "_summarise")
    if check is checks.check_fit_takes_sparse_rows_or_says_so:
        return getattr(BATCH[name], "_sparse_zeros", "zeros") != "unknown"
    return True


PROMISES = [
    pytest.param(name, check, id=f"{name}-{check.__name__}")
    for name in BATCH
    for check in checks.BATCH_CHECKS
    if applies(name, check)
]


def test_every_check_is_kept_by_some_learner():
    assert {param.values[1] for param in PROMISES} == set(checks.BATCH_CHECKS)


@pytest.mark.parametrize(("name", "check"), PROMISES)
def test_it_keeps_its_promise(name, check):
    check(BATCH[name]())


class Careless(ClassifierMixin, BaseEstimator):
    """A learner that breaks promises: it forgets its model first and checks its rows later."""

    def fit(self, X, y):
        self.classes_ = None
        if not np.isfinite(X).all():
            raise ValueError("infinite")
        X.flags.writeable = True
        X *= 2.0
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.mark.parametrize(
    "check", [checks.check_a_bad_fit_changes_nothing, checks.check_fit_leaves_inputs_untouched]
)
def test_a_careless_learner_is_caught(check):
    with pytest.raises((AssertionError, ValueError)):
        check(Careless())


def frames(X):
    pd, pl, pa = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    columns = {f"f{j}": X[:, j] for j in range(X.shape[1])}
    return [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)]


@every_batch_learner
def test_data_frames_keep_their_names_and_give_the_same_model(name):
    X, y = checks.small_table(BATCH[name]())
    plain = checks.answer(BATCH[name]().fit(X, y), X)
    for frame in frames(X):
        model = BATCH[name]().fit(frame, y)
        assert model.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3", "f4"]
        found = checks.answer(model, frame)
        if plain.dtype.kind == "f":
            np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(found, plain)
