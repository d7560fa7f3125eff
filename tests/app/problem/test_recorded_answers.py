"""A file of truths and predictions given to `certify`: it asks whether an audit was meant."""

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.problem.recorded_answers import ask
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.report import make_report
from surelearn.cli import app

pytestmark = pytest.mark.usefixtures("no_figures")

RNG = np.random.default_rng(0)
N = 240
Y = RNG.integers(0, 2, N)
SAID = np.where(RNG.random(N) < 0.1, 1 - Y, Y)
WORDS = np.array(["well", "ill"])
NUMBERS = RNG.normal(size=N)

MEANT = {
    "words": {"y_true": WORDS[Y], "y_pred": WORDS[SAID]},
    "numbers": {"label": Y, "prediction": SAID},
    "truths": {"truth": Y.astype(bool), "model_answer": SAID.astype(bool), "id": np.arange(N)},
    "texts of numbers": {"y": Y.astype(str), "yhat": SAID.astype(str)},
    "two columns": {"a": WORDS[Y], "b": WORDS[SAID]},
    "own words": {"diagnosis": WORDS[Y], "algorithm": WORDS[SAID], "age": NUMBERS},
    "categories": {"y": pa.array(WORDS[Y]).dictionary_encode(), "pred": WORDS[SAID]},
    "regression": {"y": NUMBERS, "y_hat": NUMBERS + 0.3 * RNG.normal(size=N)},
    "regression in text": {"y": NUMBERS.astype(str), "pred": (NUMBERS + 0.1).astype(str)},
    "with gaps": {"y": WORDS[Y], "pred": [None, *WORDS[SAID][1:]]},
}
NOT_MEANT = {
    "features": {"y": WORDS[Y], "age": NUMBERS, "height": NUMBERS + 1},
    "a feature of the same labels": {"y": Y, "smokes": SAID, "age": NUMBERS},
    "answers no better than chance": {"y": Y, "pred": np.where(Y, 0, 1), "age": NUMBERS},
    "other labels": {"y": WORDS[Y], "pred": np.array(["on", "off"])[SAID]},
    "a number beside": {"y": NUMBERS, "x": RNG.normal(size=N)},
    "all the same": {"y": np.ones(N), "pred": np.ones(N) * 2},
    "dates": {"y": pa.array(np.arange(N)).cast(pa.timestamp("s")), "pred": pa.array([None] * N)},
}


@pytest.mark.parametrize("name", sorted(MEANT))
def test_answers_are_seen(name):
    table = pa.table(MEANT[name])
    target, said = table.column_names[:2]
    assert f"surelearn audit FILE --truth {target} --prediction {said}" in ask(table, target)


@pytest.mark.parametrize("name", sorted(NOT_MEANT))
def test_other_tables_are_not_asked_about(name):
    table = pa.table(NOT_MEANT[name])
    assert ask(table, table.column_names[0]) == ""


def test_it_stands_on_the_report_and_refuses_nothing():
    columns = {"label": Y, "prediction": SAID, "length": NUMBERS}
    file = TableFile.of_table(pa.table(columns))
    run = certify_table(file, target="label", learners=("MixedNaiveBayes",), seed=0)
    asked = [words for words in run.problem.warnings if "Was an audit meant?" in words]
    assert len(asked) == 1
    assert asked[0] in make_report(run, file).warnings


def test_the_terminal_asks(tmp_path):
    table = tmp_path / "answers.csv"
    rows = zip(WORDS[Y], WORDS[SAID], NUMBERS, strict=True)
    lines = [f"{a},{b},{c}" for a, b, c in rows]
    table.write_text("\n".join(["label,prediction,length", *lines]) + "\n", "utf-8")
    given = ["certify", str(table), "--target", "label", "--learner", "MixedNaiveBayes"]
    out = tmp_path / "out"
    result = CliRunner().invoke(app, [*given, "--out", str(out)], env={"COLUMNS": "400"})
    assert result.exit_code == 0, result.output
    assert "Was an audit meant?" in result.output
    assert "Was an audit meant?" in (out / "report.html").read_text("utf-8")


def test_a_refusal_asks_too():
    """Two columns of two labels are copies of four rows, which is refused for another reason."""
    file = TableFile.of_table(pa.table({"label": Y, "prediction": SAID}))
    with pytest.raises(TableError, match="Was an audit meant"):
        certify_table(file, target="label", learners=("MixedNaiveBayes",), seed=0)


def test_a_column_that_is_dropped_is_not_asked_about():
    columns = {"label": Y, "prediction": SAID, "length": NUMBERS}
    file = TableFile.of_table(pa.table(columns))
    learners = ("MixedNaiveBayes",)
    run = certify_table(file, target="label", learners=learners, drop=("prediction",), seed=1)
    assert not any("Was an audit meant?" in words for words in run.problem.warnings)
