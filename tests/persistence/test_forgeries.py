"""Forged and damaged model files end in a sentence: no crash, no hang, no traceback."""

import dataclasses
import io
import json
import os
import re
import subprocess
import sys
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from persistence import forgeries, structured_forgeries
from surelearn import (
    BaggingClassifier,
    GradientBoostingClassifier,
    LinearRegression,
    MaximumEntropy,
    NormalizedWinnow,
    SupportVectorClassifier,
    checks,
    kernels,
)
from surelearn._stored import _classes
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.learners.experts.doubling import Doubling
from surelearn.learners.experts.hedge import Hedge
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.persistence.layouts import layout_of
from surelearn.persistence.model_files import ModelFileError, load_model, save_model


@pytest.fixture
def path(tmp_path):
    return tmp_path / "m.surelearn"


@pytest.fixture
def tree(path):
    """The members of the file of a tree of five nodes."""
    save_model(
        CARTClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "yes", "yes", "no"]),
        path,
        schema={},
        metadata={},
    )
    return forgeries.members_of(path.read_bytes())


def place_of(members, name):
    """Return the member that holds the array of an attribute."""
    text = members["model.json"].decode()
    number = text.split(f'"{name}":{{"$array":')[1].split("}")[0]
    return f"arrays/{number}.npy"


def with_array(members, name, array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return {**members, place_of(members, name): buffer.getvalue()}


def refuse(path, members, match):
    path.write_bytes(forgeries.packed(members))
    with pytest.raises(ModelFileError, match=match):
        load_model(path)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("first_child", [0, -1, 0, -1, -1]),  # a walk that never ends
        ("first_child", [1, -1, 1, -1, -1]),
        ("first_child", [1, -1, 2**40, -1, -1]),
        ("first_child", [1, -1, 3, -1]),
        ("feature", [0, -1, 10**9, -1, -1]),
        ("feature", [0, -1, -7, -1, -1]),
        ("n_children", [2, 0, 10**6, 0, 0]),
        ("default_child", [0, -1, 9, -1, -1]),
        ("route_start", [0, 0, 0, 0, 0, 10**9]),
        ("route_start", [0, 5, 0, 0, 0, 0]),
        ("depth", [0, 1, 1, 2, 9]),
        ("n_rows", [-4, 1, 3, 2, 1]),
    ],
)
def test_a_forged_tree_is_refused_before_any_row_walks_through_it(path, tree, name, array):
    refuse(path, with_array(tree, name, np.array(array)), "cannot be loaded: ")


@pytest.mark.parametrize("change", [np.float32, np.int32, ">f8", "U8", np.complex128])
def test_arrays_of_another_type_are_refused(path, tree, change):
    value = np.load(io.BytesIO(tree[place_of(tree, "value")])).astype(change)
    refuse(path, with_array(tree, "value", value), "value of its Tree|no place in a model")


@pytest.mark.parametrize("shape", ["(1000000000000,)", "(-1,)", "(2, True)", "(0, 99999999999)"])
def test_the_header_of_an_array_is_believed_only_if_the_data_are_there(path, tree, shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(8)
    if shape.startswith("(0"):
        data = data[:-8]
        refuse(path, {**tree, place_of(tree, "value"): data}, "value of its Tree")
    else:
        refuse(path, {**tree, place_of(tree, "value"): data}, "damaged")


@pytest.mark.parametrize("version", [0, -1, "2", 2.0, True, None, 10**30, [2]])
def test_only_formats_that_are_known_are_read(path, tree, version):
    told = json.loads(tree["model.json"]) | {"format": version}
    refuse(path, tree | {"model.json": json.dumps(told).encode()}, "format|damaged")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"7",
        b"{",
        b"[" * 100_000,
        b'{"kind": ' + b"9" * 5000 + b"}",
        b'{"kind": "surelearn model", "format": 2, "model": NaN}',
        b'{"kind": "surelearn model", "format": 2}',
    ],
    ids=lambda text: repr(text[:20]),
)
def test_a_description_that_is_none_is_refused(path, tree, text):
    refuse(path, tree | {"model.json": text}, "damaged|not a model file")


def test_a_member_too_many_twice_or_compressed_is_refused(path, tree):
    refuse(path, tree | {"/etc/passwd": b""}, "other things")
    refuse(path, tree | {"../x": b"", "arrays/99.npy": b""}, "other things")
    path.write_bytes(forgeries.packed(tree, compression=zipfile.ZIP_DEFLATED))
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("model.json", b"{}")
    with pytest.raises(ModelFileError, match="overlap"):
        load_model(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ModelFileError, match="not a regular file"):
        load_model(pipe)


def test_a_huge_file_of_something_else_is_not_read_to_its_end(path):
    with path.open("wb") as file:
        file.truncate(300_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="not a model file of surelearn"):
            load_model(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_file_larger_than_memory_is_refused_before_it_is_read(path, tree):
    path.write_bytes(forgeries.packed(tree))
    with path.open("ab") as file:
        file.truncate(2**42)
    with pytest.raises(ModelFileError, match=r"4,398\.0 GB.* 3 times as much .*this machine has"):
        load_model(path)


def test_a_file_that_holds_no_model_is_refused(path, tree):
    told = json.loads(tree["model.json"])
    told["model"], told["n_arrays"] = [1, 2], 0
    refuse(path, {"model.json": json.dumps(told).encode()}, "no model")


def test_an_attribute_that_would_hide_a_method_is_refused(path, tree):
    for name in ("predict", "__class__", "__dict__", "_read", "n_leaves_"):
        told = json.loads(tree["model.json"])
        told["model"]["state"][name] = 1
        refuse(path, tree | {"model.json": json.dumps(told).encode()}, f"no attribute '{name}'")


def test_two_attributes_do_not_share_an_array(path, tree):
    told = json.loads(tree["model.json"])
    told["model"]["state"]["missing_"] = told["model"]["state"]["rare_"]
    refuse(path, tree | {"model.json": json.dumps(told).encode()}, "two attributes share it")


@pytest.mark.parametrize(
    "parts",
    [
        ([1.0], [9], [0, 1]),
        ([1.0], [-1], [0, 1]),
        ([1.0], [0], [0, 99]),
        ([1.0, 2.0], [0, 1], [2, 0]),
        ([1.0], [0, 1], [0, 2]),
    ],
)
def test_a_sparse_matrix_with_entries_outside_it_is_refused(path, parts):
    X = sparse.csr_array([[1.0, 2.0], [0.0, 1.0], [-1.0, 0.0]])
    save_model(KernelPerceptron(max_iter=2).fit(X, [0, 1, 0]), path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    support = told["model"]["state"]["learnt_"]["fields"]["states"]["$tuple"][0]["fields"]
    for place, part in zip(support["support"]["$tuple"][0]["$csr"], parts, strict=True):
        buffer = io.BytesIO()
        np.save(buffer, np.array(part))
        members[f"arrays/{place['$array']}.npy"] = buffer.getvalue()
    support["support"]["$tuple"][0]["shape"] = [1, 2]
    members["model.json"] = json.dumps(told).encode()
    refuse(path, members, "sparse matrix")


@pytest.mark.parametrize(
    ("learner", "name", "array", "match"),
    [
        (LinearRegression(), "factor", np.zeros((3, 3)), "its sums are over no rows"),
        (GradientBoostingClassifier(n_estimators=1), "classes_", np.array([0]), "for 1 classes"),
    ],
    ids=lambda part: type(part).__name__,
)
def test_numbers_that_only_an_answer_would_trip_over_are_refused(path, learner, name, array, match):
    X = [[0.0], [1.0], [2.0], [3.0]]
    save_model(learner.fit(X, [0, 1, 0, 1]), path, schema={}, metadata={})
    refuse(path, with_array(forgeries.members_of(path.read_bytes()), name, array), match)


def test_levels_of_a_forged_tree_do_not_double_without_end(path):
    """Each pair of nodes leads to the next one: sixty levels would be 2^60 nodes of a walk."""
    X = np.random.default_rng(0).normal(size=(300, 2))
    learner = GradientBoostingClassifier(n_estimators=1, min_samples_leaf=1)
    save_model(learner.fit(X, X[:, 0] * X[:, 1] > 0.0), path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    child = np.load(io.BytesIO(members[place_of(members, "child")]))
    n = len(child) - 1 + len(child) % 2
    forged = np.arange(len(child))
    forged[0] = 1
    forged[1 : n - 2] = np.arange(1, n - 2) + 1 + np.arange(1, n - 2) % 2
    assert forged[:5].tolist() == [1, 3, 3, 5, 5]
    refuse(path, with_array(members, "child", forged), "child of two")
    object.__setattr__(learner.trees_, "child", forged)
    with pytest.raises(ValueError, match="changed after fit"):
        learner.predict(X)


def test_a_file_holds_no_functions_of_features(path):
    model = MaximumEntropy(tol=0.2).fit([[0.0], [1.0], [1.0]], [0, 1, 0])
    save_model(model, path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    told["model"]["state"]["features"] = "x"
    refuse(path, members | {"model.json": json.dumps(told).encode()}, "functions|cannot be that")


def test_huge_numbers_in_a_record_are_numbers_or_refused(path):
    X = np.eye(4)
    save_model(NormalizedWinnow().fit(X, [0, 1, 0, 1]), path, schema={}, metadata={})
    text = forgeries.members_of(path.read_bytes())["model.json"].decode()
    assert '"bound":' in text
    for number in ("1" + "0" * 30, "1" + "0" * 400):
        forged = re.sub(r'"bound":[-0-9.e+]+', f'"bound":{number}', text)
        members = {**forgeries.members_of(path.read_bytes()), "model.json": forged.encode()}
        (path.parent / "forged").write_bytes(forgeries.packed(members))
        with suppress(ModelFileError):
            forgeries.try_out(load_model(path.parent / "forged").model, X, [0, 1, 0, 1])


def test_a_norm_whose_square_overflows_has_estimates_too():
    X = np.random.default_rng(0).normal(size=(10, 2))
    machine = SupportVectorClassifier(kernel=kernels.Linear()).fit(X, X[:, 0] > 0.0)
    machine.norms_ = np.array([1e200])
    assert machine.leave_one_out_estimates().radius_margin == np.inf


@pytest.mark.parametrize(("name", "number"), [("n_left", -1), ("n_left", 9), ("n_epochs", 2**32)])
def test_epochs_of_doubling_are_those_of_its_rounds(path, name, number):
    game = Doubling(Hedge())
    game.learn(np.eye(2).repeat(5, axis=0))
    save_model(game, path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    load_model(path).model.learn(np.eye(2))
    refuse(path, with_array(members, name, np.array([number])), "not those of the rounds")


def test_parameters_must_be_there_and_of_their_kind(path):
    save_model(Perceptron().fit([[-1.0], [1.0]], [0, 1]), path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    for change in ({"max_iter": "many"}, {"max_iter": None}, {"fit_intercept": [1]}):
        told = json.loads(members["model.json"])
        told["model"]["state"] |= change
        refuse(path, members | {"model.json": json.dumps(told).encode()}, "it cannot be that")
    told = json.loads(members["model.json"])
    del told["model"]["state"]["max_iter"]
    refuse(path, members | {"model.json": json.dumps(told).encode()}, "lacks the parameter")


ON_THE_WAY = {"bandit-trace", "bandit-sampling"}  # they stand in no file


def classes_that_are_stored():
    forgeries.models()  # imports every class
    public = {**find_learners(), **find_experts(), **find_bandits()}
    return {**_classes, **public}


def test_every_class_that_stores_arrays_says_what_they_look_like():
    """States of online learners and games are compared with those that their learner starts."""
    started = {type(s) for model, *_ in forgeries.models().values() for s in states_of(model)}
    assert len(started) > 20
    for name, cls in classes_that_are_stored().items():
        if name.startswith(("test-", "example-")) or cls in started or name in ON_THE_WAY:
            continue
        fields = set(getattr(cls, "_fields", ()))
        if dataclasses.is_dataclass(cls):
            fields = {field.name for field in dataclasses.fields(cls)}
        undeclared = fields - set(layout_of(cls))
        assert not undeclared or hasattr(cls, "_check_state"), (name, undeclared)


def states_of(model):
    """Yield the states that `_start` makes, those in them included."""
    pending = list(getattr(model, "states_", ()))
    game = vars(model).get("state_")
    pending += [] if game is None else [getattr(game, "tallies", ()), game.learnt]
    for state in pending:
        yield state
        pending.extend(part for part in state if hasattr(part, "_fields"))


@pytest.mark.parametrize("name", find_learners())
def test_every_attribute_that_a_learner_stores_is_declared(name):
    model, *_ = forgeries.models()[name]
    parameters = set(model.get_params(deep=False))
    undeclared = (
        set(vars(model)) - parameters - set(layout_of(type(model))) - {"_skl_callbacks", "_seal"}
    )
    assert not undeclared, "say with @holds what stands there"


def test_hundreds_of_forgeries_end_in_a_sentence(capsys):
    for forge, n in ((forgeries, 250), (structured_forgeries, 80)):  # the originals take long
        faults, n_used = forge.run(seed=2026, n=n)
        capsys.readouterr()
        assert not faults, "\n".join(faults)
        assert n_used > n // 10  # some must pass, or the rest of the code was never tried


@pytest.mark.slow
@pytest.mark.parametrize("how", ["forgeries", "structured_forgeries"])
@pytest.mark.parametrize("seed", range(8))
def test_thousands_of_forgeries_end_in_a_sentence_and_no_process_dies(seed, how):
    folder = Path(__file__).parents[1]
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-X", "faulthandler", "-m", f"persistence.{how}", str(seed), "5000"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_small_tables_are_the_same_for_all(path):
    """The harness tries models on rows like those they were fitted to."""
    model, X, y = forgeries.models()["CARTClassifier"]
    np.testing.assert_array_equal(X, checks.small_table(model)[0])
    save_model(model, path, schema={}, metadata={})
    forgeries.try_out(load_model(path).model, X, y)


@pytest.mark.parametrize("kind", ["<f8", "|O", "<U3"])
@pytest.mark.parametrize("name", ["kernel_", "kernel", "tol"])
def test_a_type_of_numbers_is_no_function_of_a_learner(path, kind, name):
    X = np.random.default_rng(0).normal(size=(10, 2))
    machine = SupportVectorClassifier(kernel=kernels.Linear()).fit(X, X[:, 0] > 0.0)
    save_model(machine, path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    told = json.loads(members["model.json"])
    told["model"]["state"][name] = {"$numbers": kind}
    refuse(path, members | {"model.json": json.dumps(told).encode()}, f"{name} of its|no kernel")


def test_bagging_of_no_learner_is_refused_by_a_sentence_when_it_is_asked_for_certificates(path):
    X = np.random.default_rng(0).normal(size=(30, 1))
    model = BaggingClassifier(CARTClassifier(), 2, random_state=0).fit(X, X[:, 0] > 0.0)
    save_model(model.set_params(estimator=None), path, schema={}, metadata={})
    members = forgeries.members_of(path.read_bytes())
    forged = members["model.json"].replace(b'"estimator":null', b'"estimator":[[]]')
    assert forged != members["model.json"]
    path.write_bytes(forgeries.packed(members | {"model.json": forged}))
    with pytest.raises((TypeError, ValueError), match=r"estimator=\[\[\]\] must be a classifier"):
        load_model(path).model.certificates()
