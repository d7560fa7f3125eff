"""Plots show what they are given, label it, and draw where they are told."""

import numpy as np
import pytest

from surelearn.datasets.worlds import Noisy, Separable
from surelearn.evaluate.linear_regret import linear_regret
from surelearn.evaluate.mistakes import mistakes_curve
from surelearn.evaluate.regret import bandit_regret, experts_regret
from surelearn.learners.bandits.exp3 import Exp3
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.plots import style
from surelearn.plots.arm_probabilities import plot_arm_probabilities
from surelearn.plots.expert_weights import plot_expert_weights
from surelearn.plots.mistakes import plot_mistakes
from surelearn.plots.regret import plot_losses, plot_regret

TABLE = np.random.default_rng(0).random((120, 10)) * np.linspace(0.5, 1.0, 10)


@pytest.fixture(scope="module")
def experts():
    return experts_regret(Hedge(horizon=120), TABLE)


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def lines(ax):
    return {line.get_label(): line for line in ax.lines}


def test_regret_and_each_bound_are_drawn_as_they_are(experts):
    drawn = lines(plot_regret(experts))
    regret = drawn["regret to the best expert in hindsight"]
    np.testing.assert_array_equal(regret.get_ydata(), experts.regrets)
    np.testing.assert_array_equal(regret.get_xdata(), experts.rounds)
    for curve in experts.bounds:
        line = drawn[f"bound: {curve.label}"]
        np.testing.assert_array_equal(line.get_ydata(), curve.bounds)
        assert line.get_color() == (style.GUARANTEED if curve.realised else style.MUTED)


def test_a_bound_known_at_one_round_only_is_a_mark(experts):
    single = [curve for curve in experts.bounds if len(curve.rounds) == 1]
    assert single
    line = lines(plot_regret(experts))[f"bound: {single[0].label}"]
    assert line.get_marker() == "D"


def test_losses_are_those_of_learner_and_comparator(experts):
    learner, best = plot_losses(experts).lines
    np.testing.assert_array_equal(learner.get_ydata(), experts.learner_losses)
    np.testing.assert_array_equal(best.get_ydata(), experts.best_losses)


def test_linear_regret_is_drawn_at_its_checkpoints():
    X, y = Noisy(2, 0.1).draw(80, seed=0)
    result = linear_regret(OnlineGradientDescent(), X, y)
    regret = plot_regret(result).lines[-1]
    np.testing.assert_array_equal(regret.get_xdata(), result.rounds)
    assert regret.get_label() == "regret to the best weights of norm at most 1 in hindsight"
    with pytest.raises(ValueError, match="no weights of experts"):
        plot_expert_weights(result)
    with pytest.raises(ValueError, match="no probabilities of arms"):
        plot_arm_probabilities(result)


def test_mistakes_are_drawn_beside_their_bounds():
    X, y = Separable(2, margin=0.2).draw(100, seed=0)
    result = mistakes_curve(Perceptron(fit_intercept=False), X, y, margin=0.2)
    ax = plot_mistakes(result)
    drawn = lines(ax)
    assert result.n_mistakes < ax.get_ylim()[1] < len(y)  # vacuous bounds do not set the scale
    np.testing.assert_array_equal(drawn["mistakes of Perceptron"].get_ydata(), result.counts)
    assert "bound: novikoff, before the run" in drawn


def test_weights_are_stacked_to_one_and_the_rest_is_told(experts):
    ax = plot_expert_weights(experts)
    assert labels(ax)[-1] == "3 others"
    assert labels(ax)[0] == f"expert {experts.shares.values.mean(axis=0).argmax()}"
    top = ax.collections[-1].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(1.0)


def test_arms_have_their_names():
    result = bandit_regret(Exp3(n_arms=2, seed=0), TABLE[:, :2])
    ax = plot_arm_probabilities(result, names=["left", "right"])
    assert sorted(labels(ax)) == ["left", "right"]
    assert ax.get_ylabel() == "probability"


def test_they_draw_where_they_are_told(experts):
    _, axes = style.new_figure("A claim", columns=3)
    assert plot_regret(experts, ax=axes[0]) is axes[0]
    assert plot_losses(experts, ax=axes[1]) is axes[1]
    assert plot_expert_weights(experts, ax=axes[2]) is axes[2]
