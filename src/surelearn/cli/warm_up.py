"""`surelearn warm-up`: compile every loop once."""

import typer


def warm_up() -> None:
    """Compile everything once, so that no later call waits for the compiler."""
    from rich.progress import track  # noqa: PLC0415 - `--help` should not wait for it

    from surelearn.app.warm_up import steps, why_not_kept  # noqa: PLC0415
    from surelearn.cli._refusals import refuse  # noqa: PLC0415

    every = steps()
    for _ in track(every, description="compiling", total=len(every)):
        pass
    if reason := why_not_kept():
        refuse(f"compiled, but not for later calls. {reason}", status=1)
    typer.echo("Compiled; the results are kept on disk.")
