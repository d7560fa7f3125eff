"""Listing the parts of a table: of files, folders, patterns, datasets, data frames of Dask."""

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import joblib
import pyarrow as pa

from surelearn import _arguments
from surelearn._threads import workers
from surelearn.scale import _text_blocks
from surelearn.scale._columns import feature_columns
from surelearn.scale.errors import told_of
from surelearn.scale.table_parts import FORMATS, Part, Parts, Reading, identity

_KINDS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
}
_OTHERS = frozenset(  # tables, too, and what tables are packed in
    {
        *(".tsv", ".tab", ".arff", ".jsonl", ".ndjson", ".orc", ".avro", ".xls", ".xlsx"),
        *(".gz", ".bz2", ".xz", ".zst", ".lz4", ".zip", ".7z"),
    }
)
_PATTERN = frozenset("*?[")
_IN_FOLDER = re.compile(r"[^=]+=[^=]*")  # year=2026, as Hive and Spark write


class _File(NamedTuple):
    """A file of a table, and which of its row groups count; all, if None."""

    path: str
    kind: str
    places: frozenset[int] | None = None


def parts(
    source: Any,
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    block_bytes: int = _text_blocks.BLOCK,
) -> Parts:
    r"""List the parts of a table in files, and hash their bytes; no row is decoded.

    Parameters
    ----------
    source
        A Parquet, Arrow, Feather or CSV file, a folder of them, a pattern such as
        "sales/*.parquet", a list of those, a dataset of PyArrow, or a data frame of Dask. Files
        of a folder or pattern come in the order of their names; hidden ones do not count, and
        tables of other kinds in a folder are refused.
    target
        The column to predict; without one the targets are None.
    columns
        The features, in order; left out, all columns but the target and the weight.
    weight
        The column that says how often a row counts.
    block_bytes
        The size of the parts of CSV files, about.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "may.csv").write_text("age,buys\n40,1\n20,0\n", encoding="utf-8")
    ...     (part,) = parts(folder, target="buys")
    >>> part.kind, part.place, part.reading.names
    ('csv', (9, 19), ('age',))
    """
    _arguments.at_least_one("block_bytes", block_bytes)
    if type(source).__module__.partition(".")[0] == "dask":
        from surelearn.scale.dask import frame_parts  # noqa: PLC0415 - an optional dependency

        return Parts(frame_parts(source, target=target, columns=columns, weight=weight))
    files = list(_files(source))
    if not files:
        raise ValueError(f"{source} holds no Parquet, Arrow or CSV file")
    if twice := [file.path for file, n in Counter(files).items() if n > 1]:
        raise ValueError(f"{twice[0]} is listed more than once: its rows would count twice")
    schemas = [_schema(file) for file in files]
    reading = _reading(_joined(schemas, files), target, columns, weight)
    if any(file.kind == "csv" for file in files):
        reading = _loosened(reading)
    found = [
        part
        for file, schema in zip(files, schemas, strict=True)
        for part in _parts_of(file, _reading_of(file, reading, schema), block_bytes)
    ]
    if not found:
        raise ValueError(f"{source} holds no rows")
    return Parts(_hashed(found))


def _files(source: Any) -> Iterator[_File]:
    """Yield the files that a source names, in order."""
    if isinstance(source, str | os.PathLike):
        yield from map(_known, _paths(os.fspath(cast("Any", source))))
    elif hasattr(source, "get_fragments"):
        yield from _fragments(source)
    elif isinstance(source, Iterable):
        for each in cast("Iterable[Any]", source):
            yield from _files(each)
    else:
        raise TypeError(
            f"{_arguments.short(source)} is no table in files: give paths, a folder, a pattern, a "
            "dataset of PyArrow or a data frame of Dask; rows in memory need no parts"
        )


def _paths(source: str) -> list[str]:
    if Path(source).is_dir():
        shown = sorted(one for one in _inside(source) if not _is_hidden(one.relative_to(source)))
        return [str(path) for path in shown if _is_read(path)]
    if _PATTERN & set(source) and not Path(source).exists():
        _refuse_closed(source)
        found = sorted(_matches(source))
        _refuse_left_out(found)
        return [path for path in found if not Path(path).is_dir()]
    if not Path(source).is_file():
        raise ValueError(f"there is no file {source}")
    return [source]


def _is_read(path: Path) -> bool:
    """Return whether a file of a folder is a part of the table; refuse a table of another kind."""
    suffix = path.suffix.lower()
    if suffix in _OTHERS:
        raise ValueError(
            f"{path} cannot be read in parts, and its rows would be left out: write it as Parquet "
            "or CSV, take it out of the folder, or name the files"
        )
    return suffix in _KINDS


def _inside(folder: str) -> Iterator[Path]:
    """Yield what is in a folder and those below, through links, too.

    A folder that cannot be looked into is refused, and so is one that links lead to twice.
    """

    def refuse(error: OSError) -> None:
        raise ValueError(_closed(error.filename))

    seen = set[str]()
    for place, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        folders[:] = [name for name in folders if not _is_hidden(Path(name))]
        real = os.path.realpath(place)
        if real in seen:
            raise ValueError(
                f"links lead to the folder {real} twice, and its rows would count twice: remove one"
            )
        seen.add(real)
        yield from (Path(place, name) for name in names)


def _refuse_left_out(found: list[str]) -> None:
    """Refuse a pattern that matches a folder of tables, and nothing in it."""
    entered = {str(Path(path).parent) for path in found}
    for path in found:
        if Path(path).is_dir() and str(Path(path)) not in entered and _paths(path):
            raise ValueError(
                f"the pattern matches the folder {path}, and the files in it would be left out: "
                "end the pattern with /**/*.csv, or as the names of your files do"
            )


def _refuse_closed(pattern: str) -> None:
    """Refuse a pattern that leads through a folder that cannot be looked into."""
    for above in Path(pattern).parents:
        for path in _matches(str(above)):
            if Path(path).is_dir() and not os.access(path, os.R_OK | os.X_OK):
                raise ValueError(_closed(path))


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207 - Path.glob takes no whole pattern


def _closed(folder: str) -> str:
    return (
        f"the folder {folder} may not be looked into, and rows in it would be left out: change its "
        "permissions, or name the files"
    )


def _is_hidden(path: Path) -> bool:
    """Return whether a path is one that programs make for themselves, such as _SUCCESS."""
    return any(name.startswith((".", "_")) for name in path.parts)


def _known(path: str) -> _File:
    kind = _KINDS.get(Path(path).suffix.lower())
    if kind is None:
        raise ValueError(
            f"{path} is neither Parquet (.parquet, .pq), Arrow (.arrow, .feather, .ipc) nor CSV "
            "(.csv) by its name"
        )
    if not Path(path).is_file():
        raise ValueError(f"{path} is no file that can be read, and its rows would be left out")
    whole = os.path.abspath(path)  # noqa: PTH100 - workers may stand in other folders
    above = (*Path(whole).parent.parts, *Path(path).resolve().parent.parts)
    if in_name := next((part for part in above if _IN_FOLDER.fullmatch(part)), None):
        raise ValueError(
            f"the column of {in_name!r} stands in the name of a folder only, and would be left "
            f"out: write it into the files, or rename the folder of {path}"
        )
    return _File(whole, kind)  # a link keeps its own name


def _fragments(dataset: Any) -> Iterator[_File]:
    """Yield the files of a dataset of PyArrow."""
    for fragment in dataset.get_fragments():
        path, local = getattr(fragment, "path", None), getattr(fragment, "filesystem", None)
        if path is None or getattr(local, "type_name", "") != "local":
            raise ValueError("a dataset of which parts can be made has files on a local disk")
        known = _known(path)._replace(kind=_kind_of(fragment))
        groups = getattr(fragment, "row_groups", None)
        if groups is None:
            yield known
        else:
            yield known._replace(places=frozenset(group.id for group in groups))


def _kind_of(fragment: Any) -> str:
    name = str(fragment.format.default_extname)
    return "arrow" if name in {"feather", "ipc"} else name


def _schema(file: _File) -> Any:
    with told_of(f"{file.path} cannot be read"):
        found = FORMATS[file.kind].schema(file.path)
        found.names  # noqa: B018 - a damaged file may hold names that are no text
        return found


def _joined(schemas: list[Any], files: list[_File]) -> Any:
    """Return the types that hold the cells of all files."""
    first = schemas[0]
    for schema, file in zip(schemas, files, strict=True):
        if twice := [name for name, n in Counter(schema.names).items() if n > 1]:
            raise ValueError(f"{file.path} has the columns {twice} more than once: rename them")
        if sorted(schema.names) != sorted(first.names):
            raise ValueError(
                f"{files[0].path} has the columns {first.names} and {file.path} has "
                f"{schema.names}: give all files the same ones"
            )
    bare = [schema.remove_metadata() for schema in schemas]
    try:
        joined = pa.unify_schemas(bare, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ValueError(_differing(bare, files)) from error
    return joined.with_metadata(first.metadata)


def _differing(schemas: list[Any], files: list[_File]) -> str:
    """Say which column of which file has a type that does not go with those before it."""
    for name in schemas[0].names:
        before = pa.schema([schemas[0].field(name)])
        for schema, file in zip(schemas, files, strict=True):
            own = pa.schema([schema.field(name)])
            try:
                before = pa.unify_schemas([before, own], promote_options="permissive")
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                return (
                    f"the files differ in the types of {name!r}: {file.path} has "
                    f"{own.field(0).type}, those before it {before.field(0).type}: write one type "
                    "in all of them"
                )
    return f"the files differ in the types of their columns, from {files[0].path} on"


def _reading(
    schema: Any, target: str | None, columns: Sequence[str] | None, weight: str | None
) -> Reading:
    names = feature_columns(schema, target, columns)
    if weight is not None:
        (_,) = feature_columns(schema, None, [weight])
        if columns is None:
            names.remove(weight)
        if weight in {*names, target}:
            raise ValueError(f"the weight {weight!r} must be neither the target nor a feature")
    extra = [name for name in (target, weight) if name is not None]
    types = pa.schema([schema.field(name) for name in [*names, *extra]])
    return Reading(tuple(names), target, weight, types)


def _loosened(reading: Reading) -> Reading:
    """Return how CSV files are read, of which the first rows are known.

    Features that are whole numbers there may be others later, and empty ones may have values.
    """
    loose = {pa.int64(), pa.null()}
    types = [
        field.with_type(pa.float64())
        if field.type in loose and field.name != reading.target
        else field
        for field in reading.types
    ]
    return replace(reading, types=pa.schema(types))


def _reading_of(file: _File, reading: Reading, schema: Any) -> Reading:
    """Return how one file is read: the rows of a CSV file have no names of their own."""
    if file.kind != "csv":
        return reading
    wanted = [
        reading.types.field(field.name) if field.name in reading.types.names else field
        for field in schema
    ]
    return replace(reading, all_types=pa.schema(wanted))


def _parts_of(file: _File, reading: Reading, block_bytes: int) -> Iterator[Part]:
    """Yield the parts of a file, not hashed yet."""
    more = {"block": block_bytes} if file.kind == "csv" else {}
    with told_of(f"{file.path} cannot be read"):
        places = FORMATS[file.kind].places(file.path, **more)
    for place, n_rows in places:
        if file.places is None or place in file.places:
            yield Part(file.path, file.kind, place, "", n_rows, reading)


def _hashed(found: list[Part]) -> list[Part]:
    """Return the parts with the hashes of their bytes; the same bytes are read once."""

    @cache
    def digest(_: tuple[int, ...], kind: str, place: Any, path: str) -> str:
        return FORMATS[kind].digest(path, place)

    def hashed(part: Part) -> Part:
        with told_of(f"{part} cannot be read", part):
            real = os.path.realpath(part.file)
            sha256 = digest(identity(real), part.kind, part.place, real)
        return replace(part, sha256=sha256)

    with workers(int(joblib.cpu_count())) as crew:
        return crew.map(hashed, found)
