"""`surelearn predict`, as a shell sees it."""

import pytest
import typer
from typer.testing import CliRunner

from surelearn.app.problem.problem import understand
from surelearn.app.tables.read import read_table_file
from surelearn.cli._command import refusing
from surelearn.cli.predict import predict
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.persistence.model_files import save_model

pytestmark = pytest.mark.usefixtures("no_figures")

TABLE = "x,w,y\n" + "".join(f"{i % 5}.5,w{i % 3},{'yes' if i % 3 else 'no'}\n" for i in range(60))

app = typer.Typer()
app.command()(refusing(predict))
run = CliRunner().invoke


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    problem = understand(read_table_file(tmp_path / "t.csv"), target="y")
    model = CARTClassifier().fit(problem.X, problem.y)
    save_model(model, tmp_path / "model.surelearn", schema=problem.schema, metadata={})
    return tmp_path


def test_predictions_alone_go_to_the_standard_output(folder):
    result = run(app, [str(folder / "model.surelearn"), str(folder / "t.csv")])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "prediction,probability_no,probability_yes"
    assert [line.split(",")[0] for line in lines[1:4]] == ["no", "yes", "yes"]
    assert len(lines) == 61
    assert "delimiter" in result.stderr


def test_predictions_go_to_a_file_that_is_not_replaced_unless_asked(folder):
    arguments = [str(folder / "model.surelearn"), str(folder / "t.csv"), "--out"]
    out = folder / "p.csv"
    assert run(app, [*arguments, str(out)]).exit_code == 0
    before = out.read_bytes()
    assert before.startswith(b"prediction,")
    refused = run(app, [*arguments, str(out)])
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert run(app, [*arguments, str(out), "--force"]).exit_code == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (None, "there is no file"),
        (b"", "is empty"),
        (b"x,y\n1,2\n", "lacks w"),
        (b"x,w\n\xff,2\n", "--encoding latin-1"),
        (b"x,w\n1,2\n3\n", "line 3"),
    ],
    ids=["no file", "empty", "a column is missing", "bad byte", "ragged"],
)
def test_a_bad_table_ends_in_one_sentence(folder, table, sentence):
    path = folder / "bad.csv"
    if table is not None:
        path.write_bytes(table)
    before = sorted(folder.iterdir())
    arguments = [str(folder / "model.surelearn"), str(path), "--out", str(folder / "p.csv")]
    result = run(app, arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("content", [None, b"hello", b""])
def test_a_bad_model_ends_in_one_sentence(folder, content):
    path = folder / "other.surelearn"
    if content is not None:
        path.write_bytes(content)
    result = run(app, [str(path), str(folder / "t.csv")])
    assert result.exit_code == 2
    assert "model file" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_folder_that_is_not_there_is_named(folder):
    out = folder / "nowhere" / "p.csv"
    result = run(app, [str(folder / "model.surelearn"), str(folder / "t.csv"), "--out", str(out)])
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
    assert not out.parent.exists()


def test_words_that_begin_as_formulas_do_are_told_and_marked_on_request(tmp_path):
    labels = ["=1+1", "-3 no"]
    rows = "".join(f"{i % 2}.5{i},{labels[i % 2]}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    problem = understand(read_table_file(tmp_path / "t.csv"), target="y")
    model = CARTClassifier().fit(problem.X, problem.y)
    save_model(model, tmp_path / "m", schema=problem.schema, metadata={})
    plain = run(app, [str(tmp_path / "m"), str(tmp_path / "t.csv")])
    assert plain.stdout.splitlines()[1].startswith("=1+1,")
    assert "--safe-cells" in plain.stderr
    marked = run(app, [str(tmp_path / "m"), str(tmp_path / "t.csv"), "--safe-cells"])
    assert [line[:6] for line in marked.stdout.splitlines()[1:3]] == ["'=1+1,", "'-3 no"]
    assert "--safe-cells" not in marked.stderr


def test_numbers_stay_numbers(tmp_path):
    rows = "".join(f"{i % 2}.5{i},{-(i % 2) - 1}\n" for i in range(60))
    (tmp_path / "t.csv").write_text("x,y\n" + rows, encoding="utf-8")
    problem = understand(read_table_file(tmp_path / "t.csv"), target="y")
    model = CARTClassifier().fit(problem.X, problem.y)
    save_model(model, tmp_path / "m", schema=problem.schema, metadata={})
    marked = run(app, [str(tmp_path / "m"), str(tmp_path / "t.csv"), "--safe-cells"])
    assert marked.stdout.splitlines()[1].startswith("-1,")
