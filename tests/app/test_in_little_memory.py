"""A table of eight times the memory that there is: certified and verified part by part.

Where a control group can be made, the long test limits all memory of the commands, their code and
what they read of files included: what does not fit is killed. Elsewhere, and in the short tests,
what is limited is what a process may write to (RLIMIT_DATA) beyond what it takes when it is warm:
an allocation beyond it fails. The limit on resident memory (RLIMIT_RSS) is one that Linux does not
enforce, and the one on addresses (RLIMIT_AS) counts the code of all libraries, and what they
reserve and never touch. With Arrow on the system's allocator and BLAS and Numba on one thread
nothing is reserved in advance, so that data and resident memory are within a few percent.
"""

import json
import os
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

_MB = 2**20
_PLAIN = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
LIMITED = """
import json, pathlib, re, resource, sys, tempfile
import pyarrow as pa, surelearn
from pyarrow import parquet
from surelearn.app.in_parts import first_look
from surelearn.app.verify import verify_certificate
folder, small, more, cells = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
status = pathlib.Path("/proc/self/status")
told = lambda name: 1024 * int(re.search(name + r":\\s+(\\d+)", status.read_text())[1])
def certified(source):
    asked = {"target": "y", "learners": ["RidgeRegression"], "holdout": 0.05}
    return surelearn.certify(source, **asked)
def verified(found, source):
    with tempfile.TemporaryDirectory() as out:
        model, *_ = found.save(out, force=True)
        return [f.holds for f in verify_certificate(found.certificate, model=model, table=source)]
if cells:
    first_look.MOST_CELLS, first_look.FEWEST_ROWS = cells, 1000
verified(certified(small), small)  # beyond what is taken once everything is loaded and compiled
limit = told("VmData") + more
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
found = certified(folder)
told_of = {"status": found.certificate.status, "rows": found.run.problem.n_rows}
holds = verified(found, folder)
del found
print(json.dumps({**told_of, "holds": holds, "peak": told("VmHWM")}), flush=True)
files = sorted(pathlib.Path(folder).iterdir())  # on one thread: others could not be started
reading = (parquet.ParquetFile(f, pre_buffer=False).read(use_threads=False) for f in files)
certified(pa.concat_tables(reading))
print("it fits as a whole")
"""


def write(folder, n_bytes, n_columns, n_rows=2**14):
    """Write files of numbers, all rows different, until the table takes so many bytes."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns - 1))
    y = X @ np.linspace(-1.0, 1.0, n_columns - 1) + rng.normal(size=n_rows)
    for i in range(-(-n_bytes // (8 * n_rows * n_columns))):
        columns = {f"x{j}": np.roll(X[:, j], i * j) for j in range(n_columns - 1)}
        table = pa.table({**columns, "y": y + i})
        where = folder / f"{i:05}.parquet"
        parquet.write_table(table, where, row_group_size=2**12, compression="NONE")
    return folder


def limited(folder, small, *, more, cells):
    command = [sys.executable, "-c", LIMITED, folder, small, *map(str, (more, cells))]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(  # noqa: S603 - our own
        command, capture_output=True, text=True, check=False, env={**os.environ, **_PLAIN, **paths}
    )
    first, *more = run.stdout.splitlines() or [""]
    assert first, run.stderr[-3000:]
    # The control: all rows in memory. Arrow ends a process in which it gets none, or raises.
    assert not more
    assert "MemoryError" in run.stderr or "bad_alloc" in run.stderr
    return json.loads(first)


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not count so")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_bytes", "n_columns", "given"),
    [
        pytest.param(80 * _MB, 32, {"more": 10 * _MB, "cells": 20_000}, id="short"),
        pytest.param(512 * _MB, 32, {"more": 64 * _MB, "cells": 400_000}, id="middle"),
    ],
)
def test_a_table_of_eight_times_the_memory_is_certified_and_verified(
    n_bytes, n_columns, given, tmp_path
):
    small = write(tmp_path / "small", _MB, n_columns)
    folder = write(tmp_path / "large", n_bytes, n_columns)
    assert n_bytes == 8 * given["more"]
    found = limited(folder, small, **given)
    assert found["status"] == "valid"
    assert found["rows"] * n_columns * 8 >= n_bytes
    assert len(found["holds"]) > 10
    assert all(found["holds"])


COMMAND = "import sys; from surelearn.cli import app; app(sys.argv[1:])"
WHOLE = """
import sys, surelearn
from pyarrow import parquet
surelearn.certify(parquet.read_table(sys.argv[1]), target="y", learners=["RidgeRegression"])
"""
LIMITS = ("memory/{}/memory.limit_in_bytes", "{}/memory.max")  # of the first version, the second


@pytest.fixture
def control_group():
    """Make a control group in which a command may take 768 megabytes, of whatever kind."""
    for limit in LIMITS:
        file = Path("/sys/fs/cgroup", limit.format(f"surelearn-{os.getpid()}"))
        with suppress(OSError):
            file.parent.mkdir()
            file.write_text(str(768 * _MB), encoding="utf-8")
            yield file.parent
            file.parent.rmdir()
            return
    pytest.skip("no control group of memory can be made here")


def inside(group, code, *words, state):
    """Run a command in a control group."""
    enter = f'echo $$ > {group}/cgroup.procs && exec {sys.executable} -c "$@"'
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SURELEARN_STATE": str(state)}
    command = ["sh", "-c", enter, "sh", code, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)  # noqa: S603


@pytest.mark.slow
def test_commands_certify_and_verify_eight_times_the_memory_of_a_control_group(
    control_group, tmp_path
):
    folder, out = write(tmp_path / "large", 6144 * _MB, 64), tmp_path / "out"
    run = partial(inside, control_group, state=tmp_path / "state")
    asked = ["--target", "y", "--learner", "RidgeRegression", "--holdout", "0.05"]
    made = run(COMMAND, "certify", folder, *asked, "--out", out)
    assert made.returncode == 0, made.stdout[-2000:] + made.stderr[-2000:]
    beside = ["--model", out / "model.surelearn", "--data", folder]
    checked = run(COMMAND, "verify", out / "certificate.json", *beside)
    assert checked.returncode == 0, checked.stdout[-2000:] + checked.stderr[-2000:]
    control = run(WHOLE, folder)
    assert control.returncode != 0
    assert control.returncode in {-9, 137} or "MemoryError" in control.stderr
