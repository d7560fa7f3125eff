"""The files of a certified run: written aside, then put in place all at once."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from surelearn.app.certified_run import CertifiedRun
from surelearn.app.errors import TableError
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.report import make_report
from surelearn.certificate._certificate import plain
from surelearn.persistence.model_files import save_model
from surelearn.report import render_html, render_json

NAMES = ("model.surelearn", "certificate.json", "report.html", "report.json")


def check_folder(out: Path, *, force: bool) -> None:
    """Refuse a folder that cannot be written or holds a report already."""
    nearest = next(path for path in (out, *out.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise TableError(f"{nearest} is a file, not a folder: give another --out")
    there = [name for name in NAMES if (out / name).exists()]
    if there and not force:
        raise TableError(f"{out} already holds {there[0]}: give another --out, or --force")
    with _aside(out):
        pass


def write_run(run: CertifiedRun, file: TableFile, out: Path) -> tuple[Path, ...]:
    """Write the model, the certificate and the report; all of them or none.

    The same run gives the same files, whenever and wherever it is written.
    """
    report = make_report(run, file)
    with _aside(out) as folder:
        stored = run.certificate.reproduce
        made = {name: plain(stored[name]) for name in ("options", "versions") if name in stored}
        metadata = {"certificate": stored["model"], "learner": run.name, "made": made}
        save_model(run.model, folder / NAMES[0], schema=run.problem.schema, metadata=metadata)
        (folder / NAMES[1]).write_text(run.certificate.to_json() + "\n", encoding="utf-8")
        (folder / NAMES[2]).write_text(render_html(report), encoding="utf-8")
        (folder / NAMES[3]).write_text(render_json(report), encoding="utf-8")
        _put_in_place(folder, out)
    return tuple(out / name for name in NAMES)


def _put_in_place(folder: Path, out: Path) -> None:
    """Move the folder if there is none, else each file; what was there returns on an error."""
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(out)
        return
    earlier = folder / "earlier"
    earlier.mkdir()
    try:
        for name in NAMES:
            with suppress(FileNotFoundError):
                (out / name).replace(earlier / name)
        for name in NAMES:
            (folder / name).replace(out / name)
    except BaseException:
        for name in NAMES:
            if (earlier / name).exists():
                (earlier / name).replace(out / name)
            elif not (folder / name).exists():
                (out / name).unlink(missing_ok=True)
        raise


@contextmanager
def _aside(out: Path) -> Generator[Path]:
    """Make a folder in or beside the output, on the same disk, that is gone afterwards."""
    whole = out.absolute()
    parent = next(folder for folder in (whole, *whole.parents) if folder.is_dir())
    folder = parent / f".surelearn-{uuid4().hex[:8]}"
    try:
        folder.mkdir()
        yield folder
    except OSError as error:
        raise TableError(f"nothing can be written to {out}: {error.strerror}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
