"""Traces that a scaler leaves in the rows it was fitted to, and tables that only look like that."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets, preprocessing
from sklearn.decomposition import PCA

from surelearn.base.scaled_columns import how_scaled

TABLES = {
    "iris": datasets.load_iris().data,
    "digits": datasets.load_digits().data,
    "wine": datasets.load_wine().data,
    "breast cancer": datasets.load_breast_cancer().data,
    "normal": np.random.default_rng(0).normal(size=(200, 3)),
    "far away": 1e6 + np.random.default_rng(1).normal(size=(200, 3)),
}
SCALERS = {
    "standard": preprocessing.StandardScaler(),
    "deviations": preprocessing.StandardScaler(with_mean=False),
    "range": preprocessing.MinMaxScaler(),
    "largest": preprocessing.MaxAbsScaler(),
    "ranks": preprocessing.QuantileTransformer(n_quantiles=50),
}


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("table", TABLES)
def test_a_scaler_fitted_to_the_rows_shows_and_the_rows_alone_do_not(table, scaler):
    X = TABLES[table]
    assert how_scaled(X) == how_scaled(sparse.csr_array(X)) == ""
    scaled = SCALERS[scaler].fit_transform(X)
    assert how_scaled(scaled)
    assert how_scaled(sparse.csr_array(scaled))


@pytest.mark.parametrize("table", ["iris", "digits", "breast cancer", "normal"])
@pytest.mark.parametrize("scaler", ["standard", "range"])
def test_it_shows_in_single_precision_too(table, scaler):
    singles = SCALERS[scaler].fit_transform(TABLES[table].astype(np.float32))
    assert how_scaled(singles.astype(np.float64))


def test_other_ways_to_scale_by_the_rows_show():
    X = TABLES["normal"] * [1.0, 5.0, 0.2]
    for scaled in (
        (X - X.mean(axis=0)) / X.std(axis=0, ddof=1),
        X / np.linalg.norm(X, axis=0),
        2.0 * SCALERS["range"].fit_transform(X) - 1.0,
        preprocessing.RobustScaler().fit_transform(X),
        preprocessing.PowerTransformer().fit_transform(X),
        PCA(whiten=True).fit_transform(X),
        np.column_stack([SCALERS["standard"].fit_transform(X)[:, :1], X[:, 1:]]),
    ):
        assert how_scaled(scaled)


def test_a_part_of_standardised_rows_looks_like_any_rows():
    scaled = SCALERS["standard"].fit_transform(TABLES["breast cancer"])
    assert how_scaled(scaled[::2]) == ""


def test_a_large_table_is_known_by_its_first_columns():
    X = np.random.default_rng(0).normal(2.0, 3.0, size=(30_000, 40))
    assert how_scaled(X) == ""
    assert how_scaled((X - X.mean(axis=0)) / X.std(axis=0))


rng = np.random.default_rng(2)
HOURS = 2.0 * np.pi * rng.integers(0, 24, size=(400, 1)) / 24.0
SIDE = np.linspace(-1.0, 1.0, 41)
INNOCENT = {
    "row by row": preprocessing.normalize(TABLES["breast cancer"]),
    "dummies": rng.integers(0, 2, size=(100, 4)).astype(float),
    "signs": np.tile([[-1.0, 1.0], [1.0, -1.0]], (50, 1)),
    "two fractions": rng.choice([0.0, 0.5], size=(100, 4)),
    "grey levels": rng.integers(0, 256, size=(5000, 6)) / 255.0,
    "per cent": rng.integers(0, 101, size=(3000, 3)) / 100.0,
    "hours on a circle": np.column_stack([np.sin(HOURS), np.cos(HOURS)]),
    "a grid": np.array(np.meshgrid(SIDE, SIDE)).reshape(2, -1).T,
    "a line": np.linspace(0.0, 1.0, 3001)[:, np.newaxis],
    "halves": np.tile([[0.5], [1.5], [2.5]], (3, 1)),
    "words": sparse.random_array((300, 40), density=0.1, rng=rng).tocsr(),
    "constant": np.full((20, 2), 0.3),
    "nothing": np.zeros((20, 0)),
    "few": np.array([[0.0], [0.3], [1.0]]),
}


@pytest.mark.parametrize("name", INNOCENT)
def test_what_may_be_so_by_design_is_no_evidence(name):
    assert how_scaled(INNOCENT[name]) == ""


def test_chance_does_not_make_it_show():
    rng = np.random.default_rng(3)
    assert not any(how_scaled(rng.normal(size=(30, 5))) for _ in range(300))
    assert not any(how_scaled(rng.random(size=(30, 5)).round(2)) for _ in range(300))
