"""Small runs of every learner and game that certifies; each status it can state appears."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from sklearn.utils import get_tags

from contracts.tuned_runs import tuned_runs
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.base.seal import sealed
from surelearn.certificate import Certificate
from surelearn.datasets.worlds import Noisy, Separable
from surelearn.kernels import Gaussian, Linear
from surelearn.learners.ensembles.adaboost_classifier import AdaBoostClassifier
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.kernelized.kernel_ridge import KernelRidge
from surelearn.learners.linear import schedules
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.losses import Entropic, Square

Issued = Iterable[Certificate]
Run = tuple[str, Callable[[], Issued]]

LEARNERS = {n: cls for n, cls in find_learners().items() if hasattr(cls, "certificates")}
GAMES = {**find_experts(), **find_bandits()}


def _three_classes() -> tuple[Any, Any]:
    X = np.random.default_rng(2).integers(-3, 4, size=(60, 4)).astype(float)
    return X, np.array(["red", "green", "blue"])[X[:, :3].argmax(axis=1)]


def _three_classes_apart() -> tuple[Any, Any]:
    """Return classes each of which a hyperplane parts from the others."""
    X = np.eye(3)[np.arange(30) % 3] + np.random.default_rng(4).uniform(-0.1, 0.1, (30, 3))
    return np.column_stack([X, np.ones(30)]), np.array(["red", "green", "blue"])[np.arange(30) % 3]


def _words(*, rare: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    colour = rng.choice(["red", "black", "white"], size=90).astype(object)
    if rare:
        colour[5] = "a colour seen once"
    y = (colour == "red") ^ (rng.random(90) < 0.1)
    y[5] = not y[4]
    return pd.DataFrame({"colour": colour, "size": rng.choice(["s", "m"], size=90)}), y


TABLES = {
    "separable": Separable(4, 0.1).draw(60, seed=0),
    "noisy": Noisy(4, 0.2).draw(60, seed=0),
    "few rows": Noisy(4, 0.2).draw(12, seed=1),
    "one point, both labels": (np.ones((60, 4)), np.tile([1.0, -1.0], 30)),
    "zero rows": (np.zeros((20, 4)), np.tile([1.0, -1.0], 10)),
    "box": (np.array([[-2.0], [0.0], [0.5], [1.0], [3.0]] * 4), np.tile([0, 1, 1, 1, 0], 4)),
    "one sign decides": (np.array([[-1.0, 2.0], [1.0, 1.0], [2.0, -1.0]] * 5), [0, 1, 1] * 5),
    "a disjunction": (
        np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]] * 4),
        np.tile([1, 1, 1, 0, 0], 4),
    ),
}
WORDS = {"words": _words(rare=False), "rare words": _words(rare=True)}
_RATES = [
    schedules.FixedRate(learning_rate=0.1),
    schedules.InverseSquareRootRate(learning_rate=0.1),
    schedules.StronglyConvexRate(strong_convexity=0.5),
]


def _first_is_positive(rows: Any) -> Any:
    return rows[:, 0] > 0.0


def _last_is_positive(rows: Any) -> Any:
    return rows[:, -1] > 0.0


_MAPPED = {"kernel": Gaussian().of(np.tanh)}  # a kernel that may be anything
_AGGRESSIVE = [{"C": np.inf}, {"C": 2.0}, {"C": np.inf, "fit_intercept": False}]
SETTINGS: dict[str, list[dict[str, Any]]] = {
    "AdaBoostClassifier": [
        {"edge": 0.05, "n_estimators": 2},
        {"learning_rate": 0.5},
        {"estimator": CARTClassifier(max_depth=1), "n_estimators": 5},
        {"estimator": CARTClassifier(max_depth=1), "n_estimators": 5, "edge": 0.05},
    ],
    "AggregatingAlgorithm": [{"substitution": True}, {"loss": Entropic()}],
    "CARTClassifier": [{"thresholds": [-1.0, 0.0, 1.0]}],
    "BaggingClassifier": [{"voting": "hard"}, {"random_state": None}],
    "Exp3": [{"horizon": 60}, {"learning_rate": 0.1}],
    "Exp3IX": [{"horizon": 60}, {"horizon": 20}],
    "FiniteClass": [{"hypotheses": [_first_is_positive, _last_is_positive]}],
    "FixedShare": [{"horizon": 60, "n_switches": 2}, {"switch_rate": 0.1}],
    "Halving": [{"only_on_mistakes": True}],
    "Hedge": [{"horizon": 60}, {"horizon": 50}, {"learning_rate": 0.3}],
    "BudgetedKernelPerceptron": [
        {"budget": 5},
        {"budget": 5, "removal": "random", "random_state": 0},
        _MAPPED,
    ],
    "AveragedKernelPerceptron": [_MAPPED],
    "VotedKernelPerceptron": [_MAPPED],
    "KernelPegasos": [_MAPPED, {**_MAPPED, "regularization": 1.0, "max_iter": 500}],
    "KernelPerceptron": [
        {"kernel": Gaussian()},
        {"margin": 0.5},
        _MAPPED,
        {**_MAPPED, "margin": 0.5},
    ],
    "NearestNeighborsClassifier": [
        {"n_neighbors": 3, "ties": "random", "random_state": 0},
        {"n_neighbors": 3, "ties": "first"},
        {"n_neighbors": "cross-validation"},
        {"metric": "gower"},
        {"weights": "distance"},
    ],
    "NormalizedWinnow": [{"learning_rate": 0.05}, {"learning_rate": 50.0}],
    "OnlineGradientDescent": [{"schedule": rate} for rate in _RATES],
    "OnlineGradientDescentRegressor": [{"schedule": rate} for rate in _RATES],
    "PassiveAggressive": _AGGRESSIVE,
    "PassiveAggressiveRegressor": _AGGRESSIVE,
    "PassiveAggressiveSquared": _AGGRESSIVE,
    "PassiveAggressiveSquaredRegressor": _AGGRESSIVE,
    "RandomizedWeightedMajority": [{"horizon": 60}],
    "RandomForestClassifier": [
        {"voting": "hard", "n_estimators": 11},
        {"random_state": None, "n_estimators": 10},
        {"class_weight": "balanced", "n_estimators": 10},
        {"splitter": "exact", "n_estimators": 10},
    ],
    "Squint": [{"prior": [0.7, 0.1, 0.1, 0.1]}, {"horizon": 50}],
    "SupportVectorClassifier": [
        {"kernel": Gaussian(), "fit_intercept": False},
        {"kernel": Gaussian(), "class_weight": "balanced"},
        {"kernel": Gaussian().of(np.tanh), "penalize_intercept": True, "C": 1e-3},
        {"kernel": Linear(), "multiclass": "one-vs-rest"},
    ],
    "Winnow": [{"negations": True}],
}
"""Parameters, beside the default ones, that lead to another theorem or another status."""
_HASTY = {"kernel": Gaussian(), "fit_intercept": False, "max_iter": 2}


def tables_for(cls: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the tables that a learner can read, as it reads them."""
    learner = cls()
    tags = get_tags(learner)
    if is_regressor(learner):
        yield from ((X, X @ np.array([0.5, -0.2, 0.1, 0.0])) for X in _numbers())
        return
    bits = getattr(cls, "_features", "numbers") == "bits"
    tables = list(TABLES.values())
    if is_classifier(learner) and tags.classifier_tags.multi_class:
        tables += [_three_classes(), _three_classes_apart()]
    yield from (((X > 0.0).astype(float) if bits else X, y) for X, y in tables)
    if tags.input_tags.categorical or tags.input_tags.string:
        yield from WORDS.values()


def _numbers() -> Iterator[Any]:
    yield from (TABLES[name][0] for name in ("noisy", "zero rows"))


def _fitted(cls: Any, setting: dict[str, Any], table: tuple[Any, Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "boosting ended")
        return cls(**setting).fit(*table)


def _stated(cls: Any, setting: dict[str, Any], table: tuple[Any, Any]) -> Issued:
    """Return what a learner states; one that boosts refuses rows that are all alike."""
    try:
        return _fitted(cls, setting, table).certificates()
    except ValueError as error:
        if "no better than chance" in str(error):
            return ()
        raise


class StopAtOnce:
    """A callback that stops the run after its first pass."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Take part in a run."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Leave the run."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """See a pass begin."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:  # noqa: ARG002
        """Ask to stop."""
        return True


def learner_runs() -> Iterator[Run]:
    """Yield each learner of tables, with each setting, on each table that it can read."""
    for name, cls in LEARNERS.items():
        for setting in ({}, *SETTINGS.get(name, [])):
            for table in tables_for(cls):
                yield name, lambda c=cls, s=setting, t=table: _stated(c, s, t)
        if hasattr(cls, "snap"):
            for table in (TABLES["noisy"], *WORDS.values()):
                yield name, lambda c=cls, t=table: c().fit(*t).snap(*t).certificates()
        if hasattr(cls, "set_callbacks") and "max_iter" in inspect.signature(cls).parameters:
            yield name, lambda c=cls: _stopped(c)
        if "ties" in inspect.signature(cls).parameters:
            yield name, lambda c=cls: _changed(c)
        if "radius" in inspect.signature(cls.certificates).parameters:
            for radius in (100.0, 1e-3):
                yield name, lambda c=cls, r=radius: _with_a_radius(c, r)
            hard = {"kernel": Gaussian(), "C": np.inf}
            yield name, lambda c=cls, s=hard: _fitted(c, s, TABLES["box"]).certificates()
            yield name, lambda c=cls: _fitted(c, _HASTY, _many_rows()).certificates()
    yield from tuned_runs()
    yield "C45Classifier", _divided_rows
    yield from _stability_runs()
    yield from _bag_runs()
    yield from _boosting_runs()


def _divided_rows() -> Any:
    """Return the certificates of a tree that divides rows with gaps among its leaves."""
    X, y = TABLES["noisy"]
    gaps = np.where(np.arange(X.size).reshape(X.shape) % 5 == 3, np.nan, X)
    return LEARNERS["C45Classifier"]().fit(gaps, y).certificates()


def _bag_runs() -> Iterator[Run]:
    """Yield ensembles of bags with weights, added members, reference rows, others' members."""
    X, y = TABLES["noisy"]
    forest, heavy = LEARNERS["RandomForestClassifier"], np.arange(1.0, 1.0 + len(y))
    yield "RandomForestClassifier", lambda: forest(9).fit(X, y, heavy).certificates()
    many = Noisy(4, 0.2).draw(4200, seed=0)
    yield "RandomForestClassifier", lambda: forest(9).fit(*many).certificates()
    for name in ("RandomForestClassifier", "BaggingClassifier"):
        yield name, lambda c=LEARNERS[name]: _grown_on(c, X, y).certificates()
    bagged = LEARNERS["BaggingClassifier"](GaussianNB(), 9)
    yield "BaggingClassifier", lambda: bagged.fit(X, y).certificates()
    yield "BaggingClassifier", lambda: (bagged.fit(X, y).bags_certificate(),)
    for name in ("RandomForestClassifier", "BaggingClassifier"):
        yield name, lambda c=LEARNERS[name]: _without_correlation(c, X, y).certificates()


def _without_correlation(cls: Any, X: Any, y: Any) -> Any:
    """Return an ensemble as files of before hold it, which did not measure how its losses agree."""
    model = cls(n_estimators=5).fit(X, y)
    del model.correlation_of_losses_
    return sealed(model)


def _grown_on(cls: Any, X: Any, y: Any) -> Any:
    model = cls(n_estimators=5, warm_start=True).fit(X, y)
    return model.set_params(n_estimators=9).fit(X, y)


def _boosting_runs() -> Iterator[Run]:
    for setting in ({}, *SETTINGS["AdaBoostClassifier"]):
        yield "AdaBoostClassifier", lambda s=setting: _boosted_with_weights(s)


def _boosted_with_weights(setting: dict[str, Any]) -> Issued:
    X, y = TABLES["noisy"]
    return AdaBoostClassifier(**setting).fit(X, y, np.arange(1.0, 61.0)).certificates()


def _stability_runs() -> Iterator[Run]:
    X, targets = TABLES["noisy"][0], TABLES["noisy"][0][:, 0]
    plain = {"kernel": Gaussian(), "alpha": 600.0, "fit_intercept": False}
    changes = ({}, {"fit_intercept": True}, {"landmarks": 5}, {"alpha": [600.0]})
    for setting in (*(plain | change for change in changes), plain | {"kernel": Linear()}):
        for bounds in ((50.0, 50.0), (0.1, 50.0), (50.0, 1e-3)):
            yield "KernelRidge", lambda s=setting, b=bounds: _stable(s, X, targets, b)
    heavy = np.arange(1.0, 1.0 + len(targets))
    yield "KernelRidge", lambda: _stable(plain, X, targets, (50.0, 50.0), heavy)
    gram = {"kernel": "precomputed"}
    yield "KernelRidge", lambda: _stable(plain | gram, Gaussian()(X), targets, (50.0, 50.0))


def _stable(
    setting: dict[str, Any], X: Any, y: Any, bounds: tuple[float, float], weights: Any = None
) -> Issued:
    model = KernelRidge(**setting).fit(X, y, weights)
    return (model.stability_certificate(label_bound=bounds[0], kernel_radius=bounds[1]),)


def _stopped(cls: Any) -> Issued:
    table = next(iter(tables_for(cls)))
    return cls(max_iter=30).set_callbacks(StopAtOnce()).fit(*table).certificates()


def _with_a_radius(cls: Any, radius: float) -> Issued:
    setting = {"kernel": Linear(), "penalize_intercept": True}
    return _fitted(cls, setting, TABLES["noisy"]).certificates(radius=radius)


def _many_rows() -> tuple[Any, Any]:
    return Noisy(4, 0.2).draw(1200, seed=0)


def _changed(cls: Any) -> Issued:
    return cls().fit(*TABLES["noisy"]).set_params(ties="random").certificates()


def _game(cls: Any, setting: dict[str, Any]) -> Any:
    needed = {"learner": Hedge(), "n_arms": 4}
    given = {k: v for k, v in needed.items() if k in inspect.signature(cls).parameters}
    return cls(**given, **setting)


def game_runs() -> Iterator[Run]:
    """Yield each learner from advice and each bandit, with each setting."""
    for name, cls in GAMES.items():
        for setting in ({}, *SETTINGS.get(name, [])):
            for play in _WAYS_TO_PLAY:
                yield name, lambda c=cls, s=setting, p=play: p(_game(c, s))


def _table(n_rounds: int = 60) -> Any:
    return np.random.default_rng(0).integers(0, 2, (n_rounds, 4)).astype(float)


def _bandit_rounds(game: Any) -> Issued:
    if not hasattr(game, "play"):
        return ()
    game.play(_table())
    return (*game.certificates(), *game.certificates(delta=0.2))


def _tables_of_losses(game: Any) -> Issued:
    takes_advice = hasattr(game, "play") or "losses" not in _arguments(game)
    if takes_advice or hasattr(game, "interval"):
        return ()
    game.learn(_table())
    return game.certificates()


def _good_advice(game: Any) -> Issued:
    return _advised(game, _table(), _table()[:, 1])


def _advice_of_which_each_errs(game: Any) -> Issued:
    try:
        return _advised(game, 1.0 - np.repeat(np.eye(4), [1, 2, 3, 4], axis=0), np.ones(10))
    except ValueError as error:
        if "no expert is consistent" in str(error):
            return ()  # this one needs an expert that never errs
        raise


def _advised(game: Any, advice: Any, outcomes: Any) -> Issued:
    if hasattr(game, "play"):
        return ()
    loss = {"loss": Square()} if "loss" in _arguments(game) and not hasattr(game, "loss") else {}
    if hasattr(game, "interval"):
        advice = np.clip(advice, 0.1, 0.9)
    game.learn(advice, outcomes, **loss)
    return game.certificates()


def _asleep(game: Any) -> Issued:
    if "awake" not in _arguments(game):
        return ()
    try:
        game.learn(_table(), awake=np.random.default_rng(2).random((60, 4)) < 0.6)
    except ValueError as error:
        if "sleep" in str(error) or "learn(advice, outcomes)" in str(error):
            return ()  # this one says that its experts do not
        raise
    return game.certificates()


def _arguments(game: Any) -> Any:
    return inspect.signature(game.learn).parameters if hasattr(game, "learn") else ()


_WAYS_TO_PLAY = (
    _bandit_rounds,
    _tables_of_losses,
    _good_advice,
    _advice_of_which_each_errs,
    _asleep,
)
