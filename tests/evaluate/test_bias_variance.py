"""The decompositions are exact on replicates, and right in worlds solved by hand."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor

from surelearn import FiniteClass, RidgeRegression
from surelearn.datasets.noisy_function import NoisyFunction
from surelearn.datasets.worlds import FiniteTable
from surelearn.evaluate.bias_variance import BiasVariance, bias_variance, decompose_risk

WORLD = NoisyFunction(lambda X: np.sin(3.0 * X[:, 0]), noise=0.5)


def test_the_parts_sum_to_the_risk_exactly_on_any_replicates():
    result = bias_variance(RidgeRegression(alpha=0.5), WORLD, n=15, n_replicates=7)
    together = result.noise + result.bias_squared + result.variance
    np.testing.assert_allclose(together, result.risk, rtol=1e-12)
    assert result.predictions.shape == (7, 200)


def test_the_catalogues_shrunken_mean_by_enumeration():
    # S000-08: y ~ Bernoulli(.3); the rule says .8 times the mean of three draws. All eight samples,
    # each as often as its probability says, make the population of replicates.
    samples = np.array(list(np.ndindex(2, 2, 2)))
    counts = (3 ** samples.sum(axis=1) * 7 ** (3 - samples.sum(axis=1))).astype(int)
    predictions = np.repeat(0.8 * samples.mean(axis=1), counts)[:, np.newaxis]
    result = BiasVariance(
        X=np.zeros((1, 1)), truth=np.array([0.3]), noise=np.array([0.21]), predictions=predictions
    )
    assert counts.sum() == 1000
    assert result.variance[0] * 999 / 1000 == pytest.approx(0.0448)
    assert result.bias_squared[0] + result.variance[0] / 1000 == pytest.approx(0.0036)
    assert result.risk[0] == pytest.approx(0.2584)


@pytest.mark.parametrize("replicates", [2000, pytest.param(4000, marks=pytest.mark.slow)])
def test_the_mean_predictor_has_the_bias_and_variance_of_theory(replicates):
    # It predicts the mean of n targets: variance Var(y)/n everywhere, bias f(x) - E f.
    n, world = 12, NoisyFunction(lambda X: X[:, 0], noise=1.0)
    points = np.array([[-1.0], [0.0], [0.5]])
    result = bias_variance(DummyRegressor(), world, n=n, X=points, n_replicates=replicates)
    variance = (1.0 + 1.0 / 3.0) / n
    np.testing.assert_allclose(result.variance, variance, rtol=0.1)
    np.testing.assert_allclose(result.bias_squared, [1.0, 0.0, 0.25], atol=0.03)
    np.testing.assert_array_equal(result.noise, 1.0)


def test_the_estimate_of_the_squared_bias_has_no_bias():
    # The plain estimate would be too large by variance / R: a half of the variance here.
    world = NoisyFunction(lambda X: 0.0 * X[:, 0], noise=1.0)
    point = np.zeros((1, 1))
    runs = [
        bias_variance(DummyRegressor(), world, n=2, X=point, n_replicates=2, random_state=s)
        for s in range(600)
    ]
    unbiased = np.array([run.bias_squared[0] for run in runs])
    plain = np.array([run.predictions.mean() ** 2 for run in runs])
    assert abs(unbiased.mean()) < 4.0 * unbiased.std() / np.sqrt(600)
    assert plain.mean() > 0.2
    assert unbiased.min() < 0.0


def test_a_price_on_the_weights_trades_variance_for_bias():
    weak, strong = (bias_variance(RidgeRegression(alpha=a), WORLD, n=20) for a in (0.01, 30.0))
    assert weak.variance.mean() > strong.variance.mean()
    assert weak.bias_squared.mean() < strong.bias_squared.mean()
    assert "bias²" in str(weak)


def test_the_seed_decides_everything():
    first, again, other = (
        bias_variance(RidgeRegression(), WORLD, n=9, n_replicates=5, random_state=s)
        for s in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.predictions, again.predictions)
    assert not np.array_equal(first.predictions, other.predictions)


def test_constant_rules_split_as_in_the_catalogue():
    # S003-17: eta = (.2, .9); constants cost .55 and .45, the Bayes risk is .15.
    world = FiniteTable(probabilities=(0.5, 0.5), positive=(0.2, 0.9))

    def risk(model):
        return world.risk(model.predict([[0], [1]]))

    result = decompose_risk(
        DummyClassifier(strategy="constant", constant=0), world, n=50, risk=risk, least_risk=0.45
    )
    assert result.bayes == pytest.approx(0.15)
    assert result.approximation == pytest.approx(0.30)
    assert result.estimation == pytest.approx(0.10)
    assert result.risk == pytest.approx(0.55)
    assert "approximation 0.3" in str(result)


def test_thresholds_split_as_in_the_catalogue_and_more_rows_learn_better():
    # S000-121: x uniform on {0, 1, 2}, P(1|x) = (.1, .9, .2), rules x >= t.
    world = FiniteTable((1 / 3,) * 3, (0.1, 0.9, 0.2))
    rules = [lambda X, t=t: X[:, 0] >= t for t in range(4)]
    domain = np.arange(3)[:, np.newaxis]
    least = min(world.risk(rule(domain).astype(int)) for rule in rules)
    assert least == pytest.approx(1 / 3)

    def risk(model):
        return world.risk(model.predict(domain).astype(int))

    few, many = (
        decompose_risk(FiniteClass(hypotheses=rules), world, n=n, risk=risk, least_risk=least)
        for n in (20, 400)
    )
    assert few.bayes == pytest.approx(0.133333, abs=1e-6)
    assert few.approximation == pytest.approx(0.2)
    assert few.estimations.min() >= -1e-12
    assert few.estimation > many.estimation
    assert few.risk == pytest.approx(few.bayes + few.approximation + few.estimation)


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="n_replicates must be an integer >= 2"):
        bias_variance(RidgeRegression(), WORLD, n=9, n_replicates=1)
    with pytest.raises(ValueError, match="n must be an integer >= 1"):
        bias_variance(RidgeRegression(), WORLD, n=0)
    with pytest.raises(TypeError, match="not an estimator"):
        bias_variance(3, WORLD, n=9)
    table = FiniteTable((0.5, 0.5), (0.2, 0.9))
    with pytest.raises(ValueError, match="at least the Bayes risk"):
        decompose_risk(DummyClassifier(), table, n=9, risk=lambda _: 0.5, least_risk=0.1)
    with pytest.raises(ValueError, match="do not exist"):
        NoisyFunction(lambda X: X[:, 0], noise=1.0, low=1.0)
    with pytest.raises(ValueError, match="standard deviation"):
        NoisyFunction(lambda X: X[:, 0], noise=-1.0)


def test_a_world_that_gives_columns_is_refused():
    """A column is compared with the predictions at every other point, too."""

    class InColumns(NoisyFunction):
        def mean(self, X):
            return super().mean(X)[:, np.newaxis]

    world = InColumns(lambda X: X[:, 0], noise=1.0)
    with pytest.raises(ValueError, match=r"shape \(200, 1\): give 200 numbers"):
        bias_variance(DummyRegressor(), world, n=5, n_replicates=2)
