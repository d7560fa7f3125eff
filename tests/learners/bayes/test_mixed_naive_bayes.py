"""Mixed naive Bayes: the product of both kinds, from data frames of every library, in blocks."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_score

from surelearn.evaluate.holdout import Holdout
from surelearn.learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes
from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
from surelearn.learners.bayes.mixed_naive_bayes import MixedNaiveBayes


def table(seed=0, n=200):
    """Two columns of words and two of numbers, a fifth of the cells missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    gone = rng.random((4, n)) < 0.2
    colours = np.where(rng.random(n) < 0.6, np.array(["red", "blue"])[y], "green").astype(object)
    shapes = np.array(["flat", "tall"], dtype=object)[(y + (rng.random(n) < 0.3)) % 2]
    colours[gone[0]], shapes[gone[1]] = None, None
    sizes, ages = rng.normal(y, 1.0), rng.normal(3.0 * y, 2.0)
    sizes[gone[2]], ages[gone[3]] = np.nan, np.nan
    columns = {"colour": colours, "size": sizes, "shape": shapes, "age": ages}
    return pd.DataFrame(columns), np.array(["no", "yes"])[y]


WORDS, NUMBERS = ["colour", "shape"], ["size", "age"]


def test_the_likelihoods_of_words_and_numbers_multiply():
    X, y = table()
    joint = MixedNaiveBayes().fit(X, y)
    words = CategoricalNaiveBayes().fit(X[WORDS], y).predict_joint_log_proba(X[WORDS])
    numbers = GaussianNaiveBayes().fit(X[NUMBERS], y).predict_joint_log_proba(X[NUMBERS])
    np.testing.assert_allclose(
        joint.predict_joint_log_proba(X), words + numbers - joint.class_log_prior_, rtol=1e-12
    )


def test_a_table_of_one_kind_gives_the_learner_of_that_kind():
    X, y = table(1)
    for columns, learner in ((WORDS, CategoricalNaiveBayes()), (NUMBERS, GaussianNaiveBayes())):
        mixed = MixedNaiveBayes().fit(X[columns], y)
        alone = learner.fit(X[columns], y)
        np.testing.assert_allclose(
            mixed.predict_proba(X[columns]), alone.predict_proba(X[columns]), rtol=1e-12
        )


def test_frames_of_every_library_and_arrays_of_objects_are_the_same_table():
    X, y = table(2)
    whole = MixedNaiveBayes().fit(X, y).predict_proba(X)
    native = {name: [None if v != v else v for v in X[name]] for name in X}  # noqa: PLR0124
    for frame in (
        pl.DataFrame(native),
        pa.table(native),
        pl.DataFrame(native).cast({"colour": pl.Categorical, "shape": pl.Enum(["tall", "flat"])}),
        X.astype({"colour": "category", "shape": "string"}),
    ):
        model = MixedNaiveBayes().fit(frame, y)
        np.testing.assert_array_equal(model.predict_proba(frame), whole)
        assert model.feature_names_in_.tolist() == list(X.columns)
    rows = X.to_numpy(dtype=object)
    np.testing.assert_array_equal(MixedNaiveBayes().fit(rows, y).predict_proba(rows), whole)


def test_blocks_give_the_model_of_all_rows():
    X, y = table(3)
    whole, parts = MixedNaiveBayes().fit(X, y), MixedNaiveBayes()
    for block in np.split(np.arange(200), [20, 25, 120]):
        parts.partial_fit(X.iloc[block], y[block], classes=["no", "yes"])
    np.testing.assert_array_equal(parts.record_.counts.table, whole.record_.counts.table)
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-10)


def test_the_state_names_what_belongs_to_which_column():
    X, y = table()
    model = MixedNaiveBayes().fit(X, y)
    assert [known is None for known in model.categories_] == [False, True, False, True]
    assert [part is None for part in model.feature_log_prob_] == [False, True, False, True]
    np.testing.assert_array_equal(np.isnan(model.theta_[0]), [True, False, True, False])
    for part in model.feature_log_prob_[::2]:
        np.testing.assert_allclose(np.exp(part).sum(axis=1), 1.0)


def test_numbers_may_be_declared_categories():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 300)
    y = (codes == 1).astype(int)  # neither low nor high: no normal density sees it well
    X = np.column_stack([codes.astype(float), rng.normal(size=300)])
    for columns in ([0], [True, False]):
        model = MixedNaiveBayes(categorical_features=columns).fit(X, y)
        assert model.training_errors_ == 0
    named = MixedNaiveBayes(categorical_features=["code"]).fit(
        pd.DataFrame(X, columns=["code", "x"]), y
    )
    np.testing.assert_array_equal(named.predict(pd.DataFrame(X, columns=["code", "x"])), y)
    with pytest.raises(ValueError, match="'colour', which is no column"):
        MixedNaiveBayes(categorical_features=["colour"]).fit(X, y)


def test_a_table_in_which_most_rows_have_a_gap_is_learnt_from_all_rows():
    X, y = table(4, n=600)
    complete = X.notna().all(axis=1).to_numpy()
    all_rows = cross_val_score(MixedNaiveBayes(), X, y, cv=5).mean()
    majority = max(np.mean(y == "yes"), np.mean(y == "no"))
    assert complete.mean() < 0.5
    assert all_rows > majority + 0.2


def test_the_certificate_counts_three_features_for_a_number_and_one_for_a_category():
    X, y = table(5)
    certificate = MixedNaiveBayes().fit(X, y).certificates()[0]
    assert certificate.reproduce["inputs"]["dimension"] == 3 + 2 + 2 * 3
    assert certificate.preconditions[1].status == "assumed"
    declared = {"colour": ["red", "green", "blue"], "shape": ["flat", "tall"]}
    certificate = MixedNaiveBayes(categories=declared).fit(X, y).certificates()[0]
    assert certificate.preconditions[1].status == "assumed"
    late = MixedNaiveBayes().fit(X, y).set_params(categories=declared)
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        late.certificates()


def test_a_holdout_certifies_it_on_a_data_frame():
    X, y = table(6, n=800)
    X_train, y_train, held_out = Holdout.split(X, y, fraction=0.5, seed=0)
    certificate = held_out.certify(MixedNaiveBayes().fit(X_train, y_train))
    assert certificate.observed <= certificate.bound < 0.3


def test_impossible_words_yield_to_possible_ones_whatever_the_numbers_say():
    X = np.array([["a", 0.0], ["a", 1.0], ["b", 10.0], ["b", 11.0]], dtype=object)
    model = MixedNaiveBayes(smoothing=0).fit(X, [0, 0, 1, 1])
    far = np.array([["a", 10.5]], dtype=object)
    assert model.predict(far).tolist() == [0]
    assert model.predict_proba(far).tolist() == [[1.0, 0.0]]
    assert MixedNaiveBayes(smoothing=1).fit(X, [0, 0, 1, 1]).predict(far).tolist() == [1]
