"""What surelearn wrote before its redesign still loads, predicts, goes on learning and verifies."""

import json
import math
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from scipy import sparse
from typer.testing import CliRunner

from surelearn import Certificate, check_certificate
from surelearn.app.verify import read_certificate, verify_certificate
from surelearn.cli import app

try:
    from surelearn.persistence.model_files import load_model
except ModuleNotFoundError:  # the release that wrote the fixtures
    from surelearn.app.model_files import load_model

FIXTURES = Path(__file__).parents[1] / "fixtures" / "format_1"


def expected_of(kind):
    """Return what is expected of each model of an archive, by its name."""
    with zipfile.ZipFile(FIXTURES / f"{kind}.zip") as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        return {Path(name).stem: json.loads(archive.read(name)) for name in names}


MODELS, GAMES = expected_of("models"), expected_of("games")
LATER = [name for name, expected in MODELS.items() if "later" in expected]
BOUND = [name for name, expected in MODELS.items() if "certificate" in expected]
CERTIFICATES = sorted(FIXTURES.glob("certificates/*.json"))
FOLDERS = sorted(path.parent for path in FIXTURES.glob("certified/*/certificate.json"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The model files, as they were written."""
    out = tmp_path_factory.mktemp("format_1")
    for kind in ("models", "games"):
        with zipfile.ZipFile(FIXTURES / f"{kind}.zip") as archive:
            archive.extractall(out / kind)
    return out


def array(told):
    """Return an array that was stored as its type, its shape and its cells."""
    kind = np.dtype(told["dtype"])
    cells = [float(cell) for cell in told["values"]] if kind.kind == "f" else told["values"]
    return np.array(cells, dtype=kind).reshape(told["shape"])


def rows(told):
    """Return the rows that a model is asked about, in the form in which it was asked."""
    ((form, content),) = told.items()
    if form == "matrix":
        return array(content)
    if form == "sparse":
        return sparse.csr_array(array(content))
    table = pa.table({name: pa.array(c["cells"], type=c["type"]) for name, c in content.items()})
    return table.to_pandas() if form == "frame" else table


def assert_answers(model, X, expected):
    assert expected
    for method, told in expected.items():
        found = getattr(model, method)(X)
        assert_same(found.toarray() if sparse.issparse(found) else found, array(told), method)


def assert_same(found, expected, what=""):
    """Require the same labels and counts, and the same numbers up to the order of sums."""
    found = np.asarray(found)
    assert found.dtype.kind == expected.dtype.kind, what
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12, err_msg=what)
    else:
        np.testing.assert_array_equal(found, expected, err_msg=what)


def assert_proves(model, expected):
    """Require the same theorems with the same numbers."""
    stated = [[c.method, c.status, c.bound, c.observed] for c in model.certificates()]
    assert [line[:2] for line in stated] == [line[:2] for line in expected]
    said = [status != "void" for _, status, *_ in expected]  # a void one states no number any more
    numbers = np.array([line[2:] for line in expected], dtype=np.float64).reshape(-1, 2)[said]
    found = np.array([line[2:] for line in stated]).reshape(-1, 2)[said]
    np.testing.assert_allclose(found, numbers, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_file_loads_and_predicts(name, folder):
    expected = MODELS[name]
    saved = load_model(folder / "models" / f"{name}.surelearn")
    assert type(saved.model).__name__ == expected["class"]
    assert saved.schema == {"target": "y"}
    assert saved.metadata == {"name": expected["name"]}
    assert_answers(saved.model, rows(expected["input"]), expected["answers"])
    if expected["certificates"] is not None:
        assert_proves(saved.model, expected["certificates"])


@pytest.mark.parametrize("name", LATER)
def test_a_learner_stopped_in_mid_stream_goes_on(name, folder):
    expected, later = MODELS[name], MODELS[name]["later"]
    model = load_model(folder / "models" / f"{name}.surelearn").model
    model.partial_fit(rows(later["input"]), array(later["targets"]))
    assert_answers(model, rows(expected["input"]), later["answers"])


@pytest.mark.parametrize("name", BOUND)
def test_a_certificate_still_knows_its_model(name, folder):
    certificate = Certificate.from_json(json.dumps(MODELS[name]["certificate"]))
    assert certificate.reproduce["model"] == MODELS[name]["fingerprint"]
    model = load_model(folder / "models" / f"{name}.surelearn").model
    check_certificate(certificate, model)
    other = "Halfspace_small" if name != "Halfspace_small" else "Perceptron_small"
    with pytest.raises(ValueError, match="another model"):
        check_certificate(certificate, load_model(folder / "models" / f"{other}.surelearn").model)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_stopped_in_the_middle_goes_on(name, folder):
    expected = GAMES[name]
    game = load_model(folder / "games" / f"{name}.surelearn").model
    bandit = hasattr(game, "play")
    assert_same(game.probabilities if bandit else game.weights, array(expected["weights"]))
    assert_proves(game, expected["certificates"])
    rest = {key: array(told) for key, told in expected["rest"].items()}
    assert_same((game.play if bandit else game.learn)(**rest), array(expected["answers"]))
    assert_same(game.probabilities if bandit else game.weights, array(expected["later"]))


@pytest.mark.parametrize("path", CERTIFICATES, ids=lambda path: path.stem)
def test_a_certificate_of_schema_1_is_read_and_verified(path):
    text = path.read_text(encoding="utf-8")
    stored = json.loads(text)
    certificate = Certificate.from_json(text)
    assert certificate.status == stored["status"]
    void = certificate.status == "void"
    assert certificate.claim.startswith("Void: ") if void else certificate.claim == stored["claim"]
    assert math.isnan(certificate.bound) == void
    stated = [(p.name, p.status, p.evidence) for p in certificate.preconditions]
    assert stated == [(p["name"], p["status"], p["evidence"]) for p in stored["preconditions"]]
    if certificate.status == "void":
        with pytest.raises(ValueError, match="void"):
            certificate.verify()
    else:
        certificate.verify()
    again = Certificate.from_json(certificate.to_json())
    assert (again.status, again.claim) == (certificate.status, certificate.claim)


def test_a_failed_gate_of_schema_1_has_the_keys_of_its_theorem():
    failed = [path for path in CERTIFICATES if "clopper_pearson_void" in path.stem]
    assert len(failed) == 2
    for path in failed:
        certificate = Certificate.from_json(path.read_text(encoding="utf-8"))
        assert certificate.preconditions[0].key == "independent"


@pytest.mark.parametrize("run", FOLDERS, ids=lambda path: path.name)
def test_what_certify_wrote_is_verified_from_model_and_table(run):
    told = json.loads((run / "told.json").read_text(encoding="utf-8"))
    findings = verify_certificate(
        read_certificate(run / "certificate.json"),
        model=run / "model.surelearn",
        table=run.parent / "tables" / told["table"],
    )
    assert len(findings) > 7
    assert [finding.name for finding in findings if not finding.holds] == []


@pytest.mark.parametrize("run", FOLDERS, ids=lambda path: path.name)
def test_what_certify_wrote_predicts(run, tmp_path):
    told = json.loads((run / "told.json").read_text(encoding="utf-8"))
    table, out = run.parent / "tables" / told["table"], tmp_path / "predicted.csv"
    done = CliRunner().invoke(
        app, ["predict", str(run / "model.surelearn"), str(table), "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    expected, found = csv.read_csv(run / "predicted.csv"), csv.read_csv(out)
    for name in expected.column_names:
        cells = np.array(found[name].to_pylist())[::4]
        assert_same(cells, np.array(expected[name].to_pylist()), name)


def test_the_fixtures_are_all_there():
    assert (len(MODELS), len(GAMES), len(FOLDERS)) == (228, 33, 14)
    assert len(CERTIFICATES) == 109
    statuses = {json.loads(p.read_text(encoding="utf-8"))["status"] for p in CERTIFICATES}
    assert statuses == {"valid", "vacuous", "void"}
