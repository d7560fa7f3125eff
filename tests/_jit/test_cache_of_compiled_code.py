"""Compiled code is kept on disk where that is possible; where it is not, it is compiled anew."""

import importlib.util
import os
import pkgutil
import shutil
import sys
import types
import warnings

import numba
import numpy as np
import pytest
from numba.core import config
from numba.core.dispatcher import Dispatcher

from surelearn import learners
from surelearn._jit import _decorator, _kept_code, _sources
from surelearn._jit._inference import RememberingInference
from surelearn._jit._linked import QuietCompiler
from surelearn._jit._lowering import PlainLower

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

IMPORTED = """
from steps_of_loops import step
"""

STEP = """
from surelearn._jit import inner

@inner
def step(x):
    return 1.0 * x
"""

FIRST = """
from surelearn._jit import jit

@jit
def first(numbers):
    return numbers[0]

@jit
def last(numbers):
    return numbers[-1]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "loops.py").write_text(LOOP)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def load(folder):
    """Load the loops as a new process would."""
    spec = importlib.util.spec_from_file_location("loops", folder / "code" / "loops.py")
    loops = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loops)
    return loops


def call(folder):
    """Call the loops as a new process would; return the hits of the cache and what was said."""
    _kept_code._told.clear()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        loops = load(folder)
        assert loops.total(5) == 10.0
        assert loops.twice(5) == 20.0
    hits = sum(loops.total.stats.cache_hits.values())
    return hits, [f"{warning.category.__name__} {warning.message}" for warning in seen]


def test_what_was_compiled_is_found_again(folder):
    assert call(folder) == (0, [])
    assert call(folder) == (1, [])


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


def empty(path):
    for file in path.rglob("*.nbc"):
        file.write_bytes(b"")


@pytest.mark.parametrize("damage", [damage_data, cut_data, fill_with_garbage, empty])
def test_damaged_files_are_replaced_and_said_to_be_so_once(folder, damage):
    call(folder)
    damage(folder / "cache")
    hits, said = call(folder)
    assert hits == 0
    assert len(said) == 1
    assert said[0].startswith("RuntimeWarning Compiled loops on disk cannot be used")
    assert call(folder) == (1, [])


def test_code_of_another_version_is_passed_over(folder, monkeypatch):
    call(folder)
    with monkeypatch.context() as other:
        other.setattr(numba, "__version__", "0.0")
        assert call(folder) == (0, [])
    assert call(folder) == (0, [])  # what the other version kept


def test_code_of_another_compiler_is_passed_over(folder, monkeypatch):
    """All files that write its instructions count, and whether they look at bounds."""
    call(folder)
    for part in (_decorator.jit, QuietCompiler, PlainLower, RememberingInference):
        source = sys.modules[part.__module__].__file__
        assert _sources._digest(source) in _sources._SETTINGS
    with monkeypatch.context() as other:
        other.setattr(config, "BOUNDSCHECK", 1)
        assert call(folder) == (0, [])
    assert call(folder) == (0, [])


def test_a_loop_whose_step_changed_in_another_file_is_compiled_anew(folder, monkeypatch):
    """An upgrade in the same folder replaces steps, and leaves the files of some loops alone."""
    monkeypatch.syspath_prepend(folder / "code")
    (folder / "code" / "loops.py").write_text(LOOP.replace("s += i", "s += step(i)", 1) + IMPORTED)
    for text, sum_of_steps in [(STEP, 10.0), (STEP.replace("1.0", "2.0"), 20.0), (STEP, 10.0)]:
        (folder / "code" / "steps_of_loops.py").write_text(text)
        for hits in (0, 1):
            monkeypatch.delitem(sys.modules, "steps_of_loops", raising=False)
            importlib.invalidate_caches()
            shutil.rmtree(folder / "code" / "__pycache__", ignore_errors=True)
            loops = load(folder)
            assert loops.total(5) == sum_of_steps
            assert sum(loops.total.stats.cache_hits.values()) == hits


def test_a_number_from_another_file_is_a_source_too(folder):
    call(folder)
    loops = load(folder)
    before = _sources.stamp(loops.total.py_func)
    loops.FACTOR = 3.0
    assert _sources.stamp(loops.total.py_func) != before


def test_files_that_changed_places_are_not_mistaken_for_each_other(folder):
    """Two processes that compiled for other types at once left such files behind."""
    (folder / "code" / "loops.py").write_text(FIRST)
    loops = load(folder)
    reals, integers = np.array([3.0, 4.0]), np.array([3, 4])
    assert (loops.first(reals), loops.first(integers), loops.last(reals)) == (3.0, 3, 4.0)
    kept = sorted((folder / "cache").rglob("*.nbc"))
    contents = [file.read_bytes() for file in kept]
    assert len(kept) == 3
    for turned in (1, 2):
        for file, content in zip(kept, contents[turned:] + contents[:turned], strict=True):
            file.write_bytes(content)
        loops = load(folder)
        assert (loops.first(reals), loops.first(integers), loops.last(reals)) == (3.0, 3, 4.0)


def test_every_step_that_a_loop_names_is_among_its_sources():
    """So no kept code outlives a change of what it calls."""
    seen = 0
    for loop in loops_of_surelearn():
        covered = _sources.files(loop)
        for step in steps_named_in(loop):
            seen += 1
            assert step.__code__.co_filename in covered, (loop, step)
    assert seen > 100


def loops_of_surelearn():
    for info in pkgutil.walk_packages(learners.__path__, "surelearn.learners."):
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, Dispatcher):
                yield value.py_func


def steps_named_in(loop):
    names = loop.__code__.co_names
    for name in names:
        value = loop.__globals__.get(name)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("surelearn"):
            found = [plain(vars(value).get(inner)) for inner in names]
        else:
            found = [plain(value)]
        yield from (step for step in found if isinstance(step, types.FunctionType))


def plain(value):
    return getattr(value, "py_func", value)


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


def test_a_user_without_a_home_gets_no_folder_that_is_called_a_tilde(folder, monkeypatch):
    """In a container a user may be a number only; Numba then takes "~" for a name."""
    (folder / "code" / "__pycache__").write_text("")
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(os.path, "expanduser", str)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    _, said = call(folder)
    assert len(said) == 1
    assert "NUMBA_CACHE_DIR" in said[0]
    assert list((folder / "here").iterdir()) == []
