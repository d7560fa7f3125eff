"""The command line: what a stranger sees first."""

import errno
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from surelearn.app import demo
from surelearn.app.choosing import nested
from surelearn.app.output import NAMES
from surelearn.certificate import Certificate
from surelearn.cli import app

run = CliRunner().invoke
FILES = sorted([*NAMES, "breast-cancer.csv"])


@pytest.fixture(
    scope="module",
    params=[
        pytest.param({"folds": 3}, id="three folds"),
        pytest.param({}, id="all folds", marks=pytest.mark.slow),
    ],
)
def demonstrated(request, tmp_path_factory):
    """Run the demo, with all its learners; in the short form they are compared in three folds."""
    out, how = tmp_path_factory.mktemp("demo"), nested.cross_validation_arguments
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(how, "__kwdefaults__", {**how.__kwdefaults__, **request.param})
        return out, run(app, ["demo", "--out", str(out)], env={"COLUMNS": "120"})


def test_the_demo_prints_a_certificate_and_writes_what_it_says(demonstrated):
    out, result = demonstrated
    assert result.exit_code == 0
    assert "With confidence 95%" in result.output
    assert "assumed" in result.output
    assert sorted(path.name for path in out.iterdir()) == FILES
    stored = Certificate.from_json((out / "certificate.json").read_text(encoding="utf-8"))
    assert stored.status == "valid"
    assert stored.n == 114
    assert stored.recompute() == stored.bound
    assert stored.bound < 0.1
    assert f"Open {out / 'report.html'}" in result.output.replace("\n", "")


def test_its_certificate_can_be_verified_by_the_command_it_prints(demonstrated):
    out, result = demonstrated
    command = result.output[result.output.index("surelearn verify") :].replace("\n", "").split()[1:]
    assert command[1] == str(out / "certificate.json")
    assert run(app, command).exit_code == 0


def test_a_demo_that_finds_no_room_for_its_table_says_where(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(demo.csv, "write_csv", full)
    result = run(app, ["demo", "--out", str(tmp_path)], env={"COLUMNS": "500"})
    assert result.exit_code == 2
    assert f"nothing can be written to {tmp_path}: No space left on device" in result.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few_candidates", "no_figures")
def test_a_second_demo_replaces_the_first_by_the_same_files(tmp_path):
    written = []
    for _ in range(2):
        assert run(app, ["demo", "--out", str(tmp_path)]).exit_code == 0
        written.append({name: (tmp_path / name).read_bytes() for name in FILES})
    assert written[0] == written[1]


@pytest.mark.parametrize("delta", ["0", "1", "-3"])
def test_a_bad_delta_is_refused_with_a_sentence(tmp_path, delta):
    result = run(app, ["demo", "--out", str(tmp_path), f"--delta={delta}"])
    assert result.exit_code == 2
    assert "delta must lie between 0 and 1" in result.stderr
    assert not list(tmp_path.iterdir())


def test_help_is_worth_reading():
    text = run(app, ["--help"]).output
    for command in (
        "certify",
        "predict",
        "verify",
        "plan",
        "bounds",
        "learners",
        "demo",
        "warm-up",
    ):
        assert command in text
    assert "certificate.json" in run(app, ["demo", "--help"]).output


def test_help_does_not_wait_for_heavy_libraries():
    heavy = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "pyarrow"}
    code = f"import sys, surelearn.cli; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
