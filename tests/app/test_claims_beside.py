"""Claims beside the certificate of a table: at a delta of their own, stored, verified, a gate."""

import json
import math
import shutil
import subprocess
from dataclasses import replace
from importlib import resources

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from surelearn.app.auditing.bundle import bundle_of, from_json
from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.report import make_report
from surelearn.app.verify import read_beside, read_certificate, verify_certificate
from surelearn.bounds import concentration, rates, regions
from surelearn.cli import app
from surelearn.evaluate._holdout_draws import draw_some
from surelearn.evaluate._rows_beside import third_labels_mistaken
from surelearn.evaluate.ledger import forget
from surelearn.report import render_html, render_json

pytestmark = pytest.mark.usefixtures("no_ink")

N = 600
NODE = shutil.which("node")
SCRIPT = resources.files("surelearn.report").joinpath("verifier.js")
OPTIONS = {"target": "y", "learners": ["MixedNaiveBayes"]}


def columns(share=0.2, n=N, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return {"x": rng.normal(size=n) + 2.5 * y, "y": np.where(y, "yes", "no")}


def table(**changed):
    return TableFile.of_table(pa.table({**columns(), **changed}))


@pytest.fixture(scope="module")
def run():
    forget()
    return certify_table(table(), **OPTIONS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("beside")
    found = columns()
    lines = [f"{x},{y}" for x, y in zip(found["x"], found["y"], strict=True)]
    (made / "t.csv").write_text("\n".join(["x,y", *lines]) + "\n", encoding="utf-8")
    result = certified(made, "out")
    assert result.exit_code == 0, result.output
    return made


def certified(folder, out, *more):
    """Certify with a ledger of its own, so that it is the first look."""
    words = ["certify", str(folder / "t.csv"), "--target", "y", "--learner", "MixedNaiveBayes"]
    env = {"SURELEARN_STATE": str(folder / f"state-{out}"), "COLUMNS": "120"}
    return CliRunner().invoke(app, [*words, "--out", str(folder / out / "run"), *more], env=env)


class TestTheirLevel:
    def test_the_headline_keeps_its_delta(self, run):
        inputs = run.certificate.reproduce["inputs"]
        counts = {"errors": inputs["errors"], "n": inputs["n"]}
        bound = concentration.clopper_pearson(**counts, delta=0.05).bound
        assert run.certificate.bound == bound
        assert run.certificate.delta == 0.05

    def test_all_of_them_share_delta_once_more(self, run):
        names = [outcome.claim.name for outcome in run.claims]
        assert names[:6] == ["difference", "sensitivity", "specificity", "ppv", "npv", "f1"]
        assert {"auc", "roc", "precision-recall"} < set(names)
        deltas = [outcome.certificate.delta for outcome in run.claims]
        assert deltas[0] == 0.025  # the baseline has half
        assert math.fsum(deltas) <= 0.05 * (1 + 1e-9)
        for outcome in run.claims:
            assert "for all 12 claims together" in outcome.certificate.claim

    def test_a_claim_that_rows_cannot_show_gives_its_share_to_nobody(self):
        always = table(x=np.zeros(N), y=columns(share=0.02)["y"], z=np.arange(N) % 7)
        found = certify_table(always, target="y", learners=["MixedNaiveBayes"])
        assert not (found.answers.predicted == "yes").any()
        assert "Positive predictive value (precision)" in found.answers.beside.left_out
        own = {o.claim.name: o.certificate.delta for o in found.claims}
        assert own["npv"] == pytest.approx(0.025 / 11)

    def test_their_bounds_are_those_of_the_theorems(self, run):
        found = {o.claim.name: o.certificate for o in run.claims}
        y, said = run.problem.held_out.y, run.answers.predicted
        hits, n = int(((y == "yes") & (said == "yes")).sum()), int((y == "yes").sum())
        own = {"true_positives": hits, "n_positive": n, "delta": found["sensitivity"].delta}
        assert found["sensitivity"].bound == rates.sensitivity(**own).bound
        first = int(((said != y) & (y == "no")).sum())  # the baseline says "no"
        counts = {"only_first_wrong": first, "only_second_wrong": hits, "n": len(y)}
        again = regions.error_difference(**counts, delta=0.025).bound
        assert found["difference"].bound == again

    def test_they_rest_on_what_the_certificate_rests_on(self, run):
        whole = {p.key: p for p in run.certificate.preconditions}
        for outcome in run.claims:
            own = {p.key: p for p in outcome.certificate.preconditions}
            for key in ("blind_split", "row_by_row", "untouched", "copies", "not_chosen_by_them"):
                assert own[key] == whole[key]
            assert own["fixed_before"].status == "by-construction"
            outcome.certificate.verify()

    def test_a_second_look_has_no_claims(self):
        first = certify_table(table(), **OPTIONS)
        assert first.claims
        other = certify_table(table(), target="y", learners=["CARTClassifier"])
        assert other.certificate.status == "void"
        assert other.claims == ()

    def test_other_claims_of_the_same_model_are_another_look(self):
        assert certify_table(table(), **OPTIONS).certificate.status == "valid"
        again = certify_table(table(), claims=["sensitivity>=0.5"], **OPTIONS)
        assert again.certificate.status == "void"


class TestWhatIsCounted:
    def test_one_of_the_copies_of_each_row(self):
        found = columns(n=400)
        twice = {name: np.concatenate([values, values[:100]]) for name, values in found.items()}
        run = certify_table(table(**twice), **OPTIONS)
        assert run.problem.split.kind == "distinct"
        assert {o.certificate.reproduce["audit"]["n_rows"] for o in run.claims} == {
            run.certificate.n
        }
        for outcome in run.claims:
            assert outcome.certificate.claim.endswith("where copies of a row count as one.")

    def test_one_row_of_each_group(self):
        run = certify_table(table(who=np.arange(N) // 2), group="who", **OPTIONS)
        assert all(o.certificate.claim.endswith("each of a new group.") for o in run.claims)
        evidence = {p.key: p.evidence for p in run.claims[1].certificate.preconditions}
        assert any(text.startswith("one row of each group; ") for text in evidence.values())

    @pytest.mark.parametrize("split", ["copies", "groups"])
    def test_those_of_a_regression_on_copies_or_groups_hold_alone(self, split):
        rng = np.random.default_rng(0)
        x, places = rng.normal(size=N), np.arange(N) % (N - 60)
        rows = table(x=x[places], y=(2 * x + rng.normal(size=N))[places], who=places // 2)
        how = {"drop": ["who"]} if split == "copies" else {"group": "who"}
        run = certify_table(rows, target="y", learners=["RidgeRegression"], **how)
        assert {o.certificate.reproduce["audit"]["n_rows"] for o in run.claims} == {
            run.certificate.n
        }
        beside = bundle_of(run.claims, run.claims_delta)
        findings = verify_certificate(run.certificate, beside=beside)
        assert all(finding.holds for finding in findings)

    def test_the_rarer_label_is_positive_unless_words_or_the_user_say_so(self):
        words = np.where(columns()["y"] == "yes", "red", "blue")
        rows = certify_table(table(y=words), **OPTIONS).answers.beside.rows
        assert rows.positive == "red"
        forget()
        rows = certify_table(table(y=words), positive="Blue", **OPTIONS).answers.beside.rows
        assert rows.positive == "blue"

    def test_numbers_are_compared_with_their_median(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=N)
        run = certify_table(table(x=x, y=2 * x + rng.normal(size=N)), target="y",
                            learners=["RidgeRegression"])  # fmt: skip
        names = [str(o.claim) for o in run.claims]
        widths = "scaled-error-quantile(alpha=0.1)"
        assert names == ["closer-than-baseline", "error-quantile(alpha=0.5)", widths]
        assert run.claims[0].certificate.bound > 0.5
        assert not any("better than" in warning for warning in run.warnings)


class TestTargets:
    @pytest.mark.parametrize(
        ("claims", "status", "said"),
        [
            (["sensitivity>=0.3", "specificity>=0.8"], 0, "proved"),
            (["sensitivity>=0.3", "ppv>=0.999", "specificity>=0.8"], 3, "refuted"),
            (["sensitivity>=0.8"], 1, "not proved"),
        ],
    )
    def test_they_are_a_gate(self, folder, claims, status, said):
        more = [word for claim in claims for word in ("--claim", claim)]
        out = f"gate-{status}"
        result = certified(folder, out, *more)
        assert result.exit_code == status, result.output
        assert said in result.output
        found = CliRunner().invoke(app, ["verify", str(folder / out / "run" / "certificate.json")])
        assert found.exit_code == 0, found.output

    @pytest.mark.parametrize(
        ("claims", "told"),
        [
            (["sensitivty>=0.9"], "did you mean"),
            (["worst-group"], "no column of groups"),
            (["error-quantile"], "labels, not numbers"),
            (["sensitivity", "sensitivity"], "twice"),
        ],
    )
    def test_what_cannot_be_claimed_is_refused_before_anything_is_trained(self, claims, told):
        with pytest.raises(TableError, match=told):
            certify_table(table(), claims=claims, on_trial=_never, **OPTIONS)
        assert certify_table(table(), **OPTIONS).certificate.status == "valid"  # it was no look

    def test_a_claim_about_rows_that_nobody_called_positive_is_refused_in_a_sentence(self):
        always = table(x=np.zeros(N), y=columns(share=0.02)["y"], z=np.arange(N) % 7)
        with pytest.raises(TableError, match="no row counts for it"):
            certify_table(always, claims=["ppv>=0.5"], **OPTIONS)

    def test_answers_that_are_all_wrong_are_no_reason_to_fail(self):
        y = np.array(["a"] * 300 + ["b"] * 300)
        file = table(x=np.random.default_rng(0).normal(size=N), y=y, when=np.arange(N))
        run = certify_table(file, time="when", holdout=0.4, **OPTIONS)
        assert set(run.problem.held_out.y) == {"b"}
        assert run.claims

    def test_a_label_that_is_none_is_refused(self):
        with pytest.raises(TableError, match="no label 'maybe'"):
            certify_table(table(), positive="maybe", **OPTIONS)


def _never(*_):
    raise AssertionError


class TestVerify:
    def test_the_command_makes_them_again(self, folder):
        out = folder / "out" / "run"
        words = ["verify", str(out / "certificate.json")]
        alone = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
        assert alone.exit_code == 0
        assert "the claims beside it follow from their statistics" in alone.output
        more = ["--model", str(out / "model.surelearn"), "--data", str(folder / "t.csv")]
        whole = CliRunner().invoke(app, [*words, *more], env={"COLUMNS": "200"})
        assert whole.exit_code == 0
        assert "asked again, the claims beside it are the same in every word" in whole.output
        same = CliRunner().invoke(app, ["verify", str(out / "claims.json"), *more])
        assert same.exit_code == 0

    @pytest.mark.parametrize(
        "forge",
        [
            lambda one: one["certificate"].update(bound=one["certificate"]["bound"] + 0.01),
            lambda one: one["certificate"].update(
                claim=one["certificate"]["claim"].replace("95%", "99%")
            ),
            lambda one: one["certificate"]["reproduce"]["inputs"].update(n_positive=10_000),
            lambda one: one["certificate"]["reproduce"]["inputs"].update(delta=0.05),
            lambda one: one["certificate"]["reproduce"].update(model="0" * 40),
            lambda one: one["certificate"]["preconditions"][0].update(status="checked"),
            lambda one: one.update(verdict="proved"),
            lambda one: one.update(claim="specificity"),
        ],
    )
    def test_a_forged_claim_is_refused(self, folder, forge):
        certificate = read_certificate(folder / "out" / "run" / "certificate.json")
        content = json.loads((folder / "out" / "run" / "claims.json").read_text(encoding="utf-8"))
        assert content["outcomes"][1]["claim"] == "sensitivity"
        forge(content["outcomes"][1])
        try:
            forged = from_json(json.dumps(content))
        except ValueError:
            return  # it is no certificate any more
        findings = verify_certificate(certificate, beside=forged)
        assert not all(finding.holds for finding in findings)

    def test_claims_of_another_run_are_refused(self, folder):
        content = (folder / "out" / "run" / "claims.json").read_text(encoding="utf-8")
        other = certify_table(table(x=columns(seed=1)["x"]), **OPTIONS).certificate
        findings = verify_certificate(other, beside=from_json(content))
        assert [f.name for f in findings if not f.holds] == [findings[-1].name]

    def test_claims_without_a_certificate_are_refused_in_a_sentence(self, folder, tmp_path):
        (tmp_path / "claims.json").write_bytes(
            (folder / "out" / "run" / "claims.json").read_bytes()
        )
        result = CliRunner().invoke(app, ["verify", str(tmp_path / "claims.json")])
        assert result.exit_code == 2
        assert "beside a certificate" in result.stderr

    def test_a_certificate_without_claims_verifies_as_ever(self, folder, tmp_path):
        (tmp_path / "certificate.json").write_bytes(
            (folder / "out" / "run" / "certificate.json").read_bytes()
        )
        certificate = read_certificate(tmp_path / "certificate.json")
        assert read_beside(tmp_path / "certificate.json", certificate) is None
        assert all(finding.holds for finding in verify_certificate(certificate))


@pytest.mark.skipif(NODE is None, reason="Node is not installed")
class TestTheScript:
    def test_it_recomputes_them_in_the_page_and_in_their_file(self, folder):
        found = by_script(folder / "out" / "run", "report.html", "report.json", "claims.json")
        assert found.returncode == 0, found.stdout
        assert found.stdout.count("all 12 claims are here") == 3

    @pytest.mark.parametrize(
        "forge",
        [
            lambda all_: all_.pop(1),
            lambda all_: all_[1]["certificate"]["reproduce"]["holdout"].update(scores=False),
            lambda all_: all_[2]["certificate"]["reproduce"].update(model="0" * 40),
            lambda all_: all_[1]["certificate"].update(bound=0.99),
        ],
    )
    def test_it_refuses_what_was_taken_out_or_changed(self, folder, tmp_path, forge):
        content = json.loads((folder / "out" / "run" / "claims.json").read_text(encoding="utf-8"))
        forge(content["outcomes"])
        (tmp_path / "claims.json").write_text(json.dumps(content), encoding="utf-8")
        assert by_script(tmp_path, "claims.json").returncode == 1


class TestAThirdClass:
    """Rows of a class that no training row has, in a hold-out of two classes."""

    SEED = next(
        seed for seed in range(999) if {1, 2} <= {*draw_some(N, fraction=0.2, seed=seed).tolist()}
    )

    @pytest.fixture
    def folder(self, tmp_path):
        found = columns()
        found["y"] = np.where(np.isin(np.arange(N), [1, 2]), "perhaps", found["y"])
        found["x"][[1, 2]] = -9.0, -9.5  # not called "yes"
        lines = [f"{x},{y}" for x, y in zip(found["x"], found["y"], strict=True)]
        (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]) + "\n", encoding="utf-8")
        return tmp_path

    def findings(self, folder, *asked):
        claims = [word for claim in asked for word in ("--claim", claim)]
        result = certified(folder, "out", "--seed", str(self.SEED), *claims)
        assert result.exit_code == 0, result.output
        return self.again(folder)

    def again(self, folder):
        run = folder / "out" / "run"
        certificate = read_certificate(run / "certificate.json")
        beside = read_beside(run / "certificate.json", certificate)
        paths = {"table": folder / "t.csv", "model": run / "model.surelearn"}
        return beside, verify_certificate(certificate, beside=beside, **paths)

    @pytest.mark.parametrize("asked", [(), ("error", "accuracy", "sensitivity", "specificity")])
    def test_its_claims_are_verified(self, folder, asked):
        beside, findings = self.findings(folder, *asked)
        assert beside.certificates[0].reproduce["holdout"]["third"] == 2
        assert all(finding.holds for finding in findings)

    @pytest.mark.skipif(NODE is None, reason="Node is not installed")
    def test_the_script_verifies_them(self, folder):
        self.findings(folder, "error", "accuracy", "sensitivity", "specificity")
        found = by_script(folder / "out" / "run", "report.html", "report.json", "claims.json")
        assert found.returncode == 0, found.stdout

    def test_claims_that_took_its_rows_for_alarms_are_verified_as_before(self, folder):
        with third_labels_mistaken():
            beside, _ = self.findings(folder)
        assert "third" not in beside.certificates[0].reproduce["holdout"]
        assert all(finding.holds for finding in self.again(folder)[1])

    def test_another_number_of_its_rows_is_refused(self, folder):
        self.findings(folder, "error", "sensitivity", "specificity")
        path = folder / "out" / "run" / "claims.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"third": 2', '"third": 3'))
        assert not all(finding.holds for finding in self.again(folder)[1])
        assert NODE is None or by_script(path.parent, "claims.json").returncode == 1


def by_script(folder, *names):
    paths = [str(folder / name) for name in names]
    return subprocess.run(  # noqa: S603 - our own script
        [NODE, str(SCRIPT), *paths], capture_output=True, text=True, check=False
    )


class TestTheReport:
    def test_it_says_what_a_small_error_rate_hides(self):
        rare = columns(share=0.04)
        run = certify_table(table(**rare), **OPTIONS)
        assert any("says little here" in warning for warning in run.warnings)
        report = make_report(run, table(**rare))
        labels = [card.label for card in report.cards]
        assert labels[:3] == ["Without a model", "Better than that", "Worst class: yes"]
        assert report.cards[2].certificate is run.by_class["yes"]

    def test_a_model_no_better_than_the_baseline_is_told(self):
        noise = np.random.default_rng(3).normal(size=N)
        run = certify_table(table(x=noise), **OPTIONS)
        assert any("do not prove that the model is better" in text for text in run.warnings)
        assert make_report(run, table(x=noise)).cards[1].value == "not proved"

    def test_it_has_everything_one_would_sign(self, run):
        report = make_report(run, table())
        assert "90%" not in report.together
        assert "95%" in report.together
        assert "85%" in report.together
        assert [f.title for f in report.curves] == [
            "The ROC curve at every threshold",
            "Precision at every threshold",
        ]
        assert any("surelearn predict model.surelearn" in step for step in report.steps)
        assert any("void" in step for step in report.steps)
        page, twin = render_html(report), json.loads(render_json(report))
        for words in ("What else these rows prove", "What to do next", "Signature", "SHA-256"):
            assert words in page
        assert len(twin["claimed"]) == len(run.claims) == 12

    def test_learners_that_were_not_tried_are_told(self, run):
        choice = replace(
            run.choice, untried={"KernelRidge": "too slow"}, at_the_edge=("A (k = 1)",)
        )
        report = make_report(replace(run, choice=choice), table())
        assert "KernelRidge was not tried: too slow" in report.untried[0]
        assert "A (k = 1)" in report.untried[1]
