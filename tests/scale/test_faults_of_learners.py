"""Workers that die while a learner fits or asks parts, and clusters of other sizes."""

import pytest

from scale.conftest import LEARNERS, world
from scale.test_faults import At, kill, pids
from surelearn import scale
from surelearn.base.fingerprint import fingerprint
from surelearn.scale.dask import local_cluster

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


def test_a_worker_is_killed_while_trees_grow(cluster, folder):
    survives_a_death(FIRST, folder, cluster, moment=12)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TREES, *NEIGHBOURS])
@pytest.mark.parametrize("moment", [1, 7])
def test_a_worker_is_killed_while_a_learner_fits(name, moment, folder):
    with local_cluster(2) as client:
        survives_a_death(name, folder, client, moment)


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 4])
def test_one_and_four_workers_find_the_same_model(n_workers, folder):
    with local_cluster(n_workers) as client:
        for name in LEARNERS:
            alone = learnt(name, folder)
            with scale.on(client):
                assert learnt(name, folder) == alone
