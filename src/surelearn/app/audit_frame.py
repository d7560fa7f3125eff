"""Audits of predictions in files and data frames, as Python's users ask for them."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from surelearn import _arguments
from surelearn.app.audit import AuditRun, audit_table
from surelearn.app.auditing.in_parts import gather_parts, roles_in
from surelearn.app.errors import TableError
from surelearn.app.in_parts.workers import working
from surelearn.app.output import OF_AUDITS, check_folder, write_audit
from surelearn.app.tables.parted_file import is_in_parts
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.telling.audit_report import make_audit_report
from surelearn.base.whole_files import replacing
from surelearn.claims import Claim, Target
from surelearn.report import render_html

__all__ = ["AuditedTable", "audit"]


@dataclass(frozen=True, eq=False, repr=False)
class AuditedTable(AuditRun, drawn_by="claims.plot_claims"):
    """An audit that can be read as a page, and kept.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"truth": ["a", "b"] * 60, "said": ["a", "b"] * 59 + ["b", "b"]})
    >>> run = audit(table, truth="truth", prediction="said", claims=["accuracy"])
    >>> "is right on at least 96.1" in run.report()
    True
    """

    def report(self, path: str | Path | None = None) -> str:
        """Return the report as one HTML page, and write it to a file if one is named."""
        if not isinstance(cast("Any", path), str | Path | None):
            raise TypeError(f"path={_arguments.short(path)} must be the name of a file, or None")
        page = render_html(make_audit_report(self))
        if path is not None:
            with replacing(Path(path)) as file:
                file.write(page.encode())
        return page

    def save(self, folder: str | Path, *, force: bool = False) -> tuple[Path, ...]:
        """Write the certificates and the report to a folder; all of them or none.

        Parameters
        ----------
        folder
            It is made if it is not there.
        force
            Replace files of an earlier audit.
        """
        check_folder(Path(folder), force=force, names=OF_AUDITS)
        return write_audit(self, Path(folder))


def audit(
    predictions: Any,
    *,
    truth: str | None = None,
    prediction: str | None = None,
    claims: Sequence[Claim | Target | str] = (),
    executor: Any = None,
    checkpoint: str | Path | None = None,
    **options: Any,
) -> AuditedTable:
    """Certify what recorded predictions show of the model that made them.

    Parameters
    ----------
    predictions
        A path to a CSV, Parquet, Arrow or JSON-lines file, or a table of pandas, Polars or PyArrow;
        or a table in parts: a folder, a pattern such as "answers/*.parquet", a list of files.
    truth, prediction
        The columns of what was true and what was answered.
    claims
        Claims and targets: objects of `surelearn.claims`, or text such as "sensitivity>=0.9". All
        that the columns can show, if left out.
    executor, checkpoint
        Who works on the parts of a table: see `surelearn.scale.on`.
    **options
        Options of `audit_table`: other columns, delta, looks.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"ill": [1] * 100 + [0] * 900, "said": [1] * 90 + [0] * 870 + [1] * 40})
    >>> run = audit(table, truth="ill", prediction="said", claims=["sensitivity>=0.8"])
    >>> run.verdict
    'proved'
    """
    if isinstance(claims, str) or not isinstance(cast("object", claims), Sequence):
        raise TypeError("claims is a list of claims, such as ['sensitivity>=0.9']")
    asked = tuple(map(str, claims))
    named = {"truth": truth, "prediction": prediction}
    with working(executor, checkpoint=checkpoint):
        if is_in_parts(predictions) or executor is not None:
            file: TableFile = gather_parts(predictions, roles_in({**named, **options}))
        else:
            file = (
                read_table_file(predictions, alone=True)
                if _is_path(predictions)
                else _in_memory(predictions)
            )
        found = audit_table(file, **named, claims=asked, **options)
    return AuditedTable(**{each.name: getattr(found, each.name) for each in fields(found)})


def _is_path(predictions: Any) -> bool:
    return isinstance(predictions, str | Path)


def _in_memory(predictions: Any) -> TableFile:
    """Return a table in memory as if it had been read, or say what one is."""
    try:
        return TableFile.of_table(predictions)
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever somebody else's table raises
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise TypeError(
            f"predictions is a path, or a table of pandas, Polars or PyArrow, no "
            f"{type(predictions).__name__} ({why})"
        ) from None
