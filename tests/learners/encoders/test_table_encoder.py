"""Mixed tables as numbers: the catalogue's record, unseen words, and what one scale is worth."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split

from surelearn import NearestNeighborsClassifier, TableEncoder

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


def test_with_one_bit_dropped_the_record_has_seven_columns():
    encoder = TableEncoder(drop="first").fit(RECORDS)
    table = encoder.transform(RECORDS)
    assert table.shape == (3, 1 + 2 + 1 + 1 + 2)
    whole = TableEncoder().fit(RECORDS)
    first = [1, 5, 7]  # the first bit of each block
    np.testing.assert_array_equal(table, np.delete(whole.transform(RECORDS), first, axis=1))
    names = whole.get_feature_names_out()
    assert encoder.get_feature_names_out().tolist() == np.delete(names, first).tolist()


def test_an_unseen_word_is_refused_on_request_and_named_if_it_hides():
    stranger = RECORDS.assign(therapy="d")
    with pytest.raises(ValueError, match="column 'therapy' holds a category in 3 rows"):
        TableEncoder(unseen="refuse").fit(RECORDS).transform(stranger)
    with pytest.warns(UserWarning, match="3 cells of column 'therapy' .* look like it"):
        TableEncoder(drop="first").fit(RECORDS).transform(stranger)
    empty = RECORDS.assign(sex=[None, "m", "f"])
    with pytest.warns(UserWarning, match="1 cells of column 'sex'"):
        TableEncoder(drop="first").fit(RECORDS).transform(empty)
    marked = TableEncoder(drop="first").fit(empty)
    assert marked.transform(empty).shape == (3, 8)
    assert "sex is missing" in marked.get_feature_names_out()


def test_the_least_cell_becomes_zero_and_the_largest_one():
    rows = np.array([[1.0, 5.0], [3.0, 5.0], [np.nan, 5.0], [9.0, 5.0]])
    encoder = TableEncoder(scaling="min-max").fit(rows)
    expected = [[0, 0, 0], [0.25, 0, 0], [(13 / 3 - 1) / 8, 1, 0], [1, 0, 0]]
    np.testing.assert_allclose(encoder.transform(rows), expected)
    parts = TableEncoder(scaling="min-max")
    for row in rows:
        parts.partial_fit(row[np.newaxis])
    np.testing.assert_allclose(parts.transform(rows), expected)
    plain = TableEncoder(scaling="none").fit(rows).transform(rows)
    np.testing.assert_allclose(plain[:, 0], [1.0, 3.0, 13 / 3, 9.0])


def test_columns_of_numbers_may_hold_categories():
    rows = np.array([[1.0, 0.5], [2.0, 0.5], [2.0, 1.5]])
    encoder = TableEncoder(categorical_features=[0], scaling="none").fit(rows)
    np.testing.assert_array_equal(encoder.transform(rows), [[1, 0, 0.5], [0, 1, 0.5], [0, 1, 1.5]])


def test_an_encoder_without_options_is_the_one_that_older_certificates_know():
    fitted = TableEncoder().fit(RECORDS)
    held = {"categories_", "feature_names_in_", "marked_", "means_", "n_features_in_", "scales_"}
    assert set(vars(fitted)) == held  # a fingerprint is made of these
    assert fitted.get_params() == {
        "drop": "none",
        "unseen": "zeros",
        "scaling": "standard",
        "categorical_features": None,
    }


def test_an_option_that_is_none_is_refused_by_name():
    for option in ("drop", "unseen", "scaling"):
        with pytest.raises(ValueError, match=f"{option}='all' must be one of"):
            TableEncoder(**{option: "all"}).fit(RECORDS)
