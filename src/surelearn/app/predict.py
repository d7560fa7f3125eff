"""Predictions for a table by a stored model: the columns are read as the model learnt them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, types

from surelearn._wording import printable
from surelearn.app import folder_swap
from surelearn.app.errors import TableError
from surelearn.app.intervals import stored_intervals
from surelearn.app.problem.cells import Kind, is_missing
from surelearn.app.problem.feature import Feature, features_of, read_feature
from surelearn.app.tables import dates, quantities
from surelearn.app.tables.memory_mapped import combined, forget_pages, is_large, on_disk
from surelearn.app.tables.notes import Note
from surelearn.app.tables.read import TableFile, read_in_its_encoding, read_table_file
from surelearn.base.chunks import CHUNK
from surelearn.base.whole_files import replacing
from surelearn.learners.ensembles.locally_scaled_regressor import interval_around
from surelearn.persistence.model_files import SavedModel, load_model

_compute: Any = pc
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_DECIMALS = {None, ".", ","}
_LAYOUT = {
    "encoding",
    "delimiter",
    "header",
    "quotes",
    "decimal sign",
}  # that may differ from file to file


MODEL = "model.surelearn"
"""The file of a run that holds its model."""


class Predictions(NamedTuple):
    """The predictions for a table, a row each, and what was noticed on the way."""

    table: Any
    notes: tuple[Note, ...]


def predict_file(model: Path, table: Path, **form: Any) -> Predictions:
    """Predict the target of each row of a table by a stored model.

    Parameters
    ----------
    model, table
        The model file and the table.
    **form
        How to read the table: options of `read_table_file`.
    """
    model = model_in(model)
    if table.suffix == Path(MODEL).suffix != model.suffix:
        raise TableError(f"the model comes before the table: surelearn predict {table} {model}")
    if model.suffix == ".joblib":
        raise TableError(
            f"{model} holds a learner of another library, and to load it would run code from the "
            'file: if you trust it, predict in Python with joblib.load(...)["model"]'
        )
    saved = load_model(model)
    check_schema(saved.schema)
    if not hasattr(saved.model, "predict"):
        raise TableError(f"{model} holds a {type(saved.model).__name__}, which predicts nothing")
    file = read_for(saved.schema, table, **form)
    X, notes = read_features(file.table, saved.schema, file.decimal)
    layout = (note for note in file.notes if note.about in _LAYOUT)
    ends = stored_intervals(saved.model, saved.metadata)
    told = () if ends is None else (ends.note,)
    return Predictions(predict_in_chunks(saved, X), (*layout, *notes, *told))


def model_in(path: Path) -> Path:
    """Return the model file that a folder of results holds; a file is returned as it is."""
    folder_swap.settle(path)
    return path / MODEL if path.is_dir() else path


def check_schema(schema: Mapping[str, Any]) -> None:
    """Refuse a schema, as a forged model file may hold it, by which no table can be read.

    Examples
    --------
    >>> check_schema({"target": "y"})
    Traceback (most recent call last):
    surelearn.app.errors.TableError: the model file does not say which columns the model reads and
    how; write it again with surelearn certify
    """
    try:
        features = features_of(schema)
        kinds = {(type(f.name), f.kind in get_args(Kind)) for f in features}
        words = [schema["target"], *schema["columns"], *(schema["missing"] or ())]
        words += [word for f in features for word in f.categories]
        words += [f.name for f in features]
        for word in words:
            word.encode()  # half a pair of surrogates is no text that a table can hold
        words += [word for f in features for word in (f.column, f.form, f.part)]
        fits = kinds == {(str, True)} and all(map(_is_readable, features))
        fits = fits and isinstance(schema["header"], bool) and schema.get("decimal") in _DECIMALS
    except (AttributeError, KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise TableError(
            "the model file does not say which columns the model reads and how; write it again "
            "with surelearn certify"
        )


def _is_readable(f: Feature) -> bool:
    """Return whether a feature says how it is read: as it stands, a quantity, or part of a date."""
    if f.part:
        return f.part in dates.PARTS and f.form in dates.FORMS and f.kind == _kind_of(f.part)
    return f.form in {"", *quantities.FORMS} and type(f.zeros) is bool


def _kind_of(part: str) -> Kind:
    return "text" if part == "weekday" else "number"


def _in_words(f: Feature) -> bool:
    """Return whether a column is to be read as text: words, or quantities that are signed so."""
    return f.kind == "text" or bool(f.form)


def check_output(out: Path, *, force: bool) -> None:
    """Refuse a file that is there already, or whose folder is not."""
    if out.exists() and not force:
        raise TableError(f"{out} is there already; --force replaces it")
    if not out.parent.is_dir():
        raise TableError(f"there is no folder {out.parent} to write {out.name} to")


def read_for(schema: Mapping[str, Any], path: str | PathLike[str], **reading: Any) -> TableFile:
    """Read a table for a stored model: which columns are text and what means "missing" is known.

    Columns without a header get the names they had in training, also if the target is not there.

    Parameters
    ----------
    schema
        The schema of the model file.
    path, **reading
        See `read_table_file`; unless `header` says otherwise, a table has a header if the one the
        model learnt from had.
    """
    columns: list[str] = schema["columns"]
    without_target = [name for name in columns if name != schema["target"]]
    own: dict[str, Any] = {
        "header": schema["header"],
        "missing": schema["missing"],
        "decimal": schema.get("decimal"),
        "text": [f.name for f in features_of(schema) if f.source == f.name and _in_words(f)],
        "names": () if schema["header"] else (columns, without_target),
    }
    given = {name: value for name, value in reading.items() if value is not None}
    return read_in_its_encoding(read_table_file, Path(path), {**own, **given})[0]


def read_features(
    table: Any, schema: Mapping[str, Any], decimal: str = "."
) -> tuple[Any, tuple[Note, ...]]:
    """Return the features of a table as a stored model learnt them, and what was noticed.

    Parameters
    ----------
    table, decimal
        The table, and the decimal sign of the file it comes from.
    schema
        The schema of the model file.

    Examples
    --------
    >>> feature = {"name": "age", "kind": "number", "categories": []}
    >>> schema = {"target": "ill", "features": [feature]}
    >>> X, notes = read_features(pa.table({"name": ["Ada"], "age": [36]}), schema)
    >>> X.to_pylist(), str(notes[0])
    ([{'age': 36.0}], 'extra columns: name (the model does not use them)')
    """
    features = features_of(schema)
    there = set(table.column_names)
    absent = list(dict.fromkeys(f.source for f in features if f.source not in there))
    if absent:
        raise TableError(
            f"the table lacks {_listed(absent)}, which the model needs; it has "
            f"{_listed(table.column_names)}: rename or add columns"
        )
    X = combined(
        ((f.name, read_feature(table.column(f.source), f, decimal)) for f in features),
        large=is_large(table),
    )
    notes = list(_noticed(table, X, features))
    known = {schema["target"], *(f.source for f in features)}
    extra = [name for name in table.column_names if name not in known]
    if extra:
        notes.append(Note("extra columns", _listed(extra), "the model does not use them"))
    return X, tuple(notes)


def predict_table(saved: SavedModel, X: Any) -> Any:
    """Return the predictions as a PyArrow table: one per row, and the probability of each class.

    Of a regression whose intervals were certified, it has their ends as well.

    Examples
    --------
    >>> from surelearn.learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes
    >>> model = GaussianNaiveBayes().fit([[0.0], [0.1], [1.0], [1.1]], ["no", "no", "yes", "yes"])
    >>> predict_table(SavedModel(model, {}, {}, ""), [[1.0]]).column_names
    ['prediction', 'probability_no', 'probability_yes']
    """
    ends = stored_intervals(saved.model, saved.metadata)
    try:
        predicted = np.asarray(saved.model.predict(X))
        columns = {"prediction": pa.array(predicted)}
        if ends is not None:
            widths = saved.model.predict_width(X)
            around = interval_around(predicted, widths, n_widths=ends.n_widths)
            columns |= {"low": pa.array(around[:, 0]), "high": pa.array(around[:, 1])}
        if hasattr(saved.model, "predict_proba"):
            probabilities = np.asarray(saved.model.predict_proba(X))
            for place, label in enumerate(saved.model.classes_.tolist()):
                columns[f"probability_{label}"] = pa.array(probabilities[:, place])
    # A forged model may lack what its class does not know to be needed.
    except (TypeError, ValueError, ArithmeticError, AttributeError, LookupError) as error:
        raise TableError(f"the model cannot predict for this table: {error}") from error
    return pa.table(columns)


def predict_in_chunks(saved: SavedModel, X: Any) -> Any:
    """Return what `predict_table` does for a table of any length; on disk if that is large."""
    chunks: list[Any] = []
    for start in range(0, X.num_rows, CHUNK):
        chunk = predict_table(saved, X.slice(start, CHUNK))
        chunks.append(on_disk(chunk) if is_large(X) else chunk)
        forget_pages()
    return pa.concat_tables(chunks)


def write_predictions(table: Any, path: Path, *, safe_cells: bool = False) -> None:
    """Write predictions as CSV, whole or not at all; see `write_csv`."""
    try:
        with replacing(path) as file:
            write_csv(table, file, safe_cells=safe_cells)
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror}") from error


def write_csv(table: Any, file: IO[bytes], *, safe_cells: bool = False) -> None:
    """Write a table as CSV, with quotes if a word needs them.

    With `safe_cells` an apostrophe marks each word that a spreadsheet would take for a formula. On
    a terminal, what would command it is written out.
    """
    table = as_plain_text(table) if safe_cells else table
    table = for_terminal(table) if file.isatty() else table
    words = set(table.column_names)
    if pa.types.is_string(table.column("prediction").type):
        words.update(table.column("prediction").unique().to_pylist())
    odd = any(character in word for word in words for character in ',"\r\n')
    style = "needed" if odd else "none"
    csv.write_csv(table, file, csv.WriteOptions(quoting_style=style, quoting_header=style))


def as_plain_text(table: Any) -> Any:
    """Return a table in which no word begins as a formula does: ' stands before =, +, -, @, a tab.

    Numbers stay numbers.

    Examples
    --------
    >>> as_plain_text(pa.table({"prediction": ["=1+1", "no"]})).to_pydict()
    {'prediction': ["'=1+1", 'no']}
    """
    return _with_words(table, _marked)


def for_terminal(table: Any) -> Any:
    r"""Return a table none of whose words commands a terminal: what would is written out.

    Examples
    --------
    >>> for_terminal(pa.table({"prediction": ["fox" + chr(27) + "[2J"]})).to_pydict()
    {'prediction': ['fox\\x1b[2J']}
    """
    return _with_words(table, printable)


def _with_words(table: Any, change: Callable[[str], str]) -> Any:
    """Return a table whose names and words are changed; its numbers are not."""
    names = [change(name) for name in table.column_names]
    columns = [
        pa.chunked_array([pa.array(list(map(change, column.to_pylist())), pa.string())])
        if pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=names)


def formulas_among(table: Any) -> int:
    """Return how many words of a table a spreadsheet would take for formulas."""
    words = [*table.column_names]
    for column in table.columns:
        if pa.types.is_string(column.type):
            words.extend(column.unique().to_pylist())
    return sum(_marked(word) != word for word in words)


def _marked(word: str) -> str:
    return f"'{word}" if word.startswith(_FORMULAS) else word


def _noticed(table: Any, X: Any, features: Iterable[Feature]) -> Iterable[Note]:
    """Yield what in a table was not as in training."""
    for f in features:
        cells = X.column(f.name)
        lost = (
            0
            if f.zeros
            else int(is_missing(cells).sum() - is_missing(table.column(f.source)).sum())
        )
        forget_pages()
        if lost:
            found = f"{lost:,} cells are not of the kind {f.kind}"
            yield Note(f"column {f.name!r}", found, "they count as missing")
        if f.categories:
            unseen = _n_unseen(cells.drop_null(), f.categories)
            if unseen:
                found = f"{unseen:,} cells hold categories that training has not seen"
                yield Note(f"column {f.name!r}", found, "the learner treats them as unknown")


def _n_unseen(cells: Any, categories: Sequence[str]) -> int:
    """Return how many cells are none of the categories; each distinct word is compared once.

    Examples
    --------
    >>> _n_unseen(pa.chunked_array([["a", "b"], ["c", "c"]]), ["a", "b"])
    2
    """
    encoded = cells if types.is_dictionary(cells.type) else cells.dictionary_encode()
    known, unseen = pa.array(categories, pa.string()), 0
    for chunk in encoded.chunks:
        seen = _compute.is_in(chunk.dictionary.cast(pa.string()), value_set=known)
        of_words = seen.to_numpy(zero_copy_only=False)
        unseen += int(np.count_nonzero(~of_words[chunk.indices.to_numpy()]))
    return unseen


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:10])
    return f"{shown}, ... ({len(names):,} in all)" if len(names) > 10 else shown
