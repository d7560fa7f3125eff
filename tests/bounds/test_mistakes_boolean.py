"""Mistakes on Boolean concepts: exact worst cases, adversaries, and what noise does."""

import functools
import itertools
import math

import numpy as np
import pytest

from reference import disjunction, perceptron, weighted_majority, winnow
from surelearn.bounds import mistakes_boolean as theory
from surelearn.datasets import adversaries


def cube(n_variables):
    return np.array(list(itertools.product([0, 1], repeat=n_variables)))


def worst_elimination(rows, relevant):
    """Return the mistakes of elimination on the worst sequence of rows, over all of them."""
    masks = [frozenset(np.flatnonzero(row).tolist()) for row in rows]
    negative = [mask for mask in masks if not mask & relevant]

    @functools.cache
    def worst(kept):
        return max((1 + worst(kept - mask) for mask in negative if mask & kept), default=0)

    return worst(frozenset(range(rows.shape[1])))


@pytest.mark.parametrize("n_relevant", range(5))
def test_elimination_of_variables_attains_its_bound_for_every_size(n_relevant):
    observed = worst_elimination(cube(4), frozenset(range(n_relevant)))
    guarantee = theory.monotone_disjunction(n_variables=4, n_relevant=n_relevant)
    assert observed == guarantee.bound == 4 - n_relevant


@pytest.mark.parametrize("n_variables", [1, 2, 3, 4])
def test_elimination_of_literals_attains_n_plus_one_and_not_the_printed_2n(n_variables):
    rows = disjunction.with_negations(cube(n_variables))
    for n_relevant in range(n_variables + 1):
        observed = worst_elimination(rows, frozenset(range(n_relevant)))
        guarantee = theory.disjunction(n_variables=n_variables, n_relevant=n_relevant)
        assert observed == guarantee.bound == n_variables + 1 - n_relevant


@pytest.mark.parametrize("negated", [False, True])
def test_elimination_holds_on_random_streams(negated):
    rng = np.random.default_rng(0)
    for _ in range(50):
        X = rng.integers(0, 2, (60, 6))
        features = disjunction.with_negations(X) if negated else X
        relevant = rng.choice(features.shape[1], 2, replace=False)
        labels = features[:, relevant].any(axis=1).astype(int)
        predictions, _ = disjunction.learn(features, labels)
        bound = theory.disjunction if negated else theory.monotone_disjunction
        n_relevant = 0 if negated else 2  # a literal and its negation are one variable
        errors = np.sum(predictions != labels)
        assert bound(n_variables=6, n_relevant=n_relevant).allows(errors)


def test_one_false_label_makes_elimination_err_for_ever():
    X, labels = np.ones((50, 3), dtype=int), np.ones(50, dtype=int)
    labels[0] = 0
    predictions, _ = disjunction.learn(X, labels)
    assert not theory.monotone_disjunction(n_variables=3).allows(np.sum(predictions != labels))


def test_the_vote_of_all_disjunctions_uses_the_exact_count():
    one_expert = theory.disjunction_weighted_majority(n_variables=7, n_relevant=7).bound
    assert one_expert == 0.0
    bound = theory.disjunction_weighted_majority(n_variables=10, n_relevant=2).bound
    assert bound == pytest.approx(2.6323721709 * math.log(45), abs=1e-8)
    assert bound < 2.6323721709 * 2 * math.log(10 * math.e / 2)


def test_the_vote_of_all_disjunctions_holds_with_wrong_labels():
    rng = np.random.default_rng(1)
    pairs = list(itertools.combinations(range(8), 2))
    for flip in (0.0, 0.3):
        X = rng.integers(0, 2, (120, 8))
        labels = X[:, :2].any(axis=1) ^ (rng.random(120) < flip)
        advice = np.column_stack([X[:, pair].any(axis=1) for pair in map(list, pairs)])
        predictions, _ = weighted_majority.learn(advice.astype(int), labels.astype(int), 0.5)
        best = int(np.sum(advice != labels[:, np.newaxis], axis=0).min())
        errors = np.sum(predictions != labels)
        inputs = {"n_variables": 8, "n_relevant": 2, "beta": 0.5}
        assert theory.disjunction_weighted_majority(**inputs, best_mistakes=best).allows(errors)
        ignoring_the_noise = theory.disjunction_weighted_majority(**inputs)
        assert ignoring_the_noise.allows(errors) == (flip == 0.0)


@pytest.mark.parametrize("tuned", [False, True])
def test_the_perceptron_learns_disjunctions_within_its_bound(tuned):
    n, k, rng = 8, 2, np.random.default_rng(2)
    constant = (n / (4 * k)) ** 0.25 if tuned else 1.0
    bound = theory.perceptron_disjunction_tuned if tuned else theory.perceptron_disjunction
    for _ in range(5):
        X = rng.permutation(cube(n))
        signs = np.where(X[:, :k].any(axis=1), 1.0, -1.0)
        rows = np.column_stack([X, np.full(len(X), constant)])
        updated = perceptron.learn(rows, signs, False, max_passes=100)[3]  # noqa: FBT003
        assert bound(n_variables=n, n_relevant=k).allows(len(updated))


@pytest.mark.parametrize(("n", "k"), [(1, 1), (10, 2), (100, 3), (100, 100)])
def test_the_best_constant_feature_is_the_one_of_the_theory_page(n, k):
    squares = np.geomspace(1e-4, 1e4, 20_001)
    numeric = np.min((4 * k + 1 / squares) * (n + squares))
    assert theory.perceptron_disjunction_tuned(n_variables=n, n_relevant=k).bound == pytest.approx(
        numeric, rel=1e-6
    )
    assert numeric <= theory.perceptron_disjunction(n_variables=n, n_relevant=k).bound + 1e-6


def test_the_perceptron_bound_breaks_when_the_target_is_no_disjunction():
    X = cube(3)
    signs = np.where(X.sum(axis=1) % 2 == 1, 1.0, -1.0)
    rows = np.column_stack([X, np.ones(len(X))])
    updated = perceptron.learn(rows, signs, False, max_passes=200)[3]  # noqa: FBT003
    assert not theory.perceptron_disjunction(n_variables=3, n_relevant=3).allows(len(updated))


def test_the_worked_example_of_winnow():
    X = np.array([[1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    predictions, exponents = winnow.learn(X, np.array([1, 1, 1, 0, 1]))
    assert predictions.tolist() == [0, 0, 1, 0, 0]
    assert (2**exponents).tolist() == [2, 2, 4, 2]


@pytest.mark.parametrize(
    ("n", "k", "classic"), [(4, 1, 7), (16, 2, 25), (64, 3, 55), (256, 5, 121), (1, 1, 1)]
)
def test_winnow_holds_on_random_streams_and_its_two_forms_agree(n, k, classic):
    rng = np.random.default_rng(3)
    guarantee = theory.winnow_classic(n_variables=n, n_relevant=k)
    general = theory.winnow(n_variables=n, n_relevant=k, promotion=2.0, threshold=n)
    assert guarantee.bound == general.bound == classic
    for _ in range(5):
        X = (rng.random((400, n)) < rng.choice([0.5, 2 / n, 0.1])).astype(int)
        labels = X[:, :k].any(axis=1).astype(int)
        predictions, _ = winnow.learn(X, labels)
        assert guarantee.allows(np.sum(predictions != labels))


@pytest.mark.parametrize(("n", "k", "expected", "bound"), [(64, 2, 31, 37), (1024, 8, 216, 241)])
def test_an_adversary_comes_near_the_bound_of_winnow(n, k, expected, bound):
    X, labels = adversaries.winnow_adversary(n, k)
    predictions, _ = winnow.learn(X, labels)
    assert np.all(predictions != labels)
    assert np.array_equal(labels, X[:, :k].any(axis=1))
    assert len(labels) == expected
    assert theory.winnow_classic(n_variables=n, n_relevant=k).bound == bound


def test_the_natural_logarithm_of_the_sources_is_too_small():
    _, labels = adversaries.winnow_adversary(1024, 8)
    assert labels.sum() == 80
    assert labels.sum() > 8 * (math.log(1024) + 1)


@pytest.mark.parametrize(("promotion", "threshold"), [(1.5, 10.0), (2.0, 7.5), (3.0, 1.0)])
def test_winnow_holds_at_any_rate_with_labels_that_contradict_the_target(promotion, threshold):
    rng = np.random.default_rng(4)
    for flip in (0.0, 0.05, 0.3):
        X = (rng.random((200, 20)) < 0.15).astype(int)
        labels = (X[:, :3].any(axis=1) ^ (rng.random(200) < flip)).astype(int)
        predictions, _ = winnow.learn(X, labels, promotion, threshold)
        wrong = np.flatnonzero(predictions != labels)
        guarantee = theory.winnow(
            n_variables=20,
            n_relevant=3,
            promotion=promotion,
            threshold=threshold,
            attribute_errors=winnow.attribute_errors(X, labels, [0, 1, 2], wrong),
        )
        assert guarantee.allows(len(wrong))


def test_wrong_labels_that_are_not_counted_break_the_bound_of_winnow():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (400, 8))
    labels = (X[:, 0] ^ (rng.random(400) < 0.3)).astype(int)
    predictions, _ = winnow.learn(X, labels)
    errors = np.sum(predictions != labels)
    assert not theory.winnow_classic(n_variables=8, n_relevant=1).allows(errors)


def test_the_number_of_promotions_is_exact_where_logarithms_are_not():
    assert math.log(125) / math.log(5) > 3
    five = theory.winnow(n_variables=125, n_relevant=1, promotion=5.0, threshold=125.0)
    assert five.bound == math.ceil(6 * 3 + 5 / 4) - 1
    above = math.nextafter(1000.0, 2000.0)
    at = theory.winnow(n_variables=9, n_relevant=1, promotion=10.0, threshold=1000.0)
    just_above = theory.winnow(n_variables=9, n_relevant=1, promotion=10.0, threshold=above)
    assert (at.bound, just_above.bound) == (33.0, 44.0)


def test_a_promotion_factor_near_one_is_answered_at_once():
    bound = theory.winnow(n_variables=10, n_relevant=1, promotion=1 + 1e-9, threshold=2.0).bound
    assert bound == pytest.approx(2 * math.log(2) / 1e-9 + 10 / (2e-9), rel=1e-6)


def test_winnow_refuses_what_it_does_not_cover():
    inputs = {"n_variables": 5, "n_relevant": 1}
    with pytest.raises(ValueError, match="promotion"):
        theory.winnow(**inputs, promotion=1.0, threshold=5.0)
    with pytest.raises(ValueError, match="threshold"):
        theory.winnow(**inputs, promotion=2.0, threshold=0.5)
    with pytest.raises(ValueError, match="n_relevant"):
        theory.winnow_classic(n_variables=5, n_relevant=6)


def conjunctions(X):
    """Return the value of every monotone conjunction, the empty one included, on each row."""
    subsets = cube(X.shape[1]).astype(bool)
    return np.array([[int(row[subset].all()) for subset in subsets] for row in X])


def kernel_mistakes(gram, signs, passes=30):
    coef, updates = np.zeros(len(signs), dtype=np.int64), 0
    for _ in range(passes):
        for t in range(len(signs)):
            if signs[t] * (coef @ gram[:, t]) <= 0:
                coef[t], updates = coef[t] + signs[t], updates + 1
    return updates


@pytest.mark.parametrize("negations", [False, True])
def test_the_kernel_perceptron_learns_formulas_within_its_bound(negations):
    X = np.random.default_rng(6).permutation(cube(6))
    first, second = X[:, 0] & X[:, 3], X[:, 1] & X[:, 2] & X[:, 5]
    if negations:
        second = (1 - X[:, 1]) & X[:, 2]
    signs = np.where(first | second, 1, -1)
    agreements = X @ X.T + negations * ((1 - X) @ (1 - X).T)
    updates = kernel_mistakes(2**agreements, signs)
    assert theory.kernel_dnf(n_variables=6, n_terms=2).allows(updates)


def test_the_agreement_kernel_is_the_inner_product_of_all_terms():
    X = cube(4)
    literals = disjunction.with_negations(X)
    terms = conjunctions(literals)
    assert np.array_equal(terms @ terms.T, 2 ** (X @ X.T + (1 - X) @ (1 - X).T))
    assert np.array_equal(conjunctions(X) @ conjunctions(X).T, 2 ** (X @ X.T))


def test_a_contradiction_breaks_the_bound_of_formulas():
    X, signs = np.array([[1, 0, 1], [1, 0, 1]]), np.array([1, -1])
    updates = kernel_mistakes(2 ** (X @ X.T), signs)
    assert not theory.kernel_dnf(n_variables=3, n_terms=1).allows(updates)


def test_winnow_over_all_conjunctions_obeys_its_bound():
    X = np.random.default_rng(7).permutation(np.tile(cube(5), (6, 1)))
    labels = (X[:, 0] & X[:, 3]) | (X[:, 1] & X[:, 2])
    predictions, _ = winnow.learn(conjunctions(X), labels)
    guarantee = theory.winnow_dnf(n_variables=5, n_terms=2)
    assert guarantee.bound == theory.winnow_classic(n_variables=2**5, n_relevant=2).bound == 31
    assert guarantee.allows(np.sum(predictions != labels))
    assert theory.winnow_dnf(n_variables=6, n_terms=2).bound == 37  # printed: 3k(n + 1) + 2 = 44


def test_counts_are_exact_in_any_dimension():
    assert theory.winnow_classic(n_variables=3**500, n_relevant=1).bound == 3 * 793 + 1
    assert theory.kernel_dnf(n_variables=1000, n_terms=1).bound == 5 * 2.0**1000
    with pytest.raises(ValueError, match="n_variables"):
        theory.kernel_dnf(n_variables=1001, n_terms=1)
