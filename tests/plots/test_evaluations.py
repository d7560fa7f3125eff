"""Results of evaluations are drawn as they are."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.naive_bayes import GaussianNB

from surelearn import CARTClassifier, LinearRegression, Perceptron
from surelearn.datasets.noisy_function import NoisyFunction
from surelearn.datasets.worlds import FiniteTable, Noisy
from surelearn.evaluate.bias_variance import bias_variance, decompose_risk
from surelearn.evaluate.comparison import compare
from surelearn.evaluate.cross_validation import cross_validate
from surelearn.evaluate.intervals import holdout_interval, wald_interval
from surelearn.evaluate.learning_curve import learning_curve
from surelearn.evaluate.leave_one_out import leave_one_out
from surelearn.evaluate.nested_cross_validation import nested_cross_validate
from surelearn.evaluate.online_to_batch import online_to_batch
from surelearn.evaluate.planning import plan_holdout, plan_sample
from surelearn.evaluate.progressive import progressive_validate
from surelearn.evaluate.selection import select_by_cross_validation
from surelearn.evaluate.structural_risk import RuleClass, minimize_structural_risk
from surelearn.plots import style
from surelearn.plots.bias_variance import plot_bias_variance
from surelearn.plots.comparison import plot_comparison
from surelearn.plots.cross_validation import (
    plot_cross_validation,
    plot_intervals,
    plot_selection,
)
from surelearn.plots.learning_curve import plot_learning_curve
from surelearn.plots.leave_one_out import plot_leave_one_out
from surelearn.plots.online_to_batch import plot_online_to_batch
from surelearn.plots.planning import plot_holdout_plan, plot_sample_plan
from surelearn.plots.progressive_validation import plot_progressive_validation
from surelearn.plots.structural_risk import plot_structural_risk

X, Y = Noisy(n_features=2, bayes_risk=0.1).draw(200, seed=0)
FOLDS = cross_validate(GaussianNB(), X, Y)


@pytest.fixture
def here():
    return style.new_figure("given")[1][0]


def test_folds_are_dots_and_the_estimate_a_line(here):
    ax = plot_cross_validation(FOLDS, ax=here)
    assert ax is here
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), FOLDS.fold_means)
    assert set(ax.lines[1].get_ydata()) == {FOLDS.estimate}
    assert f"{100 * FOLDS.estimate:.3g}%" in ax.lines[1].get_label()


def test_nested_folds_name_what_was_chosen():
    models = {"bayes": GaussianNB(), "majority": DummyClassifier()}
    result = nested_cross_validate(models, X, Y, cv=3)
    ax = plot_cross_validation(result)
    assert [text.get_text() for text in ax.texts] == ["bayes"] * 3
    chosen = plot_selection(select_by_cross_validation(models, X, Y))
    assert chosen.lines[-1].get_label() == "chosen: bayes"


def test_exact_intervals_have_the_colour_of_guarantees(here):
    exact = holdout_interval(GaussianNB().fit(X[:100], Y[:100]), X[100:], Y[100:])
    ax = plot_intervals([exact, wald_interval(FOLDS)], truth=0.1, ax=here)
    assert [line.get_color() for line in ax.lines[::2]] == [
        style.GUARANTEED,
        style.OBSERVED,
        style.MUTED,
    ]
    assert ax.get_yticklabels()[1].get_text().endswith("(approximate)")


def test_the_curve_of_unseen_rows_is_their_mean(here):
    curve = learning_curve(GaussianNB(), X, Y)
    ax = plot_learning_curve(curve, ax=here)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curve.validation_mean)
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), curve.sizes)


def test_bars_of_both_decompositions_reach_the_risk():
    world = NoisyFunction(lambda X: X[:, 0], noise=1.0)
    results = {n: bias_variance(DummyRegressor(), world, n=n) for n in (5, 50)}
    ax = plot_bias_variance(results)
    tops = [bar.get_y() + bar.get_height() for bar in ax.containers[-1]]
    np.testing.assert_allclose(tops, [r.risk.mean() for r in results.values()], rtol=0.05)
    table = FiniteTable((0.5, 0.5), (0.2, 0.9))
    split = decompose_risk(
        DummyClassifier(),
        table,
        n=9,
        risk=lambda model: table.risk(model.predict([[0], [1]])),
        least_risk=0.45,
    )
    drawn = plot_bias_variance(split).containers
    assert [bars.get_label() for bars in drawn] == ["Bayes risk", "approximation", "estimation"]


def test_bounds_training_errors_and_the_choice_are_drawn(here):
    classes = {str(d): RuleClass(model=GaussianNB(), vc_dimension=d) for d in (3, 30)}
    result = minimize_structural_risk(classes, X, Y)
    ax = plot_structural_risk(result, ax=here)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result.bounds)
    assert ax.lines[-1].get_label() == "chosen: 3"


def test_the_bound_of_a_difference_stands_beside_zero():
    models = [m.fit(X[:100], Y[:100]) for m in (GaussianNB(), DummyClassifier())]
    result = compare(*models, X[100:], Y[100:])
    ax = plot_comparison(result)
    drawn = {line.get_label(): line for line in ax.lines}
    bound = drawn["at most this, with confidence 95%"].get_xdata()[0]
    assert bound == result.guarantee.bound < 0.0


def test_a_stream_is_drawn_with_what_it_certifies(here):
    result = progressive_validate(Perceptron(), X, Y)
    ax = plot_progressive_validation(result, ax=here)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), result.mean_losses)
    assert ax.lines[1].get_ydata()[0] == result.certificate.bound
    assert "confidence 95%" in ax.lines[1].get_label()


def test_a_void_certificate_has_no_bound_to_draw():
    learner = CARTClassifier().fit(X[:, :1], Y)
    result = progressive_validate(Perceptron(), X, Y)
    broken = replace(
        result.certificate.preconditions[0], status="violated", evidence="rows were seen before"
    )
    others = result.certificate.preconditions[1:]
    void = replace(result.certificate, preconditions=(broken, *others))
    ax = plot_progressive_validation(replace(result, learner=learner, certificate=void))
    assert ax.lines[1].get_label() == "no certificate: an assumption is violated"
    assert len(ax.lines[1].get_ydata()) == 0


def test_the_models_of_a_pass_are_drawn_by_their_mean_loss():
    result = online_to_batch(Perceptron(), X, Y)
    ax = plot_online_to_batch(result)
    assert ax.lines[0].get_ydata()[-1] == pytest.approx(result.losses.mean())
    assert ax.lines[1].get_ydata()[0] == result.certificate.bound


def test_rows_left_out_are_drawn_the_dearest_first(here):
    result = leave_one_out(LinearRegression(), X, X[:, 0] * X[:, 1])
    ax = plot_leave_one_out(result, ax=here)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), np.sort(result.losses)[::-1])
    assert set(ax.lines[1].get_ydata()) == {result.estimate}


def test_plans_are_drawn_as_curves_that_cross_what_is_wanted():
    for plan, draw in (
        (plan_holdout(target=0.06, error=0.05, n_models=3), plot_holdout_plan),
        (plan_sample(error=0.1, vc_dimension=3), plot_sample_plan),
        (plan_sample(error=0.1, n_hypotheses=50, agnostic=True), plot_sample_plan),
        (plan_sample(error=0.2, box_dimension=2), plot_sample_plan),
    ):
        sizes, bounds = plan.curve
        aim = getattr(plan, "target", plan.error)
        assert bounds[sizes == plan.n][0] <= aim < bounds[0]
        ax = draw(plan)
        drawn = {line.get_label(): line for line in ax.lines}
        assert drawn[f"{plan.n:,} rows are enough"].get_xdata()[0] == plan.n
        curve = next(line for name, line in drawn.items() if "with confidence 95%" in name)
        np.testing.assert_array_equal(curve.get_ydata(), 100.0 * bounds)
