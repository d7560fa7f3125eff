"""Folders with a fault, clusters that are not there, runs that are interrupted: a sentence each."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import surelearn
from surelearn import scale
from surelearn.app.errors import TableError
from surelearn.cli import app
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

N_FILES, N_ROWS = 3, 300


def world(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, 2))
    colour = rng.choice(["red", "green"], N_ROWS)
    y = np.where(X[:, 0] + (colour == "red") + rng.normal(size=N_ROWS) / 2 > 0, "yes", "no")
    return pa.table({"a": X[:, 0], "b": X[:, 1], "colour": colour, "y": y})


def write(place):
    place.mkdir(parents=True, exist_ok=True)
    for i in range(N_FILES):
        parquet.write_table(world(i), place / f"{i}.parquet", row_group_size=100)
    return place


@pytest.fixture(autouse=True)
def afresh(tmp_path, monkeypatch):
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))
    forget()


def replaced(name, cells):
    table = world(1)
    return table.set_column(table.column_names.index(name), name, cells)


def with_table(table):
    return lambda path: parquet.write_table(table, path)


FAULTS = {
    "another column": (
        with_table(world(1).append_column("z", pa.array(np.arange(N_ROWS)))),
        r"1\.parquet has \['a', 'b', 'colour', 'y', 'z'\]: give all files the same",
    ),
    "no target": (with_table(world(1).drop_columns(["y"])), r"1\.parquet has \['a', 'b', 'colour'"),
    "text among numbers": (
        with_table(replaced("a", pa.array([f"v{i}" for i in range(N_ROWS)]))),
        r"types of 'a': .*1\.parquet has string, those before it double: write one type",
    ),
    "numbers among labels": (
        with_table(replaced("y", pa.array(np.arange(N_ROWS) % 2))),
        r"types of 'y': .*1\.parquet has int64, those before it string",
    ),
    "an empty file": (lambda path: path.write_bytes(b""), r"1\.parquet cannot be read"),
    "a file cut short": (
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        r"1\.parquet cannot be read",
    ),
    "an infinite cell": (
        with_table(replaced("a", pa.array([np.inf] * N_ROWS))),
        r"surelearn: the column 'a' holds infinity in some rows",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_folder_is_refused_and_nothing_is_written(fault, tmp_path):
    make, message = FAULTS[fault]
    place, out = write(tmp_path / "table"), tmp_path / "out"
    make(place / "1.parquet")
    asked = ["certify", str(place), "--target", "y", "--learner", "MixedNaiveBayes"]
    run = CliRunner().invoke(app, [*asked, "--out", str(out)])
    assert run.exit_code == 2
    assert re.search(message, " ".join(run.output.split())), run.output
    assert "Traceback" not in run.output
    assert not out.exists()


def certified(place, **options):
    forget()
    return surelearn.certify(place, target="y", learners=["MixedNaiveBayes"], **options)


def test_files_without_rows_and_targets_that_are_missing_in_one_file_count_for_nothing(tmp_path):
    place = write(tmp_path / "table")
    parquet.write_table(world(1).slice(0, 0), place / "1.parquet")
    parquet.write_table(replaced("y", pa.nulls(N_ROWS, pa.string())), place / "2.parquet")
    with pytest.raises(TableError, match="rows"):  # three hundred rows are left: too few
        certified(place, holdout=0.01)
    problem = certified(place).run.problem
    assert (problem.n_rows, problem.dropped_rows) == (N_ROWS, N_ROWS)


@pytest.mark.parametrize("moment", [2, 12])
def test_a_file_that_changes_meanwhile_is_named(moment, tmp_path):
    place, n_done = write(tmp_path / "table"), [0]

    def change(*_):
        n_done[0] += 1
        if n_done[0] == moment:
            parquet.write_table(world(9), place / "2.parquet", row_group_size=100)

    with (
        scale.on(progress=change),
        pytest.raises(TableError, match=r"row group \d of .*2\.parquet has changed"),
    ):
        certified(place)


def test_a_cluster_that_is_not_there_is_named(tmp_path, monkeypatch):
    place, out = write(tmp_path / "table"), tmp_path / "out"
    monkeypatch.setattr(scale.connect, "__kwdefaults__", {"seconds": 0.2}, raising=False)
    asked = ["certify", str(place), "--target", "y", "--cluster", "tcp://127.0.0.1:9"]
    run = CliRunner().invoke(app, [*asked, "--out", str(out)])
    assert run.exit_code == 2
    assert "there is no cluster of Dask at tcp://127.0.0.1:9" in " ".join(run.output.split())
    assert not out.exists()


def files_of(found, out):
    found.save(out)
    return {name: (out / name).read_bytes() for name in ("certificate.json", "claims.json")}


class Struck(Exception):  # noqa: N818 - somebody ends the run
    """The run ends here."""


@pytest.mark.parametrize("moment", [pytest.param(4, marks=pytest.mark.slow), 31])
def test_an_interrupted_run_goes_on_where_it_was(moment, tmp_path):
    place, kept, n_done = write(tmp_path / "table"), tmp_path / "kept", [0]

    def strike(*_):
        n_done[0] += 1
        if n_done[0] == moment:
            raise Struck

    with pytest.raises(Struck), scale.on(progress=strike, checkpoint=kept):
        certified(place)
    before = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(before) >= moment
    with scale.on(checkpoint=kept):
        resumed = files_of(certified(place), tmp_path / "resumed")
    after = {path.name: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert before.items() <= after.items()  # nothing was written twice
    assert len(after) > len(before)  # the control: there was something left to do
    assert resumed == files_of(certified(place), tmp_path / "at once")


RUN = """
from surelearn.cli import app
import sys
app(sys.argv[1:])
"""


def started(place, out, kept, *more, state="state"):
    asked = ["certify", str(place), "--target", "y", "--learner", "MixedNaiveBayes"]
    command = [*asked, "--out", str(out), "--checkpoint", str(kept), *more]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    own = {"SURELEARN_STATE": str(place.parent / state)}
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **own}
    return subprocess.Popen([sys.executable, "-c", RUN, *command], env=env, **pipes)  # noqa: S603


def wait_for_records(process, kept, n):
    while process.poll() is None and len(list(kept.glob("*.record"))) < n:
        time.sleep(0.01)


def ended(process):
    said = process.communicate()[0]
    assert process.returncode == 0, said[-2000:]


def workers_of(process):
    """Return the processes that work for a command: its children that were spawned to."""
    told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")
    found = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in map(int, told.split())}
    return [pid for pid, line in found.items() if b"loky" in line and b"tracker" not in line]


WRITTEN = ("certificate.json", "claims.json", "model.surelearn")


def bytes_in(out):
    return {name: (out / name).read_bytes() for name in WRITTEN}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other kernels list processes elsewhere")
@pytest.mark.parametrize("workers", ["1", "2", "4"])
@pytest.mark.parametrize("moment", [2, 12, 30])
def test_a_command_that_is_killed_resumes_with_the_same_bytes(workers, moment, tmp_path):
    place, out, kept = write(tmp_path / "table"), tmp_path / "out", tmp_path / "kept"
    with started(place, out, kept, "--workers", workers) as first:
        wait_for_records(first, kept, moment)
        first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    assert not out.exists()
    there = {path.name for path in kept.glob("*.record")}
    assert len(there) >= moment
    with started(place, out, kept, "--workers", workers) as second:
        wait_for_records(second, kept, len(there) + 2)
        for pid in workers_of(second)[:1]:
            os.kill(pid, signal.SIGKILL)  # and now a worker
        ended(second)
    assert there < {path.name for path in kept.glob("*.record")}
    whole, others = tmp_path / "whole", tmp_path / "others"
    with started(place, whole, others, state="another") as alone:
        ended(alone)
    assert bytes_in(out) == bytes_in(whole)
    other = tmp_path / "of nobody who asked before" / "out"  # a ledger lies beside each run
    with started(place, other, kept, "--seed", "1", state="third") as control:
        ended(control)
    assert bytes_in(other) != bytes_in(whole)


@pytest.mark.slow
def test_a_worker_that_is_killed_changes_no_byte(tmp_path):
    place, n_done, victims = write(tmp_path / "table"), [0], []
    alone = files_of(certified(place), tmp_path / "alone")

    with scale.processes(1) as pool:
        pool.submit(abs, -1).result()

        def strike(*_):
            n_done[0] += 1
            if n_done[0] == 12:
                victims.append(pool.pids[0])
                os.kill(victims[0], signal.SIGKILL)

        with scale.on(progress=strike):
            shared = files_of(certified(place, executor=pool), tmp_path / "shared")
        left = pool.pids
    assert victims
    assert victims[0] not in left  # another one did its work
    assert shared == alone


def test_one_file_in_parts_and_many_files_hold_the_same_rows_out(tmp_path):
    many, one = write(tmp_path / "many"), tmp_path / "one"
    one.mkdir()
    whole = pa.concat_tables(world(i) for i in range(N_FILES))
    parquet.write_table(whole, one / "all.parquet")
    found, other = certified(many), certified(one)
    assert found.run.problem.answered.hashes.tolist() == other.run.problem.answered.hashes.tolist()
    assert (found.certificate.bound, found.certificate.n) == (
        other.certificate.bound,
        other.certificate.n,
    )
    alone = certified(one / "all.parquet")  # drawn by the places of rows: others are held out
    assert "in_parts" in found.certificate.reproduce["options"]
    assert "in_parts" not in alone.certificate.reproduce["options"]
    assert alone.certificate.reproduce["data"] != found.certificate.reproduce["data"]
