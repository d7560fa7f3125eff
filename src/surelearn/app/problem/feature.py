"""A feature: the column it is read from, how, and how a model file lists it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyarrow import types

from surelearn.app.problem.cells import Kind, as_kind, without_zeros
from surelearn.app.tables import dates, quantities

_LATER = ("column", "form", "part", "zeros")  # that schemas did not have at first


@dataclass(frozen=True)
class Feature:
    """A column to learn from, how its cells are read, and which words training has seen.

    Parameters
    ----------
    name, kind, categories
        What it is called, what it is, and the words that training has seen.
    column
        The column it is read from, if that is not of the same name.
    form
        How quantities or dates are written there: see `app.tables.quantities` and `dates`.
    part
        Of a date: what of it this is.
    zeros
        Whether 0 means that a value is missing.
    """

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    column: str = ""
    form: str = ""
    part: str = ""
    zeros: bool = False

    @property
    def source(self) -> str:
        """The column it is read from."""
        return self.column or self.name


def read_feature(column: Any, feature: Feature, decimal: str = ".") -> Any:
    """Return a feature, read from its column: 64-bit floats or text.

    Examples
    --------
    >>> import pyarrow as pa
    >>> words = pa.chunked_array([["31.12.2020", "?"]]).dictionary_encode()
    >>> read_feature(words, Feature("day: year", "number", (), "day", "dmy", "year")).to_pylist()
    [2020.0, None]
    """
    if feature.part:
        moments = dates.moments_of(column, feature.form, feature.source)
        return dates.part_of(moments, feature.part)
    if feature.form and types.is_dictionary(column.type):
        column = quantities.quantities_of(column, feature.form)
    cells = as_kind(column, feature.kind, feature.name, decimal)
    return without_zeros(cells) if feature.zeros else cells


def features_of(schema: Mapping[str, Any]) -> tuple[Feature, ...]:
    """Return the features that a schema lists."""
    entries: list[dict[str, Any]] = schema["features"]
    read: Any = Feature  # whatever a file holds: `check_schema` looks at the types
    return tuple(read(**{**one, "categories": tuple(one["categories"])}) for one in entries)


def stored(feature: Feature) -> dict[str, Any]:
    """Return a feature as a schema lists it: what older ones had, and more only where there is."""
    more = {name: getattr(feature, name) for name in _LATER if getattr(feature, name)}
    categories = list(feature.categories)
    return {"name": feature.name, "kind": feature.kind, "categories": categories, **more}
