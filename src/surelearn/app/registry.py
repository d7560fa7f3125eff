"""The learners of the library, found by walking its tree; nobody lists them."""

import importlib
import inspect
import pkgutil

from sklearn.base import BaseEstimator

from surelearn import learners


def find_learners() -> dict[str, type[BaseEstimator]]:
    """Return every learner class by its name.

    Examples
    --------
    >>> find_learners()["Perceptron"]().max_iter
    1000
    """
    found: dict[str, type[BaseEstimator]] = {}
    for module in pkgutil.walk_packages(learners.__path__, f"{learners.__name__}."):
        members = inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        for name, member in members:
            own = member.__module__ == module.name and not name.startswith("_")
            if own and issubclass(member, BaseEstimator):
                found[name] = member
    return dict(sorted(found.items()))
