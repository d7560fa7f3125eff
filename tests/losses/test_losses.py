"""Losses: the numbers of the catalogue, the extremes, and the misprints that fail."""

import math

import numpy as np
import pytest

from surelearn.datasets.worlds import Noisy
from surelearn.learners.linear.adagrad import AdaGrad
from surelearn.learners.linear.online_gradient_descent import (
    OnlineGradientDescent,
    OnlineGradientDescentRegressor,
)
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.schedules import FixedRate
from surelearn.losses import (
    Absolute,
    CostMatrix,
    Entropic,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Huber,
    Logarithmic,
    Logistic,
    Multinomial,
    PerceptronLoss,
    QuantileLoss,
    Square,
    ZeroOne,
    of,
    relative_entropy,
)

SPAM = CostMatrix(costs=[[0, 2], [1, 0]], labels=["nonspam", "spam"])


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (ZeroOne(margin=True), 1.0),
        (Hinge(), 1.5),
        (PerceptronLoss(), 0.5),
        (Square(), 2.25),
        (Exponential(), 1.6487212707),
        (Logistic(), 0.9740769842),
        (Logistic(base=2.0), 1.4052960345),
    ],
)
def test_the_margin_losses_at_margin_minus_a_half(loss, expected):
    assert loss([1, -1], [-0.5, 0.5]) == pytest.approx([expected] * 2, abs=5e-11)


def test_a_score_of_zero_is_an_error_for_both_labels_and_costs_a_hinge_of_one():
    assert ZeroOne(margin=True)([1, -1, 1, 1], [0, 0, 0.5, -0.5]).tolist() == [1, 1, 0, 1]
    assert Hinge()([1, 1, 1], [-0.5, 0.5, 0]).tolist() == [1.5, 0.5, 1.0]


def test_a_score_that_is_not_a_number_is_an_error():
    assert ZeroOne(margin=True)(1, math.nan) == 1.0


def test_the_zero_one_loss_compares_labels_of_any_kind_and_counts_a_predicted_zero_as_right():
    assert ZeroOne()([0, 1, 0], [0, 1, 1]).tolist() == [0, 0, 1]
    assert ZeroOne()(["a", "b"], ["a", "c"]).tolist() == [0, 1]


def test_the_zero_one_loss_refuses_a_gradient_and_points_to_a_surrogate():
    with pytest.raises(TypeError, match="surrogate"):
        ZeroOne().gradient([1], [1])


def test_the_zero_one_range_knows_scores_of_known_sign():
    loss = ZeroOne(margin=True)
    assert loss.range((0.5, 2.0), (1, 1)) == (0.0, 0.0)
    assert loss.range((-2.0, 0.0), (1, 1)) == (1.0, 1.0)
    assert loss.range() == ZeroOne().range() == (0.0, 1.0)


def test_the_logistic_loss_bounds_the_zero_one_loss_only_up_to_base_two():
    assert Logistic()(1, 0.0) == pytest.approx(math.log(2.0), rel=1e-15)
    assert Logistic(base=2.0).is_surrogate
    assert not Logistic().is_surrogate
    assert not Logistic(base=2.1).is_surrogate


def test_the_logistic_slope_has_its_minus_sign():
    # The source's middle expression e^-z / (1 + e^-z) has lost it.
    assert Logistic().gradient(1, 0.7) == pytest.approx(-0.331812, abs=5e-7)
    assert Logistic().gradient(-1, -0.7) == pytest.approx(0.331812, abs=5e-7)


def test_margin_losses_survive_scores_whose_exponential_overflows():
    assert Logistic()([1, 1], [-1e4, 1e4]).tolist() == [1e4, 0.0]
    assert Logistic().gradient([1, 1], [-1e4, 1e4]).tolist() == [-1.0, 0.0]
    assert Exponential()([1, 1], [-1e4, 1e4]).tolist() == [math.inf, 0.0]
    assert Logistic()(1, 40.0) == pytest.approx(math.exp(-40.0), rel=1e-12)


def test_the_log_loss_of_the_catalogue_and_its_two_infinite_limits():
    loss = Logarithmic()
    assert loss([1, 0], [0.8, 0.8]) == pytest.approx([0.223144, 1.609438], abs=5e-7)
    assert loss([1, 0, 1, 0], [0.0, 1.0, 1.0, 0.0]).tolist() == [math.inf, math.inf, 0.0, 0.0]
    assert loss(0, 1e-20) == pytest.approx(1e-20, rel=1e-12)
    assert loss.gradient([1, 0, 1, 0], [0.0, 1.0, 1.0, 0.0]).tolist() == [
        -math.inf,
        math.inf,
        -1,
        1,
    ]


def test_the_entropic_loss_is_the_relative_entropy_of_two_coins():
    assert relative_entropy([0.3, 0.7], [0.6, 0.4]) == pytest.approx(0.1837868974, abs=5e-11)
    assert Entropic()(0.3, 0.6) == pytest.approx(0.1837868974, abs=5e-11)
    assert Entropic()(1, 0) == math.inf
    assert Entropic()([0, 1], [0.25, 0.25]) == pytest.approx(
        Logarithmic()([0, 1], [0.25, 0.25]), rel=1e-15
    )


@pytest.mark.parametrize("n", [1, 2, 17])
def test_a_certain_label_against_the_uniform_law_has_relative_entropy_ln_n(n):
    assert relative_entropy(np.eye(n), np.full((n, n), 1 / n)) == pytest.approx([math.log(n)] * n)


def test_relative_entropy_is_infinite_where_v_misses_u_but_not_the_other_way_round():
    assert relative_entropy([1.0, 0.0], [0.0, 1.0]) == math.inf
    assert relative_entropy([1.0, 0.0], [0.5, 0.5]) == pytest.approx(math.log(2.0))
    assert relative_entropy([0.3, 0.7], [0.3, 0.7]) == 0.0
    with pytest.raises(ValueError, match="v must hold probabilities"):
        relative_entropy([0.3, 0.7], [0.3, 0.6])


def test_predictions_that_are_no_probabilities_are_refused():
    with pytest.raises(ValueError, match=r"prediction must lie in \[0, 1\]"):
        Logarithmic()([1], [1.1])


@pytest.mark.parametrize(
    ("loss", "rate", "mixing"),
    [(Square(), 0.5, 2.0), (Logarithmic(), 1.0, 1.0), (Entropic(), 1.0, 1.0), (Absolute(), 0, 0)],
)
def test_the_classical_rates_for_experts_in_the_unit_interval(loss, rate, mixing):
    assert loss.exp_concavity((0.0, 1.0)) == rate
    assert loss.mixability((0.0, 1.0)) == mixing


def test_a_rate_scales_with_the_inverse_square_of_the_range():
    assert Square().exp_concavity((-3.0, 7.0)) == pytest.approx(0.005)
    assert Square().mixability((-3.0, 7.0)) == pytest.approx(0.02)


def test_a_higher_rate_than_the_stated_one_fails():
    grid = np.linspace(0.0, 1.0, 201)
    for loss, rate in ((Square(), 0.5), (Logarithmic(), 1.0)):
        potential = np.exp(-1.05 * rate * loss(np.ones(201), grid))
        assert np.diff(potential, n=2).max() > 1e-9


def test_the_plain_average_is_not_good_enough_at_the_mixable_rate_of_the_square_loss():
    mixture = -math.log(0.9 * math.exp(-2.0) + 0.1 * math.exp(-2.0 * 0.0)) / 2.0
    average = 0.9 * 0.0 + 0.1 * 1.0
    assert Square()(1.0, average) > mixture


def test_constants_without_a_box_are_those_of_all_predictions():
    assert Hinge().lipschitz() == Absolute().lipschitz() == 1.0
    assert EpsilonInsensitive(epsilon=0.1).lipschitz() == 1.0
    assert Huber(threshold=1.5).lipschitz() == 1.5
    assert Logistic().lipschitz() == 1.0
    assert Logistic().smoothness() == 0.25
    assert Logistic().strong_convexity() == Logistic().exp_concavity() == 0.0
    assert (
        Square().lipschitz() == Exponential().lipschitz() == Logarithmic().lipschitz() == math.inf
    )
    assert Square().smoothness() == Square().strong_convexity() == 2.0
    assert Hinge().range() == Square().range() == Logarithmic().range() == (0.0, math.inf)


def test_labels_outside_the_interval_of_the_predictions_are_counted_if_they_are_named():
    assert Square().lipschitz((-0.5, 0.5)) == 2.0
    assert Square().lipschitz((-0.5, 0.5), labels=(-1.0, 1.0)) == 3.0
    assert Absolute().range((2.0, 3.0), labels=(0.0, 1.0)) == (1.0, 3.0)


def test_the_spam_costs_of_the_catalogue():
    truth, decision = ["nonspam", "spam", "spam"], ["spam", "nonspam", "spam"]
    assert SPAM(truth, decision).tolist() == [2.0, 1.0, 0.0]
    assert SPAM.mean(truth, decision) == 1.0
    assert SPAM.range() == (0.0, 2.0)


def test_mail_is_called_spam_only_beyond_probability_two_thirds():
    assert SPAM.expected_costs([0.3, 0.7]) == pytest.approx([0.7, 0.6])
    assert SPAM.decide([[0.3, 0.7], [1 / 3, 2 / 3], [0.34, 0.66]]).tolist() == [
        "spam",
        "nonspam",
        "nonspam",
    ]


def test_the_bayes_decision_beats_every_other_on_random_tables():
    rng = np.random.default_rng(0)
    costs = rng.random((4, 4)) * (1 - np.eye(4))
    loss = CostMatrix(costs=costs)
    probabilities = rng.dirichlet(np.ones(4), size=200)
    expected = loss.expected_costs(probabilities)
    chosen = expected[np.arange(200), loss.decide(probabilities)]
    for decision in range(4):
        each = np.array([loss(k, decision) for k in range(4)])
        assert probabilities @ each == pytest.approx(expected[:, decision])
        assert (chosen <= expected[:, decision]).all()


def test_the_bayes_decisions_of_the_catalogue():
    laws = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.05, 0.9, 0.05]])
    equal = CostMatrix(costs=1 - np.eye(3))
    assert equal.decide(laws).tolist() == [0, 2, 1]
    risk = np.array([0.2, 0.5, 0.3]) @ equal.expected_costs(laws).min(axis=1)
    assert risk == pytest.approx(0.39)


@pytest.mark.parametrize(
    ("costs", "labels", "message"),
    [
        ([[0, 1]], None, "square"),
        ([[0]], None, "square"),
        ([[0, 1], [1, 0.5]], None, "right decision"),
        ([[0, -1], [1, 0]], None, ">= 0"),
        ([[0, math.inf], [1, 0]], None, "finite"),
        ([[0, 1], [1, 0]], ["a", "a"], "once"),
        ([[0, 1], [1, 0]], ["a", "b", "c"], "once"),
    ],
)
def test_a_table_that_is_no_cost_matrix_is_refused(costs, labels, message):
    with pytest.raises(ValueError, match=message):
        CostMatrix(costs=costs, labels=labels)


def test_an_unknown_label_or_a_missing_column_is_refused():
    with pytest.raises(ValueError, match="prediction holds 'junk'"):
        SPAM(["spam"], ["junk"])
    with pytest.raises(ValueError, match="one column"):
        SPAM.decide([0.2, 0.3, 0.5])
    with pytest.raises(ValueError, match="sum to 1"):
        SPAM.decide([0.2, 0.3])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Logistic(base=1.0), "base=1.0"),
        (lambda: Logistic(base=math.nan), "base=nan"),
        (lambda: EpsilonInsensitive(epsilon=-0.1), "epsilon=-0.1"),
        (lambda: Huber(threshold=0.0), "threshold=0.0"),
    ],
)
def test_a_parameter_outside_its_domain_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_huber_is_half_the_square_inside_and_linear_outside():
    loss = Huber(threshold=2.0)
    assert loss([0.0] * 4, [1.0, 2.0, 3.0, -10.0]).tolist() == [0.5, 2.0, 4.0, 18.0]
    assert loss.gradient([0.0] * 4, [1.0, 2.0, 3.0, -10.0]).tolist() == [1.0, 2.0, 2.0, -2.0]


def test_a_name_stands_for_one_loss_and_an_unknown_one_for_none():
    assert [of(name) for name in ("zero_one", "squared", "absolute")] == [
        ZeroOne(),
        Square(),
        Absolute(),
    ]
    assert of(Huber(threshold=2.0)) == Huber(threshold=2.0)
    with pytest.raises(ValueError, match="did you mean 'squared'"):
        of("square")


@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_steps_along_the_perceptron_loss_are_the_perceptron(rate):
    X, y = Noisy(3, 0.2).draw(200, seed=0)
    steps = OnlineGradientDescent(
        loss=PerceptronLoss(), schedule=FixedRate(learning_rate=rate), radius=1e9
    ).partial_fit(X, y)
    perceptron = Perceptron().partial_fit(X, y)
    np.testing.assert_allclose(steps.coef_, rate * perceptron.coef_, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(steps.intercept_, rate * perceptron.intercept_, atol=1e-12)
    assert steps.n_mistakes_ == perceptron.n_mistakes_


def test_the_printed_rule_of_the_source_never_leaves_zero_and_this_one_does():
    coef = np.zeros(2)
    for _ in range(50):
        slope = np.where(1.0 * (coef @ [1.0, 0.0]) < 0.0, -1.0, 0.0)  # as printed: not at the kink
        coef -= slope * np.array([1.0, 0.0])
    assert coef.tolist() == [0.0, 0.0]
    assert PerceptronLoss().gradient(1.0, 0.0) == -1.0


def test_the_perceptron_loss_is_flat_where_no_margin_is_negative():
    assert PerceptronLoss().lipschitz((0.0, 2.0), (1.0, 1.0)) == 0.0
    assert PerceptronLoss().lipschitz((-1e-9, 2.0), (1.0, 1.0)) == 1.0
    assert not PerceptronLoss().is_surrogate


@pytest.mark.parametrize("learner", [OnlineGradientDescent, AdaGrad])
def test_the_regret_of_steps_along_the_perceptron_loss_stays_below_its_bounds(learner):
    X, y = Noisy(3, 0.2).draw(200, seed=1)
    model = learner(loss=PerceptronLoss()).partial_fit(X, y)
    for certificate in model.certificates():
        assert certificate.status != "void"
        assert certificate.observed <= certificate.bound


def test_the_mean_quantile_loss_is_least_at_the_quantile():
    y, candidates = np.arange(101.0), np.arange(101.0)
    for level in (0.1, 0.5, 0.83):
        risks = [QuantileLoss(level=level).mean(y, np.full(101, c)) for c in candidates]
        assert candidates[np.argmin(risks)] == np.quantile(y, level, method="inverted_cdf")


def test_the_quantile_loss_at_one_half_is_half_the_absolute_loss():
    y, prediction = np.array([1.0, -2.0, 0.5]), np.array([0.5, 3.0, 0.5])
    assert (QuantileLoss()(y, prediction) == Absolute()(y, prediction) / 2).all()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, math.nan, math.inf])
def test_a_level_without_a_finite_quantile_is_refused(level):
    with pytest.raises(ValueError, match="level"):
        QuantileLoss(level=level)


def test_the_multinomial_loss_of_two_classes_is_the_logistic_loss_of_the_difference():
    scores = np.linspace(-40.0, 40.0, 81)
    rows = np.stack([np.zeros(81), scores], axis=1)
    for label, sign in ((0, -1.0), (1, 1.0)):
        expected = Logistic()(np.full(81, sign), scores)
        assert Multinomial()(np.full(81, label), rows) == pytest.approx(expected, rel=1e-13)
        slopes = Multinomial().gradient(np.full(81, label), rows)[:, 1]
        assert slopes == pytest.approx(Logistic().gradient(np.full(81, sign), scores), rel=1e-12)


def test_the_multinomial_loss_neither_overflows_nor_loses_a_small_loss():
    assert Multinomial()(0, [800.0, -800.0, 0.0]) == 0.0
    assert Multinomial()(1, [800.0, -800.0, 0.0]) == 1600.0
    assert Multinomial()(0, [40.0, 0.0]) == pytest.approx(math.exp(-40.0), rel=1e-9)
    assert Multinomial(n_classes=3).range((0.0, 2000.0))[1] == 2000.0 + math.log(2.0)


def test_constants_of_any_number_of_classes_hold_for_each():
    loose, box = Multinomial(), (0.0, 3.0)
    for n_classes in (2, 3, 10, 1000):
        tight = Multinomial(n_classes=n_classes)
        assert tight.lipschitz(box) <= loose.lipschitz(box) == math.sqrt(2.0)
        assert tight.smoothness(box) <= loose.smoothness(box) == 0.5
        assert loose.range(box)[0] <= tight.range(box)[0]
        assert tight.range(box)[1] <= loose.range(box)[1] == math.inf


@pytest.mark.parametrize("n_classes", [1, 0, -3, 2.5, True, "3"])
def test_a_number_of_classes_that_is_none_is_refused(n_classes):
    with pytest.raises((TypeError, ValueError), match="n_classes"):
        Multinomial(n_classes=n_classes)


def test_a_quantile_can_be_descended_online():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, 1.0, (4000, 1))
    y = X[:, 0] + rng.uniform(0.0, 1.0, 4000)
    loss, schedule = QuantileLoss(level=0.9), FixedRate(learning_rate=0.02)
    learner = OnlineGradientDescentRegressor(loss=loss, schedule=schedule, radius=9.0).fit(X, y)
    assert np.mean(y <= learner.predict(X)) == pytest.approx(0.9, abs=0.05)
