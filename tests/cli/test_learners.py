"""`surelearn learners` and `surelearn warm-up`: what there is, and compiling it."""

import pytest
from typer.testing import CliRunner

from surelearn import UCB1, Hedge
from surelearn._jit import _kept_code
from surelearn.app import warm_up
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.cli import app
from surelearn.learners.linear.perceptron import Perceptron

run = CliRunner().invoke


def test_every_learner_is_listed_with_what_it_does_and_states():
    result = run(app, ["learners"], env={"COLUMNS": "220"})
    assert result.exit_code == 0
    for name in [*find_learners(), *find_experts(), *find_bandits()]:
        assert name in result.output
    row = next(line for line in result.output.splitlines() if line.startswith("Perceptron "))
    assert "certificates()" in row
    assert "guarantee(...)" in row


def test_the_list_fits_a_terminal_of_80_columns():
    lines = run(app, ["learners"], env={"COLUMNS": "80"}).output.splitlines()
    assert max(map(len, lines)) <= 80
    at = lines.index("Perceptron  certificates(), guarantee(...)")
    assert lines[at + 1].startswith("    Mistake-driven linear classifier")


@pytest.mark.usefixtures("few_candidates", "no_figures")
def test_warming_up_lets_every_learner_learn(monkeypatch):
    for found, kind in (("learners", Perceptron), ("experts", Hedge), ("bandits", UCB1)):
        monkeypatch.setattr(warm_up, f"find_{found}", lambda kind=kind: {kind.__name__: kind})
    monkeypatch.setattr(warm_up, "_N_ROWS", 160)
    monkeypatch.setattr(_kept_code, "_told", {})
    result = run(app, ["warm-up"])
    assert result.exit_code == 0
    assert "kept on disk" in result.output


def test_warming_up_does_not_say_that_results_are_kept_where_they_are_not(monkeypatch):
    monkeypatch.setattr(_kept_code, "_told", {})

    def compile_in_vain():
        _kept_code._NowhereToKeep().save_overload(None, None)  # warns, which the steps silence

    steps = warm_up.steps()
    steps.works = {"a loop": compile_in_vain}
    monkeypatch.setattr(warm_up, "steps", lambda: steps)
    result = run(app, ["warm-up"])
    assert result.exit_code == 1
    assert "kept on disk" not in result.output
    assert "NUMBA_CACHE_DIR" in result.output
