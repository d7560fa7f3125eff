"""The four files: all of them or none, the same bytes for the same run."""

import json
import resource

import pytest

from app.conftest import write_pets
from surelearn.app import output
from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.output import NAMES, check_folder, write_run
from surelearn.app.tables.read import read_table_file
from surelearn.base import fingerprint
from surelearn.certificate import Certificate
from surelearn.persistence.model_files import load_model


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_four_files_are_written_that_belong_together(pets_run, tmp_path):
    file, run = pets_run
    out = tmp_path / "deep" / "down"
    assert write_run(run, file, out) == tuple(out / name for name in NAMES)
    assert names_in(out) == sorted(NAMES)
    assert names_in(tmp_path) == ["deep"]
    stored = Certificate.from_json((out / "certificate.json").read_text(encoding="utf-8"))
    assert stored.reproduce["model"] == fingerprint(load_model(out / "model.surelearn").model)
    assert stored.reproduce["table"] == file.sha256
    twin = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert twin["certificate"]["bound"] == stored.bound
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert len(page) < 3e6


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    few = write_pets(tmp_path / "pets.csv", n=80)  # a tree that fits into its figure at once
    for folder in ("a", "b"):
        file = read_table_file(few)
        run = certify_table(file, target="kind", seed=2, learners=["CARTClassifier"])
        write_run(run, file, tmp_path / folder)
    for name in NAMES:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


@pytest.mark.usefixtures("no_figures")
def test_files_of_an_earlier_run_are_replaced_and_others_left(pets_run, tmp_path):
    for name in (*NAMES, "notes.txt"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    write_run(pets_run[1], pets_run[0], tmp_path)
    assert names_in(tmp_path) == sorted([*NAMES, "notes.txt"])
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "certificate.json").read_text(encoding="utf-8") != "mine"


@pytest.mark.usefixtures("no_figures")
@pytest.mark.parametrize("moment", ["save_model", "render_html", "render_json"])
@pytest.mark.parametrize("there", [False, True])
def test_an_interrupt_while_writing_leaves_all_as_it_was(
    pets_run, tmp_path, monkeypatch, moment, there
):
    out = tmp_path / "out"
    if there:
        out.mkdir()
        for name in NAMES:
            (out / name).write_text("earlier", encoding="utf-8")

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(output, moment, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_run(pets_run[1], pets_run[0], out)
    assert names_in(tmp_path) == (["out"] if there else [])
    assert not there or {path.read_text(encoding="utf-8") for path in out.iterdir()} == {"earlier"}


@pytest.mark.usefixtures("no_figures")
def test_a_disk_that_takes_no_more_is_one_sentence_and_leaves_nothing(pets_run, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(TableError, match=r"nothing can be written to .*: File too large"):
            write_run(pets_run[1], pets_run[0], tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert names_in(tmp_path) == []


class TestTheFolder:
    def test_one_that_is_not_there_is_fine_and_not_made_yet(self, tmp_path):
        check_folder(tmp_path / "a" / "b", force=False)
        assert names_in(tmp_path) == []

    def test_one_with_a_report_needs_force(self, tmp_path):
        (tmp_path / "report.html").touch()
        with pytest.raises(TableError, match=r"already holds report\.html: give another --out, or"):
            check_folder(tmp_path, force=False)
        check_folder(tmp_path, force=True)

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "file").touch()
        for out in (tmp_path / "file", tmp_path / "file" / "below"):
            with pytest.raises(TableError, match="folder"):
                check_folder(out, force=True)

    def test_one_that_cannot_be_written_is_told(self):
        with pytest.raises(TableError, match="nothing can be written to /proc/certified: "):
            check_folder(type(output.Path())("/proc/certified"), force=False)


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_with_the_name_of_a_file_is_refused(tmp_path, force):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(TableError, match=r"report\.html is a folder, where a file belongs"):
        check_folder(tmp_path, force=force)
