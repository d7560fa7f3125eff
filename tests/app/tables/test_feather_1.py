"""Feather files of version 1: all cells they hold, and a sentence if a byte of them is damaged."""

import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc

from surelearn.app.tables import arrow_files
from surelearn.app.tables.read import TableError, read_table_file
from surelearn.base.tables import decompression
from surelearn.base.tables.feather_1 import read_feather_1, size_of_feather_1

FIXTURES = Path(__file__).parents[2] / "fixtures" / "feather_1"
FILE, SAME = FIXTURES / "table.feather", FIXTURES / "same.arrow"


def test_a_file_of_version_1_holds_what_the_same_table_holds_in_version_2():
    table, same = read_feather_1(pa.py_buffer(FILE.read_bytes())), ipc.open_file(SAME).read_all()
    assert table.schema == same.schema
    assert table.equals(same)
    assert read_table_file(FILE).table.equals(read_table_file(SAME).table)


@pytest.mark.parametrize("n", [250, pytest.param(20_000, marks=pytest.mark.slow)])
def test_damaged_bytes_end_in_a_table_or_a_sentence(tmp_path, n):
    whole, path, n_refused = FILE.read_bytes(), tmp_path / "t.feather", 0
    for seed in range(n):  # PyArrow's own reader ended the process at every tenth
        rng, data = np.random.default_rng(seed), bytearray(whole)
        for _ in range(rng.choice([1, 1, 3, 30])):
            data[rng.integers(4, len(data))] ^= 1 << int(rng.integers(8))
        if seed % 7 == 0:
            del data[rng.integers(4, len(data)) :]
        path.write_bytes(data)
        try:
            assert read_table_file(path).table.num_rows
        except TableError:
            n_refused += 1
    assert n / 4 < n_refused < n


def test_columns_that_share_their_bytes_do_not_fill_memory(monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 100)
    monkeypatch.setattr(decompression, "RATIO", 0)
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(FILE)


@pytest.mark.parametrize("length", [0, 2**32 - 1])
def test_metadata_that_cannot_be_there_are_refused(tmp_path, length):
    path = tmp_path / "t.feather"
    path.write_bytes(FILE.read_bytes()[:-8] + struct.pack("<I", length) + b"FEA1")
    with pytest.raises(TableError, match="damaged"):
        read_table_file(path)


def test_columns_that_share_their_bytes_are_refused_before_they_are_read(monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 100)
    monkeypatch.setattr(decompression, "RATIO", 0)
    monkeypatch.setattr(arrow_files, "read_feather_1", None)  # the words of each were looked at
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(FILE)


def test_the_size_of_all_columns_counts_the_words_that_codes_stand_for():
    data = pa.py_buffer(FILE.read_bytes())
    table, size = read_feather_1(data), size_of_feather_1(data)
    assert table.nbytes <= size <= data.size
