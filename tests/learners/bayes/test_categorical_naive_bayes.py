"""Categorical naive Bayes: the catalogue's numbers, exact counts, impossible rows, certificates."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.naive_bayes import CategoricalNB

from reference.naive_bayes import categorical_joint, posterior
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes

NUMBERS = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
SIZES = list("SMMSSSMMLLLMMLL")
SIGNS = np.array(list("--++---+++++++-"))
CATALOGUE = pd.DataFrame({"number": NUMBERS, "size": SIZES})


def random_table(seed, *, n=60, d=4, missing=0.2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, d)).astype(float)
    X[rng.random((n, d)) < missing] = np.nan
    return X, rng.integers(0, 3, n)


def as_rows(X):
    return [[None if np.isnan(v) else int(v) for v in row] for row in X]


def test_the_catalogue_by_maximum_likelihood():
    model = CategoricalNaiveBayes(smoothing=0).fit(CATALOGUE, SIGNS)
    joint = np.exp(model.predict_joint_log_proba(pd.DataFrame({"number": [2], "size": ["S"]})))
    np.testing.assert_allclose(joint, [[1 / 45, 1 / 15]], rtol=1e-14)
    np.testing.assert_allclose(
        model.predict_proba(pd.DataFrame({"number": [2], "size": ["S"]})), [[0.25, 0.75]]
    )
    assert model.predict(pd.DataFrame({"number": [2], "size": ["S"]})).tolist() == ["-"]


def test_the_catalogue_by_bayesian_estimation():
    x = pd.DataFrame({"number": [2], "size": ["S"]})
    model = CategoricalNaiveBayes(smoothing=1).fit(CATALOGUE, SIGNS)
    joint = np.exp(model.predict_joint_log_proba(x))
    np.testing.assert_allclose(joint, [[5 / 153, 28 / 459]], rtol=1e-14)
    np.testing.assert_allclose(model.predict_proba(x)[0, 1], 0.6511628, atol=5e-8)
    plain = CategoricalNaiveBayes(smoothing=1, prior_smoothing=0).fit(CATALOGUE, SIGNS)
    np.testing.assert_allclose(plain.predict_proba(x), [[0.36, 0.64]], rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("smoothing", [Fraction(1, 2), Fraction(1)])
def test_it_equals_exact_fractions_with_missing_and_unknown_cells(seed, smoothing):
    X, y = random_table(seed)
    queries = np.vstack([X[:10], [[9.0, 0.0, np.nan, 1.0]]])
    model = CategoricalNaiveBayes(smoothing=float(smoothing), prior_smoothing=2.0).fit(X, y)
    for x, found in zip(as_rows(queries), model.predict_joint_log_proba(queries), strict=True):
        exact = categorical_joint(as_rows(X), y.tolist(), x, smoothing, 2)
        np.testing.assert_allclose(np.exp(found), [float(part) for part in exact], rtol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_an_impossible_row_is_decided_by_the_limit_of_vanishing_smoothing(seed):
    X, y = random_table(seed, n=12)
    queries = random_table(seed + 100, n=40)[0]
    model = CategoricalNaiveBayes(smoothing=0).fit(X, y)
    joint = model.predict_joint_log_proba(queries)
    assert np.isneginf(joint).all(axis=1).any()
    tiny = Fraction(1, 10**40)
    for t, x in enumerate(as_rows(queries)):
        exact = categorical_joint(as_rows(X), y.tolist(), x, 0, 0)
        np.testing.assert_allclose(np.exp(joint[t]), [float(p) for p in exact], rtol=1e-12)
        limit = posterior(categorical_joint(as_rows(X), y.tolist(), x, tiny, tiny))
        found = model.predict_proba(queries[t : t + 1])[0]
        np.testing.assert_allclose(found, limit, rtol=1e-12, atol=1e-30)
        assert model.predict(queries[t : t + 1])[0] == model.classes_[found.argmax()]


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_it_agrees_with_scikit_learn_without_smoothing_of_the_prior(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 5, size=(300, 6)), rng.integers(0, n_classes, 300)
    weights = rng.integers(1, 4, 300)
    declared = {j: range(7) for j in range(6)}
    for smoothing in (0.1, 1.0):
        peer = CategoricalNB(alpha=smoothing, min_categories=7).fit(X, y, weights)
        model = CategoricalNaiveBayes(
            smoothing=smoothing, prior_smoothing=0, categories=declared
        ).fit(X, y, weights)
        queries = rng.integers(0, 7, size=(50, 6))
        np.testing.assert_allclose(
            model.predict_log_proba(queries), peer.predict_log_proba(queries), rtol=1e-10
        )
        np.testing.assert_array_equal(model.predict(queries), peer.predict(queries))
        for mine, theirs in zip(model.feature_log_prob_, peer.feature_log_prob_, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_blocks_in_any_order_give_exactly_the_model_of_all_rows(seed):
    X, y = random_table(seed)
    X[55:, 0] = 17.0  # a category that only the last block shows
    whole = CategoricalNaiveBayes().fit(X, y)
    rng = np.random.default_rng(seed)
    for blocks in (np.split(np.arange(60), [7, 8, 40]), np.split(rng.permutation(60), [30])):
        parts = CategoricalNaiveBayes()
        for block in blocks:
            parts.partial_fit(X[block], y[block], classes=[0, 1, 2])
        np.testing.assert_array_equal(parts.record_.counts.table, whole.record_.counts.table)
        for mine, theirs in zip(parts.categories_, whole.categories_, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(parts.predict_proba(X), whole.predict_proba(X))
        assert parts.n_training_rows_ == 60


def test_a_block_may_bring_new_words_and_miss_a_whole_column():
    first = np.array([["red", "x"], ["blue", "y"]], dtype=object)
    then = np.array([["green", None], ["red", None]], dtype=object)
    parts = CategoricalNaiveBayes().partial_fit(first, [0, 1]).partial_fit(then, [0, 1])
    whole = CategoricalNaiveBayes().fit(np.vstack([first, then]), [0, 1, 0, 1])
    assert parts.categories_[0].tolist() == ["blue", "green", "red"]
    np.testing.assert_array_equal(parts.predict_proba(first), whole.predict_proba(first))


def test_a_weight_is_a_number_of_rows_and_weight_zero_is_no_row():
    X, y = random_table(3)
    weights = np.random.default_rng(0).integers(0, 3, 60)
    weights[0], X[0, 0] = 0, 99.0
    weighted = CategoricalNaiveBayes().fit(X, y, sample_weight=weights)
    repeated = CategoricalNaiveBayes().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-13)
    assert 99.0 not in weighted.categories_[0]


def test_a_missing_or_unknown_cell_counts_as_a_column_that_is_not_there():
    X, y = random_table(5, missing=0.0)
    model = CategoricalNaiveBayes().fit(X, y)
    narrow = CategoricalNaiveBayes().fit(X[:, 1:], y).predict_proba(X[:, 1:])
    for value in (np.nan, 50.0, 0.5, -1.0):
        X[:, 0] = value
        np.testing.assert_allclose(model.predict_proba(X), narrow, rtol=1e-12)


def test_declared_categories_count_though_no_row_shows_them():
    declared = {"size": ["S", "M", "L", "XL"]}
    model = CategoricalNaiveBayes(categories=declared).fit(CATALOGUE, SIGNS)
    x = pd.DataFrame({"number": [2, 2], "size": ["XL", "XXL"]})
    assert np.exp(model.feature_log_prob_[1][:, 3]) == pytest.approx([1 / 13, 1 / 10])
    odds = model.predict_proba(x)[:, 1]
    assert odds[0] > odds[1]  # the unknown XXL has no factor, XL 1/10 against 1/13
    with pytest.raises(ValueError, match=r"'size' holds 'L'.*declared"):
        CategoricalNaiveBayes(categories={"size": ["S", "M"]}).fit(CATALOGUE, SIGNS)


def test_frames_of_all_kinds_and_arrays_are_the_same_table():
    whole = CategoricalNaiveBayes().fit(CATALOGUE, SIGNS)
    table = {"number": NUMBERS, "size": SIZES}
    for frame in (pl.DataFrame(table), pl.DataFrame(table).to_arrow(), CATALOGUE.astype("object")):
        model = CategoricalNaiveBayes().fit(frame, SIGNS)
        np.testing.assert_array_equal(model.predict_proba(frame), whole.predict_proba(CATALOGUE))
    rows = CATALOGUE.to_numpy(dtype=object)
    np.testing.assert_array_equal(
        CategoricalNaiveBayes().fit(rows, SIGNS).predict_proba(rows.tolist()),
        whole.predict_proba(CATALOGUE),
    )


def test_one_class_is_always_predicted_and_certifies_nothing():
    model = CategoricalNaiveBayes().fit(CATALOGUE, ["only"] * 15)
    assert set(model.predict(CATALOGUE)) == {"only"}
    assert model.certificates() == ()


def test_a_named_class_without_rows_has_the_smoothed_prior():
    model = CategoricalNaiveBayes().partial_fit(CATALOGUE, SIGNS, classes=["+", "-", "?"])
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [10 / 18, 7 / 18, 1 / 18])
    exact = CategoricalNaiveBayes(smoothing=0).partial_fit(
        CATALOGUE, SIGNS, classes=["+", "-", "?"]
    )
    assert np.isneginf(exact.class_log_prior_[2])
    np.testing.assert_allclose(exact.predict_proba(CATALOGUE).sum(axis=1), 1.0)
    with pytest.raises(ValueError, match=r"'!'.*classes"):
        model.partial_fit(CATALOGUE, np.full(15, "!"))


def test_given_priors_replace_the_estimates():
    model = CategoricalNaiveBayes(priors=[0.2, 0.8]).fit(CATALOGUE, SIGNS)
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [0.2, 0.8])


def test_the_log_odds_are_affine_in_indicators_of_known_values():
    X, y = random_table(0, n=80, d=3)
    y %= 2
    queries = random_table(1, n=200, d=3)[0]
    queries[:9, 0] = 8.0
    model = CategoricalNaiveBayes().fit(X, y)
    joint = model.predict_joint_log_proba(queries)
    bits = np.hstack([queries[:, [j]] == model.categories_[j] for j in range(3)]).astype(float)
    features = np.hstack([bits, np.ones((200, 1))])
    weights, *_ = np.linalg.lstsq(features, joint[:, 1] - joint[:, 0])
    np.testing.assert_allclose(features @ weights, joint[:, 1] - joint[:, 0], atol=1e-12)
    assert model.certificates()[0].reproduce["inputs"]["dimension"] == bits.shape[1]


def draw(rng, n):
    y = rng.integers(0, 2, n)
    return np.where(rng.random((n, 3)) < 0.7, y[:, None], 1 - y[:, None]), y


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_the_certificate_covers_the_risk(smoothing):
    rng, runs = np.random.default_rng(0), []
    cells = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    likelihood = np.array([np.where(cells == c, 0.7, 0.3).prod(axis=1) for c in (0, 1)]) / 2
    declared = {j: [0, 1] for j in range(3)}
    for _ in range(60):
        model = CategoricalNaiveBayes(smoothing=smoothing, categories=declared).fit(*draw(rng, 80))
        wrong = model.predict(cells) != np.array([[0], [1]])
        runs.append((likelihood[wrong].sum(), model.certificates(delta=0.3)[0]))
    risks, bounds = np.array([r for r, _ in runs]), np.array([c.bound for _, c in runs])
    assert not Coverage(risks, bounds, 0.3).refuted()
    assert [p.status for p in runs[0][1].preconditions[1:]] == ["assumed", "by-construction"]


def test_a_column_of_new_values_shows_why_categories_must_be_known_beforehand():
    rng = np.random.default_rng(0)
    X, y = rng.permutation(600)[:, None], rng.integers(0, 2, 600)
    model = CategoricalNaiveBayes().fit(X, y)  # every row has a category of its own
    certificate = model.certificates()[0]
    assert model.training_errors_ == 0
    assert certificate.preconditions[1].status == "violated"
    assert "'x0'" in certificate.preconditions[1].evidence
    assert certificate.status == "void"


def test_many_classes_and_many_rows_give_a_useful_certificate():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 20_000)
    X = np.where(rng.random((20_000, 6)) < 0.9, y[:, None], rng.integers(0, 3, (20_000, 6)))
    certificate = CategoricalNaiveBayes().fit(X, y).certificates()[0]
    assert certificate.method == "vc.linear_multiclass"
    assert certificate.observed <= certificate.bound < 0.05


def test_there_is_no_certificate_after_blocks_and_a_holdout_gives_one():
    rng = np.random.default_rng(0)
    X, y = draw(rng, 400)
    model = (
        CategoricalNaiveBayes().partial_fit(X[:100], y[:100]).partial_fit(X[100:200], y[100:200])
    )
    assert model.certificates() == ()
    assert Holdout(X[200:], y[200:], allow_duplicates=True).certify(model).bound < 0.5


BAD = {
    "no column": ({"categories": {"weight": [1]}}, CATALOGUE, SIGNS, "'weight'.*no column"),
    "negative": ({"smoothing": -1.0}, CATALOGUE, SIGNS, "smoothing=-1.0"),
    "nan": ({"smoothing": np.nan}, CATALOGUE, SIGNS, "smoothing=nan"),
    "prior": ({"prior_smoothing": np.inf}, CATALOGUE, SIGNS, "prior_smoothing=inf"),
    "text smoothing": ({"smoothing": "much"}, CATALOGUE, SIGNS, "smoothing='much'"),
    "priors": ({"priors": [0.5, 0.6]}, CATALOGUE, SIGNS, "add up to 1"),
    "few priors": ({"priors": [1.0]}, CATALOGUE, SIGNS, "one probability for each"),
    "limit": ({"most_categories": 2}, CATALOGUE, SIGNS, "has 3 categories, more than 2"),
    "no limit": ({"most_categories": 0}, CATALOGUE, SIGNS, "most_categories=0"),
    "all missing": ({}, CATALOGUE.assign(size=None), SIGNS, "'size' has no value"),
    "numbers as labels": ({}, CATALOGUE, np.linspace(0.1, 1.7, 15), "continuous"),
    "too few labels": ({}, CATALOGUE, SIGNS[1:], "inconsistent"),
    "missing label": ({}, CATALOGUE, np.array([None, *SIGNS[1:]], dtype=object), "missing"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_leaves_the_model_as_it_was(name):
    parameters, X, y, message = BAD[name]
    model = CategoricalNaiveBayes().fit(CATALOGUE, SIGNS).set_params(**parameters)
    before = pickle.dumps(model)
    for call in (model.fit, model.partial_fit):
        if name == "all missing" and call == model.partial_fit:
            continue  # a later block may miss a column
        with pytest.raises(ValueError, match=message):
            call(X, y)
        assert pickle.dumps(model) == before


def test_other_columns_or_kinds_of_cells_are_refused_by_name():
    model = CategoricalNaiveBayes().fit(CATALOGUE, SIGNS)
    for call in (model.predict, lambda X: model.partial_fit(X, SIGNS)):
        with pytest.raises(ValueError, match="feature names"):
            call(CATALOGUE.rename(columns={"size": "length"}))
        with pytest.raises(ValueError, match="'size' held text in training and holds numbers"):
            call(CATALOGUE.assign(size=1.0))
        with pytest.raises(ValueError, match="'number' held numbers in training and holds text"):
            call(CATALOGUE.assign(number="one"))


@pytest.mark.parametrize(
    "smoothing", [{"smoothing": 1.7e308}, {"prior_smoothing": 1.7e308}, {"smoothing": 5e-324}]
)
def test_smoothing_by_which_shares_are_no_numbers_is_refused(smoothing):
    with pytest.raises(ValueError, match="overflow, or vanish"):
        CategoricalNaiveBayes(**smoothing).fit(*random_table(0))
