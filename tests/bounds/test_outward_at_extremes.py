"""Bounds at extreme arguments against their formulas in sixty digits: never inward."""

import math
from fractions import Fraction

import mpmath as mp
import pytest

from surelearn.bounds import (
    boosting,
    concentration,
    decompositions,
    holdout,
    mistakes_boolean,
    mistakes_elimination,
    mistakes_linear,
    neighbors,
    optimization,
    regret,
    tails,
    tails_of_sums,
)
from surelearn.bounds import online_second_order as second_order
from surelearn.bounds import regret_adaptive as adaptive
from surelearn.bounds._rounding import up_integer
from surelearn.bounds._special import log_choose_above

ODD = 10**18 + 1  # between two floats
COUNTED = {
    "Perceptron": (
        mistakes_boolean.perceptron_disjunction(n_variables=10**12, n_relevant=460_174),
        (4 * 460_174 + 1) * (10**12 + 1),
    ),
    "disjunction": (mistakes_boolean.monotone_disjunction(n_variables=ODD), ODD),
    "conjunction": (mistakes_elimination.conjunction(n_variables=ODD), ODD + 1),
    "Winnow": (mistakes_boolean.winnow_dnf(n_variables=3, n_terms=ODD), 9 * ODD + 1),
}


@pytest.mark.parametrize("name", COUNTED)
def test_whole_numbers_between_floats_are_rounded_up(name):
    guarantee, exact = COUNTED[name]
    assert guarantee.bound >= exact
    assert Fraction(guarantee.bound) - exact < Fraction(exact, 10**12)


def test_the_float_above_an_integer_is_the_nearest_one():
    for value in (0, 1, 2**53, 2**53 + 1, 2**60 + 1, -ODD):
        found = up_integer(value)
        assert Fraction(found) >= value > Fraction(math.nextafter(found, -math.inf))


@pytest.mark.parametrize(
    ("n", "k"), [(10, 3), (10**12 + 20, 10**12 + 1), (10**6, 5 * 10**5), (10**12, 1001), (7, 0)]
)
def test_the_price_of_a_choice_is_not_too_small(n, k):
    with mp.workdps(60):
        exact = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
        assert exact <= log_choose_above(n, k) <= exact * (1 + mp.mpf("1e-5"))


def test_a_ladder_of_many_levels_pays_for_all_of_them():
    inputs = {"errors": 500, "n": 10_000, "delta": 0.05, "n_queries": 20, "n_levels": 10**12}
    with mp.workdps(60):
        levels, queries = 10**12, 20
        price = mp.log(mp.binomial(queries + levels, levels + 1))
        bound = mp.mpf(holdout.ladder(**inputs).bound)
        tail = mp.betainc(9_500, 501, 0, 1 - bound, regularized=True)  # P(Bin(n, bound) <= 500)
        assert mp.log(tail) <= mp.log(mp.mpf(0.05)) - price


def test_small_inputs_do_not_vanish_beside_large_targets():
    inputs = {"input_norm": 1e-200, "regularization": 1.0, "dimension": 5, "n_rounds": 7}
    bound = second_order.vovk_azoury_warmuth_apriori(target_bound=1e200, **inputs).bound
    assert 7 * Fraction(1e-200) ** 2 * Fraction(1e200) ** 2 <= Fraction(bound) < Fraction(71, 10)


RANGES = (1e-200, 1e-3, 1.0, 1e200)


@pytest.mark.parametrize("scale", RANGES)
@pytest.mark.parametrize("n_rounds", [1, 1000, 10**12])
def test_sure_bounds_of_experts_at_all_scales(scale, n_rounds):
    with mp.workdps(60):
        log_k, span = mp.log(10), mp.mpf(scale)
        tuned = regret.hedge_tuned(n_experts=10, n_rounds=n_rounds, loss_range=scale).bound
        assert tuned >= span * mp.sqrt(n_rounds * log_k / 2)
        found = adaptive.adahedge(n_experts=10, n_rounds=n_rounds, loss_range=scale).bound
        assert found >= span * (1 + mp.sqrt(1 + n_rounds * log_k))


@pytest.mark.parametrize("k", [1, 15, 10**6, 10**9])
def test_the_change_of_a_vote_is_not_too_small(k):
    with mp.workdps(60):
        half = k // 2
        p = mp.mpf(half + 1) / k
        exact = mp.binomial(k - 1, half) * p ** (half + 1) * (1 - p) ** (k - 1 - half)
        assert neighbors.vote_change_constant(k=k) >= exact


EDGES = [(1 / 6, 10**6), (0.486, 1000), (1e-6, 10**12), (1e-9, 10**18), (0.4999999, 7), (0.25, 3)]


@pytest.mark.parametrize(("edge", "n_rounds"), EDGES)
def test_many_rounds_of_boosting_are_not_rounded_to_fewer_errors(edge, n_rounds):
    with mp.workdps(60):
        exact = (1 - 4 * mp.mpf(edge) ** 2) ** (mp.mpf(n_rounds) / 2)
        bound = boosting.adaboost_fixed_edge(edge=edge, n_rounds=n_rounds).bound
        assert exact < bound <= exact * (1 + mp.mpf("1e-11")) + mp.mpf(5e-324)


@pytest.mark.parametrize("error", [1e-300, 1e-17, 0.1, 0.25, 0.499, 0.7, 1 - 1e-16])
@pytest.mark.parametrize("n_rounds", [1, 20_000])
def test_the_product_over_rounds_keeps_its_digits(error, n_rounds):
    with mp.workdps(60):
        exact = (4 * mp.mpf(error) * (1 - mp.mpf(error))) ** (mp.mpf(n_rounds) / 2)
        bound = boosting.adaboost_training_error(weighted_errors=[error] * n_rounds).bound
        assert exact < bound <= exact * (1 + mp.mpf("1e-11")) + mp.mpf(5e-324)
        edge = mp.mpf(0.5 - error)
        wide = boosting.adaboost_training_error_exponential(edges=[0.5 - error] * n_rounds).bound
        assert mp.exp(-2 * n_rounds * edge**2) < wide


@pytest.mark.parametrize("mean", [1e-300, 1e-20, 1e-12, 1e-6, 0.2, 0.3, 0.5, 0.9, 1 - 1e-16])
def test_the_constant_of_kearns_and_saul_keeps_its_digits(mean):
    with mp.workdps(60):
        p = mp.mpf(mean)
        exact = (1 - 2 * p) / (4 * mp.log((1 - p) / p)) if mean != 0.5 else mp.mpf(1) / 8
        assert (
            exact <= tails.kearns_saul(rate=1.0, mean=mean).bound <= exact * (1 + mp.mpf("1e-11"))
        )


@pytest.mark.parametrize("delta", [1 - 1e-6, 1 - 1e-9, 1 - 1e-12, 1 - 2**-53])
def test_a_delta_near_one_keeps_its_digits(delta):
    with mp.workdps(60):
        exact = mp.sqrt(-mp.log(mp.mpf(delta)) / 20)
        bound = concentration.hoeffding(mean=0.0, n=10, delta=delta).bound
        assert exact < bound <= exact * (1 + mp.mpf("1e-11"))
        planes = decompositions.pca(
            residual=0.0, n=10, n_components=3, radius_squared=1.0, delta=delta, dimension=3
        )
        assert exact < planes.bound


@pytest.mark.parametrize("mean", [1e-100, 1e-17, 1e-12, 1e-6, 0.3])
def test_the_tail_of_a_sum_of_tiny_means_is_not_rounded_away(mean):
    with mp.workdps(60):
        p = mp.mpf(mean)
        exact = mp.e * mp.fsum(
            mp.binomial(19, k) * p**k * (1 - p) ** (19 - k) for k in (17, 18, 19)
        )
        bound = tails_of_sums.bentkus_tail(n=19, mean=mean, total=17.5).bound
        assert exact < bound <= exact * (1 + mp.mpf("1e-10")) + mp.mpf(1e-300)


@pytest.mark.parametrize(("mean", "gap"), [(1.0, 2.2e-8), (1 - 8e-9, 7e-14), (0.3, 0.7000000001)])
def test_a_mean_near_its_end_keeps_its_digits(mean, gap):
    with mp.workdps(60):
        exact = 1 - (1 - mp.mpf(mean)) / mp.mpf(gap)
        bound = tails.reverse_markov(mean=mean, gap=gap).bound
        assert exact - abs(exact) * mp.mpf("1e-11") <= bound < exact


@pytest.mark.parametrize("rest", [0.0, 2**-53, 3e-12, 3.3e-10, 7e-8, 0.3, 0.9])
def test_a_margin_near_the_radius_keeps_its_digits(rest):
    with mp.workdps(60):
        r = mp.mpf(1.0 - rest)
        conjugate = ((1 + r) * mp.log(1 + r) + ((1 - r) * mp.log(1 - r) if r < 1 else 0)) / 2
        exact = mp.log(10) / conjugate
        bound = mistakes_linear.balanced_winnow(n_features=5, margin=1.0 - rest, radius=1.0).bound
        assert exact < bound <= exact * (1 + mp.mpf("1e-11"))


@pytest.mark.parametrize("rest", [2**-53, 3.75e-12, 7.2e-8, 0.4, 0.999])
def test_curvatures_that_are_nearly_equal_keep_the_digits_of_their_difference(rest):
    with mp.workdps(60):
        ratio, steps = mp.mpf(1.0 - rest), 5
        curved = {"smoothness": 1.0, "strong_convexity": 1.0 - rest, "n_steps": steps}
        root = mp.sqrt(ratio)
        slow = optimization.gradient_descent_strongly_convex(initial_excess=1.0, **curved)
        fast = optimization.nesterov_strongly_convex(distance=0.0, initial_excess=1.0, **curved)
        ball = optimization.heavy_ball_quadratic(distance=1.0, **curved)
        for found, exact in (
            (slow, (1 - ratio) ** steps),
            (fast, (1 - root) ** steps),
            (ball, 4 * steps * ((1 - root) / (1 + root)) ** steps),
        ):
            assert exact < found.bound <= exact * (1 + mp.mpf("1e-11"))
