"""Dates, currencies and percentages in words; zeros for missing; runs from before that."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from surelearn.app.certify import certify_table, pose
from surelearn.app.choosing.rule_classes import reading_bits
from surelearn.app.errors import TableError
from surelearn.app.output import write_run
from surelearn.app.predict import check_schema, predict_file, read_features
from surelearn.app.problem.problem import understand
from surelearn.app.problem.split import split
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import read_certificate, verify_certificate

pytestmark = pytest.mark.usefixtures("no_figures")

DAYS = np.datetime64("2019-01-01") + np.arange(200) * 3
GERMAN = [f"{day.day}.{day.month}.{day.year}" for day in DAYS.tolist()]
EUROS = [f"{1000 + 37 * (i * 7 % 200):,}".replace(",", ".") + ",50 €" for i in range(200)]
TARGET = ["yes" if i * 7 % 200 > 90 else "no" for i in range(200)]


def of(**columns):
    table = pa.table(columns)
    for i, name in enumerate(table.column_names):
        if pa.types.is_string(table.column(name).type):
            table = table.set_column(i, name, table.column(name).dictionary_encode())
    return replace(TableFile.of_table(table), typed=False)


def written(tmp_path):
    lines = ["day;amount;share;y"]
    cells = zip(GERMAN, EUROS, TARGET, strict=True)
    lines += [f"{day};{euro};{i % 30},5 %;{y}" for i, (day, euro, y) in enumerate(cells)]
    path = tmp_path / "sales.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_dates_and_quantities_are_features_of_numbers(tmp_path):
    problem = understand(read_table_file(written(tmp_path)), target="y")
    parts = ["day: year", "day: month", "day: weekday", "day: days since 2000-01-01"]
    assert list(problem.features) == [*parts, "amount", "share"]
    row = problem.X.slice(1, 1).to_pylist()[0]
    assert (row["day: year"], row["day: month"], row["day: weekday"]) == (2019.0, 1.0, "Friday")
    assert row["day: days since 2000-01-01"] == 6943.0
    assert (row["amount"], row["share"]) == (1259.5, 1.5)
    told = "\n".join(map(str, problem.notes))
    assert "read as day, month, year; otherwise: --dates left-out" in told
    assert "'1.259,50 €' is read as 1259.5" in told or "is read as" in told


def test_what_the_user_says_about_dates_and_quantities_wins(tmp_path):
    file = read_table_file(written(tmp_path))
    left = understand(file, target="y", dates="left-out").left_out
    assert left["day"] == "it holds dates: --time day splits by them"
    assert "amount" in understand(file, target="y", categorical=["amount"]).categorical
    assert understand(file, target="y", time="day").split.kind == "time"
    with pytest.raises(TableError, match="dates may be features or left-out, not 'no'"):
        certify_table(file, target="y", dates="no")


def test_a_run_from_before_dates_were_read_is_read_as_it_was(tmp_path):
    file = read_table_file(written(tmp_path))
    before = pose(file, target="y", holdout=0.2, seed=0, keep=["amount"])
    assert before.features == before.categorical == ("amount", "share")
    assert all(set(f) == {"name", "kind", "categories"} for f in before.schema["features"])


def test_training_cells_decide_the_form_and_others_are_missing():
    cells = [f"${i:,}.50" for i in range(1000, 1099)] + ["a lot"]
    y = ["a", "b"] * 50

    def cut(n, **_):
        return replace(split(n), train=np.arange(80), holdout=np.arange(80, n))

    problem = understand(of(c=cells, y=y), target="y", cut=cut)
    assert problem.features == ("c",)
    assert problem.X.column("c").to_pylist()[-2:] == [1098.5, None]


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        (["$5", "7 €"] * 50, "text"),  # two currencies
        (["5 kg", "7 kg"] * 50, "text"),
        (["007", "$12"] * 50, "text"),
        (["5%", "12%", "7.5 %"] * 33 + ["1%"], "number"),
        (["(1,200)", "1,500"] * 50, "number"),
    ],
)
def test_what_is_a_quantity(cells, kept):
    file = of(c=cells, y=[str(i % 3 % 2) for i in range(100)])
    (feature,) = understand(file, target="y", copies="independent").schema["features"]
    assert feature["kind"] == kept


def test_a_target_of_money_is_a_regression_unless_there_are_few_prices():
    prices = [f"${100 + 13 * i:,}.99" for i in range(100)]
    x = [float(i) for i in range(100)]
    problem = understand(of(x=x, y=prices), target="y", keep=["x"])
    assert problem.task == "regression"
    assert problem.y[1] == 113.99
    assert any("'$100.99' is read as 100.99" in str(note) for note in problem.notes)
    classes = understand(of(x=x, y=["$5", "$7"] * 50), target="y", keep=["x"])
    assert set(classes.y) == {"$5", "$7"}
    with pytest.raises(TableError, match="holds quantities, but also 'free'"):
        understand(of(x=x, y=[*prices[:-1], "free"]), target="y", task="regression", keep=["x"],
                   cut=_all_but_last)  # fmt: skip


def _all_but_last(n, **_):
    return replace(split(n), train=np.arange(n - 1), holdout=np.arange(n - 1, n))


def test_a_model_predicts_verifies_and_is_retrained_with_dates_and_money(tmp_path):
    path = written(tmp_path)
    file = read_table_file(path)
    run = certify_table(file, target="y", learners=["MixedNaiveBayes"])
    write_run(run, file, tmp_path / "out")
    model = tmp_path / "out" / "model.surelearn"
    new = tmp_path / "new.csv"
    new.write_text("day;amount;share\n24.12.2019;1.900,00 €;7\nsoon;1000;x\n", encoding="utf-8")
    predicted = predict_file(model, new)
    assert predicted.table.num_rows == 2
    told = "\n".join(map(str, predicted.notes))
    assert "column 'share': 1 cells are not of the kind number" in told
    found = verify_certificate(
        read_certificate(tmp_path / "out" / "certificate.json"),
        model=model,
        table=path,
        retrain=True,
    )
    assert all(finding.holds for finding in found), [str(f) for f in found if not f.holds]
    stored = json.loads((tmp_path / "out" / "certificate.json").read_text(encoding="utf-8"))
    assert stored["reproduce"]["options"]["dates"] == "features"


def test_a_forged_reading_is_refused():
    entry = {"name": "d: year", "kind": "number", "categories": [], "column": "d", "form": "dmy"}
    schema = {"target": "y", "columns": ["d", "y"], "missing": None, "header": True}
    check_schema({**schema, "features": [{**entry, "part": "year"}]})
    for forged in ({"part": "eval"}, {"part": "year", "form": "$"}, {"form": "x"}, {"zeros": 3},
                   {"part": "weekday"}, {"more": 1}, {"column": 7}):  # fmt: skip
        with pytest.raises(TableError, match="does not say which columns"):
            check_schema({**schema, "features": [{**entry, **forged}]})


def test_a_column_of_numbers_that_was_learnt_as_dates_is_refused():
    entry = {"name": "d: year", "kind": "number", "categories": [], "column": "d", "form": "dmy",
             "part": "year"}  # fmt: skip
    with pytest.raises(TableError, match="the model learnt it as dates"):
        read_features(pa.table({"d": [1.5]}), {"target": "y", "features": [entry]})


def test_zeros_are_asked_about_and_read_as_missing_if_told():
    values = [0.0 if i % 20 == 0 else 44.0 + i % 60 for i in range(200)]
    file = of(glucose=values, x=[float(i % 7) for i in range(200)], y=TARGET)
    (asked,) = [w for w in understand(file, target="y").warnings if "glucose" in w]
    assert asked.endswith("if 0 means that the value is missing, say --zeros glucose")
    problem = understand(file, target="y", zeros=["glucose"])
    assert problem.X.column("glucose").null_count == 10
    assert not [w for w in problem.warnings if "glucose" in w]


def test_zeros_of_a_column_that_holds_no_numbers_are_said_to_stay():
    file = of(level=[i % 3 for i in range(200)], x=[float(i % 7) for i in range(200)], y=TARGET)
    problem = understand(file, target="y", zeros=["level", "x"], categorical=["level"])
    assert problem.X.column("level").null_count == 0
    notes = [str(note) for note in problem.notes if "zeros" in str(note)]
    assert notes == [
        "column 'x': 0 means missing (--zeros says so)",
        "column 'level': 0 does not mean missing (--zeros is about columns of numbers)",
    ]


def test_forms_are_paid_for_by_structural_risk(tmp_path):
    problem = understand(read_table_file(written(tmp_path)), target="y")
    plain = [{"name": n, "kind": "number", "categories": []} for n in ("day", "amount", "share")]
    cheap = replace(problem, schema={**problem.schema, "features": plain})
    assert reading_bits(problem) > reading_bits(cheap) + 15.0


def test_a_leak_in_a_date_is_told_by_the_name_of_its_column():
    left = [None if y == "yes" else day for day, y in zip(GERMAN, TARGET, strict=True)]
    file = of(**{"day out": left}, x=[float(i % 7) for i in range(200)], y=TARGET)
    (told,) = [w for w in understand(file, target="y").warnings if "disguise" in w]
    assert told.startswith("column 'day out' may be the target in disguise")
    assert told.endswith("--drop 'day out'")
