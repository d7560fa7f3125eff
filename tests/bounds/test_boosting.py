"""Boosting: sure bounds on the training error, certified risks of votes, and what breaks them."""

import functools
import itertools
import math

import numpy as np
import pytest
from scipy import special

from reference import adaboost
from surelearn.bounds import boosting, vc
from surelearn.evaluate.coverage import Coverage

TEN_X, TEN_SIGNS = np.arange(10.0)[:, None], np.array([1.0, 1, 1, -1, -1, -1, 1, 1, 1, -1])


def training_error(X, signs, stumps, alphas):
    return np.mean(signs * adaboost.scores(X, stumps, alphas) <= 0.0)


def test_the_reference_reproduces_the_ten_points_of_the_textbook():
    stumps, alphas, errors = adaboost.learn(TEN_X, TEN_SIGNS, 3)
    assert errors == pytest.approx([0.3, 0.2142857143, 0.1818181818])
    assert alphas == pytest.approx([0.4236489302, 0.6496414921, 0.7520386984])
    assert [(s[1], s[2]) for s in stumps] == [(2.5, 1.0), (8.5, 1.0), (5.5, -1.0)]
    assert training_error(TEN_X, TEN_SIGNS, stumps, alphas) == 0.0
    products = [
        boosting.adaboost_training_error(weighted_errors=errors[: t + 1]).bound for t in range(3)
    ]
    assert products == pytest.approx([0.9165151390, 0.7521398046, 0.5801925341])
    exponential = np.mean(np.exp(-TEN_SIGNS * adaboost.scores(TEN_X, stumps, alphas)))
    assert exponential == pytest.approx(products[-1], rel=1e-12)


def test_the_three_forms_are_ordered_as_in_the_catalogue():
    errors = np.array([0.3, 3 / 14, 2 / 11])
    exact = boosting.adaboost_training_error(weighted_errors=errors).bound
    loose = boosting.adaboost_training_error_exponential(edges=0.5 - errors).bound
    fixed = boosting.adaboost_training_error_exponential(edges=[0.2] * 3).bound
    assert (exact, loose, fixed) == pytest.approx((0.5801925341, 0.6403472671, 0.7866278611))
    assert boosting.adaboost_fixed_edge(edge=0.2, n_rounds=3).bound <= fixed


def test_three_points_and_three_members_each_wrong_on_one():
    signs, answers = np.ones(3), 1.0 - 2.0 * np.eye(3)
    errors, weights = adaboost.one_factor(answers, signs, 1 / 3)
    assert errors == pytest.approx([1 / 3, 1 / 4, 1 / 5])
    assert weights == pytest.approx([0.25] * 3)
    assert boosting.adaboost_fixed_edge(edge=1 / 6, n_rounds=3).bound == pytest.approx(0.838052)
    adaptive = boosting.adaboost_training_error(weighted_errors=[1 / 3, 1 / 4, 1 / 6]).bound
    assert adaptive == pytest.approx(0.608581, abs=1e-6)


def random_data(rng, n=30):
    X = rng.integers(0, 6, (n, 3)).astype(float)
    signs = np.where(
        X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(0, rng.uniform(0, 4), n) > 3, 1.0, -1.0
    )
    return X, signs


def test_no_run_of_adaboost_exceeds_its_bounds():
    rng = np.random.default_rng(0)
    for _ in range(40):
        X, signs = random_data(rng)
        stumps, alphas, errors = adaboost.learn(X, signs, 8)
        for t in range(1, len(stumps) + 1):
            observed = training_error(X, signs, stumps[:t], alphas[:t])
            edges = 0.5 - errors[:t]
            assert boosting.adaboost_training_error(weighted_errors=errors[:t]).allows(observed)
            assert boosting.adaboost_training_error_exponential(edges=edges).allows(observed)
            if edges.min() > 0.0:
                fixed = boosting.adaboost_fixed_edge(edge=edges.min(), n_rounds=t)
                assert fixed.allows(observed)


def test_the_one_factor_form_never_exceeds_its_bound_while_the_edge_is_kept():
    rng = np.random.default_rng(1)
    kept = 0
    for _ in range(300):
        signs = np.ones(9)
        answers = np.where(rng.random((7, 9)) < 0.2, -1.0, 1.0)
        errors, _ = adaboost.one_factor(answers, signs, 0.35)
        if errors.max() <= 0.35:
            kept += 1
            observed = np.mean(answers.sum(axis=0) <= 0)
            assert boosting.adaboost_fixed_edge(edge=0.15, n_rounds=7).allows(observed)
    assert kept > 30


def test_errors_not_measured_under_the_current_weights_break_the_bounds():
    # Twenty times the same stump, wrong on three of ten points: its unweighted error is always 0.3.
    observed = 0.3
    assert not boosting.adaboost_training_error(weighted_errors=[0.3] * 20).allows(observed)
    assert not boosting.adaboost_training_error_exponential(edges=[0.2] * 20).allows(observed)
    assert not boosting.adaboost_fixed_edge(edge=0.2, n_rounds=20).allows(observed)


def test_the_printed_threshold_of_one_half_breaks_the_bound():
    rng = np.random.default_rng(2)
    broken = 0
    for _ in range(20):
        X, signs = random_data(rng)
        stumps, alphas, errors = adaboost.learn(X, signs, 8)
        share = adaboost.scores(X, stumps, alphas / alphas.sum())
        printed = np.mean(signs != np.where(share > 0.5, 1.0, -1.0))
        broken += not boosting.adaboost_training_error(weighted_errors=errors).allows(printed)
    assert broken > 0


def test_a_member_without_error_leaves_none_and_a_coin_changes_nothing():
    assert boosting.adaboost_training_error(weighted_errors=[0.3, 0.0]).bound == 0.0
    assert boosting.adaboost_training_error(weighted_errors=[0.5]).bound == pytest.approx(1.0)
    assert boosting.adaboost_training_error_exponential(edges=[0.0]).bound == pytest.approx(1.0)
    assert boosting.adaboost_fixed_edge(edge=0.5, n_rounds=1).bound == 0.0
    with pytest.raises(ValueError, match=r"edge=0\.6"):
        boosting.adaboost_fixed_edge(edge=0.6, n_rounds=3)
    with pytest.raises(ValueError, match="weighted_errors"):
        boosting.adaboost_training_error(weighted_errors=[0.3, 1.2])


@pytest.mark.parametrize(("edge", "n", "expected"), [(0.2, 10, 29), (0.1, 1000, 346), (0.5, 1, 1)])
def test_rounds_for_no_training_error(edge, n, expected):
    rounds = boosting.plan_rounds(edge=edge, n=n)
    assert rounds == expected
    assert boosting.adaboost_training_error_exponential(edges=[edge] * rounds).bound < 1 / n


@pytest.mark.parametrize(("edge", "error", "expected"), [(0.1, 0.01, 231), (0.2, 0.5, 9)])
def test_rounds_for_a_training_error(edge, error, expected):
    rounds = boosting.plan_rounds_to_error(edge=edge, training_error=error)
    assert rounds == expected
    bound = boosting.adaboost_training_error_exponential(edges=[edge] * rounds).bound
    assert bound <= error * (1 + 1e-9)


@pytest.mark.parametrize(
    ("n", "sampled", "ramp"),
    [
        (10**3, 0.592249, 0.849),
        (10**4, 0.124752, 0.268),
        (10**5, 0.018581, 0.085),
        (10**6, 0.002395, 0.027),
    ],
)
def test_margins_of_three_tenths_give_the_tabulated_values(n, sampled, ramp):
    margins, size = np.full(n, 0.3), math.log(1000)
    drawn = boosting.vote_pac_bayes(margins=margins, divergence=size, delta=0.05).bound
    assert drawn == pytest.approx(sampled, abs=1e-6)
    schapire = boosting.vote_rademacher(margins=margins, log_growth_base=size, delta=0.05).bound
    assert schapire == pytest.approx(ramp, abs=6e-4)


def test_the_growth_of_five_stumps_gives_the_tabulated_value():
    inputs = {"errors": 27, "n": 569, "n_rounds": 5, "delta": 0.05}
    assert boosting.vote_growth_stumps(**inputs, n_features=30).bound == pytest.approx(
        0.262, abs=5e-4
    )
    # Stumps on one feature have VC dimension 2, and Sauer's count of that is larger than 2m.
    one, sauer = (
        boosting.vote_growth_stumps(**inputs, n_features=1).bound,
        boosting.vote_growth(**inputs, vc_dimension=2).bound,
    )
    assert one < sauer


def test_more_rounds_and_more_features_cost_more_in_the_growth_form_only():
    inputs = {"errors": 10, "n": 2000, "delta": 0.05}
    few = boosting.vote_growth_stumps(**inputs, n_rounds=2, n_features=10).bound
    many = boosting.vote_growth_stumps(**inputs, n_rounds=40, n_features=10).bound
    wide = boosting.vote_growth_stumps(**inputs, n_rounds=2, n_features=10_000).bound
    assert few < wide < many
    assert (
        boosting.vote_growth_stumps(**{**inputs, "errors": 2000}, n_rounds=2, n_features=1).bound
        == 1.0
    )


# A world with known risks: sixteen points on a line, labels flipped with probability 0.1, AdaBoost
# for three rounds over the thirty stumps with a threshold between them.

POINTS = np.arange(16.0)[:, None]
CLEAN = np.where((POINTS[:, 0] >= 4) & (POINTS[:, 0] < 11), 1.0, -1.0)


def boosted(rng, n):
    drawn = rng.integers(0, 16, n)
    X, signs = POINTS[drawn], CLEAN[drawn] * np.where(rng.random(n) < 0.1, -1.0, 1.0)
    stumps, alphas, _ = adaboost.learn(X, signs, 3)
    weights = alphas / alphas.sum()
    wrong = CLEAN * adaboost.scores(POINTS, stumps, weights) <= 1e-12
    margins = signs * adaboost.scores(X, stumps, weights)
    merged = {s: sum(w for w, t in zip(weights, stumps, strict=True) if s == t) for s in stumps}
    divergence = sum(w * math.log(w * 30) for w in merged.values())
    return margins, divergence, 0.1 + 0.8 * wrong.mean()


@functools.cache
def growth_bounds(errors, n):
    inputs = {"errors": errors, "n": n, "n_rounds": 3, "delta": 0.3}
    stumps = boosting.vote_growth_stumps(**inputs, n_features=1).bound
    return stumps, boosting.vote_growth(**inputs, vc_dimension=2).bound


@pytest.mark.parametrize("repetitions", [100, pytest.param(4000, marks=pytest.mark.slow)])
def test_votes_miss_at_most_delta_when_their_assumptions_hold(repetitions):
    rng = np.random.default_rng(3)
    n, truths, bounds = 120, [], []
    growth = vc.log_growth_stumps(n=n, dimension=1)
    for _ in range(repetitions):
        margins, divergence, risk = boosted(rng, n)
        drawn = boosting.vote_pac_bayes(margins=margins, divergence=divergence, delta=0.3)
        ramp = boosting.vote_rademacher(margins=margins, log_growth_base=growth, delta=0.3)
        errors = int(np.count_nonzero(margins <= 1e-12))
        truths.append(risk)
        bounds.append((drawn.bound, ramp.bound, *growth_bounds(errors, n)))
    for column in np.array(bounds).T:
        assert not Coverage(np.array(truths), column, 0.3).refuted()


def test_the_randomised_votes_err_at_least_their_share_where_the_vote_errs():
    rng = np.random.default_rng(4)
    for _ in range(50):
        law, margins = rng.dirichlet(np.ones(20)), rng.uniform(-1, 1, 20)
        for draws in (1, 3, 16, 91):
            for most in {draws // 2, int(0.6 * draws)}:
                share = special.bdtr(most, draws, 0.5)
                randomised = law @ special.bdtr(most, draws, (1 + margins) / 2)
                assert law @ (margins <= 0) <= randomised / share + 1e-12


def test_base_classifiers_made_from_the_labels_break_every_bound():
    # One member that knows the labels of 1000 examples by heart; fresh labels are coin flips.
    margins, inputs = np.ones(1000), {"errors": 0, "n": 1000, "n_rounds": 1, "delta": 0.05}
    assert not boosting.vote_pac_bayes(margins=margins, divergence=0.0, delta=0.05).allows(0.5)
    learnt = boosting.vote_rademacher(margins=margins, log_growth_base=math.log(2), delta=0.05)
    assert not learnt.allows(0.5)
    assert not boosting.vote_growth_stumps(**inputs, n_features=1).allows(0.5)
    assert not boosting.vote_growth(**inputs, vc_dimension=1).allows(0.5)


def test_a_vote_without_margin_gets_no_claim():
    assert boosting.vote_pac_bayes(margins=[0.0] * 50, divergence=1.0, delta=0.05).vacuous
    assert boosting.vote_rademacher(margins=[0.0] * 50, log_growth_base=1.0, delta=0.05).vacuous
    assert boosting.vote_pac_bayes(margins=[-1.0] * 50, divergence=1.0, delta=0.05).vacuous


def test_rounds_until_a_vote_is_consistent_and_shorter_than_its_sample():
    rounds = {m: boosting.plan_rounds_exact(n=m, edge=0.1) for m in (1, 634, 635, 1000)}
    assert rounds[1] == 1
    assert 2 * rounds[1000] == 678
    assert 2 * rounds[634] >= 634  # the last sample size that two bits a round do not compress
    assert 2 * rounds[635] < 635
    assert boosting.plan_rounds_exact(n=100, edge=0.5) == 1
    with pytest.raises(ValueError, match="edge"):
        boosting.plan_rounds_exact(n=100, edge=0.6)


def test_the_planned_rounds_leave_less_than_one_error():
    for n, edge in itertools.product([2, 10, 1000, 10**6], [0.01, 0.1, 0.3, 0.49]):
        rounds = boosting.plan_rounds_exact(n=n, edge=edge)
        assert (1 - 4 * edge**2) ** (rounds / 2) * n < 1
        assert (1 - 4 * edge**2) ** ((rounds - 1) / 2) * n >= 1


def test_any_votes_give_the_product_of_adaboost_where_they_are_its_own():
    errors = np.array([0.3, 3 / 14, 2 / 11])
    alphas = 0.5 * np.log((1 - errors) / errors)
    ours = boosting.plurality_training_error(weighted_errors=errors, vote_weights=alphas).bound
    product = boosting.adaboost_training_error(weighted_errors=errors).bound
    assert ours == pytest.approx(product, rel=1e-12)
    shrunk = boosting.plurality_training_error(weighted_errors=errors, vote_weights=alphas / 3)
    assert product < shrunk.bound < 1.0


def test_the_factor_of_samme_is_below_one_exactly_below_one_over_the_classes():
    for n_classes in (3, 5, 10):
        for error, below in ((1 / n_classes - 1e-6, True), (1 / n_classes + 1e-6, False)):
            vote = 0.5 * np.log((1 - error) / error * (n_classes - 1))
            found = boosting.plurality_training_error(weighted_errors=[error], vote_weights=[vote])
            assert (found.bound < 1.0) == below
            expected = np.sqrt(error * (1 - error)) * n_classes / np.sqrt(n_classes - 1)
            assert found.bound == pytest.approx(expected, rel=1e-11)


def test_votes_of_many_rounds_are_never_beyond_floats_and_lengths_must_agree():
    many = boosting.plurality_training_error(
        weighted_errors=[0.6] * 5000, vote_weights=[1.0] * 5000
    )
    assert many.bound > 1.0
    with pytest.raises(ValueError, match="rounds"):
        boosting.plurality_training_error(weighted_errors=[0.1], vote_weights=[1.0, 2.0])


def test_errors_that_are_not_weighted_break_the_bound_on_any_votes():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 200)
    said = np.where(rng.random(200) < 0.75, labels, (labels + 1) % 3)
    plain = boosting.plurality_training_error(
        weighted_errors=[np.mean(said != labels)] * 30, vote_weights=[0.5] * 30
    )
    assert np.mean(said != labels) > plain.bound  # thirty copies of one member vote as one
