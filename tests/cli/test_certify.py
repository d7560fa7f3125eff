"""`surelearn certify`, as a shell sees it: a certificate, or one sentence and exit status 2."""

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from surelearn.app.output import NAMES
from surelearn.certificate import Certificate
from surelearn.cli import _certifying, app

pytestmark = pytest.mark.usefixtures("no_figures")

FAST = ["--learner", "MixedNaiveBayes"]
run = CliRunner().invoke


def lines(n=200, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).round(3)
    return [f"{v},{'red' if i % 3 else 'blue'},{'yes' if v > 0 else 'no'}" for i, v in enumerate(x)]


GOOD = "\n".join(["x,colour,y", *lines()]) + "\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in" / "table.csv"
    path.parent.mkdir()
    path.write_text(GOOD, encoding="utf-8")
    return path


def certify(table, *options, out):
    return run(app, ["certify", str(table), *map(str, options), "--out", str(out)])


def test_the_certificate_comes_first_the_learners_after_and_the_files_last(table, tmp_path):
    result = certify(table, "--target", "y", *FAST, out=tmp_path / "out")
    assert result.exit_code == 0, result.output
    places = [
        result.output.index(words)
        for words in (
            "With confidence 95%",
            "assumed",
            "Nested cross-validation",
            "Learners on the training rows",
            "Written",
        )
    ]
    assert places == sorted(places)
    assert "chosen" in result.output
    assert "delimiter: ','" in result.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(NAMES)
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    assert Certificate.from_json(text).status == "valid"


def test_structural_risk_shows_both_bounds_and_is_done_again_alike(table, tmp_path):
    written = []
    for name in ("one", "two"):
        out = tmp_path / name
        result = certify(table, "--target", "y", "--select", "structural-risk", out=out)
        assert result.exit_code == 0, result.output
        written.append([(out / file).read_bytes() for file in NAMES])
    assert written[0] == written[1]
    words = " ".join(result.output.split())
    assert "Structural risk had proved at most" in words
    assert "both bounds hold together with confidence 90%" in words
    model, data = ("--model", tmp_path / "one" / NAMES[0]), ("--data", table)
    arguments = ["verify", tmp_path / "one" / NAMES[1], *model, *data]
    checked = run(app, [str(word) for word in arguments])
    assert checked.exit_code == 0, checked.output


def test_the_progress_display_tells_the_time_and_the_best_so_far():
    def tried(name, score, seconds):
        return SimpleNamespace(name=name, score=score, seconds=seconds, rates=True)

    best = _certifying.Best()
    assert best.before("a") == "training a (the first run compiles)"
    assert best.after(tried("a", math.inf, 0.1)) == "a 0.1 s; best so far: a (inf)"
    assert best.after(tried("b", 0.25, 1.26)) == "b 1.3 s; best so far: b (25.0%)"
    assert best.before("c") == "training c; best so far: b (25.0%)"
    assert best.after(tried("c", 0.5, 3.0)) == "c 3.0 s; best so far: b (25.0%)"


def test_long_notes_stand_below_the_learners_each_once(tmp_path):
    path = tmp_path / "t.csv"
    once = [f"{line},{'rare' if i == 3 else 'common'}{i % 2}" for i, line in enumerate(lines())]
    path.write_text("\n".join(["x,colour,y,word", *once]) + "\n", encoding="utf-8")
    result = certify(path, "--target", "y", "--select", "structural-risk", out=tmp_path / "out")
    assert result.exit_code == 0, result.output
    words = " ".join(result.output.split())
    assert words.count("LogisticRegression (C = 10), AveragedPerceptron: column 'word' has") == 1


def test_every_option_reaches_its_place(tmp_path):
    path = tmp_path / "t.txt"
    rows = [line.replace(",", ";") for line in lines()]
    who = [f"{row};{i // 2};{i}" for i, row in enumerate(rows)]
    path.write_text("\n".join(["x;colour;y;who;id", *who]) + "\n", encoding="latin-1")
    result = certify(
        path,
        *("--target", "y", "--delta", 0.1, "--holdout", 0.4, "--seed", 3, *FAST),
        *("--task", "classification", "--keep", "id", "--drop", "colour", "--group", "who"),
        *("--delimiter", ";", "--header", "--missing", "nix", "--encoding", "latin-1"),
        *("--copies", "independent", "--looks", 2),
        out=tmp_path / "out",
    )
    assert result.exit_code == 0, result.output
    text = (tmp_path / "out" / "certificate.json").read_text(encoding="utf-8")
    certificate = Certificate.from_json(text)
    assert certificate.delta == 0.05
    assert "With confidence 90% for all 2 models together" in certificate.claim
    assert certificate.n == 40
    assert certificate.reproduce["options"] == {
        "target": "y",
        "delta": 0.1,
        "holdout": 0.4,
        "seed": 3,
        "select": "nested",
        "copies": "independent",
        "looks": 2,
        "learners": ["MixedNaiveBayes"],
        "dates": "features",
        "task": "classification",
        "keep": ["id"],
        "drop": ["colour"],
        "group": "who",
        "form": {"delimiter": ";", "header": True, "missing": ["nix"], "encoding": "latin-1"},
    }
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    words = re.sub("<[^>]*>", "", page)
    assert "--keep id --drop colour --group who --learner MixedNaiveBayes" in words
    assert "--header --missing nix --encoding latin-1" in words


def test_warnings_are_shown_and_brackets_are_no_markup(tmp_path):
    path = tmp_path / "t.csv"
    doubled = [f"{line},{line.rpartition(',')[2]}" for line in lines()]
    path.write_text("\n".join(["x,colour,y,[red]copy", *doubled]) + "\n", encoding="utf-8")
    result = certify(path, "--target", "y", *FAST, out=tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "Warning:" in result.output
    assert "'[red]copy' may be the target in" in result.output


BAD_TABLES = {
    "no such file": (None, [], "there is no file"),
    "empty file": (b"", [], "is empty"),
    "only a header": (b"x,y\n", [], ""),
    "one column": (b"y\n" + b"yes\nno\n" * 40, [], "a single column"),
    "constant target": (GOOD.replace(",no", ",yes").encode(), [], "is 'yes' in all 200 rows"),
    "no target at all": (
        "\n".join(["x,colour,y", *["1,red,"] * 60]).encode(),
        [],
        "missing in all",
    ),
    "misspelt target": (
        GOOD.replace("y\n", "outcome\n", 1).encode(),
        [],
        "did you mean 'outcome'?",
    ),
    "class of one": (GOOD.replace(",no", ",maybe", 1).encode(), [], "one member only"),
    "too many classes": (
        "\n".join(["x,y", *[f"{i % 7},name{i}" for i in range(200)]]).encode(),
        [],
        "is different in every row, as a name or an id is",
    ),
    "forgotten target": (GOOD.encode(), [], "with --target which column"),
    "huge category count": (
        "\n".join(
            ["x,y", *[f"w{i // 2},{'no' if i % 3 else 'yes'}" for i in range(3000)]]
        ).encode(),
        [],
        "categories",
    ),
    "mixed target": (
        "\n".join(
            ["x,y", *[f"{i % 7},{'n/k' if i == 9 else i * 0.37}" for i in range(200)]]
        ).encode(),
        [],
        "n/k",
    ),
    "wrong delimiter": (GOOD.encode(), ["--delimiter", "|"], "',' splits its lines alike"),
    "ragged lines": (GOOD.encode() + b"1,2,3,4,5\n", [], "line 202"),
    "invalid UTF-8": (GOOD.encode().replace(b"red", b"r\xffd", 3), [], "--encoding"),
    "unknown encoding": (GOOD.encode(), ["--encoding", "klingon"], "klingon"),
    "binary rubbish": (bytes(range(256)) * 20, [], "is no table"),
    "a workbook": (b"PK\x03\x04" + b"\0" * 100, [], "save the table in it as CSV"),
    "too few rows": ("\n".join(["x,colour,y", *lines(20)]).encode(), [], "55 rows or more"),
    "text regression": (GOOD.encode(), ["--task", "regression"], "holds text"),
    "unknown task": (GOOD.encode(), ["--task", "guessing"], "there is no task 'guessing'"),
    "unknown column": (GOOD.encode(), ["--drop", "color"], "did you mean 'colour'?"),
    "unknown group": (GOOD.encode(), ["--group", "who"], "no group column 'who'"),
    "unknown time": (GOOD.encode(), ["--time", "when"], "no time column 'when'"),
    "time that is none": (GOOD.encode(), ["--time", "colour"], "tells no time"),
    "group and time": (GOOD.encode(), ["--group", "colour", "--time", "x"], "not by both"),
    "unknown learner": (GOOD.encode(), ["--learner", "Oracle"], "no learner 'Oracle'"),
    "delta too large": (GOOD.encode(), ["--delta", "1"], "delta must lie between 0 and 1"),
    "delta no number": (GOOD.encode(), ["--delta", "little"], ""),
    "hold-out too large": (
        GOOD.encode(),
        ["--holdout", "1.5"],
        "fraction between 0 and 1, not 1.5",
    ),
    "hold-out too small": (GOOD.encode(), ["--holdout", "0"], "fraction between 0 and 1, not 0"),
    "unknown selection": (GOOD.encode(), ["--select", "best"], "no selection 'best'"),
    "structural risk of numbers": (
        "\n".join(["x,y", *[f"{i % 7},{i * 0.37}" for i in range(200)]]).encode(),
        ["--select", "structural-risk"],
        "bounds error rates, and 'y' is a number",
    ),
    "structural risk of groups": (
        "\n".join(
            ["x,y,z", *[f"{i % 7},{'yes' if i % 7 > 3 else 'no'},{i}" for i in range(200)]]
        ).encode(),
        ["--select", "structural-risk", "--group", "z"],
        "independent draws, and --group says that they are not",
    ),
    "structural risk of neighbours": (
        GOOD.encode(),
        ["--select", "structural-risk", "--learner", "NearestNeighborsClassifier"],
        "no theorem bounds NearestNeighborsClassifier",
    ),
    "negative seed": (GOOD.encode(), ["--seed", "-1"], "the seed must be a number from 0"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_bad_input_ends_with_one_sentence_and_leaves_nothing(tmp_path, name):
    content, options, sentence = BAD_TABLES[name]
    path = tmp_path / "in" / "table.csv"
    path.parent.mkdir()
    if content is not None:
        path.write_bytes(content)
    target = ["--target", "outcom" if name == "misspelt target" else "y"]
    target = [] if name == "forgotten target" else target
    result = certify(path, *target, *options, out=tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    assert sentence in result.stderr
    said = result.stderr.strip()
    assert said.startswith("surelearn: ") or "Usage" in said
    assert said.startswith("Usage") or "\n" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_an_existing_report_needs_force(table, tmp_path):
    out = tmp_path / "out"
    assert certify(table, "--target", "y", *FAST, out=out).exit_code == 0
    before = {name: (out / name).read_bytes() for name in NAMES}
    refused = certify(table, "--target", "y", "--seed", 9, *FAST, out=out)
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert {name: (out / name).read_bytes() for name in NAMES} == before
    again = certify(table, "--target", "y", "--seed", 9, "--force", *FAST, out=out)
    assert (again.exit_code, "void" in again.output) == (1, True)  # a second look states nothing
    assert {name: (out / name).read_bytes() for name in NAMES} != before


@pytest.mark.parametrize("out", ["/proc/nowhere", "table.csv", "table.csv/below"])
def test_a_folder_that_cannot_be_written_is_one_sentence(table, out):
    where = table if out == "table.csv" else table.parent / out
    result = certify(table, "--target", "y", *FAST, out=where)
    assert result.exit_code == 2
    assert result.stderr.startswith("surelearn: ")
    assert result.stderr.count("\n") == 1
    assert [p.name for p in table.parent.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("moment", ["read_table_file", "certify_table", "write_run"])
def test_an_interrupt_leaves_nothing(table, tmp_path, monkeypatch, moment):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_certifying, moment, interrupt)
    result = certify(table, "--target", "y", *FAST, out=tmp_path / "out")
    assert result.exit_code != 0
    assert "Traceback" not in result.output
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_help_names_what_is_written_and_gives_an_example():
    text = run(app, ["certify", "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    for words in ("report.html", "surelearn certify patients.csv --target outcome", "--force"):
        assert words in text


def test_the_bounds_of_a_board_are_rounded_outward():
    """They are said to hold; estimates beside them are rounded to the nearest."""
    assert _certifying._cell("bound", 0.316201, rates=True) == "31.63%"
    assert _certifying._cell("error", 0.316201, rates=True) == "31.6%"
    assert _certifying._cell("bound", math.nan, rates=True) == "-"
