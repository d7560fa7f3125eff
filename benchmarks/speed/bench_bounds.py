"""Theorems at large sizes, and the cost of importing the library."""

import subprocess
import sys

import numpy as np
from _timing import best_of, machine, report

from surelearn.bounds import compression, inversions


def main():
    machine()
    rng = np.random.default_rng(0)
    n = rng.integers(1, 10_000, size=10**6)
    errors = (n * rng.random(10**6)).astype(int)
    times = {
        "Clopper-Pearson, 10^6 pairs": best_of(
            lambda: inversions.binomial_upper(errors, n, 0.05), repeats=3
        )
    }
    for k in (0, 100, 10_000, 90_000):
        times[f"Campi-Garatti, N = 100,000, k = {k}"] = best_of(
            lambda k=k: compression.campi_garatti(n_compressed=k, n=100_000, delta=0.05)
        )
    report("theorems", times, ours="Clopper-Pearson, 10^6 pairs")
    python = [sys.executable, "-c"]
    empty = best_of(lambda: subprocess.run([*python, "pass"], check=True))  # noqa: S603
    ours = best_of(lambda: subprocess.run([*python, "import surelearn"], check=True))  # noqa: S603
    help_text = [sys.executable, "-m", "surelearn", "--help"]
    command = best_of(
        lambda: subprocess.run(help_text, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
    )
    print(f"\nimport surelearn: {1000 * (ours - empty):.0f} ms over an empty interpreter")
    print(f"surelearn --help: {1000 * command:.0f} ms in all")


if __name__ == "__main__":
    main()
