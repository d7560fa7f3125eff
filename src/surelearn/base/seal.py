"""Whether a fitted model is still what its `fit` made of it.

A certificate from training rows speaks of what a run found. Coefficients that were changed by hand
afterwards were found by no run, so a fitted learner carries a checksum of all it has learnt, and
certificates are refused if it no longer fits.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from surelearn._jit.fingerprints import content_hash
from surelearn._stored import stored_name
from surelearn.base._hasher import Hasher
from surelearn.base.fingerprint import fingerprint

_BROKEN = "broken"
_LARGE = 2**12  # bytes from which a quick hash is worth its call
_FREE = frozenset(  # they change no answer of a fitted model
    {
        *("n_jobs", "random_state", "_seal"),
        *("_parent_callback_ctx", "_skl_callbacks"),  # scikit-learn's, while a pipeline fits
    }
)


class _QuickHasher(Hasher):
    """Describes large arrays by a checksum, which is enough to notice a change."""

    def _order(self, places: list[int]) -> None:
        del places  # nobody changes it by hand, and seals of before know of none

    def _numbers(self, array: Any) -> None:
        if array.nbytes < _LARGE or array.dtype.itemsize != 8:
            super()._numbers(array)
        else:
            bits = np.ascontiguousarray(cast("NDArray[Any]", array)).reshape(-1).view(np.uint64)
            self._text(f"{content_hash(bits):x}")


_Model = TypeVar("_Model")


def sealed(model: _Model) -> _Model:
    """Return a learner that has just been fitted, with a checksum of what it has learnt.

    One of which nothing is certified as it stands, or that goes on learning row by row, has none.

    Examples
    --------
    >>> from surelearn.learners.concepts.halfspace import Halfspace
    >>> model = Halfspace().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> is_intact(model)
    True
    >>> model.coef_ = -model.coef_
    >>> model.certificates()
    Traceback (most recent call last):
    ValueError: this Halfspace was changed after it was fitted, and nothing is proved of what it has
    become: fit it again
    """
    held = vars(model)
    held.pop("_seal", None)
    if _certifies(model):
        held["_seal"] = _checksum(model)
    return model


def break_seal(model: Any) -> None:
    """Note that a learner was changed by hand, whatever it learns from now on."""
    vars(model)["_seal"] = _BROKEN


def is_intact(model: Any) -> bool:
    """Return whether a model is as it was when it was sealed; one without a seal may be."""
    if replaces_methods(model) or methods_of_others(type(model)):
        return False
    seal = getattr(model, "__dict__", {}).get("_seal")
    if seal is None:
        return True
    if seal == _BROKEN:
        return False
    if vars(model).get("training_errors_", 0) is None:  # one that did not know them has no seal
        return False
    if not _certifies(model):
        return True
    return isinstance(seal, str) and seal == _checksum(model)


def replaces_methods(model: Any) -> bool:
    """Return whether an object holds something of its own where its class has a method.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron()
    >>> model.predict = len
    >>> replaces_methods(model), replaces_methods(Perceptron())
    (True, False)
    """
    held, cls = getattr(model, "__dict__", {}), cast("type[Any]", type(model))
    return any(callable(getattr(cls, name, None)) for name in held.copy())


def methods_of_others(cls: type[Any]) -> tuple[str, ...]:
    """Return the methods of a learner of this library that a class made from it has replaced.

    What is proved of a learner is proved of its own methods: with another `predict` it is another
    model. Whoever extends a base that is no learner yet fills in what is missing, and replaces
    nothing.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> Contrary = type("Contrary", (Perceptron,), {"predict": len, "__module__": "mine"})
    >>> methods_of_others(Contrary), methods_of_others(Perceptron)
    (('predict',), ())
    """
    return _replaced(cls, _is_learner)


def _replaced(cls: type[Any], is_ours: Callable[[type[Any]], bool]) -> tuple[str, ...]:
    """Return the methods of the nearest class of ours that the classes of others have replaced."""
    line = cls.__mro__
    ours = next((k for k, one in enumerate(line) if is_ours(one)), None)
    if ours is None:
        return ()
    others = [one for one in line[:ours] if not one.__module__.startswith("surelearn.")]
    found = {name for one in others for name, what in vars(one).items() if _acts(name, what)}
    return tuple(sorted(name for name in found if hasattr(line[ours], name)))


def _parts_of_others(model: Any) -> tuple[str, ...]:
    """Return the parameters whose class replaces methods of a loss or schedule of ours.

    A theorem quotes the loss and the steps by name: with another slope they are others. Members of
    an ensemble may be anything.
    """
    held = getattr(model, "__dict__", {}).copy()
    return tuple(
        f"{name}={value!r}"
        for name, value in held.items()
        if getattr(value, "is_quoted_by_theorems", False) is True
        and _replaced(cast("type[Any]", type(value)), _is_quoted)
    )


def _is_quoted(cls: type[Any]) -> bool:
    return cls.__module__.startswith("surelearn.") and stored_name(cls) is not None


def _is_learner(cls: type[Any]) -> bool:
    return cls.__module__.startswith("surelearn.learners.") and stored_name(cls) is not None


def _acts(name: str, what: Any) -> bool:
    """Return whether an attribute of a class may change what its objects learn or answer.

    scikit-learn gives every class its own methods to request arguments; names with two underscores
    are Python's, and what a class states of itself is its own affair.
    """
    python = name.startswith("__") and name != "__call__"
    free = python or name.startswith("set_") or name in {"certificates", "guarantee"}
    return not free and (callable(what) or hasattr(what, "__get__"))


def fingerprint_of_fit(model: Any) -> str:
    """Return the fingerprint of a fitted model; refuse one that was changed by hand since."""
    refuse_changed(model)
    return fingerprint(model)


def refuse_changed(model: Any) -> None:
    """Refuse a model that was changed by hand since it was fitted, or is of another's making."""
    if others := methods_of_others(cast("type[Any]", type(model))):
        raise ValueError(
            f"{type(model).__name__} has methods of its own ({', '.join(others)}), and nothing is "
            "proved of what it learns and answers by them: certify it on rows that it has not "
            "seen, with a Holdout"
        )
    if parts := _parts_of_others(model):
        raise ValueError(
            f"{', '.join(parts)} has methods of its own, and nothing is proved of a run with them: "
            "certify the model on rows that it has not seen, with a Holdout"
        )
    if not is_intact(model):
        raise ValueError(
            f"this {type(model).__name__} was changed after it was fitted, and nothing is proved "
            "of what it has become: fit it again"
        )


def _certifies(model: Any) -> bool:
    """Return whether a learner was fitted to rows that certificates speak of, its own or others'.

    A hold-out says of one that remembers its rows what it was not trained on. A game is never
    over: it may be played on after it was stored and loaded, and notices by itself who changes it.
    """
    if getattr(type(model), "_is_played_on", False):
        return False
    held = vars(model).copy()
    fitted = any(name.endswith("_") for name in held)
    unknown = held.get("run_", 0) is None or held.get("training_errors_", 0) is None
    issues = any(hasattr(type(model), name) for name in ("certificates", "stability_certificate"))
    issues = issues or held.get("training_rows_") is not None
    return fitted and not unknown and issues


def _checksum(model: Any) -> str | None:
    """Return a checksum of what answers and certificates depend on; None if there is none.

    Parameters count, unless the learner asks a copy that knows those of its first row.
    """
    free = _FREE | getattr(type(model), "_free_parameters", frozenset())
    held = vars(model).copy()  # at once: another thread may write to it
    held = {name: value for name, value in held.items() if name not in free}
    if "learnt_" in held:
        held = {name: value for name, value in held.items() if name.endswith("_")}
    try:
        return _QuickHasher().add(held).hexdigest()
    except ValueError:  # it holds something that has no fingerprint either
        return None
