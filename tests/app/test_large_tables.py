"""Tables too large for memory: read, understood, certified, verified and used as any other."""

import subprocess
import sys
import tempfile

import numpy as np
import pytest
from pyarrow import ipc, parquet
from typer.testing import CliRunner

from surelearn.app import predict
from surelearn.app.certify import certify_table, pose
from surelearn.app.choosing import training
from surelearn.app.output import NAMES
from surelearn.app.predict import predict_in_chunks, predict_table, read_features, read_for
from surelearn.app.tables import delimited, memory_mapped
from surelearn.app.tables.read import read_table_file
from surelearn.base import chunks
from surelearn.cli import app
from surelearn.persistence.model_files import load_model, save_model

pytestmark = pytest.mark.usefixtures("no_figures")

N = 600


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of temporary files, empty at first; a kilobyte of memory, and short blocks."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setattr(memory_mapped, "MOST_IN_MEMORY", 2**10)
    monkeypatch.setattr(delimited, "_BLOCK", 2**11)
    for module in (chunks, predict):
        monkeypatch.setattr(module, "CHUNK", 64)
    return place


@pytest.fixture
def few_cells(monkeypatch):
    """Few cells are very many."""
    monkeypatch.setattr(training, "MOST_CELLS", 700)
    monkeypatch.setattr(training, "FEWEST_ROWS", 100)
    monkeypatch.setattr(training, "_CHUNK", 500)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A CSV file with words, missing cells, a late word and numbers that are whole at first."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=N).round(3)
    lines = ["x,half,colour,flag,late,empty,y"]
    for i in range(N):
        half = i if i < 300 else i / 2
        label = "" if i % 50 == 0 else "yes" if x[i] + rng.normal() / 3 > 0 else "no"
        late = "oops" if i == N - 5 else rng.integers(9)
        colour = rng.choice(["red", "blue", "?", "green"])
        lines.append(f"{x[i]},{half},{colour},{i % 2 == 0},{late},,{label}")
    path = tmp_path_factory.mktemp("large") / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


OPTIONS = {"target": "y", "learners": ("MixedNaiveBayes",), "seed": 2}


def read_small(path):
    """Read a table with the memory that is usual."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_mapped, "MOST_IN_MEMORY", 2**30)
        patch.setattr(delimited, "_BLOCK", 2**22)
        return read_table_file(path)


def test_what_is_read_to_disk_is_what_is_read_to_memory(table, folder):
    n_files = len(memory_mapped._mapped)
    file, small = read_table_file(table), read_small(table)
    assert len(memory_mapped._mapped) > n_files
    assert [column.num_chunks for column in file.table.columns] == [1] * 7
    assert file.table.schema == small.table.schema
    assert file.table.to_pylist() == small.table.to_pylist()
    assert (file.notes, file.sha256) == (small.notes, small.sha256)
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["t.parquet", "t.arrow"])
def test_files_with_types_are_read_column_by_column(table, tmp_path, name):
    small, path = read_small(table).table, tmp_path / name
    if name == "t.parquet":
        parquet.write_table(small, path)
    else:
        with ipc.new_file(path, small.schema) as sink:
            sink.write_table(small)
    assert read_table_file(path).table.to_pylist() == small.to_pylist()


@pytest.mark.usefixtures("folder")
def test_the_problem_is_the_same(table):
    large = pose(read_table_file(table), target="y", holdout=0.2, seed=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_mapped, "MOST_IN_MEMORY", 2**30)
        small = pose(read_small(table), target="y", holdout=0.2, seed=1)
    assert large.dropped_rows == small.dropped_rows == N // 50
    assert large.X.to_pylist() == small.X.to_pylist()
    assert (large.y.tolist(), large.y.dtype) == (small.y.tolist(), small.y.dtype)
    assert large.schema == small.schema
    assert large.notes == small.notes
    assert large.warnings == small.warnings
    assert not large.y.flags.owndata  # the labels are on disk too


def test_the_certificate_is_the_same_in_every_byte(table, folder):
    large = certify_table(read_table_file(table), **OPTIONS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory_mapped, "MOST_IN_MEMORY", 2**30)
        for module in (chunks, predict):
            patch.setattr(module, "CHUNK", 2**15)
        small = certify_table(read_small(table), **OPTIONS)
    assert large.certificate.to_json() == small.certificate.to_json()
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("few_cells")
def test_a_sampled_run_is_said_verified_and_used_from_the_shell(table, folder, tmp_path):
    out = [tmp_path / "one", tmp_path / "two"]
    for place in out:
        words = ["certify", table, "--target", "y", "--learner", "MixedNaiveBayes", "--out", place]
        result = CliRunner().invoke(app, list(map(str, words)))
        assert result.exit_code == 0, result.output
    assert "compared on 140 of the 470 training rows" in " ".join(result.output.split())
    page = (out[0] / "report.html").read_text(encoding="utf-8")
    assert "fitted to all 470 training rows (it learns block by block)" in page
    for name in NAMES:
        assert (out[0] / name).read_bytes() == (out[1] / name).read_bytes()
    model = out[0] / "model.surelearn"
    words = ["verify", out[0] / "certificate.json", "--model", model, "--data", table]
    assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    words = ["predict", model, table, "--out", tmp_path / "p.csv"]
    assert CliRunner().invoke(app, list(map(str, words))).exit_code == 0
    assert len((tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()) == N + 1
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("folder")
def test_predictions_in_blocks_are_those_of_the_whole(table, tmp_path):
    run = certify_table(read_table_file(table), **OPTIONS)
    save_model(run.model, tmp_path / "m", schema=run.problem.schema, metadata={})
    saved = load_model(tmp_path / "m")
    file = read_for(saved.schema, table)
    X, _ = read_features(file.table, saved.schema, file.decimal)
    predicted = predict_in_chunks(saved, X)
    assert predicted.to_pylist() == predict_table(saved, X).to_pylist()
    assert predicted.column(0).num_chunks == -(-N // 64)


@pytest.mark.usefixtures("few_cells")
@pytest.mark.parametrize("moment", ["reading", "training"])
def test_an_interrupt_leaves_nothing_behind(table, folder, monkeypatch, moment):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    if moment == "training":
        monkeypatch.setattr(training, "_learn_in_chunks", interrupt)
    progress = interrupt if moment == "reading" else None
    with pytest.raises(KeyboardInterrupt):
        certify_table(
            read_table_file(table, on_progress=progress), target="y", learners=["MixedNaiveBayes"]
        )
    assert list(folder.iterdir()) == []


MEASURE = """
import os, sys
from pathlib import Path
from surelearn.app.tables import delimited, memory_mapped
from surelearn.app.tables.read import read_table_file
delimited._BLOCK = 2**17
def status(name):
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
def measure(path, most):
    memory_mapped.MOST_IN_MEMORY = int(most)
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forget the peak
    before = status("VmRSS")
    file = read_table_file(path)
    print(status("VmHWM") - before, flush=True)
    os._exit(0)
for asked in zip(sys.argv[1::2], sys.argv[2::2]):
    if not (child := os.fork()):  # each has a memory of its own, and none waits for imports
        measure(*asked)
    if os.waitpid(child, 0)[1]:
        sys.exit(f"no measure of {asked}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is told by /proc")
def test_reading_takes_no_more_memory_the_longer_the_file(tmp_path):
    rng = np.random.default_rng(0)
    part = "\n".join(",".join(map(str, row)) for row in rng.random(size=(8_000, 40)).round(1))
    names = ",".join(f"c{i}" for i in range(40))

    for name, n_parts in (("short", 2), ("long", 8)):
        text = "\n".join([names, *[part] * n_parts])
        (tmp_path / name).write_text(text, encoding="utf-8")
    asked = [("short", 2**20), ("long", 2**20), ("long", 2**30)]
    words = [word for name, most in asked for word in (str(tmp_path / name), str(most))]
    command = [sys.executable, "-c", MEASURE, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    # Kilobytes, beyond what the imports take.
    short, long, in_memory = map(int, done.stdout.split())
    grown = 6 * 8_000 * 40 * 8 / 1024
    assert long - short < 0.4 * grown
    assert in_memory - short > 0.8 * grown  # what is measured can be seen
