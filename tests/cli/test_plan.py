"""`surelearn plan`: how many rows to hold out."""

import pytest
from typer.testing import CliRunner

from surelearn.cli import app

run = CliRunner().invoke


def test_a_hundredth_needs_299_rows_without_an_error():
    result = run(app, ["plan", "--target", "0.01"])
    assert result.exit_code == 0
    assert result.output.startswith(
        "299 test rows certify, with confidence 95%, an error of at most"
    )


def test_expected_errors_and_several_models_need_more():
    assert run(app, ["plan", "--target", "0.06", "--error", "0.05"]).output.startswith("1580 test")
    several = run(app, ["plan", "--target", "0.06", "--error", "0.05", "--models", "20"]).output
    assert several.startswith("4340 test rows certify")
    assert "for 20 models together" in several


@pytest.mark.parametrize(
    "options",
    [["--target", "0"], ["--target", "0.1", "--error", "0.1"], ["--delta", "2"], ["--models", "0"]],
)
def test_numbers_out_of_range_are_refused_with_a_sentence(options):
    result = run(app, ["plan", *options])
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1
