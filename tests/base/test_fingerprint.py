"""Fingerprints: different values differ, equal ones agree, what cannot be told is refused."""

import array
import collections
import copy
import enum
import functools
import itertools
import math
import operator
import pickle
import re
import struct
import threading
import types
import weakref
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import Birch
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, LocalOutlierFactor

from surelearn import AdaGrad, Exp3, Holdout, KernelPegasos, OnlineGradientDescent, Pegasos
from surelearn.base import fingerprint, seal
from surelearn.base.fingerprint import _NamesakeHasher, fingerprint_as
from surelearn.bounds.concentration import clopper_pearson
from surelearn.certificate import certify

SHIFT = 1


def plus_one(x):
    return x + 1


def plus_two(x):
    return x + 2


def plus_shift(x):
    return x + SHIFT


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def closing_over(shift):
    def add(x):
        return x + shift

    return add


def with_default(shift):
    def add(x, shift=shift):
        return x + shift

    return add


def with_keyword(shift):
    def add(x, *, shift=shift):
        return x + shift

    return add


def nesting(shift):
    return eval(f"lambda x: (lambda z: z + {shift})(x)")  # noqa: S307 - two codes of one name


def with_attributes(value, **attributes):
    vars(value).update(attributes)
    return value


def of_local_class(answer):
    class Constant:
        def predict(self, X):
            return np.full(len(X), answer)

    return Constant()


class Word(str):  # noqa: SLOT000 - its attributes are what is tested
    """A word with attributes."""


class Number(int):
    """A number with attributes."""


class Table(dict):
    """A mapping with attributes."""


class Row(list):
    """A list with attributes."""


class Slotted:
    """What it holds stands in a slot."""

    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


class Asked:
    """An object with a method, which is bound to what it holds."""

    shift = 1

    def __init__(self, held):
        self.held = held

    def method(self):
        return self.held


class Colour(enum.Enum):
    """Two members."""

    RED = 1
    BLUE = 2


class Alike:
    """Objects that are all written alike."""

    def __init__(self, held):
        self.held = held

    def __repr__(self):
        return "alike"


NAN = struct.unpack("d", struct.pack("Q", 0x7FF8000000000001))[0]
PAIRS = np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])
DIFFERENT = {
    "names": (plus_one, plus_two),
    "closures": (closing_over(1), closing_over(2)),
    "defaults": (with_default(1), with_default(2)),
    "keywords": (with_keyword(1), with_keyword(2)),
    "nested code": (nesting(1), nesting(2)),
    "methods": (Asked(1).method, Asked(2).method),
    "partial": tuple(functools.partial(f, a) for f, a in ((plus_one, 1), (plus_one, 2))),
    "partial of": tuple(functools.partial(f, 1) for f in (plus_one, plus_two)),
    "vectorized": (np.vectorize(plus_one), np.vectorize(plus_two)),
    "universal": (np.add, np.subtract, np.absolute, np.mean, np.median, len, max),
    "local classes": (of_local_class(1), of_local_class(2)),
    "cached": (functools.cache(plus_one), functools.cache(plus_two)),
    "deques": (
        collections.deque([1]),
        collections.deque([2]),
        collections.deque([1], maxlen=3),
    ),
    "mappings": (
        {1: 2},
        Table({1: 2}),
        with_attributes(Table({1: 2}), a=1),
        with_attributes(Table({1: 2}), a=2),
        collections.defaultdict(list, {1: 2}),
        collections.defaultdict(int, {1: 2}),
        collections.Counter({1: 2}),
        collections.ChainMap({1: 2}),
        types.MappingProxyType({1: 2}),
    ),
    "order": tuple(map(collections.OrderedDict, ([(1, 2), (3, 4)], [(3, 4), (1, 2)]))),
    "plain order": ({1: 2, 3: 4}, {3: 4, 1: 2}, {1: 4, 3: 2}),
    "order of views": tuple(map(types.MappingProxyType, ({"a": 1, "b": 2}, {"b": 2, "a": 1}))),
    "words": ("a", Word("a"), *(with_attributes(Word("a"), said=by) for by in (1, 2))),
    "integers": (3, Number(3), *(with_attributes(Number(3), said=by) for by in (1, 2))),
    "lists": ([3], Row([3]), *(with_attributes(Row([3]), said=by) for by in (1, 2)), (3,), {3}),
    "extras": ([with_attributes(Row([3]), a=1)], [Row([3]), {"a": 1}]),
    "enums": (Colour.RED, Colour.BLUE),
    "generators": (np.random.default_rng(0), np.random.default_rng(1)),
    "coins": (np.random.RandomState(0), np.random.RandomState(1)),
    "buffers": (memoryview(b"ab"), memoryview(b"ac"), bytearray(b"ab"), b"ab", bytearray(b"ac")),
    "arrays": (array.array("d", [1.0]), array.array("f", [1.0]), array.array("d", [2.0])),
    "slots": (Slotted(1), Slotted(2)),
    "modules": (np, math),
    "patterns": (re.compile("a"), re.compile("b"), re.compile("a", re.IGNORECASE)),
    "getters": (operator.itemgetter(1), operator.itemgetter(2), operator.attrgetter("a")),
    "floats": (0.0, -0.0, math.nan, -math.nan, NAN, 1, 1.0, True, "1"),
    "in lists": ([math.nan], [-math.nan], [NAN]),
    "long": (10**5000, 10**5000 + 1, [10**5000], [10**5000 + 1]),
    "records": (PAIRS, PAIRS[0], np.array([(1, 3.0)], dtype=PAIRS.dtype)[0]),
    "masked": tuple(np.ma.array([1, hidden], mask=[False, True]) for hidden in (2, 3)),
    "objects": (np.array([1, "a"], dtype=object), np.array([1, "b"], dtype=object)),
    "frames": (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]}), pd.DataFrame({"b": [1]})),
    "polars": (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [2]})),
    "arrow": (pa.table({"a": [1]}), pa.table({"a": [2]})),
    "cycles": tuple(map(Asked, range(2))),
}


def closed_on(*, outer):
    """Return a pair of lists of which the inner one refers to itself or to the outer one."""
    first, second = [], []
    first.append(second)
    second.append(first if outer else second)
    return first


@pytest.mark.parametrize("values", DIFFERENT.values(), ids=DIFFERENT)
def test_different_values_have_different_fingerprints_and_the_same_one_each_time(values):
    found = [fingerprint(value) for value in values]
    assert len(set(found)) == len(found)
    assert found == [fingerprint(value) for value in values]


@pytest.mark.parametrize("values", DIFFERENT.values(), ids=DIFFERENT)
def test_copies_and_stored_values_keep_their_fingerprints(values):
    for value in values:
        for again in (copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))):  # noqa: S301
            try:
                copied = again(value)
            except (TypeError, pickle.PicklingError, AttributeError):
                continue  # a module, a buffer, a function of a function
            assert fingerprint(copied) == fingerprint(value), value


def test_a_cycle_says_where_it_closes():
    assert fingerprint(closed_on(outer=True)) != fingerprint(closed_on(outer=False))


def test_what_a_function_finds_by_name_counts(monkeypatch):
    before = fingerprint(plus_shift)
    monkeypatch.setitem(globals(), "SHIFT", 2)
    assert fingerprint(plus_shift) != before
    assert fingerprint(factorial) == fingerprint(factorial)


def above(model, X):
    """Read an attribute, and no variable of its name."""
    return np.asarray(X)[:, 0] > model.threshold


class Threshold:
    """A rule as it stands in a notebook, beside a variable named like its attribute."""

    def __init__(self, threshold):
        self.threshold = threshold

    predict = above


def test_a_variable_named_like_an_attribute_does_not_count(monkeypatch):
    """It is not read; a certificate of when it counted knows its model as long as it stays."""
    model = Threshold(0.5)
    before = fingerprint(model)
    monkeypatch.setitem(globals(), "threshold", 0.5)
    former = _NamesakeHasher().add(model).hexdigest()
    assert fingerprint(model) == before != former
    old = certify(
        clopper_pearson(errors=0, n=10, delta=0.05), kind="risk", subject="this fitted model",
        observed=0.0, n=10, evidence={}, reproduce={"model": former},
    )  # fmt: skip
    assert fingerprint_as(model, old) == former
    monkeypatch.setitem(globals(), "threshold", 0.7)
    assert fingerprint(model) == before == fingerprint_as(model, old)


def test_what_a_class_of_no_package_says_counts(monkeypatch):
    before = fingerprint(Asked(1))
    monkeypatch.setattr(Asked, "shift", 2)
    assert fingerprint(Asked(1)) != before


def test_keys_that_are_written_alike_are_told_apart():
    first, second = Alike(1), Alike(2)
    assert fingerprint({first: 1, second: 2}) == fingerprint({Alike(1): 1, Alike(2): 2})
    assert fingerprint({first: 1, second: 2}) != fingerprint({first: 2, second: 1})
    assert fingerprint({Alike(1), Alike(2)}) == fingerprint({Alike(2), Alike(1)})


def test_how_numbers_are_printed_does_not_count():
    number = np.float64(0.1)
    before = fingerprint(number)
    with np.printoptions(legacy="1.13"):
        assert fingerprint(number) == before
        assert fingerprint(number + 1e-15) != before


class Restless:
    """An object that would store something else every time."""

    tick = itertools.count()

    def __getstate__(self):
        return {"now": next(self.tick)}


@pytest.mark.parametrize(
    "value",
    [
        (i for i in [1]),
        iter([1]),
        zip([1], strict=True),
        itertools.count(),
        threading.Lock(),
        weakref.ref(plus_one),
        np.frompyfunc(lambda x: x, 1, 1),
        Restless(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_told_apart_is_refused(value):
    with pytest.raises(ValueError, match="could not be told apart from others like it; keep it"):
        fingerprint([value])


def test_a_hold_out_tells_two_models_of_one_name_apart():
    X, y = np.zeros((50, 1)), np.zeros(50)
    held_out = Holdout(X, y, mode="family", n_models=2)
    right, wrong = (held_out.certify(of_local_class(answer)) for answer in (0, 1))
    assert (right.observed, wrong.observed) == (0.0, 1.0)


@pytest.mark.parametrize(
    "model", [KNeighborsClassifier(), KernelDensity(), LocalOutlierFactor(novelty=True)]
)
def test_a_model_that_counts_its_queries_keeps_its_fingerprint(model):
    X = np.random.default_rng(0).normal(size=(100, 2))
    model.fit(X, X[:, 0] > 0.0)
    before = fingerprint(model)
    ask = getattr(model, "predict", getattr(model, "score_samples", None))
    ask(X[:7])
    assert fingerprint(model) == before
    assert fingerprint(pickle.loads(pickle.dumps(model))) == before  # noqa: S301


def test_a_vectorized_function_keeps_its_fingerprint_when_it_is_called():
    function = np.vectorize(plus_one, otypes=[float])
    before = fingerprint(function)
    function([1.0, 2.0])
    assert fingerprint(function) == before


FORMS, KINDS = ("csr", "csc", "coo", "lil", "dok"), ("array", "matrix")
SPARSE = [f"{form}_{kind}" for form in FORMS for kind in KINDS]


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_matrices_of_all_kinds_are_told_apart(name):
    first, second = (getattr(sparse, name)(np.diag([1.0, last])) for last in (2.0, 3.0))
    assert fingerprint(first) != fingerprint(second)
    assert fingerprint(first) == fingerprint(copy.deepcopy(first))


def boosted(library, seed, y):
    """Return a small model of a library of boosted trees, which keep all they know elsewhere."""
    X = np.random.default_rng(0).normal(size=(80, 3))
    peer = pytest.importorskip(library)
    if library == "xgboost":
        return peer.XGBClassifier(n_estimators=2, n_jobs=1, random_state=seed).fit(X, y), X
    return peer.LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1, random_state=seed).fit(X, y), X


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_models_of_boosted_trees_are_recognised(library):
    y = np.arange(80) % 2
    model, X = boosted(library, 0, y)
    before = fingerprint(model)
    model.predict(X)
    again = [model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))]  # noqa: S301
    assert {fingerprint(one) for one in again} == {before}
    assert fingerprint(boosted(library, 0, 1 - y)[0]) != before


X_40 = np.random.default_rng(0).normal(size=(40, 3))
OF_ANYONE = certify(
    clopper_pearson(errors=0, n=60, delta=0.05), kind="risk", subject="it", observed=0.0, n=60
)


def older(former):
    """Return a certificate of schema 2 that knows its model by this fingerprint."""
    return replace(OF_ANYONE, schema=2, reproduce={"model": former})


def played():
    """Return a game of five rounds."""
    game = Exp3(n_arms=3, seed=0)
    game.play(np.tile([0.0, 1.0, 0.5], (5, 1)))
    return game


FORMER = {
    "coins": (played, "3ba51769beb42acb2d2318892e3599fa358995ba"),
}


@pytest.mark.parametrize("name", FORMER)
def test_certificates_from_before_coins_counted_still_know_their_models(name):
    make, former = FORMER[name]
    model = make()
    assert fingerprint(model) != former
    assert fingerprint_as(model, older(former)) == former
    assert fingerprint_as(model, older("another")) == fingerprint(model)
    assert fingerprint_as(model, replace(older(former), schema=3)) == fingerprint(model)


@pytest.mark.parametrize(
    "make",
    [
        KNeighborsClassifier,
        lambda: HistGradientBoostingClassifier(max_iter=2, random_state=0),
        Birch,
        lambda: SelectKBest(k=1),
    ],
)
def test_every_model_has_a_former_fingerprint_that_is_its_own(make):
    y = X_40[:, 0] > 0.0
    model, other = make().fit(X_40, y), make().fit(X_40 + 1.0, ~y)
    former = _former(model)
    assert fingerprint_as(model, older(former)) == former
    assert fingerprint_as(other, older(former)) != former


def _former(model):
    from surelearn.base.fingerprint import _FormerHasher  # noqa: PLC0415 - its one test

    return _FormerHasher().add(model).hexdigest()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text(), inner)
        | st.frozensets(st.integers() | st.text())
        | st.builds(types.SimpleNamespace, held=inner)
        | st.builds(collections.deque, st.lists(inner))
        | st.builds(functools.partial, st.sampled_from([plus_one, plus_two]), inner)
    ),
    max_leaves=6,
)


def written(value):
    """Return how a value is written in Python, in which different ones are different."""
    if isinstance(value, dict):
        inner = ",".join(sorted(f"{k!r}:{written(v)}" for k, v in value.items()))
    elif isinstance(value, frozenset):
        inner = ",".join(sorted(map(repr, value)))
    elif isinstance(value, list | tuple | collections.deque):
        inner = ",".join(map(written, value))
    elif isinstance(value, types.SimpleNamespace):
        inner = written(value.held)
    elif isinstance(value, functools.partial):
        inner = value.func.__name__ + written(value.args)
    elif isinstance(value, float):
        inner = struct.pack("d", value).hex()
    elif isinstance(value, complex):
        inner = struct.pack("dd", value.real, value.imag).hex()
    else:
        inner = repr(value)
    return f"{type(value).__name__}({inner})"


@pytest.mark.parametrize(
    "n_lists", [pytest.param(25, id="fast"), pytest.param(1000, id="slow", marks=pytest.mark.slow)]
)
def test_random_values_have_the_same_fingerprint_only_if_they_are_the_same(n_lists):
    found: dict[str, str] = {}

    @settings(max_examples=n_lists, deadline=None, derandomize=True, database=None)
    @given(st.lists(VALUES, min_size=8, max_size=8))
    def compare(values):
        for value in values:
            identity = fingerprint(value)
            assert fingerprint(copy.deepcopy(value)) == identity
            assert found.setdefault(identity, written(value)) == written(value)

    compare()
    assert len(found) == len(set(found.values()))


@pytest.mark.parametrize("learner", [AdaGrad, OnlineGradientDescent, Pegasos, KernelPegasos])
def test_a_model_of_many_classes_is_hashed_once_for_all_its_certificates(learner, monkeypatch):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 8
    model, hashed = learner().fit(X, y), []
    monkeypatch.setattr(seal, "fingerprint", lambda held: hashed.append(held) or "0" * 40)
    assert len(model.certificates()) == 16
    assert len(hashed) == 1
