"""Tables that no learner can take end in a sentence, not in a foreign error or in no memory."""

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier

from surelearn import (
    BaggingClassifier,
    CARTClassifier,
    CategoricalNaiveBayes,
    ForwardStagewiseClassifier,
    ForwardStagewiseRegressor,
    LinearRegression,
    NearestNeighborsClassifier,
    OnlineRidge,
    Perceptron,
    PrincipalComponents,
)


@pytest.mark.parametrize("learner", [LinearRegression, OnlineRidge, PrincipalComponents])
def test_pairs_of_very_many_features_are_refused_in_a_sentence(learner, monkeypatch):
    monkeypatch.setattr("surelearn._arguments._MEMORY", 10**6)
    X = sparse.random(5, 1000, density=0.01, format="csr", random_state=0)
    with pytest.raises(ValueError, match="features need a table of all their pairs"):
        learner().fit(X, np.arange(5.0))


@pytest.mark.parametrize("learner", [Perceptron, ForwardStagewiseClassifier, CARTClassifier])
def test_a_lazy_frame_is_refused_in_a_sentence(learner):
    with pytest.raises(TypeError, match=r"collect\(\) first"):
        learner().fit(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


def test_numbers_and_categories_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="too large for a float"):
        CARTClassifier().fit(np.array([[10**400], [1]], dtype=object), [0, 1])
    damaged = pa.DictionaryArray.from_arrays(pa.array([0, 9]), pa.array(["u", "v"]), safe=False)
    with pytest.raises(ValueError, match="its dictionary does not hold"):
        CARTClassifier().fit(pa.table({"a": damaged}), [0, 1])


@pytest.mark.parametrize("learner", [Perceptron, LinearRegression, CARTClassifier])
def test_a_mapped_file_that_was_cut_short_does_not_end_the_process(learner, tmp_path):
    path = tmp_path / "rows.bin"
    np.random.default_rng(0).normal(size=(4096, 2)).tofile(path)
    X, y = np.memmap(path, dtype=np.float64, mode="r", shape=(4096, 2)), np.arange(4096) % 2
    learner().fit(X[:100], y[:100])
    os.truncate(path, 4096)
    for rows in (X, X[1000:]):
        with pytest.raises(ValueError, match="has become shorter"):
            learner().fit(rows, y[: len(rows)])


@pytest.mark.parametrize("learner", [ForwardStagewiseClassifier(), ForwardStagewiseRegressor()])
@pytest.mark.parametrize("table", [pa.table({}), pa.table({"a": pa.array([], pa.float64())})])
def test_a_table_of_no_rows_is_boosted_by_nobody(learner, table):
    with pytest.raises(ValueError, match="one of each at least"):
        learner.fit(table, [])


def test_no_weights_of_no_rows_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match="sample_weight is zero everywhere"):
        CategoricalNaiveBayes().fit([], [], sample_weight=[])


@pytest.mark.parametrize("learner", [CARTClassifier, CategoricalNaiveBayes])
def test_a_category_that_ends_in_a_zero_byte_is_refused(learner):
    """NumPy drops that byte: the rows were of no known category, and CART grew for ever."""
    table = pa.table({"a": ["u\0", "u", "v"] * 20})
    with pytest.raises(ValueError, match="ends in a zero byte"):
        learner().fit(table, [0, 1, 0] * 20)
    model = learner().fit(pa.table({"a": ["u", "v"] * 20}), [0, 1] * 20)
    assert len(model.predict(pa.table({"a": ["u\0"]}))) == 1  # unseen before, as others may be


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([{"a": 1}, {"a": 2}] * 10),
        pl.Series([[1, 2], [3, 4]] * 10, dtype=pl.Array(pl.Int8, 2)),
        pl.Series([2**100, 1] * 10, dtype=pl.Int128),
    ],
)
def test_rows_of_a_foreign_learner_may_have_cells_of_several_parts(cells):
    table = pl.DataFrame({"a": cells})
    model = BaggingClassifier(DummyClassifier(), n_estimators=2).fit(table, [0, 1] * 10)
    assert len(model.predict(table)) == 20


def test_columns_that_arrow_cannot_convert_are_named():
    mixed = pd.DataFrame({"a": pd.Categorical([1, "u"] * 10)})
    with pytest.raises(ValueError, match="column 'a' has categories"):
        CARTClassifier().fit(mixed, [0, 1] * 10)
    large = pa.table({"a": pa.array([2**64 - 1, 1], pa.uint64())})
    with pytest.raises(ValueError, match="column 'a' cannot be read as floats"):
        CARTClassifier().fit(large, [0, 1])


def test_half_a_letter_is_refused_by_the_name_of_its_column():
    with pytest.raises(ValueError, match=r"column 'x0' holds half a letter \('\\ud800'\)"):
        CARTClassifier().fit(np.array([["\ud800"], ["u"]], dtype=object), [0, 1])


def test_labels_of_pandas_that_are_missing_are_told():
    with pytest.raises(ValueError, match="labels are missing"):
        NearestNeighborsClassifier().fit(np.eye(2), pd.array([None, "a"], dtype="string"))
