"""Names, labels and categories of millions of characters end in a sentence, not in gigabytes."""

import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from surelearn.app.errors import TableError
from surelearn.app.predict import _n_unseen
from surelearn.app.problem.features import judge
from surelearn.app.problem.target import as_codes
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.cli import app
from surelearn.learners.encoders.table_encoder import TableEncoder

LONG = "k" * 3_000_000
run = CliRunner().invoke


def test_the_name_of_a_column_is_no_page(tmp_path):
    with pytest.raises(TableError, match="column 2 of table has 3,000,000 characters"):
        TableFile.of_table(pa.table({"a": [1], LONG: [2]}))
    path = tmp_path / "t.csv"
    path.write_text(f"{LONG[:20_000]},y\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match="say --no-header"):
        read_table_file(path)


def test_a_label_is_no_page():
    with pytest.raises(TableError, match="'kkkkkkkkkkkkkkkkkkkk…' has 3,000,000 characters"):
        as_codes(pa.chunked_array([["yes", LONG]]))
    assert as_codes(pa.chunked_array([["a" * 1000]]))[1].tolist() == ["a" * 1000]


def test_labels_that_differ_by_a_last_zero_byte_are_not_made_equal():
    with pytest.raises(TableError, match="ends in a zero byte"):
        as_codes(pa.chunked_array([["a", "a\0"]]).dictionary_encode())


def test_categories_are_no_pages():
    words = [f"k{i}" for i in range(30)] * 2
    words[7] = LONG
    column = pa.chunked_array([words]).dictionary_encode()
    assert "3,000,000 characters, which is prose" in judge(column, "c", typed=True).left_out
    assert _n_unseen(column, ["k1"]) == 58
    with pytest.raises(ValueError, match="column 'c' holds 31 different texts"):
        TableEncoder().fit(pa.table({"c": words}))


def test_moments_beyond_the_calendar_of_python_are_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("day,y\n" + "0000-01-01,a\n0000-01-02,b\n" * 5, encoding="utf-8")
    assert read_table_file(path).table.num_rows == 10


def test_a_quotation_mark_that_is_not_closed_is_still_seen(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,x\n2,y\n3,"z\n4,w\n', encoding="utf-8")
    with pytest.raises(TableError, match="a quotation mark is not closed"):
        read_table_file(path)


@pytest.mark.usefixtures("no_figures")
def test_a_file_name_that_is_no_text_is_told_with_its_bytes_written_out(tmp_path, monkeypatch):
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    x = np.random.default_rng(0).normal(size=80)
    path = os.path.join(os.fsencode(tmp_path), b"bad\xff.parquet")  # noqa: PTH118 - bytes
    labels = ["a" if value > 0 else "b" for value in x]
    with open(path, "wb") as file:  # noqa: PTH123 - bytes
        parquet.write_table(pa.table({"x": x, "y": labels, "said": labels}), file)
    name, out = os.fsdecode(path), str(tmp_path / "out")
    options = ["--target", "y", "--drop", "said", "--learner", "MixedNaiveBayes", "--out", out]
    done = run(app, ["certify", name, *options])
    assert done.exit_code == 0, done.stderr
    assert r"bad\\xff.parquet" in (tmp_path / "out" / "report.json").read_text("utf-8")
    assert run(app, ["verify", out, "--data", name]).exit_code == 0
    audited = str(tmp_path / "audited")
    done = run(app, ["audit", name, "--truth", "y", "--prediction", "said", "--out", audited])
    assert done.exit_code == 0, done.stderr


def test_a_sentence_fits_on_a_screen(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@attribute a " + "x" * 100_000, encoding="utf-8")
    done = run(app, ["certify", str(path), "--target", "a"])
    assert done.exit_code == 2
    assert len(done.stderr) < 3_000
    assert done.stderr.rstrip().endswith("can be read")
