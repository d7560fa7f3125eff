"""Rows of an audit that repeat others are counted: what no file can show, copies make doubtful."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.output import write_audit
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import verify_audit
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")
ASKED = {"truth": "truth", "prediction": "said"}


def answers(times=3, n=100, seed=3):
    """Return a table whose rows stand there several times."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    columns = {
        "age": rng.integers(20, 90, n),
        "size": rng.normal(size=n),
        "site": np.array(["a", "b"])[rng.integers(0, 2, n)],
        "truth": truth,
        "said": np.where(rng.random(n) < 0.1, 1 - truth, truth),
    }
    order = rng.permutation(np.repeat(np.arange(n), times))
    return pa.table({name: column[order] for name, column in columns.items()})


def audited(table, claims=("error",), **options):
    forget()
    return audit_table(TableFile.of_table(table), claims=list(claims), **ASKED, **options)


def drawn(run):
    """Return what is known of how rows were drawn."""
    return next(p for p in run.certificate.preconditions if p.key == "independent")


def test_rows_that_repeat_others_are_counted():
    run = audited(answers())
    assert drawn(run).status == "assumed"
    assert "200 of the 300 rows repeat others in all columns but truth" in drawn(run).evidence
    assert "200 of the 300 rows repeat others" in run.warnings[0]


def test_one_that_repeats_another_is_told_as_one():
    table = answers(times=1)
    run = audited(pa.concat_tables([table, table.slice(7, 1)]))
    assert "1 of the 101 rows repeats another in all" in drawn(run).evidence


def test_copies_that_differ_in_truth_and_answer_are_copies_still():
    table = answers(times=1)
    other = table.set_column(3, "truth", pa.array(1 - np.asarray(table["truth"])))
    assert "100 of the 200 rows" in drawn(audited(pa.concat_tables([table, other]))).evidence


def test_columns_that_number_cases_are_not_said_to_repeat():
    table = answers()
    run = audited(table.append_column("case", pa.array(range(table.num_rows))))
    aside = "in all columns but truth, answers and what names or numbers cases, and are taken"
    assert aside in drawn(run).evidence
    assert aside in run.warnings[0]


@pytest.mark.parametrize(
    "table",
    [
        answers(times=1),
        answers().select(["truth", "said"]),
        answers().select(["truth", "said", "site"]),  # draws of few categories coincide
    ],
    ids=["distinct rows", "nothing else", "few categories"],
)
def test_nothing_is_said_where_nothing_shows_copies(table):
    run = audited(table)
    assert "repeat" not in drawn(run).evidence
    assert run.warnings == ()


def test_rows_of_clusters_may_repeat_each_other():
    run = audited(answers(), ["error-per-cluster"], cluster="age")
    assert run.warnings == ()


def written(tmp_path):
    """Return a file of answers with copies, and what an audit of it wrote."""
    csv.write_csv(answers(), tmp_path / "answers.csv")
    forget()
    file = read_table_file(tmp_path / "answers.csv", alone=True)
    run = audit_table(file, claims=["error", "sensitivity"], positive="1", **ASKED)
    return run, json.loads(to_json(bundle_of(run.claims, run.audit.delta)))


def changed(content, change):
    """Return the audit with each of its certificates changed."""
    for outcome in content["outcomes"]:
        change(outcome["certificate"])
    return from_json(json.dumps(content))


def test_it_is_verified_alone_and_with_its_data(tmp_path):
    _, content = written(tmp_path)
    found = from_json(json.dumps(content))
    assert all(one.holds for one in verify_audit(found, table=tmp_path / "answers.csv"))


@pytest.mark.parametrize("n_copies", [0, 199, -1, 300, True, 200.0])
def test_another_number_of_copies_is_refused(tmp_path, n_copies):
    _, content = written(tmp_path)
    forged = changed(content, lambda c: c["reproduce"].update(n_copies=n_copies))
    assert not all(one.holds for one in verify_audit(forged))


def test_an_audit_from_before_copies_were_counted_is_verified_with_its_data(tmp_path):
    _, content = written(tmp_path)

    def as_before(certificate):
        del certificate["reproduce"]["n_copies"]
        first = certificate["preconditions"][0]
        first["evidence"] = first["evidence"].partition("; ")[0]

    found = changed(content, as_before)
    assert all(one.holds for one in verify_audit(found, table=tmp_path / "answers.csv"))


def test_the_report_warns(tmp_path):
    run, _ = written(tmp_path)
    page = next(path for path in write_audit(run, tmp_path / "out") if path.suffix == ".html")
    assert "200 of the 300 rows repeat others" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "other"),
    [("n_copies", 0.0), ("n_copies", 1), ("table", "A file of this firm."), ("data", "")],
)
def test_another_count_of_copies_or_a_fingerprint_that_is_none_is_found(name, other):
    run = audited(answers(times=1))
    text = to_json(bundle_of(run.audit.outcomes, run.audit.delta))
    content = json.loads(text)
    assert all(found.holds for found in verify_audit(from_json(text)))
    for outcome in content["outcomes"]:
        outcome["certificate"]["reproduce"][name] = other
    assert not all(found.holds for found in verify_audit(from_json(json.dumps(content))))
