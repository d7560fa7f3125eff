"""Fixtures for all tests."""

import hashlib
import os
import pathlib
import shutil
import tempfile

import pytest
from hypothesis import settings

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


def pytest_unconfigure(config):  # noqa: ARG001
    """Forget the ledger of this session."""
    shutil.rmtree(os.environ["SURELEARN_STATE"], ignore_errors=True)


@pytest.fixture(
    params=[pytest.param(200, id="fast"), pytest.param(4000, id="slow", marks=pytest.mark.slow)]
)
def repetitions(request):
    """How often a simulation is repeated: two hundred times, or four thousand if asked."""
    return request.param
