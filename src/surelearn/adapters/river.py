"""Our online learners inside River's pipelines; River is imported only when asked for."""

import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import is_classifier

from surelearn.base import OnlineClassifier, OnlineLinearRegressor

if TYPE_CHECKING:
    from surelearn.adapters._river_estimators import RiverClassifier, RiverRegressor


def to_river(
    learner: OnlineClassifier | OnlineLinearRegressor, *, classes: Sequence[Any] | None = None
) -> "RiverClassifier | RiverRegressor":
    """Wrap an online learner as a River estimator: rows are dictionaries, features come and go.

    Parameters
    ----------
    learner
        A learner that has not learnt yet; it is copied, never changed.
    classes
        All labels that will ever come, for a classifier. Left out, they may come unannounced:
        True and False are a two-class problem; any others one problem per class, where a class
        that comes late is in exactly the state it would have if it had been known all along.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = to_river(Perceptron())
    >>> model.learn_one({"rain": 1.0}, "wet")
    >>> model.learn_one({"sun": 1.0}, "dry")
    >>> model.predict_one({"sun": 0.5, "wind": 2.0})
    'dry'
    """
    if importlib.util.find_spec("river") is None:
        raise ModuleNotFoundError("to_river needs River, which is not installed: pip install river")
    from surelearn.adapters._river_estimators import (  # noqa: PLC0415 - River is optional
        RiverClassifier,
        RiverRegressor,
    )

    if not hasattr(learner, "learn_one"):
        raise TypeError(f"{learner!r} does not learn one row at a time; River needs learn_one")
    if hasattr(learner, "n_rounds_"):
        raise ValueError(
            "this learner has already learnt; River's estimators start from nothing: pass "
            "sklearn.base.clone(learner)"
        )
    if is_classifier(learner):
        return RiverClassifier(learner, classes)
    if classes is not None:
        raise ValueError("classes are for classifiers; a regressor predicts numbers")
    return RiverRegressor(learner)
