"""`surelearn ledger`: which tables were certified, how often, and what was claimed."""

from pathlib import Path
from typing import Annotated

import typer


def ledger(
    file: Annotated[
        Path | None,
        typer.Option(help="A ledger beside some results; that of this user if left out."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show which tables were certified: when, which models, and how many looks are left.

    A hold-out that is asked until one likes the answer proves nothing. So `surelearn certify`
    enters every look at a table here before it shows the answer. The same run again is the same
    look. A second model of a table gets a void certificate, unless `--looks N` planned N models
    before the first; they share delta.

    Tables are recognised by their rows, in any order and file format; not if cells or columns were
    changed. Looks of other users and machines are not seen. `surelearn verify` and `predict` do not
    count as looks. The file is in the folder that `SURELEARN_STATE` names, else where the system
    keeps the state of programs (on Linux `~/.local/state/surelearn/ledger.jsonl`), and beside every
    folder of results there is a copy, `surelearn-ledger.jsonl`.
    """
    from surelearn._wording import printable  # noqa: PLC0415
    from surelearn.app.ledger import summarise  # noqa: PLC0415 - `--help` should not wait for it

    found = summarise(file)
    if as_json:
        import json  # noqa: PLC0415

        typer.echo(json.dumps(found, indent=2, ensure_ascii=True))
        return
    for table in found["tables"]:
        typer.echo(
            f"{printable(table['file'])}, target {printable(table['target'])}, "
            f"{table['rows']:,} rows: {table['used']} of {table['planned']} looks used, "
            f"delta {table['delta']:g}"
        )
        for look in table["looks"]:
            claim = printable(look["claim"]) or "the answer was not shown"
            typer.echo(f"  {printable(look['date'])}  {printable(look['learner'])}: {claim}")
    where = printable(found["ledger"])
    if not found["tables"]:
        typer.echo(f"Nothing was certified yet: {where} holds no looks.")
    if found["damaged"]:
        typer.echo(f"{found['damaged']} lines of {where} cannot be read.", err=True)
