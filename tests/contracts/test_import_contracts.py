"""Each import contract is kept, and one deliberate violation of each breaks it."""

import copy
import pathlib

import grimp
import pytest
from importlinter import configuration
from importlinter.application import use_cases
from importlinter.domain.contract import registry

ROOT = pathlib.Path(__file__).parents[2]
configuration.configure()
OPTIONS = use_cases.read_user_options(str(ROOT / "pyproject.toml"))
use_cases._register_contract_types(OPTIONS)
CONTRACTS = {options["id"]: options for options in OPTIONS.contracts_options}

VIOLATIONS = {
    "floors": [
        ("surelearn.bounds.mistakes", "surelearn.learners.linear.perceptron"),
        ("surelearn._jit.rows", "surelearn.base.validation"),
        ("surelearn.evaluate.holdout", "surelearn.app.certify"),
        ("surelearn.losses.margins", "surelearn.kernels.vectors"),
        ("surelearn._typing", "surelearn._arguments"),
    ],
    "families": [
        ("surelearn.learners.bayes.gaussian_naive_bayes", "surelearn.learners.linear.perceptron"),
    ],
    "front-ends": [("surelearn.cli.certify", "surelearn.evaluate.holdout")],
    "below-base": [
        ("surelearn.losses.margins", "sklearn"),
        ("surelearn.kernels.vectors", "narwhals"),
    ],
    "data-frames": [("surelearn.evaluate.holdout", "narwhals")],
    "arrow": [("surelearn.persistence.model_files", "pyarrow")],
    "no-frame-library": [
        ("surelearn.base.validation", "pandas"),
        ("surelearn.app.certify", "polars"),
    ],
    "matplotlib": [("surelearn.evaluate.holdout", "matplotlib")],
    "terminal": [("surelearn.app.certify", "rich"), ("surelearn.report.page", "typer")],
    "river": [("surelearn.scale.streams", "river")],
    "signatures": [
        ("surelearn.app.verify", "cryptography"),
        ("surelearn.certificate._canonical", "cryptography"),
    ],
    "not-built-yet": [
        ("surelearn.app.certify", "starlette"),
        ("surelearn.persistence.model_files", "msgspec"),
    ],
    "dask": [("surelearn.scale.streams", "dask"), ("surelearn.app.certify", "distributed")],
}
CASES = [(contract, *pair) for contract, pairs in VIOLATIONS.items() for pair in pairs]


@pytest.fixture(scope="module")
def graph():
    return grimp.build_graph("surelearn", include_external_packages=True, cache_dir=None)


def kept(contract, graph):
    options = CONTRACTS[contract]
    check = registry.get_contract_class(options["type"])(
        name=options["name"], session_options=OPTIONS.session_options, contract_options=options
    )
    return check.check(graph=copy.deepcopy(graph), verbose=False).kept


def with_import(graph, importer, imported):
    """Return the graph of the package with one more import."""
    assert importer in graph.modules, "the module that is to break the contract has moved"
    broken = copy.deepcopy(graph)
    if imported not in broken.modules:
        broken.add_module(imported, is_squashed=not imported.startswith("surelearn."))
    broken.add_import(importer=importer, imported=imported)
    return broken


@pytest.mark.parametrize("contract", CONTRACTS)
def test_it_is_kept(contract, graph):
    assert kept(contract, graph)


@pytest.mark.parametrize(("contract", "importer", "imported"), CASES)
def test_one_violation_breaks_it(contract, importer, imported, graph):
    assert not kept(contract, with_import(graph, importer, imported))


def an_import_inside(graph, package):
    """Return a module and another one beside it in a package, which it imports."""
    siblings = sorted(graph.find_children(package))
    for importer in siblings:
        for imported in sorted(graph.find_modules_directly_imported_by(importer)):
            if imported in siblings:
                return importer, imported
    raise AssertionError(f"nothing in {package} imports anything beside it")


@pytest.mark.parametrize("package", ["base", "app.problem", "evaluate", "learners.linear"])
def test_an_import_back_makes_a_circle(graph, package):
    importer, imported = an_import_inside(graph, f"surelearn.{package}")
    assert not kept("no-circles", with_import(graph, imported, importer))


def test_every_contract_is_broken_once():
    assert {*VIOLATIONS, "no-circles"} == set(CONTRACTS)


def test_ensembles_may_import_trees_and_nothing_else_and_not_be_imported(graph):
    importer, imported = "surelearn.learners.ensembles.bagging", "surelearn.learners.trees._tree"
    built = copy.deepcopy(graph)
    for module in ("surelearn.learners.ensembles", importer):
        built.add_module(module)
    assert kept("families", with_import(built, importer, imported))
    perceptron = "surelearn.learners.linear.perceptron"
    assert not kept("families", with_import(built, importer, perceptron))
    assert not kept("families", with_import(built, perceptron, importer))
    assert not kept("families", with_import(built, imported, importer))


def test_a_new_floor_must_be_placed(graph):
    built = copy.deepcopy(graph)
    built.add_module("surelearn.attic")
    assert not kept("floors", built)


def floors_of(contract, key):
    return {name.removeprefix("surelearn.") for name in CONTRACTS[contract][key]}


def test_no_floor_is_left_out_of_the_contracts_that_list_them(graph):
    floors = {name.removeprefix("surelearn.") for name in graph.find_children("surelearn")}
    layers = [layer.split(" | ") for layer in CONTRACTS["floors"]["layers"]]
    order = [name for layer in layers for name in layer]
    below_base = set(order[order.index("base") + 1 :])
    assert floors_of("below-base", "source_modules") == below_base
    free = {"__main__", "app", "cli", "_typing", "_wording"}
    assert floors_of("front-ends", "forbidden_modules") == floors - free
