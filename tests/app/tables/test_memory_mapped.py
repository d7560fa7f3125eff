"""Tables on disk: the same cells, in files without names that go with the last array."""

import errno
import gc
import tempfile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surelearn.app.errors import TableError
from surelearn.app.tables import memory_mapped

MIXED = pa.table(
    {
        "i": pa.array([1, None, 3] * 100),
        "f": pa.array([0.5, None, float("nan")] * 100),
        "b": pa.array([True, False, None] * 100),
        "t": pa.array([0, 1, None] * 100, pa.timestamp("us")),
        "w": pa.array(["x", None, "y"] * 100).dictionary_encode(),
        "n": pa.nulls(300),
    }
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files, which is empty at first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_table_on_disk_has_the_same_cells_and_its_file_no_name(folder):
    moved = memory_mapped.on_disk(MIXED)
    assert moved.schema == MIXED.schema
    assert str(moved.to_pylist()) == str(MIXED.to_pylist())
    assert list(folder.iterdir()) == []
    memory_mapped.forget_pages()
    assert str(moved.to_pylist()) == str(MIXED.to_pylist())


def test_the_file_goes_with_the_last_array():
    gc.collect()
    before = len(memory_mapped._mapped)
    moved = memory_mapped.on_disk(MIXED)
    kept = moved.column("f").chunk(0)
    del moved
    assert len(memory_mapped._mapped) == before + 1
    assert kept.null_count == 100
    del kept
    gc.collect()
    assert len(memory_mapped._mapped) == before


def test_what_lies_on_disk_already_is_not_copied_again():
    first = memory_mapped.combined(zip(MIXED.column_names, MIXED.columns, strict=True), large=True)
    n_files = len(memory_mapped._mapped)
    again = memory_mapped.combined(zip(first.column_names, first.columns, strict=True), large=True)
    assert len(memory_mapped._mapped) == n_files
    assert again.column("f").chunk(0).buffers()[1].address == (
        first.column("f").chunk(0).buffers()[1].address
    )


def test_a_table_in_pieces_becomes_one_of_whole_columns():
    parts = pa.concat_tables([MIXED.slice(0, 100), MIXED.slice(100)])
    for large in (False, True):
        whole = memory_mapped.combined(
            zip(parts.column_names, parts.columns, strict=True), large=large
        )
        assert [column.num_chunks for column in whole.columns] == [1] * 6
        assert str(whole.to_pylist()) == str(MIXED.to_pylist())


@pytest.mark.parametrize("most", [1, 2**10, 2**30])
def test_rows_are_taken_alike_in_memory_and_on_disk(monkeypatch, most):
    monkeypatch.setattr(memory_mapped, "MOST_IN_MEMORY", most)
    rows = np.array([299, 0, 0, 17])
    assert str(memory_mapped.take_rows(MIXED, rows).to_pylist()) == str(
        MIXED.take(rows).to_pylist()
    )


@given(st.lists(st.text(max_size=5), min_size=1), st.integers(1, 4))
@settings(max_examples=30, deadline=None)
def test_arrays_of_text_come_back(words, size):
    whole = np.array(words)
    parts = [whole[i : i + size] for i in range(0, len(whole), size)]
    assert memory_mapped.array_on_disk(parts).tolist() == whole.tolist()


class FullDisk:
    """A file that takes no byte."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")

    closed = False

    def flush(self):
        pass


def test_a_full_disk_is_one_sentence_with_the_remedy(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", FullDisk)
    with pytest.raises(TableError, match=r"No space left on device.*TMPDIR") as refused:
        memory_mapped.on_disk(MIXED)
    assert str(folder) in str(refused.value)
    with pytest.raises(TableError, match="TMPDIR"):
        memory_mapped.array_on_disk([np.zeros(3)])
