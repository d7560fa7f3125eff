"""Intervals as wide as the row asks for: certified, stored, predicted, verified."""

import json

import numpy as np
import pyarrow as pa
import pytest

from contracts.node import needs_node, said_by_script
from surelearn.app.certify import certify_table
from surelearn.app.certify_frame import certify
from surelearn.app.errors import TableError
from surelearn.app.intervals import stored_intervals
from surelearn.app.output import write_run
from surelearn.app.predict import predict_file
from surelearn.app.tables.read import read_table_file
from surelearn.app.telling.report import make_report
from surelearn.app.verify import read_beside, read_certificate, verify_certificate
from surelearn.evaluate.ledger import forget
from surelearn.learners.ensembles.locally_scaled_regressor import LocallyScaledRegressor
from surelearn.persistence.model_files import load_model, save_model

RIDGE = ("RidgeRegression",)


def columns(n=500, seed=0):
    """Return rows whose noise depends on a word."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["quiet", "loud"], size=n)
    x = rng.normal(size=n)
    y = 3.0 * x + np.where(kind == "loud", 5.0, 0.2) * rng.normal(size=n)
    return {"x": x, "kind": kind.tolist(), "y": y}


def write_table(path, n=500, seed=0):
    found = columns(n, seed)
    lines = (f"{x},{kind},{y}" for x, kind, y in zip(*found.values(), strict=True))
    path.write_text("\n".join(["x,kind,y", *lines]) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("intervals")
    forget()
    file = read_table_file(write_table(made / "t.csv"))
    run = certify_table(file, target="y", learners=RIDGE)
    write_run(run, file, made / "out")
    return made, file, run


def failures(findings):
    return [finding.name for finding in findings if not finding.holds]


def checked(out, table, **more):
    certificate = read_certificate(out / "certificate.json")
    beside = read_beside(out / "certificate.json", certificate)
    model = out / "model.surelearn"
    return failures(
        verify_certificate(certificate, model=model, table=table, beside=beside, **more)
    )


def test_a_regression_says_how_wide_its_errors_are(folder):
    _, _, run = folder
    assert isinstance(run.model, LocallyScaledRegressor)
    assert run.options["widths"] == "adaptive"
    assert [str(o.claim) for o in run.claims][-1] == "scaled-error-quantile(alpha=0.1)"
    assert run.intervals.n_widths == run.claims[-1].certificate.bound
    quiet, loud = run.model.predict_width(pa.table({"x": [0.0, 0.0], "kind": ["quiet", "loud"]}))
    assert loud > 5.0 * quiet


def test_the_headline_is_what_it_was_without_widths(folder):
    _, file, run = folder
    forget()
    plain = certify_table(file, target="y", learners=RIDGE, widths=None)
    assert "widths" not in plain.options
    assert not hasattr(plain.model, "predict_width")
    for name in ("bound", "observed", "claim", "delta", "n"):
        assert getattr(plain.certificate, name) == getattr(run.certificate, name)


def test_low_and_high_are_so_many_widths_from_the_prediction(folder, tmp_path):
    """How often they cover is simulated with the learner: a single hold-out may be unlucky."""
    made, _, run = folder
    new = write_table(tmp_path / "new.csv", n=400, seed=1)
    predicted = predict_file(made / "out" / "model.surelearn", new)
    assert predicted.table.column_names == ["prediction", "low", "high"]
    said, low, high = (column.to_numpy() for column in predicted.table.columns)
    rows = pa.table({name: column for name, column in columns(400, 1).items() if name != "y"})
    reach = run.claims[-1].certificate.bound * run.model.predict_width(rows)
    np.testing.assert_allclose(high - said, reach, rtol=1e-9)
    np.testing.assert_allclose(said - low, reach, rtol=1e-9)
    (said,) = [str(note) for note in predicted.notes if note.about == "low and high"]
    assert "with confidence 95%, at least 90% of new rows" in said


def test_an_honest_run_is_verified_and_comes_out_again(folder):
    made, file, _ = folder
    assert checked(made / "out", file.path, retrain=True) == []


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("change", ["smaller", "absent", "made up"])
def test_other_intervals_than_those_certified_are_found_out(folder, tmp_path, change):
    _, file, run = folder
    out = tmp_path / "out"
    write_run(run, file, out)
    saved = load_model(out / "model.surelearn")
    stored = dict(saved.metadata)
    if change == "absent":
        stored.pop("intervals")
    else:
        factor = {"smaller": {"n_widths": 0.5}, "made up": {"alpha": 1e-6}}[change]
        stored["intervals"] = {**stored["intervals"], **factor}
    save_model(saved.model, out / "model.surelearn", schema=saved.schema, metadata=stored)
    assert checked(out, file.path) == ["the intervals it predicts are those certified"]


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [2.0],
        {"n_widths": 2.0},
        {"n_widths": -2.0, "alpha": 0.1, "delta": 0.05},
        {"n_widths": True, "alpha": 0.1, "delta": 0.05},
        {"n_widths": 2.0, "alpha": 1.5, "delta": 0.05},
        {"n_widths": "2", "alpha": 0.1, "delta": 0.05},
    ],
)
def test_nonsense_in_a_model_file_is_refused(folder, stored):
    _, _, run = folder
    with pytest.raises(TableError, match="makes no sense"):
        stored_intervals(run.model, {"intervals": stored})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda h: h.pop("widths"), "not those that are expected"),
        (lambda h: h.update(widths=1), "other words"),
        (lambda h: h.update(widths=False), "other words"),
    ],
)
def test_a_bundle_that_denies_its_widths_is_found_out(folder, tmp_path, change, said):
    made, _, _ = folder
    content = json.loads((made / "out" / "claims.json").read_text(encoding="utf-8"))
    for one in content["outcomes"]:
        change(one["certificate"]["reproduce"]["holdout"])
    (tmp_path / "claims.json").write_text(json.dumps(content), encoding="utf-8")
    text = (made / "out" / "certificate.json").read_text(encoding="utf-8")
    (tmp_path / "certificate.json").write_text(text, encoding="utf-8")
    certificate = read_certificate(tmp_path / "certificate.json")
    beside = read_beside(tmp_path / "certificate.json", certificate)
    wrong = [f for f in verify_certificate(certificate, beside=beside) if not f.holds]
    assert len(wrong) == 1
    assert said in wrong[0].evidence


def test_constant_widths_are_as_before_and_nothing_is_written_of_intervals():
    found = certify(pa.table(columns()), target="y", learners=RIDGE, widths="constant")
    assert found.run.options["widths"] == "constant"
    assert found.run.intervals is None
    new = pa.table({"x": [0.0], "kind": ["quiet"]})
    assert found.predict(new).column_names == ["prediction"]
    assert "--widths constant" in make_report(found.run, found.file).reproduce["command"]
    forget()
    adaptive = certify(pa.table(columns()), target="y", learners=RIDGE)
    assert adaptive.predict(new).column_names == ["prediction", "low", "high"]
    report = make_report(adaptive.run, adaptive.file)
    assert "--widths" not in report.reproduce["command"]
    assert "An interval for each row" in [card.label for card in report.cards]
    assert "An interval for each row" in [figure.title for figure in report.figures]


def test_odd_options_and_claims_are_refused():
    file = pa.table(columns(200))
    with pytest.raises(TableError, match="widths may be adaptive or constant"):
        certify(file, target="y", widths="wide")
    with pytest.raises(TableError, match="width"):
        certify(file, target="y", widths="constant", claims=["scaled-error-quantile"])


@pytest.mark.parametrize("how", [{"time": "t"}, {"group": "g"}])
def test_rows_in_time_and_in_groups_have_intervals_too(how):
    n = 1000
    extra = {"t": np.arange(n), "g": [f"g{i // 2}" for i in range(n)]}
    kept = {name: extra[name] for name in how.values()}
    found = certify(pa.table({**columns(n), **kept}), target="y", learners=RIDGE, **how)
    assert found.run.intervals is not None
    assert found.claims[-1].certificate.n == found.certificate.n


def test_a_learner_of_another_library_has_intervals():
    found = certify(
        pa.table(columns()), target="y", learners=["sklearn.linear_model:LinearRegression"]
    )
    assert found.run.intervals is not None


def test_classes_have_no_widths():
    table = columns(300)
    table["y"] = np.where(table["y"] > 0.0, "yes", "no").tolist()
    found = certify(pa.table(table), target="y", learners=["CARTClassifier"])
    assert "widths" not in found.run.options


@needs_node
def test_the_script_of_the_report_expects_them_too(folder):
    made, _, _ = folder
    text = (made / "out" / "claims.json").read_text(encoding="utf-8")
    content = json.loads(text)
    for one in content["outcomes"]:
        one["certificate"]["reproduce"]["holdout"].pop("widths")
    states = [found["state"] for found in said_by_script([text, json.dumps(content)])]
    assert states == ["recomputed", "refused"]
