"""Model files: the same model comes back, anything else is refused, no code is ever run."""

import json
import pickle
import zipfile

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from surelearn import checks, kernels, losses
from surelearn.app.registry import find_learners
from surelearn.base import fingerprint
from surelearn.learners.kernelized.kernel_perceptron import KernelPerceptron
from surelearn.learners.linear.online_gradient_descent import OnlineGradientDescent
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.persistence import state
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

LEARNERS = find_learners()
MIXED = pa.table(
    {
        "size": [1.0, None, 3.0, 4.0, 2.5, 0.5],
        "colour": pa.array(["red", "blue", None, "red", "blue", "red"]),
    }
)
LABELS = np.array(["no", "no", "yes", "yes", "yes", "no"])


def store_and_load(model, path):
    save_model(model, path, schema={"target": "y"}, metadata={})
    return load_model(path).model


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_comes_back_as_it_was(name, tmp_path):
    X, y = checks.small_table(LEARNERS[name]())
    model = LEARNERS[name]().fit(X, y)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert type(back) is type(model)
    assert fingerprint(back) == fingerprint(model)
    np.testing.assert_array_equal(checks.answer(back, X), checks.answer(model, X))
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            found = getattr(back, method)(X)
            np.testing.assert_array_equal(found, getattr(model, method)(X))


@pytest.mark.parametrize("seed", [None, 2**53 + 1, 2**100])
@pytest.mark.parametrize("name", ["RandomForestClassifier", "BaggingRegressor"])
def test_seeds_of_any_size_come_back(name, seed, tmp_path):
    X, y = checks.small_table(LEARNERS[name]())
    model = LEARNERS[name](n_estimators=2, random_state=seed).fit(X, y)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert back.seed_ == model.seed_
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


@pytest.mark.parametrize("number", [2.0, np.float16(2.0), np.longdouble(2.0), np.int8(2)])
def test_whole_numbers_of_other_types_come_back_as_they_were_given(number, tmp_path):
    X, y = checks.small_table(CARTClassifier())
    model = CARTClassifier(min_samples_leaf=number).fit(X, y)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert type(back.min_samples_leaf) is type(number)
    assert fingerprint(back) == fingerprint(model)


@pytest.mark.parametrize("number", [0.5, np.longdouble(1) / 3])
def test_what_no_file_may_hold_is_not_stored(number, tmp_path):
    X, y = checks.small_table(CARTClassifier())
    model = CARTClassifier().fit(X, y).set_params(most_categories=number)
    with pytest.raises(ModelFileError, match="cannot be stored: "):
        store_and_load(model, tmp_path / "m.surelearn")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [n for n, cls in LEARNERS.items() if hasattr(cls, "partial_fit")])
def test_a_loaded_learner_goes_on_learning_as_the_stored_one(name, tmp_path):
    X, y = checks.small_table(LEARNERS[name]())
    model = LEARNERS[name]()
    # An encoder that saw all its rows at once keeps no sums that more could be added to.
    (model.partial_fit if name == "TableEncoder" else model.fit)(X, y)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert fingerprint(back.partial_fit(X, y)) == fingerprint(model.partial_fit(X, y))


def test_a_tree_of_categories_comes_back(tmp_path):
    model = CARTClassifier().fit(MIXED, LABELS)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert fingerprint(back) == fingerprint(model)
    assert back.predict(MIXED).tolist() == model.predict(MIXED).tolist()
    assert back.to_text() == model.to_text()


@pytest.mark.parametrize(
    "model",
    [
        KernelPerceptron(kernel=0.5 * kernels.Gaussian(gamma=2.0) + kernels.Linear() ** 2),
        OnlineGradientDescent(loss=losses.Logistic()),
    ],
    ids=["kernel", "loss"],
)
def test_kernels_and_losses_come_back_with_their_learner(model, tmp_path):
    X, y = checks.small_table(model)
    model.fit(X, y)
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert fingerprint(back) == fingerprint(model)
    np.testing.assert_array_equal(back.decision_function(X), model.decision_function(X))


def test_a_pipeline_of_encoders_comes_back(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"size": [1.0, np.nan, 3.0, 4.0], "colour": ["red", "blue", "red", "red"]})
    encode = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["size"]),
            ("words", OneHotEncoder(handle_unknown="ignore"), ["colour"]),
        ]
    )
    model = make_pipeline(encode, Perceptron(max_iter=10)).fit(frame, [0, 0, 1, 1])
    back = store_and_load(model, tmp_path / "m.surelearn")
    assert fingerprint(back) == fingerprint(model)
    assert back.predict(frame).tolist() == model.predict(frame).tolist()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -0.0,
        float("nan"),
        float("inf"),
        2**200,
        "naïve",
        (1, (2.5, [None])),
        {1: "a", "b": (2,), None: [3]},
        np.float32(0.1),
        np.int8(-3),
        np.bool_(1),
        np.str_("x"),
        np.array(["a", "bcd"]),
        np.array([[True], [False]]),
        np.array([None, "a", 2.5], dtype=object),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array(3.0),
        sparse.csr_array(np.eye(3)),
        sparse.csr_matrix(np.eye(2)),
        slice(1, None),
        np.dtype("float32"),
        np.float64,
    ],
    ids=repr,
)
def test_every_value_comes_back_with_its_type(value):
    describer = state.Describer()
    told = json.loads(json.dumps(describer.describe(value), allow_nan=False))
    back = state.restore(told, describer.arrays)
    assert type(back) is type(value)
    assert fingerprint(back) == fingerprint(value)
    assert repr(back) == repr(value)


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        model = CARTClassifier().fit(MIXED, LABELS)
        save_model(model, tmp_path / name, schema={}, metadata={"seed": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "model.surelearn"
    model = Perceptron().fit([[-1.0], [1.0], [2.0]], ["no", "yes", "yes"])
    save_model(model, path, schema={}, metadata={})
    return path


def rewritten(path, **changed):
    """Write the archive again with another description, its hash made to fit."""
    from surelearn.persistence import archive as container  # noqa: PLC0415

    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(members["model.json"]) | changed
    members["model.json"] = json.dumps(told).encode()
    del members["sha256"]
    members["sha256"] = container.digest(members)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def test_any_byte_of_the_content_that_changes_is_noticed(stored):
    content = stored.read_bytes()
    with zipfile.ZipFile(stored) as archive:
        places = [info.header_offset + 60 for info in archive.infolist()]
    for place in places:
        stored.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(ModelFileError, match=r"damaged|not a model file"):
            load_model(stored)


@pytest.mark.parametrize("n_left", [0, 10, 200, -1])
def test_a_file_cut_short_is_refused(stored, n_left):
    stored.write_bytes(stored.read_bytes()[:n_left])
    with pytest.raises(ModelFileError, match=r"not a model file|damaged"):
        load_model(stored)


def test_a_newer_format_is_refused_with_the_remedy(stored):
    rewritten(stored, format=3)
    with pytest.raises(ModelFileError, match="update surelearn"):
        load_model(stored)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "evil",
    [
        {"$object": "os:system", "state": {}},
        {"$object": "builtins:eval", "state": {}},
        {"$tuple": ["echo"], "class": "subprocess:Popen"},
        {"$tuple": [1], "class": "surelearn.learners.linear.perceptron:Perceptron"},
        {"$object": "surelearn.persistence.model_files:Path", "state": {}},
        {"$object": "surelearn.persistence.state:importlib.os.system", "state": {}},
        {"$object": "surelearn.nowhere:Thing", "state": {}},
        {"$object": "surelearn.nowhere:Perceptron", "state": {}},
        {"$object": "os.system", "version": 1, "state": {}},
        {"$object": "learn_stream", "version": 1, "state": {}},
        {"$object": "kernels", "version": 1, "state": {}},
        {"$object": "kernels.np.ndarray", "version": 1, "state": {}},
        {"$object": "row-reader", "version": 1, "state": {}},
        {"$object": "no-such-thing", "version": 1, "state": {}},
        {"$object": "tree", "version": 99, "state": {}},
        {"$record": "Perceptron", "version": 1, "fields": {}},
        {"$record": "row-reader", "version": 1, "fields": {"width": 3}},
        {"$call": "os.system"},
        {"$array": 99},
        {"$object": 3},
        {},
    ],
    ids=str,
)
def test_a_file_that_names_anything_else_is_refused(stored, evil, version):
    rewritten(stored, model=evil, format=version)
    with pytest.raises(ModelFileError):
        load_model(stored)


def test_a_pickle_in_place_of_an_array_is_not_opened(stored):
    with zipfile.ZipFile(stored) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["arrays/0.npy"] = pickle.dumps(np.zeros(3))
    with zipfile.ZipFile(stored, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(stored)
    rewritten(stored)  # the hash fits again
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(stored)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04", pickle.dumps({"a": 1})])
def test_a_foreign_file_is_refused(tmp_path, content):
    path = tmp_path / "model.surelearn"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)


def test_a_zip_of_something_else_is_refused(tmp_path):
    path = tmp_path / "model.surelearn"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(ModelFileError, match="there is no model file"):
        load_model(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="cannot be read"):
        load_model(tmp_path)


TWO_ROWS = [[0.0], [1.0]], [0, 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomForestClassifier(n_estimators=1).fit(*TWO_ROWS),
        lambda: make_pipeline(FunctionTransformer(np.log1p), Perceptron()).fit(*TWO_ROWS),
        lambda: Perceptron(max_iter=lambda: 3),
    ],
    ids=["foreign", "function", "lambda"],
)
def test_what_cannot_be_stored_is_refused_and_nothing_is_left_behind(tmp_path, make):
    model = make()
    with pytest.raises(ModelFileError, match="cannot be stored: it holds a"):
        save_model(model, tmp_path / "m", schema={}, metadata={})
    assert not list(tmp_path.iterdir())


def test_an_interrupted_write_keeps_the_old_file(stored, monkeypatch):
    before = stored.read_bytes()

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_model(Perceptron().fit([[0.0], [1.0]], [0, 1]), stored, schema={}, metadata={})
    assert stored.read_bytes() == before
    assert [path.name for path in stored.parent.iterdir()] == [stored.name]


def test_a_learner_is_stored_while_another_thread_fits_it(tmp_path):
    """Meanwhile scikit-learn keeps what its callbacks are told on the learner itself."""
    model = Perceptron().fit(np.eye(2), [0, 1])
    before = fingerprint(model)
    model._callback_fit_ctx = model._parent_callback_ctx = object()
    save_model(model, tmp_path / "m", schema={}, metadata={})
    assert fingerprint(model) == fingerprint(load_model(tmp_path / "m").model) == before


def test_labels_that_no_file_holds_are_refused_when_stored_not_when_loaded(tmp_path):
    days = np.array(["2020-01-01", "2021-01-01"], dtype="M8[D]")
    model = CARTClassifier().fit([[0.0], [1.0]], days)
    with pytest.raises(ModelFileError, match=r"cannot be stored: .* turn the labels into text"):
        save_model(model, tmp_path / "model.surelearn", schema={}, metadata={})
    assert not any(tmp_path.iterdir())
