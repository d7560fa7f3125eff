"""The files of a certified run: written aside, then put in place all at once."""

import contextlib
import shutil
import tempfile
from pathlib import Path

from surelearn.app._notes import TableError
from surelearn.app.certify import CertifiedRun
from surelearn.app.model_files import save_model
from surelearn.app.reporting import make_report
from surelearn.app.tables import TableFile
from surelearn.report import render_html, render_json

NAMES = ("model.surelearn", "certificate.json", "report.html", "report.json")


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written or holds a report already."""
    there = [name for name in NAMES if (out / name).exists()]
    if there and not force:
        raise TableError(f"{out} already holds {there[0]}: give another --out, or --force")
    if out.exists() and not out.is_dir():
        raise TableError(f"{out} is a file, not a folder: give another --out")
    try:
        with _aside(out):
            pass
    except OSError as error:
        raise TableError(f"nothing can be written to {out}: {error.strerror}") from error


def write_run(run: CertifiedRun, file: TableFile, out: Path) -> tuple[Path, ...]:
    """Write the model, the certificate and the report; all of them or none.

    The same run gives the same files, whenever and wherever it is written.
    """
    report = make_report(run, file)
    with _aside(out) as folder:
        metadata = {"certificate": run.certificate.reproduce["model"], "learner": run.name}
        save_model(run.model, folder / NAMES[0], schema=run.problem.schema, metadata=metadata)
        (folder / NAMES[1]).write_text(run.certificate.to_json() + "\n", encoding="utf-8")
        (folder / NAMES[2]).write_text(render_html(report), encoding="utf-8")
        (folder / NAMES[3]).write_text(render_json(report), encoding="utf-8")
        out.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / name).replace(out / name)
    return tuple(out / name for name in NAMES)


@contextlib.contextmanager
def _aside(out: Path):  # noqa: ANN202 - a context manager
    """Make a folder beside the output, on the same disk, that is gone afterwards."""
    parent = next(folder for folder in (out.absolute(), *out.absolute().parents) if folder.is_dir())
    folder = Path(tempfile.mkdtemp(prefix=".surelearn-", dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
