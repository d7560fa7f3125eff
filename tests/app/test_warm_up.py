"""Warming up compiles what certifying a table needs."""

import subprocess
import sys

import pytest

from surelearn.app import warm_up

COMPILED = """
import sys
from pathlib import Path
from surelearn.app import warm_up
for step in warm_up.steps():
    pass
cache = Path(sys.argv[1])
before = set(cache.rglob("*.nbc"))
from surelearn.app.certify import certify_table
from surelearn.app.tables import read_table_file
file = read_table_file(sys.argv[2])
for select in ("nested", "structural-risk"):
    certify_table(file, target="kind", select=select, drop=("owner", "visit"))
print(len(before), sorted(path.name for path in set(cache.rglob("*.nbc")) - before))
"""


def test_there_is_a_step_for_each_learner_and_each_kind_of_table():
    steps = warm_up.steps()
    assert len(steps) == len(steps.learners) + 4
    kinds = {str(file.table.schema.field("y").type) for file in steps.tables.values()}
    assert any("dictionary" in kind for kind in kinds)
    assert {"int64", "double"} <= kinds


@pytest.mark.slow
def test_after_it_a_mixed_table_is_certified_without_compiling(pets, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-W", "ignore", "-c", COMPILED, str(tmp_path), str(pets)],
        capture_output=True,
        text=True,
        check=True,
    )
    n_compiled, new = done.stdout.split(maxsplit=1)
    assert int(n_compiled) > 100
    assert new.strip() == "[]"
