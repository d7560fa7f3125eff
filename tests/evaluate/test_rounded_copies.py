"""Copies of rows in another precision are no fresh rows, and whole numbers are no copies."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

from surelearn import CARTClassifier, Holdout, LogisticRegression, Perceptron
from surelearn.app.problem.copies import Copies, feature_hashes, rounded_feature_hashes
from surelearn.app.problem.split import Split
from surelearn.base.row_identity import count_distinct, row_hashes

X = np.random.default_rng(0).normal(size=(200, 3))
Y = X[:, 0] > 0.0


def found(certificate, key):
    return next(p for p in certificate.preconditions if p.key == key)


def certified(rows, labels, model):
    _, _, held_out = Holdout.split(rows, labels, seed=0)
    return held_out.certify(model)


class Constant:
    """A model that learns nothing."""

    def predict(self, X):
        return np.zeros(X.shape[0], dtype=bool)


FORMS = {
    "array": lambda rows: rows,
    "frame": lambda rows: pd.DataFrame(rows, columns=list("abc")),
    "objects": lambda rows: rows.astype(object),
    "sparse": sparse.csr_array,
}


@pytest.mark.parametrize("precision", [np.float32, np.float16])
@pytest.mark.parametrize("form", FORMS)
def test_a_row_and_its_rounding_on_both_sides_are_told(form, precision):
    rows = np.vstack([X, X.astype(precision).astype(float)])
    certificate = certified(FORMS[form](rows), np.append(Y, Y), Constant())
    for key in ("copies", "unseen"):
        condition = found(certificate, key)
        assert condition.status == "assumed"
        assert "once fractions are rounded to single or half precision" in condition.evidence


def test_without_such_rows_it_is_said_what_was_compared():
    condition = found(certified(X, Y, Constant()), "copies")
    assert (condition.status, condition.evidence) == (
        "checked",
        (
            "all 200 rows are distinct; none is one of the other side with fractions rounded "
            "to single or half precision"
        ),
    )


@pytest.mark.parametrize("precision", [np.float32, np.float16])
@pytest.mark.parametrize("learner", [CARTClassifier, LogisticRegression, Perceptron])
def test_a_learner_of_rounded_rows_knows_them_in_full_precision(learner, precision):
    model = learner().fit(X.astype(precision), Y)
    with pytest.raises(ValueError, match="200 of 200 hold-out rows also stand in the training"):
        Holdout(X, Y).certify(model)


def test_one_rounded_row_among_others_is_enough_for_doubt():
    model = Perceptron().fit(X[:100], Y[:100])
    rows = X[100:].copy()
    assert found(Holdout(rows, Y[100:]).certify(model), "unseen").status == "checked"
    rows[7] = X[7].astype(np.float32)
    condition = found(Holdout(rows, Y[100:]).certify(model), "unseen")
    assert condition.status == "assumed"
    assert "1 are in single precision" in condition.evidence


@pytest.mark.parametrize("first", [2**11, 2**24, 2**53])
def test_whole_numbers_are_no_copies_of_their_neighbours(first):
    rows = (first + np.arange(100, dtype=np.int64))[:, np.newaxis]
    for form in (rows, rows.astype(object), pd.DataFrame(rows), np.hstack([rows, rows])):
        assert count_distinct(row_hashes(form)) == 100
    condition = found(certified(rows, np.arange(100) % 2, Constant()), "copies")
    assert condition.status == "checked"


def test_the_command_counts_as_a_hold_out_does():

    rows = np.vstack([X, X.astype(np.float32)])
    table = pa.table({name: rows[:, j] for j, name in enumerate("abc")})
    split = Split(np.arange(200), np.arange(200, 400), "random", 0, "")
    copies = Copies.of(feature_hashes(table), split, "together", rounded_feature_hashes(table))
    assert (copies.n_across, copies.n_rounded) == (0, 200)
