"""Online learners on a Parquet file of 2 GB: seconds, and the largest resident size.

Every contender reads the file in a process of its own, twice: the first time may compile. The
first line is what the libraries take before a row is read: scikit-learn, PyArrow and one compiled
loop. scikit-learn imports pandas wherever it is installed, so all is done again with pandas hidden,
as on a machine with the library's own dependencies only.
"""

# ruff: noqa: PLC0415 - a process loads what its contender needs, and nothing else

import argparse
import importlib.abc
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

N_FEATURES, GROUP = 50, 2**20
NAMES = [f"x{j}" for j in range(N_FEATURES)]
OURS = ("Perceptron", "PassiveAggressive", "OnlineGradientDescent", "AdaGrad")
CONTENDERS = ("libraries", *OURS, "SGDClassifier")


class WithoutPandas(importlib.abc.MetaPathFinder):
    """Lets Python find every module but pandas."""

    def find_spec(self, name, *_):
        """Refuse pandas; leave every other module to those who know it."""
        if name == "pandas":
            raise ModuleNotFoundError(name)


def write(path, n_groups):
    """Write row groups as PyArrow does by default."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rng = np.random.default_rng(0)
    normal = rng.normal(size=N_FEATURES)
    schema = pa.schema([*((name, pa.float64()) for name in NAMES), ("label", pa.int64())])
    with parquet.ParquetWriter(path, schema) as writer:
        for _ in range(n_groups):
            X = rng.normal(size=(GROUP, N_FEATURES))
            columns = {name: X[:, j].copy() for j, name in enumerate(NAMES)}
            writer.write_table(pa.table({**columns, "label": (X @ normal > 0.0).astype(int)}))


def learn(name, path):
    """Learn from the file, or just load what every contender of ours needs for it."""
    if name == "SGDClassifier":
        learn_by_hand(path)
        return
    import surelearn

    learn_stream = surelearn.learn_stream
    if name == "libraries":
        surelearn.Perceptron().partial_fit([[0.0], [1.0]], [0, 1])
        return
    learn_stream(getattr(surelearn, name)(), path, target="label")


def learn_by_hand(path):
    """Do as one does without `learn_stream`."""
    import numpy as np
    from pyarrow import parquet
    from sklearn.linear_model import SGDClassifier

    model, file = SGDClassifier(), parquet.ParquetFile(path)
    for batch in file.iter_batches(4096):
        X = np.column_stack([batch.column(name).to_numpy() for name in NAMES])
        model.partial_fit(X, batch.column("label").to_numpy(), classes=[0, 1])


def report(name, path):
    start = time.perf_counter()
    learn(name, path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{name:<22} {seconds:6.1f} s {peak / 1e6:6.0f} MB ({peak / 2**20:.0f} MiB)", flush=True)


def in_a_process_of_its_own(*flags):
    """Run this script; a child of a large process would report its parent's size as its own."""
    subprocess.run([sys.executable, __file__, *flags], check=True)  # noqa: S603 - our own script


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--without-pandas", action="store_true")
    parser.add_argument("--write")
    parser.add_argument("--learn", nargs=2)
    arguments = parser.parse_args()
    if arguments.without_pandas:
        sys.meta_path.insert(0, WithoutPandas())
    if arguments.write:
        write(arguments.write, 1 if arguments.quick else 5)
        sys.exit()
    if arguments.learn:
        report(*arguments.learn)
        sys.exit()
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "rows.parquet")
        in_a_process_of_its_own("--write", path, *(["--quick"] if arguments.quick else []))
        size = pathlib.Path(path).stat().st_size / 1e9
        print(f"a Parquet file of {size:.2f} GB, {N_FEATURES} columns, as PyArrow writes it")
        for flags in ([], ["--without-pandas"]):
            print("\n" + ("pandas hidden" if flags else "as installed here"), flush=True)
            for name in CONTENDERS:
                for _ in range(2):
                    in_a_process_of_its_own(*flags, "--learn", name, path)
