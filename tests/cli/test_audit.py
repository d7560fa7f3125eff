"""`surelearn audit`, as a shell sees it: exit statuses, files, looks and plans."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather
from typer.testing import CliRunner

from surelearn.app.output import OF_AUDITS
from surelearn.bounds.concentration import clopper_pearson
from surelearn.cli import app

pytestmark = pytest.mark.usefixtures("no_ink")

BOTH = ("--truth", "ill", "--prediction", "said")
run = CliRunner().invoke


@pytest.fixture(autouse=True)
def own_ledger(tmp_path, monkeypatch):
    """Each test begins with a ledger of its own."""
    monkeypatch.setenv("SURELEARN_STATE", str(tmp_path / "state"))


def columns(n=300, seed=0):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < 0.4
    said = np.where(rng.random(n) < 0.06, ~ill, ill)
    return {"ill": np.where(ill, "yes", "no"), "said": np.where(said, "yes", "no")}


def write(path, content):
    table = pa.table(content)
    rows = table.to_pylist()
    if path.suffix == ".csv":
        cells = [",".join("" if v is None else str(v) for v in row.values()) for row in rows]
        path.write_text("\n".join([",".join(table.column_names), *cells]) + "\n", "utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        feather.write_feather(table, path)
    return path


@pytest.fixture
def answers(tmp_path):
    return write(tmp_path / "answers.csv", columns())


def audit(path, *options, out, columns=BOTH):
    given = ["audit", str(path), *columns, *map(str, options), "--out", str(out)]
    return run(app, given, env={"COLUMNS": "200"})


def verify(out, *options):
    return run(app, ["verify", str(out / "certificate.json"), *map(str, options)])


def no_traceback(result):
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "arrow"])
def test_every_kind_of_file_gives_the_same_bounds(tmp_path, kind):
    path = write(tmp_path / f"answers.{kind}", columns())
    out = tmp_path / "out"
    result = no_traceback(audit(path, out=out))
    assert result.exit_code == 0, result.output
    assert "all of this holds" in result.output
    assert "Sensitivity" in result.output
    assert sorted(p.name for p in out.iterdir()) == sorted(OF_AUDITS)
    found = json.loads((out / "certificate.json").read_text("utf-8"))
    first = found["outcomes"][0]["certificate"]
    wrong = int((columns()["ill"] != columns()["said"]).sum())
    exact = clopper_pearson(errors=wrong, n=300, delta=0.025).bound
    assert (first["n"], first["bound"]) == (300, exact)
    assert verify(out).exit_code == 0
    assert verify(out, "--data", path).exit_code == 0


@pytest.mark.parametrize(
    ("claims", "status", "word"),
    [
        (["sensitivity>=0.8", "specificity>=0.8"], 0, "proved"),
        (["sensitivity>=0.8", "specificity>=0.95"], 1, "not proved"),
        (["sensitivity>=0.999", "specificity>=0.8"], 3, "refuted"),
        (["sensitivity>=0.999", "specificity>=0.8"], 3, "not tried"),
        (["error"], 0, "Error rate"),
    ],
)
def test_the_exit_status_is_for_scripts(answers, tmp_path, claims, status, word):
    asked = [part for claim in claims for part in ("--claim", claim)]
    result = no_traceback(audit(answers, *asked, out=tmp_path / "out"))
    assert result.exit_code == status, result.output
    assert word in result.output
    assert verify(tmp_path / "out", "--data", answers).exit_code == 0


HOSTILE = {
    "no file": (None, ()),
    "empty": ("", ()),
    "names alone": ("ill,said\n", ()),
    "no such column": ("ill,told\nyes,no\n", ()),
    "missing answers": ("ill,said\nyes,\nno,no\n", ()),
    "missing truths": ("ill,said\n,yes\nno,no\n", ()),
    "other labels": ("ill,said\nyes,on\nno,off\n", ()),
    "score as prediction": ("ill,said\n1,0.7\n0,0.2\n", ()),
    "swapped": ("ill,said\n0.7,1\n0.2,0\n", ()),
    "no such claim": ("ill,said\nyes,yes\nno,no\n", ("--claim", "sensitivty>=0.9")),
    "wrong side": ("ill,said\nyes,yes\nno,no\n", ("--claim", "sensitivity<=0.9")),
    "claims of regression": ("ill,said\nyes,yes\nno,no\n", ("--claim", "beyond(tolerance=1)")),
    "no delta": ("ill,said\nyes,yes\nno,no\n", ("--delta", "0")),
    "no looks": ("ill,said\nyes,yes\nno,no\n", ("--looks", "0")),
    "no plan": ("ill,said\nyes,yes\nno,no\n", ("--plan", "no-such-plan.toml")),
    "binary": ("\x00\x01\x02\xff" * 50, ()),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_what_is_refused_writes_nothing_and_is_no_look(tmp_path, name):
    text, options = HOSTILE[name]
    path = tmp_path / "in" / "answers.csv"
    path.parent.mkdir()
    if text is not None:
        path.write_text(text, "utf-8")
    before = sorted(tmp_path.rglob("*"))
    result = no_traceback(audit(path, *options, out=tmp_path / "out"))
    assert result.exit_code == 2, result.output
    assert sorted(tmp_path.rglob("*")) == before


def test_the_same_run_again_gives_the_same_files(answers, tmp_path):
    out = tmp_path / "out"
    assert audit(answers, out=out).exit_code == 0
    first = {name: (out / name).read_bytes() for name in OF_AUDITS}
    refused = audit(answers, out=out)
    assert refused.exit_code == 2
    assert "--force" in refused.output
    assert audit(answers, "--force", out=out).exit_code == 0
    assert {name: (out / name).read_bytes() for name in OF_AUDITS} == first


def test_a_second_look_is_void(answers, tmp_path):
    assert audit(answers, "--claim", "accuracy>=0.9", out=tmp_path / "a").exit_code == 0
    second = audit(answers, "--claim", "accuracy>=0.85", out=tmp_path / "b")
    assert second.exit_code == 1
    assert "void" in second.output.lower()
    assert verify(tmp_path / "b").exit_code == 1


def test_another_model_about_the_same_rows_is_a_second_look(tmp_path):
    one, other = columns(), columns()
    other["said"] = np.where(np.arange(300) % 11 == 0, "no", one["said"])
    first, second = write(tmp_path / "a.csv", one), write(tmp_path / "b.csv", other)
    assert audit(first, out=tmp_path / "a").exit_code == 0
    assert audit(second, out=tmp_path / "b").exit_code == 1


def test_other_rows_with_the_same_labels_are_no_second_look(tmp_path):
    for seed in range(3):
        path = write(tmp_path / f"{seed}.csv", columns(seed=seed))
        result = audit(path, "--claim", "accuracy>=0.8", out=tmp_path / str(seed))
        assert result.exit_code == 0, result.output


def test_other_columns_do_not_make_the_same_rows_others(tmp_path):
    first = write(tmp_path / "a.csv", columns())
    assert audit(first, "--claim", "accuracy>=0.9", out=tmp_path / "a").exit_code == 0
    second = write(tmp_path / "b.csv", {**columns(), "note": [f"case {i}" for i in range(300)]})
    assert audit(second, "--claim", "accuracy>=0.85", out=tmp_path / "b").exit_code == 1


def test_looks_that_were_planned_share_delta(tmp_path):
    one, other = columns(), columns()
    other["said"] = np.where(np.arange(300) % 11 == 0, "no", one["said"])
    first, second = write(tmp_path / "a.csv", one), write(tmp_path / "b.csv", other)
    for name, path in (("a", first), ("b", second)):
        result = audit(path, "--looks", 2, "--claim", "error", out=tmp_path / name)
        assert result.exit_code == 0, result.output
        found = json.loads((tmp_path / name / "certificate.json").read_text("utf-8"))
        assert found["delta"] == 0.025
        assert verify(tmp_path / name, "--data", path).exit_code == 0
    third = write(tmp_path / "c.csv", {**one, "said": one["said"][::-1]})
    assert audit(third, "--looks", 2, "--claim", "error", out=tmp_path / "c").exit_code == 1


def test_a_plan_fixes_claims_and_its_hash_stands_in_the_certificate(answers, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('claims = ["sensitivity>=0.8"]\ndelta = 0.05\n', "utf-8")
    out = tmp_path / "out"
    assert audit(answers, "--plan", plan, out=out).exit_code == 0
    both = audit(answers, "--plan", plan, "--claim", "error", out=tmp_path / "both")
    assert both.exit_code == 2
    text = (out / "certificate.json").read_text("utf-8")
    assert "so says the plan with the SHA-256" in text
    assert verify(out, "--data", answers).exit_code == 0
    content = json.loads(text)
    options = content["outcomes"][0]["certificate"]["reproduce"]["options"]
    options["plan"] = "0" * 64
    (out / "certificate.json").write_text(json.dumps(content), "utf-8")
    assert verify(out).exit_code == 1


def test_another_file_of_answers_is_noticed(answers, tmp_path):
    out = tmp_path / "out"
    audit(answers, "--claim", "error", out=out)
    other = tmp_path / "other.csv"
    other.write_text(answers.read_text("utf-8").replace("yes,yes", "yes,no", 1), "utf-8")
    result = no_traceback(verify(out, "--data", other))
    assert result.exit_code == 1
    assert "differs" in result.output


def test_a_forged_bound_ends_in_status_1_and_a_damaged_file_in_2(answers, tmp_path):
    out = tmp_path / "out"
    audit(answers, "--claim", "error", out=out)
    content = json.loads((out / "certificate.json").read_text("utf-8"))
    content["outcomes"][0]["certificate"]["bound"] /= 2
    (out / "certificate.json").write_text(json.dumps(content), "utf-8")
    assert no_traceback(verify(out)).exit_code == 1
    (out / "certificate.json").write_text('{"format": "surelearn audit"}', "utf-8")
    assert no_traceback(verify(out)).exit_code == 2


def test_rows_without_an_answer_are_what_one_says(tmp_path):
    gaps = columns()
    gaps["said"] = [None if i % 10 == 0 else v for i, v in enumerate(gaps["said"].tolist())]
    path = write(tmp_path / "answers.csv", gaps)
    assert audit(path, out=tmp_path / "no").exit_code == 2
    for mode in ("errors", "exclude"):
        out = tmp_path / mode
        options = ("--incomplete", mode, "--claim", "error", "--looks", 2)
        result = audit(path, *options, out=out)
        assert result.exit_code == 0, result.output
        assert verify(out, "--data", path).exit_code == 0
    read = {
        mode: json.loads((tmp_path / mode / "certificate.json").read_text("utf-8"))
        for mode in ("errors", "exclude")
    }
    n = {mode: found["outcomes"][0]["certificate"]["n"] for mode, found in read.items()}
    assert n == {"errors": 300, "exclude": 270}


def test_results_of_an_evaluation_as_json_lines(tmp_path):
    rng = np.random.default_rng(1)
    rows = {"task": [f"t{i}" for i in range(200)], "passed": rng.random(200) < 0.9,
            "kind": rng.choice(["code", "text"], 200)}  # fmt: skip
    path = write(tmp_path / "results.jsonl", rows)
    named = ("--passed", "passed", "--group", "kind", "--id", "task")
    result = no_traceback(audit(path, out=tmp_path / "out", columns=named))
    assert result.exit_code == 0, result.output
    assert "Pass rate" in result.output
    assert "worst group" in result.output
    assert verify(tmp_path / "out", "--data", path).exit_code == 0


def test_names_that_command_a_terminal_are_written_out(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("ill,said\n" + "\x1b[31mred,\x1b[31mred\nblue,red\n" * 30, "utf-8")
    result = no_traceback(audit(path, "--positive", "\x1b[31mred", out=tmp_path / "out"))
    assert "\x1b[31mred" not in result.output
