"""Workers that die while a learner fits or asks parts, and clusters of other sizes."""

import subprocess
import sys

import pytest

from scale.conftest import LEARNERS, world
from scale.test_faults import At, kill, pids, wide_folder
from surelearn import scale
from surelearn.base.fingerprint import fingerprint
from surelearn.scale.dask import local_cluster

MEMORY = """
import pathlib, re, sys
from surelearn import NearestNeighborsRegressor, RandomForestRegressor, scale
folder, how = sys.argv[1:]
parts = scale.parts(folder, target="y")
rows = parts[0].read().X[:20]
status = pathlib.Path("/proc/self/status")
peak = lambda: 1024 * int(re.search("VmHWM:\\s+(\\d+)", status.read_text())[1])
make = {
    "forest": lambda: RandomForestRegressor(n_estimators=4, max_samples=2000),
    "neighbours": NearestNeighborsRegressor,
}[how]
make().fit(parts[:2]).predict(rows)
before = peak()
make().fit(parts).predict(rows)
print(peak() - before)
"""

TREES = ("forest of classes", "forest of numbers", "boosted classes", "boosted numbers")
NEIGHBOURS = ("neighbours of classes", "neighbours of numbers")
FIRST = "forest of classes"


def learnt(name, folder):
    """Return what a learner of parts becomes, and what it says of some rows if they are asked."""
    make, target, columns = LEARNERS[name]
    model = make().fit(scale.parts(folder, target=target, columns=columns))
    rows = world().select(columns)[:40]
    return fingerprint(model), model.predict(rows).tolist() if name in NEIGHBOURS else None


def survives_a_death(name, folder, client, moment=2):
    alone, victims = learnt(name, folder), []
    strike = At([moment], lambda: victims.append(kill(client)))
    with scale.on(client, progress=strike):
        assert learnt(name, folder) == alone
    assert victims, "nobody was killed: nothing was tested"
    assert not set(victims) & set(pids(client))
    client.wait_for_workers(2, timeout=60)


@pytest.mark.slow
def test_a_worker_is_killed_while_trees_grow(cluster, folder):
    survives_a_death(FIRST, folder, cluster, moment=12)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TREES, *NEIGHBOURS])
@pytest.mark.parametrize("moment", [1, 7])
def test_a_worker_is_killed_while_a_learner_fits(name, moment, folder):
    with local_cluster(2) as client:
        survives_a_death(name, folder, client, moment)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["forest", "neighbours"])
def test_a_table_of_four_times_the_memory_is_learnt_in_it(how, tmp_path):
    limit = wide_folder(tmp_path, 40) / 4
    command = [sys.executable, "-c", MEMORY, str(tmp_path), how]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert int(run.stdout) < limit


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 4])
def test_one_and_four_workers_find_the_same_model(n_workers, folder):
    with local_cluster(n_workers) as client:
        for name in LEARNERS:
            alone = learnt(name, folder)
            with scale.on(client):
                assert learnt(name, folder) == alone
