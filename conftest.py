"""What holds for every test and every example: nothing was asked of any rows before it."""

from uuid import uuid4

import pytest


@pytest.fixture(autouse=True)
def _no_memory_of_other_tests(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Begin as a new process of a new user would; the user's own ledger is never touched."""
    from surelearn.evaluate.ledger import forget  # noqa: PLC0415 - Numba's cache is named before

    forget()
    state = tmp_path_factory.getbasetemp() / f"state-{uuid4().hex}"
    monkeypatch.setenv("SURELEARN_STATE", str(state))
