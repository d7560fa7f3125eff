"""k nearest neighbours: ties, metrics, engines, mixed tables, certificates, the catalogue."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import LeaveOneOut, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from reference import nearest_neighbors as reference
from surelearn.evaluate.coverage import Coverage
from surelearn.evaluate.holdout import Holdout
from surelearn.learners.neighbors._search.blocks import BlockIndex, TreeIndex
from surelearn.learners.neighbors._search.distances import Chebyshev, Euclidean, Manhattan
from surelearn.learners.neighbors._search.lists import neighbour_lists
from surelearn.learners.neighbors._search.product_index import ProductIndex
from surelearn.learners.neighbors._search.sparse_index import SparseIndex
from surelearn.learners.neighbors.nearest_neighbors_classifier import NearestNeighborsClassifier

CURVE = {
    "raw": "1 .0000 .1018 3 .0352 .0842 5 .0528 .0737 7 .0528 .0842 11 .0528 .0877 15 .0563 .0772 "
    "21 .0634 .0947 31 .0845 .1053 51 .0845 .1088 101 .1127 .1158 151 .1585 .1228 "
    "201 .3063 .2982 251 .3732 .3719 284 .3732 .3719",
    "scaled": "1 .0000 .0526 3 .0176 .0351 5 .0282 .0386 7 .0352 .0456 9 .0317 .0386 "
    "15 .0423 .0386 31 .0528 .0526 51 .0669 .0737 101 .0845 .1088 151 .1549 .1649 251 .3732 .3719",
}


def grid(rng, n, d, high=3):
    """Return integer points: many coincide and many distances tie."""
    return rng.integers(-high, high + 1, size=(n, d)).astype(float)


def nearest(k, **settings):
    return NearestNeighborsClassifier(n_neighbors=k, **settings)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
@pytest.mark.parametrize("seed", range(6))
def test_it_equals_the_plain_rule_on_grids_full_of_ties(metric, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 90)), int(rng.integers(1, 5))
    X, queries = grid(rng, n, d), grid(rng, 40, d)
    if metric == "cosine":  # powers of two: lengths are exact
        X, queries = np.ones((n, d)) * 2.0 ** X[:, :1], np.ones((40, d)) * 2.0 ** queries[:, :1]
    y = rng.integers(0, 3, n)
    for k in (1, 4, 7):
        expected = reference.predict_with_ties(X, y, queries, k, metric)
        model = nearest(k, metric=metric).fit(X, y)
        np.testing.assert_array_equal(model.predict(queries), expected)


ENGINES = {
    (engine, metric)
    for engine in (BlockIndex, TreeIndex)
    for metric in (Euclidean, Manhattan, Chebyshev)
} | {(ProductIndex, Euclidean)}


@pytest.mark.parametrize(("engine", "metric"), sorted(ENGINES, key=str))
@pytest.mark.parametrize("seed", range(8))
def test_every_engine_finds_the_neighbours_their_order_and_all_ties(engine, metric, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 400)), int(rng.integers(1, 12))
    k, high = int(rng.integers(1, min(n, 20) + 1)), int(rng.choice([1, 2, 10, 1000]))
    X, queries = grid(rng, n, d, high), grid(rng, 30, d, high)
    index = engine.of(X, metric())
    name = metric.__name__.lower()
    truth = np.array([reference.distances_to(X, query, name) for query in queries])
    order = np.argsort(truth, axis=1, kind="stable")
    found = index.search(queries, k)
    np.testing.assert_array_equal(found.points, order[:, :k])
    np.testing.assert_array_equal(found.distances, np.take_along_axis(truth, order, 1)[:, :k])
    ties = (truth <= found.distances[:, -1:]).sum(axis=1) - k
    np.testing.assert_array_equal(found.tied, ties)
    lists = neighbour_lists(index, queries, k, whole_ties=True, n_jobs=2)
    everyone = [order[t, : k + ties[t]] for t in range(30)]
    np.testing.assert_array_equal(lists.points, np.concatenate(everyone))
    np.testing.assert_array_equal(index.rows(), X)


def test_all_engines_agree_to_the_last_bit_on_real_numbers():
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(1500, 11)), rng.normal(size=(60, 11))
    every = [
        engine.of(X, Euclidean()).search(queries, 7) for engine, m in ENGINES if m is Euclidean
    ]
    thin = SparseIndex(sparse.csr_array(X)).search(sparse.csr_array(queries), 7)
    for found in [*every, thin]:
        np.testing.assert_array_equal(found.points, every[0].points)
        np.testing.assert_array_equal(found.distances, every[0].distances)
    peer = KNeighborsClassifier(7, algorithm="kd_tree").fit(X, np.zeros(1500))
    np.testing.assert_array_equal(peer.kneighbors(queries, return_distance=False), every[0].points)


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e9])
def test_products_in_single_precision_lose_no_neighbour_however_hard_the_rows(shift):
    rng = np.random.default_rng(0)
    X = shift + rng.normal(size=(900, 15)) * rng.choice([1e-3, 1.0, 1e4], size=(900, 1))
    X[0], queries = 1e30, np.concatenate([X[:50] + 1e-3, [[1e60] * 15, [-1e20] * 15]])
    found = ProductIndex.of(X, Euclidean()).search(queries, 9)
    expected = BlockIndex.of(X, Euclidean()).search(queries, 9)
    np.testing.assert_array_equal(found.points, expected.points)
    np.testing.assert_array_equal(found.distances, expected.distances)


def test_copies_of_one_row_are_all_found_by_products():
    X = np.full((700, 12), 0.3)
    found = ProductIndex.of(X, Euclidean()).search(np.array([X[0], X[0] + 1e30]), 4)
    assert found.points.tolist() == [[0, 1, 2, 3]] * 2
    assert found.tied.tolist() == [696, 696]


def test_expanded_squares_would_have_merged_two_rows():
    X = np.array([[1e8, 1.0], [1e8, 2.0]] + [[0.0, 0.0]] * 600)
    found = ProductIndex.of(X, Euclidean()).search(X[:1], 2)
    assert found.distances.tolist() == [[0.0, 1.0]]


def test_predictions_do_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(3)
    X, queries, y = grid(rng, 800, 3), grid(rng, 100, 3), rng.integers(0, 4, 800)
    shuffled = rng.permutation(800)
    for weights in ("uniform", "distance"):
        first = nearest(3, weights=weights).fit(X, y).predict_proba(queries)
        second = nearest(3, weights=weights).fit(X[shuffled], y[shuffled]).predict_proba(queries)
        np.testing.assert_array_equal(first, second)


def test_the_ties_of_the_catalogue():
    assert nearest(1).fit([[-1.0], [1.0], [5.0]], ["+", "-", "-"]).predict([[0.0]]) == ["-"]
    assert nearest(1).fit([[-1.0], [1.0], [1.0]], ["+", "-", "-"]).predict([[0.0]]) == ["-"]
    assert nearest(1, ties="first").fit([[-1.0], [1.0], [1.0]], [1, 0, 0]).predict([[0.0]]) == [1]
    model = nearest(1).fit([[0.0], [0.0], [0.0]], ["+", "-", "-"])
    assert model.predict([[0.0]]) == ["-"]
    assert model.score([[0.0], [0.0], [0.0]], ["+", "-", "-"]) == pytest.approx(2 / 3)
    x, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    assert nearest(1).fit(x, y).predict([[1.499], [1.501], [1.5]]).tolist() == [0, 1, 0]
    model = nearest(3, ties="first").fit(x, y)
    assert model.kneighbors([[1.5]], return_distance=False).tolist() == [[1, 2, 0]]
    assert model.predict([[1.5]]) == [0]
    everyone = nearest(5).fit([[0.0], [1.0], [2.0], [3.0], [9.0]], [0, 1, 1, 0, 1])
    assert everyone.predict([[-5.0], [20.0]]).tolist() == [1, 1]  # k = m: the majority


@pytest.mark.parametrize("kind", CURVE)
def test_the_breast_cancer_curves_of_the_catalogue(kind):
    X, y = load_breast_cancer(return_X_y=True)
    parts = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
    train, test, labels, truth = parts
    if kind == "scaled":
        scaler = StandardScaler().fit(train)
        train, test = scaler.transform(train), scaler.transform(test)
    model = nearest(1).fit(train, labels)
    k, training, testing = np.array(CURVE[kind].split(), dtype=float).reshape(-1, 3).T
    k = k.astype(int)
    np.testing.assert_allclose(model.errors_over_k(train, labels, k), training, atol=6e-5)
    np.testing.assert_allclose(model.errors_over_k(test, truth, k), testing, atol=6e-5)
    peer = KNeighborsClassifier(5, algorithm="brute").fit(train, labels)
    np.testing.assert_array_equal(nearest(5).fit(train, labels).predict(test), peer.predict(test))
    best = testing.argmin()
    assert 0 < best < len(k) - 1
    assert training[best] > 0.0


def test_leave_one_out_uses_the_default_label_of_each_fold():
    x, y = np.array([[0.0], [1], [2], [10], [11], [12]]), np.array(list("--+++-"))
    expected = reference.leave_one_out_predictions(x, y, 1)
    assert np.flatnonzero(expected != y).tolist() == [1, 2, 4, 5]
    assert nearest(1).fit(x, y).certificates()[0].observed == pytest.approx(4 / 6)


@pytest.mark.parametrize("ties", ["all", "first"])
def test_leave_one_out_equals_refitting_without_each_row(ties):
    rng = np.random.default_rng(5)
    X, y = grid(rng, 60, 2), rng.integers(0, 3, 60)
    for k in (1, 2, 5):
        model = nearest(k, ties=ties)
        slow = 1.0 - cross_val_score(model, X, y, cv=LeaveOneOut()).mean()
        assert model.fit(X, y).certificates()[0].observed == pytest.approx(slow)
    if ties == "all":
        wrong = reference.leave_one_out_predictions(X, y, 5) != y
        assert wrong.mean() == pytest.approx(slow)


def test_cross_validation_takes_the_k_with_the_fewest_leave_one_out_errors():
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    model = nearest("cross-validation").fit(X, y)
    assert model.candidates_.tolist() == list(range(1, 18, 2))
    slow = [np.mean(reference.leave_one_out_predictions(X, y, k) != y) for k in model.candidates_]
    np.testing.assert_allclose(model.candidate_losses_, slow)
    assert model.n_neighbors_ == model.candidates_[np.array(slow) == min(slow)].max()
    (certificate,) = model.certificates()
    assert certificate.status == "void"
    assert "chosen" in certificate.violated[0].evidence
    with pytest.raises(ValueError, match="was changed after it was fitted"):
        model.set_params(n_neighbors=3).certificates()


def test_the_schedule_is_the_odd_number_near_the_root():
    X = np.random.default_rng(0).normal(size=(10_000, 2))
    model = nearest("schedule").fit(X, X[:, 0] > 0)
    assert model.n_neighbors_ == 101
    assert model.certificates()[0].preconditions[1].status == "assumed"


def test_fixed_k_is_not_consistent_and_the_schedule_is():
    rng = np.random.default_rng(0)

    def draw(n):
        x = rng.random((n, 1))
        return x, rng.random(n) < np.where(x[:, 0] > 0.5, 0.8, 0.2)

    train, test = draw(4000), draw(20_000)
    errors = nearest(1).fit(*train).errors_over_k(*test, [1, 5, 63])
    np.testing.assert_allclose(errors, [0.3106, 0.2400, 0.2008], atol=0.015)
    assert nearest("schedule").fit(*train).n_neighbors_ == 65


def test_votes_by_distance_and_shares_agree_with_scikit_learn():
    rng = np.random.default_rng(1)
    X, queries, y = rng.normal(size=(300, 4)), rng.normal(size=(50, 4)), rng.integers(0, 3, 300)
    queries[:5] = X[:5]
    for weights in ("uniform", "distance"):
        peer = KNeighborsClassifier(5, weights=weights).fit(X, y)
        model = nearest(5, weights=weights).fit(X, y)
        np.testing.assert_allclose(
            model.predict_proba(queries), peer.predict_proba(queries), rtol=1e-12
        )
        np.testing.assert_array_equal(model.predict(queries), peer.predict(queries))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_give_what_dense_rows_give(metric):
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, size=(200, 30)) * (rng.random((200, 30)) < 0.2)
    X[:, 0] = 1
    y, queries = rng.integers(0, 3, 200), X[::3] * 2
    dense = nearest(4, metric=metric).fit(X, y)
    thin = nearest(4, metric=metric).fit(sparse.csr_array(X.astype(float)), y)
    for table in (queries, sparse.csr_array(queries.astype(float))):
        np.testing.assert_array_equal(dense.predict(table), thin.predict(table))
        np.testing.assert_array_equal(dense.kneighbors(table)[0], thin.kneighbors(table)[0])
    assert dense.certificates()[0].observed == thin.certificates()[0].observed


def test_cosine_distances_are_one_minus_the_cosine():
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(600, 6)), rng.normal(size=(20, 6))
    peer = KNeighborsClassifier(3, metric="cosine").fit(X, np.zeros(600))
    found = nearest(3, metric="cosine").fit(X, np.zeros(600)).kneighbors(queries)
    expected = peer.kneighbors(queries)
    np.testing.assert_allclose(found[0], expected[0], atol=1e-14)
    np.testing.assert_array_equal(found[1], expected[1])


def mixed_table(rng, n):
    colour = rng.choice(["red", "blue", "green"], n).astype(object)
    size, weight = rng.integers(0, 9, n).astype(float), rng.integers(0, 5, n).astype(float)
    colour[rng.random(n) < 0.2], size[rng.random(n) < 0.2] = None, np.nan
    return pd.DataFrame({"colour": colour, "size": size, "weight": weight})


def test_gower_reads_numbers_categories_and_gaps_like_the_plain_version():
    rng = np.random.default_rng(0)
    train, test, y = mixed_table(rng, 120), mixed_table(rng, 40), rng.integers(0, 3, 120)
    test.loc[0, "colour"], test.loc[1, "weight"] = "violet", 77.0  # unseen, beyond the range
    model = nearest(5, metric="gower").fit(train, y)
    codes = {"blue": 0.0, "green": 1.0, "red": 2.0, "violet": 9.0}

    def plain(frame):
        columns = [frame["colour"].map(lambda c: codes.get(c, np.nan))]
        for name in ("size", "weight"):
            low, high = train[name].min(), train[name].max()
            columns.append(((frame[name] - low) / (high - low)).clip(0.0, 1.0))
        return np.column_stack(columns)

    expected = reference.predict_with_ties(
        plain(train), y, plain(test), 5, "gower", [True, False, False]
    )
    np.testing.assert_array_equal(model.predict(test), expected)
    np.testing.assert_array_equal(model.predict(pl.from_pandas(test)), expected)
    assert model.certificates()[0].status == "void"  # the ranges came from the rows
    assert model.kneighbors(test)[0].max() <= 1.0


def test_categories_alone_are_not_scaled_and_can_be_certified():
    rng = np.random.default_rng(0)
    table = rng.choice(list("abcd"), size=(400, 3)).astype(object)
    model = nearest(3, metric="gower", ties="random", random_state=0).fit(table, table[:, 0])
    assert model.certificates(delta=0.2)[0].status == "valid"


def test_random_tags_break_ties_without_looking_at_labels():
    X, y = np.zeros((20, 1)), np.arange(20)
    first = [
        nearest(1, ties="random", random_state=s).fit(X, y).predict([[0.0]])[0] for s in range(9)
    ]
    assert len(set(first)) > 3
    again = nearest(1, ties="random", random_state=4).fit(X, y).predict([[0.0]])[0]
    assert again == first[4]
    tied = nearest(2, ties="random", random_state=0).fit([[0.0], [1.0]], ["b", "a"])
    assert tied.predict([[0.5]]) == ["a"]  # a tied vote: the smallest label


def test_ties_void_the_certificate_unless_tags_break_them():
    rng = np.random.default_rng(0)
    X, y = grid(rng, 300, 2), rng.integers(0, 2, 300)
    (void,) = nearest(3).fit(X, y).certificates()
    assert void.status == "void"
    assert "use ties='random'" in str(void)
    (held,) = nearest(3, ties="random", random_state=0).fit(X, y).certificates()
    assert not held.violated
    spread = rng.normal(size=(300, 2))
    (clean,) = nearest(3).fit(spread, y).certificates()
    assert not clean.violated
    (even,) = nearest(2).fit(spread, y).certificates()  # a tied vote asks for the default label
    assert even.status == "void"
    assert nearest(3, weights="distance").fit(spread, y).certificates()[0].status == "void"


@pytest.mark.parametrize("k", [1, 5])
def test_the_certificate_covers_the_risk_on_a_world_of_atoms(k):
    rng, places = np.random.default_rng(k), np.arange(12.0)
    chance = np.where(places % 4 < 2, 0.15, 0.85)
    risks, bounds = [], []
    for _ in range(120):
        x = rng.integers(0, 12, 150)
        y = rng.random(150) < chance[x]
        model = nearest(k, ties="random", random_state=0).fit(places[x, None], y)
        says = model.predict(places[:, None])
        risks.append(np.where(says, 1.0 - chance, chance).mean())
        bounds.append(model.certificates(delta=0.3)[0].bound)
    assert not Coverage(np.array(risks), np.array(bounds), 0.3).refuted()


def test_copied_rows_break_the_certificate():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 2)), rng.integers(0, 2, 500)
    doubled = nearest(1, ties="random", random_state=0).fit(np.tile(X, (2, 1)), np.tile(y, 2))
    (certificate,) = doubled.certificates()
    fresh = rng.normal(size=(4000, 2))
    error = np.mean(doubled.predict(fresh) != rng.integers(0, 2, 4000))
    assert certificate.bound < 0.3 < error  # rows are not independent; only "assumed" says so
    assert certificate.preconditions[0].status == "assumed"


def test_guarantees_by_a_lipschitz_constant_and_in_the_limit():
    x = np.linspace(-1, 1, 100)[:, None]
    model = nearest(1).fit(x, x[:, 0] > 0)
    assert model.guarantee(bayes_risk=0.25, lipschitz=0.5).bound == pytest.approx(0.575)
    assert model.guarantee(bayes_risk=0.1).bound == pytest.approx(0.18)
    assert model.fit(x, np.arange(100) % 3).guarantee(bayes_risk=0.39).bound == pytest.approx(
        0.55185
    )
    with pytest.raises(ValueError, match="two classes"):
        model.guarantee(bayes_risk=0.1, lipschitz=1.0)
    more = nearest(9).fit(x, x[:, 0] > 0)
    assert more.guarantee(bayes_risk=0.2).bound == pytest.approx(0.2 + 0.4 / 3)
    assert more.guarantee(bayes_risk=0.2, lipschitz=0.1).theorem == "neighbors.knn_finite_sample"


def test_a_holdout_recognises_its_training_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.integers(0, 2, 100)
    with pytest.raises(ValueError, match="training data"):
        Holdout(X[:30], y[:30]).certify(nearest(3).fit(X, y))


X, Y = np.arange(12.0).reshape(6, 2), np.array([0, 0, 0, 1, 1, 1])
GAPS = pd.DataFrame({"age": [1.0, None, 3, 4, 5, 6], "size": np.arange(6.0)})
BAD = {
    "more neighbours than rows": (nearest(7), X, Y, "more than the rows there are"),
    "none": (nearest(0), X, Y, "must be a whole number"),
    "a word": (nearest("many"), X, Y, "cross-validation"),
    "missing values": (nearest(3), GAPS, Y, r"columns \['age'\].*gower"),
    "text": (nearest(3), GAPS.assign(word="a"), Y, r"columns \['word'\]"),
    "a row of zeros": (nearest(3, metric="cosine"), X * (X > 2), Y, r"rows \[0\].*euclidean"),
    "sparse": (nearest(3, metric="gower"), sparse.csr_array(X), Y, "sparse"),
    "sparse sums": (nearest(3, metric="manhattan"), sparse.csr_array(X), Y, "toarray"),
    "all missing": (nearest(3, metric="gower"), GAPS.assign(age=np.nan), Y, r"\['age'\].*no value"),
    "measurements": (nearest(3), X, Y + 0.5, "continuous"),
    "metric": (nearest(3, metric="taxicab"), X, Y, "must be one of"),
    "categories": (nearest(3, categorical_features=[0]), X, Y, "needs metric='gower'"),
    "ties": (nearest(3, ties="never"), X, Y, "ties='never'"),
    "threads": (nearest(3, n_jobs=0), X, Y, "n_jobs"),
    "long rows": (nearest(3), X * 1e160, Y, "overflow"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_with_a_sentence_and_leaves_no_mark(what):
    model, rows, labels, sentence = BAD[what]
    fitted = nearest(3).fit(X, Y).set_params(**model.get_params())
    before = pickle.dumps(fitted)
    with pytest.raises((ValueError, TypeError), match=sentence):
        fitted.fit(rows, labels)
    assert pickle.dumps(fitted) == before


def test_neighbours_of_the_training_rows_leave_themselves_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    peer = KNeighborsClassifier(4).fit(X, np.zeros(40)).kneighbors()
    for ties in ("all", "random"):
        found = nearest(4, ties=ties, random_state=0).fit(X, np.zeros(40)).kneighbors()
        np.testing.assert_array_equal(found[1], peer[1])
        np.testing.assert_allclose(found[0], peer[0], rtol=1e-12)


def test_votes_do_not_depend_on_the_axes():
    rng = np.random.default_rng(3)
    X, y, queries = rng.normal(size=(90, 3)), rng.integers(0, 3, 90), rng.normal(size=(200, 3))
    turn, shift = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3)
    plain, moved = nearest(5).fit(X, y), nearest(5).fit(X @ turn + shift, y)
    np.testing.assert_array_equal(
        plain.predict_proba(queries), moved.predict_proba(queries @ turn + shift)
    )
