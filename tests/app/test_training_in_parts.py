"""Every learner that can learns from all training rows of a folder; what cannot is said."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import surelearn
from surelearn import RandomForestRegressor, scale
from surelearn.app.certify import certify_table, pose
from surelearn.app.choosing.candidates import find_candidates
from surelearn.app.in_parts import first_look
from surelearn.app.in_parts.training import fits_parts
from surelearn.app.in_parts.training_rows import TrainingRows
from surelearn.app.verify import verify_certificate
from surelearn.base.fingerprint import fingerprint
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

N, SAMPLED = 1200, 300


def world():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    colour = rng.choice(["red", "green", "blue"], N)
    price = X @ [1.0, -2.0] + (colour == "red") + rng.normal(size=N)
    return pa.table({"a": X[:, 0], "b": X[:, 1], "colour": colour, "price": price})


def with_kind(table):
    kind = np.where(table["price"].to_numpy() > 0.0, "yes", "no")
    return table.drop_columns(["price"]).append_column("kind", pa.array(kind))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place, table = tmp_path_factory.mktemp("training"), world()
    for name, rows in (("price", table), ("kind", with_kind(table))):
        (place / name).mkdir()
        for i in range(3):
            part = rows.slice(400 * i, 400)
            parquet.write_table(part, place / name / f"{i}.parquet", row_group_size=150)
    return place


@pytest.fixture(autouse=True)
def afresh():
    forget()


@pytest.fixture
def sampled(monkeypatch):
    """Let learners be compared on some of the rows, as of a huge table."""
    monkeypatch.setattr(first_look, "FEWEST_ROWS", SAMPLED)
    monkeypatch.setattr(first_look, "MOST_CELLS", SAMPLED)


def few(name, **setting):
    """Let one learner be tried, with few trees."""
    learner = getattr(surelearn, name)(**setting)
    return lambda *_, **__: {name: {"": learner}}


def trained_on(model):
    """Return on how many rows a model, or the last step of a pipeline, was trained."""
    predictor = getattr(model, "regressor_", model)
    return int((predictor[-1] if hasattr(predictor, "steps") else predictor).n_training_rows_)


TREES = {
    "RandomForestClassifier": {"n_estimators": 3, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 3, "random_state": 0},
    "GradientBoostingClassifier": {"n_estimators": 3, "max_leaf_nodes": 4},
    "GradientBoostingRegressor": {"n_estimators": 3, "max_leaf_nodes": 4},
}


@pytest.mark.usefixtures("sampled")
@pytest.mark.parametrize("name", TREES)
def test_trees_learn_from_all_training_rows(name, folder, monkeypatch, tmp_path):
    monkeypatch.setattr("surelearn.app.certify.find_candidates", few(name, **TREES[name]))
    target = "price" if name.endswith("Regressor") else "kind"
    found = surelearn.certify(folder / target, target=target)
    problem = found.run.problem
    assert len(problem.split.train) < 400 < problem.n_training
    assert trained_on(found.model) == problem.n_training
    assert any("fitted to all" in str(note) for note in found.run.training_notes)
    grown = [str(n) for n in found.run.training_notes if "rows of its own" in str(n)]
    assert len(grown) == ("Forest" in name)
    model, *_ = found.save(tmp_path / "out")
    how = {"model": model, "table": folder / target, "retrain": True}
    assert [f for f in verify_certificate(found.certificate, **how) if not f.holds] == []


@pytest.mark.usefixtures("sampled")
def test_a_boosting_that_stops_early_stops_where_the_sample_does(folder, monkeypatch):
    setting = {"early_stopping": True, "n_iter_no_change": 1, "random_state": 0}
    setting |= {"n_estimators": 20, "max_leaf_nodes": 4, "learning_rate": 1.0}
    make = few("GradientBoostingRegressor", **setting)
    monkeypatch.setattr("surelearn.app.certify.find_candidates", make)
    found = surelearn.certify(folder / "price", target="price")
    model = found.model.regressor_
    assert model.n_training_rows_ == found.run.problem.n_training
    assert 1 < model.n_estimators == model.n_estimators_ < 20
    told = [str(note) for note in found.run.training_notes if note.about == "rounds"]
    assert [line.partition(",")[0] for line in told] == [
        f"rounds: {model.n_estimators} (that many it took to stop early"
    ]


@pytest.mark.usefixtures("sampled")
def test_an_online_learner_sees_all_rows_once(folder):
    found = surelearn.certify(folder / "kind", target="kind", learners=["AveragedPerceptron"])
    assert found.model[-1].n_rounds_ == found.run.problem.n_training


@pytest.mark.usefixtures("sampled")
def test_a_run_from_before_trees_learnt_from_all_rows_is_done_again_as_it_was(folder, monkeypatch):
    name = "RandomForestRegressor"
    monkeypatch.setattr("surelearn.app.certify.find_candidates", few(name, **TREES[name]))
    file = first_look.look_at_parts(folder / "price", target="price", seed=0, holdout=0.2)
    run = certify_table(file.as_before("with scores"), target="price")
    assert trained_on(run.model) == len(run.problem.split.train)
    assert "it does not learn part by part" in str(run.training_notes[1])
    again = verify_certificate(run.certificate, table=folder / "price", retrain=True)
    assert [f for f in again if not f.holds] == []


def test_parts_without_training_rows_have_no_number(tmp_path):
    parquet.write_table(world().slice(0, 60), tmp_path / "0.parquet", row_group_size=1)
    asked = {"target": "price", "seed": 0, "holdout": 0.2}
    problem = pose(first_look.look_at_parts(tmp_path, **asked), copies="together", **asked)
    rows, n = TrainingRows(problem.file.parts, problem.reader), len(problem.split.train)
    assert n < len(problem.file.parts) == 60
    numbers = rows.map_parts(told, together, list(range(n)))
    assert [each for each, _ in numbers] == list(range(n))
    assert all(size == 1 for _, size in numbers)
    assert len({key for key, _ in rows.map_parts(keyed, together)}) == n
    forest = RandomForestRegressor(n_estimators=2, random_state=0).fit(rows)
    blocks = list(rows.in_order())
    X, y = pa.concat_tables([b.X for b in blocks]), np.concatenate([b.y for b in blocks])
    whole = RandomForestRegressor(n_estimators=2, random_state=0).fit(X, y)
    assert fingerprint(forest) == fingerprint(whole)


def told(part):
    return [(part.item, sum(len(block.y) for block in part.blocks))]


def keyed(part):
    return [(part.key, sum(len(block.y) for block in part.blocks))]


def together(one, other):
    return one + other


@pytest.mark.slow
@pytest.mark.usefixtures("sampled")
def test_processes_grow_the_same_forest(folder, monkeypatch):
    name = "RandomForestClassifier"
    monkeypatch.setattr("surelearn.app.certify.find_candidates", few(name, **TREES[name]))
    alone = surelearn.certify(folder / "kind", target="kind")
    forget()
    with scale.processes(2) as two:
        shared = surelearn.certify(folder / "kind", target="kind", executor=two)
    assert shared.certificate.to_json() == alone.certificate.to_json()


CANNOT = {
    *("C45Classifier", "CARTClassifier", "CARTRegressor", "SupportVectorClassifier"),
    *("NearestNeighborsClassifier", "NearestNeighborsRegressor"),
    *("SupportVectorRegressor", "KernelRidge"),
}


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_who_can_learn_from_parts(task):
    found = find_candidates(task, n_rows=100)
    able = {
        name
        for name, settings in found.items()
        if all(map(fits_parts, settings.values())) or name.startswith("GradientBoosting")
    }
    assert able == set(found) - CANNOT
    before = {name for name in able if fits_parts(next(iter(found[name].values())), numbered=False)}
    assert before == {"LogisticRegression", "MixedNaiveBayes", "RidgeRegression"} & set(found)
    assert fits_parts(surelearn.LinearRegression(), numbered=False)
