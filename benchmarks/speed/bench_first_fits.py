"""What a first fit compiles: processor time in a fresh process that finds nothing on disk."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter

from _timing import machine

CATEGORIES = " of categories"
"""Behind a learner's name: two more columns hold words."""

LEARNERS = (
    "GradientBoostingClassifier",
    "GradientBoostingClassifier" + CATEGORIES,
    "GradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "AdaBoostClassifier",
    "CARTClassifier",
    "C45Classifier",
    "NearestNeighborsClassifier",
    "LogisticRegression",
    "SupportVectorClassifier",
    "Perceptron",
)


def first_fit(name, rows):
    """Fit one learner, and print what it took and what was compiled meanwhile, by file."""
    import numpy as np  # noqa: PLC0415 - this runs in a process of its own
    import pandas as pd  # noqa: PLC0415
    from numba.core import event  # noqa: PLC0415

    import surelearn  # noqa: PLC0415

    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 20))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    if name.endswith(CATEGORIES):
        X = pd.DataFrame(X).rename(columns=str)
        X["a"], X["b"] = (pd.Categorical(rng.choice(list("uvwxyz"), rows)) for _ in range(2))
    own, whole = seconds_to_compile(event)
    seconds = []
    for _ in range(2):
        start = time.process_time()
        getattr(surelearn, name.removesuffix(CATEGORIES))().fit(X, y)
        seconds.append(time.process_time() - start)
    print(json.dumps({"seconds": seconds, "own": own, "whole": whole}))


def seconds_to_compile(event):
    """Return what each loop takes to compile, without its steps and with them, as it fills.

    A loop that Python calls is optimised together with its steps: that time is its own.
    """
    own, whole, begun = Counter(), Counter(), []

    class Watch(event.Listener):
        def on_start(self, _):
            begun.append([time.process_time(), 0.0])

        def on_end(self, told):
            start, of_steps = begun.pop()
            taken = time.process_time() - start
            loop = told.data["dispatcher"].py_func
            own[f"{loop.__module__}:{loop.__name__}"] += taken - of_steps
            whole[f"{loop.__module__}:{loop.__name__}"] += taken
            if begun:
                begun[-1][1] += taken

    event.register("numba:compile", Watch())
    return own, whole


def asked(name, rows):
    """Return what a fresh process tells of the first fit, its cache of loops empty."""
    with tempfile.TemporaryDirectory() as folder:
        told = subprocess.run(  # noqa: S603 - this very file
            [sys.executable, __file__, "--one", name, "--rows", str(rows)],
            env={**os.environ, "NUMBA_CACHE_DIR": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    return json.loads(told.stdout.splitlines()[-1])


def by_file(compiled):
    """Return the seconds of each file of loops."""
    files = Counter()
    for loop, seconds in compiled.items():
        files[loop.partition(":")[0]] += seconds
    return files


def show(name, told):
    """Print a line: the first fit and the second, and what was dearest to compile."""
    first, second = told["seconds"]
    (loop, seconds), (largest, with_steps), (file, of_file) = (
        Counter(found).most_common(1)[0]
        for found in (told["own"], told["whole"], by_file(told["own"]))
    )
    print(
        f"{name:<40} {first:5.2f} s, again {second:5.2f} s; {len(told['own']):3d} loops; dearest: "
        f"{largest.rpartition('.')[2]} {with_steps:.2f} s with its steps, "
        f"{loop.rpartition('.')[2]} {seconds:.2f} s by itself, "
        f"file {file.rpartition('.')[2]} {of_file:.2f} s"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--one", help="fit this one in this process, and print what it took")
    options = parser.parse_args()
    if options.one:
        first_fit(options.one, options.rows)
    else:
        machine("scikit-learn")
        for learner in LEARNERS:
            show(learner, asked(learner, options.rows))
