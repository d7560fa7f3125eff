"""Names and claims from files cannot command the terminal, nor bring markup into a page."""

import io
import json
import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from surelearn._wording import printable
from surelearn.app.predict import predict_file, write_csv
from surelearn.bounds import concentration
from surelearn.certificate import Precondition, certify
from surelearn.cli import app

ESCAPES = "\x1b[31mred\x1b]8;;http://evil\x07link\x1b]8;;\x07\r\b\u202eexe\x9b2J\u2066[bold]"
COMMANDS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
FULL = Path("/dev/full")
run = CliRunner().invoke


def shown(result):
    """Return what was printed without the colours that the command itself gives."""
    return result.output + result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("odd")
    rng = np.random.default_rng(0)
    label = 'good <script>alert("x")</script>' + ESCAPES.replace("\r", "")
    lines = [f'"x{ESCAPES}","y\u202e"'.replace("\r", "")]
    values = rng.normal(size=150)
    lines += [f'{v:.4f},"{label}"' if v > 0.3 else f"{v:.4f},bad" for v in values]
    table = out / "table\x1b[2J.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["--target", "y\u202e", "--learner", "CARTClassifier", "--out", str(out / "out")]
    done = run(app, ["certify", str(table), *options])
    assert done.exit_code == 0, done.output
    return out, table, done


def test_certify_shows_names_without_obeying_them(folder):
    _, _, done = folder
    assert not COMMANDS.search(shown(done))
    assert "\\u202e" in done.output


def test_so_do_verify_and_predict(folder):
    out, table, _ = folder
    model, certificate = out / "out" / "model.surelearn", out / "out" / "certificate.json"
    done = run(app, ["verify", str(certificate), "--model", str(model), "--data", str(table)])
    assert done.exit_code == 0, done.output
    assert not COMMANDS.search(shown(done))
    done = run(app, ["predict", str(model), str(table), "--out", str(out / "p.csv")])
    assert done.exit_code == 0, done.output
    assert not COMMANDS.search(shown(done))


def test_predictions_command_no_terminal_but_reach_files_as_they_are(folder):
    out, table, _ = folder
    pty = pytest.importorskip("pty")  # systems without it have no terminals of this kind
    predicted = predict_file(out / "out" / "model.surelearn", table).table
    write_csv(predicted, file := io.BytesIO())
    assert ESCAPES.replace("\r", "") in file.getvalue().decode("utf-8")
    keeper, terminal = pty.openpty()
    with open(terminal, "wb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
        write_csv(predicted.slice(0, 3), stream)
        shown = os.read(keeper, 65536).decode("utf-8").replace("\r\n", "\n")
    os.close(keeper)
    assert shown.startswith('"prediction"')
    assert not COMMANDS.search(shown)
    assert "\\x1b" in shown


def test_a_forged_claim_is_shown_without_obeying_it(folder, tmp_path):
    out, _, _ = folder
    content = json.loads((out / "out" / "certificate.json").read_text(encoding="utf-8"))
    content["claim"] = content["subject"] = ESCAPES + "\ud800\nholds  it is true"
    content["preconditions"][0]["evidence"] = ESCAPES
    content["reproduce"]["versions"]["numpy"] = ESCAPES
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    done = run(app, ["verify", str(path)])
    assert done.exit_code == 1
    assert not COMMANDS.search(shown(done))
    assert not re.search(r"^holds {2}it is true", done.output, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [
        ["verify", f"none{ESCAPES}"],
        ["predict", f"none{ESCAPES}", "none.csv"],
        ["certify", f"none{ESCAPES}", "--target", "y", "--out", "none"],
        ["bounds", f"concentration{ESCAPES}"],
        ["bounds", "concentration.hoeffding", f"n{ESCAPES}"],
        ["bounds", "--find", ESCAPES],
    ],
)
def test_errors_show_what_they_quote(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run(app, command)
    assert done.exit_code == 2
    assert not COMMANDS.search(shown(done))
    assert done.stderr.count("\n") == 1


def test_the_page_escapes_markup_and_the_json_stays_exact(folder):
    out, _, _ = folder
    page = (out / "out" / "report.html").read_text(encoding="utf-8")
    scripts = 4  # certificates, claims and cards as data, and what recomputes them
    assert page.count("<script") == scripts
    assert not COMMANDS.search(page.replace("\t", ""))
    twin = (out / "out" / "report.json").read_text(encoding="utf-8")
    assert json.loads(twin)["facts"]["target"].startswith("y\u202e")


def test_a_certificate_in_words_and_in_a_notebook():
    condition = Precondition("odd", f"<b>{ESCAPES}</b>\nAssumed", "assumed", '<img src="x">')
    certificate = certify(
        concentration.clopper_pearson(errors=5, n=100, delta=0.05),
        kind="risk",
        subject="s",
        observed=0.05,
        n=100,
        claim=f"<a href='javascript:x'>{ESCAPES}</a>\nIt is true.",
        also=[condition],
    )
    assert not COMMANDS.search(str(certificate))
    assert str(certificate).count("\n") == 3
    html = certificate._repr_html_()
    assert not COMMANDS.search(html)
    assert not re.search(r"<(b|a|img)\b", html)
    assert certificate.claim in json.loads(certificate.to_json())["claim"]


def test_letters_of_all_scripts_stay_as_they_are():
    text = "naïve 日本語 עברית فارسی\u200cها 👩\u200d🔬\u00a0é"
    assert printable(text) == text
    assert printable("a\tb") == "a\\tb"


def test_a_python_without_docstrings_is_refused_since_it_knows_no_theorems():
    script = "from surelearn.cli import app; app(['verify', 'there-is-none'])"
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("surelearn: python -OO leaves out")


ALWAYS_FULL = pytest.mark.skipif(
    not FULL.exists(), reason="only some systems have a device that is always full"
)


@ALWAYS_FULL
def test_what_cannot_be_printed_is_told_by_a_console_as_by_an_echo(monkeypatch):
    told = []
    for command in ("learners", "plan"):
        full, said = FULL.open("w", encoding="utf-8"), io.StringIO()
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "stderr", said)
        with pytest.raises(SystemExit) as ended:
            app([command])
        monkeypatch.undo()
        with suppress(OSError):
            full.close()
        told.append((ended.value.code, said.getvalue()))
    assert told == 2 * [(2, "surelearn: No space left on device\n")]


@ALWAYS_FULL
@pytest.mark.parametrize("command", [pytest.param("learners", marks=pytest.mark.slow), "plan"])
def test_what_cannot_be_printed_is_told_in_a_sentence(command, tmp_path):
    script = f"from surelearn.cli import app; app(['{command}'])"
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(  # noqa: S603 - our own code
            [sys.executable, "-c", script],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "SURELEARN_STATE": str(tmp_path)},
        )
    assert done.returncode == 2
    assert done.stderr == "surelearn: No space left on device\n"


def test_a_command_without_memory_says_so(monkeypatch):
    def consume(*_, **__):
        raise MemoryError

    monkeypatch.setattr("surelearn.app.plan.plan_rows", consume)
    done = run(app, ["plan"])
    assert done.exit_code == 2
    assert "not enough memory" in done.stderr


def test_a_reader_who_leaves_changes_neither_files_nor_the_exit_status(tmp_path):
    """`surelearn audit ... | head -1` ended with 1, whatever was shown."""
    (tmp_path / "answers.csv").write_text("y,p\n" + "0,0\n1,1\n" * 100 + "0,1\n" * 100)
    asked = ["audit", "answers.csv", "--truth", "y", "--prediction", "p", "--claim", "error<=0.1"]
    env = {**os.environ, "SURELEARN_STATE": str(tmp_path / "state")}
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "surelearn", *asked]
    ended = subprocess.run(command, stdout=write, cwd=tmp_path, env=env, check=False)  # noqa: S603
    os.close(write)
    assert ended.returncode == 3
    assert (tmp_path / "audited" / "report.html").exists()


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    """Return a folder with a table, a model of it and a stream of losses."""
    out = tmp_path_factory.mktemp("streams")
    rows = "".join(f"{i % 17},{'ab'[i % 17 > 8]}\n" for i in range(200))
    (out / "t.csv").write_text(f"x,y\n{rows}", encoding="utf-8")
    (out / "l.jsonl").write_text('{"loss": 0.5}\n' * 9, encoding="utf-8")
    options = ["--target", "y", "--learner", "CARTClassifier", "--copies", "independent"]
    done = run(app, ["certify", str(out / "t.csv"), *options, "--out", str(out / "r"), "--quiet"])
    assert done.exit_code == 0
    return out


@pytest.mark.parametrize(
    ("command", "status"),
    [("predict r t.csv", 0), ("verify r", 0), ("monitor l.jsonl --loss loss", 0), ("monitor -", 2)],
)
def test_a_command_whose_streams_are_closed_ends_as_any_other(
    streams, monkeypatch, command, status
):
    monkeypatch.chdir(streams)
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    with pytest.raises(SystemExit) as ended:
        app(command.split())
    for name in ("stdin", "stdout", "stderr"):
        getattr(sys, name).close()
    assert ended.value.code == status


LETTERS = "t.csv --target x --learner RidgeRegression --task regression --copies independent"
LETTERS += " --force --out \u03b4\udcff"


@pytest.mark.usefixtures("no_figures")
def test_letters_that_the_terminal_lacks_are_written_as_escapes(streams, monkeypatch):
    monkeypatch.chdir(streams)
    for encoding, more in (("ascii", ""), ("latin-1", "--json")):
        stdout, stderr = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
        monkeypatch.setattr(sys, "stdout", stdout)
        monkeypatch.setattr(sys, "stderr", stderr)
        with pytest.raises(SystemExit) as ended:
            app(["certify", *LETTERS.split(), *more.split()])
        stdout.flush()
        assert ended.value.code in {0, 1}
    files = json.loads(stdout.buffer.getvalue())["files"]
    assert all(path.startswith("\u03b4\udcff") for path in files.values())


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_so_they_are_by_a_process_of_its_own(streams, encoding):
    for more in ("", "--json"):
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", "surelearn", "certify", *LETTERS.split(), *more.split()],
            cwd=streams,
            env={**os.environ, "PYTHONIOENCODING": encoding, "SURELEARN_STATE": str(streams)},
            capture_output=True,
            check=False,
        )
        assert (done.returncode in {0, 1}, b"Traceback" in done.stderr) == (True, False)
    files = json.loads(done.stdout)["files"]
    assert all(path.startswith("\u03b4\udcff") for path in files.values())
