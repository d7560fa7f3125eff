"""Winnow against its plain self, the catalogue, the adversary, its theorem, and broken worlds."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone
from sklearn.preprocessing import Binarizer

from reference import winnow as plain
from surelearn.bounds import mistakes_boolean
from surelearn.checks import ONLINE_CHECKS
from surelearn.datasets import adversaries
from surelearn.datasets.worlds import BooleanConcept, monotone_disjunction
from surelearn.learners.linear.winnow import Winnow

FOUR = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]])


def with_both(labels):
    labels[:2] = 0, 1
    return labels


bit_streams = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 25), st.integers(1, 6)), elements=st.integers(0, 1)
)


# Powers of two add up exactly in any order; sums of other powers never reach these thresholds.
SETTINGS = [
    *((promotion, threshold) for promotion in (2.0, 4.0) for threshold in (None, 1.0, 2.0, 6.0)),
    *((promotion, threshold) for promotion in (1.5, 3.0) for threshold in (1.01, 2.03, 6.07)),
]


@settings(deadline=None, max_examples=60)
@given(
    bit_streams,
    st.integers(0, 2**25 - 1),
    st.sampled_from(SETTINGS),
    st.booleans(),
)
def test_it_equals_the_plain_version_exactly(X, seed, setting, negations):
    promotion, threshold = setting
    labels = with_both(np.array([(seed >> t) & 1 for t in range(len(X))]))
    literals = np.hstack([X, 1 - X]) if negations else X
    predictions, exponents = plain.learn(literals, labels, promotion, threshold)
    for form in (X, sparse.csr_array(X), X.astype(np.float32)):
        model = Winnow(promotion=promotion, threshold=threshold, negations=negations)
        scores = model.learn(form, labels)
        np.testing.assert_array_equal(scores > 0.0, predictions == 1)
        assert (scores != 0.0).all()
        np.testing.assert_array_equal(model.exponents_[0], exponents)
        np.testing.assert_array_equal(model.weights_[0], promotion**exponents)
        assert model.n_mistakes_ == np.count_nonzero(predictions != labels)


def test_the_catalogue_run_on_four_variables():
    model = Winnow()
    scores = model.learn(FOUR, [1, 1, 1, 0, 1])
    assert (scores > 0).tolist() == [False, False, True, False, False]
    assert model.weights_.tolist() == [[2.0, 2.0, 4.0, 2.0]]


def test_a_sum_that_just_reaches_the_threshold_is_positive_everywhere():
    for negations in (False, True):
        model = Winnow(threshold=2.0, negations=negations)
        assert model.learn([[1, 1]], [1], classes=[0, 1])[0] > 0.0
        assert model.n_mistakes_ == 0
        assert model.predict([[1, 1]])[0] == model.predict_one([1, 1]) == 1
        assert model.decision_function([[1, 1]])[0] > 0.0
    assert Winnow(threshold=2.0).partial_fit([[1, 1]], [1], [0, 1]).predict([[0, 1]])[0] == 0


@pytest.mark.parametrize("negations", [False, True])
def test_the_linear_form_predicts_what_the_weights_say(negations):
    X, y = monotone_disjunction(12, (1, 4, 7), noise=0.1).draw(400, seed=3)
    model = Winnow(negations=negations, max_iter=3).fit(X, y)
    literals = np.hstack([X, 1 - X]) if negations else X
    totals = literals @ model.weights_[0]
    np.testing.assert_array_equal(model.predict(X), totals >= literals.shape[1])


@pytest.mark.parametrize(("n", "k", "rounds", "bound"), [(64, 2, 31, 37), (1024, 8, 216, 241)])
def test_the_adversary_makes_every_round_a_mistake_and_stays_within_the_bound(n, k, rounds, bound):
    X, labels = adversaries.winnow_adversary(n, k)
    model = Winnow()
    model.learn(X, labels)
    assert model.n_mistakes_ == len(labels) == rounds
    assert model.guarantee(n_relevant=k).bound == bound
    assert model.n_mistakes_ > 0.8 * bound


@pytest.mark.parametrize(("n", "k"), [(4, 1), (16, 2), (64, 3), (256, 5)])
def test_mistakes_never_exceed_the_bound_on_a_thousand_random_streams(n, k):
    world = monotone_disjunction(n, tuple(range(k)))
    bound, most = mistakes_boolean.winnow_classic(n_variables=n, n_relevant=k).bound, 0
    for seed in range(250):
        X, y = world.draw(120, seed=seed)
        model = Winnow()
        model.learn(X, y, classes=[0, 1])
        most = max(most, model.n_mistakes_)
    assert most <= bound
    assert most >= 0.25 * bound


@pytest.mark.parametrize("promotion", [1.25, 2.0, 5.0])
@pytest.mark.parametrize("threshold", [1.0, 7.0, None])
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.4])
def test_certificates_hold_for_every_factor_threshold_and_noise(promotion, threshold, noise):
    for seed in range(12):
        X, y = monotone_disjunction(10, (0, 3), noise=noise).draw(60, seed=seed)
        model = Winnow(promotion=promotion, threshold=threshold, max_iter=4)
        certificate = model.fit(X, with_both(y)).certificates()[0]
        assert certificate.observed == model.n_mistakes_ <= certificate.bound
        assert certificate.preconditions[0].status == "checked"


def test_a_consistent_disjunction_is_found_and_its_certificate_has_no_attribute_errors():
    X, y = monotone_disjunction(40, (5, 17, 33)).draw(400, seed=0)
    model = Winnow().fit(X, y)
    ((literals, errors),) = model.disjunctions_
    assert (sorted(literals.tolist()), errors) == ([5, 17, 33], 0)
    assert model.certificates()[0].bound == model.guarantee(n_relevant=3).bound
    assert model.certificates()[0].status == "valid"


def test_negated_literals_need_their_own_weights():
    world = BooleanConcept(8, lambda X: X[:, 2] | (1 - X[:, 5]), density=0.5)
    X, y = world.draw(300, seed=1)
    model = Winnow(negations=True).fit(X, y)
    assert (model.predict(X) == y).all()
    assert sorted(model.disjunctions_[0][0].tolist()) == [2, 8 + 5]
    assert model.n_mistakes_ <= model.guarantee(n_relevant=2).bound
    positive = Winnow(max_iter=50).fit(X, y)
    assert not positive.guarantee(n_relevant=2).allows(positive.n_mistakes_)
    assert positive.disjunctions_[0][1] > 0


@pytest.mark.parametrize("check", ONLINE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("parameters", [{"negations": True}, {"promotion": 1.5, "threshold": 2.0}])
def test_other_parameters_keep_the_promises_of_learning_in_order(check, parameters):
    check(Winnow(**parameters))


def test_flipped_labels_break_the_bound_for_a_disjunction():
    X, y = monotone_disjunction(16, (0, 1), noise=0.3).draw(500, seed=0)
    model = Winnow(max_iter=1).fit(X, y)
    assert not model.guarantee(n_relevant=2).allows(model.n_mistakes_)
    assert model.certificates()[0].observed <= model.certificates()[0].bound


def test_dropping_rows_outside_the_compression_set_leaves_the_model_as_it_is():
    X, y = monotone_disjunction(12, (0, 4), noise=0.05).draw(150, seed=2)
    model, rng = Winnow(max_iter=5).fit(X, y), np.random.default_rng(0)
    for _ in range(10):
        keep = rng.random(150) < 0.3
        keep[model.compression_set_] = True
        np.testing.assert_array_equal(clone(model).fit(X[keep], y[keep]).coef_, model.coef_)


def test_weights_that_underflow_come_back():
    model = Winnow(promotion=1e6, threshold=1.0).partial_fit([[1]], [1], classes=[0, 1])
    model.exponents_[:], model.weights_[:] = -60.0, 0.0
    for _ in range(60):
        model.learn_one([1], 1)
    assert (model.exponents_.tolist(), model.weights_.tolist()) == ([[0.0]], [[1.0]])
    assert model.predict_one([1]) == 1


def test_learning_on_drops_what_was_known_of_the_training_set():
    model = Winnow().fit(FOUR, [1, 1, 1, 0, 1])
    assert len(model.certificates()) == 2
    model.learn_one([0, 0, 0, 1], 1)
    assert model.certificates() == ()
    assert not hasattr(model, "disjunctions_")


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"promotion": 1.0}, "promotion"),
        ({"promotion": np.nan}, "promotion"),
        ({"threshold": 0.5}, "threshold"),
        ({"max_iter": 0}, "max_iter"),
    ],
)
def test_parameters_the_theorem_does_not_cover_are_refused(parameters, word):
    model = Winnow().fit(FOUR, [1, 1, 1, 0, 1])
    model.set_params(**parameters)
    before = pickle.dumps(model)
    with pytest.raises(ValueError, match=word):
        model.fit(FOUR, [1, 1, 1, 0, 1])
    assert pickle.dumps(model) == before


def test_numbers_that_are_not_bits_are_refused_with_a_hint_and_leave_no_mark():
    model = Winnow().fit(FOUR, [1, 1, 1, 0, 1])
    before = pickle.dumps(model)
    for call in (
        lambda: model.fit(FOUR * 2, [1, 1, 1, 0, 1]),
        lambda: model.learn(FOUR * 0.5, [1, 1, 1, 0, 1]),
        lambda: model.learn_one([0.3, 0, 0, 0], 1),
        lambda: model.predict(FOUR - 1.0),
    ):
        with pytest.raises(ValueError, match="Binarizer"):
            call()
        assert pickle.dumps(model) == before
    bits = Binarizer(threshold=0.5).fit_transform(FOUR * 2)
    np.testing.assert_array_equal(model.predict(bits), model.predict(FOUR))


def test_stored_zeros_of_a_sparse_row_are_zeros():
    X = sparse.csr_array((np.array([1.0, 0.0, 1.0]), [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    thin, dense = Winnow(max_iter=1).fit(X, [1, 0]), Winnow(max_iter=1).fit(X.toarray(), [1, 0])
    np.testing.assert_array_equal(thin.exponents_, dense.exponents_)


def test_more_classes_run_one_against_the_rest_with_a_certificate_each():
    X = np.random.default_rng(0).integers(0, 2, size=(90, 9))
    y = np.array(["a", "b", "c"])[X[:, :3].argmax(axis=1)]
    model = Winnow(max_iter=20).fit(X, y)
    assert model.weights_.shape == (3, 9)
    subjects = [c.subject for c in model.certificates() if c.kind == "mistakes"]
    assert len(set(subjects)) == 3


def test_the_guarantee_covers_the_mistakes_of_all_two_class_problems():
    model = Winnow().fit(np.eye(6, dtype=int), range(6))
    guarantee = model.guarantee(n_relevant=1)
    assert guarantee.allows(model.n_mistakes_)
    assert not guarantee.allows(6 * model.certificates()[0].bound + 1)
    assert model.n_mistakes_ > model.certificates()[0].bound
