"""The ledger of the command: each look is entered before it is answered, and later ones know it."""

import json
import os
import resource
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet
from typer.testing import CliRunner

from surelearn.app.ledger import UserLedger
from surelearn.app.ledger_files import Look, append, read_pages, state_folder
from surelearn.app.problem.copies import identify
from surelearn.app.tables.read import read_table_file
from surelearn.base.row_identity import RowSet
from surelearn.certificate import Certificate
from surelearn.cli import app
from surelearn.evaluate.ledger import Question

pytestmark = pytest.mark.usefixtures("no_figures")

FAST = ("--learner", "MixedNaiveBayes")


def write_table(path, n=150, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    y = np.where(x + rng.normal(size=n) > 0, "yes", "no")
    csv.write_csv(pa.table({"x": x, "z": z, "y": y}), path)
    return path


@pytest.fixture
def table(tmp_path):
    return write_table(tmp_path / "t.csv")


def certify(table, *options, out="out"):
    where = table.parent / out
    asked = ["certify", str(table), "--target", "y", *FAST, *map(str, options), "--force"]
    result = CliRunner().invoke(app, [*asked, "--out", str(where)], env={"COLUMNS": "200"})
    found = Certificate.from_json((where / "certificate.json").read_text(encoding="utf-8"))
    assert result.exit_code == int(found.status == "void"), result.output
    return found, " ".join(result.output.split())


def show(*options):
    return CliRunner().invoke(app, ["ledger", *map(str, options)])


def not_chosen(certificate):
    return next(p for p in certificate.preconditions if p.key == "not_chosen_by_them")


def entries():
    return read_pages(state_folder() / "ledger.jsonl").looks


def test_a_second_model_of_the_same_table_is_void_and_it_is_said_before(table):
    first, said = certify(table)
    assert first.status == "valid"
    assert (not_chosen(first).status, "Warning: this table" in said) == ("assumed", False)
    second, said = certify(table, "--seed", 1)
    assert second.status == "void"
    assert not_chosen(second).status == "violated"
    assert "Warning: this table was certified before (one look" in said
    assert said.index("Warning: this table") < said.index("void certificate")
    assert np.isnan(second.observed)
    assert "errors" not in second.reproduce["inputs"]
    report = (table.parent / "out" / "report.html").read_text(encoding="utf-8")
    assert "predicted yes" not in report
    assert len(entries()) == 1  # nothing was told, so nothing was charged


def test_the_same_run_again_is_the_same_look(table):
    first, _ = certify(table)
    again, said = certify(table, out="other")
    assert again.to_json() == first.to_json()
    assert "Warning: this table" in said  # before the model is known
    assert len(entries()) == 1


def test_planned_looks_share_delta_and_the_next_one_is_void(table):
    seeds = [certify(table, "--looks", 2, "--seed", seed)[0] for seed in (0, 1, 2)]
    assert [c.status for c in seeds] == ["valid", "valid", "void"]
    assert [c.delta for c in seeds[:2]] == [0.025, 0.025]
    assert [c.family.query for c in seeds[:2]] == [1, 2]
    assert all("95% for all 2 models together" in c.claim for c in seeds[:2])
    fixed = [p for p in seeds[0].preconditions if p.key == "fixed_family"]
    assert [p.status for p in fixed] == ["assumed"]


@pytest.mark.parametrize("options", [("--looks", 3), ("--delta", 0.1, "--looks", 2), ()])
def test_another_plan_than_the_first_is_void(table, options):
    certify(table, "--looks", 2)
    assert certify(table, *options, "--seed", 1)[0].status == "void"


def test_a_table_is_known_by_its_rows_not_by_its_bytes(table, tmp_path):
    certify(table)
    rows = csv.read_csv(table)
    disguises = {
        "shuffled.csv": rows.take(np.random.default_rng(0).permutation(len(rows))),
        "turned.csv": rows.select(["y", "z", "x"]),
        "shorter.csv": rows.slice(1),
        "twice.csv": pa.concat_tables([rows, rows]),
        "partly twice.csv": pa.concat_tables([rows, rows.slice(0, 100)]),
        "three times.csv": pa.concat_tables([rows] * 3),
    }
    for name, other in disguises.items():
        csv.write_csv(other, tmp_path / name)
        assert certify(tmp_path / name, "--seed", 1)[0].status == "void", name
    parquet.write_table(rows, tmp_path / "t.parquet")
    assert certify(tmp_path / "t.parquet", "--seed", 1)[0].status == "void"
    assert certify(write_table(tmp_path / "fresh.csv", seed=1))[0].status == "valid"


def test_the_ledger_beside_the_results_is_read_where_there_is_no_other(
    table, monkeypatch, tmp_path
):
    certify(table)
    assert (tmp_path / "surelearn-ledger.jsonl").is_file()
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "new home"))
    assert certify(table, "--seed", 1)[0].status == "void"


@pytest.mark.parametrize("state", ["file", "below a file"])
def test_a_ledger_that_cannot_be_kept_is_said(table, monkeypatch, tmp_path, state):
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    where = tmp_path / "file" if state == "file" else tmp_path / "file" / "below"
    monkeypatch.setenv("SURELEARN_STATE", str(where))
    (tmp_path / "surelearn-ledger.jsonl").mkdir()  # nor can the one beside the results
    certificate, said = certify(table)
    assert certificate.status == "valid"
    assert not_chosen(certificate).status == "assumed"
    assert "no ledger was kept" in not_chosen(certificate).evidence
    assert "cannot be kept" in said


def test_a_pipe_in_place_of_the_ledger_does_not_hang(table):
    state_folder().mkdir(parents=True)
    os.mkfifo(state_folder() / "ledger.jsonl")
    certificate, said = certify(table)
    assert certificate.status == "valid"
    assert "cannot be kept" in said


DAMAGED = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"{}",
    b"\xff\xfe\x00",
    b'{"ledger": 1}',
    b'{"ledger": 1, "answer": 3, "table": "", "model": ""}',
    b'{"ledger": 1, "answer": {}}',
    b"[" * 100_000,
    b"1" * 10_000,
    b'{"ledger": 1e999}',
]


@pytest.mark.parametrize("field", ["looks", "delta", "rows", "n_rows", "table", "model", "date"])
@pytest.mark.parametrize("value", [None, "many", -1, [["x"]], {"a": 1}, True, 10**40])
def test_a_forged_line_never_ends_in_a_traceback(tmp_path, field, value):
    look = Look(
        RowSet.of(np.arange(200, dtype=np.uint64)),
        Question("delta 0.05 for 1 looks", "m"),
        {"date": "today", "file": "t", "target": "y", "learner": "L", "looks": 1, "delta": 0.05},
    )
    path = tmp_path / "ledger.jsonl"
    path.write_text(json.dumps({**look.to_line(), field: value}) + "\n", encoding="utf-8")
    pages = read_pages(path)
    assert len(pages.looks) + pages.n_damaged == 1
    assert all(found.rows.is_mostly(look.rows) in {True, False} for found in pages.looks)
    shown = show("--file", path)
    assert (shown.exit_code, "Traceback" in shown.output) == (0, False)


def test_damaged_lines_are_told_and_the_others_count(table):
    certify(table)
    path = state_folder() / "ledger.jsonl"
    path.write_bytes(b"\n".join(DAMAGED) + b"\n" + path.read_bytes() + b'{"half')
    second, said = certify(table, "--seed", 1)
    assert second.status == "void"
    assert "lines of the ledger" in said
    fresh, _ = certify(write_table(table.parent / "fresh.csv", seed=1))
    assert fresh.status == "valid"
    assert "cannot be read" in not_chosen(fresh).evidence
    assert len(entries()) == 2  # half a line did not swallow the next one


def test_verify_and_predict_are_no_looks(table, tmp_path):
    certify(table)
    before = entries()
    model, data = tmp_path / "out" / "model.surelearn", table
    run = CliRunner().invoke
    asked = ["verify", tmp_path / "out" / "certificate.json", "--model", model, "--data", data]
    assert run(app, [str(word) for word in asked]).exit_code == 0
    asked = ["predict", model, data, "--out", tmp_path / "p.csv"]
    assert run(app, [str(word) for word in asked]).exit_code == 0
    assert entries() == before


def test_a_certificate_of_planned_looks_is_verified(table, tmp_path):
    certify(table, "--looks", 2)
    certify(table, "--looks", 2, "--seed", 1)
    model = tmp_path / "out" / "model.surelearn"
    asked = ["verify", tmp_path / "out" / "certificate.json", "--model", model, "--data", table]
    result = CliRunner().invoke(app, [str(word) for word in asked])
    assert result.exit_code == 0, result.output


def test_the_ledger_can_be_read(table):
    assert "Nothing was certified yet" in show().output
    certificate, _ = certify(table, "--looks", 3)
    text = show().output
    assert "t.csv, target y, 150 rows: 1 of 3 looks used, delta 0.05" in text
    assert certificate.claim in text
    told = json.loads(show("--json").output)
    assert told["tables"][0]["looks"][0]["status"] == "valid"
    assert "looks" in CliRunner().invoke(app, ["ledger", "--help"]).output
    missing = show("--file", table.parent / "nowhere.jsonl")
    assert (missing.exit_code, missing.stderr.count("\n")) == (2, 1)


def test_names_cannot_command_the_terminal(tmp_path):
    look = Look(
        RowSet.of(np.arange(9, dtype=np.uint64)),
        Question("r", "m"),
        {"date": "\x1b[2J", "file": "\x1b]0;owned\x07", "target": "y\r\b", "learner": "L\u202e",
         "looks": 1, "delta": 0.05},
    )  # fmt: skip
    append(tmp_path / "l.jsonl", look.to_line())
    assert not set("\x1b\x07\r\b\u202e") & set(show("--file", tmp_path / "l.jsonl").output)


def test_a_look_is_entered_before_it_is_answered(table, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("surelearn.app.certify.ask", stop)
    result = CliRunner().invoke(app, ["certify", str(table), "--target", "y", *FAST])
    assert result.exit_code != 0
    assert len(entries()) == 1


def _enter(number):
    about = {"date": "d", "file": "f", "target": "y", "learner": "L", "looks": 4, "delta": 0.05}
    rows = RowSet.of(np.arange(300, dtype=np.uint64))
    return UserLedger(Path("out")).enter(Look(rows, Question("r", str(number)), about)).standing


def test_runs_at_the_same_moment_stand_one_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ThreadPoolExecutor(6) as pool:  # each opens the file anew, as another process would
        found = list(pool.map(_enter, range(6)))
    assert sorted(standing.number for standing in found if standing.allowed) == [1, 2, 3, 4]
    assert sum(not standing.allowed for standing in found) == 2


def test_the_state_folder_is_the_users_own(table):
    certify(table)
    assert stat.S_IMODE(state_folder().stat().st_mode) & 0o077 == 0


def test_a_table_is_identified_as_read(tmp_path):
    table = write_table(tmp_path / "t.csv")
    commented = tmp_path / "u.tsv"
    commented.write_text(table.read_text(encoding="utf-8").replace(",", "\t"), encoding="utf-8")
    first, other = (read_table_file(path).table for path in (table, commented))
    assert identify(first, "y").digest == identify(other, "y").digest
    assert identify(first, "y").digest != identify(first, "x").digest


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_a_table_whose_dates_and_truth_values_were_written_as_text_is_the_same(tmp_path, suffix):
    """As pandas and Polars write them after they read a text file: it was another table."""
    rng, n = np.random.default_rng(0), 60
    days = np.datetime64("2020-12-30") + rng.integers(0, 9, n)
    hours = days.astype("M8[s]") + rng.integers(0, 86_400, n)
    typed = pa.table({
        "day": days.astype("M8[us]"), "hour": hours, "on": np.arange(n) % 3 == 0,
        "x": rng.normal(size=n), "y": rng.choice(["no", "yes"], n),
    })  # fmt: skip
    csv.write_csv(typed, tmp_path / "t.csv")
    words = {"day": pa.array(days.astype(str)), "hour": pa.array(hours.astype(str))}
    words["on"] = pa.array(np.where(np.arange(n) % 3 == 0, "True", "False"))
    as_text = pa.table({**{name: typed[name] for name in typed.column_names}, **words})
    write = parquet.write_table if suffix == ".parquet" else feather.write_feather
    write(as_text, tmp_path / f"u{suffix}")
    first, other = (read_table_file(tmp_path / name).table for name in ("t.csv", f"u{suffix}"))
    assert identify(first, "y").digest == identify(other, "y").digest
    write(as_text.set_column(0, "day", [words["day"][::-1]]), tmp_path / f"u{suffix}")
    other = read_table_file(tmp_path / f"u{suffix}").table
    assert identify(first, "y").digest != identify(other, "y").digest


def a_line(**forged):
    look = Look(
        RowSet.of(np.arange(200, dtype=np.uint64)),
        Question("r", "m"),
        {"date": "d", "file": "t", "target": "y", "learner": "L", "looks": 1, "delta": 0.05},
    )
    return {**look.to_line(), **forged}


def copied(**forged):
    look = Look.from_line(a_line())
    rows = RowSet.of(np.repeat(np.arange(200, dtype=np.uint64), 2))
    return {**look._replace(rows=rows).to_line(), **forged}


def test_a_line_knows_how_often_rows_are_there(tmp_path):
    path = tmp_path / "l.jsonl"
    append(path, copied())
    [look] = read_pages(path).looks
    assert look.rows == RowSet.of(np.repeat(np.arange(200, dtype=np.uint64), 2))
    before = {k: v for k, v in copied().items() if k not in {"counted", "n_distinct"}}
    assert Look.from_line(before).rows.counts == {}  # as older versions wrote it


@pytest.mark.parametrize(
    "forged",
    [
        copied(n_distinct=True),
        copied(n_distinct=400),
        copied(counted=7),
        copied(counted=copied()["counted"][:-1]),
        copied(counted=copied()["counted"][::-1]),
        copied(counted=[*copied()["counted"][:-1], "ffffffffffffffff 0"]),
        copied(counted=[*copied()["counted"][:-1], "ffffffffffffffff 999"]),
        {"delta": "0.05"},
        {"looks": 0},
        {"looks": True},
        {"n_single": -1},
        {"n_single": 201},
        {"rows": "0123456789"},
        {"rows": a_line()["rows"][:-1]},
        {"rows": a_line()["rows"][::-1]},
        {"rows": [*a_line()["rows"][:-1], "-1"]},
        {"rows": [*a_line()["rows"][:-1], 7]},
        {"answer": {"status": 1, "claim": []}},
        {"answer": [["status", "x"]]},
    ],
)
def test_a_line_that_no_run_writes_is_damaged(tmp_path, forged):
    path = tmp_path / "l.jsonl"
    append(path, a_line())
    append(path, a_line(**forged))
    pages = read_pages(path)
    assert (len(pages.looks), dict(pages.answers), pages.n_damaged) == (1, {}, 1)
    assert show("--file", path).exit_code == 0


def test_a_line_that_is_too_long_is_damaged_and_the_next_one_counts(tmp_path):
    path = tmp_path / "l.jsonl"
    append(path, a_line(file="x" * 3_000_000))
    append(path, a_line())
    pages = read_pages(path)
    assert (len(pages.looks), pages.n_damaged) == (1, 1)


def test_what_is_no_ledger_at_all_is_one_sentence(tmp_path):
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(2 * 10**9)  # it takes no place on the disk
    os.mkfifo(tmp_path / "pipe")
    for path in (huge, tmp_path, tmp_path / "pipe", "/dev/zero"):
        shown = show("--file", path)
        assert (shown.exit_code, shown.stderr.count("\n")) == (2, 1), path


def test_the_name_of_a_ledger_cannot_command_the_terminal(tmp_path):
    path = tmp_path / "\x1b[2J.jsonl"
    path.write_text("damaged\n", encoding="utf-8")
    assert "\x1b" not in show("--file", path).output


def test_a_disk_that_is_full_leaves_no_half_line(tmp_path):
    path = tmp_path / "l.jsonl"
    append(path, a_line())
    whole = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 100, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            append(path, a_line(file="x" * 500))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == whole
    assert read_pages(path).n_damaged == 0


def test_without_a_home_the_ledger_is_beside_the_results(table, monkeypatch):
    """A user of a container may be a number only, and have no home: that was a traceback."""
    for name in ("SURELEARN_STATE", "XDG_STATE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", str)
    monkeypatch.chdir(table.parent)
    first, said = certify(table)
    assert "set SURELEARN_STATE to a folder that stays" in said
    assert first.status != "void"
    assert certify(table, "--seed", 1, out="other")[0].status == "void"
    shown = show()
    assert (shown.exit_code, "SURELEARN_STATE" in shown.output) == (2, True)
    assert not (table.parent / "~").exists()


def test_a_file_of_very_many_lines_is_no_ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_text("x\n" * 10_001, encoding="utf-8")
    with pytest.raises(OSError, match="it is no ledger"):
        read_pages(path)
    shown = CliRunner().invoke(app, ["ledger", "--file", str(path)])
    assert shown.exit_code == 2
    assert "is no ledger" in shown.stderr
