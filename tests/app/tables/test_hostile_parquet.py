"""Parquet files whose pages lie, or whose few words fill the memory: a sentence, in little room."""

from operator import add

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from surelearn import blocks, scale
from surelearn.app.tables.read import TableError, read_table_file
from surelearn.base.tables import decompression, parquet_words
from surelearn.base.tables.parquet_pages import _struct, columns_of
from surelearn.cli import app

N = 50


def varint(number):
    pieces = []
    while number > 127:
        pieces.append(number & 127 | 128)
        number >>= 7
    return bytes([*pieces, number])


def packed(fields):
    """Write integers and structures as Thrift's compact protocol does."""
    text, before = b"", 0
    for number, value in sorted(fields.items()):
        kind = 12 if isinstance(value, dict) else 5
        text += bytes([(number - before) << 4 | kind])
        text += packed(value) if isinstance(value, dict) else varint(value << 1)
        before = number
    return text + b"\0"


def forge(path, change, version="1.0"):
    """Change the header of the only page of a file, and tell the footer how long it is."""
    table = pa.table({"a": np.arange(float(N))})
    options = {"compression": "zstd", "use_dictionary": False, "write_statistics": False}
    parquet.write_table(table, path, data_page_version=version, **options)
    column, data = parquet.read_metadata(path).row_group(0).column(0), path.read_bytes()
    start, length = column.data_page_offset, column.total_compressed_size
    with_flags, end = _struct(data, start, 0)
    fields = {
        number: {n: v for n, v in value.items() if v is not None}
        if isinstance(value, dict)
        else value
        for number, value in with_flags.items()
    }
    fields[1] = fields[1] or 0
    change(fields)
    header = packed(fields)
    footer = data[start + length :]
    told = varint(length << 1)
    now = varint((length + len(header) - (end - start)) << 1)
    assert told in footer  # once of the column, once of its row group
    assert len(now) == len(told)
    path.write_bytes(data[:start] + header + data[end : start + length] + footer.replace(told, now))


def unpacked(fields):
    fields[2] = 2**31 - 2


def values(fields):
    fields[5 if 5 in fields else 8][1] = 2**31 - 2


def test_a_page_is_as_it_was_if_nothing_is_changed(tmp_path):
    forge(tmp_path / "t.parquet", lambda _: None)
    assert read_table_file(tmp_path / "t.parquet").table.num_rows == N


@pytest.mark.parametrize("lie", [unpacked, values])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_page_that_says_it_is_huge_is_refused(tmp_path, lie, version):
    path = tmp_path / "t.parquet"
    forge(path, lie, version)
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(path)
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        [part.read() for part in scale.parts(path)]
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        list(blocks(path))
    done = CliRunner().invoke(app, ["monitor", str(path), "--loss", "a", "--tolerated", "0.5"])
    assert done.exit_code == 2
    assert "SURELEARN_MOST_BYTES" in " ".join(done.output.split())


def one_word(n, size, kind=None):
    words = pa.array([b"x" * size], pa.binary()).view(kind or pa.binary())
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), words)


def write(path, column):
    table = pa.table({"words": column, "y": np.arange(len(column)) % 2})
    parquet.write_table(table, path, store_schema=False)
    assert path.stat().st_size < 2**15


def of_lists(n, size):
    return pa.ListArray.from_arrays(
        np.arange(n + 1, dtype=np.int32), one_word(n, size, pa.string())
    )


def of_fixed_size(n, size):
    codes = pa.array(np.zeros(n, dtype=np.int32))
    return pa.DictionaryArray.from_arrays(codes, pa.array([b"x" * size], pa.binary(size)))


def of_structures(n, size):
    return pa.StructArray.from_arrays([one_word(n, size, pa.string())], ["word"])


@pytest.mark.parametrize("column", [one_word, of_structures])
def test_long_words_that_nobody_reads_are_not_written_out(tmp_path, column):
    write(tmp_path / "t.parquet", column(10**5, 2**16))  # 6 GB
    file = read_table_file(tmp_path / "t.parquet")
    assert file.table.column_names == ["y"]
    assert [note.found for note in file.notes if note.about == "column 'words'"] == ["not read"]


@pytest.mark.parametrize("column", [of_lists, of_fixed_size])
def test_long_words_that_must_be_written_out_are_refused(tmp_path, monkeypatch, column):
    monkeypatch.setattr(decompression, "FLOOR", 2**22)
    write(tmp_path / "t.parquet", column(1000, 2**14))
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(tmp_path / "t.parquet")


def test_short_words_in_lists_are_read(tmp_path):
    write(tmp_path / "t.parquet", of_lists(100, 3))
    file = read_table_file(tmp_path / "t.parquet")
    assert file.lists["words"].type.value_type == pa.string()
    assert file.lists["words"].to_pylist() == [["xxx"]] * 100


def test_a_long_word_in_many_rows_is_refused_in_parts_and_streams(tmp_path, monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 2**24)
    path = tmp_path / "t.parquet"
    write(path, one_word(10**4, 2**12, pa.string()))  # 40 MB
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        [part.read() for part in scale.parts(path, target="y")]
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        list(blocks(path, target="y", block_size=10**4))
    monkeypatch.setenv("SURELEARN_MOST_BYTES", str(2**30))
    (part,) = scale.parts(path, target="y")
    assert part.read().X.column("words").type == pa.string()
    assert sum(len(y) for _, y in blocks(path, target="y")) == 10**4


def test_words_that_are_no_text_are_one_sentence_to_a_monitor(tmp_path):
    text = pa.array([b"caf\xe9", b"tea"] * 10, pa.binary()).view(pa.string())
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"truth": text, "prediction": text}), path)
    command = ["monitor", str(path), "--truth", "truth", "--prediction", "prediction"]
    done = CliRunner().invoke(app, [*command, "--tolerated", "0.5"])
    assert done.exit_code == 2
    assert not done.exception or isinstance(done.exception, SystemExit), done.exception
    assert "cannot be read as Parquet" in " ".join(done.output.split())


def test_a_file_without_columns_ends_no_process(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"a": [1, 2]}).select([]), path)
    assert columns_of(parquet.ParquetFile(path), 0) == []
    with pytest.raises(ValueError, match="no rows"):
        scale.parts(path)


@pytest.mark.parametrize("place", [0, 1])
def test_a_column_that_has_two_names_is_one_sentence(tmp_path, place):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"word": ["a", "b"] * 20, "y": [0, 1] * 20}), path)
    pieces = path.read_bytes().split(b"word")
    before, after = pieces[: place + 1], pieces[place + 1 :]
    path.write_bytes(b"word".join(before) + b"ward" + b"word".join(after))
    with pytest.raises(TableError, match="damaged or of a kind we do not know: it names no column"):
        read_table_file(path)


def targets_of(block):
    return block.y.tolist()


def write_words(path, encoding, n_groups=3, **columns):
    kinds = {"use_dictionary": False, "column_encoding": dict.fromkeys(columns, encoding)}
    table = pa.table({"a": np.arange(float(N)), **columns})
    parquet.write_table(table, path, row_group_size=-(-N // n_groups), **kinds)


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_words_are_read_whatever_the_encoding(tmp_path, encoding):
    words = [f"word {i % 7}" for i in range(N)]
    path = tmp_path / "t.parquet"
    write_words(path, encoding, b=words, c=words)
    assert read_table_file(path).table.column("b").to_pylist() == words
    for features in (["a"], ["a", "c"]):
        found = [y.tolist() for _, y in blocks(path, target="b", columns=features, block_size=20)]
        assert [word for part in found for word in part] == words
    parts = scale.parts(path, target="b", columns=["a"])
    assert parts.map_reduce(targets_of, add) == words


def test_a_long_word_that_most_rows_share_is_not_written_out(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    write_words(path, "DELTA_BYTE_ARRAY", n_groups=1, b=["x" * 10**6] * N)
    monkeypatch.setenv(decompression.LIMIT, str(5 * 10**6))
    monkeypatch.setattr(parquet_words, "_PIECE", 10**6)
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(path)
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        list(blocks(path, target="b", columns=["a"]))


def test_a_long_target_beside_numbers_is_refused_in_streams(tmp_path, monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 2**24)
    write(tmp_path / "t.parquet", one_word(10**4, 2**12, pa.string()))  # 40 MB
    with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
        list(blocks(tmp_path / "t.parquet", target="words", block_size=10**4))


@pytest.mark.parametrize(
    "cells", [[["x"], ["x", "y"]], [{"u": "x"}, {"u": "y"}], [[["x"]], [["y"]]]], ids=str
)
def test_words_in_lists_and_records_of_several_row_groups_are_read(tmp_path, cells):
    path, cells = tmp_path / "t.parquet", cells * (N // 2)
    parquet.write_table(pa.table({"a": range(N), "b": cells}), path, row_group_size=20)
    found = read_table_file(path)
    assert found.table.column("a").to_pylist() == list(range(N))
    if isinstance(cells[0], list):
        assert found.lists["b"].to_pylist() == cells


def test_words_in_lists_without_codes_are_refused_in_a_sentence(tmp_path):
    path = tmp_path / "t.parquet"
    kinds = {"use_dictionary": False, "column_encoding": {"b.list.element": "DELTA_BYTE_ARRAY"}}
    parquet.write_table(pa.table({"a": range(N), "b": [["x"]] * N}), path, **kinds)
    with pytest.raises(TableError, match=r"column 'b\.list\.element' holds words within another"):
        read_table_file(path)
