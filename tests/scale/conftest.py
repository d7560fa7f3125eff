"""A local cluster for the whole session, a table in parts, and learners that fit parts."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from surelearn import (
    CategoricalNaiveBayes,
    GaussianNaiveBayes,
    LinearRegression,
    MixedNaiveBayes,
    PrincipalComponents,
    RidgeRegression,
    TableEncoder,
    scale,
)
from surelearn.scale.dask import local_cluster

NUMBERS = ["a", "b", "c"]
LEARNERS = {
    "least squares": (LinearRegression, "y", NUMBERS),
    "ridge": (RidgeRegression, "y", NUMBERS),
    "ridge without intercept": (lambda: RidgeRegression(fit_intercept=False), "y", NUMBERS),
    "principal components": (PrincipalComponents, None, NUMBERS),
    "Gaussian naive Bayes": (GaussianNaiveBayes, "class", NUMBERS),
    "categorical naive Bayes": (CategoricalNaiveBayes, "class", ["word"]),
    "mixed naive Bayes": (MixedNaiveBayes, "class", [*NUMBERS, "word"]),
    "encoder": (TableEncoder, None, [*NUMBERS, "word"]),
}


def world(n=3000, seed=0):
    """Return a table with numbers, words that only some parts show, and two kinds of target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + [0.0, 1e3, 5.0]
    y = X @ [1.0, -0.1, 2.0] + rng.normal(size=n)
    word = np.array(["red", "green", "blue", "rare"])[np.arange(n) * 4 // n]
    label = np.where(y > np.median(y), "yes", "no").astype("U5")
    label[: n // 8] = "maybe"
    columns = dict(zip(NUMBERS, X.T, strict=True))
    return pa.table({**columns, "word": word, "y": y, "class": label})


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Return a folder with three files of five row groups each."""
    place, table = tmp_path_factory.mktemp("parts"), world()
    for i in range(3):
        parquet.write_table(table.slice(1000 * i, 1000), place / f"{i}.parquet", row_group_size=210)
    return place


@pytest.fixture(scope="session")
def cluster():
    """Start a cluster of two workers, once."""
    with local_cluster(2) as client:
        yield client


@pytest.fixture(scope="session")
def two_processes():
    """Start two processes, once."""
    pool = scale.processes(2)
    pool.submit(abs, -1).result()
    yield pool
    pool.shutdown()
