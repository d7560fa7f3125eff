"""`surelearn.certify`: a data frame or a file in, a certified model out, in one call."""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from surelearn._shown import Shown
from surelearn._wording import printable
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.certify import certify_table
from surelearn.app.errors import TableError
from surelearn.app.in_parts.first_look import look_as_told
from surelearn.app.in_parts.workers import working
from surelearn.app.output import check_folder, write_run
from surelearn.app.predict import predict_in_chunks, read_features
from surelearn.app.tables.parted_file import is_in_parts
from surelearn.app.tables.read import TableFile, read_in_its_encoding, read_table_file
from surelearn.app.telling.report import make_report
from surelearn.base.whole_files import replacing
from surelearn.certificate import Certificate
from surelearn.certificate._text import html
from surelearn.evaluate.audit import Outcome
from surelearn.persistence.model_files import SavedModel
from surelearn.report import render_html

if TYPE_CHECKING:
    from surelearn._shown import Axes


@dataclass(frozen=True, eq=False, repr=False)
class CertifiedTable(Shown, drawn_by="certificates.plot_certificates"):
    """A model of a table with its certificate, as `certify` returns it.

    Attributes
    ----------
    run
        The run in full: the problem, the choice among learners, the answers of the hold-out.
    file
        The table as it was read, with all that was inferred.

    Examples
    --------
    >>> import pyarrow as pa
    >>> weights = [(17 * i) % 101 / 10 for i in range(200)]
    >>> frame = pa.table({"weight": weights, "heavy": [weight > 5.0 for weight in weights]})
    >>> found = certify(frame, target="heavy", learners=["CARTClassifier"], copies="independent")
    >>> found.certificate.status
    'valid'
    """

    run: CertifiedRun
    file: TableFile

    @property
    def model(self) -> Any:
        """The model, fitted to the training rows; `predict` reads tables for it."""
        return self.run.model

    @property
    def certificate(self) -> Certificate:
        """What is certain of the model, and what that rests on."""
        return self.run.certificate

    @property
    def claims(self) -> tuple[Outcome, ...]:
        """What became of each claim beside the certificate."""
        return self.run.claims

    @property
    def learner(self) -> str:
        """The learner that was chosen, with its setting."""
        return self.run.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should worry about."""
        return self.run.warnings

    def predict(self, table: Any) -> Any:
        """Return predictions as a PyArrow table: a row each, with probabilities if there are any.

        Of a regression with certified intervals: their ends, `low` and `high`.

        Parameters
        ----------
        table
            A data frame with the columns that the model learnt from.
        """
        schema: Mapping[str, Any] = self.run.problem.schema
        X, _ = read_features(_as_file(table, "table").table, schema, self.file.decimal)
        return predict_in_chunks(SavedModel(self.model, schema, self.run.kept_intervals, ""), X)

    def report(self, path: str | PathLike[str] | None = None) -> str:
        """Return the report as one HTML page, and write it to a file if one is named."""
        page = render_html(make_report(self.run, self.file))
        if path is not None:
            with replacing(Path(path)) as file:
                file.write(page.encode())
        return page

    def save(self, folder: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the model, the certificate and the report to a folder; all of them or none.

        Parameters
        ----------
        folder
            It is made if it is not there.
        force
            Replace files of an earlier run.
        """
        check_folder(Path(folder), force=force)
        return write_run(self.run, self.file, Path(folder))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw what the hold-out said of the model, in all and by class."""
        return self.run.plot(ax)

    def __repr__(self) -> str:
        """Return the learner and what is certain of it, in sentences."""
        told = [f"{self.learner} on {self.file.name}", str(self.certificate), *self._worries()]
        return "\n".join(told)

    def _repr_html_(self) -> str:
        """Return the certificate for notebooks, and what to worry about: no scripts, no network."""
        name = f"{self.learner} on {self.file.name}"
        return html(self.certificate, about=name, also=self._worries())

    def _worries(self) -> list[str]:
        return [printable(f"Warning: {warning}") for warning in self.warnings]


def certify(
    table: Any,
    *,
    target: str,
    executor: Any = None,
    checkpoint: str | PathLike[str] | None = None,
    **options: Any,
) -> CertifiedTable:
    """Choose and train a model of one column of a table, and certify it on rows held out.

    The same as `surelearn certify`, for data frames. Earlier looks at the same rows are remembered
    as long as the process lives.

    Parameters
    ----------
    table
        A data frame of pandas, Polars or PyArrow, or the path of a file; or a table in parts: a
        folder, a pattern such as "sales/*.parquet", a list of files, or `surelearn.scale.parts`.
    target
        The column to predict.
    executor, checkpoint
        Who works on the parts of a table, and where records are kept meanwhile: see
        `surelearn.scale.on`. With an executor a single file is a table in parts, too.
    **options
        Those of the command: delta, holdout, seed, select, learners, task, categorical, keep, drop,
        group, time, zeros, dates, copies, widths, looks, claims, positive.

    Examples
    --------
    >>> import pyarrow as pa
    >>> weights = [(17 * i) % 101 / 10 for i in range(200)]
    >>> kinds = ["cat" if weight < 5.0 else "dog" for weight in weights]
    >>> frame = pa.table({"weight": weights, "kind": kinds})
    >>> found = certify(frame, target="kind", learners=["CARTClassifier"], copies="independent")
    >>> found.certificate.status, found.learner
    ('valid', 'CARTClassifier (8 leaves)')
    >>> found.predict(pa.table({"weight": [1.0]})).column("prediction").to_pylist()
    ['cat']
    """
    with working(executor, checkpoint=checkpoint):
        if is_in_parts(table) or executor is not None:
            parted, _ = look_as_told(table, {}, {"target": target, **options})
            return CertifiedTable(certify_table(parted, target=target, **options), parted)
    if isinstance(table, str | PathLike):
        file, form = read_in_its_encoding(read_table_file, Path(table), {})
        return CertifiedTable(certify_table(file, target=target, form=form, **options), file)
    file = _as_file(table, "table")
    return CertifiedTable(certify_table(file, target=target, **options), file)


def _as_file(table: Any, name: str) -> TableFile:
    """Return a data frame as if it had been read from a file; an index is no column."""
    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError:
        raise TableError(
            f"{type(table).__name__} is no table: give a data frame of pandas, Polars or PyArrow, "
            "or the path of a file"
        ) from None
    except Exception as error:  # noqa: BLE001 - whatever somebody else's table raises
        raise TableError(f"{type(table).__name__} cannot be read: {_in_one_line(error)}") from None
    if not all(isinstance(column, str) for column in frame.columns):
        raise TableError("all columns need names that are text: rename them with str")
    return TableFile.of_table(_as_arrow(frame).select(list(frame.columns)), name)


def _as_arrow(frame: Any) -> Any:
    """Return a data frame as a table of PyArrow, or name the column that has no place in one."""
    try:
        found = frame.to_arrow()
        found.validate(full=True)
    except Exception as error:  # noqa: BLE001 - whatever somebody else's column raises
        if len(frame.columns) > 1:
            for name in frame.columns:
                _as_arrow(frame.select(name))
        name = frame.columns[0] if frame.columns else ""
        raise TableError(
            f"column {name!r} cannot be read ({_in_one_line(error)}): make all of it numbers, "
            "dates or text, or leave it out"
        ) from None
    return found


def _in_one_line(error: Exception) -> str:
    told = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return " ".join(told.split())[:300] if told else type(error).__name__
