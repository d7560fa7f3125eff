"""How fast Gram matrices are, against scikit-learn and against the bare operations.

Run `python benchmarks/speed/bench_kernels.py` on a quiet machine; `--quick` takes a few seconds.
Every time is the best of three, warm, in one process; only the ratios mean anything elsewhere.
"""

import argparse
import time

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from surelearn.kernels import Gaussian, Polynomial, Subsequence

GAMMA = 0.02


def bare(X, Z):
    """Return the exponential of an inner product: the least a Gaussian kernel can do.

    The small table is scaled, not the block, and the tables differ: for `X @ X.T` NumPy computes
    half and mirrors it, which is slower here and would flatter us.
    """
    block = (-GAMMA * X) @ Z.T
    return np.exp(block, out=block)


def best(function, repetitions=3):
    """Return the least time in seconds."""
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
        del result  # two large matrices at a time would measure the allocator
    return min(times)


def gaussian(n):
    rng = np.random.default_rng(0)
    X, Z = rng.standard_normal((2, n, 50))
    kernel = Gaussian(gamma=GAMMA)
    return {
        "surelearn, symmetric": lambda: kernel(X),
        "surelearn, two tables": lambda: kernel(X, Z),
        "scikit-learn rbf_kernel": lambda: rbf_kernel(X, gamma=GAMMA),
        "bare product and exp": lambda: bare(X, Z),
    }


def polynomial(n):
    X = np.random.default_rng(0).standard_normal((n, 50))
    kernel = Polynomial(degree=3)
    return {
        "surelearn": lambda: kernel(X),
        "scikit-learn polynomial_kernel": lambda: polynomial_kernel(X, degree=3, gamma=1.0),
    }


def composed(n):
    X = np.random.default_rng(0).standard_normal((n, 50))
    first, second = Gaussian(gamma=GAMMA), Polynomial(degree=2)
    kernel = 0.5 * first + first * second
    return {
        "one pass over tiles": lambda: kernel(X),
        "whole matrices": lambda: 0.5 * first(X) + first(X) * second(X),
    }


def strings(n):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("acgt"), 100)) for _ in range(n // 50)]
    kernel = Subsequence(order=3)
    return {f"{n // 50} strings of 100 characters": lambda: kernel(words)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2,000 points instead of 10,000")
    n = 2_000 if parser.parse_args().quick else 10_000
    for compare in (gaussian, polynomial, composed, strings):
        print(f"\n{compare.__name__}, {n:,} points, 50 features")
        times = {name: best(function) for name, function in compare(n).items()}
        first = next(iter(times.values()))
        for name, seconds in times.items():
            print(f"  {name:32s} {seconds:8.3f} s   {seconds / first:5.2f}")


if __name__ == "__main__":
    main()
