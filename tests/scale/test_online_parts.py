"""Online learners on parts: row after row in the order of the parts, as from one table."""

import numpy as np
import pyarrow as pa
import pytest

from scale.conftest import BITS, NUMBERS, world, written
from surelearn import (
    AdaGrad,
    AveragedPerceptron,
    OnlineGradientDescent,
    OnlineRidge,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
    learn_stream,
    scale,
)
from surelearn.base.fingerprint import fingerprint

ONLINE = {
    "perceptron": (Perceptron, "class", NUMBERS),
    "averaged perceptron": (AveragedPerceptron, "above", NUMBERS),
    "voted perceptron": (VotedPerceptron, "above", NUMBERS),
    "second-order perceptron": (SecondOrderPerceptron, "above", NUMBERS),
    "passive-aggressive": (PassiveAggressive, "class", NUMBERS),
    "Winnow": (Winnow, "above", BITS),
    "online gradient descent": (OnlineGradientDescent, "above", BITS),
    "AdaGrad": (AdaGrad, "above", BITS),
    "online ridge": (OnlineRidge, "y", NUMBERS),
    "passive-aggressive numbers": (PassiveAggressiveRegressor, "y", NUMBERS),
}


@pytest.mark.parametrize("name", ONLINE)
def test_parts_teach_what_one_table_does(name, folder, two_processes):
    make, target, columns = ONLINE[name]
    parts, table = scale.parts(folder, target=target, columns=columns), world()
    found = learn_stream(make(), parts, block_size=100)
    with scale.on(two_processes):  # who finds the labels
        assert fingerprint(learn_stream(make(), parts, block_size=100)) == fingerprint(found)
    X, whole = table.select(columns), make()
    whole.partial_fit(X, np.array(table.column(target).to_pylist()))
    assert np.array_equal(found.predict(X), whole.predict(X))
    assert found.n_rounds_ == whole.n_rounds_ == 3000
    assert found.cumulative_loss_ == pytest.approx(whole.cumulative_loss_, rel=1e-12)
    for mine, theirs in zip(said(found), said(whole), strict=True):
        assert (mine.method, mine.status, mine.n) == (theirs.method, theirs.status, theirs.n)
        assert mine.bound == pytest.approx(theirs.bound, rel=1e-12)
    turned = learn_stream(make(), scale.Parts(parts[::-1]))
    assert fingerprint(turned) != fingerprint(found)  # the control: their order matters


def said(learner):
    return learner.certificates() if hasattr(learner, "certificates") else ()


def test_labels_that_the_first_part_lacks_are_known(tmp_path):
    X, y = np.arange(40.0)[:, np.newaxis], np.repeat(["a", "b", "c"], [20, 16, 4])
    parts = written(tmp_path, X, y)
    learner = learn_stream(Perceptron(), parts)
    assert learner.classes_.tolist() == ["a", "b", "c"]
    learn_stream(learner, parts[:1])  # goes on
    assert learner.n_rounds_ == 56
    with pytest.raises(ValueError, match="32 rows were learnt and stay"):
        learn_stream(Perceptron(), parts, classes=["a", "b"])


def test_what_a_stream_of_parts_refuses(tmp_path):
    X, y = np.arange(40.0)[:, np.newaxis], np.repeat([0, 1], 20)
    parts = written(tmp_path, X, y, np.ones(40))
    with pytest.raises(ValueError, match="without weight="):
        learn_stream(Perceptron(), parts)
    with pytest.raises(ValueError, match="parts know their columns"):
        learn_stream(Perceptron(), parts, target="y")
    with pytest.raises(ValueError, match="target="):
        learn_stream(Perceptron(), written(tmp_path, X))
    with pytest.raises(TypeError, match=r"learn_stream\(learner, parts\)"):
        Perceptron().fit(written(tmp_path, X, y), y)


def test_a_part_that_changed_is_named_and_what_was_learnt_stays(tmp_path):
    X, y = np.arange(48.0)[:, np.newaxis], np.tile([0, 1], 24)
    learner, parts = Perceptron(), written(tmp_path, X, y)
    whole = pa.table({"x0": X[:, 0]})

    def change(n_learnt):
        if n_learnt == 32:
            written(tmp_path, X + 1.0, y)

    with pytest.raises(ValueError, match=r"32 rows were learnt and stay.*row group . of .*changed"):
        learn_stream(learner, parts, on_block=change)
    assert fingerprint(learner) == fingerprint(Perceptron().partial_fit(whole[:32], y[:32]))
