"""Killed at any moment, a run leaves all old files or all new ones; the next one no trace."""

import ctypes
import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from surelearn.app import folder_swap, output
from surelearn.app.errors import TableError
from surelearn.app.output import NAMES, OF_AUDITS, check_folder, write_run
from surelearn.app.predict import model_in
from surelearn.app.verify import certificate_in

# Children of a process with threads only write files, and end without returning.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
CALLS = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "open", "ctypes.dlsym"}
state = {"kill_at": -1, "n_calls": 0}


@pytest.fixture
def made_up(monkeypatch):
    """A run whose files say "new", so that writing it takes no time."""
    monkeypatch.setattr(output, "make_report", lambda *_: None)
    monkeypatch.setattr(output, "render_html", lambda _: "new\n")
    monkeypatch.setattr(output, "render_json", lambda _: "new\n")
    monkeypatch.setattr(output, "bundle_of", lambda *_: None)
    monkeypatch.setattr(output, "to_json", lambda _: "new\n")
    monkeypatch.setattr(output, "save_model", lambda _, path, **__: path.write_text("new\n"))
    certificate = SimpleNamespace(reproduce={"model": "ab"}, to_json=lambda: "new")
    problem = SimpleNamespace(schema={})
    run = {"certificate": certificate, "name": "x", "problem": problem, "model": None}
    return SimpleNamespace(**run, claims=(), claims_delta=None, kept_intervals={})


def texts(out):
    return {(out / n).read_text().strip() if (out / n).exists() else None for n in NAMES}


def hidden(*folders):
    return [path.name for folder in folders for path in folder.glob(".surelearn-*")]


def set_up(folder, kind):
    folder.mkdir()
    out = folder / "out"
    if kind == "absent":
        return out
    out.mkdir()
    (out / "ledger.jsonl").write_text("mine")
    if kind != "empty":
        for name in NAMES:
            (out / name).write_text("old")
    if kind == "with a folder":
        (out / "kept").mkdir()
        (out / "kept" / "x").write_text("mine")
    if kind == "symlink":
        (folder / "link").symlink_to(out)
        return folder / "link"
    return out


def watch(name, _):
    if name in CALLS:
        state["n_calls"] += 1
        if state["n_calls"] == state["kill_at"]:
            os.kill(os.getpid(), signal.SIGKILL)


def write_in_a_child(run, out, *, kill_at=-1, here=False):
    """Write in a process of its own that is killed at a call; return its number of calls."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        if here:
            os.chdir(out)
        try:
            state.update(kill_at=kill_at, n_calls=0)
            sys.addaudithook(watch)
            check_folder(out, force=True)
            write_run(run, None, out)
            os.write(writer, str(state["n_calls"]).encode())
            os._exit(0)
        finally:
            os._exit(1)  # whatever was raised: a child must not go on as the test run
    os.close(writer)
    told = os.read(reader, 100)
    os.close(reader)
    _, status = os.waitpid(pid, 0)
    return int(told) if status == 0 else -status


@pytest.mark.parametrize(
    ("kind", "every"),
    [("full", 1), ("absent", 4), pytest.param("absent", 1, marks=pytest.mark.slow)],
)
def test_killed_at_any_call_it_leaves_all_old_or_all_new_files(made_up, tmp_path, kind, every):
    out = set_up(tmp_path / "whole", kind)
    n_calls = write_in_a_child(made_up, out)
    assert n_calls > 10
    assert texts(out) == {"new"}
    for k in range(every, n_calls + 1, every):
        folder = tmp_path / str(k)
        out = set_up(folder, kind)
        assert write_in_a_child(made_up, out, kill_at=k) == -signal.SIGKILL
        assert texts(out) in ([{None}, {"new"}] if kind == "absent" else [{"old"}, {"new"}]), k
        if k % 6 == 0:  # some of them: the next run
            assert write_in_a_child(made_up, out) > 0
            assert texts(out) == {"new"}
            assert hidden(folder, out) == [], k
        if kind != "absent":
            assert (out / "ledger.jsonl").read_text() == "mine"


@pytest.mark.parametrize("kind", ["with a folder", "full"])
def test_whoever_reads_after_a_kill_finds_all_old_or_all_new_files(
    made_up, tmp_path, monkeypatch, kind
):
    monkeypatch.setattr(folder_swap, "_exchange", lambda *_: False)
    read = certificate_in if kind == "full" else lambda out: model_in(out / NAMES[0])
    n_calls = write_in_a_child(made_up, set_up(tmp_path / "whole", kind))
    missing = 0
    for k in range(n_calls // 2, n_calls + 1, 2 if kind == "full" else 4):
        out = set_up(tmp_path / str(k), kind)
        write_in_a_child(made_up, out, kill_at=k)
        missing += None in texts(out)
        read(out)
        assert texts(out) in ({"old"}, {"new"}), k
        assert (out / "ledger.jsonl").read_text() == "mine"
    assert missing > 0


def test_a_killed_run_is_finished_by_another_command(made_up, tmp_path, monkeypatch):
    out = set_up(tmp_path / "folder", "with a folder")
    monkeypatch.setattr(folder_swap, "finish", lambda _: None)  # as if killed
    monkeypatch.setattr(folder_swap, "_since", lambda _: 5)
    real, n_moves = Path.rename, []

    def rename(self, target):
        n_moves.append(self)
        if len(n_moves) > 4:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        write_run(made_up, None, out)
    monkeypatch.undo()
    folder_swap.clean_up(out, OF_AUDITS)
    assert texts(out) == {"old"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "absent", "empty", "symlink", "with a folder", "here"])
@pytest.mark.parametrize("exchanges", [True, False])
def test_after_the_next_run_no_trace_is_left(made_up, tmp_path, monkeypatch, kind, exchanges):
    if not exchanges:
        monkeypatch.setattr(folder_swap, "_exchange", lambda *_: False)
    here = kind == "here"
    n_calls = write_in_a_child(made_up, set_up(tmp_path / "whole", kind), here=here)
    for k in range(1, n_calls + 1):
        folder = tmp_path / str(k)
        out = set_up(folder, kind)
        assert write_in_a_child(made_up, out, kill_at=k, here=here) == -signal.SIGKILL
        assert not {"old", "new"} <= texts(out)  # never a mixture
        assert write_in_a_child(made_up, out, here=here and out.exists()) > 0
        assert texts(out) == {"new"}
        assert hidden(folder, out) == [], k
        if kind == "with a folder":
            assert (out / "kept" / "x").read_text() == "mine"
        if kind != "absent":
            assert (out / "ledger.jsonl").read_text() == "mine"


@pytest.mark.parametrize("kind", ["with a folder", "here"])
@pytest.mark.parametrize("n_moves", range(2 * len(NAMES)))
def test_an_interrupt_while_files_are_moved_one_by_one_is_undone_or_finished(
    made_up, tmp_path, monkeypatch, kind, n_moves
):
    out = set_up(tmp_path / "folder", kind)
    if kind == "here":
        monkeypatch.chdir(out)
    real, moves = Path.rename, []

    def rename(self, target):
        if self.name in NAMES:
            moves.append(self)
            if len(moves) == n_moves + 1:
                raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(KeyboardInterrupt):
        write_run(made_up, None, out)
    assert texts(out) == ({"old"} if n_moves <= len(NAMES) else {"new"})
    assert hidden(tmp_path / "folder", out) == []


def test_an_interrupt_before_or_after_the_exchange(made_up, tmp_path, monkeypatch):
    real = folder_swap._exchange

    def before(*_):
        raise KeyboardInterrupt

    def after(one, other):
        assert real(one, other)
        raise KeyboardInterrupt

    for name, exchange, expected in (("a", before, "old"), ("b", after, "new")):
        out = set_up(tmp_path / name, "full")
        monkeypatch.setattr(folder_swap, "_exchange", exchange)
        with pytest.raises(KeyboardInterrupt):
            write_run(made_up, None, out)
        assert texts(out) == {expected}
        assert hidden(tmp_path / name, out) == []
        assert (out / "ledger.jsonl").read_text() == "mine"


def test_where_folders_cannot_be_exchanged_they_are_renamed(made_up, tmp_path, monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace())
    out = set_up(tmp_path / "folder", "full")
    write_run(made_up, None, out)
    assert texts(out) == {"new"}
    assert hidden(tmp_path / "folder", out) == []
    assert (out / "ledger.jsonl").read_text() == "mine"


def test_a_file_that_others_replace_meanwhile_is_not_lost(made_up, tmp_path, monkeypatch):
    out, real = set_up(tmp_path / "folder", "full"), folder_swap._exchange

    def exchange(one, other):
        newer = tmp_path / "newer"
        newer.write_text("mine, later")
        os.utime(newer, (2e9, 2e9))
        newer.replace(out / "ledger.jsonl")
        (out / "another.txt").write_text("also mine")
        return real(one, other)

    monkeypatch.setattr(folder_swap, "_exchange", exchange)
    write_run(made_up, None, out)
    assert (out / "ledger.jsonl").read_text() == "mine, later"
    assert (out / "another.txt").read_text() == "also mine"
    assert texts(out) == {"new"}


def test_a_disk_that_is_full_leaves_the_old_files(made_up, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    out = set_up(tmp_path / "folder", "full")
    monkeypatch.setattr(output, "render_json", full)
    with pytest.raises(TableError, match=r"nothing can be written to .*: No space left on device"):
        write_run(made_up, None, out)
    assert texts(out) == {"old"}
    assert hidden(tmp_path / "folder", out) == []


def test_what_living_processes_use_is_let_alone(made_up, tmp_path):
    out = set_up(tmp_path / "folder", "full")
    with folder_swap.aside(out, NAMES) as mine:
        check_folder(out, force=True)
        assert mine.path.is_dir()
    assert hidden(tmp_path / "folder", out) == []
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / "folder" / f".surelearn-{folder_swap._host()}-{ended.pid}-5-0123abcd"
    other = tmp_path / "folder" / ".surelearn-000000-1-5-0123abcd"  # of another machine
    former = tmp_path / "folder" / ".surelearn-0123abcd"
    not_ours = tmp_path / "folder" / ".surelearn-notes"
    for folder in (left, other, former, not_ours):
        folder.mkdir()
        folder.chmod(0o755)
    check_folder(out, force=True)
    assert sorted(hidden(tmp_path / "folder")) == sorted([other.name, not_ours.name])
    write_run(made_up, None, out)
    assert texts(out) == {"new"}


@pytest.fixture
def left_over(tmp_path):
    """The hidden folder of a run that is dead, beside a full output, and its plan."""
    set_up(tmp_path / "folder", "full")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path = tmp_path / "folder" / f".surelearn-{folder_swap._host()}-{ended.pid}-5-0123abcd"
    (path / "new").mkdir(parents=True)
    path.chmod(0o700)
    plan = {"out": "out", "within": False, "begun": [0, 0], "others": []}
    return path, plan


def test_a_forged_plan_does_not_reach_another_folder(left_over):
    path, plan = left_over
    out, victim = path.parent / "out", path.parent / "victim"
    victim.mkdir()
    (victim / "key").write_text("mine")
    (path / "new" / "key").write_text("planted")
    os.utime(path / "new" / "key", (2e9, 2e9))
    for forged in ({"out": "victim"}, {"out": str(victim)}, {"within": True}, {"others": "key"}):
        (path / "plan.json").write_text(json.dumps({**plan, "others": ["key"], **forged}))
        check_folder(out, force=True)
        assert (victim / "key").read_text() == "mine"
        assert (path / "new" / "key").read_text() == "planted"


def test_only_files_that_a_plan_records_are_given_back(left_over):
    path, plan = left_over
    for name in ("recorded", "planted"):
        (path / "new" / name).write_text("x")
    (path / "plan.json").write_text(json.dumps({**plan, "others": ["recorded"]}))
    check_folder(path.parent / "out", force=True)
    assert (path.parent / "out" / "recorded").exists()
    assert not (path.parent / "out" / "planted").exists()


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_hidden_folder_that_others_may_write_is_let_alone(left_over, mode):
    path, plan = left_over
    (path / "new" / "recorded").write_text("x")
    (path / "plan.json").write_text(json.dumps({**plan, "others": ["recorded"]}))
    path.chmod(mode)
    check_folder(path.parent / "out", force=True)
    assert (path / "new" / "recorded").exists()


def test_files_behind_a_link_in_a_hidden_folder_stay(left_over):
    path, plan = left_over
    victim = path.parent / "victim"
    victim.mkdir()
    (victim / NAMES[0]).write_text("mine")
    (path / "new").rmdir()
    (path / "new").symlink_to(victim)
    (path / "plan.json").write_text(json.dumps(plan))
    check_folder(path.parent / "out", force=True)
    assert (victim / NAMES[0]).read_text() == "mine"


def test_a_hidden_folder_is_of_one_user_alone_and_a_pipe_is_no_plan(left_over):
    path, _ = left_over
    os.mkfifo(path / "plan.json")
    check_folder(path.parent / "out", force=True)  # and does not wait for the pipe
    with folder_swap.aside(path.parent / "out", NAMES) as made:
        assert made.path.stat().st_mode & 0o777 == 0o700


def test_runs_at_the_same_time_leave_one_of_them_whole(made_up, tmp_path):
    out, children = set_up(tmp_path / "folder", "full"), []
    for i in range(4):
        pid = os.fork()
        if pid == 0:
            try:
                for name in ("render_html", "render_json", "to_json"):
                    setattr(output, name, lambda _, i=i: f"{i}\n")
                output.save_model = lambda _, path, i=i, **__: path.write_text(f"{i}\n")
                made_up.certificate.to_json = lambda i=i: f"{i}"
                for _ in range(5):
                    write_run(made_up, None, out)
                os._exit(0)
            finally:
                os._exit(1)
        children.append(pid)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0] * 4
    assert len(texts(out)) == 1
    assert hidden(tmp_path / "folder", out) == []
    assert (out / "ledger.jsonl").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_one_sentence(made_up, tmp_path):
    out = set_up(tmp_path / "folder", "full")
    out.chmod(0o555)
    with pytest.raises(TableError, match="Permission denied"):
        write_run(made_up, None, out)
    out.chmod(0o755)
    assert texts(out) == {"old"}


def test_old_files_that_cannot_be_removed_do_not_refuse_the_new_ones(
    tmp_path, made_up, monkeypatch
):
    out = tmp_path / "out"
    write_run(made_up, None, out)
    remove = Path.unlink

    def refuse(path, *, missing_ok=False):
        if path.name in NAMES:
            raise OSError(errno.EIO, "Input/output error")
        remove(path, missing_ok=missing_ok)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        assert write_run(made_up, None, out)[0] == out / NAMES[0]
    assert texts(out) == {"new"}
    assert len(hidden(tmp_path)) == 1
    monkeypatch.setattr(folder_swap, "_lives", lambda _: False)
    check_folder(out, force=True)
    assert not hidden(tmp_path)


def test_links_in_a_circle_are_told_in_a_sentence(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    for out in (tmp_path / "loop", tmp_path / "loop" / "in"):
        with pytest.raises(TableError, match="symbolic links"):
            check_folder(out, force=True)
