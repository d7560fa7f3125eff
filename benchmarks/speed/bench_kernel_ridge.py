"""Kernel ridge regression against scikit-learn's, its leave-one-out path, and strings in NumPy.

Run `python benchmarks/speed/bench_kernel_ridge.py`; `--quick` takes a few seconds. Contenders take
turns in one process; CPU time is printed beside wall time, since other programs take cores.
"""

import argparse
import time

import numpy as np
from _timing import machine
from sklearn.kernel_ridge import KernelRidge as Peer

from surelearn import BudgetedKernelPerceptron, KernelRidge
from surelearn.kernels import Gaussian, Subsequence


def plain_subsequence(s, t, order, decay):
    """Return the kernel of two strings by the dynamic programme, a row of NumPy numbers at a time.

    The recurrence along a row is a sum of scaled terms, so that no loop over characters is left.
    """
    s, t = np.array(list(s)), np.array(list(t))
    scale = decay ** np.arange(len(t))
    ending, total = np.zeros((order, len(t) + 1)), 0.0
    ending[0] = 1.0
    for letter in s:
        same = t == letter
        total += ending[-1, :-1][same].sum()
        for i in range(order - 1, 0, -1):
            here = np.cumsum(np.where(same, ending[i - 1, :-1], 0.0) / scale) * scale
            ending[i, 1:] = decay * ending[i, 1:] + here
    return total * decay ** (2 * order)


def take_turns(title, contenders, repeats=3):
    """Print the least wall and CPU time of each contender, and ratios to the first."""
    found = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, run in contenders.items():
            time.sleep(0.1)
            start = time.perf_counter(), time.process_time()
            run()
            found[name].append((time.perf_counter() - start[0], time.process_time() - start[1]))
    print(f"\n{title}")
    best = {name: np.min(times, axis=0) for name, times in found.items()}
    first = next(iter(best.values()))
    for name, (wall, cpu) in best.items():
        print(f"   {name:<48} {wall:8.3f} s {wall / first[0]:7.2f} x   CPU {cpu / first[1]:7.2f} x")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes")
    quick = parser.parse_args().quick
    machine("scikit-learn")
    rng, n = np.random.default_rng(0), 1_500 if quick else 6_000
    X = rng.normal(size=(n, 20))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=n)
    kernel = Gaussian(gamma=0.05)
    alphas = np.geomspace(1e-3, 1e3, 30)
    take_turns(
        f"Gaussian kernel, {n} x 20, alpha=1",
        {
            "surelearn KernelRidge": lambda: KernelRidge(kernel=kernel).fit(X, y),
            "scikit-learn KernelRidge": lambda: Peer(kernel="rbf", gamma=0.05).fit(X, y),
            "surelearn, 500 landmarks": lambda: KernelRidge(kernel=kernel, landmarks=500).fit(X, y),
        },
    )
    few = X[: n // 4], y[: n // 4]
    take_turns(
        f"leave-one-out, {n // 4} rows",
        {
            "surelearn, 30 alphas": lambda: KernelRidge(kernel=kernel, alpha=alphas).fit(*few),
            "one eigendecomposition": lambda: np.linalg.eigh(kernel(few[0])),
        },
        repeats=2,
    )
    words = ["".join(rng.choice(list("abcdefghijklmnopqrst"), 200)) for _ in range(500)]
    some = 60 if quick else 500
    strings = Subsequence(order=4)
    strings(words[:3])
    start = time.perf_counter(), time.process_time()
    gram = strings(words[:some])
    ours = np.array([time.perf_counter() - start[0], time.process_time() - start[1]])
    start = time.perf_counter(), time.process_time()
    plain = [plain_subsequence(words[0], other, 4, 0.5) for other in words[:30]]
    theirs = np.array([time.perf_counter() - start[0], time.process_time() - start[1]])
    theirs *= some * (some + 1) / 2 / 30
    np.testing.assert_allclose(gram[0, :30], plain, rtol=1e-9)
    print(f"\nsubsequences of 4, {some} strings of 200: {ours[0]:.2f} s; NumPy, from 30 pairs,")
    print(f"   {theirs[0] / ours[0]:.0f} times as long; CPU {theirs[1] / ours[1]:.0f} times")
    signs = np.where(y > 0.0, 1.0, -1.0)
    for budget in (100, 1000):
        model = BudgetedKernelPerceptron(budget=budget, kernel=kernel)
        start = time.process_time()
        model.learn(X, signs)
        print(f"budget {budget}: {1e6 * (time.process_time() - start) / n:.1f} µs CPU a row")


if __name__ == "__main__":
    main()
