"""Tables in parts: certified, audited and verified a block at a time, whoever does the work."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from sklearn.metrics import roc_auc_score
from typer.testing import CliRunner

import surelearn
from surelearn import scale
from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.in_parts import first_look
from surelearn.app.in_parts.sides import drawn
from surelearn.app.in_parts.workers import working
from surelearn.app.output import write_run
from surelearn.app.problem.copies import identify
from surelearn.app.tables.parted_file import list_parts
from surelearn.app.verify import read_beside, verify_certificate
from surelearn.cli import app
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

LEARNERS = {"kind": ["MixedNaiveBayes"], "price": ["RidgeRegression"]}
OTHER = {"kind": "price", "price": "kind"}


def world(n=1500, seed=0):
    """Return a table with numbers, words, a missing target, and two columns to predict."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    colour = rng.choice(["red", "green", "blue"], n)
    price = X @ [1.0, -2.0] + (colour == "red") + rng.normal(size=n)
    kind = np.where(price > 0, "yes", "no").tolist()
    kind[3] = None
    columns = {"a": X[:, 0], "b": X[:, 1], "colour": colour, "price": price, "kind": kind}
    return pa.table(columns)


def write(place, table, n_files=3):
    place.mkdir(exist_ok=True)
    size = -(-len(table) // n_files)
    for i in range(n_files):
        parquet.write_table(table.slice(size * i, size), place / f"{i}.parquet", row_group_size=170)
    return place


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("world") / "parts", world())


@pytest.fixture(autouse=True)
def afresh():
    forget()


def certified(source, target, **options):
    forget()
    given = {"learners": LEARNERS[target], "drop": [OTHER[target]], **options}
    return surelearn.certify(source, target=target, **given)


def files_of(found, out):
    return {path.name: path.read_bytes() for path in found.save(out, force=True)}


@pytest.mark.parametrize("target", ["kind", "price"])
def test_a_folder_is_certified_and_verified(target, folder, tmp_path):
    found = certified(str(folder / "*.parquet"), target)
    assert found.certificate.status == "valid"
    assert len(found.certificate.to_json()) < 6000
    model, *_ = found.save(tmp_path / "out")
    how = {"model": model, "table": folder, "retrain": True}
    findings = verify_certificate(found.certificate, **how)
    assert [f for f in findings if not f.holds] == []
    assert len(findings) > 15


def held_out_rows(found, table):
    """Return the rows held out, as the model reads them."""
    known = table.filter(pa.array([kind is not None for kind in table["kind"].to_pylist()]))
    rows = first_look.in_few_types(known, ())
    sides = found.run.problem.reader.sides
    held = rows.filter(pa.array(sides.held_out(sides.hashes(rows))))
    return held.select(["a", "b", "colour"]), held["kind"].to_numpy(zero_copy_only=False)


def test_claims_about_scores_are_those_of_the_rows_held_out(folder):
    found = certified(folder, "kind")
    X, y = held_out_rows(found, parquet.read_table(folder))
    certificates = {o.claim.name: o.certificate for o in found.run.answers.claims}
    assert {"auc", "roc", "precision-recall", "calibration-error"} <= set(certificates)
    chances = found.model.predict_proba(X)[:, 1]
    assert certificates["auc"].observed == pytest.approx(roc_auc_score(y == "yes", chances))
    assert found.certificate.reproduce["options"]["in_parts"] == "all learners"


def test_a_run_from_before_scores_were_used_unasked_is_done_again_as_it_was(folder, tmp_path):
    file = first_look.look_at_parts(folder, target="kind", seed=0, holdout=0.2)
    asked = {"target": "kind", "learners": ["MixedNaiveBayes"], "drop": ["price"]}
    run = certify_table(replace(file, scored=False), **asked)
    names = {o.claim.name for o in run.answers.claims}
    assert names
    assert not names & {"auc", "roc"}
    model, certificate, *_ = write_run(run, file, tmp_path / "out")
    path, stated = tmp_path / "out" / "certificate.json", run.certificate
    assert certificate == path
    how = {"model": model, "table": folder, "retrain": True, "beside": read_beside(path, stated)}
    assert [f for f in verify_certificate(stated, **how) if not f.holds] == []


def test_intervals_have_widths_of_their_own(folder, tmp_path):
    found = certified(folder, "price")
    X = held_out_rows(found, parquet.read_table(folder))[0]
    stated = found.run.intervals
    assert stated.n_widths > 0.0
    assert len(found.run.problem.answered.width) == len(found.run.problem.answered.y)
    assert np.isin(found.model.predict_width(X), found.run.problem.answered.width).all()
    assert "An interval for each row" in found.save(tmp_path / "out")[-1].read_text("utf-8")
    alike = certified(folder, "price", widths="constant")
    assert alike.run.intervals is None
    assert alike.certificate.bound == found.certificate.bound


def test_a_folder_of_other_rows_is_told_apart(folder, tmp_path):
    found = certified(folder, "price")
    model, *_ = found.save(tmp_path / "out")
    other = write(tmp_path / "other", world(seed=1))
    findings = verify_certificate(found.certificate, model=model, table=other)
    wrong = [f.name for f in findings if not f.holds]
    assert {"the table is the one certified", "the hold-out is the one certified"} <= set(wrong)


@pytest.mark.parametrize("target", ["kind", "price"])
def test_processes_write_the_same_files_as_one(target, folder, tmp_path, two_processes):
    alone = files_of(certified(folder, target), tmp_path / "alone")
    shared = files_of(certified(folder, target, executor=two_processes), tmp_path / "shared")
    for name in ("certificate.json", "claims.json"):
        assert shared[name] == alone[name]
    other = files_of(certified(folder, target, seed=1), tmp_path / "seed")  # the control
    assert other["certificate.json"] != alone["certificate.json"]


def test_a_row_stands_on_the_same_side_in_whatever_file_it_is(folder, tmp_path):
    table = world()
    turned = write(
        tmp_path / "turned", table.take(np.random.default_rng(2).permutation(len(table))), 2
    )
    first, other = (certified(place, "price").run.problem for place in (folder, turned))
    assert set(first.answered.hashes.tolist()) == set(other.answered.hashes.tolist())
    sides = first.reader.sides
    assert 0.15 < len(first.answered.y) / first.n_rows < 0.25
    seeds = {tuple(drawn(first.answered.hashes, 0.5, f"{seed}").tolist()) for seed in range(3)}
    assert len(seeds) == 3
    assert sides.held_out(first.answered.hashes).all()


def test_copies_stand_on_one_side_and_count_as_one(tmp_path):
    table = world(400)
    place = write(tmp_path / "copies", pa.concat_tables([table, table.slice(0, 300), table]))
    found = certified(place, "price")
    problem = found.run.problem
    assert problem.split.kind == "distinct"
    assert found.certificate.n == len(np.unique(problem.answered.hashes)) < len(problem.answered.y)
    trained = scale.parts(place)  # no row held out is among those that train
    tables = [block.X for part in trained for block in part.blocks()]
    hashes = np.concatenate(
        [problem.reader.sides.hashes(first_look.in_few_types(t, ())) for t in tables]
    )
    train = hashes[~problem.reader.sides.held_out(hashes)]
    assert not np.isin(problem.answered.hashes, train).any()
    assert found.certificate.method == "holdout.quantile_from_ranks"


def test_whole_groups_are_held_out(tmp_path):
    table = world(900).append_column("owner", pa.array([f"o{i // 3}" for i in range(900)]))
    place = write(tmp_path / "groups", table)
    found = certified(place, "kind", group="owner")
    assert found.run.problem.split.kind == "group"
    assert found.certificate.method == "sequences.betting_counted"
    assert found.certificate.n < len(found.run.problem.answered.y)


def test_learners_that_cannot_learn_parts_say_on_which_rows_they_learnt(folder, monkeypatch):
    notes = [str(note) for note in certified(folder, "kind", learners=["CARTClassifier"]).run.notes]
    assert any("training rows (they fit into memory)" in note for note in notes)
    with monkeypatch.context() as few:
        few.setattr(first_look, "FEWEST_ROWS", 100)
        few.setattr(first_look, "MOST_CELLS", 500)
        found = certified(folder, "kind", learners=["CARTClassifier"])
    notes = [str(note) for note in found.run.notes]
    assert any("it does not learn part by part" in note for note in notes)
    notes = [str(note) for note in certified(folder, "kind").run.notes]
    assert any("fitted to all" in note for note in notes)


def test_a_sample_decides_and_all_rows_train(folder, monkeypatch):
    monkeypatch.setattr(first_look, "FEWEST_ROWS", 100)
    monkeypatch.setattr(first_look, "MOST_CELLS", 500)
    found = certified(folder, "price")
    problem = found.run.problem
    assert 50 < len(problem.split.train) < 250
    assert problem.n_training > 1000
    assert found.model.regressor_[-1].n_training_rows_ == problem.n_training
    assert problem.split.kind == "distinct"  # of rows that nobody looked at, some may be copies


def test_no_bound_on_distinct_rows_is_proved_by_a_sample_of_their_copies(tmp_path, monkeypatch):
    """Copies with ids of their own are sampled one by one: a row with many stands more often."""
    x = np.random.default_rng(0).normal(size=300).repeat(3)
    kind = np.where(x > 0, "yes", "no")
    copies = write(tmp_path / "parts", pa.table({"x": x, "kind": kind, "id": np.arange(900)}))
    rules = {"target": "kind", "select": "structural-risk", "drop": ["id"]}
    run = surelearn.certify(copies, **rules).run
    n = run.choice.bound.n  # one of each row's copies
    assert n < 300
    told = " ".join(map(str, run.notes))
    assert f"compared on {n} of the {run.problem.n_training} training rows" in told
    assert "one of the copies of each (as many as are compared" in told
    assert f"fitted to the same {n} rows" in told
    monkeypatch.setattr(first_look, "FEWEST_ROWS", 300)
    monkeypatch.setattr(first_look, "MOST_CELLS", 300)
    with pytest.raises(TableError, match="with many such copies stands more often"):
        surelearn.certify(copies, **rules)


def test_a_folder_and_its_rows_in_one_file_are_one_table_to_a_ledger(folder):
    found = first_look.look_at_parts(folder, target="kind", seed=0, holdout=0.2)
    joined = parquet.read_table(folder)
    shuffled = joined.take(np.random.default_rng(0).permutation(len(joined)))
    assert found.rows.is_mostly(identify(first_look.in_few_types(shuffled, ()), "kind"))
    assert not found.rows.is_mostly(identify(first_look.in_few_types(world(seed=5), ()), "kind"))
    certified(folder, "kind")
    void = surelearn.certify(joined, target="kind", learners=["MixedNaiveBayes"], drop=["price"])
    assert void.certificate.status == "void"  # another look at the same rows


def test_csv_files_are_a_table_too(folder, tmp_path):
    for path in sorted(folder.glob("*.parquet")):
        csv.write_csv(parquet.read_table(path), tmp_path / f"{path.stem}.csv")
    found = certified(str(tmp_path / "*.csv"), "kind")
    assert found.run.problem.n_rows == 1499
    assert found.certificate.status == "valid"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time": "a"}, "not split by time"),
        ({"copies": "independent"}, "copies stay together"),
        ({"target": "price_"}, "did you mean 'price'"),
        ({"executor": 3}, "has no method submit"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(folder, options, message):
    with pytest.raises(TableError, match=message):
        surelearn.certify(folder, **{"target": "price", "drop": ["kind"], **options})


def test_a_checkpoint_that_is_a_file_is_refused_in_a_sentence(folder, tmp_path):
    taken = tmp_path / "kept"
    taken.write_text("")
    with (
        pytest.raises(TableError, match="name another folder with --checkpoint"),
        working(checkpoint=taken),
    ):
        surelearn.certify(folder, target="price", drop=["kind"])


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(TableError, match="holds no Parquet, Arrow or CSV file"):
        surelearn.certify(tmp_path, target="y")


def answers(n=900):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, n)
    said = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    return pa.table({"case": np.arange(n) * 7, "truth": truth, "said": said})


def test_an_audit_of_a_folder_is_that_of_its_rows(tmp_path, two_processes):
    table = answers()
    place = write(tmp_path / "answers", table)
    asked = {"truth": "truth", "prediction": "said", "claims": ["sensitivity", "error"]}
    whole = surelearn.audit(table, **asked)
    forget()
    shared = surelearn.audit(str(place / "*.parquet"), executor=two_processes, **asked)
    forget()
    alone = surelearn.audit(place, **asked)
    bounds = [[c.bound for c in run.audit.certificates] for run in (whole, alone, shared)]
    assert bounds[0] == bounds[1] == bounds[2]
    again = surelearn.audit(place, **asked, looks=2)
    assert again.certificate.status == "void"  # the rows are known again


def test_the_commands_take_a_pattern_and_workers(folder, tmp_path):
    out, data = tmp_path / "out", f"{folder}/*.parquet"
    place = write(tmp_path / "answers", answers())
    for words in (
        f"certify|{data}|--target|kind|--drop|price|--learner|MixedNaiveBayes|--workers|1|--out|{out}",
        f"verify|{out}/certificate.json|--model|{out}/model.surelearn|--data|{data}",
        f"audit|{place}|--truth|truth|--prediction|said|--claim|error|--out|{tmp_path}/audited",
        f"verify|{tmp_path}/audited/certificate.json|--data|{place}",
    ):
        ran = CliRunner().invoke(app, words.split("|"))
        assert ran.exit_code == 0, ran.output
    assert json.loads((out / "certificate.json").read_text())["status"] == "valid"


def test_the_bytes_of_a_table_are_listed_once(folder, monkeypatch):
    listed = []
    monkeypatch.setattr(first_look, "list_parts", lambda *a: listed.append(a) or list_parts(*a))
    first_look.look_at_parts(folder, target="kind", seed=0, holdout=0.2)
    assert len(listed) == 1
