"""Fingerprints of models whose difference is hidden, in what they would not store for instance."""

import copy
import socket
import threading
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from surelearn.base import check_certificate, fingerprint
from surelearn.base.fingerprint import _AddressHasher, _UnorderedHasher, data_fingerprint
from surelearn.bounds.concentration import clopper_pearson
from surelearn.certificate import certify

GATE = threading.Lock()
KIND = TypeVar("KIND")


class Forgetful:
    """What it would store lacks the weight."""

    def __init__(self, weight):
        self.weight, self.kept, self.lock = weight, 1, threading.Lock()

    def __getstate__(self):
        return {"kept": self.kept}


class Blank(Forgetful):
    """What it would store has another weight."""

    def __getstate__(self):
        return {"kept": self.kept, "weight": None}


class BuiltAnew(Forgetful):
    """It would be built from nothing."""

    def __reduce__(self):
        return BuiltAnew, (0,)


class Slots:
    """What stands in one of its slots would not be stored."""

    __slots__ = ("kept", "weight")

    def __init__(self, weight):
        self.weight, self.kept = weight, 1

    def __getstate__(self):
        return {"kept": self.kept}


@pytest.mark.parametrize("cls", [Forgetful, Blank, BuiltAnew, Slots])
def test_what_a_model_would_not_store_counts(cls):
    assert fingerprint(cls(1)) != fingerprint(cls(2))
    assert fingerprint(cls(1)) == fingerprint(cls(1))


def of_class_with(attribute):
    class Model:
        held = attribute

        def predict(self, X):
            return np.full(len(X), self.held is GATE)

    return Model()


def asks_gate(x):
    return GATE.locked() + x


@pytest.mark.parametrize(
    "model", [of_class_with(threading.Lock()), of_class_with(iter([1])), asks_gate]
)
def test_what_code_finds_by_name_and_nobody_can_read_is_refused(model):
    with pytest.raises(ValueError, match="could not be told apart from others like it; keep it"):
        fingerprint(model)


def test_a_socket_of_a_class_is_refused_by_name():
    with (
        socket.socket() as held,
        pytest.raises(ValueError, match=r"holds a socket, held, cannot be recognised again"),
    ):
        fingerprint(of_class_with(held))


class Generic_(Generic[KIND]):  # noqa: N801 - a class of this name is in typing
    """A class with a parameter, which only readers of its types need."""

    GATE = 3

    def predict(self):
        return self.GATE


def test_names_of_attributes_and_parameters_of_types_do_not_count():
    assert fingerprint(Generic_()) == fingerprint(Generic_())


class Labelled(np.ndarray):
    """An array with attributes, which its copies lose."""


def test_an_array_whose_copies_lack_its_attributes_is_refused():
    array = np.zeros(3).view(Labelled)
    assert fingerprint(copy.deepcopy(array)) == fingerprint(array)
    array.label = "a"
    with pytest.raises(ValueError, match="with attributes that its copies lack"):
        fingerprint([array])


def test_what_raises_when_it_is_read_is_refused_in_a_sentence():
    released = memoryview(b"a")
    released.release()
    for value in (released, np.ma.masked):
        with pytest.raises(ValueError, match="cannot be recognised again"):
            fingerprint([value])


def test_a_matrix_that_is_a_mapping_is_described_by_its_cells():
    first, second = sparse.dok_matrix((2, 2)), sparse.dok_matrix((2, 2))
    first[0, 1], first[1, 0] = 1.0, 2.0
    second[1, 0], second[0, 1] = 2.0, 1.0
    assert fingerprint(first) == fingerprint(second)


def test_the_order_in_which_attributes_were_set_does_not_count():
    first, second = Forgetful.__new__(Forgetful), Forgetful.__new__(Forgetful)
    first.kept, first.weight = 1, 2
    second.weight, second.kept = 2, 1
    assert fingerprint(first) == fingerprint(second)


def certificate_of(model, schema):
    guarantee = clopper_pearson(errors=0, n=60, delta=0.05)
    found = _UnorderedHasher().add(model).hexdigest() if schema == 2 else fingerprint(model)
    certificate = certify(
        guarantee, kind="risk", subject="it", observed=0.0, n=60, reproduce={"model": found}
    )
    return replace(certificate, schema=schema)


def test_an_older_certificate_knows_its_model_and_a_newer_one_knows_the_order():
    model, other = {"a": 1, "b": 2}, {"b": 2, "a": 1}
    for one in (model, other):
        check_certificate(certificate_of(one, 2), one)
    check_certificate(certificate_of(model, 3), model)
    with pytest.raises(ValueError, match="was issued for another model"):
        check_certificate(certificate_of(model, 3), other)


class Cut(np.float64):
    """A number with attributes."""


class Map(sparse.csr_array):
    """A matrix with attributes."""


def with_scale(value, scale):
    value.scale = scale
    return value


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has it")
def test_long_words_of_numpy_are_told_apart_by_what_they_say():
    kind = np.dtypes.StringDType()
    one, other = (np.array([letter * 40] * 2, dtype=kind) for letter in "ab")
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one) == fingerprint(np.array(["b" * 90, "a" * 40, "a" * 40], dtype=kind)[1:])
    X = np.zeros((2, 1))
    assert data_fingerprint(X, one) != data_fingerprint(X, other)


@pytest.mark.parametrize("make", [lambda: Cut(1), lambda: Map(np.eye(2)), lambda: sparse.eye(2)])
def test_attributes_of_numbers_and_of_sparse_matrices_count(make):
    assert fingerprint(with_scale(make(), 1)) != fingerprint(with_scale(make(), 2))
    assert fingerprint(with_scale(make(), 1)) == fingerprint(with_scale(make(), 1))


def test_a_row_is_not_the_matrix_of_that_row():
    row = np.array([1.0, 0.0, 2.0])
    assert fingerprint(sparse.coo_array(row)) != fingerprint(sparse.coo_array(row[np.newaxis]))


def test_where_words_lay_in_memory_does_not_count_but_an_older_certificate_knows_it():
    texts = ["good dog", "bad cat", "the cat"]
    one, other = (TfidfVectorizer(stop_words=["the"]).fit(texts) for _ in range(2))
    moved = copy.deepcopy(one)
    assert fingerprint(one) == fingerprint(other) == fingerprint(moved)
    moved.transform(texts)
    assert one._stop_words_id != moved._stop_words_id
    assert fingerprint(moved) == fingerprint(one)
    former = _AddressHasher().add(one).hexdigest()
    stated = certify(
        clopper_pearson(errors=0, n=10, delta=0.05),
        kind="risk",
        subject="this model",
        observed=0.0,
        n=10,
        reproduce={"model": former},
    )
    check_certificate(stated, one)
    with pytest.raises(ValueError, match="another model"):
        check_certificate(stated, other.fit(texts[:2]))
