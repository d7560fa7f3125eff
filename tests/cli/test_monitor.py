"""`surelearn monitor`: a stream watched from the terminal."""

import json
import signal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from surelearn import Certificate, DriftAlarm, ModelDifferenceMonitor, RiskMonitor
from surelearn.app.monitor import Columns, StreamMonitor
from surelearn.app.monitoring import reading
from surelearn.app.verify import verify_certificate
from surelearn.cli import app

run = CliRunner().invoke
TRUTH = ["--truth", "ill", "--prediction", "said"]


def outcomes(n, rate, *, start=0):
    rng = np.random.default_rng([n, start])
    ill, wrong = rng.random(n) < 0.3, rng.random(n) < rate
    old = rng.random(n) < 0.3
    return [
        {"ill": int(a), "said": int(a ^ b), "old": int(a ^ c), "loss": float(b), "ok": not bool(b)}
        for a, b, c in zip(ill, wrong, old, strict=True)
    ]


def text_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


ROWS = outcomes(600, 0.05) + outcomes(200, 0.6, start=1)
ERRORS = np.array([row["loss"] for row in ROWS])


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "outcomes.jsonl"
    path.write_text(text_of(ROWS))
    return str(path)


def test_a_quiet_stream_ends_with_0_and_its_bound(tmp_path, stream):
    out = tmp_path / "watched"
    result = run(app, ["monitor", stream, *TRUTH, "--tolerated", "0.5", "--out", str(out)])
    assert result.exit_code == 0, result.output
    found = Certificate.from_json((out / "certificate.json").read_text())
    expected = RiskMonitor().update(ERRORS).certificate()
    assert (found.bound, found.n) == (expected.bound, 800)
    assert found.headline[0] in " ".join(result.output.split())
    assert all(finding.holds for finding in verify_certificate(found))
    content = json.loads((out / "monitor.json").read_text())
    assert content["rows"] == 800
    assert content["alarm"]["rang"] is False
    assert content["history"]["bounds"][-1] == expected.bound
    assert (out / "monitor.svg").read_text().startswith("<svg")
    assert "quiet" in result.output


@pytest.mark.parametrize("options", [[], ["--alarm-every", "500"]])
def test_a_stream_that_went_bad_ends_with_1(stream, options):
    result = run(app, ["monitor", stream, *TRUTH, "--tolerated", "0.1", *options])
    assert result.exit_code == 1
    assert "ALARM since row" in result.output
    if options:
        first = DriftAlarm(tolerated=0.1, rows_between=500).update(ERRORS).alarms[0]
        assert f"ALARM since row {first:,}" in result.output


def test_every_way_to_tell_a_row_counts_the_same(tmp_path, stream):
    table = tmp_path / "outcomes.parquet"
    parquet.write_table(pa.Table.from_pylist(ROWS), table)
    ways = [
        [stream, *TRUTH],
        [stream, "--loss", "loss"],
        [stream, "--passed", "ok"],
        [str(table), *TRUTH],
        [str(table), "--passed", "ok"],
    ]
    lines = {run(app, ["monitor", *way]).output.splitlines()[0] for way in ways}
    piped = run(app, ["monitor", "-", *TRUTH], input=text_of(ROWS))
    assert lines == {piped.output.splitlines()[0]}
    assert piped.exit_code == 0


@pytest.mark.parametrize(("which", "status"), [("said", 0), ("old", 1)])
def test_champion_and_challenger(tmp_path, which, status):
    rows = outcomes(4000, 0.02)
    path = tmp_path / "both.jsonl"
    path.write_text(text_of(rows))
    other = {"said": "old", "old": "said"}[which]
    options = ["--truth", "ill", "--prediction", which, "--baseline", other]
    result = run(app, ["monitor", str(path), *options])
    assert result.exit_code == status, result.output
    wrong = [np.array([row["ill"] != row[name] for row in rows]) for name in (which, other)]
    expected = ModelDifferenceMonitor().update(*wrong).certificate()
    assert expected.claim in " ".join(result.output.split())
    assert ("better than the baseline" in result.output) == (status == 0)


BAD = [
    ("{", "no JSON"),
    ("[1]", "no JSON object"),
    ('{"ill": 1}', "there is no 'said'"),
    ('{"ill": 1, "said": null}', "missing"),
    ('{"ill": 1, "said": NaN}', "missing"),
    ('{"ill": 1, "said": "yes"}', "never equal"),
    ('{"ill": 1, "said": 0.37}', "no label"),
    ('{"ill": 1, "said": [1]}', "not one value"),
    ('{"ill": 1, "ill": 0, "said": 1}', "twice"),
    ('{"ill": 1, "said": 1e999}', "no label"),
    ("[" * 100_000, "brackets within brackets"),
    ("\x00", "no JSON"),
]


@pytest.mark.parametrize(("line", "says"), BAD)
def test_a_bad_line_ends_in_a_sentence_with_its_number(tmp_path, line, says):
    good = text_of(ROWS[:50])
    out = tmp_path / "watched"
    result = run(app, ["monitor", "-", *TRUTH, "--out", str(out)], input=f"{good}\n{line}\n{good}")
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: line 52: ")
    assert says in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout.startswith("50 rows")
    assert not (out / "certificate.json").exists()


def test_bytes_that_are_no_text_end_in_a_sentence(tmp_path):
    path = tmp_path / "bytes.jsonl"
    path.write_bytes(text_of(ROWS[:3]).encode() + b"\xff\xfe{}\n")
    result = run(app, ["monitor", str(path), *TRUTH])
    assert result.exit_code == 2
    assert "line 4: it is no text in UTF-8" in result.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "in one way"),
        (["--truth", "ill"], "in one way"),
        ([*TRUTH, "--loss", "loss"], "in one way"),
        (["--truth", "ill", "--prediction", "ill"], "named twice"),
        ([*TRUTH, "--baseline", "said"], "named twice"),
        ([*TRUTH, "--delta", "0"], "delta"),
        ([*TRUTH, "--tolerated", "1"], "--tolerated"),
        ([*TRUTH, "--tolerated", "nan"], "--tolerated"),
        ([*TRUTH, "--alarm-every", "100"], "needs --tolerated"),
        ([*TRUTH, "--tolerated", "0.1", "--alarm-every", "1"], "above 1"),
        ([*TRUTH, "--tolerated", "0", "--alarm-every", "100"], "tolerated"),
        ([*TRUTH, "--baseline", "old", "--tolerated", "0.1", "--alarm-every", "9"], "one model"),
    ],
)
def test_options_that_contradict_each_other_are_refused(stream, options, says):
    result = run(app, ["monitor", stream, *options])
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["no-such.jsonl", "table.csv", ".", "broken.parquet"])
def test_a_stream_that_is_none_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    result = run(app, ["monitor", name, *TRUTH])
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1


def test_a_stream_without_rows_and_a_missing_column_are_refused(tmp_path):
    empty = run(app, ["monitor", "-", *TRUTH], input="\n\n")
    assert (empty.exit_code, "had no rows" in empty.stderr) == (2, True)
    table = tmp_path / "other.parquet"
    parquet.write_table(pa.table({"ill": [1]}), table)
    other = run(app, ["monitor", str(table), *TRUTH])
    assert (other.exit_code, "no column 'said'" in other.stderr) == (2, True)


def test_files_of_an_earlier_run_stay_unless_forced(tmp_path, stream):
    out = str(tmp_path / "watched")
    assert run(app, ["monitor", stream, *TRUTH, "--out", out]).exit_code == 0
    again = run(app, ["monitor", stream, *TRUTH, "--out", out])
    assert (again.exit_code, "already holds" in again.stderr) == (2, True)
    assert run(app, ["monitor", stream, *TRUTH, "--out", out, "--force"]).exit_code == 0


def test_lines_may_come_in_any_pieces():
    class Drops:
        """A pipe that gives a few bytes at a time."""

        def __init__(self, content):
            self.content = content

        def read1(self, _):
            found, self.content = self.content[:7], self.content[7:]
            return found

    content = "\ufeff" + text_of(ROWS[:20]).rstrip("\n")
    monitor = StreamMonitor()
    columns = Columns(truth="ill", prediction="said")
    for block in reading.read_blocks("-", columns, Drops(content.encode())):
        monitor.update(block)
    assert monitor.n_rows == 20
    assert monitor.certificate.observed == ERRORS[:20].mean()


def test_the_keyboard_waits_until_a_block_is_counted(tmp_path, stream, monkeypatch):
    """Interrupted within a block, its losses were in the sum and not in the number of rows."""
    counted = RiskMonitor.update

    def update(self, losses):
        signal.raise_signal(signal.SIGINT)
        return counted(self, losses)

    monkeypatch.setattr(RiskMonitor, "update", update)
    out = tmp_path / "watched"
    result = run(app, ["monitor", stream, *TRUTH, "--out", str(out)])
    assert result.exit_code == 0, result.output
    content = json.loads((out / "monitor.json").read_text())
    found = Certificate.from_json((out / "certificate.json").read_text())
    assert content["rows"] == found.n > 0


def test_a_column_without_a_name_is_looked_for_like_any_other(tmp_path):
    stream = tmp_path / "stream.jsonl"
    stream.write_text('{"": 0.5}\n{"loss": 0.5}\n', encoding="utf-8")
    done = CliRunner().invoke(app, ["monitor", str(stream), "--loss", ""])
    assert done.exit_code == 2
    assert "line 2: there is no ''" in done.stderr
