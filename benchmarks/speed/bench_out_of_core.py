"""Ridge, naive Bayes and principal components from a Parquet file larger than memory allows.

Each learner reads the file in a process of its own, which reports its largest resident size. With
`--rows N` the file is smaller; 10,000,000 rows make 4 GB.
"""

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from rich.progress import Progress

from surelearn import GaussianNaiveBayes, PrincipalComponents, RidgeRegression, learn_stream

N_FEATURES, BLOCK = 50, 100_000
LEARNERS = {
    "ridge": (RidgeRegression, "number"),
    "naive Bayes": (GaussianNaiveBayes, "label"),
    "components": (lambda: PrincipalComponents(n_components=5), None),
}


def block(start, size):
    """Return rows from a place on; the same place gives the same rows."""
    rng = np.random.default_rng(start)
    X = rng.normal(size=(size, N_FEATURES)) * np.geomspace(1.0, 3.0, N_FEATURES) + 5.0
    number = X @ np.linspace(-1.0, 1.0, N_FEATURES) + rng.normal(size=size)
    return X, number, (number > 0.0).astype(np.int64)


def table(start, size):
    X, number, label = block(start, size)
    columns = {f"f{j}": X[:, j] for j in range(N_FEATURES)}
    return pa.table({**columns, "number": number, "label": label})


def write(path, n_rows):
    schema = table(0, 1).schema
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, n_rows, BLOCK):
            writer.write_table(table(start, min(BLOCK, n_rows - start)))


def learn(name, path, n_rows):
    """Learn from the file with a progress bar, and print time and memory."""
    make, target = LEARNERS[name]
    names = [f"f{j}" for j in range(N_FEATURES)]
    told = {"classes": [0, 1]} if target == "label" else {}
    start = time.perf_counter()
    with Progress(transient=True) as progress:
        bar = progress.add_task(name, total=n_rows)
        model = learn_stream(
            make(),
            path,
            target=target,
            columns=names,
            block_size=8192,
            on_block=lambda n: progress.update(bar, completed=n),
            **told,
        )
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<14} {seconds:8.1f} s   {peak:6.0f} MB resident", flush=True)
    return model


def compare(path, n_rows):
    """Print how far each model from a file is from the one fitted in memory, on fewer rows."""
    X, number, label = block(0, n_rows)
    print("\nlargest relative difference to the model of all rows in memory:")
    for name, attribute, target in (
        ("ridge", "coef_", number),
        ("naive Bayes", "var_", label),
        ("components", "explained_variance_", None),
    ):
        found = getattr(learn(name, path, n_rows), attribute)
        whole = getattr(LEARNERS[name][0]().fit(X, target), attribute)
        print(f"{name:<14} {np.max(np.abs(found - whole) / np.abs(whole)):.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--learn", nargs=2)
    arguments = parser.parse_args()
    n = 200_000 if arguments.quick else arguments.rows
    if arguments.learn:
        learn(*arguments.learn, n)
        sys.exit()
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "rows.parquet")
        write(path, n)
        size = pathlib.Path(path).stat().st_size / 1e9
        print(f"{n:,} x {N_FEATURES}, a Parquet file of {size:.1f} GB", flush=True)
        for name in LEARNERS:
            script = [sys.executable, __file__, "--rows", str(n), "--learn", name, path]
            subprocess.run(script, check=True)  # noqa: S603 - our own script
        small = str(pathlib.Path(folder) / "few.parquet")
        write(small, BLOCK)
        compare(small, BLOCK)
