"""The classes behind `surelearn.adapters.river.to_river`; importing this module imports River.

A row is a mapping. A feature it lacks is 0, and one that comes late was 0 until then: learners
widen their state for it, exactly (`OnlineLearner._grow`). A bad row or label changes nothing: what
is new is made beside the old, and takes its place once everything was found good.
"""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
from river import base
from sklearn.base import clone

from surelearn._typing import Matrix
from surelearn.base import OnlineLinearClassifier, OnlineLinearRegressor
from surelearn.base.row_reader import RowReader, UnknownFeaturesError

_Models: TypeAlias = dict[Any, Any]

_NAMELESS = ""  # a feature that is always 0: what a learner has whose first row is empty


class _Estimator(base.Estimator):
    """What the two wrappers share: the place of each feature, and learners that grow with them."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self._read = RowReader(0, ())
        self._known: frozenset[Any] = frozenset()
        self._models: _Models = {}  # by label; the only one, or that of "none of them", by None

    def _known_part(self, x: Mapping[Any, Any]) -> Matrix:
        """Return a row without the features that were never learnt from."""
        try:
            return self._read(x)
        except UnknownFeaturesError:
            return self._read({name: value for name, value in x.items() if name in self._known})

    def _placed(self, x: Mapping[Any, Any]) -> tuple[Matrix, RowReader, _Models]:
        """Return a row, what read it, and the models; where features are new, copies with room."""
        read, models = self._read, self._models
        try:
            row = read(x)
        except UnknownFeaturesError:
            row = None
        if row is None or not self._known:
            read = self._reader_with_room(x)
            row = read(x)
            models = {label: _grown(model, read.n_features) for label, model in models.items()}
        if models and not self.learner._admits_all:  # noqa: SLF001 - hooks of the base
            self.learner._admit(row)  # noqa: SLF001 - a first row has its whole door before it
        return row, read, models

    def _reader_with_room(self, x: Mapping[Any, Any]) -> RowReader:
        """Return a reader of what is known and of what is new; its order there does not matter."""
        new = sorted(x.keys() - self._known, key=str)
        names = (*(self._read.names or ()), *new) or (_NAMELESS,)
        return RowReader(len(names), names)

    def _keep(self, read: RowReader, models: _Models) -> None:
        if read is not self._read:
            self._read, self._known = read, frozenset(read.names or ())
        self._models = models

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        return iter(())  # a learner has to be given


class RiverRegressor(_Estimator, base.Regressor):
    """An online regressor of ours as one of River's.

    Parameters
    ----------
    learner
        A regressor that has not learnt; it is copied, never changed.
    """

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        _refuse_no_number(y)
        row, read, models = self._placed(x)
        if models:
            models[None].learn_one(row, y)
        else:
            models = {None: cast("Any", clone(self.learner)).partial_fit(row, [y])}
        self._keep(read, models)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the prediction for one row; 0 before the first was learnt."""
        if not self._models:
            return 0.0
        if type(self.learner).predict_one is OnlineLinearRegressor.predict_one:
            return self._models[None].predict_one(self._known_part(x))
        row, _, models = self._placed(x)  # new features count where a forecast is not linear
        return models[None].predict_one(row)


class RiverClassifier(_Estimator, base.Classifier):
    """An online classifier of ours as one of River's.

    Parameters
    ----------
    learner
        A classifier that has not learnt; it is copied, never changed.
    classes
        All labels that will ever come. Left out, a first label True or False announces the two;
        with any other, each class has a learner that tells it from the rest. One more learner is
        told "none of them" of every row: a class that comes late continues from a copy of it.
    """

    def __init__(self, learner: Any, classes: Sequence[Any] | None = None) -> None:
        super().__init__(learner)
        self.classes = classes
        self._announced = classes

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) > 2

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        announced = self._announced_with(y)
        row, read, models = self._placed(x)
        teach = partial(_taught, learner=self.learner, row=row)
        if announced is not None:
            models = {None: teach(models.get(None), y=y, classes=announced)}
        else:
            models = {
                label: teach(model, y=label == y, classes=(False, True))
                for label, model in _with_label(y, models).items()
            }
        self._announced = announced
        self._keep(read, models)

    def _announced_with(self, y: Any) -> Sequence[Any] | None:
        """Return the classes that are announced, if they are, once this label has come."""
        announced = self._announced
        if announced is None:
            _refuse_no_label(y)
            if self._models or not isinstance(y, bool | np.bool_):
                return None
            announced = (False, True)
        if y not in announced:
            _refuse_no_label(y)
            raise ValueError(
                f"label {y!r} is not among the classes {list(announced)}; name all that can come: "
                "to_river(learner, classes=[...])"
            )
        return announced

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:  # noqa: ARG002 - River's
        """Return the label predicted for one row; None before the first was learnt."""
        if not self._models:
            return None
        row = self._known_part(x)
        if self._announced is not None:
            label = self._models[None].predict_one(row)
            return label.item() if isinstance(label, np.generic) else label
        labels = [label for label in self._models if label is not None]
        if len(labels) == 2:  # as a learner that was told both: only one of the problems counts
            return labels[int(_score(self._models[labels[1]], row) > 0.0)]
        return max(labels, key=lambda label: _score(self._models[label], row))


def _refuse_no_number(y: Any) -> None:
    try:
        finite = not np.iscomplexobj(y) and math.isfinite(y)
    except (TypeError, OverflowError):
        finite = False
    if not finite:
        raise ValueError(f"the target {y!r} is not a finite number; leave that row out")


def _refuse_no_label(y: Any) -> None:
    """Refuse what is missing, or can be neither looked up nor put in order."""
    try:
        hash(y)
        names_a_class = bool(y == y and not y < y)  # noqa: PLR0124 - NaN differs from itself
    except (TypeError, ValueError):
        names_a_class = False
    if not names_a_class:
        raise ValueError(
            f"the label {y!r} is missing or names no class; leave that row out, or give text, a "
            "number, True or False"
        )


def _grown(model: Any, n_features: int) -> Any:
    """Return a copy of a model with room for more features; the model stays as it was."""
    wide = copy.deepcopy(model)  # learning writes into arrays that do not widen, too
    wide._grow(n_features)  # noqa: SLF001 - a hook of the base
    return wide


def _with_label(y: Any, models: _Models) -> _Models:
    """Return the models in the order of their labels, one of this label among them."""
    if y in models:
        return models
    wider = {None: None, **models, y: copy.deepcopy(models.get(None))}
    return dict(sorted(wider.items(), key=lambda item: (type(item[0]).__name__, item[0])))


def _taught(model: Any, *, learner: Any, row: Matrix, y: Any, classes: Sequence[Any]) -> Any:
    """Let a model learn from one row, a new one if there is none yet."""
    if model is None:
        return cast("Any", clone(learner)).partial_fit(row, [y], classes)
    return model.learn_one(row, y)


def _score(model: Any, row: Matrix) -> float:
    if type(model).predict_one is OnlineLinearClassifier.predict_one:  # linear: spare the door
        return float(row[0] @ model.coef_[0] + model.intercept_[0])
    return float(model.decision_function(row)[0])
