"""Many models at once go where joblib sends them: folds, grids and bags on a cluster of Dask."""

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from surelearn import (
    BaggingClassifier,
    BaggingRegressor,
    Perceptron,
    RidgeRegression,
    cross_validate,
)
from surelearn.base.fingerprint import fingerprint

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NUMBERS = X @ [1.0, 2.0, 3.0] + RNG.normal(size=120)
LABELS = np.where(NUMBERS > 0.0, "yes", "no")


def folds():
    return cross_validate(Perceptron(), X, LABELS, cv=4, n_jobs=2).losses.tolist()


def grid():
    search = GridSearchCV(RidgeRegression(), {"alpha": [0.1, 1.0, 10.0]}, cv=3, n_jobs=2)
    return fingerprint(search.fit(X, NUMBERS).best_estimator_)


def bag():
    return fingerprint(BaggingClassifier(n_estimators=4, random_state=0).fit(X, LABELS))


def bag_of_numbers():
    return fingerprint(BaggingRegressor(n_estimators=4, random_state=0).fit(X, NUMBERS))


def tasks_so_far(client):
    """Return a number that grows with every task of a cluster."""
    return client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)


@pytest.mark.parametrize("many", [folds, grid, bag, bag_of_numbers])
def test_a_cluster_finds_what_this_process_does(many, cluster):
    alone, before = many(), tasks_so_far(cluster)
    with cluster.as_current(), joblib.parallel_config(backend="dask", wait_for_workers_timeout=30):
        assert many() == alone
    assert tasks_so_far(cluster) > before, "the cluster was not asked"
