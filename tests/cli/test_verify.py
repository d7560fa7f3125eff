"""`surelearn verify`: its exit status is for scripts."""

import json

import pytest
from typer.testing import CliRunner

from surelearn import Holdout, Perceptron, transfer
from surelearn.cli import app
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

run = CliRunner().invoke


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("certified")
    table = out / "table.csv"
    rows = [f"{i - 99}.5,{i % 3},{'yes' if i > 98 else 'no'}" for i in range(200)]
    table.write_text("\n".join(["x,z,y", *rows]) + "\n", encoding="utf-8")
    done = run(
        app,
        ["certify", str(table), "--target", "y", "--learner", "C45Classifier", "--out", str(out)],
    )
    assert done.exit_code == 0, done.output
    return out


def verify(certificate, *options):
    return run(app, ["verify", str(certificate), *map(str, options)], env={"COLUMNS": "200"})


def test_status_0_if_everything_holds(folder):
    alone = verify(folder / "certificate.json")
    assert alone.exit_code == 0
    assert "With confidence 95%" in alone.output
    assert "Give --model and --data" in alone.output
    model, table = folder / "model.surelearn", folder / "table.csv"
    whole = verify(folder / "certificate.json", "--model", model, "--data", table)
    assert whole.exit_code == 0
    assert whole.output.count("holds  ") == 16
    assert "trained on the training part only" in whole.output
    assert "differs" not in whole.output


def test_status_1_if_something_differs(folder, tmp_path):
    content = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    content["bound"] /= 2
    forged = tmp_path / "certificate.json"
    forged.write_text(json.dumps(content), encoding="utf-8")
    result = verify(forged)
    assert result.exit_code == 1
    assert "differs" in result.output
    assert "must not be relied on" in result.output
    other = tmp_path / "table.csv"
    text = (folder / "table.csv").read_text(encoding="utf-8")
    other.write_text(text.replace(",yes", ",no", 1), encoding="utf-8")
    model = folder / "model.surelearn"
    result = verify(folder / "certificate.json", "--model", model, "--data", other)
    assert result.exit_code == 1
    assert "differs  the table is the one certified" in result.output


def test_a_folder_stands_for_what_is_in_it(folder):
    table = str(folder / "table.csv")
    for named in ([], ["--model", str(folder)]):  # its model is found there, too
        done = run(app, ["verify", str(folder), *named, "--data", table])
        assert done.exit_code == 0, done.output
        assert "holds    the table is the one certified" in done.output
    done = run(app, ["predict", str(folder), table])
    assert done.exit_code == 0, done.output
    done = run(app, ["predict", table, str(folder / "model.surelearn")])
    assert "the model comes before the table" in done.stderr
    done = run(app, ["verify", str(folder / "certificat.json")])
    assert "did you mean" in done.stderr


@pytest.mark.parametrize("damage", ["missing", "rubbish", "half", "no model", "no table"])
def test_status_2_if_something_cannot_be_read(folder, tmp_path, damage):
    path, options = tmp_path / "certificate.json", []
    text = (folder / "certificate.json").read_text(encoding="utf-8")
    if damage != "missing":
        path.write_text(
            {"rubbish": "hello", "half": text[:300]}.get(damage, text), encoding="utf-8"
        )
    if damage == "no model":
        options = ["--model", tmp_path / "none", "--data", folder / "table.csv"]
    if damage == "no table":
        options = ["--model", folder / "model.surelearn"]
    result = verify(path, *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1


def test_one_certificate_of_recorded_predictions_and_one_carried_over_verify(tmp_path):
    forget()
    recorded = Holdout.from_predictions([0, 1] * 100, [0, 1] * 99 + [1, 1]).certify()
    path = tmp_path / "certificate.json"
    path.write_text(recorded.to_json())
    result = run(app, ["verify", str(path)])
    assert result.exit_code == 0, result.output
    assert "--retrain" not in result.output
    with_data = run(app, ["verify", str(path), "--data", str(path)])
    assert (with_data.exit_code, "give the whole file" in with_data.stderr) == (2, True)
    X, y = Noisy(2, 0.1).draw(900, seed=0)
    old, new = (Perceptron(max_iter=k).fit(X[:200], y[:200]) for k in (5, 6))
    carried = transfer(Holdout(X[200:400], y[200:400]).certify(old), old, new, X[400:])
    path.write_text(carried.to_json())
    result = run(app, ["verify", str(path)])
    assert result.exit_code == 0, result.output
    assert "the certificate that it carries over holds" in " ".join(result.output.split())
    path.write_text(carried.to_json().replace('"errors": ', '"errors": 1', 1))
    assert run(app, ["verify", str(path)]).exit_code == 1
