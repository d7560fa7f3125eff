"""Odd tables from the shell: what can be read is read, the rest is one sentence; see test_certify.

Each case is a file, options, what is said of it, and whether it ends well.
"""

import errno
import gzip

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from typer.testing import CliRunner

from surelearn.app import output
from surelearn.app.tables import memory_mapped
from surelearn.cli import app

N = 120
X = np.random.default_rng(0).normal(size=N).round(2)
Y = ["yes" if x + i % 3 / 2 > 0.5 else "no" for i, x in enumerate(X)]


def lines(*extra, header="x,colour,y", row="{x},{colour},{y}"):
    rows = [
        row.format(x=X[i], colour=["red", "blue"][i % 2], y=Y[i], i=i, odd=bool(i % 2))
        for i in range(N)
    ]
    return [header, *rows, *extra]


def text(*extra, end="\n", **shape):
    return (end.join(lines(*extra, **shape)) + end).encode()


def column(cells, name="k"):
    """Return a table with one more column."""
    rows = [f"{line},{cell}" for line, cell in zip(lines()[1:], cells, strict=True)]
    return "\n".join([f"x,colour,y,{name}", *rows]).encode()


GOOD = {
    "byte order mark": (b"\xef\xbb\xbf" + text(), [], ""),
    "Windows line ends": (text(end="\r\n"), [], ""),
    "old Macintosh line ends": (text(end="\r"), [], ""),
    "UTF-16": (text().decode().encode("utf-16"), [], ""),
    "UTF-16 without its mark": (
        text().decode().encode("utf-16-le"),
        ["--encoding", "utf-16-le"],
        "",
    ),
    "compressed": (gzip.compress(text()), [], ""),
    "quoted line breaks": (text(row='{x},"{colour}\nish",{y}'), [], ""),
    "quoted delimiters": (text(row='{x},"{colour}, ""ish""",{y}'), [], ""),
    "a trailing delimiter": (
        text(header="x,colour,y,", row="{x},{colour},{y},"),
        [],
        "'column_4': left out (it has no value",
    ),
    "two columns of one name": (text(header="x,x,y"), [], "called 'x_2' ('x' is taken already)"),
    "a column called like an option": (text(header="--force,colour,y"), [], ""),
    "dates": (column([f"2024-01-{1 + i % 28:02d}" for i in range(N)]), [], "it holds dates"),
    "truth values": (column([str(i % 2 == 0).upper() for i in range(N)]), [], "of truth values"),
    "whole numbers beyond 2^53": (
        column([2**53 + 7 * i * i for i in range(N)]),
        [],
        "'k': rounded (whole numbers beyond 2^53",
    ),
    "an empty column": (column([""] * N), [], "'k': left out (it has no value in any"),
    "a constant column": (column([7] * N), [], "'k': left out (it has the same value"),
    "percent signs": (column([f"{i % 5}%" for i in range(N)]), [], "'0%' is read as 0"),
    "currencies": (column([f"${i % 5}.50" for i in range(N)]), [], "'$0.50' is read as 0.5"),
    "thousands": (
        text(header="x;k;y", row="{x};1,{odd:d}00;{y}"),
        [],
        "'1,000' is read as 1000",
    ),
    "words for no number": (column(["NaN", 1, 2] * 40), [], "40 'NaN'"),
    "a word among numbers": (column(["many", 1, 2.5, 3] * 30), [], "row 1 holds 'many'"),
    "decimal commas": (
        "\n".join(lines(header="x;colour;y", row="{x};{colour};{y}")).replace(".", ",").encode(),
        [],
        "decimal sign: ','",
    ),
    "decimal commas in quotes": (
        "\n".join(lines(row='"{x}",{colour},{y}')).replace(".", ",").encode(),
        ["--decimal", ","],
        "2 of text",
    ),
    "targets missing": (text(*["1,red,"] * 12), [], "12 left out; every claim is about rows"),
    "many categories": (column([f"w{i % 100}" for i in range(N)]), [], "categories in 96 rows"),
}

BAD = {
    "a cut compressed file": (gzip.compress(text())[:-20], [], "cannot be decompressed"),
    "zero bytes": (text().replace(b"red", b"r\0d", 1), [], "holds zero bytes"),
    "a ragged line after quoted ones": (
        text("1,2", row='{x},"{colour}\nish",{y}'),
        [],
        f"line {2 * N + 2} of",
    ),
    "an open quotation mark": (text('1,"red,yes'), [], f"line {N + 2} of"),
    "infinity": (column(["1.5", "inf", "2.5"] * 40), [], "row 2 holds infinity in column 'k'"),
    "minus infinity": (column(["1", "-Infinity"] * 60), [], "row 2 holds infinity"),
    "an infinite target": (
        text(header="x,colour,z,y", row="{x},{colour},{y},{x}").replace(
            b"," + str(X[0]).encode() + b"\n", b",inf\n", 1
        ),
        [],
        "the target 'y' is infinite in some rows",
    ),
    "nothing but dates": (
        text(header="day,y", row="2024-01-1{odd:d},{y}"),
        ["--dates", "left-out"],
        "no column is left to predict from (day: it holds dates",
    ),
    "nothing but empty cells": (
        text(header="e,f,y", row=",?,{y}"),
        [],
        "no column is left to predict from (e: it has no value",
    ),
    "a target of dates": (
        text(header="x,colour,y", row="{x},{colour},2024-01-01"),
        [],
        "holds dates",
    ),
    "a target of prices": (
        text(header="x,colour,y", row="{x},{colour},${i}.50"),
        [],
        "there is no learner 'MixedNaiveBayes' for regression",
    ),
    "a target of decimal commas": (
        text(header="x,colour,y", row='{x},{colour},"{i},5"'),
        [],
        "there is no learner 'MixedNaiveBayes' for regression",
    ),
    "no decimal sign": (text(), ["--decimal", "x"], "a point or a comma, and not 'x'"),
    "a Parquet file that is none": (b"PAR1" + b"x" * 50, [], "cannot be read"),
}


def certify(path, *options):
    words = ["certify", path, "--target", "y", "--learner", "MixedNaiveBayes", *options]
    words += ["--out", path.parent.parent / "out"]
    return CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "300"})


@pytest.fixture
def path(tmp_path):
    (tmp_path / "in").mkdir()
    return tmp_path / "in" / "table.csv"


@pytest.mark.parametrize("name", GOOD)
def test_a_table_that_can_be_read_is_certified_and_what_is_odd_is_said(path, name, request):
    if name not in {"two columns of one name", "currencies"}:  # odd names and cells in figures
        request.getfixturevalue("no_figures")
    content, options, said = GOOD[name]
    path.write_bytes(content)
    result = certify(path, *options)
    assert result.exit_code == 0, result.output
    assert said in result.output


def refused(result, sentence, folder):
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert sentence in result.stderr
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    assert [p.name for p in folder.iterdir()] == ["in"]


@pytest.mark.parametrize("name", BAD)
def test_a_table_that_cannot_be_used_ends_with_one_sentence(path, name):
    content, options, sentence = BAD[name]
    path.write_bytes(content)
    refused(certify(path, *options), sentence, path.parent.parent)


def test_a_folder_without_tables_is_no_table(path):
    refused(certify(path.parent), "holds no Parquet, Arrow or CSV file", path.parent.parent)


@pytest.mark.usefixtures("no_figures")
def test_a_target_called_like_an_option_can_be_named(path):
    path.write_bytes(text(header="x,colour,--target"))
    words = ["certify", path, "--target=--target", "--learner", "MixedNaiveBayes"]
    words += ["--out", path.parent.parent / "out"]
    assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0


def test_two_columns_of_one_name_in_a_file_with_types_are_refused(path):
    table = pa.table([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["x", "x"])
    parquet.write_table(table, path)
    refused(certify(path), "have the same name", path.parent.parent)


def no_space(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.usefixtures("no_figures")
def test_a_full_disk_is_one_sentence_and_leaves_nothing(path, monkeypatch):
    path.write_bytes(text())
    monkeypatch.setattr(output, "save_model", no_space)
    refused(certify(path), "No space left on device", path.parent.parent)


def test_a_full_disk_for_temporary_files_is_one_sentence_too(path, monkeypatch):
    path.write_bytes(text())
    monkeypatch.setattr(memory_mapped, "MOST_IN_MEMORY", 100)
    monkeypatch.setattr(memory_mapped.tempfile, "TemporaryFile", no_space)
    refused(certify(path), "TMPDIR", path.parent.parent)


@pytest.mark.usefixtures("no_figures")
def test_predictions_that_cannot_be_written_are_one_sentence(path, monkeypatch):
    path.write_bytes(text())
    assert certify(path).exit_code == 0
    model, out = path.parent.parent / "out" / "model.surelearn", path.parent / "p.csv"
    monkeypatch.setattr(csv, "write_csv", no_space)
    result = CliRunner().invoke(app, ["predict", str(model), str(path), "--out", str(out)])
    assert result.exit_code == 2
    assert f"{out} cannot be written: No space left on device" in result.stderr
    assert [p.name for p in path.parent.iterdir()] == ["table.csv"]


@pytest.mark.usefixtures("no_figures")
def test_the_decimal_sign_is_recorded_and_used_again(path):
    decimal = "\n".join(lines(row='"{x}",{colour},{y}')).replace(".", ",")
    path.write_text(decimal, encoding="utf-8")
    assert certify(path, "--decimal", ",").exit_code == 0
    out = path.parent.parent / "out"
    words = ["verify", out / "certificate.json", "--model", out / "model.surelearn"]
    checked = CliRunner().invoke(app, [*map(str, words), "--data", str(path)])
    assert checked.exit_code == 0, checked.output
    new = path.with_name("new.csv")
    new.write_text('x,colour\n"-2,5",red\n3,blue\n', encoding="utf-8")
    words = ["predict", str(out / "model.surelearn"), str(new)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, (result.output, result.exception)
    assert [line[:3] for line in result.stdout.splitlines()[1:]] == ["no,", "yes"]
    assert "count as missing" not in result.stderr
    points = CliRunner().invoke(app, [*words, "--decimal", "."])
    assert "1 cells are not of the kind number" in points.stderr
