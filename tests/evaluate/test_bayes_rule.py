"""The best rule of a known law: the catalogue's numbers, every loss, and laws that are none."""

import numpy as np
import pytest

from surelearn.datasets.worlds import FiniteTable
from surelearn.evaluate.bayes_rule import bayes_rule
from surelearn.losses import Absolute, CostMatrix, Entropic, Hinge, Huber, Logarithmic, Square

JOINT = np.array([[0.4, 0.1], [0.05, 0.45]])  # both points equally likely, P(+1 | x) = .2 and .9


def test_the_zero_one_rule_of_the_catalogue():
    rule = bayes_rule(JOINT, [-1, 1])
    assert rule.decisions.tolist() == [-1, 1]
    assert rule.conditional_risks == pytest.approx([0.2, 0.1])
    assert rule.risk == pytest.approx(0.15, rel=1e-14)
    assert rule.risk == pytest.approx(FiniteTable((0.5, 0.5), (0.2, 0.9)).bayes_risk)
    eta = JOINT[:, 1] / JOINT.sum(axis=1)
    assert 0.5 * (2 * eta * (1 - eta)).sum() == pytest.approx(0.25)  # the limit of 1-NN
    assert rule.risk <= 0.25 <= 2 * rule.risk


def test_the_square_rule_of_the_catalogue_is_the_conditional_mean():
    rule = bayes_rule(JOINT, [-1, 1], loss=Square())
    assert rule.decisions == pytest.approx([-0.6, 0.8])
    assert rule.risk == pytest.approx(0.50)
    variance = 1.0 - (JOINT.sum(axis=0) @ [-1, 1]) ** 2
    between = 0.5 * np.square(rule.decisions - JOINT.sum(axis=0) @ [-1, 1]).sum()
    assert variance == pytest.approx(0.99)
    assert rule.risk + between == pytest.approx(variance)


@pytest.mark.parametrize("loss", [Square(), Absolute(), Logarithmic(), Entropic()], ids=repr)
def test_no_decision_on_a_fine_grid_is_better_than_the_formula(loss):
    rng = np.random.default_rng(0)
    labels = [0, 1] if isinstance(loss, Logarithmic | Entropic) else [0.0, 0.3, 0.7, 1.0]
    joint = rng.dirichlet(np.ones(5 * len(labels))).reshape(5, -1)
    rule = bayes_rule(joint, labels, loss=loss)
    grid = bayes_rule(joint, labels, loss=loss, decisions=np.linspace(0.001, 0.999, 999))
    assert (rule.conditional_risks <= grid.conditional_risks + 1e-12).all()
    assert (rule.conditional_risks >= grid.conditional_risks - 1e-3).all()
    if labels == [0, 1]:
        assert rule.decisions == pytest.approx(joint[:, 1] / joint.sum(axis=1))


def test_a_cost_matrix_moves_the_border_and_agrees_with_its_own_decisions():
    loss = CostMatrix(costs=[[0, 2], [1, 0]], labels=["ham", "spam"])
    given = np.array([[0.4, 0.6], [0.3, 0.7], [1 / 3, 2 / 3]])
    rule = bayes_rule(given / 3, ["ham", "spam"], loss=loss)
    np.testing.assert_array_equal(rule.decisions[:2], loss.decide(given)[:2])
    assert rule.candidate_risks == pytest.approx(loss.expected_costs(given))
    assert rule.candidates.tolist() == ["ham", "spam"]


def test_any_function_of_a_label_and_a_decision_is_a_loss():
    rule = bayes_rule(
        JOINT,
        [-1, 1],
        loss=lambda y, d: 0.3 if d == "ask" else float(y != d),
        decisions=[-1, "ask"],
    )
    assert rule.decisions.tolist() == [-1, "ask"]
    rule = bayes_rule(
        [[0.3, 0.2], [0.05, 0.45]],
        [-1, 1],
        loss=lambda y, d: 0.3 if d == "ask" else float(y != d),
        decisions=[-1, 1, "ask"],
    )
    assert rule.decisions.tolist() == ["ask", 1]
    zero_one = bayes_rule(JOINT, [-1, 1], loss=lambda y, d: float(y != d))
    assert zero_one.risk == bayes_rule(JOINT, [-1, 1]).risk


def test_other_losses_need_to_be_told_what_may_be_decided():
    for loss in (Hinge(), Huber()):
        with pytest.raises(ValueError, match=r"decisions=\["):
            bayes_rule(JOINT, [-1, 1], loss=loss)
    rule = bayes_rule(JOINT, [-1, 1], loss=Hinge(), decisions=np.linspace(-2, 2, 401))
    assert rule.decisions == pytest.approx([-1.0, 1.0])
    assert rule.risk == pytest.approx(2 * 0.15)


def test_a_tie_goes_to_the_first_and_costs_a_half():
    rule = bayes_rule([[0.5, 0.5]], ["a", "b"])
    assert (rule.decisions.tolist(), rule.risk) == (["a"], 0.5)
    median = bayes_rule([[0.5, 0.5]], [0.0, 1.0], loss="absolute")
    assert (median.decisions.tolist(), median.risk) == ([0.0], 0.5)


def test_points_that_never_occur_change_nothing():
    rule = bayes_rule([[0.4, 0.1], [0.0, 0.0], [0.05, 0.45]], [-1, 1])
    assert rule.risk == pytest.approx(0.15)
    certain = bayes_rule([[0.5, 0.0], [0.0, 0.5]], [0, 1], loss=Logarithmic())
    assert certain.risk == 0.0


@pytest.mark.parametrize(
    ("joint", "labels", "said"),
    [
        ([[0.5, 0.6]], [0, 1], "1 in all"),
        ([[1.5, -0.5]], [0, 1], "0 or more"),
        ([[np.nan, 1.0]], [0, 1], "probabilities"),
        ([0.5, 0.5], [0, 1], "table"),
        ([[0.5, 0.5]], [0, 0], "once"),
        ([[0.5, 0.5]], [0, 1, 2], "columns"),
    ],
)
def test_a_law_that_is_none_is_refused(joint, labels, said):
    with pytest.raises(ValueError, match=said):
        bayes_rule(joint, labels)
