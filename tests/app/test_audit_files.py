"""Files of answers that were misread, or read in spite of what they hold."""

import bz2
import gzip
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import surelearn
from surelearn import Certificate
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.auditing.plan import read_plan
from surelearn.app.errors import TableError
from surelearn.app.ledger import NoLedger
from surelearn.app.problem.target import read_target
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import verify_audit
from surelearn.base import data_fingerprint
from surelearn.cli import app

ROWS = "".join(f"{i % 2},{(i + (i % 17 == 0)) % 2}\n" for i in range(100))
FIRST, SECOND = "99999999999999999999", "99999999999999999998"


def audited(path, **options):
    file = read_table_file(path, alone=True)
    return audit_table(file, ledger=NoLedger(), **options)


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("role", ["truth", "prediction", "baseline", "challenger"])
def test_labels_that_would_be_rounded_to_the_same_are_refused(tmp_path, role):
    """Read as floats, two codes of 20 digits are one: every wrong answer would be a right one."""
    names = ["truth", "prediction", "baseline", "challenger"]
    cells = [FIRST if name == role else "1" for name in names]
    text = ",".join(names) + "\n" + (",".join(cells) + "\n") * 20 + "1,1,1,1\n" * 20
    path = written(tmp_path, "codes.csv", text)
    others = {"baseline": "baseline", "challenger": ["challenger"]}
    with pytest.raises(TableError, match=f"'{role}' for --{role}.*beyond 2\\^53.*as text"):
        audited(path, truth="truth", prediction="prediction", **others)


@pytest.mark.parametrize("role", ["group", "cluster", "stratum", "id"])
def test_names_of_groups_that_would_be_rounded_to_the_same_are_refused(tmp_path, role):
    cells = [f"{i % 2},1,{FIRST if i % 2 else SECOND}\n" for i in range(40)]
    path = written(tmp_path, "names.csv", "y,p,name\n" + "".join(cells))
    with pytest.raises(TableError, match=f"--{role}.*beyond 2\\^53"):
        audited(path, truth="y", prediction="p", **{role: "name"})


def test_decimals_that_would_be_rounded_to_the_same_are_refused():
    one, other = Decimal("12345678901234567890.1"), Decimal("12345678901234567890.2")
    table = pa.table({"y": [one] * 20 + [Decimal(1)] * 20, "p": [other] * 20 + [Decimal(1)] * 20})
    with pytest.raises(TableError, match=r"beyond 2\^53"):
        surelearn.audit(table, truth="y", prediction="p", claims=["accuracy"])


def test_large_numbers_that_are_measured_are_no_labels(tmp_path):
    cells = [f"{i}.5e20,{i}.25e20\n" for i in range(100)]
    path = written(tmp_path, "large.csv", "y,p\n" + "".join(cells))
    run = audited(path, truth="y", prediction="p")
    assert run.audit.rows.task == "regression"


@pytest.mark.parametrize("text", ["y,p", "y,p\n", "y,p\r\n", "\ufeffy,p"])
def test_names_without_rows_are_called_so(tmp_path, text):
    with pytest.raises(TableError, match="names of columns but no rows"):
        read_table_file(written(tmp_path, "names.csv", text))


@pytest.mark.parametrize(
    "text", ["passed\n" + "1\n0\n" * 30, "passed\n" + "yes\nno\n" * 30, "ok;\n" + "1;\n0;\n" * 30]
)
def test_results_may_be_the_only_column(tmp_path, text):
    path = written(tmp_path, "results.csv", text)
    run = audited(path, passed=text.partition("\n")[0].strip(";"), claims=["pass-rate"])
    assert run.certificate.n == 60
    assert run.certificate.observed == 0.5
    with pytest.raises(TableError, match="single column"):
        read_table_file(written(tmp_path, "one.csv", "passed\n" + "1\n0\n" * 30))


def test_lines_that_were_not_split_are_told_of(tmp_path):
    path = written(tmp_path, "odd.csv", "y:p\n" + ROWS.replace(",", ":"))
    with pytest.raises(TableError, match=r"no column 'y'.*--delimiter"):
        audited(path, truth="y", prediction="p")


def test_two_columns_of_the_name_that_was_asked_for_are_refused(tmp_path):
    text = "y,p,p\n" + ROWS.replace("\n", ",1\n")
    path = written(tmp_path, "twins.csv", text)
    with pytest.raises(TableError, match="two columns are called 'p'"):
        audited(path, truth="y", prediction="p")
    assert audited(path, truth="y", prediction="p_3").certificate.n == 100


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_json_lines_may_be_compressed(tmp_path, pack):
    text = "".join(f'{{"y": {i % 2}, "p": {i % 2}}}\n' for i in range(50)).encode()
    plain = written(tmp_path, "plain.jsonl", text)
    packed = written(tmp_path, "packed.jsonl.gz", pack(text))
    both = [audited(path, truth="y", prediction="p") for path in (plain, packed)]
    assert both[0].certificate.bound == both[1].certificate.bound
    assert read_table_file(packed).sha256 != read_table_file(plain).sha256
    with pytest.raises(TableError, match="one JSON array"):
        read_table_file(written(tmp_path, "array.json.gz", pack(b'[{"y": 1}]')))


def test_json_lines_that_are_compressed_and_cut_are_refused(tmp_path):
    text = "".join(f'{{"y": {i * 7919 % 101}, "p": {i}}}\n' for i in range(5000)).encode()
    with pytest.raises(TableError, match="cannot be decompressed"):
        read_table_file(written(tmp_path, "cut.jsonl.gz", gzip.compress(text)[:-3000]))


def test_an_audit_tells_of_no_option_that_it_lacks(tmp_path):
    run = audited(written(tmp_path, "a.csv", "y,p\n" + ROWS), truth="y", prediction="p")
    assert not any("--categorical" in str(note) for note in run.notes)
    assert any("--delimiter" in str(note) for note in run.notes)


def test_classes_that_would_be_rounded_to_the_same_are_refused(tmp_path):
    cells = [f"{i},{(FIRST, SECOND, '5')[i % 3]}\n" for i in range(60)]
    file = read_table_file(written(tmp_path, "t.csv", "a,y\n" + "".join(cells)))
    with pytest.raises(TableError, match=r"target 'y'.*beyond 2\^53"):
        read_target(file.table.column("y"), "y", None, np.arange(48))


def test_a_plan_may_begin_with_a_mark(tmp_path):
    path = written(tmp_path, "plan.toml", "\ufeffclaims = ['accuracy>=0.5']\n")
    assert read_plan(path).claims == ("accuracy>=0.5",)


@pytest.mark.parametrize(
    "options", [["--delta", "0.2"], ["--looks", "5"], ["--claim", "accuracy>=0.6"]]
)
def test_options_that_a_plan_overrules_are_refused(tmp_path, options, monkeypatch):
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    path = written(tmp_path, "a.csv", "y,p\n" + ROWS)
    plan = written(tmp_path, "plan.toml", "claims = ['accuracy>=0.5']\n")
    asked = ["audit", str(path), "--truth", "y", "--prediction", "p", "--plan", str(plan)]
    result = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "out"), *options])
    assert result.exit_code == 2
    assert f"leave out {options[0]}" in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


TABLE = pa.table({"y": [0, 1] * 20, "p": [0, 1] * 20, "old": [0, 1] * 20})


@pytest.mark.parametrize(
    "options",
    [
        {"positive": np.int64(1), "looks": np.int64(2)},
        {"positive": np.True_, "by_label": np.True_, "claims": ["sensitivity"]},
        {"delta": np.float32(0.1), "challenger": "old"},
    ],
)
def test_numbers_of_numpy_are_numbers(options):
    """They are what `labels[1]` gives, and were no JSON."""
    file = TableFile.of_table(TABLE)
    run = audit_table(file, truth="y", prediction="p", ledger=NoLedger(), **options)
    assert Certificate.from_json(run.certificate.to_json()) == run.certificate


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"positive": np.array(1)}, "positive is a label"),
        ({"positive": b"1"}, "positive is a label"),
        ({"challenger": np.array(["old"])}, "list of names of columns"),
        ({"plan": {"claims": ["accuracy>=0.5"]}}, "path of a TOML file"),
    ],
)
def test_what_is_no_option_is_refused_in_a_sentence(options, says):
    with pytest.raises(TypeError, match=says):
        surelearn.audit(TABLE, truth="y", prediction="p", **options)


def test_a_plan_may_be_named_by_its_path(tmp_path):
    path = written(tmp_path, "plan.toml", "claims = ['accuracy>=0.5']\ndelta = 0.1\n")
    file = TableFile.of_table(TABLE)
    run = audit_table(file, truth="y", prediction="p", plan=str(path), ledger=NoLedger())
    assert (run.verdict, run.audit.delta) == ("proved", 0.1)


def test_audits_of_before_labels_had_room_for_a_missing_one_are_verified(tmp_path):
    said = np.array(["a", "b"] * 60)
    text = "truth,said\n" + "".join(f"{one},{one}\n" for one in said)
    path = written(tmp_path, "t.csv", text)
    run = audited(path, truth="truth", prediction="said")
    bundle, now = bundle_of(run.claims, run.audit.delta), run.certificate.reproduce["data"]
    for data, holds in ((data_fingerprint(said.reshape(-1, 1), said), True), ("0" * 40, False)):
        assert data != now
        former = from_json(to_json(bundle).replace(now, data))
        assert all(found.holds for found in verify_audit(former, table=path)) == holds
