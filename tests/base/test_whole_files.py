"""Files are there whole or not at all, and what a killed process left is removed by the next."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from surelearn.base.whole_files import adding, remove_left_over, replacing
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.persistence.model_files import load_model, save_model
from surelearn.scale.checkpoints import Checkpoint

HALF = """
import os, signal, sys
from pathlib import Path
from surelearn.base.whole_files import replacing
with replacing(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    {then}
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
WAITS = "print('writing', flush=True); sys.stdin.read()"


def half_written(path, then):
    command = [sys.executable, "-c", HALF.format(then=then), str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603


def killed_while_writing(path):
    with half_written(path, KILLED) as process:
        assert process.wait() == -signal.SIGKILL


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    path = tmp_path / "m.surelearn"
    model = Perceptron().fit([[-1.0], [1.0]], [0, 1])
    save_model(model, path, schema={}, metadata={})
    before = path.read_bytes()
    killed_while_writing(path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2
    save_model(model, path, schema={}, metadata={})
    assert [each.name for each in tmp_path.iterdir()] == ["m.surelearn"]
    assert load_model(path).model.predict([[2.0]]).tolist() == [1]


def test_what_a_living_process_writes_stays_and_so_do_files_of_others(tmp_path):
    path, others = tmp_path / "a.csv", tmp_path / ".a.csv.0123abcd"
    others.write_text("mine")
    (tmp_path / f".{'0' * 16}-{'1' * 32}.surelearn").mkdir()
    with half_written(path, WAITS) as process:
        process.stdout.readline()
        with replacing(path) as file:
            file.write(b"mine")
        process.communicate(b"")
    assert path.read_bytes() == b"half"
    assert others.exists()
    assert len(list(tmp_path.iterdir())) == 3


def test_a_pipe_or_a_link_with_such_a_name_is_let_alone(tmp_path):
    pipe, link = (tmp_path / f".{'0' * 16}-{c * 32}.surelearn" for c in "ab")
    os.mkfifo(pipe)
    (tmp_path / "precious").write_text("mine")
    link.symlink_to(tmp_path / "precious")
    remove_left_over(tmp_path)
    assert pipe.exists()
    assert link.is_symlink()
    assert (tmp_path / "precious").exists()


def test_a_checkpoint_begins_without_what_was_left(tmp_path):
    killed_while_writing(tmp_path / "x.record")
    assert len(list(tmp_path.iterdir())) == 1
    kept = Checkpoint(tmp_path, str.upper)
    assert not list(tmp_path.iterdir())
    kept.keep("a", np.arange(3))
    np.testing.assert_array_equal(kept.find("a").record, np.arange(3))


def test_a_name_as_long_as_names_can_be(tmp_path):
    path = tmp_path / ("x" * 255)
    with replacing(path) as file:
        file.write(b"all")
    assert path.read_bytes() == b"all"


def test_a_folder_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "no" / "a.txt"):
        pass


def test_a_pipe_is_not_taken_away(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="no regular file"), replacing(path) as file:
        file.write(b"text")
    assert path.is_fifo()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_new_file_is_whole_on_a_disk_without_second_names(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    path = tmp_path / "key"
    with adding(path, mode=0o600) as file:
        file.write(b"mine")
    with pytest.raises(FileExistsError), adding(path) as file:
        file.write(b"yours")
    assert path.read_bytes() == b"mine"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["key"]
