"""Learners of other libraries: any class of scikit-learn's kind, named module:Class.

To load one runs the code of its module. So only who starts a run may name one: `verify --retrain`
loads none that a certificate names.
"""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from surelearn import _arguments
from surelearn.app.errors import TableError
from surelearn.app.problem.problem import Task
from surelearn.learners.encoders.table_encoder import TableEncoder

_Run = TypeVar("_Run")


def is_foreign(name: str) -> bool:
    """Return whether a learner is named by its module.

    Examples
    --------
    >>> is_foreign("sklearn.svm:SVC(C=10)"), is_foreign("CARTClassifier")
    (True, False)
    """
    return ":" in name


def make_foreign(name: str, task: Task) -> Any:
    """Return a learner of another library, ready for a mixed table: its features are encoded.

    Parameters
    ----------
    name
        Its module and class, and its arguments if there are some, as in "sklearn.svm:SVC(C=10)".
    task
        "binary", "multiclass" or "regression".

    Examples
    --------
    >>> make_foreign("sklearn.svm:SVC(C=10)", "binary")[-1].learner
    SVC(C=10)
    """
    module, _, called = name.partition(":")
    learner = _made(_found(module, called.partition("(")[0], name), called, name)
    regression = task == "regression"
    if not _is(learner, regression=regression):
        kind = "regressor" if regression else "classifier"
        raise TableError(f"{name} is no {kind} of scikit-learn's kind, and the task is {task}")
    own = learner if regression else WithWholeNumbers(learner)
    return Pipeline([("encode", TableEncoder()), ("learn", own)])


class WithWholeNumbers(ClassifierMixin, BaseEstimator):
    """A classifier that sees its classes as 0, 1, ...: some libraries take no others.

    Parameters
    ----------
    learner
        The classifier.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> model = WithWholeNumbers(DecisionTreeClassifier()).fit([[0.0], [1.0]], ["no", "yes"])
    >>> model.predict([[2.0]]).tolist()
    ['yes']
    """

    def __init__(self, learner: Any) -> None:
        self.learner = learner

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier to classes by their places among all of them."""
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        learner: Any = clone(self.learner)
        self.learner_ = learner.fit(X, codes)
        return self

    def predict(self, X: Any) -> Any:
        """Return the label of each row."""
        said = np.asarray(self.learner_.predict(X)).ravel()
        known = np.arange(len(self.classes_))
        if said.dtype.kind not in "biuf" or not np.isin(said, known).all():
            name, some = type(self.learner_).__name__, _arguments.short(said[:3].tolist())
            raise ValueError(
                f"{name} answers {some}, and its classes are the whole numbers from 0 to "
                f"{len(known) - 1}"
            )
        return self.classes_[said.astype(np.int64)]


def telling_of_foreign(run: Callable[..., _Run]) -> Callable[..., _Run]:
    """Return a run with `learners` in which whatever code of others raises is told in a sentence.

    To leave the process is no answer either: who asked would take it for a success.
    """

    @wraps(run)
    def told(*args: Any, **options: Any) -> _Run:
        named = options.get("learners")  # what is no list of names is refused later
        names = cast("Iterable[Any]", named) if isinstance(named, Iterable) else ()
        foreign = [name for name in names if isinstance(name, str) and is_foreign(name)]
        try:
            return run(*args, **options)
        except TableError:
            raise
        except (Exception, SystemExit) as error:
            if not foreign:
                raise
            why = " ".join(str(error).split())
            raise TableError(
                f"{' or '.join(foreign)} cannot be used here, as it raises {type(error).__name__}"
                f"{f' ({why})' if why else ''}: try it by itself first"
            ) from error

    return told


def _is(learner: Any, *, regression: bool) -> bool:
    try:
        return bool(is_regressor(learner) if regression else is_classifier(learner))
    except AttributeError:  # it knows nothing of scikit-learn
        return False


def _found(module: str, name: str, asked: str) -> Any:
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError, TypeError) as error:
        raise TableError(f"{asked} cannot be loaded: {error}; is it installed?") from error
    except AttributeError:
        raise TableError(f"there is no {name} in {module}") from None
    if not inspect.isclass(found):
        raise TableError(f"{module}:{name} is no class, so it is no learner")
    return found


def _made(kind: Any, called: str, asked: str) -> Any:
    """Return a learner with the arguments that were written; numbers and words only."""
    try:
        call = ast.parse(called if "(" in called else f"{called}()", mode="eval").body
        words = {word.arg for word in call.keywords} if isinstance(call, ast.Call) else set[Any]()
        once = isinstance(call, ast.Call) and len(words - {None}) == len(call.keywords)
        if not isinstance(call, ast.Call) or call.args or not once:
            raise SyntaxError  # noqa: TRY301 - told below
        return kind(**{str(word.arg): ast.literal_eval(word.value) for word in call.keywords})
    except (SyntaxError, ValueError):
        raise TableError(
            f"{asked} is not of the form module:Class or module:Class(name=value, ...)"
        ) from None
    except TypeError as error:
        raise TableError(f"{asked} cannot be made: {error}") from None
