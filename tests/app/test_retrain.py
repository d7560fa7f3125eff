"""`verify --retrain`: the whole run again, which alone shows on what a model was trained."""

import json

import pytest

from surelearn.app.certify import certify_choice, certify_table
from surelearn.app.errors import TableError
from surelearn.app.output import write_run
from surelearn.app.tables.read import read_table_file
from surelearn.app.verify import not_checked, read_certificate, verify_certificate
from surelearn.base.fingerprint import fingerprint
from surelearn.base.seal import sealed
from surelearn.certificate import Certificate
from surelearn.persistence.model_files import save_model

pytestmark = pytest.mark.usefixtures("no_figures")

OPTIONS = {
    "target": "kind",
    "learners": ["MixedNaiveBayes"],
    "drop": ["owner", "visit"],
    "holdout": 0.25,
}


@pytest.fixture(scope="module")
def run(pets):
    file = read_table_file(pets)
    return file, certify_table(file, **OPTIONS)


@pytest.fixture(scope="module")
def written(run, tmp_path_factory):
    out = tmp_path_factory.mktemp("retrained")
    write_run(run[1], run[0], out)
    return out


def failures(findings):
    return [finding.name for finding in findings if not finding.holds]


def test_an_honest_run_comes_out_again(written, pets):
    certificate, trials = read_certificate(written / "certificate.json"), []
    findings = verify_certificate(
        certificate,
        model=written / "model.surelearn",
        table=pets,
        retrain=True,
        on_trial=lambda *trial: trials.append(trial),
    )
    assert failures(findings) == []
    assert trials
    assert failures(verify_certificate(certificate, table=pets, retrain=True)) == []
    sentences = " ".join(not_checked(certificate, with_model=True, retrained=True))
    assert "training part" not in sentences
    assert "trained on the training part only" in " ".join(not_checked(certificate))


def test_a_tree_of_before_its_copies_were_counted_comes_out_again(run, pets, tmp_path):
    """Trees and bags count their distinct rows since: every earlier run of one was refused."""
    now = certify_table(run[0], **{**OPTIONS, "learners": ["CARTClassifier"]})
    del now.model.n_distinct_rows_  # as files of before are read
    sealed(now.model)
    write_run(now, run[0], tmp_path)
    path = tmp_path / "certificate.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["reproduce"]["model"] = fingerprint(now.model)
    certificate = Certificate.from_json(json.dumps(content))
    for model in (None, tmp_path / "model.surelearn"):
        found = verify_certificate(certificate, model=model, table=pets, retrain=True)
        assert failures(found) == []


def cheat(run, out):
    """Write the certificate of a model that was trained on all rows."""
    file, honest = run
    problem, choice = honest.problem, honest.choice
    learner = choice.learner.fit(problem.X, problem.y)
    trained = type(choice)(**{**vars(choice), "model": learner})
    dishonest = certify_choice(problem, trained, delta=0.05, seed=0)
    stored = {
        **dishonest.certificate.reproduce,
        "table": file.sha256,
        "options": honest.certificate.reproduce["options"],
    }
    content = json.loads(dishonest.certificate.to_json())
    content["reproduce"] = stored
    text = Certificate.from_json(json.dumps(content)).to_json()
    (out / "certificate.json").write_text(text, encoding="utf-8")
    made = {"options": stored["options"], "versions": stored["versions"]}
    save_model(
        learner,
        out / "model.surelearn",
        schema=problem.schema,
        metadata={"learner": honest.name, "made": made},
    )


def test_a_model_trained_on_all_rows_passes_everything_else_and_is_found(run, pets, tmp_path):
    cheat(run, tmp_path)
    certificate = read_certificate(tmp_path / "certificate.json")
    files = {"model": tmp_path / "model.surelearn", "table": pets}
    assert failures(verify_certificate(certificate, **files)) == []
    found = failures(verify_certificate(certificate, **files, retrain=True))
    assert "trained again, it is the same model" in found
    found = failures(verify_certificate(certificate, table=pets, retrain=True))
    assert "trained again, it is the same model" in found


def test_another_choice_is_found(written, pets, tmp_path):
    content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
    content["reproduce"]["options"]["learners"] = ["CARTClassifier"]
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    found = failures(
        verify_certificate(
            read_certificate(path), model=written / "model.surelearn", table=pets, retrain=True
        )
    )
    assert "chosen again, it is the same learner" in found


@pytest.mark.parametrize("before", [1, -1, 10**6])
def test_looks_that_the_entry_does_not_count_are_refused(written, pets, tmp_path, before):
    content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
    content["reproduce"]["ledger"]["before"] = before
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    certificate = read_certificate(path)
    assert failures(verify_certificate(certificate)) != []
    with pytest.raises(TableError, match="does not count the looks before it"):
        verify_certificate(certificate, model=written / "model.surelearn", table=pets)


def test_an_input_that_differs_in_its_last_digits_is_found(written, pets, tmp_path):
    content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
    content["reproduce"]["inputs"]["delta"] *= 1.0 + 1e-14
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    files = {"model": written / "model.surelearn", "table": pets}
    found = failures(verify_certificate(read_certificate(path), **files))
    assert "and the same certificate in every word" in found


def test_other_versions_are_told(written, tmp_path):
    content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
    content["reproduce"]["versions"]["numpy"] = "1.0.0"
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    told = " ".join(not_checked(read_certificate(path)))
    assert "made with other versions: numpy 1.0.0 (here " in told


def test_it_needs_the_table(written):
    with pytest.raises(TableError, match="give it with --data"):
        verify_certificate(read_certificate(written / "certificate.json"), retrain=True)
