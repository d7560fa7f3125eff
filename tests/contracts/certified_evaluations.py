"""Small runs of every way to evaluate that certifies; each status it can state appears."""

import pathlib
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from contracts.certified_grid import certified, holdout_grid, older_grid, parted_grid, table_grid
from contracts.certified_runs import LEARNERS, SETTINGS, tables_for
from surelearn import (
    CARTClassifier,
    DriftAlarm,
    FiniteClass,
    GaussianNaiveBayes,
    Halfspace,
    Holdout,
    LinearRegression,
    ModelDifferenceMonitor,
    OnlineConformal,
    OnlineGradientDescentRegressor,
    Perceptron,
    Quantile,
    RateMonitor,
    RiskMonitor,
    RuleClass,
    certify_suffix,
    compare,
    cross_validate,
    gradient_descent,
    minimize_structural_risk,
    momentum,
    nesterov,
    online_to_batch,
    progressive_validate,
    transfer,
)
from surelearn.app.tables.read import read_table_file
from surelearn.bounds import Guarantee
from surelearn.datasets.worlds import Noisy
from surelearn.evaluate.ledger import forget
from surelearn.evaluate.rate_monitor import Rate
from surelearn.losses import Absolute

Issued = Iterable[Any]
Run = tuple[str, Callable[[], Issued]]

X, Y = Noisy(3, 0.1).draw(120, seed=0)
NEW_X, NEW_Y = Noisy(3, 0.1).draw(80, seed=1)
TARGETS = X @ np.array([0.3, -0.2, 0.1])


def _quarter(labels: Any, predicted: Any) -> Any:
    """Return a loss other than the count of errors."""
    return 0.25 * (labels != predicted)


class _Own(Perceptron):
    """A learner of ours of which somebody may have changed anything."""

    def learn_one(self, x: Any, y: Any) -> "_Own":
        super().learn_one(x, y)
        return self


class _OwnLoss(Absolute):
    """A loss that says itself that it is convex."""


class _ByTheMean(ClassifierMixin, BaseEstimator):
    """Tells rows apart by the mean of those that are asked with them."""

    def partial_fit(self, *_: Any) -> "_ByTheMean":
        return self

    def predict(self, rows: Any) -> Any:
        return np.where(rows[:, 0] > rows[:, 0].mean(), 1, -1)


def holdout_runs() -> Iterator[Issued]:
    """Yield a hold-out of each mode and loss, drawn by itself or given."""
    models = [Perceptron(max_iter=k).fit(X, Y) for k in (2, 3)]
    scaled = make_pipeline(StandardScaler(), Perceptron(max_iter=2)).fit(X, Y)
    forgetful = DummyClassifier().fit(X, Y)
    yield [_afresh().certify(models[0])]
    yield [Holdout(NEW_X, NEW_Y).certify(models[1])]  # the rows were asked before
    yield [_afresh().certify(forgetful), _afresh().certify(scaled)]
    yield [Holdout(X, Y, allow_duplicates=True).certify(models[0])]
    family = _afresh(mode="family", n_models=2)
    yield [family.certify(model) for model in models]
    for target in (0.01, 0.9):
        yield [_afresh(mode="gate", n_models=2, target=target).certify(models[0])]
    yield [_afresh(loss=_quarter).certify(models[0])]
    numbers = LinearRegression().fit(X, TARGETS)
    yield [Holdout(NEW_X, NEW_X[:, 0], loss=Quantile(0.1)).certify(numbers)]
    train_x, train_y, drawn = Holdout.split(X, Y, seed=0)
    yield [drawn.certify(Perceptron().fit(train_x, train_y))]
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(Y, 2)
    for copies in ("together", "independent"):
        forget()
        train_x, train_y, drawn = Holdout.split(twice, labels, seed=0, copies=copies)
        yield [drawn.certify(DummyClassifier().fit(train_x, train_y))]
    yield from holdouts_of_groups_and_classes(models[0], numbers)
    yield from holdout_grid()


def holdouts_of_groups_and_classes(model: Any, numbers: Any) -> Iterator[Issued]:
    """Yield a hold-out of groups for each loss, and one asked class by class."""
    groups = np.arange(80) // 2
    yield [_afresh(groups=groups, loss=_quarter).certify(model)]
    yield [
        Holdout(NEW_X, NEW_X[:, 0], groups=groups, loss=Quantile(0.1), delta=0.1).certify(numbers)
    ]
    by_class = _afresh(by_class=True, mode="family", n_models=3).answer(model)
    yield [by_class.certificate, *by_class.by_class.values()]
    by_class = _afresh(by_class=np.unique(Y), groups=groups).answer(model)
    yield [by_class.certificate, *by_class.by_class.values()]


def _afresh(**rules: Any) -> Holdout:
    """Return a hold-out as a new process would set it up."""
    forget()
    return Holdout(NEW_X, NEW_Y, **rules)


def cross_validation_runs() -> Iterator[Issued]:
    """Yield the mean risk of fold models for each way to make folds that allows it."""
    given = list(KFold(4).split(X))
    repeated = RepeatedKFold(n_splits=4, n_repeats=1, random_state=0)
    for cv in (5, KFold(5), LeaveOneOut(), given, repeated):
        yield [_mean_risk(cv=cv)]
    yield [_mean_risk(cv=4, groups=np.arange(120) // 3)]
    yield [_mean_risk(cv=KFold(5), loss=_quarter)]
    old = FrozenEstimator(Perceptron().fit(NEW_X, NEW_Y))  # it may have learnt these rows, too
    for model in (Perceptron(max_iter=2), old):
        yield [_mean_risk(model, cv=KFold(5))]
    yield [_mean_risk(rows=np.sign(X), cv=KFold(5))]  # of which some come again
    for cv in (ShuffleSplit(3, random_state=0), TimeSeriesSplit(3)):
        try:
            yield [_mean_risk(cv=cv)]
        except ValueError:  # these do not test every row
            yield []


def _mean_risk(model: Any = None, rows: Any = X, **rules: Any) -> Any:
    chosen = DummyClassifier() if model is None else model
    return cross_validate(chosen, rows, Y, keep_models=True, **rules).mean_risk_certificate()


def progressive_runs() -> Iterator[Issued]:
    """Yield progressive validation of learners that are new, experienced or have cheated."""
    fresh, old = Perceptron(), Perceptron().fit(NEW_X, NEW_Y)
    yield [progressive_validate(model, X, Y).certificate for model in (fresh, old)]
    yield [progressive_validate(old, NEW_X, NEW_Y).certificate]
    peer = SGDClassifier(random_state=0).fit(NEW_X, NEW_Y)
    yield [progressive_validate(peer, X, Y).certificate]
    yield [progressive_validate(_ByTheMean(), X, Y).certificate]
    chunkwise = GaussianNaiveBayes().fit(NEW_X, NEW_Y)
    yield [progressive_validate(chunkwise, X, Y).certificate]
    yield [progressive_validate(fresh, X, Y, loss=_quarter).certificate]
    regressor = OnlineGradientDescentRegressor()
    clipped: Any = lambda y, p: np.minimum(1.0, abs(y - p))  # noqa: E731
    yield [progressive_validate(regressor, X, TARGETS, loss=clipped).certificate]


def online_to_batch_runs() -> Iterator[Issued]:
    """Yield the certificates of a random pick and of the average."""
    yield [online_to_batch(Perceptron(), X, Y).certificate]
    learner = OnlineGradientDescentRegressor(loss=Absolute(), fit_intercept=False)
    certified = online_to_batch(learner, X, TARGETS, loss=Absolute(), largest_loss=100.0)
    yield [certified.certificate]
    certified = online_to_batch(learner, X, TARGETS, loss=_OwnLoss(), largest_loss=100.0)
    yield [certified.certificate]


def structural_risk_runs() -> Iterator[Issued]:
    """Yield a class of rules for each kind of price, and of a learner that states its own."""
    three = np.array(["a", "b", "c"])[X.argmax(axis=1)]
    finite = FiniteClass()
    for rules, labels in (
        (RuleClass(model=finite, n_hypotheses=8), Y),
        (RuleClass(model=finite, bits=3.0), Y),
        (RuleClass(model=Halfspace(), vc_dimension=4), Y),
        (RuleClass(model=Halfspace(), affine_features=3), Y),
        (RuleClass(model=Perceptron(max_iter=3), affine_features=3), three),
        (CARTClassifier(max_depth=2), Y),
    ):
        yield [minimize_structural_risk({"rules": rules}, X, labels).certificate]
    classifiers = {n: cls for n, cls in LEARNERS.items() if is_classifier(cls())}
    for name, cls in classifiers.items():
        for setting in ({}, *SETTINGS.get(name, [])):
            for table in tables_for(cls):
                yield _by_its_own_bound(cls, setting, table)


def _by_its_own_bound(cls: Any, setting: dict[str, Any], table: tuple[Any, Any]) -> Issued:
    """Return what is stated of a learner that bounds its own risk; nothing of others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            twice = {"rules": cls(**setting), "the same": cls(**setting)}
            return [minimize_structural_risk(twice, *table).certificate]
        except ValueError:
            return []


def _comparison(*models: Any, **rules: Any) -> Any:
    """Return what a comparison states, in the shape of a certificate."""
    result = compare(*models, NEW_X, NEW_Y, **rules)
    return SimpleNamespace(method=result.guarantee.theorem, preconditions=result.preconditions)


def comparison_runs() -> Iterator[Issued]:
    """Yield comparisons of models that remember their training rows and of one that does not."""
    first, second = (Perceptron(max_iter=k).fit(X, Y) for k in (1, 3))
    yield [_comparison(first, second), _comparison(first, DummyClassifier().fit(X, Y))]
    yield [_comparison(first, second, loss=_quarter)]


def optimizer_runs() -> Iterator[Issued]:
    """Yield what the optimizers' theorems assume of a run; these are no certificates."""

    def square(w: Any) -> Any:
        return w @ w, 2.0 * w

    descent = gradient_descent(square, [1.0], learning_rate=0.1)
    yield [_stated(descent.guarantee(distance=1.0))]
    yield [_stated(descent.guarantee(distance=1.0, strong_convexity=2.0))]
    for strong_convexity in (0.0, 1.0):
        trace = nesterov(
            square, [1.0], learning_rate=0.4, strong_convexity=strong_convexity, max_iter=20
        )
        yield [_stated(trace.guarantee(distance=1.0))]
    rolled = momentum(square, [1.0], learning_rate=0.01, momentum=0.5)
    yield [_stated(rolled.guarantee(distance=1.0, smoothness=2.0))]


def _stated(guarantee: Guarantee) -> Any:
    """Return the assumptions of a guarantee in the shape of a certificate."""
    conditions = [
        SimpleNamespace(key=key, name=phrase, status="stated", evidence="")
        for key, phrase in guarantee.assumes.items()
    ]
    return SimpleNamespace(method=guarantee.theorem, preconditions=conditions)


def _write_table(path: pathlib.Path) -> pathlib.Path:
    rng = np.random.default_rng(0)
    lines = ["owner,day,weight,colour,price,kind"]
    for i, weight in enumerate(rng.normal(4.0, 1.5, size=540).round(2)):
        kind = "cat" if weight + rng.normal(0.0, 0.5) > 4.0 else "dog"
        colour = "seen once" if i == 7 else ("red", "black")[i % 2]
        lines.append(f"owner{i // 3},{i},{weight},{colour},{weight * 2 + rng.normal():.2f},{kind}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def table_runs() -> Iterator[Issued]:
    """Yield what `certify` states of a table: by class, by group, by time, of numbers."""
    with tempfile.TemporaryDirectory() as folder:
        file = read_table_file(_write_table(pathlib.Path(folder) / "pets.csv"))
        classes = {"target": "kind", "learners": ("MixedNaiveBayes",)}
        prices = {"target": "price", "learners": ("RidgeRegression",)}
        plain = {"drop": ("owner", "day", "colour")}
        for options in (
            {**classes, **plain},
            {**classes, "group": "owner", "drop": ("day", "colour")},
            {**classes, "time": "day", "drop": ("owner", "colour")},
            {**prices, **plain},
            {**prices, "group": "owner", "drop": ("day", "colour")},
            {"target": "kind", "select": "structural-risk", **plain},
            {**classes, **plain, "copies": "independent", "looks": 2},
            {**plain, "target": "kind", "learners": ("sklearn.dummy:DummyClassifier",)},
        ):
            forget()
            yield certified(file, options)
        yield certified(file, {**classes, "seed": 5})  # another look at the table, not planned
        yield from table_grid(pathlib.Path(folder), plain=True)
        yield from parted_grid(pathlib.Path(folder))


def monitor_runs() -> Iterator[tuple[str, Issued]]:
    """Yield monitors of every rate, of two models, and an alarm."""
    answers = np.where(np.arange(120) % 9, Y, 1 - Y)
    for rate in get_args(Rate):
        for constant in (False, True):
            monitor = RateMonitor(rate=rate, constant=constant).update(Y, answers)
            yield "RateMonitor", [monitor.certificate()]
    for constant in (False, True):
        duel = ModelDifferenceMonitor(constant=constant).update([0, 0, 1, 0.5], [1, 0, 1, 1])
        yield "ModelDifferenceMonitor", [duel.certificate()]
    conformal = OnlineConformal(LinearRegression().fit(NEW_X, NEW_X[:, 0]))
    conformal.learn(X, TARGETS)
    yield "OnlineConformal", [conformal.certificate(), conformal.deviation_certificate()]
    yield "DriftAlarm", [DriftAlarm(tolerated=0.05).update([0, 1, 0, 0.5]).certificate()]


def transfer_runs() -> Iterator[Issued]:
    """Yield a certificate carried to a model fitted to more rows, without labels and with them."""
    old, new = Perceptron(max_iter=2).fit(X, Y), Perceptron(max_iter=2).fit(X[::2], Y[::2])
    forgetful = DummyClassifier().fit(X, Y)
    rows, labels = Noisy(3, 0.1).draw(300, seed=2)
    for y in (None, labels):
        for model in (new, forgetful):
            certificate = _afresh().certify(old)
            yield [transfer(certificate, old, model, rows, y=y)]


def evaluation_runs() -> Iterator[tuple[str, Issued]]:
    """Yield each way to evaluate, and what it issues."""
    for name, runs in {
        "Holdout": holdout_runs,
        "cross_validate": cross_validation_runs,
        "progressive_validate": progressive_runs,
        "online_to_batch": online_to_batch_runs,
        "minimize_structural_risk": structural_risk_runs,
        "compare": comparison_runs,
        "certify_table": table_runs,
        "transfer": transfer_runs,
        "optimizers": optimizer_runs,
    }.items():
        for issued in runs():
            yield name, issued
    with tempfile.TemporaryDirectory() as folder:
        older = older_grid(pathlib.Path(folder))
    yield from ((name, issued) for name, found in older.items() for issued in found)
    yield "RiskMonitor", [RiskMonitor(loss_range=(-1.0, 2.0)).update([0, 1, 2]).certificate()]
    yield from monitor_runs()
    for learner in (Perceptron(), _Own()):
        yield "certify_suffix", [certify_suffix(learner, X, Y).certificate]
