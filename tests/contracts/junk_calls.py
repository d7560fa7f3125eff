"""Calls that work, found in the library's own examples, made again with junk in one place.

Every public function and method is watched while the examples of all public docstrings run: its
first call that succeeds shows how it is meant to be called. Learners are called in all their ways
on a small table. Then each argument in turn is replaced by things that do not belong there, and
only two ends are allowed: an answer, or a sentence that this library or scikit-learn wrote.
"""

import contextlib
import copy
import doctest
import inspect
import io
import linecache
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

import surelearn
from contracts.bound_examples import THEOREMS, example_inputs
from persistence.forgeries import models
from surelearn import checks
from surelearn.app.registry import find_bandits, find_experts, find_learners

_OURS = str(Path(surelearn.__file__).parent)
_BYTES = 6 * 10**9  # of addresses, so that nothing huge is ever made
_EXAMPLE = "<example>"
_FUNCTIONS = {"features", "learning_rate", "loss", "objective", "on_block", "scoring"}
_FUNCTIONS |= {"precondition", "kernel"}
_SECONDS = 20  # of the processor, after which a call counts as one that never ends
_LEFT_OUT = ("set_", "get_", "plot_", "with_callbacks")  # scikit-learn's


class Call(NamedTuple):
    """A call that works: its name, a function that makes what is called, and the arguments."""

    name: str
    function: Any
    arguments: dict[str, Any]


def _several() -> Iterator[int]:
    yield from (1, 2)


def junk() -> dict[str, Any]:
    """Return things that belong nowhere, by what they are; each time anew."""
    ones = np.ones((3, 1))
    return {
        "None": None,
        "NaN": float("nan"),
        "-1": -1,
        "a text": "junk",
        "bytes": b"junk",
        "an empty list": [],
        "an empty mapping": {},
        "ragged lists": [[1.0], [2.0, 3.0]],
        "deep lists": [[[[1.0]]]],
        "a mapping of lists": {"a": [1, 2], "b": []},
        "a huge whole number": 10**400,
        "a generator": _several(),
        "an object": object(),
        "a function": len,
        "a class": dict,
        "a complex number": 1j,
        "infinity": float("inf"),
        "a set": {1, 2},
        "texts": ["a", "b", "c"],
        "mixed": [1, None, "a"],
        "masked": np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
        "a matrix of none": np.empty((0, 3)),
        "a scalar array": np.array(3.5),
        "dates": np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]"),
        "dia": sparse.dia_array(ones),
        "dok": sparse.dok_array(ones),
        "bsr": sparse.bsr_array(ones),
        "coo": sparse.coo_array(ones),
        "lil": sparse.lil_matrix(ones),
        "a table": pa.table({"a": ["x", None]}),
        "True": True,
    }


@cache
def targets() -> dict[Any, tuple[str, Any]]:
    """Return the public functions and methods by their code."""
    found: dict[Any, tuple[str, Any]] = {}
    for name, thing in _public():
        if inspect.isfunction(thing):
            _note(found, name, thing)
        elif inspect.isclass(thing):
            for key, member in inspect.getmembers(thing, inspect.isfunction):
                if key == "__init__" or not key.startswith(("_", *_LEFT_OUT)):
                    _note(found, f"{name}.{key}", member)
    return found


def _note(found: dict[Any, tuple[str, Any]], name: str, function: Any) -> None:
    inner = inspect.unwrap(function)
    code = getattr(inner, "__code__", None)
    if code is not None and code.co_filename.startswith(_OURS):
        found.setdefault(code, (name, function))


def _public() -> Iterator[tuple[str, Any]]:
    """Yield what users find in the package and in its public modules, by name."""
    for name in surelearn.__all__:
        thing = getattr(surelearn, name)
        if not inspect.ismodule(thing):
            yield name, thing
        elif name not in {"bounds", "checks"}:
            for key in getattr(thing, "__all__", None) or dir(thing):
                member = getattr(thing, key)
                if not key.startswith("_") and _is_ours(member):
                    yield f"{name}.{key}", member


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("surelearn.")


def recorded(thin: int) -> dict[str, Call]:
    """Return the first call of each target in its own examples, or else in those of others."""
    known, found = targets(), dict[str, tuple[bool, Call | None]]()
    for owner, thing in list(_public())[::thin]:

        def watch(frame: Any, event: str, _: Any, owner: str = owner) -> None:
            if event != "call" or frame.f_code not in known:
                return
            name, function = known[frame.f_code]
            own = name.startswith(owner)
            if name not in found or own > found[name][0]:
                found[name] = own, None  # one whose arguments cannot be copied is not tried
                with contextlib.suppress(Exception):
                    given = copy.deepcopy(dict(frame.f_locals))
                    found[name] = own, Call(name, function, given)

        _run_examples(thing, watch)
    return {name: call for name, (_, call) in found.items() if call is not None}


def _run_examples(thing: Any, watch: Any) -> None:
    documents = [thing.__doc__]
    if inspect.isclass(thing):
        documents += [m.__doc__ for k, m in vars(thing).items() if not k.startswith("_")]
    for document in documents:
        if not isinstance(document, str) or ">>>" not in document:
            continue
        scope = dict(vars(sys.modules[thing.__module__]))
        for example in doctest.DocTestParser().get_examples(document):
            try:
                code = compile(example.source, _EXAMPLE, "single")
                with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                    warnings.simplefilter("ignore")
                    sys.setprofile(watch)
                    exec(code, scope)  # noqa: S102 - our own examples
            except Exception:  # noqa: BLE001, S112 - some show an error
                continue
            finally:
                sys.setprofile(None)


def _learner_calls(thin: int) -> Iterator[Call]:
    """Yield the calls of learners of tables, fitted and not."""
    for name, kind in list(find_learners().items())[::thin]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            X, y = checks.small_table(kind())
            fitted = kind().fit(X, y)
        ways = {"X": X, "y": y, "x": X[0], "sample_weight": np.ones(len(X))}
        yield from _calls_of(name, kind(), ways, only={"fit", "partial_fit", "learn", "learn_one"})
        yield from _calls_of(name, fitted, ways)
        for parameter in inspect.signature(kind).parameters:
            yield Call(f"{name}({parameter}).fit", _fit_with(kind, X, y), {parameter: None})


def _fit_with(kind: Any, X: Any, y: Any) -> Any:
    return lambda **parameters: kind(**parameters).fit(X, y)


def _calls_of(name: str, learner: Any, ways: dict[str, Any], only: Any = None) -> Iterator[Call]:
    for key, member in inspect.getmembers(type(learner), callable):
        if key.startswith(("_", *_LEFT_OUT)) or (only is not None and key not in only):
            continue
        parameters = list(inspect.signature(member).parameters)[1:]
        given = {p: ways[p] for p in parameters if p in ways}
        if "one" in key and "y" in given:
            given["y"] = np.asarray(given["y"])[0]
        needed = [
            p.name
            for p in list(inspect.signature(member).parameters.values())[1:]
            if p.default is p.empty and p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}
        ]
        if given and set(needed) <= given.keys():
            yield Call(f"{name}.{key}", member, {"self": learner, **given})


def _game_calls() -> Iterator[Call]:
    games = find_experts() | find_bandits()
    for name, (model, X, y) in models().items():
        if name in games:
            ways = {"losses": X, "advice": X, "outcomes": y, "rewards": X, "outcome": 1.0}
            ways |= {"arm": 0, "reward": 0.5, "predictions": X}
            yield from _calls_of(name, model, ways)
            for parameter in inspect.signature(type(model)).parameters:
                yield Call(f"{name}({parameter})", _begin(type(model)), {parameter: None})


def _begin(kind: Any) -> Any:
    extra = {"n_arms": 3} if "n_arms" in inspect.signature(kind).parameters else {}

    def begin(**parameters: Any) -> None:
        game = kind(**{**extra, **parameters})
        if hasattr(game, "play"):
            game.play(np.eye(3))
        else:
            outcomes = inspect.signature(game.learn).parameters.get("outcomes")
            votes = outcomes is not None and outcomes.default is outcomes.empty
            game.learn(np.eye(3), *([np.ones(3)] if votes else []))

    return begin


def _bound_calls() -> Iterator[Call]:
    for name in THEOREMS:
        yield Call(f"bounds.{name}", THEOREMS[name], example_inputs(name))


def calls(thin: int) -> Iterator[Call]:
    """Yield every call that is tried; of functions and learners every so manieth."""
    yield from recorded(thin).values()
    yield from _learner_calls(thin)
    if thin == 1:
        yield from _game_calls()
    yield from _bound_calls()


def is_a_sentence(error: BaseException) -> bool:
    """Say whether the message of an error was written by us, or is one of scikit-learn's."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    if any(frame.filename == _EXAMPLE for frame in frames):
        return True  # a function that the user gave, and that raises what it likes
    if not isinstance(error, ValueError | TypeError) or not frames:
        return not frames and isinstance(error, TypeError)  # the call itself does not fit
    if any("sklearn" in frame.filename for frame in frames):
        return True
    last = frames[-1]
    line = linecache.getline(last.filename, last.lineno or 0).strip()
    return last.filename.startswith(_OURS) and line.startswith("raise")


def tried(call: Call, place: str, kind: str) -> str | None:
    """Return what went wrong with junk of a kind in one place of a call; None if all was well."""
    try:
        arguments = copy.deepcopy(call.arguments)
    except Exception:  # noqa: BLE001
        return None
    arguments[place] = junk()[kind]
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(io.StringIO()):
                _make(call.function, arguments)
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        if not is_a_sentence(error):
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{last.filename.rpartition('surelearn/')[2]}:{last.lineno}"
            told = str(error).replace("\n", " ")[:90]
            return f"{call.name} | {place}={kind} | {type(error).__name__}: {told} | {where}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def _make(function: Any, arguments: dict[str, Any]) -> None:
    """Make a call with arguments given by name, also those that have none."""
    positional: list[Any] = []
    arguments = dict(arguments)
    try:
        parameters = inspect.signature(inspect.unwrap(function)).parameters
    except (TypeError, ValueError):
        parameters = {}
    for name, parameter in parameters.items():
        if name not in arguments:
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY or name == "self":
            positional.append(arguments.pop(name))
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = arguments.pop(name)
            positional.extend(rest if isinstance(rest, tuple) else (rest,))
        elif parameter.kind is parameter.VAR_KEYWORD:
            rest = arguments.pop(name)
            arguments.update(rest if isinstance(rest, dict) else {name: rest})
    if function.__name__ == "__init__":
        type(positional[0])(*positional[1:], **arguments)
        return
    result = function(*positional, **arguments)
    if inspect.isgenerator(result):
        list(result)


def _ring(*_: object) -> None:
    raise TimeoutError("it does not end")


def _places(call: Call) -> list[str]:
    """Return the arguments that are replaced; what goes on to another function is not one."""
    try:
        known = inspect.signature(inspect.unwrap(call.function)).parameters
    except (TypeError, ValueError):
        known = {}
    through = {name for name, p in known.items() if p.kind is p.VAR_KEYWORD}
    return [name for name in call.arguments if name not in {"self", "run", "__class__"} | through]


def _may_be(usual: Any, place: str, kind: str) -> bool:
    """Say whether such junk makes sense there: a function of the user's, or work without end."""
    if kind in {"a function", "a class"}:
        return callable(usual) or place in _FUNCTIONS
    return kind == "a huge whole number" and place.startswith(("n_", "max_iter", "repetitions"))


def run(step: int, thin: int = 1, match: str = "") -> list[str]:
    """Try every so manieth pair of a place and a kind of junk; return what went wrong."""
    resource.setrlimit(resource.RLIMIT_AS, (_BYTES, _BYTES))
    signal.signal(signal.SIGPROF, _ring)
    kinds, found, t = list(junk()), [], 0
    for call in calls(thin):
        if match not in call.name:
            continue
        for place in _places(call):
            for kind in kinds:
                if _may_be(call.arguments[place], place, kind):
                    continue
                t += 1
                if t % step == 0:
                    print(f"{call.name} | {place}={kind}", file=sys.stderr)  # noqa: T201
                    fault = tried(call, place, kind)
                    if fault is not None:
                        found.append(fault)
                        print(fault, flush=True)  # noqa: T201
    print(f"{t} ways, {t // step} tried", file=sys.stderr)  # noqa: T201
    return found


if __name__ == "__main__":
    faults = run(*map(int, sys.argv[1:3]), *sys.argv[3:])
    sys.exit(bool(faults))
