"""Names in model files: no module path, each found again, and what to do about an unknown one."""

import dataclasses
import importlib
import json
import zipfile
from contextlib import suppress
from typing import NamedTuple

import grimp
import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

import surelearn
from surelearn import _stored, checks, kernels, losses
from surelearn._stored import find_stored, stored
from surelearn.app.registry import find_bandits, find_experts, find_learners
from surelearn.learners.encoders.table_encoder import TableEncoder
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.trees._cut_back_tree import CutBackTree
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.persistence import names
from surelearn.persistence.model_files import ModelFileError, load_model, save_model

LEARNERS = find_learners()
COLOURS = pa.table({"size": [1.0, None, 3.0, 4.0], "colour": ["red", "blue", None, "red"]})


@pytest.fixture(autouse=True)
def _forget_the_names_of_tests():
    """Leave none of the names behind that a test registered; the library's own stay."""
    yield
    for name in [name for name in _stored._classes if name.startswith("test-")]:
        del _stored._classes[name]


def described(model, path):
    """Return what a model's file says of it."""
    save_model(model, path, schema={}, metadata={})
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("model.json"))["model"]


def named(told):
    """Yield the stored name of every object in a description, in the order of the file."""
    if isinstance(told, list):
        for value in told:
            yield from named(value)
    elif isinstance(told, dict):
        name = told.get("$object", told.get("$record"))
        if name is not None:
            yield name
        for value in told.values():
            yield from named(value)


OPTIONS = {
    "metric": ("manhattan", "chebyshev", "gower"),
    "alphas": ([0.1, 1.0],),
    "covariance_type": ("tied", "diag", "spherical"),
}


def of_learner(name):
    """Yield a learner fitted in the ways that change what it holds, as far as it knows them."""
    cls = LEARNERS[name]
    X, y = checks.small_table(cls())
    yield cls().fit(X, y)
    known = [option for option in OPTIONS if option in cls().get_params()]
    tried = [(sparse.csr_array(X), {}), *((X, {o: v}) for o in known for v in OPTIONS[o])]
    for rows, options in tried:
        with suppress(TypeError, ValueError):  # it may know no sparse rows, or fewer metrics
            yield cls(**options).fit(rows, y)


def others():
    """Yield models of what learners are combined with, and games."""
    rows, y = np.random.default_rng(0).normal(size=(2000, 12)), np.arange(2000) % 2
    yield surelearn.NearestNeighborsClassifier().fit(rows, y)
    yield surelearn.NearestNeighborsClassifier().fit(rows[:, :2], y)
    yield make_pipeline(TableEncoder(), Perceptron()).fit(COLOURS, [0, 0, 1, 1])
    yield CutBackTree(CARTClassifier()).fit(rows[:50], y[:50])
    kernel = (0.5 * kernels.Gaussian(gamma=2.0) + kernels.Linear() ** 2 + 1.0).normalised().exp()
    yield surelearn.KernelPerceptron(kernel=kernel * kernels.Linear()).fit(rows[:9], y[:9])
    yield surelearn.OnlineGradientDescent(loss=losses.Logistic()).fit(rows[:9], y[:9])
    yield surelearn.MatrixCompletion(rank=1).fit(rows[:9]).entries()
    for name, cls in find_experts().items():
        game = cls(*([surelearn.Hedge()] if name == "Doubling" else []))
        said = np.eye(4)
        two = name in {"AggregatingAlgorithm", "Halving", "WeightedMajority"}
        game.learn(said, said[:, 1].copy()) if two else game.learn(said)
        yield game
    yield from (cls(n_arms=2) for cls in find_bandits().values())


def assert_known(model, path, graph):
    """Require of every name in a model's file that it says no module and is found again."""
    told = described(model, path)
    assert "surelearn." not in json.dumps(told)
    loaded = []
    for name in named(told):
        cls = find_stored(name)
        assert cls is not None, name
        own = cls.__module__
        if name.islower() and name not in names._MODULES and "." not in name:
            # Classes are looked up in the order of the file: one before has imported this one.
            assert any(own == m or graph.chain_exists(m, own) for m in loaded), name
        if own.startswith("surelearn."):
            loaded.append(own)


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("surelearn", cache_dir=None)


@pytest.mark.parametrize("name", LEARNERS)
def test_the_file_of_a_learner_names_no_module_and_all_its_names_are_found(name, tmp_path, graph):
    for model in of_learner(name):
        assert_known(model, tmp_path / "m", graph)


def test_files_of_pipelines_kernels_and_games_name_no_module(tmp_path, graph):
    models = list(others())
    assert len(models) > 20
    for model in models:
        assert_known(model, tmp_path / "m", graph)


@pytest.mark.parametrize(("name", "module"), names._MODULES.items())
def test_models_that_nothing_imports_are_where_they_are_said_to_be(name, module):
    importlib.import_module(module)
    assert find_stored(name).__module__ == module


@dataclasses.dataclass(frozen=True)
class Sums:
    """Stands for a private state of a learner."""

    total: float


class Limits(NamedTuple):
    """Stands for a private state that is a tuple."""

    low: float
    high: float


def registered_as(name, cls, module, qualname, **attributes):
    """Return the class as if it were written in another place and under another name."""
    _stored._classes.pop(name, None)
    moved = type(qualname, (cls,), {"__module__": module, **attributes})
    return stored(name, version=attributes.get("_version", 1))(moved)


@pytest.fixture
def old_file(tmp_path):
    """A model that holds two private states, and its file."""
    sums = registered_as("test-sums", Sums, "surelearn.old_place", "OldSums")
    limits = registered_as("test-limits", Limits, "surelearn.old_place", "OldLimits")
    model = Perceptron().fit([[-1.0], [1.0]], [0, 1])
    model.extra_ = (sums(3.0), limits(1.0, 2.0))
    save_model(model, tmp_path / "m", schema={}, metadata={})
    return tmp_path / "m"


def test_a_class_that_moved_and_was_renamed_loads(old_file):
    sums = registered_as("test-sums", Sums, "surelearn.new_place", "Totals")
    limits = registered_as("test-limits", Limits, "surelearn.new_place", "Ends")
    found = load_model(old_file).model.extra_
    assert [type(part) for part in found] == [sums, limits]
    assert found[0].total == 3.0
    assert found[1] == (1.0, 2.0)


def test_a_class_whose_attributes_changed_reads_its_older_files(old_file):
    def upgrade(attributes):
        return {"total": attributes["total"] + 1.0}

    def rename(attributes):
        return {"low": attributes["high"], "high": attributes["low"]}

    changed = {"_version": 2, "_upgrade_state": staticmethod(upgrade)}
    registered_as("test-sums", Sums, "surelearn.new_place", "Totals", **changed)
    changed = {"_version": 2, "_upgrade_state": staticmethod(rename)}
    registered_as("test-limits", Limits, "surelearn.new_place", "Ends", **changed)
    sums, limits = load_model(old_file).model.extra_
    assert sums.total == 4.0
    assert limits == (2.0, 1.0)


def test_a_file_of_the_same_version_is_not_upgraded(old_file):
    def upgrade(attributes):
        raise AssertionError(attributes)

    changed = {"_upgrade_state": staticmethod(upgrade)}
    registered_as("test-sums", Sums, "surelearn.new_place", "Totals", **changed)
    assert load_model(old_file).model.extra_[0].total == 3.0


def test_a_class_that_is_gone_is_named(old_file):
    del _stored._classes["test-sums"]
    with pytest.raises(ModelFileError, match="this version of surelearn has no 'test-sums'"):
        load_model(old_file)


def test_a_later_version_of_a_class_is_refused_with_the_remedy(old_file):
    find_stored("test-sums")._stored_version = 0
    with pytest.raises(ModelFileError, match="OldSums is of a later version: update surelearn"):
        load_model(old_file)


def test_the_author_of_a_class_without_a_name_is_told_what_to_do(tmp_path):
    model = Perceptron().fit([[-1.0], [1.0]], [0, 1])
    model.extra_ = type("Sums", (Sums,), {"__module__": "surelearn.learners.new"})(3.0)
    advice = r'put @stored\("..."\) of surelearn._stored on surelearn.learners.new.Sums'
    with pytest.raises(ModelFileError, match=advice):
        save_model(model, tmp_path / "m", schema={}, metadata={})
    assert not list(tmp_path.iterdir())
