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


def test_an_audit_is_sized_by_its_target_and_what_is_expected():
    options = ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--prevalence", "0.1"]
    result = run(app, ["plan", *options])
    assert result.exit_code == 0
    assert result.output.startswith("sensitivity>=0.9: 116 positive rows prove it")
    assert "every number from 142 on" in result.output
    assert "1,333 rows contain at least 116" in result.output


def test_a_plan_is_sized_with_its_own_delta_and_looks(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('claims = ["sensitivity>=0.9", "specificity>=0.8"]\ndelta = 0.1\nlooks = 2\n')
    options = ["--expect", "0.95", "--expect", "0.9", "--prevalence", "0.5"]
    result = run(app, ["plan", "--plan", str(plan), *options])
    assert result.exit_code == 0
    assert "116 positive rows prove it, with confidence 95%" in result.output
    assert result.output.splitlines()[-1].startswith("For all of them: ")
    plan.write_text('claims = ["sensitivity>=0.9", "accuracy"]\ndelta = 0.1\n')
    halved = run(app, ["plan", "--plan", str(plan), "--expect", "0.95"])
    assert "116 positive rows prove it, with confidence 95%" in halved.output


@pytest.mark.parametrize(
    "options",
    [
        ["--claim", "sensitivity>=0.9"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.9"],
        ["--claim", "sensitivity", "--expect", "0.9"],
        ["--claim", "mcc>=0.9", "--expect", "0.95"],
        ["--claim", "sensitivty>=0.9", "--expect", "0.95"],
        ["--claim", "sensitivity>=1.5", "--expect", "0.95"],
        ["--claim", "sensitivity>=1", "--expect", "1"],
        ["--claim", "sensitivity>=0.9", "--expect", "nan"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.9000001"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--prevalence", "0"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--share", "0"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--delta", "0"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--target", "0.1"],
        ["--claim", "sensitivity>=0.9", "--expect", "0.95", "--plan", "plan.toml"],
        ["--expect", "0.95"],
        ["--plan", "no-such-plan.toml", "--expect", "0.95"],
    ],
)
def test_what_cannot_be_planned_is_refused_with_a_sentence(options):
    result = run(app, ["plan", *options])
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1
