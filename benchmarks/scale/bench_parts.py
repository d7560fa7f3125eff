"""A table in parts: growth over rows and over workers, memory, and the price of processes.

The table is a folder of names of one Parquet file of a million rows, so that a hundred million rows
need no disk. Each measurement runs in a process of its own, which reports its wall time, the CPU
time of itself and its children, the largest resident size of itself and of any of its workers, and
the first bits of what was learnt. The time begins when the processes are there and warm.

    python benchmarks/scale/bench_parts.py --rows 100000 1000000 10000000 100000000
    python benchmarks/scale/bench_parts.py --learner boosting --rows 1000000 --where alone
"""

import argparse
import hashlib
import json
import pathlib
import tempfile
import time
from contextlib import ExitStack

from _measuring import FEATURES, Children, heading, in_its_own_process, memory, write

from surelearn import (
    GaussianNaiveBayes,
    GradientBoostingRegressor,
    LinearRegression,
    LogisticRegression,
    RandomForestRegressor,
    RidgeRegression,
    scale,
)
from surelearn.base.fingerprint import fingerprint

LEARNERS = {
    "ridge": (RidgeRegression, "number"),
    "least squares": (LinearRegression, "number"),
    "naive Bayes": (GaussianNaiveBayes, "label"),
    "logistic": (LogisticRegression, "label"),
    "forest": (lambda: RandomForestRegressor(n_estimators=16, max_samples=100_000), "number"),
    "boosting": (lambda: GradientBoostingRegressor(n_estimators=20), "number"),
}
WHERE = ("alone", "1 processes", "2 processes", "4 processes")


def executor_for(where, stack):
    """Return what a name stands for: "alone", "2 processes", "4 workers" of Dask."""
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
    begun = time.perf_counter()
    parts = scale.parts(folder, target=target, columns=FEATURES)
    listed = time.perf_counter()
    with Children() as children, ExitStack() as stack:
        stack.enter_context(scale.on(executor_for(where, stack)))
        make().fit(parts[:1] if len(parts) == 1 else parts[:2])  # starts processes, loads loops
        time.sleep(0.3)  # until their CPU time is seen
        start, before = time.perf_counter(), children.cpu_so_far()
        model = make().fit(parts)
        seconds = time.perf_counter() - start
        time.sleep(0.3)
        cpu = children.cpu_so_far() - before
    told = {
        "listing": listed - begun,
        "seconds": seconds,
        "cpu": cpu,
        "megabytes": memory()[1],
        "worker": children.largest,
        "bits": hashlib.sha256(fingerprint(model).encode()).hexdigest()[:8],
    }
    print(json.dumps(told))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--learner", default="ridge", choices=LEARNERS)
    parser.add_argument("--where", nargs="+", default=WHERE)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    print(f"{options.learner}: {heading('surelearn', 'numpy', 'pyarrow')}\n")
    print("| rows | where | listed, s | fitted, s | CPU, s | peak, MB | a worker's, MB | bits |")
    print("|---|---|---|---|---|---|---|---|")
    for n_rows in options.rows:
        with tempfile.TemporaryDirectory() as name:
            write(pathlib.Path(name), n_rows)
            for where in options.where:
                t = in_its_own_process(__file__, "--measure", name, options.learner, where)
                if "error" in t:
                    print(f"| {n_rows:,} | {where} | {t['error']} |", flush=True)
                    continue
                print(
                    f"| {n_rows:,} | {where} | {t['listing']:.1f} | {t['seconds']:.2f} | "
                    f"{t['cpu']:.2f} | {t['megabytes']:.0f} | {t['worker']:.0f} | {t['bits']} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
