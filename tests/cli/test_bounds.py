"""`surelearn bounds`: theorems from the shell."""

import pytest
from typer.testing import CliRunner

from surelearn import bounds
from surelearn.cli import app

WIDE = {"COLUMNS": "200"}
run = CliRunner().invoke


def test_a_theorem_is_evaluated_with_its_assumptions_and_its_proof():
    numbers = ["errors=5", "n=100", "delta=0.05"]
    result = run(app, ["bounds", "concentration.clopper_pearson", *numbers], env=WIDE)
    assert result.exit_code == 0
    assert "at most 0.1023" in result.output
    assert "with confidence 95%" in result.output
    assert "if the n trials are independent" in result.output
    assert "docs/theory/concentration.md#clopper_pearson" in result.output


def test_one_that_holds_surely_says_so():
    result = run(app, ["bounds", "mistakes.halving", "n_experts=8"], env=WIDE)
    assert "at most 3" in result.output
    assert "surely" in result.output


def test_lists_of_numbers_are_read():
    result = run(app, ["bounds", "holdout.quantile", f"residuals={list(range(1, 101))}",
                       "alpha=0.1", "delta=0.05"], env=WIDE)  # fmt: skip
    assert "at most 96" in result.output


def test_all_theorems_are_listed_or_those_that_mention_a_word():
    everything = run(app, ["bounds"], env=WIDE).output
    assert all(name in everything for name in bounds.theorems())
    some = run(app, ["bounds", "--find", "halving"], env=WIDE).output
    assert "mistakes.halving" in some
    assert "concentration.hoeffding" not in some
    none = run(app, ["bounds", "--find", "qwertz"], env=WIDE)
    assert none.exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["concentration.clopper_person"], "near it: concentration.clopper_pearson"),
        (["concentration.clopper_pearson"], "errors"),
        (["concentration.clopper_pearson", "errors=5"], "n"),
        (["concentration.clopper_pearson", "errors"], "not of the form name=value"),
        (["concentration.clopper_pearson", "errors=five"], "'five' is no number"),
        (["concentration.clopper_pearson", "errors=5", "n=3", "delta=0.05"], "errors"),
        (["concentration.clopper_pearson", "errors=5", "n=9", "delta=0.05", "x=1"], "x"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_with_a_sentence(arguments, sentence):
    result = run(app, ["bounds", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
