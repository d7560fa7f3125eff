"""The learners of the library, found by walking its tree; nobody lists them."""

import importlib
import inspect
import pkgutil
from typing import TypeVar

from sklearn.base import BaseEstimator

from surelearn import learners
from surelearn.learners.bandits._bandit import Bandit
from surelearn.learners.experts._game import ExpertGame

_Kind = TypeVar("_Kind")


def find_learners() -> dict[str, type[BaseEstimator]]:
    """Return every class of learners of tables by its name.

    Examples
    --------
    >>> find_learners()["Perceptron"]().max_iter
    1000
    """
    return _found(BaseEstimator)


def find_experts() -> dict[str, type[ExpertGame]]:
    """Return every class of learners from expert advice by its name.

    Examples
    --------
    >>> "AdaHedge" in find_experts()
    True
    """
    return _found(ExpertGame)


def find_bandits() -> dict[str, type[Bandit]]:
    """Return every class of bandits by its name.

    Examples
    --------
    >>> "Exp3" in find_bandits()
    True
    """
    return _found(Bandit)


def _found(kind: type[_Kind]) -> dict[str, type[_Kind]]:
    found: dict[str, type[_Kind]] = {}
    for module in pkgutil.walk_packages(learners.__path__, f"{learners.__name__}."):
        if "._" in module.name:  # what a family keeps to itself
            continue
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        for name, member in members:
            own = member.__module__ == module.name and not name.startswith("_")
            if own and issubclass(member, kind):
                found[name] = member
    return dict(sorted(found.items()))
