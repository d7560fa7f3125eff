"""The classes behind `surelearn.adapters.river.to_river`; importing this module imports River.

A row is a mapping. A feature it lacks is 0, and one that comes late was 0 until then: a learner
widens its states for it, exactly. A class that comes late is one more state. A bad row or label
changes nothing: what is new is made beside the old, and takes its place once everything was good.
"""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from river import base
from sklearn.base import clone

from surelearn._locks import in_turn
from surelearn._typing import Matrix
from surelearn.base import OnlineLinearRegressor
from surelearn.base.online.state import Learnt
from surelearn.base.row_reader import RowReader, UnknownFeaturesError
from surelearn.base.states import copy_of

_NAMELESS = ""  # a feature that is always 0: what a learner has whose first row is empty


class _Estimator(base.Estimator):
    """What the two wrappers share: the place of each feature, and one learner that grows."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self._read = RowReader(0, ())
        self._known: frozenset[Any] = frozenset()
        self._model: Any = None  # the learner as it is now; there is none before the first row

    def _known_part(self, x: Mapping[Any, Any]) -> Matrix:
        """Return a row without the features that were never learnt from."""
        try:
            return self._read(x)
        except UnknownFeaturesError:
            return self._read({name: value for name, value in x.items() if name in self._known})

    def _placed(self, x: Mapping[Any, Any]) -> tuple[Matrix, RowReader, Any]:
        """Return a row, what read it, and the model; where features are new, a wider copy."""
        read, model = self._read, self._model
        try:
            row = read(x)
        except UnknownFeaturesError:
            row = None
        if row is None or not self._known:
            read = self._reader_with_room(x)
            row = read(x)
            model = None if model is None else _grown(model, read.n_features)
        if model is not None and not self.learner._admits_all:  # noqa: SLF001 - hooks of the base
            self.learner._admit(row)  # noqa: SLF001 - a first row is checked by the learner itself
        return row, read, model

    def _reader_with_room(self, x: Mapping[Any, Any]) -> RowReader:
        """Return a reader of what is known and of what is new; its order there does not matter."""
        new = sorted(x.keys() - self._known, key=str)
        names = (*(self._read.names or ()), *new) or (_NAMELESS,)
        return RowReader(len(names), names)

    def _keep(self, read: RowReader, model: Any) -> None:
        if read is not self._read:
            self._read, self._known = read, frozenset(read.names or ())
        self._model = model

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

    @in_turn
    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        _refuse_no_number(y)
        row, read, model = self._placed(x)
        if model is None:
            model = cast("Any", clone(self.learner)).partial_fit(row, [y])
        else:
            model.learn_one(row, y)
        self._keep(read, model)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the prediction for one row; 0 before the first was learnt."""
        if self._model is None:
            return 0.0
        if type(self.learner).predict_one is OnlineLinearRegressor.predict_one:
            return self._model.predict_one(self._known_part(x))
        row, _, model = self._placed(x)  # new features count where a forecast is not linear
        return model.predict_one(row)


class RiverClassifier(_Estimator, base.Classifier):
    """An online classifier of ours as one of River's.

    Parameters
    ----------
    learner
        A classifier that has not learnt; it is copied, never changed.
    classes
        All labels that will ever come. Left out, a first label True or False announces the two;
        with any other, the learner has a state for each class, which tells it from the rest. One
        more state is told "none of them" on every row: a class that comes late continues from it.
    """

    def __init__(self, learner: Any, classes: Sequence[Any] | None = None) -> None:
        super().__init__(learner)
        self.classes = classes
        self._announced = classes

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) > 2

    @in_turn
    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one row."""
        announced = self._announced_with(y)
        row, read, model = self._placed(x)
        if announced is None:
            model = _with_class(y, _open(self.learner, row) if model is None else model)
        if model is None:
            model = cast("Any", clone(self.learner)).partial_fit(row, [y], announced)
        else:
            model.learn_one(row, y)
        self._announced = announced
        self._keep(read, model)

    def _announced_with(self, y: Any) -> Sequence[Any] | None:
        """Return the classes that are announced, if they are, once this label has come."""
        announced = self._announced
        if announced is None:
            _refuse_no_label(y)
            if self._model is not None or not isinstance(y, bool | np.bool_):
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
        if self._model is None:
            return None
        row = self._known_part(x)
        if self._announced is not None:
            label = self._model.predict_one(row)
            return label.item() if isinstance(label, np.generic) else label
        begun, _, _, positions, states = vars(self._model)["learnt_"]
        if not self.learner._admits_all:  # noqa: SLF001 - a hook of the base
            begun._admit(row)  # noqa: SLF001
        labels, scores = list(positions), begun._scores(row, states)[0]  # noqa: SLF001
        if len(labels) == 2:  # as a learner that was told both: only one of the problems counts
            return labels[int(scores[1] > 0.0)]
        return labels[int(scores[: len(labels)].argmax())]  # the state of "none of them" is last


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
    wide = copy.copy(model)
    wide._grow(n_features)  # noqa: SLF001 - a hook of the base, which replaces every array
    return wide


def _open(learner: Any, row: Matrix) -> Any:
    """Return a copy of a learner before its first row, with the state of "none of them" alone."""
    _, _, model = learner._check_first_rows(row, [False])  # noqa: SLF001 - hooks of the base
    model._know(np.array([False, True]))  # noqa: SLF001
    held = vars(model)
    held["learnt_"] = held["learnt_"]._replace(positions={})
    return model


def _with_class(y: Any, model: Any) -> Any:
    """Return the model with a state for this label: a new one is what "none of them" has become.

    Labels stand in order, those of one kind together. Arrays are shared with the model given, which
    is right because a row that is refused writes to none of them.
    """
    learnt: Learnt = vars(model)["learnt_"]
    if y in learnt.positions:
        return model
    *own, none = learnt.states
    states = {**dict(zip(learnt.positions, own, strict=True)), y: copy_of(none)}
    labels = sorted(states, key=lambda label: (type(label).__name__, label))
    wider = copy.copy(model)
    vars(wider)["learnt_"] = learnt._replace(
        positions={label: k for k, label in enumerate(labels)},
        states=(*(states[label] for label in labels), none),
    )
    return wider
