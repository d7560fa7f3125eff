"""What the benchmarks of tables in parts share: a folder, a process of its own, its memory."""

import datetime as dt
import importlib
import json
import os
import pathlib
import platform
import re
import resource
import subprocess
import sys
import threading

import numpy as np
import pyarrow as pa
from pyarrow import parquet

N_FEATURES, IN_A_FILE, IN_A_GROUP = 10, 1_000_000, 250_000
FEATURES = [f"f{j}" for j in range(N_FEATURES)]


def write(folder, n_rows):
    """Write one file, and as many names for it as make so many rows."""
    rng = np.random.default_rng(0)
    size = min(n_rows, IN_A_FILE)
    X = rng.normal(size=(size, N_FEATURES))
    number = X @ np.linspace(-1.0, 1.0, N_FEATURES) + rng.normal(size=size)
    columns = dict(zip(FEATURES, X.T, strict=True))
    table = pa.table({**columns, "number": number, "label": (number > 0.0).astype(np.int64)})
    first = folder / "000.parquet"
    parquet.write_table(table, first, row_group_size=IN_A_GROUP, compression="NONE")
    for i in range(1, n_rows // size):
        (folder / f"{i:03}.parquet").symlink_to(first)


def memory(pid="self"):
    """Return how much of a process is in memory now, and what it was at most, in megabytes."""
    told = pathlib.Path(f"/proc/{pid}/status").read_text("utf-8")
    found = (re.search(rf"{name}:\s+(\d+)", told) for name in ("VmRSS", "VmHWM"))
    return [0.0 if one is None else int(one[1]) / 1024 for one in found]


def descendants(pid):
    """Return the processes that a process has started, and those that they have."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text("utf-8").rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents.setdefault(int(words[1]), []).append(int(path.parent.name))
    found, todo = [], [pid]
    while todo:
        more = parents.get(todo.pop(), [])
        found += more
        todo += more
    return found


class Children:
    """Watches the processes that this one starts: the largest of them, and their CPU time."""

    def __init__(self, seconds=0.1):
        self.largest, self.cpu, self._seconds = 0.0, {}, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _watch(self):
        ticks = os.sysconf("SC_CLK_TCK")
        while not self._over.wait(self._seconds):
            for pid in descendants(os.getpid()):
                try:
                    words = pathlib.Path(f"/proc/{pid}/stat").read_text("utf-8")
                    user, system = words.rpartition(")")[2].split()[11:13]
                    self.largest = max(self.largest, memory(pid)[1])
                except OSError:  # it has ended meanwhile
                    continue
                self.cpu[pid] = (int(user) + int(system)) / ticks

    def cpu_so_far(self):
        """Return the CPU time of this process and of all that it has started."""
        own = resource.getrusage(resource.RUSAGE_SELF)
        return own.ru_utime + own.ru_stime + sum(self.cpu.values())


def in_its_own_process(script, *words, paths=(), seconds=None):
    """Run a script with some words in a process of its own; return what it printed last."""
    command = [sys.executable, script, *map(str, words)]
    known = [path for path in (os.environ.get("PYTHONPATH", ""), *paths) if path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(known)}
    run = subprocess.run(  # noqa: S603 - our own
        command, capture_output=True, text=True, check=False, env=env, timeout=seconds
    )
    if run.returncode != 0:
        said = [line for line in run.stderr.splitlines() if "Error" in line or "Exception" in line]
        return {"error": (said or [run.stderr[-200:] or "it ended"])[-1].strip()[:160]}
    return json.loads(run.stdout.splitlines()[-1])


def heading(*names):
    """Return machine, date and versions, for the head of a table."""
    versions = [f"{name} {importlib.import_module(name).__version__}" for name in names]
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    today = dt.datetime.now(dt.UTC).date()
    return (
        f"{today}, {platform.machine()}, {cores} cores, load {load:.1f} when it began, "
        f"Python {platform.python_version()}, {', '.join(versions)}"
    )
