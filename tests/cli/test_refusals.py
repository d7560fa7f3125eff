"""What ends a command, in one sentence with the right exit status."""

import pytest
import typer

from surelearn.cli._refusals import refusals


def test_what_numba_makes_of_an_interrupt_is_an_interrupt(capsys):
    told = SystemError("CPUDispatcher returned a result with an exception set")
    with pytest.raises(typer.Exit) as ended, refusals():
        raise told from KeyboardInterrupt()
    assert ended.value.exit_code == 130
    assert "interrupted; no file is half-written" in capsys.readouterr().err


def test_any_other_system_error_is_shown_as_it_is():
    with pytest.raises(SystemError, match="unlike"), refusals():
        raise SystemError("unlike")
