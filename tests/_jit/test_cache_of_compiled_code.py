"""Compiled code is kept on disk where that is possible; where it is not, it is compiled anew."""

import importlib.util
import warnings

import pytest
from numba.core import config

from surelearn._jit import _decorator

LOOP = """
from surelearn._jit import jit

@jit
def total(n):
    s = 0.0
    for i in range(n):
        s += i
    return s

@jit
def twice(n):
    return 2 * total(n)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "loops.py").write_text(LOOP)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def call(folder):
    """Call the loops as a new process would; return the hits of the cache and what was said."""
    _decorator._told.clear()
    spec = importlib.util.spec_from_file_location("loops", folder / "code" / "loops.py")
    loops = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        spec.loader.exec_module(loops)
        assert loops.total(5) == 10.0
        assert loops.twice(5) == 20.0
    hits = sum(loops.total.stats.cache_hits.values())
    return hits, [f"{warning.category.__name__} {warning.message}" for warning in seen]


def test_what_was_compiled_is_found_again(folder):
    assert call(folder) == (0, [])
    assert call(folder) == (1, [])


def damage_index(path):
    for file in path.rglob("*.nbi"):
        file.write_bytes(b"")


def damage_data(path):
    for file in path.rglob("*.nbc"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1  # machine code that would run
        file.write_bytes(bytes(content))


def cut_data(path):
    for file in path.rglob("*.nbc"):
        file.write_bytes(file.read_bytes()[:40])


def fill_with_garbage(path):
    for file in (*path.rglob("*.nbi"), *path.rglob("*.nbc")):
        file.write_bytes(b"\x80\x04garbage that is no pickle" * 9)


def swap_types(path):
    for file in path.rglob("*.nbi"):
        file.write_bytes(b"\x80\x04K\x07.")  # a pickle, of the number 7


@pytest.mark.parametrize("damage", [damage_index, damage_data, cut_data, fill_with_garbage])
def test_damaged_files_are_replaced_and_said_to_be_so_once(folder, damage):
    call(folder)
    damage(folder / "cache")
    hits, said = call(folder)
    assert hits == 0
    assert len(said) == 1
    assert said[0].startswith("RuntimeWarning Compiled loops on disk are damaged")
    assert call(folder) == (1, [])


def test_an_index_of_another_version_is_passed_over(folder):
    call(folder)
    swap_types(folder / "cache")
    assert call(folder) == (0, [])


def test_without_a_folder_to_write_to_loops_run_all_the_same(folder, monkeypatch):
    """A file where a folder is needed: nobody can write there, not even the superuser."""
    (folder / "code" / "__pycache__").write_text("")
    (folder / "home").write_text("")
    monkeypatch.setattr(config, "CACHE_DIR", "")
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder / "home"))
    hits, said = call(folder)
    assert hits == 0
    assert len(said) == 1
    assert "NUMBA_CACHE_DIR" in said[0]


def test_a_disk_that_is_full_later_on_is_said_and_survived(folder):
    call(folder)
    for file in (folder / "cache").rglob("*.nb?"):
        file.unlink()
        file.mkdir()  # neither to be read nor to be replaced
    hits, said = call(folder)
    assert hits == 0
    assert all("RuntimeWarning Compiled loops" in line for line in said)
    assert len(said) == 2  # what is there cannot be read; what is new cannot be kept
