"""A run that was interrupted computes only what is missing, and nothing that is damaged counts."""

import os
import pickle
from collections import Counter, OrderedDict
from functools import partial
from operator import add

import numpy as np
import pytest

from surelearn import RidgeRegression, scale
from surelearn.scale import checkpoints


def noted(folder, part):
    """Return a record and note that it was computed."""
    with (folder / "computed").open("a", encoding="utf-8") as file:
        file.write(f"{part} ")
    if (folder / f"fail-{part}").exists():
        raise ValueError("not today")
    return np.full(2, float(part))


def computed(folder):
    found = (folder / "computed").read_text(encoding="utf-8").split()
    (folder / "computed").unlink()
    return sorted(map(int, found))


def run(folder, n=8, factor=1):
    del factor
    return scale.map_reduce(range(n), partial(noted, folder), add, checkpoint=folder / "kept")


def test_a_second_run_computes_only_what_is_missing(tmp_path):
    (tmp_path / "fail-5").write_text("")
    with pytest.raises(scale.PartError, match="5: not today"):
        run(tmp_path)
    assert computed(tmp_path) == [0, 1, 2, 3, 4, 5]
    (tmp_path / "fail-5").unlink()
    assert run(tmp_path).tolist() == [28.0, 28.0]
    assert computed(tmp_path) == [5, 6, 7]


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "junk"])
def test_a_damaged_record_is_computed_again(damage, tmp_path):
    wanted = run(tmp_path)
    computed(tmp_path)
    path = sorted((tmp_path / "kept").glob("*.record"))[3]
    content = path.read_bytes()
    turned = content[:-1] + bytes([content[-1] ^ 1])
    path.write_bytes({"cut": content[:-9], "bit": turned, "empty": b"", "junk": b"x" * 99}[damage])
    assert (run(tmp_path) == wanted).all()
    assert len(computed(tmp_path)) == 1
    assert path.read_bytes() == content


class Evil:
    def __reduce__(self):
        return os.system, ("touch /tmp/surelearn-was-here",)


def test_no_file_of_the_folder_runs_code(tmp_path):
    run(tmp_path)
    payload = pickle.dumps(Evil())
    for path in (tmp_path / "kept").glob("*.record"):
        path.write_bytes(checkpoints.hashlib.sha256(payload).digest() + payload)
    computed(tmp_path)
    run(tmp_path)
    assert len(computed(tmp_path)) == 8
    assert not os.path.exists("/tmp/surelearn-was-here")  # noqa: PTH110, S108


class Forged:
    """Whatever a pickle is told to make: a callable, its arguments and a state."""

    def __init__(self, *told):
        self.told = told

    def __reduce__(self):
        return self.told


def found_in(folder, record):
    """Return what is found where a record was kept, if another lies there under its right hash."""
    kept = checkpoints.Checkpoint(folder, str.upper)
    kept.keep("a", "A")
    lay_under_its_hash(folder, pickle.dumps(record, protocol=5))
    return kept.find("a")


def lay_under_its_hash(folder, payload):
    (path,) = folder.glob("*.record")
    path.write_bytes(checkpoints.hashlib.sha256(payload).digest() + payload)


def test_a_file_cannot_say_of_addresses_that_they_are_numbers(tmp_path):
    address = Forged(np.dtype, ("O8", False, True), (3, "|", None, None, None, -1, -1, 0))
    forged = Forged(np._core.numeric._frombuffer, (b"A" * 16, address, (2,), "C"))
    assert found_in(tmp_path, forged) is None


@pytest.mark.parametrize(("kind", "n"), [("|O", 2), ([("a", "|O")], 2), ("<f8", 3), ("<U0", 3)])
def test_an_array_of_a_file_is_of_numbers_or_text_and_as_long_as_it_says(kind, n, tmp_path):
    told = ("cells", kind, (n,), "C", b"A" * 16, False)
    assert found_in(tmp_path, Forged(checkpoints._make, told)) is None


@pytest.mark.parametrize("puts", [b"r\x00\x00\x00\x01", b"p16777216\n", b"q\x07"])
def test_a_file_does_not_say_where_its_values_are_remembered(puts, tmp_path):
    """A hundred bytes took 4.4 GB, and could take 64: a table up to the place they named."""
    assert found_in(tmp_path, Forged(set, ())) is not None
    lay_under_its_hash(tmp_path, b"\x80\x05N" + puts + b".")
    assert checkpoints.Checkpoint(tmp_path, str.upper).find("a") is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_record_that_is_a_pipe_is_not_waited_for(tmp_path):
    kept = checkpoints.Checkpoint(tmp_path, str.upper)
    kept.keep("a", "A")
    (path,) = tmp_path.glob("*.record")
    path.unlink()
    os.mkfifo(path)
    assert kept.find("a") is None


def test_a_file_changes_no_class(tmp_path):
    forged = Forged(set, (), (None, {"made": 1}))
    assert found_in(tmp_path, forged) is None
    assert found_in(tmp_path, [checkpoints.Found]) is None
    make = Forged(getattr, (checkpoints._make, "__call__"))
    assert found_in(tmp_path, make) is None


def test_what_is_kept_comes_back_as_it_was(tmp_path):
    row = np.arange(6.0).reshape(2, 3)
    arrays = [row, row.T, row[:, :0], np.array(["a", "bc"]), np.array([b"a"]), np.array(3)]
    arrays += [np.array(["2020-01-01"], dtype="M8[D]"), np.array([(1, 2.0)], dtype="i4,f8")]
    arrays += [np.array(["a", None, [1]], dtype=object), np.array([[1], [2]], dtype=object)]
    plain = [np.float64(0.1), np.str_("ab"), np.bool_(1), Counter("aab"), {1, 2}, 1j]
    plain += [checkpoints.Found((1, "a")), OrderedDict(b=1, a=2), slice(1, None)]
    kept = checkpoints.Checkpoint(tmp_path, str.upper)
    kept.keep("a", (arrays, plain))
    there, others = kept.find("a").record
    for was, now in zip(arrays, there, strict=True):
        assert (now.dtype, now.tolist()) == (was.dtype, was.tolist())
        assert now.flags.writeable
        assert now.flags.f_contiguous == was.flags.f_contiguous
    assert others == plain
    assert list(map(type, others)) == list(map(type, plain))


def test_records_of_another_task_or_other_arguments_do_not_count(tmp_path):
    folder = tmp_path / "kept"
    scale.map_reduce("ab", str.upper, add, checkpoint=folder)
    assert scale.map_reduce("ab", str.lower, add, checkpoint=folder) == "ab"
    assert len(list(folder.iterdir())) == 4


def test_records_of_other_code_do_not_count(tmp_path, monkeypatch):
    run(tmp_path)
    computed(tmp_path)
    monkeypatch.setattr(checkpoints, "code_version", lambda: "another")
    run(tmp_path)
    assert len(computed(tmp_path)) == 8


def strange(part):
    return {part: Evil()}


def test_a_record_that_is_not_plain_is_refused(tmp_path):
    with pytest.raises(TypeError, match="cannot be kept"):
        scale.map_reduce("ab", strange, add, checkpoint=tmp_path)


def test_a_learner_resumes(folder, tmp_path):
    parts = scale.parts(folder, target="y", columns=["a", "b"])
    alone, told = RidgeRegression().fit(parts), []
    with scale.on(checkpoint=tmp_path):
        RidgeRegression().fit(parts[:7])
    n_kept = len(list(tmp_path.iterdir()))
    with scale.on(checkpoint=tmp_path, progress=lambda *state: told.append(state)):
        resumed = RidgeRegression().fit(parts)
    assert (n_kept, len(list(tmp_path.iterdir()))) == (7, len(parts))
    assert (resumed.coef_ == alone.coef_).all()
    assert told[-1] == (len(parts), len(parts))


def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be used as a checkpoint"):
        scale.map_reduce("ab", str.upper, add, checkpoint=tmp_path / "file")
