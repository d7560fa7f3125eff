"""Checking a certificate: what was changed after it was issued is found."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from surelearn._wording import percent_outward
from surelearn.app.auditing.bundle import from_json
from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.output import write_run
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.telling.beside import plan_of
from surelearn.app.verify import read_certificate, verify_certificate
from surelearn.base.error_sizes import rounded_to_nearest
from surelearn.bounds import concentration
from surelearn.bounds.holdout import plan_holdout
from surelearn.certificate import Certificate
from surelearn.claims._ranks import keeping_all
from surelearn.evaluate._holdout_claims import copies_by_their_means
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED, ALSO_ROUNDED_BEFORE
from surelearn.persistence.model_files import load_model, save_model

pytestmark = pytest.mark.usefixtures("no_figures")


@pytest.fixture(scope="module")
def written(pets_run, tmp_path_factory):
    out = tmp_path_factory.mktemp("written")
    write_run(pets_run[1], pets_run[0], out)
    return out


def changed(written, **changes):
    """Return the certificate with some of its content changed in the file."""
    content = json.loads((written / "certificate.json").read_text(encoding="utf-8"))
    for name, value in changes.items():
        part = content["reproduce"]["inputs"] if name in content["reproduce"]["inputs"] else content
        part[name] = value
    return Certificate.from_json(json.dumps(content))


def failures(findings):
    return [finding.name for finding in findings if not finding.holds]


def test_an_honest_certificate_passes_alone_and_with_model_and_table(written, pets):
    certificate = read_certificate(written / "certificate.json")
    assert len(verify_certificate(certificate)) == 10
    model = written / "model.surelearn"
    findings = verify_certificate(certificate, model=model, table=pets)
    assert len(findings) == 16
    assert failures(findings) == []


@pytest.mark.parametrize("options", [{"group": "owner"}, {"time": "visit"}])
def test_so_does_one_of_groups_or_of_times(pets, tmp_path, options):
    file = read_table_file(pets)
    run = certify_table(file, target="kind", holdout=0.5, learners=["MixedNaiveBayes"], **options)
    write_run(run, file, tmp_path)
    certificate = read_certificate(tmp_path / "certificate.json")
    findings = verify_certificate(certificate, model=tmp_path / "model.surelearn", table=pets)
    assert failures(findings) == []


def test_so_does_one_of_a_regression_from_a_table_in_an_odd_form(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = x + rng.normal(size=200)
    table = tmp_path / "odd.txt"
    lines = [f"{a:.6f}|{b:.6f}" if i % 9 else f"none|{b:.6f}" for i, (a, b) in enumerate(zip(x, y))]  # noqa: B905
    table.write_text("\n".join(lines) + "\n", encoding="utf-16")
    form = {"delimiter": "|", "header": False, "missing": ["none"], "encoding": "utf-16"}
    file = read_table_file(table, **form)
    run = certify_table(file, target="column_2", learners=["RidgeRegression"], form=form)
    write_run(run, file, tmp_path / "out")
    certificate = read_certificate(tmp_path / "out" / "certificate.json")
    model = tmp_path / "out" / "model.surelearn"
    assert failures(verify_certificate(certificate, model=model, table=table)) == []
    content = certificate.reproduce["inputs"]
    content["n_below"][-1] += 4
    assert failures(verify_certificate(certificate)) != []
    with keeping_all(), rounded_to_nearest():  # as certificates were before
        older = certify_table(file, target="column_2", learners=["RidgeRegression"], form=form)
    assert older.certificate.method == "holdout.quantile"
    assert failures(verify_certificate(older.certificate, model=model, table=table)) == []


def test_so_does_one_that_bet_on_the_mean_loss_of_copies(tmp_path):
    """As certificates did before one of the copies of each row was drawn."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=90).round(2)
    lines = [f"{a},{'b' if a > 0 else 'a'}" for a in np.repeat(x, 2)]
    table = tmp_path / "twice.csv"
    table.write_text("\n".join(["x,kind", *lines]) + "\n", encoding="utf-8")
    file, asked = read_table_file(table), {"target": "kind", "learners": ["MixedNaiveBayes"]}
    with copies_by_their_means():
        older = certify_table(file, **asked)
    newer = certify_table(file, **asked)
    write_run(newer, file, tmp_path / "out")
    model = tmp_path / "out" / "model.surelearn"
    found = [run.certificate for run in (older, newer)]
    assert [c.method.partition(".")[0] for c in found] == ["sequences", "concentration"]
    for c in found:
        assert failures(verify_certificate(c, model=model, table=table)) == []


@pytest.mark.parametrize("target", ["kind", "size"])
def test_so_does_one_that_may_lie_below_what_was_observed(target):
    rng = np.random.default_rng(0)
    size = rng.normal(size=500)
    noisy = size + rng.normal(size=500)
    table = pa.table({"noisy": noisy, "size": size, "kind": np.where(size > 0.0, "b", "a")})
    file = TableFile(Path("t.csv"), table, (), "0" * 64)
    drop, learner = {"kind": ("size", "MixedNaiveBayes"), "size": ("kind", "RidgeRegression")}[
        target
    ]
    asked = {"target": target, "delta": 0.9, "drop": (drop,), "learners": [learner]}
    found = certify_table(file, copies="independent", **asked)
    assert found.certificate.slack < 0.0
    assert failures(verify_certificate(found.certificate)) == []
    assert plan_of(found) == ""


def test_a_changed_bound_is_found(written):
    found = failures(verify_certificate(changed(written, bound=0.01)))
    assert found[0] == "the bound follows from the stored statistics"
    assert "the claim states this bound" in found


def test_a_changed_claim_is_found(written):
    certificate = read_certificate(written / "certificate.json")
    claim = certificate.claim.replace("at most ", "at most 0.")
    assert failures(verify_certificate(changed(written, claim=claim))) == [
        "the claim states this bound"
    ]


def test_a_confidence_that_only_ends_like_the_claimed_one_is_found(written):
    inputs = read_certificate(written / "certificate.json").reproduce["inputs"]
    bound = concentration.clopper_pearson(**{**inputs, "delta": 0.95}).bound
    claim = f"With confidence 95%, this model errs on at most {percent_outward(bound, 'upper')}."
    content = json.loads(changed(written, bound=bound, claim=claim).to_json())
    content["delta"] = content["reproduce"]["inputs"]["delta"] = 0.95  # so it is 5%
    forged = Certificate.from_json(json.dumps(content))
    assert "the claim states this bound" in failures(verify_certificate(forged))


def test_the_certificate_of_the_training_rows_passes_alone(pets):
    file, rules = read_table_file(pets), {"target": "kind", "drop": ("owner", "visit")}
    bound = certify_table(file, holdout=0.5, select="structural-risk", **rules).choice.bound
    assert bound.reproduce["inputs"]["delta"] < bound.delta
    assert failures(verify_certificate(bound)) == []
    inputs = {**bound.reproduce["inputs"], "delta": 0.2}
    forged = replace(bound, reproduce={**bound.reproduce, "inputs": inputs})
    assert "so does delta" in failures(verify_certificate(forged))


@pytest.mark.parametrize("name", ["errors", "n", "delta"])
def test_a_changed_count_is_found(written, name):
    value = {"errors": 0, "n": 600, "delta": 0.2}[name]
    found = failures(verify_certificate(changed(written, **{name: value})))
    assert "the bound follows from the stored statistics" in found


def test_counts_that_make_no_sense_are_found(written):
    for changes in ({"errors": 61}, {"n": "many"}, {"method": "magic.oracle"}):
        (finding,) = verify_certificate(changed(written, **changes))
        assert not finding.holds
        assert finding.evidence.startswith("they cannot be evaluated: ")


def test_a_count_and_bound_changed_together_are_found_by_the_table(written, pets):
    honest = read_certificate(written / "certificate.json")
    bound = concentration.clopper_pearson(errors=0, n=60, delta=0.05).bound
    claim = honest.claim.replace(percent_outward(honest.bound, "upper"), "4.88%")
    planned = plan_holdout(target=bound / 2, error=0.0, delta=0.05)
    content = json.loads(
        changed(written, errors=0, bound=bound, observed=0.0, claim=claim).to_json()
    )
    content["reproduce"]["n_to_halve_slack"] = planned
    content["formula"] = "concentration.clopper_pearson(errors=0, n=60, delta=0.05)"
    forged = Certificate.from_json(json.dumps(content))
    assert failures(verify_certificate(forged)) == []  # it is consistent in itself
    findings = verify_certificate(forged, model=written / "model.surelearn", table=pets)
    assert failures(findings) == [
        "asked again, it gives the same bound",
        "and the same certificate in every word",
    ]


def test_a_changed_assumption_is_found_by_the_table(written, pets):
    certificate = read_certificate(written / "certificate.json")
    conditions = json.loads(certificate.to_json())["preconditions"]
    conditions[0]["status"] = "checked"
    forged = changed(written, preconditions=conditions)
    assert failures(verify_certificate(forged)) == ["each status is one that the issuer can state"]
    findings = verify_certificate(forged, model=written / "model.surelearn", table=pets)
    assert failures(findings)[-1] == "and the same certificate in every word"


def test_a_changed_model_is_found(written, pets, tmp_path):
    saved = load_model(written / "model.surelearn")
    learner = saved.model if not hasattr(saved.model, "steps") else saved.model[-1]
    name = "coef_" if hasattr(learner, "coef_") else "means_"
    setattr(learner, name, getattr(learner, name) + 1e-9)
    other = tmp_path / "model.surelearn"
    save_model(saved.model, other, schema=saved.schema, metadata=saved.metadata)
    certificate = read_certificate(written / "certificate.json")
    found = failures(verify_certificate(certificate, model=other, table=pets))
    assert "the model is the one certified" in found


def test_a_model_file_that_reads_tables_otherwise_is_found(written, pets, tmp_path):
    saved = load_model(written / "model.surelearn")
    first, second, *others = saved.schema["features"]
    swapped = [{**first, "name": second["name"]}, {**second, "name": first["name"]}, *others]
    other = tmp_path / "model.surelearn"
    schema = {**saved.schema, "features": swapped}
    save_model(saved.model, other, schema=schema, metadata=saved.metadata)
    certificate = read_certificate(written / "certificate.json")
    findings = verify_certificate(certificate, model=other, table=pets)
    assert failures(findings) == ["the model is the one certified"]


def test_a_changed_number_of_rows_to_halve_the_slack_is_found(written, pets):
    certificate = read_certificate(written / "certificate.json")
    stored = {**certificate.reproduce, "n_to_halve_slack": 1}
    forged = replace(certificate, reproduce=stored)
    assert failures(verify_certificate(forged)) == ["what else is stored makes sense"]
    findings = verify_certificate(forged, model=written / "model.surelearn", table=pets)
    assert failures(findings)[-1] == "and the same certificate in every word"


def test_changed_data_are_found(written, pets, tmp_path):
    text = pets.read_text(encoding="utf-8")
    certificate = read_certificate(written / "certificate.json")
    for i, other in enumerate((text.replace(",cat\n", ",dog\n", 5), text + "\n")):
        path = tmp_path / f"{i}.csv"
        path.write_text(other, encoding="utf-8")
        found = failures(
            verify_certificate(certificate, model=written / "model.surelearn", table=path)
        )
        assert "the table is the one certified" in found


def test_a_changed_row_of_the_hold_out_is_found(written, pets, pets_run, tmp_path):
    lines = pets.read_text(encoding="utf-8").splitlines()
    row = int(pets_run[1].problem.split.holdout[0]) + 1
    lines[row] = lines[row].replace(",cat", ",X").replace(",dog", ",cat").replace(",X", ",dog")
    path = tmp_path / "pets.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    certificate = read_certificate(written / "certificate.json")
    found = failures(verify_certificate(certificate, model=written / "model.surelearn", table=path))
    assert "the hold-out is the one certified" in found
    assert "asked again, it gives the same bound" in found


def test_a_void_certificate_does_not_pass(written):
    certificate = read_certificate(written / "certificate.json")
    content = json.loads(certificate.to_json())
    content["preconditions"][0]["status"] = "violated"
    content["status"] = "void"
    assert failures(verify_certificate(Certificate.from_json(json.dumps(content)))) == [
        "it states a bound"
    ]


class TestRefusals:
    def test_files_that_cannot_be_read(self, tmp_path):
        damaged = tmp_path / "certificate.json"
        damaged.write_text("{}", encoding="utf-8")
        with pytest.raises(TableError, match="cannot be read: this is not a certificate"):
            read_certificate(damaged)
        damaged.write_bytes(b"\xff\xfe\x00")
        with pytest.raises(TableError, match="cannot be read"):
            read_certificate(damaged)
        with pytest.raises(TableError, match="there is no file"):
            read_certificate(tmp_path / "none.json")
        with pytest.raises(TableError, match="cannot be read: Is a directory"):
            read_certificate(tmp_path)

    def test_a_model_without_its_table(self, written):
        certificate = read_certificate(written / "certificate.json")
        with pytest.raises(TableError, match="give both --model and --data"):
            verify_certificate(certificate, model=written / "model.surelearn")

    def test_a_certificate_that_came_from_elsewhere(self, written, pets):
        certificate = changed(written, reproduce={"inputs": {"errors": 1, "n": 60, "delta": 0.05}})
        with pytest.raises(TableError, match="does not say how its table was split"):
            verify_certificate(certificate, model=written / "model.surelearn", table=pets)

    def test_a_table_that_lacks_a_column_of_the_model(self, written, tmp_path):
        other = tmp_path / "other.csv"
        rows = "".join(f"{i * 0.37:.2f},{'cat' if i % 2 else 'dog'}\n" for i in range(200))
        other.write_text("size,kind\n" + rows, encoding="utf-8")
        certificate = read_certificate(written / "certificate.json")
        with pytest.raises(TableError):
            verify_certificate(certificate, model=written / "model.surelearn", table=other)

    def test_a_corrupted_model_file(self, written, pets, tmp_path):
        broken = tmp_path / "model.surelearn"
        content = bytearray((written / "model.surelearn").read_bytes())
        with zipfile.ZipFile(written / "model.surelearn") as archive:
            start = archive.getinfo("model.json").header_offset
        content[start + 100] ^= 1
        broken.write_bytes(bytes(content))
        certificate = read_certificate(written / "certificate.json")
        with pytest.raises(ValueError, match="damaged"):
            verify_certificate(certificate, model=broken, table=pets)


@pytest.mark.parametrize(
    "changed", [{"allowed": False}, {"number": 2}, {"memory": "damaged"}, {"memory": "x"}]
)
def test_an_entry_of_the_ledger_that_tells_otherwise_is_found(written, changed):
    content = json.loads((written / "certificate.json").read_text())
    content["reproduce"]["ledger"] |= changed
    findings = verify_certificate(Certificate.from_json(json.dumps(content)))
    assert not all(finding.holds for finding in findings)


@pytest.mark.parametrize("place", [("options",), ("options", "form"), ("ledger",)])
def test_names_that_no_run_stores_are_found(written, place):
    content = json.loads((written / "certificate.json").read_text())
    content["reproduce"]["options"]["form"] = {"decimal": ","}
    inside = content["reproduce"]
    for name in place:
        inside = inside[name]
    assert failures(verify_certificate(Certificate.from_json(json.dumps(content)))) == []
    inside["approved_by"] = "the authority"
    assert failures(verify_certificate(Certificate.from_json(json.dumps(content)))) != []


def test_claims_beside_are_about_nothing_that_no_claim_knows(written):
    certificate = read_certificate(written / "certificate.json")
    content = json.loads((written / "claims.json").read_text())
    assert failures(verify_certificate(certificate, beside=from_json(json.dumps(content)))) == []
    content["outcomes"][0]["certificate"]["reproduce"]["audit"]["about"]["approved_by"] = "us"
    assert failures(verify_certificate(certificate, beside=from_json(json.dumps(content)))) != []


def test_the_words_for_rounded_copies_that_older_ones_have_still_hold(written, pets):
    certificate = read_certificate(written / "certificate.json")
    told = tuple(
        replace(p, evidence=p.evidence.replace(ALSO_ROUNDED, ALSO_ROUNDED_BEFORE))
        for p in certificate.preconditions
    )
    assert told != certificate.preconditions
    model, older = written / "model.surelearn", replace(certificate, preconditions=told)
    assert failures(verify_certificate(older, model=model, table=pets)) == []
