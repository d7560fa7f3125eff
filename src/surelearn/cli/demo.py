"""`surelearn demo`: train, certify, print, draw."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the figure and the certificate.")] = Path(
        "surelearn-demo"
    ),
    delta: Annotated[
        float, typer.Option(help="Probability that the certificate is false, in (0, 1).")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of the random split.")] = 0,
) -> None:
    """Train a Perceptron on the built-in breast-cancer table and print its certificate.

    Writes `certificate.json`, which anyone can recompute, and `bounds.svg`, the observed error
    against the bounds.
    """
    # Imported here: `surelearn --help` should not wait for NumPy, SciPy and scikit-learn.
    from rich.console import Console  # noqa: PLC0415

    from surelearn.app.demo import demonstrate, save_figure  # noqa: PLC0415
    from surelearn.cli._panels import certificate_panel, run_panel  # noqa: PLC0415

    console = Console()
    if not 0.0 < delta < 1.0:
        raise typer.BadParameter(f"delta={delta} is outside (0, 1)", param_hint="--delta")
    with console.status("training and certifying (the first run compiles the loops) ..."):
        result = demonstrate(delta=delta, seed=seed)
    console.print(certificate_panel(result.certificate, title="breast cancer, 569 x 30"))
    console.print(run_panel(result.run))
    out.mkdir(parents=True, exist_ok=True)
    save_figure(result, out / "bounds.svg")
    (out / "certificate.json").write_text(result.certificate.to_json(), encoding="utf-8")
    console.print(f"Written: {out / 'bounds.svg'} and {out / 'certificate.json'}")
