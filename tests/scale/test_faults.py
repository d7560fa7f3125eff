"""Workers that die, stop or lose their scheduler, poisoned parts, damaged files, little memory."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from operator import add

import numpy as np
import pyarrow as pa
import pytest
from distributed import Client
from pyarrow import parquet

from surelearn import RidgeRegression, scale
from surelearn.scale import dask as on_dask
from surelearn.scale import reduction
from surelearn.scale._engine import Engine
from surelearn.scale._versions import code_version
from surelearn.scale.dask import local_cluster


def slowly(folder, seconds, part):
    """Return a record whose sum shows its order, and note that it was computed."""
    with (folder / "computed").open("a", encoding="utf-8") as file:
        file.write(f"{part}\n")
    if (folder / f"wait {part}").exists():
        (folder / f"wait {part}").unlink()  # whoever computes it after a strike does not wait
        (folder / "begun").write_text(f"{os.getpid()}\n", encoding="utf-8")
        time.sleep(1000.0)
    time.sleep(seconds)
    return np.array([0.1 * part, 1.0 / (part + 1.0)])


@contextmanager
def struck(folder, part, how=signal.SIGKILL):
    """Let who first computes a part wait there for a signal; yield the list of who got one.

    So the signal finds a task under way, however busy the machine is.
    """
    victims, over = [], threading.Event()
    (folder / f"wait {part}").touch()

    def strike():
        while not over.wait(0.01):
            begun = folder / "begun"
            if begun.exists() and begun.read_text(encoding="utf-8").endswith("\n"):
                victims.append(int(begun.read_text(encoding="utf-8")))
                os.kill(victims[0], how)
                return

    striker = threading.Thread(target=strike)
    striker.start()
    try:
        yield victims
    finally:
        over.set()
        striker.join()


def computed(folder):
    return (folder / "computed").read_text(encoding="utf-8").split()


def pids(client):
    return sorted(client.run(os.getpid).values())


class At:
    """Does something when so many parts are done."""

    def __init__(self, moments, act):
        self.moments, self.act = set(moments), act

    def __call__(self, done, _):
        if done in self.moments:
            self.moments.remove(done)
            self.act()


def kill(client, how=signal.SIGKILL):
    victim = pids(client)[0]
    os.kill(victim, how)
    return victim


def runs_on_under_a_kill(client, folder, part, n, seconds):
    """Run while the worker that computes a part is killed; return who it was."""
    work = partial(slowly, folder, seconds)
    alone = scale.map_reduce(range(n), work, add)
    (folder / "computed").unlink()
    with struck(folder, part) as victims, scale.on(client):
        found = scale.map_reduce(range(n), work, add)
    assert (found == alone).all()
    assert computed(folder).count(str(part)) > 1, "it was not computed again: nothing was tested"
    return victims[0]


def test_a_worker_is_killed(cluster, tmp_path):
    """D1: the sum is the same to the last bit; what only a worker's memory held is gone."""
    held = {
        pid: cluster.scatter(np.ones(3), workers=[address], direct=True, hash=False)
        for address, pid in cluster.run(os.getpid).items()
    }
    victim = runs_on_under_a_kill(cluster, tmp_path, 3, n=24, seconds=0.05)
    assert victim not in pids(cluster)
    with pytest.raises(Exception, match=r"(?i)cancelled|lost"):  # the control
        held[victim].result(timeout=20)
    cluster.wait_for_workers(2, timeout=60)  # other tests start processes, and hold it up


@pytest.mark.slow
def test_workers_are_killed_at_twenty_random_moments(tmp_path):
    rng = np.random.default_rng(0)
    with local_cluster(2) as client:
        for trial in range(20):
            folder = tmp_path / str(trial)
            folder.mkdir()
            runs_on_under_a_kill(client, folder, int(rng.integers(24)), n=24, seconds=0.05)
            client.wait_for_workers(2, timeout=60)


SCHEDULER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0",
                           host="127.0.0.1", processes=sys.argv[1] == "beside",
                           protocol="tcp://")
    print(cluster.scheduler_address, flush=True)
    time.sleep(1000)
"""


@pytest.fixture(params=["within", pytest.param("beside", marks=pytest.mark.slow)])
def foreign_cluster(request, tmp_path):
    """Start a cluster in another process; return its address and that process.

    Its worker is a thread of the scheduler's process, which starts soon, or a process of its own.
    """
    script = tmp_path / "scheduler.py"
    script.write_text(SCHEDULER, encoding="utf-8")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, script, request.param], env=paths, **pipes)  # noqa: S603 - our own
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_scheduler_is_killed(foreign_cluster, tmp_path):
    """D2: an error says so, and the next run computes only what is missing."""
    address, process = foreign_cluster
    work = partial(slowly, tmp_path, 0.05)
    kept = tmp_path / "kept"
    with Client(address, timeout=20) as client:
        strike = At([4], process.kill)
        with (
            pytest.raises(scale.ClusterLostError, match="checkpoint"),
            scale.on(client, checkpoint=kept, progress=strike),
        ):
            scale.map_reduce(range(30), work, add)
    there = len(list(kept.glob("*.record")))
    assert 4 <= there < 30
    (tmp_path / "computed").unlink()
    with scale.on(checkpoint=kept):
        resumed = scale.map_reduce(range(30), work, add)
    assert len(computed(tmp_path)) == 30 - there
    again = scale.map_reduce(range(30), work, add)  # the control: without the folder, all of it
    assert len(computed(tmp_path)) == 30 - there + 30
    assert (resumed == again).all()


def poison(kind, part):
    if part == 7 and kind == "raises":
        raise ZeroDivisionError("arsenic")
    if part == 7:
        os._exit(1)
    return part


def names_the_poison(client, kind):
    begun = time.monotonic()
    with scale.on(client), pytest.raises(scale.PartError, match=r"^7: ") as caught:
        scale.map_reduce(range(12), partial(poison, kind), add)
    assert caught.value.part == 7
    return time.monotonic() - begun


def test_a_poisoned_part_is_named(cluster):
    """D3: and a run without it ends well, which is the control."""
    names_the_poison(cluster, "raises")
    with scale.on(cluster):
        assert scale.map_reduce(range(7), partial(poison, "raises"), add) == 21


@pytest.mark.slow
def test_a_part_that_workers_die_of_is_named_within_thirty_seconds():
    with local_cluster(2) as client:
        assert names_the_poison(client, "kills") < 30.0


def survives_a_stop(client, folder, silent, monkeypatch):
    """Run while a worker is stopped; others must have done its part, or nothing was tested."""
    monkeypatch.setattr(on_dask, "_SILENT", silent)
    work = partial(slowly, folder, 0.02)
    alone = scale.map_reduce(range(40), work, add)
    (folder / "computed").unlink()
    with struck(folder, 3, signal.SIGSTOP) as victims, scale.on(client):
        assert (scale.map_reduce(range(40), work, add) == alone).all()
    assert victims
    assert computed(folder).count("3") > 1


@pytest.mark.slow
def test_a_worker_is_stopped(cluster, tmp_path, monkeypatch):
    """D4: after a while it counts as dead, and others do its work."""
    cluster.wait_for_workers(2, timeout=60)
    survives_a_stop(cluster, tmp_path, 1.0, monkeypatch)


@pytest.mark.slow
def test_a_worker_is_stopped_for_thirty_seconds(tmp_path, monkeypatch):
    with local_cluster(2) as client:
        survives_a_stop(client, tmp_path, 30.0, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 4])
def test_one_and_four_workers_find_the_same(n_workers, folder, tmp_path):
    """D5."""
    parts = scale.parts(folder, target="y", columns=["a", "b"])
    alone = RidgeRegression().fit(parts)
    with local_cluster(n_workers) as client, scale.on(client):
        assert (RidgeRegression().fit(parts).coef_ == alone.coef_).all()
        found = scale.map_reduce(range(40), partial(slowly, tmp_path, 0.0), add)
    assert (found == scale.map_reduce(range(40), partial(slowly, tmp_path, 0.0), add)).all()


class Silent(Engine):
    """An engine whose tasks are never done, as when a scheduler dies while it hands one over."""

    def __init__(self):
        super().__init__(None, 2)

    def submit(self, function, *arguments):
        del function, arguments
        return Future()

    def is_gone(self):
        return True


def test_a_cluster_that_falls_silent_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(reduction, "_LOOK", 0.01)
    with scale.on(Silent()), pytest.raises(scale.ClusterLostError, match="checkpoint"):
        scale.map_reduce(range(3), abs, add)


class Cluster:
    """A client of Dask as far as it is prepared: what its worker and its scheduler say."""

    status = "running"

    def __init__(self, worker, scheduler=(1.0, 2.0, 3)):
        self.worker, self.scheduler, self.set = worker, scheduler, []

    def run(self, *_, **__):
        return {"tcp://10.0.0.2:4000": self.worker}

    def run_on_scheduler(self, _, *given):
        if isinstance(self.scheduler, Exception):
            raise self.scheduler
        self.set.append(given)
        return self.scheduler

    def nthreads(self):
        return {}

    def get_executor(self, **_):
        return None


@pytest.mark.parametrize(
    ("client", "kind", "sentence"),
    [
        (Cluster("0123"), ValueError, "worker at tcp://10.0.0.2:4000 has other versions"),
        (Cluster(Exception("ModuleNotFoundError()")), ValueError, "worker at .* cannot import"),
        (Cluster(code_version(), ImportError("no")), ValueError, "scheduler of Dask cannot import"),
        (Cluster(code_version(), OSError("closed")), scale.ClusterLostError, "scheduler .* gone"),
    ],
    ids=["another version", "none", "none in the scheduler", "no scheduler"],
)
def test_workers_with_other_code_or_none_are_named_before_the_work_begins(client, kind, sentence):
    engine = on_dask._DaskEngine(client)
    with pytest.raises(kind, match=sentence), engine.prepared():
        pass
    assert not client.set


def test_a_worker_that_is_dead_is_no_worker_with_other_code():
    client = Cluster(OSError("closed"))
    with on_dask._DaskEngine(client).prepared():
        assert client.set == [(30.0, 60.0, 3)]
    assert client.set[1:] == [(1.0, 2.0, 3)]


MEMORY = """
import pathlib, re, sys
from surelearn import RidgeRegression, scale
folder, how = sys.argv[1:]
parts = scale.parts(folder, target="y")
status = pathlib.Path("/proc/self/status")  # what `resource` tells may be the parent's peak
peak = lambda: 1024 * int(re.search("VmHWM:\\s+(\\d+)", status.read_text())[1])
RidgeRegression().fit(parts[:2])
before = peak()
RidgeRegression().fit(parts)
print(peak() - before)
if how == "and whole":
    import pyarrow as pa
    whole = pa.concat_tables(part.read().X for part in parts)
    RidgeRegression().fit(whole, whole.column("x0").to_numpy())
    print(peak() - before)
"""


def wide_folder(folder, n_files, n_rows=2**16, n_columns=16):
    """Write one file and as many names for it; return the bytes of the table."""
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=n_rows) for i in range(n_columns - 1)}
    table = pa.table({**columns, "y": rng.normal(size=n_rows)})
    parquet.write_table(table, folder / "0000.parquet", row_group_size=2**15, compression="NONE")
    for i in range(1, n_files):
        (folder / f"{i:04}.parquet").symlink_to(folder / "0000.parquet")
    return n_files * table.nbytes


def growths(folder, how):
    """Return what a fit of parts adds to the memory, and then, if asked for, one of the table."""
    command = [sys.executable, "-c", MEMORY, str(folder), how]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return [int(line) for line in run.stdout.split()]


@pytest.mark.parametrize(
    "n_files", [pytest.param(12, id="short"), pytest.param(200, id="long", marks=pytest.mark.slow)]
)
def test_a_table_of_four_times_the_memory_is_fitted_in_it(n_files, tmp_path):
    """D6: reading it whole, the control, takes more."""
    limit = wide_folder(tmp_path, n_files) / 4
    in_parts, *whole = growths(tmp_path, "and whole" if n_files < 100 else "alone")
    assert in_parts < limit
    assert [grown > limit for grown in whole] == [True] * (n_files < 100)


def cut_out(path, group, n_bytes):
    """Remove bytes from the middle of a row group, as a copy that was interrupted may."""
    column = parquet.ParquetFile(path).metadata.row_group(group).column(0)
    content, start = path.read_bytes(), column.data_page_offset + 8
    path.write_bytes(content[:start] + content[start + n_bytes :])


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_truncated_row_group_is_named(when, tmp_path, two_processes):
    """D7: the file and the group; the same file as it was is the control."""
    path = tmp_path / "may.parquet"
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.normal(size=900), "y": rng.normal(size=900)})
    parquet.write_table(table, path, row_group_size=300, write_page_checksum=True)
    whole = path.read_bytes()
    parts = scale.parts(path, target="y")
    RidgeRegression().fit(parts)
    cut_out(path, 1, 64)
    found = scale.parts(path, target="y") if when == "before" else parts
    with (
        scale.on(two_processes),
        pytest.raises(scale.PartError, match=r"row group 1 of .*may\.parquet"),
    ):
        RidgeRegression().fit(found[1:])
    path.write_bytes(whole)
    assert RidgeRegression().fit(parts).n_training_rows_ == 900


def test_a_truncated_file_is_named(tmp_path):
    path = pathlib.Path(tmp_path / "may.parquet")
    parquet.write_table(pa.table({"x": [1.0, 2.0], "y": [1.0, 2.0]}), path)
    parts = scale.parts(path, target="y")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"may\.parquet"):
        scale.parts(path)
    with pytest.raises(scale.PartError, match=r"row group 0 of .*may\.parquet"):
        RidgeRegression().fit(parts)
