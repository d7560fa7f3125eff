"""What ends a command, in one sentence with the right exit status."""

import pytest
import typer

from surelearn.cli._refusals import refusals


def test_what_numba_makes_of_an_interrupt_is_an_interrupt(capsys):
    with pytest.raises(typer.Exit) as ended, refusals():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            told = "CPUDispatcher returned a result with an exception set"
            raise SystemError(told) from error
    assert ended.value.exit_code == 130
    assert "interrupted; no file is half-written" in capsys.readouterr().err


def test_any_other_system_error_is_shown_as_it_is():
    with pytest.raises(SystemError, match="unlike"), refusals():
        raise SystemError("unlike")
