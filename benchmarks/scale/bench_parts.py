"""A table in parts: growth over rows and over workers, memory, and the price of processes.

The table is a folder of names of one Parquet file of a million rows, so that a hundred million rows
need no disk. Each measurement runs in a process of its own, which reports its wall time, the CPU
time of itself and its children, and its largest resident size.

    python benchmarks/scale/bench_parts.py --rows 1000000 10000000 100000000
"""

import argparse
import hashlib
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from surelearn import GaussianNaiveBayes, LinearRegression, RidgeRegression, scale

N_FEATURES, IN_A_FILE, IN_A_GROUP = 10, 1_000_000, 250_000
LEARNERS = {
    "ridge": (RidgeRegression, "number"),
    "least squares": (LinearRegression, "number"),
    "naive Bayes": (GaussianNaiveBayes, "label"),
}


def write(folder, n_rows):
    """Write one file, and as many names for it as make so many rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(IN_A_FILE, N_FEATURES))
    number = X @ np.linspace(-1.0, 1.0, N_FEATURES) + rng.normal(size=IN_A_FILE)
    columns = {f"f{j}": X[:, j] for j in range(N_FEATURES)}
    table = pa.table({**columns, "number": number, "label": (number > 0.0).astype(np.int64)})
    first = folder / "000.parquet"
    parquet.write_table(table, first, row_group_size=IN_A_GROUP, compression="NONE")
    for i in range(1, n_rows // IN_A_FILE):
        (folder / f"{i:03}.parquet").symlink_to(first)


def executor_for(where, stack):
    """Return what a name stands for: "alone", "2 processes", "4 workers"."""
    if where == "alone":
        return None
    n, kind = where.split()
    if kind == "processes":
        return scale.processes(int(n))
    from surelearn.scale.dask import local_cluster  # noqa: PLC0415 - only if asked for

    return stack.enter_context(local_cluster(int(n)))


def measure(folder, learner, where):
    """Fit once, and print what it took."""
    make, target = LEARNERS[learner]
    names = [f"f{j}" for j in range(N_FEATURES)]
    begun = time.perf_counter()
    parts = scale.parts(folder, target=target, columns=names)
    listed = time.perf_counter()
    with ExitStack() as stack:
        stack.enter_context(scale.on(executor_for(where, stack)))
        make().fit(parts[:2])  # starts the processes, loads the compiled loops
        start = time.perf_counter()
        model = make().fit(parts)
        seconds = time.perf_counter() - start
    found = model.coef_ if hasattr(model, "coef_") else model.theta_
    own, others = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    told = {
        "listing": listed - begun,
        "seconds": seconds,
        "cpu": cpu,
        "megabytes": peak(),
        "bits": hashlib.sha256(np.ascontiguousarray(found)).hexdigest()[:8],
    }
    print(json.dumps(told))


def peak():
    """Return the largest resident size in megabytes; that of `getrusage` counts the parent's."""
    (line,) = re.findall(r"VmHWM:\s+(\d+)", pathlib.Path("/proc/self/status").read_text("utf-8"))
    return int(line) / 1024


def measured(folder, learner, where):
    command = [sys.executable, __file__, "--measure", str(folder), learner, where]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own
    return json.loads(run.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--learner", default="ridge", choices=LEARNERS)
    parser.add_argument("--where", nargs="+", default=["alone", "1 processes", "2 processes"])
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    print("rows        where          listed  fitted  CPU s  peak MB  bits")
    for n_rows in options.rows:
        with tempfile.TemporaryDirectory() as name:
            write(pathlib.Path(name), n_rows)
            for where in options.where:
                t = measured(name, options.learner, where)
                print(
                    f"{n_rows:<11,} {where:<14} {t['listing']:6.1f}  {t['seconds']:6.1f}"
                    f"  {t['cpu']:5.1f}  {t['megabytes']:7.0f}  {t['bits']}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
