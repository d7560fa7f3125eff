"""Warming up compiles what learning in any way and certifying a table need."""

import subprocess
import sys

import pytest

from surelearn.app import warm_up
from surelearn.app.registry import find_bandits, find_experts, find_learners

COMPILED = """
import sys
from pathlib import Path
from surelearn.app import warm_up
for step in warm_up.steps():
    pass
cache = Path(sys.argv[1])
before = set(cache.rglob("*.nbc"))
from surelearn.app.certify import certify_table
from surelearn.app.tables.read import read_table_file
file = read_table_file(sys.argv[2])
for select in ("nested", "structural-risk"):
    certify_table(file, target="kind", select=select, drop=("owner", "visit"))
import numpy as np
from scipy import sparse
from surelearn import Perceptron, learn_stream
X, y = sparse.random_array((99, 9), density=0.5, format="csr", rng=0), np.arange(99) % 2
learn_stream(Perceptron(), zip(X.toarray(), y)).learn_one(np.ones(9), 1).predict_one(np.ones(9))
Perceptron().fit(X, y).predict(X)
print(len(before), sorted(path.name for path in set(cache.rglob("*.nbc")) - before))
"""


def test_there_is_a_step_for_each_learner_and_each_kind_of_table():
    steps = warm_up.steps()
    assert {"Perceptron", "AdaHedge", "Exp3", "two classes"} <= set(steps.works)
    assert len(steps) == len(set(find_learners()) | set(find_experts()) | set(find_bandits())) + 4
    kinds = {str(file.table.schema.field("y").type) for file in steps.tables.values()}
    assert any("dictionary" in kind for kind in kinds)
    assert {"int64", "double"} <= kinds


@pytest.mark.slow
def test_after_it_tables_and_rows_are_learnt_without_compiling(pets, tmp_path, monkeypatch):
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
