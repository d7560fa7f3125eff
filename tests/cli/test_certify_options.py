"""What `surelearn certify` and its siblings do around the run itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from surelearn.app.certify import certify_table
from surelearn.app.choosing import foreign_learners
from surelearn.app.errors import TableError
from surelearn.app.tables.read import read_in_its_encoding, read_table_file
from surelearn.app.tables.sources import readable
from surelearn.app.verify import read_certificate, verify_certificate
from surelearn.cli import _certifying, app
from surelearn.cli._certifying import number

pytestmark = pytest.mark.usefixtures("no_figures")

run = CliRunner().invoke
FAST = ["--target", "y", "--learner", "MixedNaiveBayes"]


@pytest.fixture
def table(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    lines = ["x,size,y", *(f"{v:.4f},{s},{'up' if v > 0 else 'down'}" for v, s in zip(
        x, rng.choice(["s", "m"], 150), strict=True))]  # fmt: skip
    (tmp_path / "my table.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return Path("my table.csv")


def test_without_out_a_fresh_folder_is_named_after_the_table(table):
    first, second = (run(app, ["certify", str(table), *FAST]) for _ in range(2))
    assert first.exit_code == second.exit_code == 0, first.output
    assert Path("my-table-certified/certificate.json").is_file()
    assert Path("my-table-certified-2/certificate.json").is_file()


def test_json_is_all_that_is_printed_and_quiet_prints_nothing(table):
    done = run(app, ["certify", str(table), *FAST, "--json"])
    found = json.loads(done.stdout)
    assert found["status"] == "valid"
    assert 0.0 <= found["observed"] <= found["bound"] <= 1.0
    assert Path(found["files"]["report.html"]).is_file()
    assert run(app, ["certify", str(table), *FAST, "--quiet"]).output == ""


def test_version_and_completion_are_there():
    assert run(app, ["--version"]).output.startswith("surelearn 0.")
    assert "--install-completion" in run(app, ["--help"]).output


def test_a_table_may_come_through_the_standard_input(table):
    with table.open("rb") as file:
        done = run(app, ["certify", "-", *FAST], input=file.read())
    assert done.exit_code == 0, done.output
    assert Path("table-certified/model.surelearn").is_file()


def test_addresses_and_patterns_are_refused_honestly(table):
    with (
        pytest.raises(TableError, match="loads nothing from a network"),
        readable(Path("https://example.org/t.csv")),
    ):
        pass
    table.with_name("other.csv").write_text("a", encoding="utf-8")
    with pytest.raises(TableError, match="2 files match"), readable(Path("*.csv")):
        pass
    with pytest.raises(TableError, match="no file matches"), readable(Path("*.parquet")):
        pass


def test_latin_1_is_guessed_and_told_by_the_command_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,b\nü,1\n".encode("latin-1"))
    file, form = read_in_its_encoding(read_table_file, path, {})
    assert file.table.column_names == ["größe", "b"]
    assert form == {"encoding": "cp1252"}
    assert str(file.notes[0]).startswith("encoding: cp1252 (some bytes are no UTF-8")
    with pytest.raises(TableError, match="no UTF-8"):
        read_in_its_encoding(read_table_file, path, {"encoding": "utf-8"})
    for damaged in (b"a,b\n\xff,1\n", "größe,b\n".encode() + b"\xfc,1\n", b"a,b\n\x81\xfc,1\n"):
        path.write_bytes(damaged)
        with pytest.raises(TableError, match="no UTF-8"):
            read_in_its_encoding(read_table_file, path, {})


def test_an_interrupted_run_says_what_it_left(table, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_certifying, "write_run", interrupt)
    done = run(app, ["certify", str(table), *FAST])
    assert done.exit_code == 130
    assert "interrupted; no file is half-written, and the ledger counts this look" in done.stderr
    monkeypatch.setattr(_certifying, "certify_table", interrupt)
    done = run(app, ["certify", str(table), *FAST])
    assert "interrupted; nothing was written, and the ledger does not count" in done.stderr


def test_the_bar_names_what_is_trained(table):
    told = []
    file = read_table_file(table)
    certify_table(
        file, target="y", learners=["MixedNaiveBayes"], on_begin=lambda *news: told.append(news)
    )
    assert told == [("MixedNaiveBayes", 0, 1)]
    assert number(0.1, rates=True) == "10.0%"


def test_head_ends_a_listing_without_an_error():
    command = f"{sys.executable} -m surelearn bounds | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(  # noqa: S603 - our own command
        ["/bin/bash", "-c", command], capture_output=True, text=True, check=False,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


class TestForeignLearners:
    def test_any_estimator_is_certified_by_the_same_command(self, table):
        learner = "sklearn.tree:DecisionTreeClassifier(max_depth=2, random_state=0)"
        options = ["--target", "y", "--learner", learner, "--json"]
        done = run(app, ["certify", str(table), *options])
        assert done.exit_code == 0, done.output
        files = json.loads(done.stdout)["files"]
        assert Path(files["model.joblib"]).is_file()
        done = run(app, ["predict", files["model.joblib"], str(table)])
        assert done.exit_code == 2
        assert "would run code from the file" in done.stderr
        certificate = read_certificate(Path(files["certificate.json"]))
        assert all(finding.holds for finding in verify_certificate(certificate))
        with pytest.raises(TableError, match="loads no code of other libraries"):
            verify_certificate(certificate, table=table, retrain=True)
        checked = run(app, ["verify", files["certificate.json"]]).output
        assert "--model" not in checked
        assert "--retrain does" not in checked
        report = json.loads(Path(files["report.json"]).read_text(encoding="utf-8"))
        assert report["reproduce"]["check it"] == "surelearn verify certificate.json"
        assert "do the run again" in report["reproduce"]["what that leaves open"]
        assert "model.surelearn" not in json.dumps([report["steps"], report["reproduce"]])

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("nowhere.at.all:Class", "cannot be loaded"),
            ("sklearn.tree:Nothing", "there is no Nothing in sklearn.tree"),
            ("sklearn.tree:plot_tree", "is no class"),
            ("sklearn.tree:DecisionTreeRegressor", "no classifier"),
            ("sklearn.tree:DecisionTreeClassifier(depth=2)", "cannot be made"),
            ("sklearn.tree:DecisionTreeClassifier(max_depth=open('x'))", "not of the form"),
            ("collections:Counter", "no classifier"),
        ],
    )
    def test_what_is_no_learner_is_refused_in_a_sentence(self, name, told):
        with pytest.raises(TableError, match=told):
            foreign_learners.make_foreign(name, "binary")
