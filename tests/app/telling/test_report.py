"""What a report says of a run."""

import json
import math
import re
import shlex
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from surelearn._wording import percent_outward
from surelearn.app.certify import certify_table
from surelearn.app.in_parts.first_look import look_as_told
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.telling import figures
from surelearn.app.telling.report import _dates_among, make_report
from surelearn.certificate import Certificate
from surelearn.cli import app
from surelearn.report import render_html, render_json


@pytest.fixture(autouse=True)
def blank(request):
    """Leave figures blank, and draw trees."""
    if "drawn" not in request.node.name:
        request.getfixturevalue("no_ink")


@cache
def made(n=300, *, target="yes or no", blur=0.25, learner="LogisticRegression", **options):
    """Certify a table in which only one of three columns tells something."""
    rng = np.random.default_rng(0)
    tells, noise, more = rng.normal(size=(3, n))
    y = tells + blur * rng.normal(size=n)
    if target == "yes or no":
        y = np.where(y > 0, "yes", "no")
    elif target == "three":
        y = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    columns = {"noise": noise, "tells": tells, "more": more, "y": y, "who": np.arange(n) // 3}
    file = TableFile(Path("made.csv"), pa.table(columns), (), "0" * 64)
    run = certify_table(file, target="y", learners=[learner], drop=("who",), **options)
    return run, make_report(run, file)


def titles(report):
    return [figure.title for figure in report.figures], [view.title for view in report.views]


def test_two_classes_are_shown_with_calibration_coefficients_and_what_they_rest_on():
    run, report = made()
    figures, views = titles(report)
    assert figures == ["Observed and guaranteed", "Calibration", "Learning curve"]
    assert views == ["The 3 largest of 3 coefficients", "The columns it rests on"]
    coefficients, importances = report.views
    assert coefficients.header == ("feature", "towards yes")
    assert [row[0] for row in (coefficients.rows[0], importances.rows[0])] == ["tells", "tells"]
    assert coefficients.bars[0] == importances.bars[0] == 1.0
    assert float(importances.rows[0][1].split()[0]) > 20  # points
    assert [row[0] for row in report.confusion.rows] == ["no", "yes"]
    counted = sum(int(cell) for row in report.confusion.rows for cell in row[1:])
    assert counted == run.certificate.n == 60


def test_more_classes_have_a_column_of_coefficients_each():
    run, report = made(target="three")
    assert report.views[0].header == ("feature", "towards high", "towards low", "towards middle")
    assert [found.label for found in report.classes] == ["high", "low", "middle"]
    assert (
        sum(found.errors for found in report.classes)
        == run.certificate.reproduce["inputs"]["errors"]
    )
    assert "all classes hold together with confidence 95%" in report.joint
    assert "90%" in report.joint  # the certificate and those of the classes


def test_a_small_tree_is_drawn_and_told_in_words():
    _, report = made(learner="CARTClassifier")
    tree, words = report.views[:2]
    assert tree.title.startswith("The tree, ")
    assert "<svg" in tree.svg
    assert "tells <=" in words.text


def test_a_large_tree_is_told_in_part():
    _, report = made(2000, target="number", blur=0.01, learner="CARTRegressor")
    words = next(view for view in report.views if view.text)
    assert words.title == "The tree in words, 256 leaves"
    assert len(words.text.splitlines()) == 81
    assert not any(view.svg for view in report.views)


def test_a_regression_shows_its_errors_and_no_classes():
    _, report = made(target="number", learner="RidgeRegression")
    assert titles(report)[0] == ["Errors", "Learning curve"]
    assert report.classes == ()
    assert report.confusion is None
    assert report.joint == report.plan == ""
    assert "had put the mean absolute error at" in report.beforehand
    assert report.views[0].header == ("feature", "coefficient")


def test_an_online_learner_shows_what_its_run_proves():
    _, report = made(learner="AveragedPerceptron")
    assert report.others
    assert all(c.validity == "surely" and c.kind == "mistakes" for c in report.others)
    [figure] = [f for f in report.figures if f.title == "Mistakes against bounds"]
    found = re.search(
        r"over 240 training rows.*: (\d+) mistakes; theorems allow (\d+)", figure.caption
    )
    assert 0 < int(found[1]) <= int(found[2])


def test_a_named_online_learner_shows_its_mistakes_even_if_another_one_won(pets):
    file = read_table_file(pets)
    both = {"learners": ["AveragedPerceptron", "CARTClassifier"], "select": "structural-risk"}
    run = certify_table(file, target="kind", drop=("owner", "visit"), **both)
    assert run.name.startswith("CARTClassifier")
    [figure] = [f for f in make_report(run, file).figures if f.title == "Mistakes against bounds"]
    found = re.search(r": (\d+) mistakes; theorems allow (\d+)", figure.caption)
    assert int(found[1]) <= int(found[2])  # no bound of the first rounds, where rows are separable
    three = made(target="three", learner="AveragedPerceptron")[1]
    assert "Mistakes against bounds" not in titles(three)[0]  # theorems speak of two classes


def test_learners_are_listed_best_first_and_the_constant_answer_last(pets_run):
    file, run = pets_run
    report = make_report(run, file)
    assert report.score_names == ("estimate", "nested", "±")
    scores = [candidate.scores[0] for candidate in report.candidates[:-2]]
    assert scores == sorted(scores)
    assert [candidate.chosen for candidate in report.candidates] == [True, False, False, False]
    assert report.candidates[-1].name == "always the commonest class"
    assert report.candidates[-1].note == "for comparison"
    assert "in 5 stratified folds, on the training rows alone" in report.choice
    assert "an estimate, not a guarantee" in report.beforehand
    assert report.training is None


def test_what_would_have_been_chosen_without_each_part_is_told(pets_run):
    file, run = pets_run
    folds = make_report(run, file).folds
    nested = run.choice.nested
    assert [fold.chosen for fold in folds] == list(nested.chosen)
    assert np.mean([fold.was for fold in folds]) == pytest.approx(nested.estimate)
    assert [fold.seemed for fold in folds] == nested.inner_estimates.min(axis=1).tolist()
    _, alone = made(learner="MixedNaiveBayes")
    assert alone.folds == ()  # there was nothing to choose


def test_structural_risk_shows_its_certificate_and_how_much_confidence_is_left():
    run, report = made(learner="CARTClassifier", select="structural-risk")
    assert report.training == run.choice.bound
    assert report.score_names == ("error", "price", "bound")
    assert report.folds == ()
    assert report.joint == (
        "The rates of all classes hold together with confidence 95%; together with the certificate "
        "above and that of the training rows alone, 85%."
    )
    page, twin = render_html(report), json.loads(render_json(report))
    assert "What the training rows alone prove" in page
    assert "proved by the training rows alone" in page
    assert Certificate.from_json(json.dumps(twin["training"])) == run.choice.bound
    assert "Learning curve" in titles(report)[0]
    assert "--select structural-risk" in report.reproduce["command"]
    bounds = [one.scores[2] for one in report.candidates if not math.isnan(one.scores[2])]
    assert all(f">{percent_outward(bound, 'upper')}</td>" in page for bound in bounds)


def test_a_learning_curve_that_rises_is_not_said_to_be_flat():
    steps = [figures._of_last_step(gain, 0.01) for gain in (0.03, 0.0, -0.03)]
    assert "falls" in steps[0]
    assert "within the noise" in steps[1]
    assert "rises" in steps[2]


def test_a_figure_of_errors_says_of_which_new_rows_it_speaks():
    def told(kind):
        split = SimpleNamespace(kind=kind)
        return figures._new_rows(SimpleNamespace(problem=SimpleNamespace(split=split)))

    assert told("random") == told("time") == "new rows"
    assert told("group") == "new rows, each of a new group,"
    assert told("distinct") == "new rows, where copies of a row count as one,"


def test_the_command_of_a_table_in_parts_has_options_that_there_are(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    lines = [f"{a:.4f},{'yes' if a > 0 else 'no'}" for a in x]
    (folder / "one.csv").write_text("\n".join(["x,y", *lines]) + "\n", encoding="utf-8")
    file, form = look_as_told(folder, {}, {"target": "y"})
    run = certify_table(file, target="y", learners=["MixedNaiveBayes"], form=form)
    assert "in_parts" in run.options
    words = shlex.split(make_report(run, file).reproduce["command"])
    known = {name for each in get_command(app).commands["certify"].params for name in each.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_a_name_like_an_option_stands_in_commands_as_a_file():
    run, _ = made()
    report = make_report(run, TableFile(Path("-made.csv"), run.problem.training[0], (), "0" * 64))
    assert "surelearn certify ./-made.csv --target y" in report.reproduce["command"]
    assert report.reproduce["check it"].endswith(" --data ./-made.csv")


def test_the_table_is_summed_up(pets_run):
    file, run = pets_run
    report = make_report(run, file)
    assert report.facts["rows"] == "240"
    assert report.facts["rows held out"] == "60, by a random split"
    columns = {column.name: column for column in report.columns}
    assert columns["weight"].kind.startswith("numbers, ")
    assert columns["weight"].missing == pytest.approx(15 / 240)
    assert columns["colour"].kind == "text, 3 different"
    assert columns["kind"].left_out == "it is the target"
    assert columns["owner"].left_out == "--drop says so"


def test_how_many_rows_would_halve_the_slack(pets_run):
    file, run = pets_run
    n = run.certificate.reproduce["n_to_halve_slack"]
    assert make_report(run, file).plan.startswith(f"With {n:,} rows held out")


def test_the_command_in_the_report_gives_the_same_certificate(pets_run, pets, tmp_path):
    file, run = pets_run
    command = shlex.split(make_report(run, file).reproduce["command"])
    assert command[:3] == ["surelearn", "certify", "pets.csv"]
    result = CliRunner().invoke(
        app, ["certify", str(pets), *command[3:], "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert Certificate.from_json(text) == Certificate.from_json(run.certificate.to_json())


def test_odd_words_in_the_command_are_quoted(tmp_path):
    table = tmp_path / "my table.csv"
    rows = [f"{i % 13},{'yes' if i % 13 > 5 else 'no'}" for i in range(150)]
    table.write_text("\n".join(["a size,it's", *rows]) + "\n", encoding="utf-8")
    file = read_table_file(table)
    asked = {"learners": ["MixedNaiveBayes"], "keep": ("a size",), "copies": "independent"}
    run = certify_table(file, target="it's", **asked)
    command = make_report(run, file).reproduce["command"]
    words = shlex.split(command)
    assert words[2:5] == ["my table.csv", "--target", "it's"]
    assert words[-4:] == ["--keep", "a size", "--learner", "MixedNaiveBayes"]


def test_groups_are_told_and_one_number_stands_for_each(pets):
    file = read_table_file(pets)
    run = certify_table(file, target="kind", group="owner", holdout=0.5, learners=["C45Classifier"])
    report = make_report(run, file)
    assert report.facts["groups held out"] == "40"
    assert "Observed and guaranteed" not in titles(report)[0]
    assert [found.label for found in report.classes] == ["cat", "dog"]
    assert sum(found.n for found in report.classes) == len(run.problem.split.holdout)
    assert report.confusion is not None
    assert json.loads(render_json(report))["certificate"]["n"] == 40
    assert "of the rows of a new group" in render_html(report)


def test_a_column_of_dates_is_known_by_the_features_made_of_it():
    features = ["sold: year", "a: b: month", "sold on", "size"]
    assert _dates_among(features) == {"sold", "a", "a: b"}
