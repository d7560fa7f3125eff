"""Boosting on two workers of Dask, and what happens when one is killed: ours, LightGBM, XGBoost.

The same rows, as many trees of as many leaves. Each contender is trained twice in a process of its
own: undisturbed, and with one worker killed (SIGKILL) half as long after the start as the first run
took. Reported are wall and CPU time, the largest resident size of a worker, the error on other
rows, and the outcome of the kill: the same model, another one, an error, or no end in time.

    python benchmarks/scale/killed_worker.py --peers FOLDER    # where LightGBM and XGBoost are
"""

import argparse
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pyarrow as pa
from _measuring import Children, heading, in_its_own_process
from pyarrow import parquet

N_FEATURES, N_FILES, N_TREES, N_LEAVES, PATIENCE = 20, 16, 50, 31, 300.0


def world(n_rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_FEATURES))
    return X, X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=n_rows)


def write(folder, n_rows):
    for i in range(N_FILES):
        X, y = world(n_rows // N_FILES, i)
        columns = {f"f{j}": X[:, j] for j in range(N_FEATURES)}
        parquet.write_table(pa.table({**columns, "y": y}), folder / f"{i:02}.parquet")


def load(path, target):
    """Return the target of a file, or its features."""
    table = parquet.read_table(path)
    kept = table["y"] if target else table.drop(["y"])
    return kept.to_numpy() if target else np.column_stack([c.to_numpy() for c in kept.columns])


def arrays(folder):
    """Return the rows and targets as arrays of Dask, a block for each file."""
    import dask.array as da  # noqa: PLC0415 - only the peers need it
    from dask import delayed  # noqa: PLC0415

    files = sorted(pathlib.Path(folder).iterdir())
    n, make = parquet.ParquetFile(files[0]).metadata.num_rows, delayed(load)
    X = [da.from_delayed(make(f, target=False), (n, N_FEATURES), float) for f in files]
    y = [da.from_delayed(make(f, target=True), (n,), float) for f in files]
    return da.concatenate(X), da.concatenate(y)


def ours(client, folder, n_trees=N_TREES):
    from surelearn import GradientBoostingRegressor, scale  # noqa: PLC0415

    model = GradientBoostingRegressor(n_estimators=n_trees, max_leaf_nodes=N_LEAVES)
    with scale.on(client):
        return model.fit(scale.parts(folder, target="y")).predict


def forest(client, folder, n_trees=N_TREES):
    from surelearn import RandomForestRegressor, scale  # noqa: PLC0415

    model = RandomForestRegressor(n_trees, max_samples=50_000, min_samples_leaf=5)
    with scale.on(client):
        return model.fit(scale.parts(folder, target="y")).predict


def lightgbm(client, folder, n_trees=N_TREES):
    from lightgbm import DaskLGBMRegressor  # noqa: PLC0415

    size = {"n_estimators": n_trees, "num_leaves": N_LEAVES}
    model = DaskLGBMRegressor(client=client, verbose=-1, **size)
    return model.fit(*arrays(folder)).to_local().predict


def xgboost(client, folder, n_trees=N_TREES):
    import xgboost.dask as xgb  # noqa: PLC0415

    size = {"n_estimators": n_trees, "max_leaves": N_LEAVES, "grow_policy": "lossguide"}
    model = xgb.DaskXGBRegressor(max_depth=0, **size)
    model.client = client
    return model.fit(*arrays(folder)).get_booster().inplace_predict


CONTENDERS = {
    "surelearn, boosting": ours,
    "surelearn, forest": forest,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
}


def kill_later(client, seconds):
    victim = min(client.run(os.getpid).values())
    timer = threading.Timer(seconds, os.kill, (victim, signal.SIGKILL))
    timer.daemon = True
    timer.start()


def train(name, folder, delay):
    """Train once, with a kill after so many seconds; 0 means none."""
    from surelearn.scale.dask import local_cluster  # noqa: PLC0415

    with local_cluster(2) as client, Children() as children:
        CONTENDERS[name](client, folder, 2)  # all workers are awake, and have loaded what they need
        time.sleep(0.3)
        if delay:
            kill_later(client, delay)
        start, before = time.perf_counter(), children.cpu_so_far()
        predict = CONTENDERS[name](client, folder)
        seconds = time.perf_counter() - start
        time.sleep(0.3)
        X, y = world(20_000, 99)
        found = np.asarray(predict(X), dtype=np.float64)
        told = {
            "seconds": seconds,
            "cpu": children.cpu_so_far() - before,
            "worker": children.largest,
            "error": None,
            "loss": float(np.mean((found - y) ** 2)),
            "bits": hashlib.sha256(found).hexdigest()[:8],
        }
        print(json.dumps(told), flush=True)


def outcome(name, folder, delay, peers):
    words = ("--train", name, folder, delay, "--peers", peers)
    try:
        found = in_its_own_process(__file__, *words, paths=[peers], seconds=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"error": f"no end within {PATIENCE:g} s"}
    return found


def shown(name, calm, killed):
    """Return the row of a contender."""
    if calm.get("error"):
        return f"| {name} | {calm['error']} | | | | |"
    numbers = (
        f"{calm['seconds']:.1f} | {calm['cpu']:.1f} | {calm['worker']:.0f} | {calm['loss']:.4f}"
    )
    if killed.get("error"):
        after = killed["error"]
    else:
        same = "the same bits" if killed["bits"] == calm["bits"] else "another model"
        after = f"{killed['seconds']:.1f} s, {same}"
    return f"| {name} | {numbers} | {after} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default="")
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--only", choices=CONTENDERS)
    parser.add_argument("--train", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.append(options.peers)  # last, so that nothing else comes from there
    if options.train:
        name, folder, delay = options.train
        train(name, folder, float(delay))
        return
    peers = ("lightgbm", "xgboost") if options.peers else ()
    size = f"{options.rows:,} rows, {N_FEATURES} features, {N_TREES} trees of {N_LEAVES} leaves"
    print(f"{size}, 2 workers")
    print(f"{heading('surelearn', 'dask', *peers)}\n")
    print("| | undisturbed, s | CPU, s | a worker's peak, MB | squared error | a worker killed |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder), options.rows)
        for name in [options.only] if options.only else CONTENDERS:
            calm = outcome(name, folder, 0.0, options.peers)
            delay = max(0.5, calm.get("seconds", 1.0) / 2)
            killed = {} if calm.get("error") else outcome(name, folder, delay, options.peers)
            print(shown(name, calm, killed), flush=True)


if __name__ == "__main__":
    main()
