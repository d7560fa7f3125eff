"""The command line: what a stranger sees first."""

import json

import pytest
from typer.testing import CliRunner

from surelearn.certificate import Certificate
from surelearn.cli import app

run = CliRunner().invoke


def test_the_demo_prints_a_certificate_and_writes_what_it_says(tmp_path):
    result = run(app, ["demo", "--out", str(tmp_path)])
    assert result.exit_code == 0
    assert "With confidence 95%" in result.output
    assert "assumed" in result.output
    stored = Certificate.from_json((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    assert stored.status == "valid"
    assert stored.recompute() == stored.bound
    assert (tmp_path / "bounds.svg").read_text(encoding="utf-8").count("<svg") == 1


def test_the_same_seed_writes_the_same_files(tmp_path):
    for folder in ("a", "b"):
        run(app, ["demo", "--out", str(tmp_path / folder), "--seed", "3"])
    for name in ("certificate.json", "bounds.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    content = json.loads((tmp_path / "a" / "certificate.json").read_text(encoding="utf-8"))
    assert content["reproduce"]["inputs"]["n"] == 114


@pytest.mark.parametrize("delta", ["0", "1", "-3"])
def test_a_bad_delta_is_refused_with_a_sentence(tmp_path, delta):
    result = run(app, ["demo", "--out", str(tmp_path), f"--delta={delta}"])
    assert result.exit_code == 2
    assert not list(tmp_path.iterdir())


def test_help_is_worth_reading():
    assert "certificate" in run(app, ["--help"]).output
    text = run(app, ["demo", "--help"]).output
    assert "--delta" in text
    assert "certificate.json" in text
