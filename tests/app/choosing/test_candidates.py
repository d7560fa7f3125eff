"""Which learners are tried: by task, by the number of rows, and by what an older version knew."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from surelearn.app.certify import certify_table
from surelearn.app.choosing import candidates
from surelearn.app.choosing.candidates import FIRST_LEARNERS, SECOND_LEARNERS, find_candidates
from surelearn.app.choosing.training import spread_of_targets
from surelearn.app.output import write_run
from surelearn.app.tables.read import read_table_file
from surelearn.app.verify import read_certificate, verify_certificate

pytestmark = pytest.mark.usefixtures("no_figures")

SLOW = {
    "NearestNeighborsClassifier": 20_000,
    "SupportVectorClassifier": 10_000,
    "NearestNeighborsRegressor": 20_000,
    "SupportVectorRegressor": 10_000,
    "KernelRidge": 2_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_slow_learners_are_tried_up_to_so_many_rows_or_if_named(name):
    task = "binary" if name.endswith("Classifier") else "regression"
    assert name in find_candidates(task, n_rows=SLOW[name])
    assert name not in find_candidates(task, n_rows=SLOW[name] + 1)
    assert list(find_candidates(task, n_rows=10**6, names=[name])) == [name]


def test_an_older_version_tried_fewer():
    for task in ("binary", "regression"):
        everything = find_candidates(task, n_rows=100)
        for then in (FIRST_LEARNERS, SECOND_LEARNERS):
            older = find_candidates(task, n_rows=100, among=then)
            assert set(older) == set(everything) & then != set(everything)


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    """Return the path of a table whose classes a ring parts: a Gaussian suits it best."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    kind = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    path = tmp_path_factory.mktemp("ring") / "ring.csv"
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "kind": kind}).to_csv(path, index=False)
    return path


def test_a_support_vector_machine_wins_where_it_should(ring):
    run = certify_table(
        read_table_file(ring),
        target="kind",
        learners=["LogisticRegression", "SupportVectorClassifier"],
    )
    assert run.name.startswith("SupportVectorClassifier")


def test_an_old_certificate_is_retrained_among_the_learners_of_then(ring, tmp_path, monkeypatch):
    two = ("MixedNaiveBayes", "SupportVectorClassifier")  # one of then, and one that came later
    monkeypatch.setattr(candidates, "_CLASSIFIERS", {k: candidates._CLASSIFIERS[k] for k in two})
    file = read_table_file(ring)
    run = certify_table(file, target="kind", among=FIRST_LEARNERS)
    write_run(run, file, tmp_path)
    certificate, model = (
        read_certificate(tmp_path / "certificate.json"),
        tmp_path / "model.surelearn",
    )
    silent = {k: v for k, v in certificate.reproduce["options"].items() if k != "tried"}
    for schema, same in ((2, True), (3, False)):  # then a machine would have been chosen
        old = replace(
            certificate, schema=schema, reproduce={**certificate.reproduce, "options": silent}
        )
        found = verify_certificate(old, model=model, table=ring, retrain=True)
        holds = {finding.name: finding.holds for finding in found}
        assert holds["chosen again, it is the same learner"] == same
        assert holds["trained again, it is the same model"] == same


def test_machines_for_numbers_do_not_mind_their_unit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=80), "b": rng.normal(size=80)})
    y = np.sin(X["a"].to_numpy()) + 0.1 * rng.normal(size=80)
    for unit in (1e-3, 1.0, 1e4):
        for name in ("SupportVectorRegressor", "KernelRidge"):
            spread = 0.7 * unit
            found = find_candidates("regression", n_rows=80, names=[name], spread=spread)[name]
            for model in found.values():
                errors = np.abs(model.fit(X, unit * y).predict(X) - unit * y)
                assert errors.mean() < 0.2 * unit


def test_the_spread_of_targets_is_never_0(ring):
    shown = certify_table(read_table_file(ring), target="a", learners=["RidgeRegression"]).problem
    assert 0.8 < spread_of_targets(shown) < 1.2
    assert spread_of_targets(replace(shown, y=np.full(len(shown.y), 3.0))) == 1.0
    rare = np.zeros(len(shown.y))
    rare[shown.training_rows[0]] = 5.0
    assert spread_of_targets(replace(shown, y=rare)) > 0.0
    assert spread_of_targets(replace(shown, task="binary")) == 1.0


def test_a_deep_forest_is_left_out_of_a_long_table_unless_it_is_named():
    deep = "leaves of 1 row"
    for task, name in (
        ("binary", "RandomForestClassifier"),
        ("regression", "RandomForestRegressor"),
    ):
        assert deep in find_candidates(task, n_rows=10_000)[name]
        assert list(find_candidates(task, n_rows=10_001)[name]) == ["leaves of 5 rows"]
        assert deep in find_candidates(task, n_rows=10_001, names=[name])[name]
