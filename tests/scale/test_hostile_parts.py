"""Parts of damaged files, and of files that change while they are read: a sentence, no crash."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, feather, parquet

from surelearn import scale

N = 120
WORDS = pa.array([f"word {i % 7}" for i in range(N)])
TABLE = pa.table(
    {
        "size": np.arange(N) ** 1.5,
        "number": pa.array([i % 5 if i % 9 else None for i in range(N)]),
        "word": WORDS,
        "coded": WORDS.dictionary_encode(),
        "flag": pa.array([i % 3 == 0 for i in range(N)]),
        "y": pa.array([float(i % 2) for i in range(N)]),
    }
)


def write_parquet(path, **options):
    parquet.write_table(TABLE, path, row_group_size=50, **options)


def write_arrow(path, compression):
    feather.write_feather(TABLE, path, compression=compression, chunksize=50)


WRITERS = {
    "plain.arrow": lambda path: write_arrow(path, "uncompressed"),
    "lz4.arrow": lambda path: write_arrow(path, "lz4"),
    "zstd.arrow": lambda path: write_arrow(path, "zstd"),
    "coded.parquet": write_parquet,
    "plain.parquet": lambda path: write_parquet(path, compression="none", use_dictionary=False),
    "pages.parquet": lambda path: write_parquet(path, data_page_version="2.0", compression="zstd"),
    "t.csv": lambda path: csv.write_csv(TABLE, path),
}

FLIP = """
import faulthandler, random, sys, warnings
from pathlib import Path
from surelearn import blocks, scale
faulthandler.enable()
warnings.simplefilter("ignore")
folder, n = Path(sys.argv[1]), int(sys.argv[2])
for path in map(Path, sys.argv[3:]):
    whole, damaged = path.read_bytes(), folder / f"damaged{path.suffix}"
    for seed in range(n):
        rng, data = random.Random(31 * seed), bytearray(whole)
        for _ in range(rng.choice([1, 1, 1, 3, 30])):
            place = rng.randrange(len(data))
            data[place] ^= 1 << rng.randrange(8) if seed % 2 else rng.randrange(1, 256)
        if seed % 7 == 0:
            del data[rng.randrange(len(data)) :]
        damaged.write_bytes(data)
        print(path.name, seed, file=sys.stderr)
        for how in ("parts", "stream"):
            if how == "stream" and path.suffix == ".arrow":
                continue
            try:
                if how == "parts":
                    for part in scale.parts(damaged, target="y"):
                        for block in part.blocks():
                            block.X.to_pylist()
                else:
                    for X, _ in blocks(damaged, target="y"):
                        X.to_pylist()
            except ValueError as error:
                assert "\\n" not in str(error) and type(error).__module__ != "pyarrow.lib", error
                assert not isinstance(error, UnicodeError), error
"""


@pytest.mark.parametrize("n", [28, pytest.param(3000, marks=pytest.mark.slow)])
def test_flipped_bits_end_in_rows_or_a_sentence(tmp_path, n):
    files = [tmp_path / name for name in WRITERS]
    for path in files:
        WRITERS[path.name](path)
    command = [sys.executable, "-c", FLIP, tmp_path, str(n), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)  # noqa: S603
    assert done.returncode == 0, done.stderr[-3000:]


def test_a_file_with_two_columns_of_one_name_is_refused_by_its_name(tmp_path):
    path = tmp_path / "t.arrow"
    table = pa.table([[1.0], [2.0], [0.0]], names=["a", "a", "y"])
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    with pytest.raises(ValueError, match=r"t\.arrow has the columns \['a'\] more than once"):
        scale.parts(path, target="y")


CUT_SHORT = """
import os, sys
from surelearn import scale
part = scale.parts(sys.argv[1], target="y")[0]
try:
    for block in part.blocks(1000):
        os.truncate(sys.argv[1], 100)
        block.X.column("size").to_pylist()
except scale.PartError as error:
    print(error)
"""


def test_a_file_that_is_cut_short_while_it_is_read_ends_no_process(tmp_path):
    path, many = tmp_path / "t.arrow", pa.concat_tables([TABLE] * 600).combine_chunks()
    feather.write_feather(many, path, compression="uncompressed", chunksize=2**20)
    command = [sys.executable, "-c", CUT_SHORT, path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)  # noqa: S603
    assert done.returncode == 0, done.stderr[-3000:]
    assert "t.arrow" in done.stdout


@pytest.mark.parametrize("suffix", ["arrow", "parquet", "csv"])
def test_rows_that_change_after_they_were_hashed_are_refused(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    write = {"arrow": "plain.arrow", "parquet": "plain.parquet", "csv": "t.csv"}[suffix]
    WRITERS[write](path)
    part = scale.parts(path, target="y")[0]
    stream = part.blocks(10)
    next(stream)
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(1, 1))
    with pytest.raises(scale.PartError, match="has changed"):
        list(stream)


@pytest.mark.parametrize("source", ["", "/**/*.csv", "/*/*.csv"])
def test_a_folder_that_may_not_be_looked_into_is_named_and_its_rows_are_not_left_out(
    tmp_path, monkeypatch, source
):
    closed = tmp_path / "closed"
    for folder in (tmp_path, closed):
        folder.mkdir(exist_ok=True)
        (folder / "rows.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    look, may = os.scandir, os.access

    def scandir(path):
        if os.fspath(path) == str(closed):
            raise PermissionError(13, "Permission denied", str(closed))
        return look(path)

    monkeypatch.setattr(os, "scandir", scandir)  # whoever is root may look into all
    monkeypatch.setattr(os, "access", lambda path, how: path != str(closed) and may(path, how))
    with pytest.raises(ValueError, match=r"closed may not be looked into, and rows in it"):
        scale.parts(f"{tmp_path}{source}")
