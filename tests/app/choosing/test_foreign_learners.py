"""Learners of other libraries that raise, leave the process, or answer what is no answer."""

import sys
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from surelearn.app.certify import certify_table
from surelearn.app.choosing.foreign_learners import WithWholeNumbers
from surelearn.app.errors import TableError
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.report import make_report

RNG = np.random.default_rng(0)
X = RNG.normal(size=(240, 2)).round(3)
FILE = TableFile.of_table(
    pa.table({"a": X[:, 0], "b": X[:, 1], "y": X[:, 0] > 0.0, "size": X[:, 0] ** 3})
)


class Plain(ClassifierMixin, BaseEstimator):
    """Answers the first class, until a test says otherwise."""

    def fit(self, _, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


class LeavesInInit(Plain):
    def __init__(self):
        sys.exit(0)


class RaisesInInit(Plain):
    def __init__(self):
        raise RuntimeError("two\nlines")


class LeavesInFit(Plain):
    def fit(self, *_):
        sys.exit(0)


class RaisesInFit(Plain):
    def fit(self, *_):
        raise KeyError("x")


class NeverEnds(Plain):
    def fit(self, X, y):
        return self.fit(X, y)


class FitsNothing(Plain):
    def fit(self, *_):
        return None


class LeavesInPredict(Plain):
    def predict(self, *_):
        sys.exit(0)


class RaisesAsRegressor(RegressorMixin, BaseEstimator):
    def fit(self, *_):
        raise LookupError("there")

    def predict(self, X):
        return np.zeros(len(X))


@pytest.fixture
def module(monkeypatch):
    found = ModuleType("odd_learners")
    for kind in [*Plain.__subclasses__(), RaisesAsRegressor]:
        setattr(found, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, "odd_learners", found)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize("kind", [*Plain.__subclasses__(), RaisesAsRegressor])
def test_whatever_a_foreign_learner_raises_is_told_in_a_sentence(kind):
    target, other = ("size", "y") if kind is RaisesAsRegressor else ("y", "size")
    with pytest.raises(TableError, match=f"odd_learners:{kind.__name__} cannot be") as told:
        certify_table(FILE, target=target, drop=[other], learners=[f"odd_learners:{kind.__name__}"])
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "code", ["1 / 0", "import sys; sys.exit(0)", "def (", "raise MemoryError", "import nowhere"]
)
def test_whatever_importing_a_module_raises_is_told_in_a_sentence(tmp_path, monkeypatch, code):
    (tmp_path / "odd_import.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "odd_import", raising=False)
    with pytest.raises(TableError, match="odd_import:Any cannot be"):
        certify_table(FILE, target="y", drop=["size"], learners=["odd_import:Any"])


@pytest.mark.parametrize("name", ["..:x", "sklearn.svm:SVC(C=1, C=2)", "sklearn.svm:SVC(**1)"])
def test_names_that_name_nothing_are_refused(name):
    with pytest.raises(TableError, match=r"cannot be loaded|is not of the form"):
        certify_table(FILE, target="y", drop=["size"], learners=[name])


@pytest.mark.parametrize("said", [-1, 2, 0.7, np.nan, np.inf, "yes", None])
def test_an_answer_that_is_no_class_is_refused(monkeypatch, said):
    model = WithWholeNumbers(Plain()).fit(X, X[:, 0] > 0.0)
    assert model.predict(X).tolist() == [False] * 240
    monkeypatch.setattr(Plain, "predict", lambda _, X: [said] * len(X))
    with pytest.raises(ValueError, match=r"Plain answers .* from 0 to 1"):
        model.predict(X)


def test_a_tree_of_another_library_is_reported_without_its_drawing():
    learner = "sklearn.tree:DecisionTreeRegressor(max_depth=2, random_state=0)"
    asked = {"target": "size", "drop": ["y"], "task": "regression", "holdout": 0.4}
    report = make_report(certify_table(FILE, learners=[learner], **asked), FILE)
    assert not any("tree" in view.title.lower() for view in report.views)


def test_a_learner_that_could_not_be_trained_was_tried_all_the_same():
    learners = ["MixedNaiveBayes", "sklearn.naive_bayes:MultinomialNB"]  # of counts only
    choice = certify_table(FILE, target="y", drop=["size"], learners=learners).choice
    told = "MixedNaiveBayes was the only one of 2 ways to learn that could be trained. "
    assert choice.sentence.startswith(told)
