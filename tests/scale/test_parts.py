"""Parts of tables: every row once, in order, under the hash of its bytes; damage is named."""

import csv
import os
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import dataset, feather, parquet

from scale.conftest import world
from surelearn import (
    C45Classifier,
    GaussianNaiveBayes,
    Perceptron,
    RidgeRegression,
    scale,
)
from surelearn.scale import _text_blocks


def rows_of(parts):
    return [row for part in parts for row in part.read().X.to_pylist()]


def write(table, path):
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=30)
    elif path.suffix in {".arrow", ".feather"}:
        feather.write_feather(table, path, chunksize=30, compression="uncompressed")
    else:
        pa.csv.write_csv(table, path)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".csv"])
def test_every_row_comes_once_and_in_order(suffix, tmp_path):
    table = world(100)
    write(table, tmp_path / f"t{suffix}")
    parts = scale.parts(tmp_path / f"t{suffix}", block_bytes=2000)
    assert len(parts) > 3
    assert rows_of(parts) == table.to_pylist()
    assert len({part.sha256 for part in parts}) == len(parts)
    assert pickle.loads(pickle.dumps(parts[1])) == parts[1]  # noqa: S301 - our own


def test_folders_patterns_lists_and_datasets_list_the_same_parts(tmp_path):
    for i, name in enumerate(["b", "a"]):
        write(world(50, seed=i), tmp_path / f"{name}.parquet")
    (tmp_path / "_SUCCESS.parquet").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("nothing to read")
    a, b = str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")
    listed = scale.parts([a, b], target="y")
    assert [part.file for part in listed] == [a, a, b, b]
    for source in (tmp_path, f"{tmp_path}/[ab].parquet", dataset.dataset([a, b])):
        assert tuple(scale.parts(source, target="y")) == tuple(listed)


def test_some_row_groups_of_a_dataset_are_some_parts(tmp_path):
    write(world(100), tmp_path / "t.parquet")
    (fragment,) = dataset.dataset(tmp_path / "t.parquet").get_fragments()
    some = dataset.FileSystemDataset(
        [fragment.subset(row_group_ids=[1, 3])], fragment.physical_schema, fragment.format
    )
    assert [part.place for part in scale.parts(some)] == [1, 3]


cells = st.text(alphabet='ab",\n\r ', max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=12), st.integers(1, 40))
def test_a_line_break_in_quotation_marks_ends_no_row(tmp_path_factory, rows, block):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([("one", "two"), *rows])
    whole = path.read_bytes()
    found = _text_blocks.places(str(path), block)
    assert b"".join(whole[start:end] for (start, end), _ in found) == whole[len('"one","two"\n') :]
    for (start, end), _ in found:
        text = whole[start:end].decode()
        assert text.count('"') % 2 == 0
        assert text.endswith("\n")


def test_a_quotation_mark_that_is_not_closed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(_text_blocks, "_LONGEST", 10_000)
    (tmp_path / "t.csv").write_text('a,b\n1,"open\n' + "2,3\n" * 50_000)
    with pytest.raises(ValueError, match="quotation mark"):
        scale.parts(tmp_path / "t.csv", block_bytes=100)


def test_types_of_csv_are_those_of_the_first_rows_and_a_later_word_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,2\n" * 300_000 + "word,3\n")
    parts = scale.parts(tmp_path / "t.csv", target="y")
    with pytest.raises(scale.PartError, match=r"bytes .* of .*t\.csv: .*word"):
        RidgeRegression().fit(parts)


def test_whole_numbers_stay_labels_and_features_may_have_fractions_later(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "1,0\n0,1\n" * 200_000 + "2.5,1\n")
    parts = scale.parts(tmp_path / "t.csv", target="y")
    assert len(parts) == 1
    model = GaussianNaiveBayes().fit(parts)
    assert model.classes_.dtype.kind == "i"
    assert model.n_training_rows_ == 400_001


def test_a_column_in_the_names_of_folders_is_not_left_out_silently(tmp_path):
    (tmp_path / "year=2026").mkdir()
    write(world(10), tmp_path / "year=2026" / "t.parquet")
    for source in (tmp_path, dataset.dataset(tmp_path, partitioning="hive")):
        with pytest.raises(ValueError, match="name of a folder"):
            scale.parts(source)


def test_no_file_of_a_folder_or_a_pattern_is_left_out_silently(tmp_path):
    source = tmp_path / "sales"
    source.mkdir()
    (source / "may.csv").write_text("a,b\n1,2\n")
    for name in ("june.csv.gz", "june.tsv", "june.CSV.ZST", "june.jsonl", "june.xlsx"):
        (source / name).write_bytes(b"a\tb\n3\t4\n")
        with pytest.raises(ValueError, match=r"june.* cannot be read in parts"):
            scale.parts(source)
        (source / name).unlink()
    (source / "gone.csv").symlink_to(tmp_path / "nowhere.csv")
    for asked in (source, source / "*.csv"):
        with pytest.raises(ValueError, match=r"gone.csv is no file that can be read"):
            scale.parts(str(asked))
    (source / "gone.csv").unlink()
    os.mkfifo(source / "pipe.csv")
    with pytest.raises(ValueError, match=r"pipe.csv is no file that can be read"):
        scale.parts(source)
    (source / "pipe.csv").unlink()
    for name in ("README.md", "sums.txt", "_SUCCESS", ".june.csv.crc"):
        (source / name).write_text("no table")
    assert len(scale.parts(source)) == 1
    (source / "2025").mkdir()
    (source / "2025" / "june.csv").write_text("a,b\n3,4\n")
    assert len(scale.parts(source)) == len(scale.parts(f"{source}/**/*.csv")) == 2
    with pytest.raises(ValueError, match=r"matches the folder .*2025, and the files in it"):
        scale.parts(f"{source}/[m2]*")


def test_links_to_folders_are_followed_and_never_round_in_circles(tmp_path):
    source, archive = tmp_path / "sales", tmp_path / "archive"
    for folder in (source, archive):
        folder.mkdir()
        (folder / f"{folder.name}.csv").write_text("a,b\n1,2\n")
    (source / "older").symlink_to(archive)
    assert len(scale.parts(source)) == 2
    (source / ".all").symlink_to(source)  # what is hidden is not looked into
    assert len(scale.parts(source)) == 2
    (archive / "newer").symlink_to(source)
    with pytest.raises(ValueError, match=r"links lead to the folder .*sales twice"):
        scale.parts(source)
    (archive / "newer").unlink()
    (source / "latest").symlink_to(archive)
    with pytest.raises(ValueError, match=r"links lead to the folder .*archive twice"):
        scale.parts(source)
    (source / "latest").unlink()
    (source / "older").unlink()
    (source / "year=2025").symlink_to(archive)
    with pytest.raises(ValueError, match="the column of 'year=2025' stands in the name"):
        scale.parts(source)


def test_parts_are_found_from_another_folder(tmp_path, monkeypatch):
    write(world(100), tmp_path / "t.parquet")
    monkeypatch.chdir(tmp_path)
    parts = scale.parts("t.parquet", target="y", columns=["a"])
    monkeypatch.chdir(tmp_path.parent)
    assert RidgeRegression().fit(parts).n_training_rows_ == 100


@pytest.mark.parametrize("learner", [Perceptron(), C45Classifier()])
def test_a_learner_that_cannot_says_so(learner, folder):
    with pytest.raises(TypeError, match="all its rows at once"):
        learner.fit(scale.parts(folder, target="class", columns=["a"]), ["yes"])


def test_columns_targets_and_weights_are_those_asked_for(tmp_path):
    table = world(60).append_column("weight", pa.array(np.arange(60.0)))
    write(table, tmp_path / "t.parquet")
    parts = scale.parts(tmp_path, target="y", columns=["c", "a"], weight="weight")
    block = parts[1].read()
    assert block.X.column_names == ["c", "a"]
    assert block.y.tolist() == table.column("y").to_pylist()[30:]
    assert block.weights.tolist() == list(range(30, 60))
    weighted = RidgeRegression().fit(parts)
    X = table.select(["c", "a"])
    alike = RidgeRegression().fit(X, table.column("y").to_numpy(), np.arange(60.0))
    assert np.allclose(weighted.coef_, alike.coef_)


def test_files_of_other_types_are_read_as_what_holds_all(tmp_path):
    parquet.write_table(pa.table({"x": [1, 2], "y": [1.0, 2.0]}), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"y": [0.5], "x": [2.5]}), tmp_path / "b.parquet")
    assert rows_of(scale.parts(tmp_path, target="y")) == [{"x": 1.0}, {"x": 2.0}, {"x": 2.5}]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no Parquet"),
        ({"a.parquet": {"x": [1]}, "b.parquet": {"z": [1]}}, "the same ones"),
        ({"a.parquet": {"x": [1]}, "b.parquet": {"x": [[1]]}}, "types"),
        ({"a.parquet": {"x": pa.array([], pa.int64())}}, "no rows"),
    ],
)
def test_what_is_no_table_is_refused(files, message, tmp_path):
    for name, columns in files.items():
        parquet.write_table(pa.table(columns), tmp_path / name)
    with pytest.raises(ValueError, match=message):
        scale.parts(tmp_path)


def test_the_same_file_twice_is_refused(tmp_path):
    write(world(10), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="more than once"):
        scale.parts([tmp_path / "t.parquet", f"{tmp_path}/*.parquet"])


def test_rows_in_memory_are_no_parts():
    with pytest.raises(TypeError, match="no table in files"):
        scale.parts(3)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".csv"])
def test_a_file_that_has_changed_since_is_refused_by_name(suffix, tmp_path):
    path = tmp_path / f"t{suffix}"
    write(world(100), path)
    parts = scale.parts(path, target="y", columns=["a"], block_bytes=2000)
    write(world(100, seed=1), path)
    with pytest.raises(scale.PartError, match=rf"t\{suffix}"):
        RidgeRegression().fit(parts)


def test_names_of_one_file_are_hashed_once_and_read_by_each(tmp_path):
    write(world(100), tmp_path / "0.parquet")
    for i in range(1, 5):
        (tmp_path / f"{i}.parquet").symlink_to(tmp_path / "0.parquet")
    parts = scale.parts(tmp_path, target="y", columns=["a", "b"])
    assert parts.n_rows == 500
    assert len({part.sha256 for part in parts}) == 4
