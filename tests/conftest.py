"""Fixtures for all tests."""

import gc
import hashlib
import os
import pathlib
import shutil
import tempfile

# Every worker of the suite has one core: threads of matrix products would spin while they wait for
# each other, which took half of the time. NumPy reads this when it is imported.
for _threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")

import pytest  # noqa: E402
from hypothesis import settings  # noqa: E402

# The same examples each time, or a fault that was always there stops somebody else's change;
# `make slow` draws new ones.
settings.register_profile("the same examples", derandomize=True, database=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "the same examples"))

_ROOT = pathlib.Path(__file__).parent.parent


def pytest_configure(config):  # noqa: ARG001
    """Key Numba's cache by the source: Numba itself does not see edits in imported files."""
    digest = hashlib.sha256()
    for path in sorted((_ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    cache = _ROOT / ".cache" / f"numba-{digest.hexdigest()[:16]}"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache))
    # The ledger of whoever runs the tests is not theirs to write, nor may it remember the last run.
    os.environ["SURELEARN_STATE"] = tempfile.mkdtemp(prefix="surelearn-state-")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):  # noqa: ARG001
    """Refuse to compile while tests are collected: every worker would, at the same time."""
    from numba.core.dispatcher import Dispatcher  # noqa: PLC0415 - its cache is named before

    compiles = Dispatcher.compile

    def refuse(dispatcher, signature):
        if dispatcher.py_func.__module__.startswith("surelearn."):
            told = f"{dispatcher} is compiled while tests are collected: fit inside a test"
            raise RuntimeError(told)
        return compiles(dispatcher, signature)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", refuse)
        return (yield)


def pytest_collection_finish(session):  # noqa: ARG001
    """Let the collector of garbage pass over thirty thousand tests: they stay until the end."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config):  # noqa: ARG001
    """Forget the ledger of this session."""
    shutil.rmtree(os.environ["SURELEARN_STATE"], ignore_errors=True)


@pytest.fixture(
    params=[pytest.param(200, id="fast"), pytest.param(4000, id="slow", marks=pytest.mark.slow)]
)
def repetitions(request):
    """How often a simulation is repeated: two hundred times, or four thousand if asked."""
    return request.param


@pytest.fixture
def few_candidates(monkeypatch):
    """Let `certify` try one quick learner where it would try all, for what all have in common."""
    from surelearn.app import certify  # noqa: PLC0415 - it takes a while, and few tests need it

    find = certify.find_candidates

    def find_one(task, *, names=(), **size):
        quick = "RidgeRegression" if task == "regression" else "MixedNaiveBayes"
        return find(task, names=names or [quick], **size)

    monkeypatch.setattr(certify, "find_candidates", find_one)


@pytest.fixture
def no_ink(monkeypatch):
    """Leave figures blank: they are made as ever, and drawing them takes longest in a report."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - few tests need it

    monkeypatch.setattr(Figure, "savefig", lambda _, file, **__: file.write("<svg></svg>"))


@pytest.fixture
def no_figures(monkeypatch):
    """Leave figures out of reports, and what is computed for them, for what does not show there."""
    from surelearn.app.telling import report  # noqa: PLC0415 - it takes a while

    for name in ("draw", "draw_curves", "draw_appendix"):
        monkeypatch.setattr(report, name, lambda _: ())


@pytest.fixture(scope="session")
def cluster():
    """Start a cluster of two workers, once."""
    from surelearn.scale.dask import local_cluster  # noqa: PLC0415 - it takes its time

    with local_cluster(2) as client:
        yield client


@pytest.fixture(scope="session")
def two_processes():
    """Start two processes, once."""
    from surelearn import scale  # noqa: PLC0415

    pool = scale.processes(2)
    pool.submit(abs, -1).result()
    yield pool
    pool.shutdown()
