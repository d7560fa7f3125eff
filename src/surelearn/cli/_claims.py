"""Claims on the terminal: a table of what was seen and what is certified, and verdicts."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from surelearn._wording import amount, confidence
from surelearn.app.audit import Outcome
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.telling.beside import positive_of
from surelearn.app.telling.wording import count_of
from surelearn.cli._terminal import shown

STATUS = {"stated": 0, "proved": 0, "not proved": 1, "refuted": 3}
"""The exit status of each verdict."""

_COLOURS = {"proved": "green", "not proved": "yellow", "refuted": "red", "not tried": "dim"}


def board_of(outcomes: Sequence[Outcome]) -> Table:
    """Return the claims, what was seen, what is certified, and on how many rows."""
    board = Table(box=None, padding=(0, 2, 0, 0))
    for name, justify in (
        ("", "left"),
        ("observed", "right"),
        ("certified", "right"),
        ("rows", "right"),
    ):
        board.add_column(name, justify=justify)  # type: ignore[arg-type]
    for outcome in outcomes:
        found = outcome.certificate
        if found is None:
            continue
        sign = "at most" if found.direction == "upper" else "at least"
        share = found.kind in {"rate", "risk"}
        seen = f"{100 * found.observed:.4g}%" if share else amount(found.observed)
        board.add_row(
            shown(outcome.claim.full_title),
            seen,
            f"{sign} {outcome.claim.limit(found.bound)}",
            count_of(found),
        )
    return board


def verdict_of(outcome: Outcome) -> str:
    """Return what became of a target, in a line."""
    colour = _COLOURS[outcome.verdict]
    advice = f" ({shown(outcome.advice)})" if outcome.advice else ""
    return f"[{colour}]{outcome.verdict}[/]  {shown(outcome.target)}{advice}"


def show_beside(console: Console, run: CertifiedRun) -> None:
    """Print the claims beside a certificate, and at which level they hold."""
    if not run.claims:
        return
    level = confidence(float(run.options["delta"]))
    named = positive_of(run)
    told = "" if named is None else f" (positive: {shown(named)})"
    console.print(f"\nBeside it, together with confidence {level}{told}:", highlight=False)
    console.print(board_of(run.claims))
    for outcome in run.claims:
        if outcome.target is not None:
            console.print(verdict_of(outcome), highlight=False)
    console.print()
