"""`surelearn verify`: its exit status is for scripts."""

import json

import pytest
from typer.testing import CliRunner

from surelearn.cli import app

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
