"""Every result draws itself, is one line in a terminal and a card in a notebook."""

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from sklearn.dummy import DummyClassifier

import surelearn
from surelearn import Holdout, app, claims, evaluate, optimizers
from surelearn._shown import Shown
from surelearn.app.audit_frame import audit
from surelearn.app.certify_frame import certify
from surelearn.evaluate import curves
from surelearn.evaluate.audit import audit_predictions
from surelearn.evaluate.intervals import holdout_interval
from surelearn.evaluate.selection import select_by_cross_validation

HOSTILE = "<script>x</script>$\\frac{\x1b[2J\u202e</td>"
LONGEST = 1500

NO_PICTURE = {
    "ConvexityCheck": "a yes or a no",
    "EstimatorMoments": "two numbers",
    "MinimumDisagreement": "a number of errors; the rows are not kept",
}
NO_RESULT = {  # public classes of these folders that are settings, parts or protocols
    *("Adversary", "RegressionWorld", "World", "Curve", "Fold", "FittedRule", "Gathered"),
    *("Ledger", "LossRange", "Pair", "Quantile", "Question", "RuleClass", "Standing", "Account"),
    *("ConvexityWitness", "KKTResiduals", "Lagrangian", "Recorder"),
}


def public_classes(package):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if "._" in module.name:
            continue
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        yield from (c for n, c in members if c.__module__ == module.name and n[0] != "_")


def results():
    """Return the classes that functions of the library give to their users."""
    named = {getattr(surelearn, name) for name in surelearn.__all__}
    own = {c for c in named if inspect.isclass(c) and c.__module__.startswith(app.__name__)}
    found = own | {*public_classes(evaluate), *public_classes(optimizers), surelearn.Certificate}
    found = {c for c in found if c.__name__ not in NO_RESULT and not issubclass(c, Exception)}
    return sorted(found, key=lambda c: c.__name__)


def test_every_result_can_be_shown():
    missing = [c.__name__ for c in results() if not issubclass(c, Shown)]
    assert missing == []
    assert len(results()) > 40


def held_out_answers(label="a"):
    X, y = np.ones((60, 1)), np.where(np.arange(60) % 3 == 0, label, "b")
    held_out = Holdout(X, y, by_class=True)
    held_out.answer(DummyClassifier().fit(X, y))
    return held_out


def binary_rows():
    score = np.linspace(0.01, 0.99, 80)
    return claims.record(score > 0.4, score > 0.5, score=score, probability=score)


def frame(label="dog"):
    weights = [(17 * i) % 101 / 10 for i in range(200)]
    kinds = [label if weight > 5.0 else "cat" for weight in weights]
    return pa.table({"weight": weights, "kind": kinds})


def one_of(cls, monkeypatch):
    """Return an instance: one that the example of its class makes, or one made here."""
    made = {
        "Audit": lambda: audit_predictions(binary_rows()),
        "CurveBand": lambda: curves.roc_band(binary_rows()),
        "Holdout": held_out_answers,
        "Trace": lambda: surelearn.gradient_descent(
            lambda w: (float(w @ w), 2.0 * w), [1.0], learning_rate=0.2
        ),
    }
    if cls.__name__ in made:
        return made[cls.__name__]()
    made_ones = []
    make = cls.__init__

    def noting(self, *args, **options):
        make(self, *args, **options)
        made_ones.append(self)

    monkeypatch.setattr(cls, "__init__", noting)
    names = dict(vars(inspect.getmodule(cls)))
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(cls)):
        try:
            names["_"] = eval(example.source, names)  # noqa: S307 - our own examples
        except SyntaxError:
            exec(example.source, names)  # noqa: S102
    return made_ones[-1]


@pytest.mark.parametrize("cls", results(), ids=lambda c: c.__name__)
def test_a_result_is_a_line_a_card_and_a_picture(cls, monkeypatch):
    shown = one_of(cls, monkeypatch)
    assert " object at 0x" not in repr(shown)
    assert len(repr(shown)) < LONGEST
    html = shown._repr_html_()
    assert html.startswith("<div")
    assert html.endswith("</div>")
    assert not re.search(r"<script|https?://|src=", html)
    if cls.__name__ in NO_PICTURE:
        with pytest.raises(TypeError, match="print it instead"):
            shown.plot()
        return
    ax = shown.plot()
    assert isinstance(ax, Axes)
    ax.figure.canvas.draw()
    assert shown.plot(ax=ax) is ax


@pytest.mark.parametrize("kind", ["roc", "precision", "risk", "benefit", "size"])
def test_a_curve_knows_how_it_is_drawn(kind):
    rows = binary_rows()
    if kind == "size":
        rows = claims.record([0.5, 1.5, 2.25], [0.0, 0.0, 0.0])
    if kind == "risk":
        rows = claims.record([1, 1, 0, 0], [1, 1, 0, 1], confidence=[0.9, 0.8, 0.6, 0.5])
    band = getattr(curves, f"{kind}_band")(rows)
    assert band.kind == kind
    assert isinstance(band.plot(), Axes)


def with_hostile_names():
    X, y = np.zeros((20, 1)), [0] * 15 + [1] * 5
    models = {HOSTILE: DummyClassifier(), "b": DummyClassifier(strategy="uniform")}
    model = DummyClassifier().fit([[0.0]], [0])
    yield held_out_answers(HOSTILE)
    yield next(iter(held_out_answers(HOSTILE)._issued.values()))
    yield select_by_cross_validation(models, X, y)
    yield type(found := holdout_interval(model, X, y))(**{**vars(found), "method": HOSTILE})
    said = pa.table({"t": [HOSTILE, "b"] * 60, "p": [HOSTILE, "b"] * 60})
    yield audit(said, truth="t", prediction="p")
    yield surelearn.bayes_rule([[0.4, 0.1], [0.05, 0.45]], labels=[HOSTILE, "b"])
    tree = {"learners": ["CARTClassifier"], "copies": "independent"}
    yield certify(frame(HOSTILE), target="kind", **tree)


def test_hostile_names_are_shown_as_they_are():
    seen = 0
    for shown in with_hostile_names():
        for text in (repr(shown), str(shown), shown._repr_html_()):
            assert not re.search("[\x1b\u202e]", text)
        assert "<script" not in shown._repr_html_()
        shown.plot().figure.canvas.draw()  # a dollar starts no formula
        seen += 1
    assert seen == 7


def test_nothing_is_asked_of_a_holdout_by_looking_at_it():
    held_out = Holdout(np.ones((60, 1)), np.arange(60) % 2)
    assert repr(held_out) == "Holdout(n_rows=60, mode='once', delta=0.05, n_models=1, asked=0)"
    held_out._repr_html_()
    with pytest.raises(ValueError, match="certify"):
        held_out.plot()
    assert held_out.ledger == ()
    recorded = Holdout.from_predictions([0, 1] * 33, [0, 1] * 33)
    with pytest.raises(ValueError, match="certify"):
        recorded.plot()
    assert "asked=False" in repr(recorded)
