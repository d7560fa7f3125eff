"""Files that are damaged, forged, endless or not files at all: a sentence, and never a crash."""

import gzip
import os
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

from surelearn import scale
from surelearn.app.certify import certify_table
from surelearn.app.tables import delimited, memory_mapped, sources, text_file
from surelearn.app.tables.read import TableError, TableFile, read_table_file
from surelearn.base.tables import decompression

N = 300
WORDS = pa.array([f"word {i % 7}" for i in range(N)])
TABLE = pa.table(
    {
        "size": np.arange(N, dtype=np.float64) ** 1.5,
        "word": WORDS,
        "coded": WORDS.dictionary_encode(),
        "flag": pa.array([i % 3 == 0 for i in range(N)]),
        "y": pa.array([i % 2 for i in range(N)]),
    }
)


def write_stream(table, path, **options):
    with ipc.new_stream(path, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)


WRITERS = {
    "arrow": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "lz4": lambda path: feather.write_feather(TABLE, path, compression="lz4"),
    "stream": lambda path: write_stream(TABLE, path),
    "parquet": lambda path: parquet.write_table(TABLE, path),
    "plain parquet": lambda path: parquet.write_table(
        TABLE, path, compression="none", use_dictionary=False
    ),
}

FLIP = """
import faulthandler, random, sys
from pathlib import Path
from surelearn.app.tables.read import TableError, read_table_file
faulthandler.enable()
damaged, n = Path(sys.argv[1]), int(sys.argv[2])
for path in map(Path, sys.argv[3:]):
    whole = path.read_bytes()
    for seed in range(n):
        rng, data = random.Random(seed), bytearray(whole)
        for _ in range(rng.choice([1, 1, 3, 30])):
            place = rng.randrange(len(data))
            data[place] ^= 1 << rng.randrange(8) if seed % 2 else rng.randrange(1, 256)
        if seed % 7 == 0:
            del data[rng.randrange(len(data)) :]
        damaged.write_bytes(data)
        print(path.name, seed, file=sys.stderr)
        try:
            read_table_file(damaged).table.to_pylist()
        except TableError as error:
            assert str(error).count("\\n") == 0
"""


@pytest.mark.parametrize("n", [60, pytest.param(5000, marks=pytest.mark.slow)])
def test_flipped_bits_end_in_a_table_or_a_sentence(tmp_path, n):
    files = [tmp_path / kind for kind in WRITERS]
    for path in files:
        WRITERS[path.name](path)
    command = [sys.executable, "-c", FLIP, tmp_path / "damaged", str(n), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)  # noqa: S603
    assert done.returncode == 0, done.stderr[-3000:]


def test_offsets_that_point_anywhere_are_refused(tmp_path):
    path = tmp_path / "t.arrow"
    feather.write_feather(
        pa.table({"word": ["some", "words"] * 50}), path, compression="uncompressed"
    )
    data = path.read_bytes()
    offsets = np.cumsum([0, *([4, 5] * 50)]).astype(np.int32).tobytes()
    wild = offsets[:40] + np.int32(2**30).tobytes() + offsets[44:]
    path.write_bytes(data.replace(offsets, wild))
    assert data != path.read_bytes()
    with pytest.raises(TableError, match="damaged"):
        read_table_file(path)


def test_bad_utf_8_is_refused(tmp_path):
    text = pa.array([b"caf\xe9", b"tea"] * 10, pa.binary()).view(pa.string())
    for write in (parquet.write_table, feather.write_feather):
        write(pa.table({"drink": text, "y": [0, 1] * 10}), tmp_path / "t")
        with pytest.raises(TableError, match="UTF8"):
            read_table_file(tmp_path / "t")


@pytest.mark.parametrize("most", [2**26, 10])
@pytest.mark.parametrize("kind", WRITERS)
def test_the_hash_is_that_of_the_bytes_used(tmp_path, monkeypatch, kind, most):
    monkeypatch.setattr(memory_mapped, "MOST_IN_MEMORY", most)
    WRITERS[kind](tmp_path / "t")
    before = read_table_file(tmp_path / "t")
    with (tmp_path / "t").open("r+b") as file:  # in place, as another process may do
        file.write(b"\xff" * (tmp_path / "t").stat().st_size)
    assert before.table.to_pylist() == TABLE.to_pylist()
    (tmp_path / "t").write_bytes(b"")
    assert before.table.column("size").to_pylist() == TABLE.column("size").to_pylist()


def test_a_text_file_that_changes_between_two_readings_is_refused(tmp_path, monkeypatch):
    path, fill = tmp_path / "t.csv", delimited._fill
    rows = "".join(f"{i},{i % 2}\n" for i in range(3000))
    path.write_text("a,b\n" + rows + "late,1\n", encoding="utf-8")
    monkeypatch.setattr(delimited, "_BLOCK", 2**12)  # the word comes in a later block

    def rewriting(*arguments):
        sha256 = fill(*arguments)
        path.write_text("a,b\n" + rows + "other,1\n", encoding="utf-8")
        return sha256

    monkeypatch.setattr(delimited, "_fill", rewriting)
    with pytest.raises(TableError, match="changed while it was read"):
        read_table_file(path)


WIDE = [2**63 + 3 * i for i in range(60)]
COLUMNS = {
    "unsigned": pa.array(WIDE, pa.uint64()),
    "large": pa.array([2**53 + 1 + 2 * i for i in range(60)], pa.int64()),
    "decimal": pa.array([Decimal(i) / 8 for i in range(60)], pa.decimal128(20, 3)),
    "wide decimal": pa.array([Decimal(10) ** 60 + i for i in range(60)], pa.decimal256(70, 2)),
    "half": pa.array(np.arange(60, dtype=np.float16)),
    "date": pa.array([date(1850 + i, 1, 1) for i in range(60)]),
    "moment": pa.array([datetime(2020, 1, 1, i % 24, tzinfo=UTC) for i in range(60)]),
    "zone": pa.array([0] * 60, pa.timestamp("s", "Asia/Kathmandu")),
    "far": pa.array([2**60 + i for i in range(60)], pa.timestamp("s")),
    "duration": pa.array(list(range(60)), pa.duration("s")),
    "hour": pa.array(list(range(60)), pa.time32("s")),
    "bytes": pa.array([b"\xff\x00"] * 60, pa.binary()),
    "list": pa.array([[i] for i in range(60)]),
    "struct": pa.array([{"a": i} for i in range(60)]),
    "map": pa.array([[("a", i)] for i in range(60)], pa.map_(pa.string(), pa.int64())),
    "nothing": pa.nulls(60),
    "codes": pa.array([10**i for i in range(3)] * 20).dictionary_encode(),
    "coded bytes": pa.array([b"a", b"b", b"c"] * 20).dictionary_encode(),
    "view": pa.array([f"w{i % 5}" for i in range(60)], pa.string_view()),
    "large text": pa.array([f"w{i % 5}" for i in range(60)], pa.large_string()),
}


@pytest.mark.parametrize("role", ["feature", "target", "group", "time"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_a_column_of_any_type_in_any_role_is_read_or_refused(kind, role):
    table = pa.table({"odd": COLUMNS[kind], "x": [i % 11 for i in range(60)], "y": [0, 1, 1] * 20})
    target, named = ("odd", {}) if role == "target" else ("y", {role: "odd"})
    options = {} if role == "feature" else named
    with suppress(TableError):
        file = TableFile.of_table(table)
        certify_table(file, target=target, holdout=0.5, learners=["MixedNaiveBayes"], **options)


def test_labels_beyond_2_to_63_stay_apart():
    labels = pa.array([2**63 + i % 2 for i in range(100)], pa.uint64())
    table = pa.table({"x": [i % 2 + i / 1000 for i in range(100)], "y": labels})
    run = certify_table(TableFile.of_table(table), target="y", learners=["MixedNaiveBayes"])
    assert run.problem.task == "binary"
    assert set(run.problem.y.tolist()) == {2**63, 2**63 + 1}


def test_unsigned_numbers_that_fit_are_whole_numbers():
    file = TableFile.of_table(pa.table({"a": pa.array([2**53 + 1, 3], pa.uint64())}))
    assert file.table.column("a").to_pylist() == [2**53 + 1, 3]


@pytest.mark.parametrize("names", [["", "y"], ["a.b", "y"], ["a\nb", "y"], ["\x1b[31m", "y"]])
def test_odd_names_of_columns_are_names(tmp_path, names):
    table = pa.table([pa.array(range(40)), pa.array([0, 1] * 20)], names=names)
    parquet.write_table(table, tmp_path / "t")
    assert read_table_file(tmp_path / "t").table.column_names == names


def test_a_name_with_a_point_is_no_part_of_another(tmp_path, monkeypatch):
    monkeypatch.setattr(memory_mapped, "MOST_IN_MEMORY", 10)
    parquet.write_table(pa.table({"a.b": [1, 2], "a": [3, 4]}), tmp_path / "t")
    assert read_table_file(tmp_path / "t").table.to_pydict() == {"a.b": [1, 2], "a": [3, 4]}


@pytest.mark.parametrize("table", [pa.table({}), pa.table({"a": pa.array([], pa.int64())})])
def test_tables_without_rows_are_refused(tmp_path, table):
    parquet.write_table(table, tmp_path / "t")
    with pytest.raises(TableError, match="no rows"):
        read_table_file(tmp_path / "t")


def test_lines_of_any_length_are_read(tmp_path):
    path = tmp_path / "t.csv"
    names = [f"a long name of column number {i}" for i in range(12_000)]
    assert len(",".join(names)) > 2**18
    rows = [",".join(str((i * j) % 7) for j in range(12_000)) for i in range(3)]
    path.write_text("\n".join([",".join(names), *rows, ""]), encoding="utf-8")
    table = read_table_file(path).table
    assert table.shape == (3, 12_000)
    assert table.column_names == names


@pytest.mark.parametrize("n", [200_000, 3_000_000])
@pytest.mark.parametrize("place", [0, 400])
def test_a_long_cell_is_read(tmp_path, n, place):
    rows = [f"word {i % 3},{i}" for i in range(500)]
    rows[place] = "x" * n + ",7"
    (tmp_path / "t.csv").write_text("\n".join(["text,number", *rows, ""]), encoding="utf-8")
    table = read_table_file(tmp_path / "t.csv").table
    assert table.shape == (500, 2)
    assert len(table.column("text")[place].as_py()) == n


def test_a_line_that_is_far_too_long_is_told_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 2**16)
    rows = ["a,1"] * 70_000 + ["x" * 2**19 + ",7"]
    (tmp_path / "t.csv").write_text("\n".join(["text,number", *rows, ""]), encoding="utf-8")
    with pytest.raises(TableError, match=r"line 70,002 .*more than 65,536 bytes") as refused:
        read_table_file(tmp_path / "t.csv")
    assert "quotation" not in str(refused.value)


@pytest.mark.parametrize("line", ["7," + "x" * 2**21, "x" * 2**21])
def test_a_first_row_that_is_far_too_long_is_not_called_no_rows(tmp_path, monkeypatch, line):
    monkeypatch.setattr(delimited, "_BLOCK", 2**16)
    monkeypatch.setattr(text_file, "_LONGEST_HEAD", 2**19)
    (tmp_path / "t.csv").write_text(f"number,text\n{line}\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"line 2 of .*more than 65,536 bytes"):
        read_table_file(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text(f"number,{'x' * 2**17}\n", encoding="utf-8")
    with pytest.raises(TableError, match="names of columns but no rows"):
        read_table_file(tmp_path / "t.csv")


def test_nobody_reads_ahead_in_a_file_that_was_refused(tmp_path, monkeypatch):
    """A thread of Arrow that was reading while Python ended aborted the process: exit status -6."""
    monkeypatch.setattr(delimited, "_BLOCK", 2**16)
    read, reading = text_file._Hashed.readinto, []

    def slow(self, buffer):
        reading.append(self)
        try:
            if threading.current_thread() is not threading.main_thread():
                threading.Event().wait(0.2)
            return read(self, buffer)
        finally:
            reading.pop()

    monkeypatch.setattr(text_file._Hashed, "readinto", slow)
    rows = ["3"] + ["4,5"] * 200_000
    (tmp_path / "t.csv").write_text("\n".join(["a,b", *rows, ""]), encoding="utf-8")
    with pytest.raises(TableError, match="has 1 cells where 2 are expected"):
        read_table_file(tmp_path / "t.csv")
    assert reading == []


@pytest.mark.parametrize("n", [2, 200_000])
def test_an_open_quotation_mark_in_the_last_column_swallows_nothing(tmp_path, n):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n" + '2,"y\n' + "3,z\n" * n, encoding="utf-8")
    with pytest.raises(TableError, match=r"begins in line 3 of .* not closed"):
        read_table_file(path)
    path.write_text('a,b\n1,5" pipe\n2,"y\nz"\n', encoding="utf-8")
    assert read_table_file(path).table.num_rows == 2


def bomb(path, n_bytes):
    with gzip.open(path, "wb") as file:
        file.write(b"a,b\n")
        for _ in range(n_bytes // 2**20):
            file.write(b"1,2\n" * 2**18)


@pytest.mark.parametrize("name", ["t.csv.gz", "t.arff"])
def test_a_bomb_is_refused_by_its_size(tmp_path, monkeypatch, name):
    monkeypatch.setattr(decompression, "RATIO", 10)
    monkeypatch.setattr(decompression, "FLOOR", 2**22)
    monkeypatch.setattr("surelearn.app.tables.read._MOST_OF_ARFF", 2**22)
    bomb(tmp_path / name, 2**23)
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(tmp_path / name)
    if name == "t.csv.gz":
        monkeypatch.setenv("SURELEARN_MOST_BYTES", str(2**24))
        assert read_table_file(tmp_path / name).table.num_columns == 2


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="Linux tells the most memory used"
)
def test_a_line_without_end_is_refused_in_little_memory(tmp_path):
    script = """
import pathlib, re, sys
from surelearn.app.tables.read import TableError, read_table_file
try:
    read_table_file(sys.argv[1])
except TableError as error:
    print(error)
status = pathlib.Path("/proc/self/status").read_text()  # getrusage would tell of the parent, too
print(int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]) // 2**10)
"""
    with gzip.open(tmp_path / "t.gz", "wb", compresslevel=1) as file:
        for _ in range(560):
            file.write(b"x" * 2**20)
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", script, tmp_path / "t.gz"],
        capture_output=True,
        text=True,
        check=True,
    )
    *sentence, megabytes = done.stdout.splitlines()
    assert len(sentence) == 1
    assert int(megabytes) < 900


def test_a_parquet_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 2**24)
    parquet.write_table(pa.table({"a": pa.nulls(2**22, pa.int64())}), tmp_path / "t")
    assert (tmp_path / "t").stat().st_size < 2**16
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(tmp_path / "t")


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("cells", [pa.nulls(2**21, pa.int64()), pa.array([0.0] * 2**21)])
def test_an_arrow_bomb_is_refused(tmp_path, monkeypatch, compression, stream, cells):
    monkeypatch.setattr(decompression, "FLOOR", 2**23)
    table = pa.table({"a": cells, "b": pa.nulls(2**21, pa.int32())})
    if stream:
        write_stream(table, tmp_path / "t", compression=compression)
    else:
        feather.write_feather(table, tmp_path / "t", compression=compression)
    assert (tmp_path / "t").stat().st_size < 2**17
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(tmp_path / "t")
    monkeypatch.setenv("SURELEARN_MOST_BYTES", str(2**30))
    assert read_table_file(tmp_path / "t").table.num_rows == 2**21


def write_file(path, batches, **options):
    schema = batches[0].schema
    with ipc.new_file(path, schema, options=ipc.IpcWriteOptions(**options)) as writer:
        for batch in batches:
            writer.write_batch(batch)


def blocks_in_footer(data):
    """Where the footer tells the places of record batches."""
    (length,) = struct.unpack_from("<i", data, len(data) - 10)
    start = len(data) - 10 - length
    places = range(start, len(data) - 24, 4)
    read = {place: struct.unpack_from("<qiiq", data, place) for place in places}
    return [
        place
        for place, (offset, metadata, padding, body) in read.items()
        if padding == 0 and 0 < offset < start and 0 < metadata < 2**12 and offset % 8 == 0
        and body >= 0 and offset + metadata + body <= start
        and data[offset : offset + 4] == b"\xff" * 4
    ]  # fmt: skip


def forged_end(path):
    """Let the stream in a file end before its only batch, which the footer still knows."""
    batch = pa.record_batch({"a": np.zeros(2**21)})
    write_file(path, [batch], compression="zstd")
    data = bytearray(path.read_bytes())
    (place,) = blocks_in_footer(data)
    (offset,) = struct.unpack_from("<q", data, place)
    struct.pack_into("<q", data, place, offset + 8)
    path.write_bytes(data[:offset] + b"\xff\xff\xff\xff\0\0\0\0" + data[offset:])


def repeated_block(path):
    """Let the footer lead to the same batch, which is not compressed, many times."""
    batches = [pa.record_batch({"a": np.zeros(n)}) for n in (2**13, *[1] * 400)]
    write_file(path, batches)
    data = bytearray(path.read_bytes())
    first, *others = sorted(blocks_in_footer(data), key=lambda p: struct.unpack_from("<q", data, p))
    assert len(others) == 400
    for place in others:
        data[place : place + 24] = data[first : first + 24]
    path.write_bytes(data)


def only_nulls(path):
    """Claim rows of which no byte is stored."""
    write_file(path, [pa.record_batch({"a": pa.nulls(2**21), "b": pa.nulls(2**21)})])


FORGED = {"an end too early": forged_end, "one batch often": repeated_block, "nulls": only_nulls}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_bomb_behind_a_forged_footer_is_refused(tmp_path, monkeypatch, forgery):
    monkeypatch.setattr(decompression, "FLOOR", 2**23)
    path = tmp_path / "t.arrow"
    FORGED[forgery](path)
    monkeypatch.setattr(decompression, "RATIO", 2)
    assert ipc.open_file(path.read_bytes()).read_all().num_rows >= 2**21
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(path)
    if forgery != "one batch often":  # each of which is small enough
        with pytest.raises(ValueError, match="SURELEARN_MOST_BYTES"):
            list(scale.parts(path))


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather])
def test_a_long_word_in_many_rows_is_held_once(tmp_path, write):
    codes = pa.array(np.arange(20_000, dtype=np.int32) % 2)
    words = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 2**20, " y "]))
    write(pa.table({"word": words, "y": codes}), tmp_path / "t")  # 10 GB, were it written out
    cells = read_table_file(tmp_path / "t").table.column("word")
    assert cells.nbytes < 2**22
    assert cells[1].as_py() == "y"
    assert len(cells[0].as_py()) == 2**20


def test_parquet_whose_text_fills_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(decompression, "FLOOR", 2**22)
    text = [f"{i}" + "x" * 2**16 for i in range(128)]
    parquet.write_table(pa.table({"a": text}), tmp_path / "t", compression="zstd")
    assert (tmp_path / "t").stat().st_size < 2**15
    with pytest.raises(TableError, match="SURELEARN_MOST_BYTES"):
        read_table_file(tmp_path / "t")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_pipe_is_read_once(tmp_path, kind):
    path, pipe = tmp_path / "t", tmp_path / "pipe"
    if kind == "csv":
        path.write_text("a,b\n" + "1,2\n" * 50_000, encoding="utf-8")
    else:
        parquet.write_table(TABLE, path)
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    piped, plain = read_table_file(pipe), read_table_file(path)
    writer.join()
    assert piped.table.equals(plain.table)
    assert piped.sha256 == plain.sha256
    assert piped.path == pipe


def test_a_pipe_that_nobody_writes_to_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_PATIENCE", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TableError, match="nobody has written"):
        read_table_file(tmp_path / "pipe")


def test_an_endless_pipe_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setenv("SURELEARN_MOST_BYTES", str(2**16))
    os.mkfifo(tmp_path / "pipe")
    command = f"while echo 1,2; do :; done > {tmp_path / 'pipe'}"
    with subprocess.Popen(["/bin/sh", "-c", command], stderr=subprocess.DEVNULL) as writer:  # noqa: S603
        with pytest.raises(TableError, match="65,536 bytes"):
            read_table_file(tmp_path / "pipe")
        writer.wait()


def test_what_is_no_file_is_refused(tmp_path):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    refused = {
        "/dev/zero": "is a device",
        "/dev/null": "is a device",
        tmp_path: "is a folder",
        tmp_path / "socket": "is a socket",
        tmp_path / "loop": "cannot be read",
        tmp_path / ("x" * 300): "cannot be read",
        "a\0b": "cannot be read",
        tmp_path / "no\nsuch": "there is no file",
    }
    for path, why in refused.items():
        with pytest.raises(TableError, match=why):
            read_table_file(path)
    listening.close()


def test_a_name_with_a_new_line_is_a_name(tmp_path):
    path = Path(tmp_path) / "two\nlines.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert read_table_file(path).table.num_rows == 1


@pytest.mark.parametrize("encoding", ["euc_jp", "gb18030", "utf-8-sig", "iso8859_7", "utf-7"])
def test_a_byte_far_down_that_is_not_of_the_encoding_is_named(tmp_path, encoding):
    path = tmp_path / "late.csv"
    path.write_bytes(b"a,b\n" + b"1,x\n" * 100_000 + b"2,\xff\xff\n")
    with pytest.raises(TableError, match=r"line 100,002\) is 0xff, and that is no"):
        read_table_file(path, encoding=encoding)


def test_the_first_byte_of_a_character_that_does_not_go_on_is_named(tmp_path):
    path = tmp_path / "broken.csv"
    lines = b"a,b\n" + b"1,x\n" * (2**20 - 2) + b"222\xe2"  # ends where a block does
    path.write_bytes(lines + b"x,y\n")
    with pytest.raises(TableError, match=rf"^byte {len(lines):,} of .* is 0xe2"):
        read_table_file(path)


@pytest.mark.parametrize("encoding", ["\udcff", "a\0b"])
def test_an_encoding_whose_name_is_none_is_refused(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match="there is no encoding called"):
        read_table_file(path, encoding=encoding)


def test_a_million_empty_cells_between_tabs_take_no_hours(tmp_path):
    path = tmp_path / "tabs.tsv"
    path.write_text("a,b\n1,2\n3" + "\t" * 10**6 + "4\n", encoding="utf-8")
    with pytest.raises(TableError, match="line 3 of"):
        read_table_file(path)
