"""Answers in blocks: the same as of the whole table, whatever library holds it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from surelearn.base import chunks
from surelearn.base.chunks import in_chunks
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes

X = np.random.default_rng(0).normal(size=(50, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK", 8)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    "table",
    [
        X,
        X.tolist(),
        sparse.csr_array(X),
        pd.DataFrame(X),
        pl.DataFrame(X),
        pa.table(list(X.T), names=["a", "b", "c"]),
    ],
    ids=lambda table: type(table).__module__,
)
def test_any_table_is_answered_about_in_chunks(table):
    sizes = []

    def answer(rows):
        sizes.append(rows.shape[0] if hasattr(rows, "shape") else len(rows))
        return np.full((sizes[-1], 2), len(sizes))

    assert in_chunks(answer, table).shape == (50, 2)
    assert sizes == [8] * 6 + [2]


@pytest.mark.usefixtures("short")
def test_a_hold_out_asked_in_chunks_gives_the_same_certificate(monkeypatch):
    model = GaussianNaiveBayes().fit(X[:20], Y[:20])
    parts = Holdout(X[20:], Y[20:]).certify(model)
    monkeypatch.setattr(chunks, "CHUNK", 1000)
    assert parts.to_json() == Holdout(X[20:], Y[20:]).certify(model).to_json()


@pytest.mark.parametrize("kind", ["view", "runs"])
def test_rows_that_arrow_cannot_take_are_told_in_a_sentence(kind):
    runs = pa.RunEndEncodedArray.from_arrays([25, 50], [1.0, 2.0])
    odd = pa.array(Y).cast(pa.string_view()) if kind == "view" else runs
    table = pa.table({"a": X[:, 0], "b": odd})
    with pytest.raises(ValueError, match="cannot be taken by themselves"):
        Holdout.split(table, Y, seed=0)
    with pytest.raises(ValueError, match="cannot be taken by themselves"):
        chunks.rows_at(table, np.arange(3))
