"""Where the risk comes from, in worlds where the truth is known.

For squared errors, at each point: noise + bias² + variance, the last two over replicates of the
training rows. The variance of the mean over R replicates hides in its squared distance from the
truth; taking variance/R off leaves a bias² without bias, which may come out below zero. For any
loss: the Bayes risk + what the class of rules costs beyond it + what learning from n rows costs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.base import clone

from surelearn import _arguments
from surelearn._jit.sound_matrices import sound
from surelearn._shown import Shown
from surelearn._typing import ArrayLike, Matrix, Vector
from surelearn.evaluate._task import check_model, in_parallel


class RegressionWorld(Protocol):
    """A world that knows the expectation and the variance of its targets."""

    def draw(self, n: int, *, seed: Any) -> tuple[Matrix, Vector]:
        """Return n rows and their targets."""
        ...

    def mean(self, X: Matrix) -> Vector:
        """Return the expectation of the target at each row."""
        ...

    def noise_variance(self, X: Matrix) -> Vector:
        """Return the variance of the target at each row."""
        ...


class World(Protocol):
    """A world that knows the smallest risk of any rule."""

    @property
    def bayes_risk(self) -> float:
        """The smallest risk of any rule."""
        ...

    def draw(self, n: int, *, seed: Any) -> tuple[Any, Any]:
        """Return n rows and their labels."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BiasVariance(Shown, drawn_by="bias_variance.plot_bias_variance"):
    """The squared error at each test point, taken apart; `surelearn.plots` draws it.

    Attributes
    ----------
    X, truth, noise
        The test points, and the expectation and the variance of the target there.
    predictions
        What each replicate, a row each, predicts at each test point.

    Examples
    --------
    >>> from surelearn.datasets.noisy_function import NoisyFunction
    >>> from surelearn.learners.linear.linear_regression import LinearRegression
    >>> world = NoisyFunction(lambda X: X[:, 0] ** 2, noise=0.5)
    >>> result = bias_variance(LinearRegression(), world, n=20)
    >>> [round(float(part.mean()), 2) for part in (result.noise, result.bias_squared)]
    [0.25, 0.09]
    """

    X: Matrix
    truth: Vector
    noise: Vector
    predictions: Matrix

    @property
    def bias_squared(self) -> Vector:
        """The squared bias at each point, estimated without bias; it may be slightly negative."""
        apart = np.square(self.predictions.mean(axis=0) - self.truth)
        return apart - self.variance / len(self.predictions)

    @property
    def variance(self) -> Vector:
        """The variance of the prediction at each point, estimated without bias."""
        return self.predictions.var(axis=0, ddof=1)

    @property
    def risk(self) -> Vector:
        """The expected squared error of a prediction of a new target at each point."""
        return self.noise + np.square(self.predictions - self.truth).mean(axis=0)

    def __str__(self) -> str:
        """Return the means in a sentence."""
        parts = (self.risk, self.noise, self.bias_squared, self.variance)
        risk, noise, bias, variance = (float(part.mean()) for part in parts)
        return (
            f"Squared error {risk:.4g} = noise {noise:.4g} + bias² {bias:.4g} + variance "
            f"{variance:.4g}, over {len(self.predictions)} replicates and {len(self.truth)} points."
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RiskDecomposition(Shown, drawn_by="bias_variance.plot_bias_variance"):
    """The risk as Bayes risk + approximation + estimation; `surelearn.plots` draws it.

    Attributes
    ----------
    bayes
        The smallest risk of any rule.
    approximation
        How much more the best rule of the class costs.
    risks
        The exact risk of the rule learnt from each replicate of the training rows.

    Examples
    --------
    >>> from surelearn.datasets.worlds import Noisy
    >>> from surelearn.learners.linear.averaged_perceptron import AveragedPerceptron
    >>> world = Noisy(n_features=3, bayes_risk=0.1)
    >>> learner = AveragedPerceptron(fit_intercept=False)
    >>> result = decompose_risk(
    ...     learner, world, n=100, least_risk=0.1, risk=lambda model: world.risk(model.coef_[0])
    ... )
    >>> result.bayes, result.approximation, bool(0.0 < result.estimation < 0.1)
    (0.1, 0.0, True)
    """

    bayes: float
    approximation: float
    risks: Vector

    @property
    def estimations(self) -> Vector:
        """How much more than the best rule of the class each rule learnt costs."""
        return self.risks - self.bayes - self.approximation

    @property
    def estimation(self) -> float:
        """The mean over the replicates of what learning from a sample costs."""
        return float(self.estimations.mean())

    @property
    def risk(self) -> float:
        """The mean risk over the replicates."""
        return float(self.risks.mean())

    def __str__(self) -> str:
        """Return the parts in a sentence."""
        return (
            f"Risk {self.risk:.4g} = Bayes {self.bayes:.4g} + approximation "
            f"{self.approximation:.4g} + estimation {self.estimation:.4g}, over {len(self.risks)} "
            "replicates."
        )


def bias_variance(
    model: Any,
    world: RegressionWorld,
    *,
    n: int,
    X: ArrayLike | None = None,
    n_replicates: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> BiasVariance:
    """Take the squared error of a regressor apart into noise, bias² and variance.

    Parameters
    ----------
    model
        Any regressor; copies are fitted.
    world
        Where rows come from, with `draw`, `mean` and `noise_variance`, such as `NoisyFunction`.
    n
        The number of training rows of each replicate.
    X
        The test points; 200 drawn from the world if None.
    n_replicates
        The number of training sets, drawn independently.
    random_state
        Seed of all draws.
    n_jobs
        Replicates to work on at the same time.

    Examples
    --------
    >>> from surelearn.datasets.noisy_function import NoisyFunction
    >>> from surelearn.learners.linear.ridge_regression import RidgeRegression
    >>> world = NoisyFunction(lambda X: X[:, 0], noise=1.0)
    >>> weak, strong = (
    ...     bias_variance(RidgeRegression(alpha=alpha), world, n=20) for alpha in (0.1, 100.0)
    ... )
    >>> bool(weak.variance.mean() > strong.variance.mean())
    True
    >>> bool(weak.bias_squared.mean() < strong.bias_squared.mean())
    True
    """
    if not hasattr(world, "draw"):
        raise TypeError(f"world={world!r} must be a world that rows are drawn from")
    fresh, *seeds = _seeds(random_state, n_replicates, at_least=2)
    points = world.draw(200, seed=fresh)[0] if X is None else _arguments.numbers("X", sound(X))
    check_model(model)

    def predict(fitted: Any) -> Vector:
        return np.asarray(fitted.predict(points), dtype=np.float64)

    one = partial(_replicate, model, world, n, predict)
    replicates = in_parallel(one, ((seed,) for seed in seeds), n_jobs=n_jobs)
    return BiasVariance(
        X=points,
        truth=_at_each("mean", world.mean(points), len(points)),
        noise=_at_each("noise_variance", world.noise_variance(points), len(points)),
        predictions=np.array(replicates),
    )


def decompose_risk(
    model: Any,
    world: World,
    *,
    n: int,
    risk: Callable[[Any], float],
    least_risk: float,
    n_replicates: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> RiskDecomposition:
    """Take the risk of a learner apart into Bayes risk, approximation and estimation.

    Parameters
    ----------
    model
        Any learner; copies are fitted.
    world
        Where rows come from, with `draw` and `bayes_risk`.
    n
        The number of training rows of each replicate.
    risk
        The exact risk of a fitted model in this world.
    least_risk
        The least risk of any rule the model can express.
    n_replicates
        The number of training sets, drawn independently.
    random_state
        Seed of all draws.
    n_jobs
        Replicates to work on at the same time.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from surelearn.datasets.worlds import FiniteTable
    >>> world = FiniteTable(probabilities=(0.5, 0.5), positive=(0.2, 0.9))
    >>> risk = lambda model: world.risk(model.predict([[0], [1]]))
    >>> result = decompose_risk(DummyClassifier(), world, n=5, risk=risk, least_risk=0.45)
    >>> round(result.bayes, 2), round(result.approximation, 2)
    (0.15, 0.3)
    """
    if not hasattr(world, "bayes_risk"):
        raise TypeError(f"world={world!r} must be a world whose Bayes risk is known")
    bayes = float(world.bayes_risk)
    _arguments.function("risk", risk)
    least_risk = _arguments.real("least_risk", least_risk)
    if not least_risk >= bayes - 1e-12:
        raise _arguments.refuse("least_risk", least_risk, f"at least the Bayes risk, {bayes:g}")
    check_model(model)
    _, *seeds = _seeds(random_state, n_replicates, at_least=1)
    one = partial(_replicate, model, world, n, risk)
    risks = in_parallel(one, ((seed,) for seed in seeds), n_jobs=n_jobs)
    return RiskDecomposition(
        bayes=bayes, approximation=least_risk - bayes, risks=np.array(risks, dtype=np.float64)
    )


def _at_each(name: str, told: Any, n: int) -> Vector:
    """Return what a world says of each point; a column would be compared with every other one."""
    values = _arguments.numbers(name, told)
    if values.shape != (n,):
        raise ValueError(f"{name} of the world gave shape {values.shape}: give {n} numbers")
    return values


def _replicate(model: Any, world: Any, n: int, ask: Callable[[Any], Any], seed: Any) -> Any:
    """Fit a copy to rows of its own, and ask it something."""
    rows, targets = world.draw(_arguments.count("n", n, at_least=1), seed=seed)
    table = np.asarray(rows)
    fitted: Any = clone(model, safe=False)
    fitted.fit(table if table.ndim == 2 else table[:, np.newaxis], targets)
    return ask(fitted)


def _seeds(random_state: int | None, n_replicates: int, *, at_least: int) -> list[Any]:
    """Return one seed for test points and one for each replicate, independent of each other."""
    count = _arguments.count("n_replicates", n_replicates, at_least=at_least)
    if random_state is not None:
        random_state = _arguments.count("random_state", random_state)
    return [np.random.default_rng(s) for s in np.random.SeedSequence(random_state).spawn(count + 1)]
