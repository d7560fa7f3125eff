"""What happens when a worker is killed in the middle of training: ours, LightGBM's and XGBoost's.

Two workers on this machine, the same rows. Each contender is trained twice in a process of its own:
undisturbed, and with one worker killed (SIGKILL) half as long after the start as the first run
took. Reported are the time and the outcome: the same model, another one, an error, or no end
within a minute.

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
from pyarrow import parquet

N_ROWS, N_FEATURES, N_FILES, PATIENCE = 400_000, 20, 16, 60.0


def write(folder):
    rng = np.random.default_rng(0)
    for i in range(N_FILES):
        X = rng.normal(size=(N_ROWS // N_FILES, N_FEATURES))
        y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X))
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

    files, n = sorted(pathlib.Path(folder).iterdir()), N_ROWS // N_FILES
    make = delayed(load)
    X = [da.from_delayed(make(f, target=False), (n, N_FEATURES), float) for f in files]
    y = [da.from_delayed(make(f, target=True), (n,), float) for f in files]
    return da.concatenate(X), da.concatenate(y)


def least_squares(client, folder, n_times=20):
    from surelearn import LinearRegression, scale  # noqa: PLC0415

    parts = scale.parts(folder, target="y")
    with scale.on(client):
        for _ in range(n_times):  # as long as a boosting takes
            model = LinearRegression().fit(parts)
    return model.coef_


def lightgbm(client, folder):
    from lightgbm import DaskLGBMRegressor  # noqa: PLC0415

    model = DaskLGBMRegressor(client=client, n_estimators=200, verbose=-1)
    return model.fit(*arrays(folder)).to_local().predict(probe())


def xgboost(client, folder):
    import xgboost.dask as xgb  # noqa: PLC0415

    model = xgb.DaskXGBRegressor(n_estimators=200)
    model.client = client
    return model.fit(*arrays(folder)).get_booster().inplace_predict(probe())


def probe():
    return np.random.default_rng(1).normal(size=(100, N_FEATURES))


CONTENDERS = {"surelearn": least_squares, "LightGBM": lightgbm, "XGBoost": xgboost}


def kill_later(client, seconds):
    victim = min(client.run(os.getpid).values())
    timer = threading.Timer(seconds, os.kill, (victim, signal.SIGKILL))
    timer.daemon = True
    timer.start()


def train(name, folder, delay):
    """Train once, with a kill after so many seconds; 0 means none."""
    from surelearn.scale.dask import local_cluster  # noqa: PLC0415

    with local_cluster(2) as client:
        least_squares(client, folder, n_times=1)  # all workers are awake
        if delay:
            kill_later(client, delay)
        start = time.perf_counter()
        found = np.asarray(CONTENDERS[name](client, folder), dtype=np.float64)
        seconds = time.perf_counter() - start
        told = {"seconds": seconds, "bits": hashlib.sha256(found).hexdigest()[:8]}
        print(json.dumps(told), flush=True)


def outcome(name, folder, delay, peers):
    command = [sys.executable, __file__, "--train", name, folder, str(delay), "--peers", peers]
    start = time.perf_counter()
    try:
        run = subprocess.run(  # noqa: S603 - our own
            command, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return {"seconds": PATIENCE, "error": f"no end within {PATIENCE:g} s"}
    if run.returncode == 0:
        return json.loads(run.stdout.splitlines()[-1])
    said = [line for line in run.stderr.splitlines() if "Error" in line or "Exception" in line]
    return {"seconds": time.perf_counter() - start, "error": (said or ["an error"])[-1][:120]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default="")
    parser.add_argument("--only", choices=CONTENDERS)
    parser.add_argument("--train", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.append(options.peers)
    os.environ["PYTHONPATH"] = os.pathsep.join([os.environ.get("PYTHONPATH", ""), options.peers])
    if options.train:
        name, folder, delay = options.train
        train(name, folder, float(delay))
        return
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        for name in [options.only] if options.only else CONTENDERS:
            calm = outcome(name, folder, 0.0, options.peers)
            print(f"{name:<10} undisturbed: {calm}", flush=True)
            killed = outcome(name, folder, max(0.5, calm["seconds"] / 2), options.peers)
            same = killed.get("bits", "none") == calm.get("bits")
            told = "the same model" if same else "not the same model"
            print(f"{name:<10} a worker killed: {killed}, {told}", flush=True)


if __name__ == "__main__":
    main()
