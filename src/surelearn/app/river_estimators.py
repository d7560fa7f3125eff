"""The classes behind `surelearn.app.river.to_river`; importing this module imports River.

A row is a mapping. A feature it lacks is 0, and one that comes late was 0 until then: learners
widen their state for it, exactly (`OnlineLearner._grow`). A bad row or label changes nothing.
"""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from river import base
from sklearn.base import clone

from surelearn._typing import Matrix
from surelearn.base import OnlineLinearClassifier
from surelearn.base.row_reader import RowReader, UnknownFeaturesError


class _Estimator(base.Estimator):
    """What the two wrappers share: the place of each feature, and learners that grow with them."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self._read = RowReader(0, ())
        self._known: frozenset[Any] = frozenset()

    def _known_part(self, x: Mapping[Any, Any]) -> Matrix:
        """Return a row without the features that were never learnt from."""
        try:
            return self._read(x)
        except UnknownFeaturesError:
            return self._read({name: value for name, value in x.items() if name in self._known})

    def _take_in(self, x: Mapping[Any, Any], learners: Iterable[Any]) -> Matrix:
        """Return a row and make room for what is new in it; its order there does not matter."""
        try:
            return self._read(x)
        except UnknownFeaturesError:
            return self._make_room(x, learners)

    def _make_room(self, x: Mapping[Any, Any], learners: Iterable[Any]) -> Matrix:
        new = sorted(x.keys() - self._known, key=str)
        names = (*(self._read.names or ()), *new)
        read = RowReader(len(names), names)
        row = self.learner._admit(read(x))  # noqa: SLF001 - a hook of the base
        for learner in learners:
            learner._grow(len(names))  # noqa: SLF001 - likewise; the first says no for all
        self._read, self._known = read, frozenset(names)
        return row

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

    def __init__(self, learner: Any) -> None:
        super().__init__(learner)
        self._model: Any = None

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        model = self._model
        if not np.isfinite(y):
            raise ValueError(f"the target {y!r} is not a finite number; leave that row out")
        row = self._take_in(x, () if model is None else (model,))
        if model is None:
            self._model = cast("Any", clone(self.learner)).partial_fit(row, [y])
        else:
            model.learn_one(row, y)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the prediction for one row; 0 before the first was learnt."""
        return 0.0 if self._model is None else self._model.predict_one(self._known_part(x))


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
        self._models: dict[Any, Any] = {}  # by label; the one learner of announced classes by None
        self._none_of_them: Any = None

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) > 2

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        announced = self._announced
        if announced is None and not self._models and isinstance(y, bool | np.bool_):
            announced = (False, True)
        if announced is not None and y not in announced:
            raise ValueError(
                f"label {y!r} is not among the classes {list(announced)}; name all that can come: "
                "to_river(learner, classes=[...])"
            )
        others = () if self._none_of_them is None else (self._none_of_them,)
        row = self._take_in(x, (*self._models.values(), *others))
        self._announced = announced
        if announced is not None:
            model = self._models.get(None)
            self._models[None] = _taught(
                model, learner=self.learner, row=row, y=y, classes=announced
            )
        else:
            self._learn_against_rest(row, y)

    def _learn_against_rest(self, row: Matrix, y: Any) -> None:
        if y not in self._models:
            models = {**self._models, y: copy.deepcopy(self._none_of_them)}
            self._models = dict(sorted(models.items(), key=lambda m: (type(m[0]).__name__, m[0])))
        teach = partial(_taught, learner=self.learner, row=row, classes=(False, True))
        for label, model in self._models.items():
            self._models[label] = teach(model, y=label == y)
        self._none_of_them = teach(self._none_of_them, y=False)

    def predict_one(self, x: Mapping[Any, Any], **kwargs: Any) -> Any:  # noqa: ARG002 - River's
        """Return the label predicted for one row; None before the first was learnt."""
        if not self._models:
            return None
        row = self._known_part(x)
        if self._announced is not None:
            label = self._models[None].predict_one(row)
            return label.item() if isinstance(label, np.generic) else label
        labels = list(self._models)
        if len(labels) == 2:  # as a learner that was told both: only one of the problems counts
            return labels[int(_score(self._models[labels[1]], row) > 0.0)]
        return max(labels, key=lambda label: _score(self._models[label], row))


def _taught(model: Any, *, learner: Any, row: Matrix, y: Any, classes: Sequence[Any]) -> Any:
    """Let a model learn from one row, a new one if there is none yet."""
    if model is None:
        return cast("Any", clone(learner)).partial_fit(row, [y], classes)
    return model.learn_one(row, y)


def _score(model: Any, row: Matrix) -> float:
    if type(model).predict_one is OnlineLinearClassifier.predict_one:  # linear: spare the door
        return float(row[0] @ model.coef_[0] + model.intercept_[0])
    return float(model.decision_function(row)[0])
