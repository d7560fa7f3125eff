"""Mixed tables as numbers: the catalogue's record, unseen words, and what one scale is worth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

from surelearn import NearestNeighborsClassifier
from surelearn.learners.encoders._table_encoder import TableEncoder

RECORDS = pd.DataFrame(
    {
        "age": [31.0, 50.0, 44.0],
        "smoker": ["no", "former", "yes"],
        "weight": [60.0, 82.0, 71.0],
        "sex": ["f", "m", "f"],
        "therapy": ["a", "b", "c"],
    }
)


def test_the_medical_record_of_the_catalogue_has_ten_columns():
    encoder = TableEncoder().fit(RECORDS)
    table = encoder.transform(RECORDS)
    assert table.shape == (3, 1 + 3 + 1 + 2 + 3)
    np.testing.assert_allclose(table.sum(axis=0)[[0, 4]], 0.0, atol=1e-12)
    np.testing.assert_array_equal(np.delete(table, [0, 4], axis=1).sum(axis=1), 3.0)


def test_an_unseen_word_sets_no_bit_and_scales_come_from_the_training_rows():
    encoder = TableEncoder().fit(RECORDS)
    stranger = RECORDS.assign(therapy="d", age=encoder.means_[0] + encoder.scales_[0])
    table = encoder.transform(stranger)
    np.testing.assert_array_equal(table[:, -3:], 0.0)
    np.testing.assert_allclose(table[:, 0], 1.0)


def test_one_scale_halves_the_least_error_of_neighbours_on_breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    train, test, labels, truth = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    encoder = TableEncoder().fit(train)
    model, k = NearestNeighborsClassifier(n_neighbors=1), np.arange(1, 32, 2)
    raw = model.fit(train, labels).errors_over_k(test, truth, k).min()
    scaled = model.fit(encoder.transform(train), labels)
    assert raw == pytest.approx(0.0737, abs=5e-5)
    least = scaled.errors_over_k(encoder.transform(test), truth, k).min()
    assert least == pytest.approx(0.0351, abs=5e-5)


def test_other_columns_and_an_encoder_that_learnt_nothing_are_refused():
    with pytest.raises(NotFittedError):
        TableEncoder().transform(RECORDS)
    with pytest.raises(ValueError, match=r"feature|column"):
        TableEncoder().fit(RECORDS).transform(RECORDS[["age", "sex"]])
