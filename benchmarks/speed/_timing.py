"""Time callables in one process, warm, best of several, and print a table with ratios."""

import os
import platform
import time
from datetime import UTC, datetime
from importlib.metadata import version


def best_of(function, *, repeats=5):
    """Return the shortest of several wall-clock times, after one call to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def best_of_each(contenders, *, repeats=5):
    """Return the shortest time of each contender; they take turns, so a busy machine hits all.

    The pause lets the threads of the one before fall asleep: they spin for a while.
    """
    times = {name: [] for name in contenders}
    for _ in range(repeats + 1):
        for name, run in contenders.items():
            time.sleep(0.05)
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    return {name: min(found[1:]) for name, found in times.items()}


def report(title, times, *, ours):
    """Print seconds and how many times longer each takes than `ours`."""
    print(f"\n{title}")
    for name, seconds in sorted(times.items(), key=lambda item: item[1]):
        mark = " " if name != ours else "*"
        print(f" {mark} {name:<48} {seconds:10.4f} s   {seconds / times[ours]:8.2f} x")


def machine(*packages):
    """Print the machine, the date and the versions."""
    versions = ", ".join(f"{p} {version(p)}" for p in ("numpy", "scipy", "numba", *packages))
    print(f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores {platform.machine()}, {versions}")
