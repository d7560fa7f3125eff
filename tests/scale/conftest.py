"""A table in parts, and learners that fit parts."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from surelearn import (
    BernoulliMixture,
    CategoricalNaiveBayes,
    GaussianMixture,
    GaussianNaiveBayes,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    LinearRegression,
    LogisticRegression,
    MaximumEntropy,
    MaximumEntropyQuasiNewton,
    MixedNaiveBayes,
    NearestNeighborsClassifier,
    NearestNeighborsRegressor,
    PrincipalComponents,
    RandomForestClassifier,
    RandomForestRegressor,
    RidgeRegression,
    TableEncoder,
    scale,
)

NUMBERS = ["a", "b", "c"]
BITS = ["a above", "b above"]
LEARNERS = {
    "least squares": (LinearRegression, "y", NUMBERS),
    "ridge": (RidgeRegression, "y", NUMBERS),
    "ridge without intercept": (lambda: RidgeRegression(fit_intercept=False), "y", NUMBERS),
    "principal components": (PrincipalComponents, None, NUMBERS),
    "Gaussian naive Bayes": (GaussianNaiveBayes, "class", NUMBERS),
    "categorical naive Bayes": (CategoricalNaiveBayes, "class", ["word"]),
    "mixed naive Bayes": (MixedNaiveBayes, "class", [*NUMBERS, "word"]),
    "logistic regression of three classes": (
        lambda: LogisticRegression(tol=1e-9, class_weight="balanced"),
        "class",
        NUMBERS,
    ),
    "logistic regression": (lambda: LogisticRegression(tol=1e-9), "above", NUMBERS),
    "maximum entropy": (lambda: MaximumEntropy(tol=1e-2), "class", BITS),
    "maximum entropy by quasi-Newton": (
        lambda: MaximumEntropyQuasiNewton(tol=1e-2),
        "class",
        ["a"],
    ),
    "Gaussian mixture": (
        lambda: GaussianMixture(n_components=2, tol=1e-3, random_state=0),
        None,
        NUMBERS,
    ),
    "Bernoulli mixture": (
        lambda: BernoulliMixture(n_components=2, tol=1e-3, random_state=0),
        None,
        BITS,
    ),
    "boosted classes": (
        lambda: GradientBoostingClassifier(n_estimators=2, max_leaf_nodes=6, random_state=0),
        "class",
        [*NUMBERS, "word"],
    ),
    "boosted numbers": (
        lambda: GradientBoostingRegressor(n_estimators=3, max_leaf_nodes=6, random_state=0),
        "y",
        NUMBERS,
    ),
    "forest of classes": (
        lambda: RandomForestClassifier(n_estimators=3, max_samples=300),
        "class",
        [*NUMBERS, "word"],
    ),
    "forest of numbers": (
        lambda: RandomForestRegressor(n_estimators=3, max_samples=300),
        "y",
        NUMBERS,
    ),
    "neighbours of classes": (NearestNeighborsClassifier, "class", NUMBERS),
    "neighbours of numbers": (NearestNeighborsRegressor, "y", NUMBERS),
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
    bits = dict(zip(BITS, (X[:, :2] > [0.0, 1e3]).T.astype(float), strict=True))
    above = (y > np.median(y)).astype(int)
    return pa.table({**columns, **bits, "word": word, "y": y, "class": label, "above": above})


def written(folder, X, y=None, weights=None, size=16):
    """Write rows in parts of a size, and list them."""
    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    more = {name: column for name, column in (("y", y), ("w", weights)) if column is not None}
    parquet.write_table(pa.table({**columns, **more}), folder / "t.parquet", size)
    target, weight = (None if each is None else n for n, each in (("y", y), ("w", weights)))
    return scale.parts(folder, target=target, weight=weight)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Return a folder with three files of five row groups each."""
    place, table = tmp_path_factory.mktemp("parts"), world()
    for i in range(3):
        parquet.write_table(table.slice(1000 * i, 1000), place / f"{i}.parquet", row_group_size=210)
    return place
