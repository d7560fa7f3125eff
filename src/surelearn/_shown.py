"""Results one can look at: a line in the terminal, a card in a notebook, a picture."""

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape as html_escape
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from surelearn._wording import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST, _FEW = 60, 3

# White on these is readable whatever the colour of the page; everything else is the page's own.
_BADGES = {"valid": "#1f6f8b", "vacuous": "#8a6100", "void": "#b3263a", "": "#5a6172"}
_CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top"
_CARD = (
    "border:1px solid #8d99ae;border-radius:6px;padding:10px 14px;max-width:60em;color:inherit;"
    "background:transparent;overflow-x:auto"
)


class Shown:
    """Something to look at: `repr` is one line, a notebook shows a card, `plot` draws it.

    A subclass names the function of `surelearn.plots` that draws it, as "file.function".

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Count(Shown):
    ...     n: int
    ...     losses: list
    >>> Count(3, [0.5] * 100)
    Count(n=3, losses=<100 values>)
    """

    _drawn_by: ClassVar[str] = ""

    def __init_subclass__(cls, *, drawn_by: str = "", **options: Any) -> None:
        """Remember what draws the class; its sentences command no terminal, whatever names hold."""
        super().__init_subclass__(**options)
        cls._drawn_by = drawn_by or cls._drawn_by
        if "__str__" in cls.__dict__:
            setattr(cls, "__str__", _printed(cls.__str__))  # noqa: B010 - it replaces a method

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw this and return the Axes, whose `figure` can be shown or saved.

        Parameters
        ----------
        ax
            Where to draw; a new figure if None.
        """
        place, subject = self._picture()
        if not place:
            raise TypeError(f"{type(self).__name__} has no picture: print it instead")
        file, _, function = place.partition(".")
        # By name, because plots rest on results and not the other way round.
        module: Any = importlib.import_module(f"surelearn.plots.{file}")
        return getattr(module, function)(subject, ax=ax)

    def _picture(self) -> tuple[str, Any]:
        """Return what draws this, and what it is given."""
        return self._drawn_by, self

    def _facts(self) -> Mapping[str, Any]:
        """Return what to show of this, by name."""
        if not is_dataclass(self):
            return {}
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name[0] != "_"}

    def __repr__(self) -> str:
        """Return one line: the first sentence, or facts with arrays told by their length."""
        if self._speaks() and type(self)._facts is Shown._facts:  # noqa: SLF001 - its own class
            return f"<{type(self).__name__}: {str(self).partition(chr(10))[0]}>"
        told = ", ".join(f"{name}={text}" for name, text in _told(self._facts()))
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        """Return a card for notebooks: no scripts, no network."""
        if self._speaks():
            return card(type(self).__name__, sentences=str(self).splitlines())
        rows = [(name.replace("_", " "), text) for name, text in _told(self._facts())]
        return card(type(self).__name__, rows=rows)

    def _speaks(self) -> bool:
        """Return whether this is told in sentences of its own."""
        return type(self).__str__ is not object.__str__


def card(
    title: str,
    *,
    badge: str = "",
    sentences: Iterable[str] = (),
    header: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
    footer: Iterable[str] = (),
) -> str:
    """Return a small piece of HTML for notebooks, light or dark: no scripts, no network.

    Examples
    --------
    >>> "<script>" in card("<script>", rows=[("name", "<b>")])
    False
    """
    colour = _BADGES.get(badge, _BADGES[""])
    chip = f"background:{colour};color:#fff;border-radius:4px;padding:1px 7px;font-weight:600"
    told = "".join(f"<p style='margin:6px 0'>{escape(line)}</p>" for line in sentences)
    small = "".join(f"<code style='color:inherit'>{escape(line)}</code><br>" for line in footer)
    return (
        f"<div style='{_CARD}'><span style='{chip}'>{escape(title)}</span>{told}"
        f"{_table(header, rows)}{small}</div>"
    )


def escape(text: str) -> str:
    """Return a text for HTML that is shown as it is."""
    return html_escape(printable(text))


def brief(value: Any) -> str:
    """Return a value in a few words: long arrays are told by their length, objects by their class.

    Examples
    --------
    >>> brief(0.123456), brief([1, 2]), brief([0.5] * 100), brief(object())
    ('0.1235', '[1, 2]', '<100 values>', 'object')
    """
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…")
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, int | np.bool_ | np.integer):
        return str(value)
    if isinstance(value, Mapping | Sequence | np.ndarray):
        return _brief_array(cast("Any", value))
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _brief_array(values: Any) -> str:
    if isinstance(values, Mapping):
        return f"<{len(cast('Any', values))} by name>"
    if hasattr(values, "_fields"):  # a tuple with names is an object, and not a list
        return type(values).__name__
    if isinstance(values, np.ndarray) and values.ndim != 1:
        return f"<{' × '.join(map(str, values.shape))} values>"
    if len(values) > _FEW:
        return f"<{len(values)} values>"
    return f"[{', '.join(brief(value) for value in values)}]"


def _printed(sentences: Callable[[Any], str]) -> Callable[[Any], str]:
    @functools.wraps(sentences)
    def printed(self: Any) -> str:
        return printable(sentences(self), keep="\n")

    return printed


def _told(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, printable(brief(v))) for name, v in facts.items() if v is not None]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["".join(f"<td style='{_CELL}'>{escape(cell)}</td>" for cell in row) for row in rows]
    if not lines:
        return ""
    names = "".join(f"<th style='{_CELL}'>{escape(name)}</th>" for name in header)
    head = f"<thead><tr>{names}</tr></thead>" if header else ""
    body = "".join(f"<tr style='background:transparent'>{line}</tr>" for line in lines)
    return f"<table style='border:0;margin:6px 0;color:inherit'>{head}<tbody>{body}</tbody></table>"
