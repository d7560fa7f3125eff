"""Whatever stands in one place of a public call: an answer, or a sentence on what is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from contracts import junk_calls
from contracts.junk_calls import Call, is_a_sentence, tried
from surelearn import AveragedPerceptron
from surelearn.app.registry import find_learners


@pytest.mark.parametrize(
    ("step", "thin", "ways"), [(41, 9, 10_000), pytest.param(1, 1, 80_000, marks=pytest.mark.slow)]
)
def test_junk_in_any_one_place_of_a_call_ends_in_a_sentence(step, thin, ways):
    root = Path(junk_calls.__file__).parents[1]
    done = subprocess.run(  # noqa: S603 - our own script, in a process with little memory
        [sys.executable, "-m", "contracts.junk_calls", str(step), str(thin)],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    tried_last = "\n".join(done.stderr.splitlines()[-5:])
    assert done.returncode == 0, f"{done.stdout}\nlast tried: {tried_last}"
    assert int(tried_last.split()[-4]) > ways


def test_what_python_or_numpy_says_is_no_sentence():
    def take(x):
        return x[0] + 1

    found = tried(Call("take", take, {"x": [1]}), "x", "None")
    assert "not subscriptable" in found
    assert tried(Call("take", take, {"x": [1]}), "x", "a function") is not None
    model = AveragedPerceptron().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ValueError, match="features") as caught:
        model.learn_one([1.0, 2.0], 0)
    assert is_a_sentence(caught.value)


LABELS = [[], None, [[0]], [[1], [2, 3]], {}, {"a": [1]}, "x", b"x", 10**400, object()]
ONLINE = [n for n, c in find_learners().items() if hasattr(c, "learn_one")]


@pytest.mark.parametrize("name", ONLINE)
def test_a_label_that_is_none_is_refused_and_nothing_is_learnt(name):
    model = find_learners()[name]().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    before = repr(model.learnt_)
    for junk in LABELS:
        with pytest.raises(ValueError, match=r"label|target"):
            model.learn_one([1.0, 0.0], junk)
    for row in (None, [], [[]], {"a": [1]}, "ab", b"ab", [[1.0, 2.0], [3.0]], dict, [10**400, 1]):
        with pytest.raises(ValueError, match=r"row|mapping|feature"):
            model.learn_one(row, 0)
        with pytest.raises(ValueError, match=r"row|mapping|feature"):
            model.predict_one(row)
    assert repr(model.learnt_) == before
